"""Streams on the page: gaze and what it meets, force arrows, markers, muscles in the colours of their activation."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.behaviour import ShapeTarget, Target
from hitogata.figure.pose import FloatArray
from hitogata.muscle import MuscleSet, wire_geometry
from hitogata.muscle.bodies import poses_and_columns
from hitogata.muscle.drawing import muscle_colours, path_line
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.view import colours
from hitogata.studio.view.arrows import Arrows
from hitogata.studio.view.bodies import pieces_of

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

NEWTONS = 1000.0
"""Force of an arrow of a metre [N]."""
PIECES = 12
"""Of a muscle's line."""
PICTURES = 3
"""Muscles are drawn anew in one of so many frames."""


class BehaviourView:
    """What behaviour mode shows besides the body."""

    def __init__(self, studio: "Studio") -> None:
        scene = studio.server.scene
        self._scene, self._count = scene, 0
        self._forces = Arrows(scene, "/behaviour/forces", colours.CONTACT)
        self._gaze = self._lines("/behaviour/gaze", colours.RAY, 3.0)
        self._muscles: Any = None
        self._hit = scene.add_icosphere("/behaviour/hit", radius=0.03, color=colours.RAY, visible=False)
        self._targets: dict[str, Any] = {}
        self._points = scene.add_point_cloud(
            "/behaviour/markers", np.zeros((1, 3), np.float32), np.array(colours.BONE, np.uint8), point_size=0.018,
            point_shape="circle", visible=False,
        )  # fmt: skip
        self.shown = False

    def _thing(self, target: Target | ShapeTarget) -> Any:
        """What may be looked at, in its first pose."""
        name = f"/behaviour/targets/{len(self._targets)}"
        if isinstance(target, Target):
            at = tuple(np.asarray(target.centre, np.float64).reshape(-1, 3)[0])
            return self._scene.add_icosphere(name, radius=target.radius, color=colours.THINGS, opacity=0.5, position=at)
        at, quat = (np.asarray(a, np.float64).reshape(-1, m)[0] for a, m in ((target.position, 3), (target.quat, 4)))
        node = self._scene.add_frame(name, position=tuple(at), wxyz=tuple(quat), show_axes=False)
        for k, (_, (vertices, faces), offset, scale) in enumerate(pieces_of(target.shape)):
            places = np.asarray(vertices) * np.asarray(scale) + np.asarray(offset)
            self._scene.add_mesh_simple(f"{name}/{k}", places, faces, color=colours.THINGS, opacity=0.5)
        return node

    def _lines(self, name: str, colour: colours.Rgb, width: float) -> Any:
        return self._scene.add_line_segments(
            name, np.zeros((1, 2, 3), np.float32), colour, thickness=width, thickness_units="screen", visible=False
        )

    def show(self, mode: Any) -> None:
        """Draw what the mode shows; another mode: nothing."""
        if not isinstance(mode, Behaving):
            if self.shown:
                self._clear()
            return
        assert mode.shown is not None
        self.shown = True
        self._count += 1
        gaze = mode.gaze()
        self._gaze.visible = gaze is not None
        self._hit.visible = gaze is not None and bool(gaze.target)
        if gaze is not None:
            self._gaze.points = np.array([[gaze.origin, gaze.end]], np.float32)
            self._hit.position = tuple(gaze.end)
        for target in mode.shown.targets:
            if target.name not in self._targets:
                self._targets[target.name] = self._thing(target)
        pushes = mode.shown.forces(mode.cursor)
        self._forces.show(np.array([at for at, _ in pushes]).reshape(-1, 3),
                          np.array([force for _, force in pushes]).reshape(-1, 3) / NEWTONS)  # fmt: skip
        frame = mode.frame
        points = frame.points[np.isfinite(frame.points).all(axis=1)] if frame is not None else np.zeros((0, 3))
        self._points.visible = bool(len(points))
        if len(points):
            self._points.points = points.astype(np.float32)
            self._points.colors = np.tile(np.array(colours.BONE, np.uint8), (len(points), 1))
        body = mode.shown.body
        if frame is None or frame.muscles is None or frame.q is None or body is None or body.muscles is None:
            self._hide_muscles()
        elif self._count % PICTURES == 1:
            lines, shades = muscle_lines(body.muscles, frame.q, frame.muscles.activation)
            if self._muscles is None:  # with colours from the first: they are an attribute of the lines
                self._muscles = self._scene.add_line_segments(
                    "/behaviour/muscles", lines, shades, thickness=3.0, thickness_units="screen")
            self._muscles.points, self._muscles.colors = lines, shades

    def _hide_muscles(self) -> None:
        if self._muscles is not None:
            self._muscles.remove()
            self._muscles = None

    def _clear(self) -> None:
        self.shown = False
        self._forces.hide()
        for part in (self._gaze, self._hit, self._points):
            part.visible = False
        self._hide_muscles()
        for ball in self._targets.values():
            ball.remove()
        self._targets.clear()


def muscle_lines(muscles: MuscleSet, q: FloatArray, activation: FloatArray) -> tuple[Any, Any]:
    """Paths of muscles as `PIECES` of line each [m], shape (n, 2, 3), and the colours of their ends, 0 to 255."""
    stations = wire_geometry(muscles, q, stations=True).stations
    assert stations is not None
    _, poses, _ = poses_and_columns(muscles.body, np.asarray(q, np.float64))
    colour = (255 * muscle_colours(activation)).astype(np.uint8)
    pieces, shades = [], []
    for k in range(len(muscles.muscles)):
        line = _even(path_line(muscles, stations[k], poses[0]))
        pieces.append(np.stack([line[:-1], line[1:]], axis=1))
        shades.append(np.broadcast_to(colour[k], (len(line) - 1, 2, 3)))
    return np.concatenate(pieces).astype(np.float32), np.concatenate(shades)


def _even(line: FloatArray) -> FloatArray:
    """A line's points at even distances, shape (PIECES + 1, 3)."""
    far = np.concatenate([[0.0], np.linalg.norm(np.diff(line, axis=0), axis=1).cumsum()])
    at = np.linspace(0.0, far[-1], PIECES + 1)
    return np.stack([np.interp(at, far, line[:, i]) for i in range(3)], axis=1)
