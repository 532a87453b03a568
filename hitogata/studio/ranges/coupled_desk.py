"""Ranges of several joints in the studio: which one is edited, and everything that can be done to it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind, Trajectory
from hitogata.figure.coupled import pose_in
from hitogata.figure.pose import FloatArray
from hitogata.rom.coupled import Angle, Chart, CoupledRange, Polytope, SwingTwist, box, fit_coupled
from hitogata.rom.coupled import edits as changes
from hitogata.studio.ranges.desk import bone_of
from hitogata.studio.stage import CoupledEdit

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

WIDE = 1.0
"""A new range allows so much to both sides of a joint without limits [rad, m]."""

MANY = 4000
"""Poses of a motion that a fit looks at, at the most."""

MARGIN = 0.3
"""What is nearer than this to a pose of a motion counts as reached [rad]: more than a place of the fitted grid."""

_SIDE = 240
"""Of the picture of a section."""


class CoupledDesk:
    """Edits one range of several joints at a time.  Used in the clock's thread only, but for `save` and `fit`."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.index = 0

    # ------------------------------------------------------- what is edited

    @property
    def names(self) -> tuple[str, ...]:
        """Of all of the figure's, numbered."""
        return tuple(f"{k + 1}: {edit.range.name}" for k, edit in enumerate(self._studio.stage.coupled))

    @property
    def now(self) -> CoupledEdit | None:
        """The one that is edited."""
        edits = self._studio.stage.coupled
        self.index = max(0, min(self.index, len(edits) - 1))
        return edits[self.index] if edits else None

    def asked(self) -> CoupledEdit:
        """The one that is edited, or an error."""
        if self.now is None:
            raise ArgumentError("this figure has no range of several joints: make one, or open one")
        return self.now

    def pose(self) -> FloatArray:
        """Coordinates of its joints, as the first figure stands."""
        stage = self._studio.stage
        return pose_in(self.asked().range, stage.figure, stage.q[0])

    # ------------------------------------------------------- changes

    def edit(self, change: Callable[[CoupledRange], CoupledRange]) -> None:
        """Change the range; if it refuses, all stays as it was."""
        self._put(replace(self.asked(), range=change(self.asked().range)))

    def switch(self, on: bool) -> None:
        """Let it act, or not."""
        self._put(replace(self.asked(), on=on))

    def add(self, range_: CoupledRange) -> None:
        """One more."""
        edits = self._studio.stage.coupled
        self._studio.stage.set_coupled([*edits, CoupledEdit(range_)])
        self.index = len(edits)
        self._studio.ranges_changed()

    def make(self, joints: Sequence[str]) -> None:
        """A new one about joints: a box as wide as their limits."""
        figure = self._studio.stage.figure
        charts, intervals = list[Chart](), list[tuple[float, float]]()
        for name in joints:
            own, limits = charts_of(figure, name)
            charts += own
            intervals += limits
        self.add(CoupledRange(tuple(charts), box(*intervals), name=" and ".join(joints)))

    def remove(self) -> None:
        """Take it away."""
        self.asked()
        edits = list(self._studio.stage.coupled)
        del edits[self.index]
        self._studio.stage.set_coupled(edits)
        self._studio.ranges_changed()

    def wall_here(self, across: int, up: int) -> None:
        """A wall through the pose of now, that faces away from the middle of the section."""
        range_, way = self.asked().range, np.zeros(self.asked().range.dofs)
        middle = getattr(range_.region, "middle", None)
        start = np.zeros(range_.dofs) if middle is None else np.asarray(middle)
        for k in {across, up}:
            way[k] = range_.coordinates(self.pose())[0][k] - start[k]
        self.edit(lambda r: changes.with_wall(r, self.pose(), way))

    def brush(self, radius: float, allowed: bool) -> None:
        """Allow or forbid all about the pose of now; walls become a field first."""
        self.edit(lambda r: changes.brushed(changes.as_field(r), self.pose(), radius, allowed=allowed))

    def _put(self, edit: CoupledEdit) -> None:
        edits = list(self._studio.stage.coupled)
        edits[self.index] = edit
        self._studio.stage.set_coupled(edits)
        self._studio.ranges_changed()

    # ------------------------------------------------------- files

    def save(self) -> Path:
        """Write it to the studio's folder; the file."""
        path = self._studio.folder.new("range-of-joints", ".json")
        self.asked().range.save(path)
        return path

    def fit(self, motion: Trajectory) -> None:
        """The range of its joints that a motion of this figure uses, with a margin."""
        figure, range_ = self._studio.stage.figure, self.asked().range
        motion.check(figure)
        every = max(1, math.ceil(len(motion.q) / MANY))
        poses = pose_in(range_, figure, motion.q[::every])
        found = fit_coupled(range_.charts, poses, gap=MARGIN, length=range_.length, name=range_.name).range
        self._studio.post("The fitted range", lambda: self.edit(lambda _: found))

    # ------------------------------------------------------- pictures

    def walls(self) -> tuple[str, ...]:
        """Names of the faces of a polytope; none of a field."""
        range_ = self.asked().range
        if not isinstance(range_.region, Polytope):
            return ()
        names = changes.coordinate_names(range_)
        texts = []
        for k, (row, offset) in enumerate(zip(range_.region.normals, range_.region.offsets, strict=True)):
            parts = " ".join(f"{x:+.2g} {name}" for x, name in zip(row, names, strict=True) if abs(x) > 1e-9)
            texts.append(f"{k + 1}: {parts} ≤ {offset:.3g}")
        return tuple(texts)

    def picture(self, across: int, up: int) -> str:
        """The section of two coordinates through the pose of now, as SVG."""
        range_, q = self.asked().range, self.pose()
        x, y, room = changes.section(range_, q, across, up)
        names, now = changes.coordinate_names(range_), range_.coordinates(q)[0]
        inside = float(range_.room(q)) >= -1e-6
        return _drawn(x, y, room, (names[across], names[up]), (now[across], now[up]), inside)


