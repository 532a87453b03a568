"""Constraints of OpenSim models as virtual links: points and frames that stay together, distances that stay."""

from typing import TYPE_CHECKING

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Pose
from hitogata.loops.link_set import Links
from hitogata.loops.virtual_links import Turning, VirtualLink

if TYPE_CHECKING:
    from hitogata.files.osim import OsimModel


def links_from_osim(model: "OsimModel", figure: Figure) -> Links:
    """Virtual links for the constraints of a model that its figure does not hold; those not enforced are left out.

    Point constraints become pins, weld constraints welds, constant distances rods.  Couplers are in the figure already.
    Coordinates of the model need not fulfil them: `closed` brings a state to where they do.

    Args:
        model: it.
        figure: what `figure_from_osim` made of it.

    Raises:
        ArgumentError: a constraint names a body that the figure has not, or the ground twice.
    """
    from hitogata.files.osim.document import ConstantDistance, PointConstraint, WeldConstraint  # XML, if it is needed

    links = Links(figure)
    for constraint in model.constraints:
        if not getattr(constraint, "isEnforced", True):
            continue
        if isinstance(constraint, WeldConstraint):
            ends = [_place(model, figure, constraint.name, frame) for frame in
                    (constraint.socket_frame1, constraint.socket_frame2)]  # fmt: skip
            made = _held(constraint.name, *ends, turning=Turning.HELD, length=None)
        elif isinstance(constraint, PointConstraint | ConstantDistance):
            ends = []
            for frame, point in ((constraint.socket_body_1, constraint.location_body_1),
                                 (constraint.socket_body_2, constraint.location_body_2)):  # fmt: skip
                link, pose = _place(model, figure, constraint.name, frame)
                ends.append((link, pose @ Pose(point)))
            length = constraint.constant_distance if isinstance(constraint, ConstantDistance) else None
            made = _held(constraint.name, *ends, turning=Turning.FREE, length=length or None)
        else:
            continue
        links, _ = links.add(made)
    return links


def _place(model: "OsimModel", figure: Figure, name: str, frame: str) -> tuple[str | None, Pose]:
    """Link of a frame (None: the world), and the frame's pose in it."""
    from hitogata.files.osim.figures import UP

    body, pose = model.place(frame)
    if body is None:
        return None, Pose(quat=UP.quat) @ pose
    if body not in figure.link_names:
        raise ArgumentError(f"constraint {name!r}: figure {figure.name!r} has no link {body!r}")
    return body, pose


def _held(
    name: str, a: tuple[str | None, Pose], b: tuple[str | None, Pose], *, turning: Turning, length: float | None
) -> VirtualLink:
    if a[0] is None:
        a, b = b, a
    if a[0] is None:
        raise ArgumentError(f"constraint {name!r} holds the ground to itself")
    return VirtualLink(a[0], b[0], a[1], b[1], turning=turning, length=length)
