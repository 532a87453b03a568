"""How long does one pair of convex shapes take, beside coal and MuJoCo?

Random poses of which about half touch, as in `contact_pairs`; ours one pose after another.  A mesh cube, and hulls of
30 and 300 points on an ellipsoid; a box, foot-sized, on a height field.
"""

import mujoco
import numpy as np

from benchmarks.contact_pairs import COUNT, MARGIN, with_coal
from benchmarks.timing import best, table
from hitogata.contact.layout import MOST_SLOTS, ContactPoint
from hitogata.contact.pair_query import FIELD_SLOTS, one_pair_of_any
from hitogata.contact.shapes import Surface, compile_shapes
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, HeightField, Shape, Sphere
from hitogata.spatial import matrix_to_quat
from tests.contact.cases import rotations, rows
from tests.contact.convex_cases import mesh_of


def hull(points: int) -> ConvexMesh:
    rng = np.random.default_rng(points)
    on = rng.normal(size=(points, 3))
    return ConvexMesh(on / np.linalg.norm(on, axis=1, keepdims=True) * [0.15, 0.2, 0.25])


CUBE, HULL30, HULL300 = mesh_of(Box((0.1, 0.2, 0.3))), hull(30), hull(300)
FLAT = HeightField(np.zeros((41, 41)), (2.0, 2.0))
ROUGH = HeightField(0.02 * np.random.default_rng(0).random((41, 41)), (2.0, 2.0))
PAIRS: dict[str, tuple[Shape, Shape]] = {
    "mesh cube - mesh cube": (CUBE, CUBE), "mesh cube - sphere": (CUBE, Sphere(0.2)),
    "mesh cube - capsule": (CUBE, Capsule(0.1, 0.3)), "hull of 30 - hull of 30": (HULL30, HULL30),
    "hull of 300 - hull of 300": (HULL300, HULL300), "cylinder - mesh cube": (Cylinder(0.15, 0.2), CUBE),
    "cylinder - cylinder": (Cylinder(0.15, 0.2), Cylinder(0.15, 0.2)),
    "ellipsoid - ellipsoid": (Ellipsoid((0.1, 0.2, 0.3)), Ellipsoid((0.1, 0.2, 0.3))),
    "flat field - box": (FLAT, Box((0.13, 0.05, 0.04))), "rough field - box": (ROUGH, Box((0.13, 0.05, 0.04))),
}  # fmt: skip


def own(a: Shape, b: Shape, poses: np.ndarray) -> float:
    pair = compile_shapes([Surface(a, 0), Surface(b, 1)])
    one, two = map(int, pair.pairs[0])
    slots = FIELD_SLOTS if isinstance(a, HeightField) else MOST_SLOTS
    out = np.empty((len(poses), slots * ContactPoint.SIZE))
    return best(lambda: one_pair_of_any(pair.ints, pair.floats, poses, one, two, MARGIN, out), loops=len(poses))


def with_mujoco(a: Shape, b: Shape, poses: np.ndarray) -> float:
    assets, geoms, count = {}, [], 100
    for k, p in enumerate(poses[:count]):
        for which, at in ((a, p[:12]), (b, p[12:])):
            kind = _geom(which, assets)
            if isinstance(which, HeightField):
                if k == 0:
                    geoms.append(f'<geom margin="{MARGIN}" {kind}/>')
                continue
            shift = 0.0 if isinstance(a, HeightField) else k * 5.0
            turn = " ".join(map(str, matrix_to_quat(at[:9].reshape(3, 3))))
            place = " ".join(map(str, at[9:] + [shift, 0, 0]))
            alone = ' contype="1" conaffinity="2"' if isinstance(a, HeightField) else ""
            geom = f'<geom mass="1" margin="{MARGIN}"{alone} {kind}/>'
            geoms.append(f'<body pos="{place}" quat="{turn}"><freejoint/>{geom}</body>')
    xml = f"<mujoco><asset>{''.join(assets.values())}</asset><worldbody>{''.join(geoms)}</worldbody></mujoco>"
    xml = xml.replace('hfield="', 'contype="2" conaffinity="1" hfield="') if isinstance(a, HeightField) else xml
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return best(lambda: mujoco.mj_collision(model, data), loops=count, repeats=300)


def _geom(shape: Shape, assets: dict[str, str]) -> str:
    text = lambda numbers: " ".join(map(str, numbers))
    if isinstance(shape, Sphere):
        return f'type="sphere" size="{shape.radius}"'
    if isinstance(shape, Capsule):
        return f'type="capsule" size="{shape.radius} {shape.half_length}"'
    if isinstance(shape, Cylinder):
        return f'type="cylinder" size="{shape.radius} {shape.half_length}"'
    if isinstance(shape, Ellipsoid):
        return f'type="ellipsoid" size="{text(shape.half_axes)}"'
    if isinstance(shape, Box):
        return f'type="box" size="{text(shape.half_sizes)}"'
    if isinstance(shape, HeightField):
        top = max(float(shape.heights.max()), 1e-6)
        rows_, columns = shape.heights.shape
        elevation = text((shape.heights / top)[::-1].ravel())
        grid = f'nrow="{rows_}" ncol="{columns}" size="{text(shape.half_sizes)} {top} 1"'
        assets["field"] = f'<hfield name="field" {grid} elevation="{elevation}"/>'
        return 'type="hfield" hfield="field"'
    assert isinstance(shape, ConvexMesh)
    assets["mesh"] = f'<mesh name="mesh" vertex="{text(shape.vertices.ravel())}"/>'
    return 'type="mesh" mesh="mesh"'


def main() -> None:
    rng = np.random.default_rng(0)
    lines = []
    for name, (a, b) in PAIRS.items():
        rot_a, pos_a = rotations(COUNT, rng), rng.uniform(-0.35, 0.35, (COUNT, 3))
        rot_b, pos_b = rotations(COUNT, rng), np.zeros((COUNT, 3))
        if isinstance(a, HeightField):  # a foot that stands, a little tilted
            rot_a[:], pos_a[:] = np.eye(3), 0.0
            rot_b = np.linalg.qr(np.eye(3) + rng.normal(size=(COUNT, 3, 3)) * 0.01)[0]
            rot_b *= np.sign(np.diagonal(rot_b, axis1=1, axis2=2))[:, None]
            pos_b = np.column_stack([rng.uniform(-1, 1, (COUNT, 2)), rng.uniform(0.03, 0.06, COUNT)])
        poses = rows(rot_a, pos_a, rot_b, pos_b)
        time = own(a, b, poses)
        peers = [None if isinstance(a, HeightField) else with_coal(a, b, poses), with_mujoco(a, b, poses)]
        texts = ["" if p is None else f"{p * 1e6:.2f}" for p in peers]
        ratios = ["" if p is None else f"{p / time:.1f}" for p in peers]
        lines.append([name, f"{time * 1e6:.2f}", *texts, *ratios])
    head = ["µs per pair", "hitogata", "coal", "MuJoCo", "× coal", "× MuJoCo"]
    table("One pair of convex shapes: placing and contact points", head, lines)


if __name__ == "__main__":
    main()