def charts_of(figure: Figure, name: str) -> tuple[list[Chart], list[tuple[float, float]]]:
    """Charts of a joint, and its limits now, or WIDE."""
    joint = figure.links[figure.joint_index(name)].joint
    if joint.kind is JointKind.BALL:
        return [SwingTwist(name, tuple(bone_of(figure, name).tolist()))], [(-WIDE, WIDE)] * 3
    if joint.kind in (JointKind.FREE, JointKind.FIXED):
        raise ArgumentError(f"joint {name!r} is {joint.kind.value}: choose joints as a shoulder and its elbow")
    charts, intervals = list[Chart](), list[tuple[float, float]]()
    for index in range(joint.nq):
        metres = not joint.follows and joint.screws[index].turn == 0.0
        charts.append(Angle(name, index, metres))
        limits = np.asarray(joint.range, np.float64).reshape(-1, 2) if joint.range is not None else np.zeros((0, 2))
        low, high = limits[index] if index < len(limits) else (-WIDE, WIDE)
        intervals.append((float(max(low, -2.0 * np.pi)), float(min(high, 2.0 * np.pi))))
    return charts, intervals


def _drawn(
    x: FloatArray, y: FloatArray, room: FloatArray, names: tuple[str, str], now: tuple[float, float], inside: bool
) -> str:
    """SVG: what is allowed, its edge, and the pose."""
    left, top, size = 34.0, 6.0, float(_SIDE - 46)
    to_x = lambda v: left + (v - x[0]) / (x[-1] - x[0]) * size
    to_y = lambda v: top + size - (v - y[0]) / (y[-1] - y[0]) * size
    wide, high, path = size / (len(x) - 1), size / (len(y) - 1), []
    for j in range(len(y)):
        ends = np.flatnonzero(np.diff(np.concatenate([[0], (room[:, j] > 0.0).astype(int), [0]])))
        for a, b in zip(ends[::2], ends[1::2], strict=True):
            path.append(f"M{to_x(x[a]) - wide / 2:.1f} {to_y(y[j]) - high / 2:.1f}h{(b - a) * wide:.1f}v{high:.2f}"
                        f"h-{(b - a) * wide:.1f}z")  # fmt: skip
    edge = "".join(f"M{to_x(a[0]):.1f} {to_y(a[1]):.1f}L{to_x(b[0]):.1f} {to_y(b[1]):.1f}"
                   for a, b in changes.outline(x, y, room))  # fmt: skip
    colour = "#f08220" if inside else "#d23232"
    texts = [
        f'<text x="{left}" y="{_SIDE - 27}">{x[0]:.2g}</text>',
        f'<text x="{left + size}" y="{_SIDE - 27}" text-anchor="end">{x[-1]:.2g}</text>',
        f'<text x="{left + size / 2}" y="{_SIDE - 14}" text-anchor="middle">{escape(names[0])}</text>',
        f'<text x="{left - 3}" y="{top + size}" text-anchor="end">{y[0]:.2g}</text>',
        f'<text x="{left - 3}" y="{top + 8}" text-anchor="end">{y[-1]:.2g}</text>',
        f'<text transform="translate(11 {top + size / 2}) rotate(-90)" text-anchor="middle">{escape(names[1])}</text>',
    ]
    return (
        f'<svg viewBox="0 0 {_SIDE} {_SIDE - 8}" width="100%" role="img" aria-label="Section of the range" '
        'style="font: 9px sans-serif; background: #f6f8fa; border-radius: 4px">'
        f'<path d="M{left} {top}h{size}v{size}h-{size}z" fill="white" stroke="#c4cad3"/>'
        f'<path d="{"".join(path)}" fill="#4690dc" fill-opacity="0.35"/>'
        f'<path d="{edge}" stroke="#184e96" stroke-width="1.6" fill="none"/>'
        f'<circle cx="{to_x(now[0]):.1f}" cy="{to_y(now[1]):.1f}" r="4" fill="{colour}"/>'
        f'{"".join(texts)}</svg>'
    )
