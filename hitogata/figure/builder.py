"""FigureBuilder: links one after the other, then a frozen Figure."""

from collections.abc import Iterable

from hitogata.errors import FigureError
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
        self.name = name
        self._links: list[Link] = []

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
        shapes = tuple(shapes)
        try:
            if mass is None:
                mass = _mass_of_shapes(shapes, density, total_mass)
            elif density is not None or total_mass is not None:
                raise FigureError("give either mass, or density, or total_mass")
            link = Link(name, parent, joint, mass, shapes, tuple(frames))
        except FigureError as error:
            raise error if repr(name) in str(error) else FigureError(f"link {name!r}: {error}") from None
        if any(name == other.name for other in self._links):
            raise FigureError(f"duplicate link {name!r}: every link of a figure needs its own name")
        self._links.append(link)

    def add_frame(self, link: str, name: str, pose: Pose = IDENTITY) -> None:
        """Fix a named frame to a link that was added before."""
        for i, other in enumerate(self._links):
            if other.name == link:
                self._links[i] = Link(
                    other.name, other.parent, other.joint, other.mass, other.shapes, (*other.frames, Frame(name, pose))
                )
                return
        raise FigureError(f"frame {name!r}: no link {link!r} was added")

    def build(self) -> Figure:
        """The figure, with links in depth-first order."""
        return Figure.from_links(self.name, self._links)


def _mass_of_shapes(shapes: tuple[Shape, ...], density: float | None, total_mass: float | None) -> MassProperties:
    if not shapes:
        raise FigureError("no mass properties, and no shapes to find them from")
    if density is not None and total_mass is not None:
        raise FigureError("give either density or total_mass, not both")
    mass = MassProperties.combined(s.mass_properties(1000.0 if density is None else density) for s in shapes)
    return mass if total_mass is None else mass.scaled(total_mass)
