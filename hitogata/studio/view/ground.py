"""Floor, light and air of the page."""

from typing import Any

import numpy as np

from hitogata.figure import Box, Capsule, HeightField, Plane
from hitogata.studio.scenery import Floor, floor_shapes
from hitogata.studio.view import colours, meshes


class Ground:
    """What figures stand on."""

    def __init__(self, scene: Any) -> None:
        self._scene, self._handles = scene, list[Any]()
        self._bar: Any = None

    def show(self, floor: Floor) -> None:
        """Draw a floor instead of the one before."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        for k, shape in enumerate(floor_shapes(floor)):
            place = {"wxyz": shape.pose.quat, "position": shape.pose.position}
            if isinstance(shape, Plane):
                self._handles.append(
                    self._scene.add_grid(
                        f"/ground/{k}", infinite_grid=True, cell_size=0.25, section_size=1.0, cell_thickness=0.6,
                        fade_distance=16.0, fade_strength=2.0, shadow_opacity=0.3, plane_color=colours.GROUND,
                        plane_opacity=1.0, cell_color=colours.CELLS, section_color=colours.SECTIONS, **place,
                    )
                )  # fmt: skip
            elif isinstance(shape, Box | HeightField):
                block = isinstance(shape, Box)
                mesh = meshes.block(shape.half_sizes) if isinstance(shape, Box) else (shape.vertices, shape.faces)
                node = self._scene.add_mesh_simple(
                    f"/ground/{k}", *mesh, color=colours.BLOCKS if block else colours.HILLS, flat_shading=block, **place
                )
                self._handles.append(node)

    def show_bar(self, bar: Capsule | None) -> None:
        """Draw a bar instead of the one before, or none."""
        if self._bar is not None:
            self._bar.remove()
            self._bar = None
        if bar is not None:
            cap = bar.radius * meshes.ball()[0]
            mesh = meshes.hull(np.concatenate([cap + [0, 0, z] for z in (-bar.half_length, bar.half_length)]))
            place = {"wxyz": bar.pose.quat, "position": bar.pose.position}
            self._bar = self._scene.add_mesh_simple("/ground/bar", *mesh, color=colours.BAR, **place)


def sky(scene: Any) -> None:
    """A sky that grows lighter towards the horizon."""
    share = np.linspace(0.0, 1.0, 256)[:, None, None] ** 0.8
    rows = np.array(colours.ZENITH) * (1 - share) + np.array(colours.HORIZON) * share
    scene.set_background_image(np.repeat(rows, 8, 1).astype(np.uint8), format="png")


def light(scene: Any, *, shadows: bool) -> None:
    """A sun, and light from the sky."""
    scene.configure_default_lights(False)
    scene.configure_environment_map(None)
    scene.add_light_hemisphere("/light/sky", sky_color=(244, 248, 255), ground_color=(132, 122, 112), intensity=1.5)
    sun = {"color": (255, 247, 235), "intensity": 2.2, "wxyz": (0.86, 0.28, 0.34, 0.25), "position": (3.0, -2.0, 6.0)}
    scene.add_light_directional("/light/sun", cast_shadow=shadows, **sun)
