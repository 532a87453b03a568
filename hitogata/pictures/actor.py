"""Who plays in a replay: a figure, its motion, and what is drawn beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import Vector
from hitogata.pictures.overlays import JointRange, Line, Marker, Overlay, Spindles, check_colour, check_text, vectors
from hitogata.rom import RangeOfMotion


@dataclass(frozen=True, eq=False)
class Actor:
    """A figure with its motion.

    Attributes:
        figure: drawn from its shapes; one that has none, from sticks between its joints.
        trajectory: its motion.
        label: stands above it; may be empty.
        colour: "#rrggbb"; None: one of a row of colours.
        link_colours: other colours for some links, by name.
        offset: moves the figure and its overlays in the picture [m], to stand side by side with others.
        opacity: 1 is solid; less, a ghost that casts no shadow.
        overlays: what else is drawn; times and places are those of the trajectory.
    """

    figure: Figure
    trajectory: Trajectory
    label: str = field(default="", kw_only=True)
    colour: str | None = field(default=None, kw_only=True)
    link_colours: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    offset: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    opacity: float = field(default=1.0, kw_only=True)
    overlays: Sequence[Overlay] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.figure, Figure) or not isinstance(self.trajectory, Trajectory):
            given = f"{type(self.figure).__name__}, {type(self.trajectory).__name__}"
            raise ArgumentError(f"actor: a Figure and a Trajectory expected, got {given}")
        check_text(self.label, "actor: label")
        self.trajectory.check(self.figure)
        if len(self.trajectory) == 0:
            raise ArgumentError(f"{self}: the trajectory is empty")
        for name, colour in self.link_colours.items():
            self.figure.link_index(name)
            check_colour(colour, f"{self}, link {name!r}")
        if self.colour is not None:
            check_colour(self.colour, str(self))
        x, y, z = vectors([self.offset], 2, f"{self}: offset")[0].tolist()
        object.__setattr__(self, "offset", (x, y, z))
        if not 0 < float(self.opacity) <= 1:
            raise ArgumentError(f"{self}: opacity must be above 0 and at most 1, got {self.opacity}")
        object.__setattr__(self, "overlays", tuple(self.overlays))
        for overlay in self.overlays:
            self._check(overlay)

    def __str__(self) -> str:
        return f"actor {self.label or self.figure.name!r}"

    def _check(self, overlay: Overlay) -> None:
        """Raise unless an overlay fits the figure and the times."""
        if not isinstance(overlay, Overlay):
            raise ArgumentError(f"{self}: an overlay expected, got {overlay!r}")
        what = f"{self}, {type(overlay).__name__} {overlay.name!r}"
        if isinstance(overlay, JointRange):
            range_of(self.figure, overlay)
        elif isinstance(overlay, Spindles):
            if len(overlay.at) != len(self.trajectory):
                raise ArgumentError(f"{what}: has {len(overlay.at)} times, the trajectory {len(self.trajectory)}")
        elif not isinstance(overlay, Line):
            frames = [overlay.at, overlay.tied_to] if isinstance(overlay, Marker) else [overlay.at]
            for name in frames:
                if isinstance(name, str):
                    self.figure.frame(name)
            if isinstance(overlay.at, np.ndarray) and len(overlay.at) != len(self.trajectory):
                raise ArgumentError(f"{what}: has {len(overlay.at)} times, the trajectory {len(self.trajectory)}")


def range_of(figure: Figure, overlay: JointRange) -> RangeOfMotion:
    """The range that an overlay shows.

    Raises:
        ArgumentError: the joint is no ball joint, or has no range.
    """
    joint = figure.links[figure.joint_index(overlay.joint)].joint
    if not joint.is_ball:
        raise ArgumentError(
            f"range {overlay.name!r}: joint {overlay.joint!r} of figure {figure.name!r} is a {joint.kind.value} joint; "
            "only ball joints have regions"
        )
    found = overlay.range or joint.range
    if not isinstance(found, RangeOfMotion):
        raise ArgumentError(
            f"range {overlay.name!r}: joint {overlay.joint!r} of figure {figure.name!r} has no range of motion; "
            "give one as range="
        )
    return found
