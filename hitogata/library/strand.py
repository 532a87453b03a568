"""Strands: locks of hair, tails, chains; they hang from a root that something else moves (see `sim.strands`)."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, Pose, Sphere, joint
from hitogata.figure.values import not_negative, positive, unit_vector, vector
from hitogata.rom import OvalRegion, RangeOfMotion

DRIVEN = 1e6
"""Armature of a strand's root [kg], [kg m²]: so much that what hangs on it cannot change the velocity it is given."""

ROOT = 1e-3
"""Mass of the root, as a share of the strand's."""

BEND, TWIST = (math.radians(35), math.radians(20)), math.radians(10)
"""Of hair: how far joints bend about y and z, and twist [rad]."""

WIDEST = math.radians(170)
"""Greatest half angle of a joint's oval [rad]."""


def strand(
    links: int = 12, *, length: float = 0.3, radius: float = 0.005, tip_radius: float | None = None,
    mass: float = 0.012, bend: Any = BEND, twist: float = TWIST, damping: float | None = None,
    armature: float | None = None, bare: int = 1, name: str = "strand",
) -> Figure:  # fmt: skip
    """A strand of capsules along +x, with an oval range of motion at every joint.

    The link `root` has a free joint with a great armature, so that it moves as it is told, whatever hangs on it; a ball
    joint at its origin carries the first link, `link0`.  Each link's bone is +x; it bends about y and about z within an
    oval of the stereographic plane (Yamaguchi 2009, 3.3), and twists about itself.  Frame: tip.

    Args:
        links: number of links, 1 or more.
        length: of the whole strand [m].
        radius: of the capsules at the root [m].
        tip_radius: at the tip, in between linearly [m]; None: the same.
        mass: of the whole strand [kg], shared among links by their volume.
        bend: greatest angles of each joint about y and about z [rad]; or for each a pair (low, high).
        twist: greatest angle about the bone, either way [rad].
        damping: of each joint [N m s/rad]; None: 8 m l² √(g/l), with m and l mass and length of a link: so that a link
            by itself does not swing, and the strand does.
        armature: of each joint [kg m²]; None: 2 m l².  A thin link's inertia about itself is next to nothing; this is
            enough for limits to share what presses on them within few sweeps.
        bare: the first so many links have no shape, so that what the strand grows from does not push it off.
        name: of the figure.
    """
    links, bare = _whole(links, "links", 1), _whole(bare, "bare", 0)
    step, weight = positive(length, "strand: length") / links, positive(mass, "strand: mass") / links
    tip = positive(radius if tip_radius is None else tip_radius, "strand: tip_radius")
    radii = np.linspace(positive(radius, "strand: radius"), tip, links).tolist()
    damping = 8.0 * weight * step**2 * math.sqrt(9.81 / step) if damping is None else damping
    ball = joint.ball(
        range=RangeOfMotion(_oval(bend), _twist(twist), bone=(1.0, 0.0, 0.0)), damping=damping,
        armature=2.0 * weight * step**2 if armature is None else armature,
    )  # fmt: skip
    shapes = [Capsule.between((0, 0, 0), (step, 0, 0), r) for r in radii]
    bodies = [shape.mass_properties() for shape in shapes]
    share = mass / sum(body.mass for body in bodies)
    builder = FigureBuilder(name)
    builder.add("root", None, joint.free(armature=DRIVEN), Sphere(radii[0]).mass_properties().scaled(ROOT * mass))
    for i in range(links):
        hung = replace(ball, parent_frame=Pose((step if i else 0.0, 0, 0)))
        builder.add(
            f"link{i}", f"link{i - 1}" if i else "root", hung, bodies[i].scaled(share * bodies[i].mass),
            shapes=shapes[i : i + 1] if i >= bare else (),
            frames=(Frame("tip", Pose((step, 0, 0))),) if i == links - 1 else (),
        )  # fmt: skip
    return builder.build()


def cap_of_roots(
    count: int, *, radius: float, centre: Any = (0.0, 0.0, 0.0), axis: Any = (0.0, 0.0, 1.0), angle: float = 1.5
) -> list[Pose]:
    """Roots of strands, spread evenly over a cap of a sphere (a Fibonacci spiral); all point outwards.

    A strand's y axis is level there, so that its own weight bends it about y.

    Args:
        count: how many.
        radius: of the sphere [m].
        centre: of the sphere, in the frame of the link that carries the roots [m], shape (3,).
        axis: through the middle of the cap, same frame, shape (3,).
        angle: from the middle of the cap to its edge [rad].
    """
    count, radius = _whole(count, "count", 1), positive(radius, "cap_of_roots: radius")
    middle, up = vector(centre, "cap_of_roots: centre"), np.array(unit_vector(axis, "cap_of_roots: axis"))
    if not 0 < positive(angle, "cap_of_roots: angle") <= math.pi:
        raise FigureError(f"cap_of_roots: angle must be within π [rad]; got {angle!r}")
    side = np.cross(up, (1.0, 0.0, 0.0) if abs(up[0]) < 0.9 else (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    k = np.arange(count) + 0.5
    height, turn = 1.0 - (1.0 - math.cos(angle)) * k / count, k * math.pi * (3.0 - math.sqrt(5.0))
    wide = np.sqrt(1.0 - height**2)
    flat = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(up, side)
    poses = []
    for x in height[:, None] * up + wide[:, None] * flat:
        y = np.cross((0.0, 0.0, 1.0) if abs(x[2]) < 1.0 - 1e-12 else (1.0, 0.0, 0.0), x)
        y /= np.linalg.norm(y)
        poses.append(Pose.from_matrix(np.stack([x, y, np.cross(x, y)], 1), middle + radius * x))
    return poses


def _whole(value: Any, name: str, least: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise FigureError(f"strand: {name} must be a whole number, {least} or more; got {value!r}")
    return int(value)


def _oval(bend: Any) -> OvalRegion:
    """Half angles, or pairs of angles, as an oval: s = tan(ry/2), t = tan(rz/2)."""
    try:
        pairs = [(-float(a), float(a)) if np.ndim(a) == 0 else (float(a[0]), float(a[1])) for a in bend]
        if len(pairs) != 2:
            raise ValueError
    except (TypeError, ValueError, IndexError):
        raise FigureError(f"strand: bend must be two angles, or two pairs of angles [rad]; got {bend!r}") from None
    for low, high in pairs:
        if not -WIDEST <= low < high <= WIDEST:
            raise FigureError(f"strand: bend must rise, and be within ±{WIDEST:.2f} rad; got {bend!r}")
    y, z = ((math.tan(low / 2), math.tan(high / 2)) for low, high in pairs)
    return OvalRegion(y, z)


def _twist(twist: Any) -> tuple[float, float]:
    angle = not_negative(twist, "strand: twist")
    if angle > math.pi:
        raise FigureError(f"strand: twist must be 0 to π [rad]; got {twist!r}")
    return -angle, angle
