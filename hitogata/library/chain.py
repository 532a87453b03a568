"""Chains: n equal links, one after the other."""

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Capsule, Figure, FigureBuilder, Joint, JointKind, Pose
from hitogata.figure.values import positive


def chain(
    n: int, *, kind: JointKind = JointKind.HINGE, free_base: bool = False, length: float = 0.2, mass: float = 1.0
) -> Figure:
    """A hanging chain of n capsules, each `length` [m] long and of `mass` [kg].

    Links hang along -z, the first from the world's origin.  Hinges (and sliders) take turns about x and y, so the
    chain moves in space.  With `free_base` the first link floats instead of being hung up.

    Args:
        n: number of links, 1 or more.
        kind: of the joints between links (and of the first one, unless `free_base`).
        free_base: the first link hangs on a free joint.
        length: of each link [m].
        mass: of each link [kg].
    """
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise FigureError(f"chain: n must be a whole number, 1 or more; got {n!r}")
    if not isinstance(kind, JointKind):
        raise FigureError(f"chain: kind must be a JointKind, got {kind!r}")
    if kind in (JointKind.FREE, JointKind.FIXED):
        raise FigureError(f"chain: links need joints that move against each other, not {kind.value}")
    positive(length, "chain: length")
    builder = FigureBuilder(f"chain{n}")
    axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    shape = Capsule.between((0, 0, 0), (0, 0, -length), length / 8)
    body = shape.mass_properties().scaled(positive(mass, "chain: mass"))
    for i in range(n):
        own = JointKind.FREE if i == 0 and free_base else kind
        place = Pose((0, 0, -length if i else 0.0))
        joint = Joint(own, place, axis=axes[i % 2], axis2=axes[(i + 1) % 2])
        builder.add(f"link{i}", f"link{i - 1}" if i else None, joint, body, shapes=(shape,))
    return builder.build()
