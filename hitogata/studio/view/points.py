"""Markers, cameras and rays on the page: points in the colours of their labels, names, frustums, lines of sight."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.capture import Camera
from hitogata.figure.pose import FloatArray
from hitogata.spatial import matrix_to_quat
from hitogata.studio.modes.capture import Capturing
from hitogata.studio.view import colours, meshes
from hitogata.studio.view.picking import Ray, ray_through

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

RADIUS, LARGER = 0.014, 1.6
"""Of points on the page [m]; the chosen one is so many times as large."""

REACH = 0.06
"""A label that is dropped takes the point that is so near to the pointer's ray [m]."""

_FAR = np.array([0.0, 0.0, -1e3])


class CaptureView:
    """What capture mode shows besides the body."""

    def __init__(self, studio: "Studio") -> None:
        self._studio, self._scene = studio, studio.server.scene
        self._points: Any = None
        self._labels: tuple[str, ...] = ()
        self._names: dict[str, Any] = {}
        self._frustums: list[Any] = []
        self._cameras: tuple[Camera, ...] = ()
        self._rays = self._scene.add_line_segments(
            "/capture/rays", np.zeros((1, 2, 3), np.float32), colours.RAY, thickness=1.0, thickness_units="screen",
            visible=False,
        )  # fmt: skip
        self._way = self._scene.add_line_segments(
            "/capture/way", np.zeros((1, 2, 3), np.float32), colours.LEASH, thickness=4.0, thickness_units="screen",
            visible=False,
        )  # fmt: skip
        self._held: dict[int, str] = {}

    def show(self, mode: Any, *, names: bool, rays: bool) -> None:
        """Draw what the mode shows; another mode: nothing."""
        if not isinstance(mode, Capturing):
            self.clear()
            return
        labels, places = mode.labels, mode.places
        if labels != self._labels:
            self._load(labels)
        seen: Any = np.isfinite(places).all(axis=1)
        if self._points is not None:
            scales = np.full(len(labels), RADIUS, np.float32)
            if mode.chosen in labels:
                scales[labels.index(mode.chosen)] *= LARGER
            self._points.batched_positions = np.where(seen[:, None], places, _FAR).astype(np.float32)
            self._points.batched_scales = scales
        self._name(labels, places, seen, labels if names else (mode.chosen,))
        if mode.cameras != self._cameras:
            self._film(mode.cameras)
        lines = mode.rays() if rays else np.zeros((0, 2, 3))
        self._rays.visible = bool(len(lines))
        if len(lines):
            self._rays.points = lines.astype(np.float32)

    def clear(self) -> None:
        """Nothing is shown."""
        if self._labels or self._frustums or self._points is not None:
            self._load(())
            self._film(())
        self._rays.visible = self._way.visible = False
        self._held.clear()

    # ------------------------------------------------------- points and names

    def _load(self, labels: tuple[str, ...]) -> None:
        if self._points is not None:
            self._points.remove()
        for name in self._names.values():
            name.remove()
        self._points, self._names, self._labels = None, {}, labels
        n = len(labels)
        if not n:
            return
        self._points = self._scene.add_batched_meshes_simple(
            "/capture/points", *meshes.ball(), np.tile([1.0, 0, 0, 0], (n, 1)), np.tile(_FAR, (n, 1)),
            batched_scales=np.full(n, RADIUS), batched_colors=colours.of_labels(labels), lod="off", cast_shadow=False,
        )  # fmt: skip
        self._points.on_click(self._clicked)
        self._points.on_drag("left")(self._dragged)

    def _name(self, labels: Sequence[str], places: FloatArray, seen: Any, wanted: Sequence[str | None]) -> None:
        """Names beside their points."""
        column = {label: k for k, label in enumerate(labels)}
        shown = {label for label in wanted if label in column and seen[column[label]]}
        for label in shown - self._names.keys():
            self._names[label] = self._scene.add_label(f"/capture/names/{column[label]}", str(label), visible=False)
        for label, handle in self._names.items():
            visible = label in shown
            if visible:
                handle.position = tuple(places[column[label]] + [0.0, 0.0, 1.5 * RADIUS])
            if handle.visible != visible:
                handle.visible = visible

    def _film(self, cameras: tuple[Camera, ...]) -> None:
        for frustum in self._frustums:
            frustum.remove()
        self._frustums, self._cameras = [], cameras
        for k, camera in enumerate(cameras):
            width, height = camera.size
            quat = np.asarray(matrix_to_quat(np.asarray(camera.pose.rotation)))
            self._frustums.append(self._scene.add_camera_frustum(
                f"/capture/cameras/{k}", float(2 * np.arctan(height / 2 / camera.focal[1])), width / height, scale=0.16,
                color=colours.CAMERA, wxyz=quat, position=np.array(camera.pose.position), cast_shadow=False,
            ))  # fmt: skip

    # ------------------------------------------------------- the mouse

    async def _clicked(self, event: Any) -> None:
        direction = np.array(event.ray_direction)
        self.click(event.instance_index, Ray(np.array(event.ray_origin), direction, direction))

    def click(self, index: Any, ray: Ray) -> None:
        """A point, or something before it, was clicked."""

        def act() -> None:
            mode = self._studio.mode
            if isinstance(mode, Capturing):
                mode.chosen = self._met(mode, index, ray) or mode.chosen
                self._studio.page.capture.refresh()

        self._studio.post("Choosing a marker", act)

    async def _dragged(self, event: Any) -> None:
        self.drag(event)

    def drag(self, event: Any) -> None:
        """A label is dragged from its point to the one that it belongs to."""
        who, phase, index = event.client_id, event.phase, getattr(event, "instance_index", None)
        ray = ray_through(event.client.camera, event.end_screen_pos)
        begin = ray_through(event.client.camera, event.start_screen_pos)
        own = event.target is self._points if hasattr(event, "target") else False

        def act() -> None:
            mode = self._studio.mode
            if not isinstance(mode, Capturing) or mode.trial is None:
                return
            if phase == "start":
                mode.play(False)
                found = self._met(mode, index if own else None, begin)
                if found is not None and not found.startswith("*"):
                    self._held[who] = mode.chosen = found
                    self._studio.page.capture.refresh()
            label = self._held.get(who)
            if label is None:
                return
            at = mode.places[mode.labels.index(label)]
            if np.isfinite(at).all():
                self._way.points = np.array([[at, ray.at_depth(ray.depth_of(at))]], np.float32)
            self._way.visible = phase != "end" and bool(np.isfinite(at).all())
            if phase == "end":
                del self._held[who]
                target = mode.nearest(ray.origin, ray.direction, REACH)
                if target is not None and target != label:
                    self._studio.page.capture.exchange(label, target)

        self._studio.post("Dragging a label", act)

    @staticmethod
    def _met(mode: Capturing, index: Any, ray: Ray) -> str | None:
        """The label that was touched."""
        labels = mode.labels
        if index is not None and int(index) < len(labels):
            return labels[int(index)]
        return mode.nearest(ray.origin, ray.direction, REACH)
