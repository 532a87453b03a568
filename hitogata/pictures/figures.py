"""A figure in one pose, drawn from the outlines of its shapes, the far ones first."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Figure, HeightField, Shape, Sphere
from hitogata.figure.meshes import points_on
from hitogata.figure.pose import FloatArray
from hitogata.pictures.camera import Camera
from hitogata.pictures.replay_shapes import drawn_shapes

_CIRCLE = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)


def draw_figure(
    axes: Any,
    figure: Figure,
    q: Any,
    *,
    camera: Camera | None = None,
    shift: Any = (0.0, 0.0),
    colour: Any = "#c8956c",
    colours: Mapping[str, Any] | None = None,
    alpha: float = 1.0,
    zorder: float = 1.0,
) -> None:
    """Draw a figure into matplotlib axes; one unit of the axes is one metre.

    Args:
        axes: matplotlib axes with equal aspect.
        figure: the figure.
        q: coordinates, shape (nq,).
        camera: where to look from; None: a view from the figure's front left.
        shift: moves the drawing on the picture (right, up) [m].
        colour: of the nearest shapes; those farther away are darker.
        colours: other colours, by name of shape or link.
        alpha: opacity.
        zorder: matplotlib's drawing order.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    camera, colours = camera or Camera(), colours or {}
    poses = forward_kinematics(figure, q)
    shapes: list[list[Shape]] = [[] for _ in figure.links]
    for k, shape in drawn_shapes(figure):
        shapes[k].append(shape)
    links = []
    for link, own, position, rotation in zip(figure.links, shapes, poses.position, poses.rotation, strict=True):
        outlines = []
        for shape in own:
            points, radius = _skeleton(shape)
            if points is None:
                continue
            world = (points @ shape.pose.rotation.T + shape.pose.position) @ rotation.T + position
            rgb = np.array(to_rgb(colours.get(shape.name, colours.get(link.name, colour))))
            outlines.append((*_outline(camera.project(world), radius), rgb))
        if outlines:
            links.append(sorted(outlines, key=lambda outline: outline[1]))
    depths = [depth for outlines in links for _, depth, _ in outlines]
    near, far = max(depths, default=0.0), min(depths, default=0.0)
    for outlines in sorted(links, key=lambda outlines: float(np.mean([depth for _, depth, _ in outlines]))):
        # strong lines around the link as a whole first, below its shapes: those between its shapes stay thin
        closed = [np.concatenate([outline, outline[:1]]) + np.asarray(shift) for outline, _, _ in outlines]
        edges = [rgb * 0.35 for _, _, rgb in outlines]
        axes.add_collection(
            LineCollection(closed, colors=edges, linewidths=1.2, alpha=alpha, zorder=zorder, joinstyle="round"),
            autolim=False,
        )
        for outline, (_, depth, rgb), edge in zip(closed, outlines, edges, strict=True):
            light = 0.68 + 0.32 * (depth - far) / max(near - far, 1e-9)
            axes.add_patch(
                Polygon(outline[:-1], closed=True, facecolor=rgb * light, edgecolor=edge, linewidth=0.15, alpha=alpha,
                        zorder=zorder, joinstyle="round")
            )  # fmt: skip


def _skeleton(shape: Shape) -> tuple[FloatArray | None, float]:
    """Points and a radius: the shape is the convex hull of balls of that radius about the points."""
    if isinstance(shape, Sphere):
        return np.zeros((1, 3)), shape.radius
    if isinstance(shape, Capsule):
        return np.array([[0, 0, -shape.half_length], [0, 0, shape.half_length]]), shape.radius
    if isinstance(shape, Box):
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return corners * np.array(shape.half_sizes), 0.0
    if isinstance(shape, ConvexMesh):
        return shape.vertices, 0.0
    if isinstance(shape, Cylinder | Ellipsoid):
        return points_on(shape), 0.0
    return None, 0.0


def _outline(projected: FloatArray, radius: float) -> tuple[FloatArray, float]:
    """Convex outline on the picture, shape (n, 2), and how near it is."""
    from scipy.spatial import ConvexHull

    flat = projected[:, :2]
    if radius > 0:
        circle = radius * np.stack([np.cos(_CIRCLE), np.sin(_CIRCLE)], axis=1)
        flat = (flat[:, None] + circle).reshape(-1, 2)
    return flat[ConvexHull(flat).vertices], float(projected[:, 2].mean())


def draw_terrain(
    axes: Any,
    field: HeightField,
    *,
    camera: Camera | None = None,
    shift: Any = (0.0, 0.0),
    colour: Any = "#b9bfae",
    zorder: float = 0.0,
) -> None:
    """Draw a height field into matplotlib axes, the far triangles first, lit from above.

    Args:
        axes: matplotlib axes with equal aspect.
        field: the terrain; its own pose counts.
        camera: where to look from; None: as `draw_figure`.
        shift: moves the drawing on the picture (right, up) [m].
        colour: of triangles in full light.
        zorder: matplotlib's drawing order; below figures unless it is raised.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    camera = camera or Camera()
    corners = field.pose.apply(field.vertices)[field.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    light = 0.45 + 0.55 * np.clip(normals @ (np.array([0.4, -0.5, 0.76])), 0, 1)
    projected = camera.project(corners)
    order = np.argsort(projected[:, :, 2].mean(1))
    order = order[normals[order] @ camera.axes[2] > 0]  # what looks away is hidden by what does not
    shades = np.array(to_rgb(colour)) * light[order, None]
    axes.add_collection(
        PolyCollection(projected[order][:, :, :2] + np.asarray(shift), facecolors=shades, edgecolors=shades * 0.93,
                       linewidths=0.4, zorder=zorder),
        autolim=True,
    )  # fmt: skip
    axes.autoscale_view()
