"""Strands: locks of hair, tails, chains; they hang from a root that something else moves (see `sim.strands`)."""

import math
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Capsule, Figure, FigureBuilder, MassProperties, Pose, Sphere, joint
from hitogata.figure.values import not_negative, positive
from hitogata.rom import OvalRegion, RangeOfMotion

DRIVEN = 1e6
"""Armature of a strand's root [kg], [kg m²]: so much that what hangs on it cannot change the velocity it is given."""

WIDEST = math.radians(170)
"""Greatest half angle of a joint's oval [rad]."""


def strand(
    links: int = 12, *, length: float = 0.3, radius: float = 0.005, tip_radius: float | None = None, mass: float = 0.012,
    bend: Any = (math.radians(35), math.radians(20)), twist: float = math.radians(10), damping: float = 2e-6,
    bare: int = 1, name: str = "strand",
) -> Figure:  # fmt: skip
    """A strand of capsules along +x, with an oval range of motion at every joint.

    The link `root` has a free joint with a great armature, so that it moves as it is told, whatever hangs on it; a ball
    joint at its origin carries the first link.  Each link's bone is +x; it bends about y (towards -z and +z) and about z
    within an oval of the stereographic plane (Yamaguchi 2009, 3.3), and twists about itself.

    Args:
        links: number of links, 1 or more.
        length: of the whole strand [m].
        radius: of the capsules at the root [m].
        tip_radius: at the tip, in between linearly [m]; None: the same.
        mass: of the whole strand [kg], shared among links by their volume.
        bend: greatest angles of each joint about y and about z [rad]; a pair may be given for each: (low, high).
        twist: greatest angle about the bone, either way [rad].
        damping: of each joint [N m s/rad].
        bare: the first so many links have no shape, so that what the strand grows from does not push it off.
        name: of the figure.
    """
    if not isinstance(links, (int, np.integer)) or isinstance(links, bool) or links < 1:
        raise FigureError(f"strand: links must be a whole number, 1 or more; got {links!r}")
    if not isinstance(bare, (int, np.integer)) or isinstance(bare, bool) or not 0 <= bare <= links:
        raise FigureError(f"strand: bare must be a whole number, 0 to {links}; got {bare!r}")
    step = positive(length, "strand: length") / links
    radii = np.linspace(
        positive(radius, "strand: radius"), positive(radius if tip_radius is None else tip_radius, "strand: tip_radius"),
        links,
    )  # fmt: skip
    range_ = RangeOfMotion(_oval(bend), _twist(twist), bone=(1.0, 0.0, 0.0))
    positive(mass, "strand: mass")
    damping = not_negative(damping, "strand: damping")
    shapes = [Capsule.between((0, 0, 0), (step, 0, 0), float(r)) for r in radii]
    whole = sum(shape.mass_properties().mass for shape in shapes)
    anchor = Sphere(float(radii[0])).mass_properties().scaled(mass)
    builder = FigureBuilder(name)
    builder.add("root", None, joint.free(armature=DRIVEN), anchor)
    for i, shape in enumerate(shapes):
        body: MassProperties = shape.mass_properties().scaled(mass * shape.mass_properties().mass / whole)
        ball = joint.ball(range=range_, damping=damping, parent_frame=Pose((step if i else 0.0, 0, 0)))
        builder.add(f"link{i}", f"link{i - 1}" if i else "root", ball, body, shapes=() if i < bare else (shape,))
    return builder.build()


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
