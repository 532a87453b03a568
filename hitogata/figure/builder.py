"""FigureBuilder: links one after the other, then a frozen Figure."""

from collections.abc import Iterable
from dataclasses import replace

from hitogata.errors import FigureError
from hitogata.figure import values
from hitogata.figure.figure import Figure
from hitogata.figure.joint import Joint
from hitogata.figure.link import Frame, Link
from hitogata.figure.mass import MassProperties
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.shapes import Shape


class FigureBuilder:
    """Collects links; `build()` returns the frozen figure.

    Example:
        >>> from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
        >>> builder = FigureBuilder("pendulum")
        >>> builder.add("bob", None, joint.hinge(axis=(0, 1, 0)),
        ...             MassProperties.principal(1.0, (0, 0, -0.5), (1e-4, 1e-4, 1e-4)))
        >>> print(builder.build())
        Figure 'pendulum': 1 links, nq 1, nv 1, 1 kg
    """

    def __init__(self, name: str) -> None:
        self.name = values.name(name, "figure")
        self._links: dict[str, Link] = {}
        self._joints: set[str] = set()
        self._frames: set[str] = set()  # names of frames and links

    def add(
        self,
        name: str,
        parent: str | None,
        joint: Joint,
        mass: MassProperties | None = None,
        *,
        shapes: Iterable[Shape] = (),
        density: float | None = None,
        total_mass: float | None = None,
        frames: Iterable[Frame] = (),
    ) -> None:
        """Add a link.

        Args:
            name: unique name of the link.
            parent: name of the parent link, None for the root; it may be added later.
            joint: the joint to the parent.
            mass: mass properties; if None they come from `shapes`, and `density` or `total_mass`.
            shapes: shapes fixed to the link.
            density: of the shapes [kg/m³] (1000 if neither density nor total_mass is given).
            total_mass: of the shapes together [kg], instead of a density.
            frames: named frames fixed to the link.
        """
        try:
            if mass is None:
                shapes = tuple(shapes)
                mass = _mass_of_shapes(shapes, density, total_mass)
            elif density is not None or total_mass is not None:
                raise FigureError("give either mass, or density, or total_mass")
            link = Link(name, parent, joint, mass, shapes, frames)  # type: ignore[arg-type]
        except FigureError as error:
            raise error if repr(name) in str(error) else FigureError(f"link {name!r}: {error}") from None
        self._check(link)
        self._links[name] = link
        self._joints.add(link.joint.name or name)
        self._frames.update([name, *(frame.name for frame in link.frames)])

    def _check(self, link: Link) -> None:
        """What can be wrong before all links are known; so a link that is refused leaves no trace."""
        if link.name in self._links:
            raise FigureError(f"duplicate link {link.name!r}: every link of a figure needs its own name")
        if (link.joint.name or link.name) in self._joints:
            raise FigureError(f"duplicate joint {link.joint.name or link.name!r}: every joint needs its own name")
        frames = [link.name, *(frame.name for frame in link.frames)]
        values.unique(frames, "frame or link")
        for name in frames:
            if name in self._frames:
                raise FigureError(f"duplicate frame or link {name!r}: every one of a figure needs its own name")
        if link.parent == link.name:
            raise FigureError(f"link {link.name!r} hangs on itself")
        if link.parent is None:
            for other in self._links.values():
                if other.parent is None:
                    raise FigureError(f"link {link.name!r} has no parent, but a figure has one root: {other.name!r}")
        elif link.joint.floating:
            raise FigureError(f"link {link.name!r} hangs on {link.parent!r} by a free joint: only the root may")

    def add_frame(self, link: str, name: str, pose: Pose = IDENTITY) -> None:
        """Fix a named frame to a link that was added before."""
        if link not in self._links:
            raise FigureError(f"frame {name!r}: no link {link!r} was added")
        frame = Frame(name, pose)
        if name in self._frames:
            raise FigureError(f"duplicate frame or link {name!r}: every one of a figure needs its own name")
        self._links[link] = replace(self._links[link], frames=(*self._links[link].frames, frame))
        self._frames.add(name)

    def build(self) -> Figure:
        """The figure, with links in depth-first order."""
        return Figure.from_links(self.name, self._links.values())


def _mass_of_shapes(shapes: tuple[Shape, ...], density: float | None, total_mass: float | None) -> MassProperties:
    if not shapes:
        raise FigureError("no mass properties, and no shapes to find them from")
    if density is not None and total_mass is not None:
        raise FigureError("give either density or total_mass, not both")
    mass = MassProperties.combined(s.mass_properties(1000.0 if density is None else density) for s in shapes)
    return mass if total_mass is None else mass.scaled(total_mass)
