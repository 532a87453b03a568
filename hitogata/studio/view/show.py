"""Everything on the page that is not a control."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.figure import Capsule
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.modes.capture import Capturing
from hitogata.studio.modes.mode import Mode
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.scenery import Floor, Thing
from hitogata.studio.view import colours
from hitogata.studio.view.behaviour import BehaviourView
from hitogata.studio.view.bodies import Bodies
from hitogata.studio.view.coupled import CoupledView
from hitogata.studio.view.filtered import FilterView
from hitogata.studio.view.forces import Forces
from hitogata.studio.view.ground import Ground, light, sky
from hitogata.studio.view.hint import Hint
from hitogata.studio.view.marks import Marks
from hitogata.studio.view.mouse import Mouse
from hitogata.studio.view.points import CaptureView
from hitogata.studio.view.region import RegionView, range_radius
from hitogata.studio.view.things import Things

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


_SEE_THROUGH = 0.45
"""Opacity of figures while forces inside of them are shown."""

_NOTHING = np.zeros((0, 7))


class Show:
    """Draws the stage, frame by frame."""

    def __init__(self, studio: "Studio") -> None:
        self._studio, scene = studio, studio.server.scene
        self._scene = scene
        self._painted: dict[tuple[int, int], str] | None = None
        sky(scene)
        light(scene, shadows=studio.options.shadows)
        self.ground, self.marks, self.things = Ground(scene), Marks(scene), Things(scene)
        self.region, self.forces, self.mouse = RegionView(scene), Forces(scene), Mouse(studio)
        self.coupled = CoupledView(scene)
        self.hint, self.capture = Hint(scene), CaptureView(studio)
        self.behaviour, self.filtered = BehaviourView(studio), FilterView(studio)
        self.bodies: Bodies | None = None
        self._shape: Any = None
        self._floor: Floor | None = None
        self._bar: Capsule | None = None
        self.load()

    def load(self) -> None:
        """Figure, copies or ground changed."""
        stage = self._studio.stage
        shape = (stage.original, stage.count)
        if self.bodies is None or shape[1] != self._shape[1] or shape[0] is not self._shape[0]:
            if self.bodies is not None:
                self.bodies.remove()
            self.bodies = Bodies(
                self._scene, f"/figures/{stage.version}", stage.original, colours.of_copies(stage.count),
                on_drag=self.mouse.drag, on_click=self.mouse.click,
            )  # fmt: skip
            self._shape, self._painted = shape, None
        if stage.floor is not self._floor:
            self._floor = stage.floor
            self.ground.show(stage.floor)
        if stage.bar != self._bar:
            self._bar = stage.bar
            self.ground.show_bar(stage.bar)
        self.bodies.show(stage.poses())

    def set_shadows(self, on: bool) -> None:
        """Draw shadows or not."""
        light(self._scene, shadows=on)

    def show_range(self) -> None:
        """Joint or range changed, or whether it is shown."""
        desk, figure = self._studio.desk, self._studio.stage.figure
        wanted = bool(desk.joint) and self._studio.page.ranges.shown.value
        radius = range_radius(figure, desk.joint) if desk.joint else 0.0
        self.region.load(desk.range if wanted else None, radius)

    def draw(self) -> None:
        """A frame."""
        stage, mode, bodies = self._studio.stage, self._studio.mode, self.bodies
        assert mode is not None
        assert bodies is not None
        poses = stage.poses()
        bodies.show(poses)
        painted = mode.painted()
        if painted != self._painted:
            self._painted = painted
            bodies.paint({place: colours.LINKS[what] for place, what in painted.items()})
        self.marks.show(mode.marks(), mode.leashes())
        self.hint.show(stage.figure, poses.matrices[0], wanted=isinstance(mode, Posing), held=bool(mode.grips))
        for kind in Thing:
            self.things.show(kind, mode.thing_states(kind) if isinstance(mode, Physics) else _NOTHING)
        plots = self._studio.page.plots
        if not isinstance(mode, Physics) or not (plots.contacts.value or plots.joints.value):
            self.forces.hide()
        elif self._studio.gauges.due:
            wanted = {"contacts": plots.contacts.value, "joints": plots.joints.value}
            self.forces.show(mode, self._studio.gauges.touching, **wanted)
        self._draw_capture(bodies, mode)
        self.behaviour.show(mode)
        self.filtered.show()
        if isinstance(mode, Behaving) and mode.frame is not None and mode.frame.muscles is not None:
            bodies.fade(_SEE_THROUGH)
        elif not isinstance(mode, Capturing):
            bodies.fade(_SEE_THROUGH if isinstance(mode, Physics) and plots.joints.value else None)
        desk = self._studio.desk
        if desk.joint:
            desk.note(stage.q[0])
            self.region.show(stage.figure, desk.joint, stage.q[0], poses.matrices[0])
        self.coupled.show(self._studio, poses.matrices[0])
        self._studio.camera.advance(poses.position[0, 0])

    def _draw_capture(self, bodies: Bodies, mode: Mode) -> None:
        """Markers within a body that one sees through, or without one if none is fitted."""
        panel = self._studio.page.capture
        self.capture.show(mode, names=panel.names.value, rays=panel.rays.value)
        if isinstance(mode, Capturing):
            bodies.fade(_SEE_THROUGH)
        bodies.hide(isinstance(mode, Capturing) and (mode.pose is None or not panel.body.value))
