"""What is on the stage: a figure, its copies and their poses, ranges as they were edited, and the ground.

One stage for all who watch: every page shows the same figures and may act on them; only cameras are each page's own.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Capsule, Figure
from hitogata.figure.pose import FloatArray
from hitogata.rom import RangeOfMotion
from hitogata.rom.coupled import CoupledRange
from hitogata.studio.scenery import Floor, floor_heights

MOST = 50
"""Copies, at most."""

_APART = 1.3
"""Distance of copies, in lengths of the figure's longest way from its root."""


@dataclass
class RangeEdit:
    """What was done to the range of a joint.

    Attributes:
        range: as it is now; None: it has none.
        on: whether it acts.
        stiffness: of its wall [N m/rad]; None: as the world's settings say; infinite: hard.
    """

    range: RangeOfMotion | None
    on: bool = True
    stiffness: float | None = None


@dataclass
class CoupledEdit:
    """A range of several joints, and whether it acts."""

    range: CoupledRange
    on: bool = True


@dataclass
class Stage:
    """A figure and what was made of it.

    Attributes:
        original: the figure as it was loaded.
        figure: with the ranges as they are now.
        q: coordinates of every copy, shape (n, nq).
        edits: of ranges, by name of ball joints.
        coupled: ranges of several joints.
        ranges_on: whether ranges act at all.
        floor: what it stands on.
        bar: what hands can hold; None: there is none.
        version: rises whenever figure, copies or floor change.
    """

    original: Figure
    figure: Figure = field(init=False)
    q: FloatArray = field(init=False)
    edits: dict[str, RangeEdit] = field(init=False)
    coupled: list[CoupledEdit] = field(init=False)
    ranges_on: bool = True
    floor: Floor = Floor.FLAT
    bar: Capsule | None = None
    version: int = 0

    def __post_init__(self) -> None:
        self.load(self.original)

    def load(self, figure: Figure) -> None:
        """Another figure, in its neutral pose, alone."""
        self.original = self.figure = figure
        self.edits = {
            name: RangeEdit(link.joint.range)
            for name, link in zip(figure.joint_names, figure.links, strict=True)
            if link.joint.is_ball
        }
        self.coupled = [CoupledEdit(range_) for range_ in figure.coupled]
        self.ranges_on = True
        self.q = figure.neutral()[None]
        self.version += 1

    # ------------------------------------------------------- copies

    @property
    def count(self) -> int:
        """Number of copies."""
        return len(self.q)

    @property
    def floating(self) -> bool:
        """Whether the figure can be anywhere: its base is free."""
        return self.figure.links[0].joint.floating

    def set_count(self, count: int) -> None:
        """More copies or fewer, in their neutral poses, side by side."""
        if not 1 <= count <= MOST:
            raise ArgumentError(f"copies: 1 to {MOST} expected, got {count}")
        if count > 1 and not self.floating:
            raise ArgumentError(f"figure {self.figure.name!r} is fixed to the world: it cannot be copied")
        self.q = np.tile(self.figure.neutral(), (count, 1))
        if self.floating:
            self.q[:, :3] += self.homes(count)
        self.version += 1

    def homes(self, count: int) -> FloatArray:
        """Where copies stand on the ground, the first at the origin, shape (count, 3) [m]."""
        poses = forward_kinematics(self.figure, self.figure.neutral()).position
        apart = _APART * max(0.5, float(np.ptp(poses[:, :2], axis=0).max()))
        side = int(np.ceil(np.sqrt(count)))
        places = [(-(k // side), ((k % side) + 1) // 2 * (-1) ** (k % side)) for k in range(count)]
        ground = apart * np.array(places, float)
        return np.column_stack([ground, floor_heights(self.floor, ground)])

    def poses(self) -> LinkPoses:
        """Of all links of all copies, shape (n, nlinks, ...)."""
        if self.count == 1:
            return LinkPoses(forward_kinematics(self.figure, self.q[0]).matrices[None])
        return forward_kinematics(self.figure, self.q)

    # ------------------------------------------------------- ranges

    def set_range(self, joint: str, range_: RangeOfMotion | None) -> None:
        """Another range of a ball joint."""
        self._edit(joint).range = range_
        self.apply_ranges()

    def switch_range(self, joint: str, on: bool) -> None:
        """Let the range of one joint act, or not."""
        self._edit(joint).on = on
        self.apply_ranges()

    def switch_ranges(self, on: bool) -> None:
        """Let ranges act, or none."""
        self.ranges_on = on
        self.apply_ranges()

    def acting(self, joint: str) -> bool:
        """Whether a joint has a range and it acts."""
        edit = self._edit(joint)
        return self.ranges_on and edit.on and edit.range is not None

    def apply_ranges(self) -> None:
        """The figure with the ranges that act."""
        links = []
        for name, link in zip(self.original.joint_names, self.original.links, strict=True):
            if name in self.edits:
                range_: Any = self.edits[name].range if self.acting(name) else None
                link = replace(link, joint=replace(link.joint, range=range_))
            links.append(link)
        several = tuple(edit.range for edit in self.coupled if edit.on and self.ranges_on)
        self.figure = Figure(self.original.name, tuple(links), several)
        self.version += 1

    def set_coupled(self, edits: list[CoupledEdit]) -> None:
        """Other ranges of several joints; if the figure refuses them, all stays as it was."""
        before, self.coupled = self.coupled, edits
        try:
            self.apply_ranges()
        except HitogataError:
            self.coupled = before
            self.apply_ranges()
            raise

    def _edit(self, joint: str) -> RangeEdit:
        if joint not in self.edits:
            raise ArgumentError(f"figure {self.figure.name!r} has no ball joint {joint!r}")
        return self.edits[joint]
