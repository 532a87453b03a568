"""Thrown things on the page."""

from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.studio.scenery import Thing, thing_figure
from hitogata.studio.view import colours
from hitogata.studio.view.bodies import pieces_of


class Things:
    """All things of each kind in one batch."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._handles: dict[Thing, Any] = {}

    def show(self, kind: Thing, states: FloatArray) -> None:
        """Draw things where they are: position and quaternion, shape (n, 7)."""
        handle, n = self._handles.get(kind), len(states)
        if handle is not None and (n == 0 or len(handle.batched_positions) != n):
            self._handles.pop(kind).remove()
            handle = None
        if n == 0:
            return
        if handle is None:
            ((_, mesh, _, scale),) = pieces_of(thing_figure(kind).links[0].shapes[0])
            handle = self._handles[kind] = self._scene.add_batched_meshes_simple(
                f"/things/{kind.value}", *mesh, states[:, 3:], states[:, :3],
                batched_scales=np.tile(np.array(scale, float), (n, 1)), batched_colors=colours.THINGS, lod="off",
            )  # fmt: skip
        handle.batched_positions = states[:, :3].astype(np.float32)
        handle.batched_wxyzs = states[:, 3:].astype(np.float32)
