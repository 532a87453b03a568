"""A range of several joints on the figure: where the bone of its ball joint may point, as the others stand now."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.figure.coupled import pose_in
from hitogata.figure.pose import FloatArray
from hitogata.rom.coupled import CoupledRange, SwingTwist
from hitogata.rom.coupled.edits import at_coordinates, outline, section
from hitogata.spatial import matrix_to_quat, quat_rotate
from hitogata.studio.view import colours
from hitogata.studio.view.region import joint_frame, range_radius

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

PIECES = 400
"""Of the outline, at most."""

STILL = 2e-3
"""Least change of a coordinate for which it is drawn again."""


AT_EDGE = 0.02
"""The outline is where walls are passed by so much [rad]: else nothing were inside where another joint is at its limit,
as a straight elbow is."""


class CoupledView:
    """The outline, on a small sphere about the ball joint."""

    def __init__(self, scene: Any) -> None:
        self._frame = scene.add_frame("/coupled", show_axes=False, visible=False)
        self._edge = scene.add_line_segments(
            "/coupled/edge", np.zeros((PIECES, 2, 3), np.float32), colours.EDGE, thickness=4, thickness_units="screen"
        )
        self._key: Any = None

    def show(self, studio: "Studio", matrices: FloatArray) -> None:
        """A frame; matrices: poses of all links (nlinks, 3, 4)."""
        edit, stage = studio.coupled.now, studio.stage
        page = getattr(studio, "page", None)
        ball = None if edit is None else next((c for c in edit.range.charts if isinstance(c, SwingTwist)), None)
        wanted = ball is not None and page is not None and page.coupled.shown.value
        if self._frame.visible != wanted:
            self._frame.visible = wanted
        if page is not None and edit is not None:
            page.coupled.draw()
        if not wanted or edit is None or ball is None:
            return
        place, rotation = joint_frame(stage.figure, ball.joint, matrices)
        self._frame.position, self._frame.wxyz = place, np.asarray(matrix_to_quat(rotation))
        q = pose_in(edit.range, stage.figure, stage.q[0])
        if self._key is None or self._key[0] is not edit.range or np.abs(self._key[1] - q).max() > STILL:
            self._key = (edit.range, q)
            lines = bone_outline(edit.range, ball, q) * (1.02 * range_radius(stage.figure, ball.joint))
            points = np.zeros((PIECES, 2, 3), np.float32)
            points[: len(lines)] = lines[:PIECES]
            self._edge.points = points
        inside = bool(edit.range.contains(q)) or float(edit.range.room(q)) > -1e-3
        colour = np.array(colours.EDGE if inside and edit.on else colours.OUTSIDE, np.uint8)
        if not np.array_equal(self._edge.colors, colour):
            self._edge.colors = colour


def bone_outline(range_: CoupledRange, ball: SwingTwist, q: FloatArray) -> FloatArray:
    """Directions of the bone at the edge of what is allowed, pieces of lines in the joint's frame, shape (n, 2, 3)."""
    at = 0
    for chart in range_.charts:
        if chart is ball:
            break
        at += chart.size
    a, b, room = section(range_, q, at, at + 1)
    pieces = outline(a, b, room + AT_EDGE)
    rows = np.repeat(range_.coordinates(q), 2 * len(pieces), 0)
    rows[:, at : at + 2], rows[:, at + 2] = pieces.reshape(-1, 2), 0.0
    first = sum(c.nq for c in range_.charts[: range_.charts.index(ball)])
    quats = at_coordinates(range_, rows)[:, first : first + 4]
    return np.asarray(quat_rotate(quats, np.array(ball.bone)), np.float64).reshape(-1, 2, 3)
