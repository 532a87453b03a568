"""Cameras of those who watch: each page has its own, and they may follow the figure."""

from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray

_LEAST = 0.02
"""Cameras are moved when the figure went this far [m]."""


_LOST = 0.4
"""Cameras that follow look no farther beside the figure than this [sizes of the figure]."""


_FROM = np.array([1.1, 0.6, 0.25])
"""From where pages look, in sizes of the figure."""


class Cameras:
    """Cameras that go along with the first figure.

    Attributes:
        follow: whether they do.
    """

    def __init__(self, server: Any) -> None:
        self._server, self.follow = server, True
        self._at: FloatArray | None = None
        self._size = 1.8

    def home(self, place: FloatArray, size: float) -> None:
        """Where pages look that open from now on: at a place [m], from a distance for something of a size [m]."""
        self._size = max(size, 0.3)
        camera = self._server.initial_camera
        camera.look_at = tuple(place)
        camera.position = tuple(place + _FROM * max(size, 0.3))
        camera.up = (0.0, 0.0, 1.0)
        camera.near, camera.far = 0.02, 200.0

    def frame(self, client: Any, place: FloatArray, size: float) -> None:
        """Let one page look at a place [m], from the side it is on, so far off that something of a size [m] is seen."""
        camera = client.camera
        way = np.array(camera.position) - np.array(camera.look_at)
        far = float(np.linalg.norm(way))
        unit = way / far if far > 1e-6 else _FROM / np.linalg.norm(_FROM)
        with client.atomic():
            camera.position = place + unit * float(np.linalg.norm(_FROM)) * max(size, 0.3)
            camera.look_at = place

    def advance(self, root: FloatArray) -> None:
        """The first figure's root is here now [m].

        A page that is slow says where its camera was a while ago, and what it was moved by since then is lost: so
        cameras that look too far beside the figure come nearer.
        """
        if not self.follow or self._at is None:
            self._at = root.copy()
            return
        shift = (root - self._at) * [1.0, 1.0, 0.0]
        if np.linalg.norm(shift) < _LEAST:
            return
        self._at = root.copy()
        for client in self._server.get_clients().values():
            camera = client.camera
            look, position = np.array(camera.look_at), np.array(camera.position)
            beside = (look + shift - root) * [1.0, 1.0, 0.0]
            far = float(np.linalg.norm(beside))
            move = shift - beside * max(0.0, 1.0 - _LOST * self._size / max(far, 1e-9))
            with client.atomic():
                camera.position, camera.look_at = position + move, look + move
