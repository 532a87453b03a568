"""The built-in musculoskeletal body: 366 muscles, 91 tendons and 34 ligaments on the skeleton of 51 bone groups.

Rows of the tables of `hitogata.library.musculoskeletal` become wires on both sides, scaled with the bones that they are
fixed to.  Slack lengths are not in the tables: they are found from the lengths in the neutral pose, where each fibre
has the part of its optimal length that its row says.
"""

from dataclasses import replace

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Pose, joint
from hitogata.figure.values import FloatArray
from hitogata.library.musculoskeletal import BodySize, Side, places_of, rows_of, skeleton
from hitogata.library.musculoskeletal.skeleton import MASS
from hitogata.library.musculoskeletal.tables import bone_name, numbers, sides_of, vector
from hitogata.muscle.curves import DeGroote2016
from hitogata.muscle.geometry import wire_geometry
from hitogata.muscle.paths import Path, PathPoint, Surface, SurfaceKind, Wrap
from hitogata.muscle.wires import Ligament, Muscle, MuscleSet, Node, Support, Tendon, Wire

HYOID = Node("hyoid", "C3", (0.0479, 0.0, -0.0124))
"""A massless bone that hangs in its muscles."""
GAIT_BONES = frozenset(("pelvis", "femur", "tibia", "patella", "talus", "foot", "toes"))
"""Of the smaller body."""
ARM_BONES = frozenset(("clavicle", "scapula", "humerus", "ulna", "radius", "hand"))
"""Of an arm."""
LEAST_TENDON = 0.05
"""Part of a wire's length that is tendon at least."""
_CURVES = DeGroote2016()


def musculoskeletal(
    stature: float | None = None,
    mass: float | None = None,
    lengths: dict[str, float] | None = None,
    *,
    held: bool = True,
    plain_knees: bool = False,
) -> MuscleSet:
    """The whole body: 51 bone groups, 366 muscles, 91 tendons, 34 ligaments, and the hyoid as a massless node.

    Args:
        stature: [m]; None: 1.741.
        mass: [kg]; None: 73.0.  Muscles' strength grows with its power 2/3.
        lengths: factors on the size of single bones (see `BodySize`).
        held: ankle and subtalar joint are hinges; False: balls.
        plain_knees: knees are hinges, and kneecaps fixed to the shins.
    """
    size = _size(stature, mass, lengths)
    return _body("musculoskeletal", skeleton(size, held=held, plain_knees=plain_knees), size)


def musculoskeletal_gait(
    stature: float | None = None, mass: float | None = None, lengths: dict[str, float] | None = None
) -> MuscleSet:
    """Pelvis and legs with the muscles, tendons and ligaments between them; the pelvis carries the trunk's mass.

    Args:
        stature, mass, lengths: as of `musculoskeletal`.
    """
    size = _size(stature, mass, lengths)
    legs = skeleton(size, bones=GAIT_BONES)
    above = size.mass - legs.mass
    root = legs.links[0]
    centre, height = np.array(root.mass.centre), 0.28 * size.scale("pelvis")
    whole = root.mass.mass + above
    moved = (root.mass.mass * centre + above * np.array([-0.05, 0.0, height])) / whole
    carried = type(root.mass).principal(whole, moved, [whole * r**2 for r in (0.28, 0.27, 0.12)])
    figure = Figure("musculoskeletal_gait", (replace(root, mass=carried), *legs.links[1:]))
    return _body("musculoskeletal_gait", figure, size)


