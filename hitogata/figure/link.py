"""Links and their named frames."""

from dataclasses import dataclass, field

from hitogata.errors import FigureError
from hitogata.figure import values
from hitogata.figure.joint import Joint
from hitogata.figure.mass import MassProperties
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.shapes import Shape


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a link, at X_BF = `pose` in the link's frame B."""

    name: str
    pose: Pose = IDENTITY

    def __post_init__(self) -> None:
        values.name(self.name, "frame")
        if not isinstance(self.pose, Pose):
            raise FigureError(f"frame {self.name!r}: pose must be a Pose, got {self.pose!r}")


@dataclass(frozen=True)
class Link:
    """A rigid body and the joint that hangs it on its parent.

    Attributes:
        name: unique in the figure.
        parent: name of the parent link; None for the root.
        joint: how it hangs there.
        mass: mass, centre and inertia, in the link's frame.
        shapes: for contact and drawing.
        frames: named frames fixed to the link.
    """

    name: str
    parent: str | None
    joint: Joint
    mass: MassProperties
    shapes: tuple[Shape, ...] = field(default=())
    frames: tuple[Frame, ...] = field(default=())

    def __post_init__(self) -> None:
        values.name(self.name, "link")
        if self.parent is not None:
            values.name(self.parent, f"link {self.name!r}: parent")
        for what, value, kind in (("joint", self.joint, Joint), ("mass", self.mass, MassProperties)):
            if not isinstance(value, kind):
                raise FigureError(f"link {self.name!r}: {what} must be a {kind.__name__}, got {value!r}")
        for what, given in (("shapes", self.shapes), ("frames", self.frames)):
            try:
                object.__setattr__(self, what, tuple(given))
            except TypeError:
                raise FigureError(f"link {self.name!r}: {what} must be a list, got {given!r}") from None
        for shape in self.shapes:
            if not isinstance(shape, Shape):
                raise FigureError(f"link {self.name!r}: not a Shape: {shape!r}")
        for frame in self.frames:
            if not isinstance(frame, Frame):
                raise FigureError(f"link {self.name!r}: not a Frame: {frame!r}")
