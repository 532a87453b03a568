"""What the dynamics filter shows besides the figure: the motion before, contact forces and centres of pressure."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.studio.view import colours
from hitogata.studio.view.arrows import Arrows
from hitogata.studio.view.bodies import Bodies
from hitogata.studio.view.forces import WEIGHT

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

OPACITY = 0.4
"""Of the unfiltered figure."""
SIZE = 0.025
"""Of a centre of pressure [m]."""


class FilterView:
    """The unfiltered figure, and forces under the feet of the filtered one."""

    def __init__(self, studio: "Studio") -> None:
        self._studio, self._scene = studio, studio.server.scene
        self._corner = Arrows(self._scene, "/filter/corner", colours.CONTACT)
        self._foot = Arrows(self._scene, "/filter/foot", colours.PRESSURE)
        self._centres: Any = self._scene.add_point_cloud(
            "/filter/centres", np.zeros((1, 3), np.float32), np.array(colours.OUTSIDE, np.uint8), point_size=SIZE,
            point_shape="circle", visible=False,
        )  # fmt: skip
        self._ghost: Bodies | None = None
        self._count = 0

    def show(self) -> None:
        """A frame."""
        self._show_ghost()
        panel, filtering = self._studio.page.motion.filter, self._studio.filtering
        found = filtering.forces() if panel.arrows.value else None
        if found is None or not len(found.centres):
            self._corner.hide()
            self._foot.hide()
            self._centres.visible = False
            return
        scale = WEIGHT / (9.81 * self._studio.stage.figure.mass)
        self._corner.show(found.corners, found.forces * scale)
        self._foot.show(found.centres, found.sums * scale)
        self._centres.points = found.centres.astype(np.float32)
        self._centres.colors = np.tile(np.array(colours.OUTSIDE, np.uint8), (len(found.centres), 1))
        self._centres.visible = True

    def _show_ghost(self) -> None:
        panel, figure = self._studio.page.motion.filter, self._studio.stage.original
        q = self._studio.filtering.unfiltered() if panel.ghost.value else None
        if self._ghost is not None and (q is None or self._ghost.figure is not figure):
            self._ghost.remove()
            self._ghost = None
        if q is None:
            return
        if self._ghost is None:
            self._count += 1
            colour = np.array([colours.GHOST], np.uint8)
            self._ghost = Bodies(self._scene, f"/filter/ghost/{self._count}", figure, colour)
            self._ghost.fade(OPACITY)
        q[1] += float(panel.aside.value)
        self._ghost.show(forward_kinematics(figure, q[None]))