def musculoskeletal_arm(
    stature: float | None = None, mass: float | None = None, lengths: dict[str, float] | None = None, *, side: str = "r"
) -> MuscleSet:
    """Shoulder girdle and arm with their muscles; the trunk is one bone, fixed in the world as it stands.

    Args:
        stature, mass, lengths: as of `musculoskeletal`.
        side: "r" or "l".
    """
    if side not in ("r", "l"):
        raise ArgumentError(f"side must be 'r' or 'l', got {side!r}")
    size = _size(stature, mass, lengths)
    whole = skeleton(size)
    kept = [link for link in whole.links if link.name in {f"{bone}_{side}" for bone in ARM_BONES}]
    first, places = kept[0], forward_kinematics(whole, whole.neutral()).position
    assert first.parent is not None
    at = places[whole.link_index(first.parent)]
    trunk = replace(
        whole.links[whole.link_index(first.parent)], parent=None, shapes=(),
        joint=joint.fixed(parent_frame=Pose(at.tolist()), name="trunk"),
    )  # fmt: skip
    figure = Figure(f"musculoskeletal_arm_{side}", (trunk, *kept))
    return _body(figure.name, figure, size)


def _size(stature: float | None, mass: float | None, lengths: dict[str, float] | None) -> BodySize:
    plain = BodySize()
    return BodySize(stature or plain.stature, mass or plain.mass, lengths or {})


def _body(name: str, figure: Figure, size: BodySize) -> MuscleSet:
    bones = {*figure.link_names, *([HYOID.name] if HYOID.body in figure.link_names else [])}
    wires: list[Wire] = [*_muscles(size), *_supports(size), *_tendons(size), *_ligaments(size)]
    if HYOID.body not in bones:
        moved = {link.name for link in figure.links[1:]}
        whole, root = skeleton(size), figure.links[0].name
        places = forward_kinematics(whole, whole.neutral()).position
        at = dict(zip(whole.link_names, places - places[whole.link_index(root)], strict=True))
        wires = [_on_root(wire, at, root, moved) for wire in wires]
    wires = [wire for wire in wires if all(point.body in bones for point in wire.path.points)]
    known = {wire.name for wire in wires}
    wires = [wire for wire in wires if not isinstance(wire, Tendon) or known.issuperset(wire.heads)]
    nodes = (replace(HYOID, place=_scaled(HYOID.place, size.scale("C3"))),) if "C3" in bones else ()
    surfaces = tuple(surface for surface in _surfaces(size) if surface.body in bones)
    drawn = MuscleSet(name, figure, tuple(wires), surfaces, nodes)
    lengths = wire_geometry(drawn, figure.neutral()).lengths
    fitted = tuple(_fitted(wire, float(length)) for wire, length in zip(drawn.wires, lengths, strict=True))
    return MuscleSet(name, figure, fitted, surfaces, nodes)


def _on_root(wire: Wire, at: dict[str, FloatArray], root: str, moved: set[str]) -> Wire:
    """A wire between bones that are there and the trunk, with all of the trunk (bones `at` the root) part of it."""
    touched = {point.body for point in wire.path.points}
    inner = _LUMBAR if root == "pelvis" else _TRUNK
    if not touched & moved or (root == "pelvis" and not touched & {"femur_r", "femur_l"}):
        return wire
    points = [
        PathPoint(root, (at[point.body] + point.place).tolist()) if point.body in inner else point
        for point in wire.path.points
        if isinstance(point, PathPoint)
    ]
    return replace(wire, path=Path(tuple(points), wire.path.wraps))


_LUMBAR = ("L1", "L2", "L3", "L4", "L5")
_TRUNK = (*_LUMBAR, "pelvis", "skull", *(f"T{k}" for k in range(1, 13)), *(f"C{k}" for k in range(1, 8)))


def _fitted(wire: Wire, length: float) -> Wire:
    """A wire with its lengths for the neutral pose: there a muscle's `slack_length` says how long its fibre is."""
    if isinstance(wire, Muscle):
        fibre, most = wire.fibre_length, (1.0 - LEAST_TENDON) * length
        along = float(np.sqrt((wire.slack_length * fibre) ** 2 - (fibre * np.sin(wire.pennation)) ** 2))
        if along > most:  # a muscle without room for its tendon: a shorter one of the same shape
            fibre *= most / along
            along = most
        return replace(wire, fibre_length=fibre, slack_length=length - along)
    assert isinstance(wire, Ligament)
    return replace(wire, slack_length=length / wire.slack_length)


