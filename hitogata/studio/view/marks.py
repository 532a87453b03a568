"""Pins, and the lines from where links are held to the pointer."""

from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.studio.modes.mode import Mark
from hitogata.studio.view import colours, meshes

LINES = 4
"""Leashes that are drawn at most."""

_PIN = 0.021


class Marks:
    """Balls at pins, and leashes."""

    def __init__(self, scene: Any) -> None:
        self._scene, self._pins, self._count = scene, None, 0
        self._idle = np.zeros((LINES, 2, 3), np.float32)
        self._lines = scene.add_line_segments("/leashes", self._idle, colours.LEASH, thickness=4.0,
                                              thickness_units="screen", visible=False)  # fmt: skip

    def show(self, marks: list[Mark], leashes: list[tuple[FloatArray, FloatArray]]) -> None:
        """Draw these."""
        if len(marks) != self._count:
            if self._pins is not None:
                self._pins.remove()
            self._pins, self._count = None, len(marks)
            if marks:
                n = len(marks)
                self._pins = self._scene.add_batched_meshes_simple(
                    "/pins", *meshes.ball(), np.tile([1.0, 0, 0, 0], (n, 1)), np.zeros((n, 3)),
                    batched_scales=np.full(n, _PIN), batched_colors=colours.PIN, lod="off", cast_shadow=False,
                )  # fmt: skip
        if self._pins is not None:
            self._pins.batched_positions = np.array([mark.position for mark in marks], np.float32)
        if leashes or self._lines.visible:
            points = self._idle.copy()
            for k, ends in enumerate(leashes[:LINES]):
                points[k] = ends
            self._lines.points = points
            self._lines.visible = bool(leashes)
