"""Controls of physics mode."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.studio.modes.physics import Physics
from hitogata.studio.panels.binding import Panel
from hitogata.studio.scenery import Thing

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """**Drag** a link by a spring.  **Click** a link to push it away from you."""
STEPS = {"1/240 s": 1 / 240, "1/120 s": 1 / 120, "1/60 s": 1 / 60, "1/30 s": 1 / 30, "0.05 s": 0.05, "0.1 s": 0.1}
_SPEED = 9.0
"""Of thrown things [m/s]."""


class PhysicsPanel(Panel):
    """The world's laws and things to throw."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        gui.add_markdown(HELP)
        self.button("Stand again", self._do(lambda mode: mode.rest()), icon="home")
        self.button("Hold this pose", self._do(lambda mode: mode.hold_pose()), icon="lock",
                    hint="The motors pull to the pose of now")  # fmt: skip
        for thing in Thing:
            self.button_for(f"Throw a {thing.value}", self._thrower(thing), icon="ball-football" if
                            thing is Thing.BALL else "cube")  # fmt: skip
        self.button("Take things away", self._do(lambda mode: mode.clear_things()), icon="eraser")
        self.stiffness = self._slider("Motor stiffness", 0.0, 4.5, 0.05, 3.3, "10^x N m/rad; 0: a rag doll")
        self.speed = self._slider("Speed of time", 0.0, 2.0, 0.05, 1.0, "0: stands still")
        self.gravity = self._slider("Gravity", 0.0, 20.0, 0.01, 9.81, "m/s²")
        self.push = self._slider("Push", 0.0, 100.0, 1.0, 20.0, "of a click, N s")
        self.friction = self._slider("Friction", 0.0, 1.5, 0.05, 0.8, "of ground and figures")
        self.bounce = self._slider("Bounce", 0.0, 1.0, 0.05, 0.0, "of ground and figures: restitution")
        self.contact = self._slider("Contact stiffness", 3.0, 7.0, 0.1, 5.0, "10^x N/m")
        self.step = self.changed(
            gui.add_dropdown("Step", tuple(STEPS), initial_value="1/60 s", hint="Of the world; stable at all of them"),
            "The step", lambda _: self._apply("step"),
        )  # fmt: skip

    def _slider(self, label: str, low: float, high: float, step: float, at: float, hint: str) -> Any:
        handle = self.gui.add_slider(label, low, high, step, at, hint=hint)
        return self.changed(handle, label, lambda _: self._apply(label))

    def settings(self) -> dict[str, float]:
        """How a new mode begins."""
        stiffness = 0.0 if self.stiffness.value == 0 else 10.0**self.stiffness.value
        return {
            "step": STEPS[self.step.value], "speed": self.speed.value, "stiffness": stiffness,
            "gravity": self.gravity.value, "friction": self.friction.value, "bounce": self.bounce.value,
            "contact_stiffness": 10.0**self.contact.value, "push": self.push.value,
        }  # fmt: skip

    def _apply(self, _: str) -> None:
        mode = self.studio.mode
        if isinstance(mode, Physics):
            now = {k: v for k, v in self.settings().items() if not math.isclose(v, getattr(mode, k), rel_tol=1e-12)}
            mode.change(**now)

    def _do(self, task: Callable[[Physics], Any]) -> Callable[[], None]:
        def run() -> None:
            if isinstance(self.studio.mode, Physics):
                task(self.studio.mode)

        return run

    def _thrower(self, thing: Thing) -> Any:
        def throw(client: Any) -> None:
            """From the eye of who pressed the button, at the middle of the first figure."""
            eye = np.array(client.camera.position)
            self.studio.post(f"Throwing a {thing.value}", lambda: self._throw(thing, eye))

        return throw

    def _throw(self, thing: Thing, eye: Any) -> None:
        mode = self.studio.mode
        if not isinstance(mode, Physics):
            return
        aim = self.studio.stage.poses().position[0].mean(0) + [0.0, 0.0, 0.15]
        way = aim - eye
        far = float(np.linalg.norm(way))
        start = eye + way / far * min(1.0, 0.4 * far)
        flight = float(np.linalg.norm(aim - start)) / _SPEED
        velocity = (aim - start) / flight + [0.0, 0.0, 0.5 * mode.gravity * flight]
        mode.throw(thing, start, velocity)
