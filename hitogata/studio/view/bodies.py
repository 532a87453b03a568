"""Figures on the page: every shape of every copy in a few batches, so that a crowd costs little more than one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.dynamics import LinkPoses
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Figure, HeightField, Shape, Sphere
from hitogata.figure.meshes import points_on
from hitogata.figure.pose import FloatArray
from hitogata.pictures.replay_shapes import drawn_shapes
from hitogata.spatial import matrix_to_quat, quat_multiply
from hitogata.studio.view import meshes
from hitogata.studio.view.meshes import Mesh

Touch = Callable[[tuple[int, int] | None, Any], None]
"""Called with (copy, link), if that is known, and viser's event."""


@dataclass(frozen=True)
class Part:
    """A piece of a shape: which mesh, how large, where on its link."""

    key: Any
    link: int
    position: FloatArray
    quat: FloatArray
    scale: FloatArray


FEW = 6
"""More copies than this are drawn with fewer triangles."""


def parts_of(figure: Figure, sides: int = meshes.FINE) -> tuple[list[Part], dict[Any, Mesh]]:
    """All pieces of a figure, those of one mesh together, and the meshes by key."""
    parts: list[Part] = []
    known: dict[Any, Mesh] = {}
    for link, shape in drawn_shapes(figure):
        for key, mesh, offset, scale in pieces_of(shape, sides):
            known.setdefault(key, mesh)
            place = np.array(shape.pose.position) + shape.pose.rotation @ np.array(offset)
            parts.append(Part(key, link, place, np.array(shape.pose.quat), np.array(scale, float)))
    order = {key: k for k, key in enumerate(known)}
    return sorted(parts, key=lambda part: order[part.key]), known


def pieces_of(shape: Shape, sides: int = meshes.FINE) -> list[tuple[Any, Mesh, Any, Any]]:
    """(key, mesh, offset in the shape's frame, scale) of each piece; a plane has none."""
    if isinstance(shape, Sphere):
        return [("ball", meshes.ball(sides), (0, 0, 0), (shape.radius,) * 3)]
    if isinstance(shape, Capsule):
        r, h = shape.radius, shape.half_length
        ends = [("ball", meshes.ball(sides), (0, 0, z), (r, r, r)) for z in (-h, h)]
        return [*ends, ("rod", meshes.rod(sides), (0, 0, 0), (r, r, max(h, 1e-6)))]
    if isinstance(shape, Box):
        return [(("block", shape.half_sizes), meshes.block(shape.half_sizes), (0, 0, 0), (1, 1, 1))]
    if isinstance(shape, Ellipsoid):
        return [("ball", meshes.ball(sides), (0, 0, 0), shape.half_axes)]
    if isinstance(shape, Cylinder):
        shape = ConvexMesh(points_on(shape))
    if isinstance(shape, ConvexMesh | HeightField):
        return [(("mesh", shape.vertices.tobytes()), (shape.vertices, shape.faces), (0, 0, 0), (1, 1, 1))]
    return []


class Bodies:
    """Copies of one figure on the page.

    Args:
        scene: viser's.
        name: of the node that holds them.
        figure: the figure.
        colours: of each copy, shape (n, 3), 0...255.
        on_drag, on_click: told what was touched; None: it cannot be.
    """

    def __init__(
        self, scene: Any, name: str, figure: Figure, colours: npt.NDArray[np.uint8], *,
        on_drag: Touch | None = None, on_click: Touch | None = None,
    ) -> None:  # fmt: skip
        self.figure, self.count, self.name = figure, len(colours), name
        parts, known = parts_of(figure, meshes.FINE if self.count <= FEW else meshes.COARSE)
        self._links = np.array([part.link for part in parts])
        self._places = np.array([part.position for part in parts]).reshape(-1, 3, 1)
        self._quats = np.array([part.quat for part in parts]).reshape(-1, 4)
        self._base = np.repeat(colours[:, None], figure.nlinks, 1)
        self.handles: list[tuple[Any, slice]] = []
        start = 0
        for k, (key, (vertices, faces)) in enumerate(known.items()):
            stop = start + sum(part.key == key for part in parts)
            chosen = slice(start, stop)
            scales = np.tile(np.array([part.scale for part in parts[chosen]]), (self.count, 1))
            n = len(scales)
            handle = scene.add_batched_meshes_simple(
                f"{name}/{k}", vertices, faces, np.tile([1.0, 0, 0, 0], (n, 1)), np.zeros((n, 3)),
                batched_scales=scales, batched_colors=self._of_parts(self._base, chosen), lod="off",
            )  # fmt: skip
            if on_drag is not None:
                handle.on_drag("left")(self._told(on_drag, chosen))
            if on_click is not None:
                handle.on_click(self._told(on_click, chosen))
            self.handles.append((handle, chosen))
            start = stop

    def _of_parts(self, of_links: npt.NDArray[Any], chosen: slice) -> npt.NDArray[Any]:
        """Values of copies and links, shape (n, nlinks, ...), for the pieces of a batch, copy after copy."""
        picked = of_links[:, self._links[chosen]]
        return picked.reshape(-1, *picked.shape[2:])

    def _told(self, touch: Touch, chosen: slice) -> Any:
        """An event's callback; asynchronous, so that events keep their order."""
        size = chosen.stop - chosen.start

        async def callback(event: Any) -> None:
            if event.instance_index is None:
                touch(None, event)
            else:
                copy, part = divmod(int(event.instance_index), size)
                touch((copy, int(self._links[chosen.start + part])), event)

        return callback

    def show(self, poses: LinkPoses) -> None:
        """Put the copies where they are: poses of shape (n, nlinks, ...)."""
        rotation = poses.rotation[:, self._links]
        position = poses.position[:, self._links] + (rotation @ self._places)[..., 0]
        quat = quat_multiply(np.asarray(matrix_to_quat(poses.rotation))[:, self._links], self._quats)
        for handle, chosen in self.handles:
            handle.batched_positions = position[:, chosen].reshape(-1, 3).astype(np.float32)
            handle.batched_wxyzs = quat[:, chosen].reshape(-1, 4).astype(np.float32)

    def paint(self, colours: dict[tuple[int, int], Any]) -> None:
        """Give some links another colour, by (copy, link); all others have their own."""
        base = self._base.copy()
        for (copy, link), colour in colours.items():
            base[copy, link] = colour
        for handle, chosen in self.handles:
            handle.batched_colors = self._of_parts(base, chosen)

    def fade(self, opacity: float | None) -> None:
        """Let one see through them; None: solid."""
        for handle, _ in self.handles:
            handle.opacity = opacity

    def hide(self, hidden: bool) -> None:
        """Show them, or not."""
        for handle, _ in self.handles:
            if handle.visible == hidden:
                handle.visible = not hidden

    def remove(self) -> None:
        """Take them off the page."""
        for handle, _ in self.handles:
            handle.remove()
        self.handles = []
