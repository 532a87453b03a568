"""The range of a joint on the joint: where the bone may point, its edge, the bone and the way it came."""

from typing import Any

import numpy as np

from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.pictures.range_surface import range_surface
from hitogata.rom import RangeOfMotion
from hitogata.spatial import matrix_to_quat, quat_rotate
from hitogata.studio.view import colours

TRAIL, STILL = 180, 3e-3
"""Points of the trail, at most, and least way from one to the next [rad]."""


class RegionView:
    """A range, drawn on a small sphere about its joint."""

    def __init__(self, scene: Any) -> None:
        self._scene, self._nodes = scene, list[Any]()
        self._frame = scene.add_frame("/range", show_axes=False, visible=False)
        self._range: RangeOfMotion | None = None
        self._radius = 0.0
        self._edge: Any = None
        self._bone: Any = None
        self._trail: Any = None
        self.trail: list[FloatArray] = []

    def load(self, range_: RangeOfMotion | None, radius: float) -> None:
        """Draw another range; radius of the sphere [m]."""
        for node in self._nodes:
            node.remove()
        self._nodes, self._range, self._radius, self.trail = [], range_, radius, self.trail if range_ else []
        self._frame.visible = range_ is not None
        if range_ is None:
            return
        surface = range_surface(range_.swing)
        edge = np.stack([surface.boundary, np.roll(surface.boundary, -1, 0)], 1) * radius
        scene = self._scene
        mesh = scene.add_mesh_simple(
            "/range/surface", surface.vertices * radius, surface.faces, color=colours.REGION, opacity=0.35,
            side="double", cast_shadow=False, receive_shadow=False,
        )  # fmt: skip
        lines = {"thickness_units": "screen"}
        self._edge = scene.add_line_segments("/range/edge", edge.astype(np.float32), colours.EDGE, thickness=4, **lines)
        self._bone = scene.add_line_segments(
            "/range/bone", np.zeros((1, 2, 3), np.float32), colours.BONE, thickness=6, **lines
        )
        self._trail = scene.add_line_segments(
            "/range/trail", np.zeros((TRAIL - 1, 2, 3), np.float32), colours.TRAIL, thickness=3, **lines
        )
        self._nodes = [mesh, self._edge, self._bone, self._trail]

    def show(self, figure: Figure, joint: str, q: FloatArray, matrices: FloatArray) -> None:
        """Move it to its joint: coordinates (nq,) and poses of all links, shape (nlinks, 3, 4)."""
        if self._range is None:
            return
        place, rotation = joint_frame(figure, joint, matrices)
        self._frame.position, self._frame.wxyz = place, np.asarray(matrix_to_quat(rotation))
        quat = q[figure.q_slice(joint)]
        bone: FloatArray = np.asarray(quat_rotate(quat, self._range.bone_axis), np.float64)
        still = bool(self.trail) and np.abs(bone - self.trail[-1]).max() < STILL
        self.trail = [*self.trail[:-1], bone] if still else [*self.trail[-(TRAIL - 1) :], bone]
        way = np.array([self.trail[0]] * (TRAIL - len(self.trail)) + self.trail) * (1.01 * self._radius)
        self._bone.points = np.array([[np.zeros(3), bone * (1.12 * self._radius)]], np.float32)
        self._trail.points = np.stack([way[:-1], way[1:]], 1).astype(np.float32)
        inside = bool(self._range.contains(quat)) or self._range.violation(quat).swing_depth < 1e-3
        colour = np.array(colours.EDGE if inside else colours.OUTSIDE, np.uint8)
        if not np.array_equal(self._edge.colors, colour):
            self._edge.colors = colour


def range_radius(figure: Figure, joint: str) -> float:
    """Of the sphere on which a range is drawn [m]: most of the bone's length, within reason."""
    link = figure.links[figure.joint_index(joint)]
    ends = [child.joint.parent_frame.position for child in figure.links if child.parent == link.name]
    ends += [frame.pose.position for frame in link.frames]
    return float(np.clip(0.9 * np.linalg.norm(ends, axis=1).max() if ends else 0.0, 0.12, 0.3))


def joint_frame(figure: Figure, joint: str, matrices: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Position [m] and rotation in the world of the frame F in which a joint's range is written."""
    link = figure.joint_index(joint)
    parent, frame = figure.parents[link], figure.links[link].joint.parent_frame
    if parent < 0:
        return np.array(frame.position), frame.rotation
    matrix = matrices[parent]
    return matrix[:, :3] @ np.array(frame.position) + matrix[:, 3], matrix[:, :3] @ frame.rotation
