"""Drags and clicks on figures, as the page tells of them, become grips and clicks of the mode.

Places are found here from where the pointer is on the page's picture: the page's own are lost when the pointer is over
the outline that it draws about a figure's part (viser 1.1), and then it does not know the part either.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.studio.modes.capture import Capturing
from hitogata.studio.view.picking import Picked, Ray, pick, ray_through

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


class Mouse:
    """What the pointers of all pages do."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._depths: dict[int, float] = {}

    def drag(self, touched: tuple[int, int] | None, event: Any) -> None:
        """A drag began, went on or ended on (copy, link), or on something of a figure."""
        if isinstance(self._studio.mode, Capturing):
            self._studio.show.capture.drag(event)  # a marker within the body
            return
        who, phase, start = event.client_id, event.phase, np.array(event.start_position, float)
        begin = ray_through(event.client.camera, event.start_screen_pos) if np.isfinite(start).all() else None
        ray = ray_through(event.client.camera, event.end_screen_pos)

        def act() -> None:
            mode = self._studio.mode
            if mode is None:
                return
            if phase == "start":
                found = Picked(*touched, start) if touched is not None and begin is not None else self._find(ray)
                if found is not None and self._there(found):
                    self._studio.undo.note("Dragging")
                    self._depths[who] = ray.depth_of(found.place)
                    mode.grab(who, *found)
            if who in self._depths:
                mode.lead(who, ray.at_depth(self._depths[who]))
            if phase == "end":
                self._depths.pop(who, None)
                mode.let_go(who)

        self._studio.post("Dragging", act)

    def click(self, touched: tuple[int, int] | None, event: Any) -> None:
        """A figure was clicked."""
        direction = np.array(event.ray_direction)
        ray = Ray(np.array(event.ray_origin), direction, direction)
        if isinstance(self._studio.mode, Capturing):
            self._studio.show.capture.click(None, ray)
            return

        def act() -> None:
            found = Picked(*touched, ray.origin) if touched is not None else self._find(ray)
            if found is not None and self._there(found) and self._studio.mode is not None:
                self._studio.undo.note("Clicking")
                self._studio.chosen = (found.copy, found.link)
                self._studio.mode.click(found.copy, found.link, direction)

        self._studio.post("Clicking", act)

    def _find(self, ray: Ray) -> Picked | None:
        stage = self._studio.stage
        return pick(stage.figure, stage.poses().matrices, ray)

    def _there(self, found: Picked) -> bool:
        """Whether it is on the stage still."""
        stage = self._studio.stage
        return found.copy < stage.count and found.link < stage.figure.nlinks
