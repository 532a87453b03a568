"""How long does one pair of shapes take, beside coal and MuJoCo?

Random poses of which about half touch.  Ours: placing both shapes, contact points, results to an array; one pose after
another, or side by side in registers.  coal: `coal.collide` with all contacts, called from Python.  MuJoCo:
`mj_collision` of a world with 100 such pairs far from each other, so its broad phase is in it.
"""

import coal
import mujoco
import numpy as np

from benchmarks.timing import best, table
from hitogata.contact.layout import MOST_SLOTS, ContactPoint
from hitogata.contact.pair_query import one_pair, pair_rows
from hitogata.contact.shapes import Surface, compile_shapes
from hitogata.dynamics.dispatch import batch_width
from hitogata.figure import Box, Capsule, Plane, Shape, Sphere
from hitogata.spatial import matrix_to_quat
from tests.contact.cases import PAIRS, rotations, rows
from tests.contact.peers import coal_shape

SHAPES: dict[str, Shape] = {
    "plane": Plane(), "sphere": Sphere(0.2), "capsule": Capsule(0.1, 0.3), "box": Box((0.1, 0.2, 0.3)),
}  # fmt: skip
MARGIN = 0.01
COUNT = 2048


def own(a: Shape, b: Shape, poses: np.ndarray) -> list[float]:
    pair = compile_shapes([Surface(a, 0), Surface(b, 1)])
    one, two = map(int, pair.pairs[0])
    times = []
    for dtype in (np.float64, np.float64, np.float32):
        given, floats = poses.astype(dtype), pair.floats_for(dtype)
        out = np.empty((len(poses), MOST_SLOTS * ContactPoint.SIZE), dtype)
        if times:
            width = batch_width(dtype)
            run = lambda: pair_rows(pair.ints, floats, given, one, two, MARGIN, out, width)  # noqa: B023
        else:
            run = lambda: one_pair(pair.ints, floats, given, one, two, MARGIN, out)  # noqa: B023
        times.append(best(run, loops=len(poses)))
    return times


def with_coal(a: Shape, b: Shape, poses: np.ndarray) -> float:
    one, two, request, result = coal_shape(a), coal_shape(b), coal.CollisionRequest(), coal.CollisionResult()
    request.security_margin, request.num_max_contacts, request.enable_contact = MARGIN, 8, True
    places = [
        (coal.Transform3s(p[:9].reshape(3, 3), p[9:12]), coal.Transform3s(p[12:21].reshape(3, 3), p[21:24]))
        for p in poses[:512]
    ]

    def run() -> None:
        for x, y in places:
            result.clear()
            coal.collide(one, x, two, y, request, result)

    return best(run, loops=len(places))


def with_mujoco(a: Shape, b: Shape, poses: np.ndarray) -> float:
    geoms = []
    for k, p in enumerate(poses[:100]):
        for which, at, shift in ((a, p[:12], k * 5.0), (b, p[12:], k * 5.0)):
            turn = " ".join(map(str, matrix_to_quat(at[:9].reshape(3, 3))))
            place = " ".join(map(str, at[9:] + [shift, 0, 0]))
            if isinstance(which, Plane):
                if k:
                    continue  # one plane for all
                geoms.append('<geom type="plane" size="1 1 1"/>')
                continue
            geom = f'<geom mass="1" margin="{MARGIN}" {_geom(which)}/>'
            geoms.append(f'<body pos="{place}" quat="{turn}"><freejoint/>{geom}</body>')
    xml = f'<mujoco><option><flag filterparent="disable"/></option><worldbody>{"".join(geoms)}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return best(lambda: mujoco.mj_collision(model, data), loops=100, repeats=2000)


def _geom(shape: Shape) -> str:
    if isinstance(shape, Sphere):
        return f'type="sphere" size="{shape.radius}"'
    if isinstance(shape, Capsule):
        return f'type="capsule" size="{shape.radius} {shape.half_length}"'
    assert isinstance(shape, Box)
    return 'type="box" size="{} {} {}"'.format(*shape.half_sizes)


def main() -> None:
    rng = np.random.default_rng(0)
    lines = []
    for kinds in PAIRS:
        a, b = (SHAPES[k] for k in kinds)
        pos_a = rng.uniform(-0.35, 0.35, (COUNT, 3))
        pos_b = np.zeros((COUNT, 3))
        rot_b = rotations(COUNT, rng)
        if isinstance(b, Plane):
            rot_b[:] = np.eye(3)
        poses = rows(rotations(COUNT, rng), pos_a, rot_b, pos_b)
        times = own(a, b, poses)
        peers = [with_coal(a, b, poses), with_mujoco(a, b, poses)]
        lines.append(["-".join(kinds), *(f"{t * 1e9:.0f}" for t in [*times, *peers]),
                      *(f"{p / times[0]:.1f}" for p in peers)])  # fmt: skip
    head = ["ns per pair", "hitogata", "side by side f64", "f32", "coal", "MuJoCo", "× coal", "× MuJoCo"]
    table("One pair of shapes: placing and contact points", head, lines)


if __name__ == "__main__":
    main()