def _muscles(size: BodySize) -> list[Muscle]:
    strength = (size.mass / MASS) ** (2.0 / 3.0)
    found = []
    for row in rows_of("muscles"):
        for side in (Side.RIGHT, Side.LEFT):
            path, scale = _path(row["path"], side, size, row["surfaces"])
            found.append(
                Muscle(
                    row["name"] + side.value,
                    path,
                    max_force=float(row["max_force_N"]) * strength,
                    fibre_length=float(row["fibre_mm"]) * 1e-3 * scale,
                    slack_length=float(row["fibre_at_neutral"]),
                    pennation=float(np.radians(float(row["pennation_deg"]))),
                    curves=_CURVES,
                    rigid_tendon=False,
                )
            )
    return found


def _tendons(size: BodySize) -> list[Tendon]:
    found = []
    for row in rows_of("tendons"):
        for side in sides_of(row):
            path, _ = _path(row["path"], side, size)
            heads = tuple(head + side.value for head in row["heads"].split())
            found.append(
                Tendon(row["name"] + side.value, path, slack_length=1.0, heads=heads, share=float(row["share"]))
            )
    return found


def _ligaments(size: BodySize) -> list[Ligament]:
    found = []
    for row in rows_of("ligaments"):
        for side in sides_of(row):
            path, _ = _path(row["path"], side, size)
            strain, stiffness = float(row["strain_at_neutral"]), float(row["stiffness_N"])
            found.append(Ligament(row["name"] + side.value, path, slack_length=1.0 + strain, stiffness=stiffness))
    return found


def _supports(size: BodySize) -> list[Support]:
    found = []
    for row in rows_of("supports"):
        for side in (Side.RIGHT, Side.LEFT):
            path, _ = _path(row["path"], side, size)
            found.append(Support(row["name"] + side.value, path, slack_length=1.0))
    return found


def _path(text: str, side: Side, size: BodySize, surfaces: str = "") -> tuple[Path, float]:
    """A path, and the mean size of the bones that it touches."""
    places = places_of(text, side)
    scales = [size.scale("C3" if bone == HYOID.name else bone) for bone, _ in places]
    points = tuple(PathPoint(bone, _scaled(at, k)) for (bone, at), k in zip(places, scales, strict=True))
    wraps = []
    for surface in surfaces.split():
        name, _, first = surface.partition(":")
        wraps.append(Wrap(name + side.value, int(first) if first else None))
    return Path(points, tuple(wraps)), float(np.mean(scales))


def _scaled(at: tuple[float, float, float], k: float) -> tuple[float, float, float]:
    return at[0] * k, at[1] * k, at[2] * k


def _surfaces(size: BodySize) -> list[Surface]:
    found = []
    for row in rows_of("surfaces"):
        for side in (Side.RIGHT, Side.LEFT):
            bone = bone_name(row["bone"], side)
            k = size.scale(bone)
            centre, sizes = vector(row["centre_mm"], side, 1e-3 * k), numbers(row["sizes_mm"], 1e-3 * k)
            kind = SurfaceKind(row["kind"])
            pose = Pose(centre)
            if kind is SurfaceKind.CYLINDER:
                pose = Pose.from_matrix(_frame(row, side), centre)
            name = row["name"] + side.value
            found.append(Surface(name, kind, bone, sizes, pose, "+x" if row["side"] else ""))
    return found


def _frame(row: dict[str, str], side: Side) -> FloatArray:
    """Axes of a cylinder: z along it, x to the side that strings go over; on the left with z the other way, so that
    the same angles mean the same."""
    z = np.array(vector(row["axis"], Side.RIGHT))
    z /= np.linalg.norm(z)
    over = vector(row["side"], Side.RIGHT) if row["side"] else (0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0)
    x = np.array(over) - z * (np.array(over) @ z)
    x /= np.linalg.norm(x)
    frame = np.stack([x, np.cross(z, x), z], axis=1)
    return frame * np.array([1.0, -1.0, 1.0])[:, None] * np.array([1.0, 1.0, -1.0]) if side is Side.LEFT else frame
