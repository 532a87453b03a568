"""Arrows of forces."""

from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray, turn_from_z
from hitogata.studio.view.colours import Rgb
from hitogata.studio.view.meshes import Mesh, hull

MOST = 48
"""Arrows of one kind, at most."""

_WIDTH, _HEAD = 0.009, 0.07
"""Radius of a shaft and length of a head [m]."""


class Arrows:
    """Arrows of one kind; those that are not needed have no size."""

    def __init__(self, scene: Any, name: str, colour: Rgb) -> None:
        none = np.full((MOST, 3), 1e-6)
        quats, places = np.tile([1.0, 0, 0, 0], (MOST, 1)), np.zeros((MOST, 3))
        common = {"batched_colors": colour, "lod": "off", "cast_shadow": False, "visible": False}
        self._parts = [
            scene.add_batched_meshes_simple(f"{name}/{part}", *mesh, quats, places, batched_scales=none, **common)
            for part, mesh in (("shaft", _cone(1.0)), ("head", _cone(0.05)))
        ]
        self._shown = 0

    def show(self, starts: FloatArray, vectors: FloatArray) -> None:
        """Draw arrows from `starts` along `vectors`, both shape (n, 3) [m]."""
        count = min(len(starts), MOST)
        if count == 0 and self._shown == 0:
            return
        self._shown = count
        places, scales = np.zeros((2, MOST, 3), np.float32), np.full((2, MOST, 3), 1e-6, np.float32)
        quats = np.tile(np.array([1.0, 0, 0, 0], np.float32), (MOST, 1))
        for k in range(count):
            length = float(np.linalg.norm(vectors[k]))
            if length < 1e-3:
                continue
            head = min(_HEAD, 0.5 * length)
            along = vectors[k] / length
            quats[k] = turn_from_z(tuple(along))
            places[:, k] = starts[k], starts[k] + along * (length - head)
            scales[:, k] = (_WIDTH, _WIDTH, length - head), (2.6 * _WIDTH, 2.6 * _WIDTH, head)
        for part, place, scale in zip(self._parts, places, scales, strict=True):
            part.batched_positions, part.batched_wxyzs, part.batched_scales = place, quats, scale
            part.visible = count > 0

    def hide(self) -> None:
        """Draw none."""
        self.show(np.zeros((0, 3)), np.zeros((0, 3)))


def _cone(top: float) -> Mesh:
    """From z = 0 with radius 1 to z = 1 with radius `top`."""
    turn = np.arange(16) * (np.pi / 8)
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(16)], 1)
    return hull(np.concatenate([ring, ring * [top, top, 0] + [0, 0, 1]]))
