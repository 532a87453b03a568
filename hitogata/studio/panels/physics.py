"""Controls of physics mode."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.sim import ContactMethod
from hitogata.studio.contact_words import contact_table, hand_line, tally_line
from hitogata.studio.modes.physics import Physics
from hitogata.studio.panels.binding import Panel
from hitogata.studio.scenery import BAR_HEIGHT, Thing

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """**Drag** a link by a spring.  **Click** a link to push it away from you.
With a bar: drag a hand to it and let go, and it **holds** the bar; click the hand to open it."""
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
        self.stiffness = self._slider("Motor stiffness", 0.0, 4.5, 0.05, 3.3, "10^x N m/rad; 0: a rag doll",
                                      marks=((0.0, "none"), (2.0, "100"), (3.0, "1000"), (4.0, "10⁴")))  # fmt: skip
        self.speed = self._slider("Speed of time", 0.0, 2.0, 0.05, 1.0, "0: stands still")
        self.gravity = self._slider("Gravity", 0.0, 20.0, 0.01, 9.81, "m/s²")
        self.push = self._slider("Push", 0.0, 100.0, 1.0, 20.0, "of a click, N s")
        self.friction = self._slider("Friction", 0.0, 1.5, 0.05, 0.8, "of ground and figures")
        self.bounce = self._slider("Bounce", 0.0, 1.0, 0.05, 0.0, "of ground and figures: restitution")
        self.contact = self._slider("Contact stiffness", 3.0, 7.0, 0.1, 5.0, "10^x N/m",
                                    marks=((3.0, "10³"), (5.0, "10⁵"), (7.0, "10⁷")))  # fmt: skip
        self.step = self.changed(
            gui.add_dropdown("Step", tuple(STEPS), initial_value="1/60 s", hint="Of the world; stable at all of them"),
            "The step", lambda _: self._apply("step"),
        )  # fmt: skip
        self._add_bar()
        self.contacts = self.changed(
            gui.add_dropdown("Contacts", tuple(m.value for m in ContactMethod), initial_value="sweeps",
                             hint="How their forces are found; with states, the list below says what each does"),
            "Contacts", lambda name: studio.set_contacts(ContactMethod(name)),
        )  # fmt: skip
        self.words = gui.add_markdown("", visible=False)

    def _add_bar(self) -> None:
        """Controls of the bar and of the hands on it."""
        gui = self.gui
        self.bar = self.changed(gui.add_checkbox("Bar", False, hint="To hang from"), "The bar", self._set_bar)
        self.bar_height = self.changed(
            gui.add_slider("Bar height", 0.5, 3.0, 0.01, BAR_HEIGHT, hint="m; hands let go when it changes"),
            "The bar", self._set_bar,
        )  # fmt: skip
        self.grasping = self.changed(
            gui.add_checkbox("Hands grasp", True, hint="A hand that is let go within 4 cm of the bar holds it"),
            "Hands", lambda _: self._apply("grasping"),
        )  # fmt: skip
        self.strength = self._slider("Grip strength", 100.0, 5000.0, 10.0, 1500.0, "N of each hand")
        self.button("Let go", self._do(lambda mode: mode.hands.open_all()), icon="hand-off", hint="Both hands")

    def _slider(self, label: str, low: float, high: float, step: float, at: float, hint: str, **options: Any) -> Any:
        handle = self.gui.add_slider(label, low, high, step, at, hint=hint, **options)
        return self.changed(handle, label, lambda _: self._apply(label))

    def settings(self) -> dict[str, Any]:
        """How a new mode begins."""
        stiffness = 0.0 if self.stiffness.value == 0 else 10.0**self.stiffness.value
        return {
            "step": STEPS[self.step.value], "speed": self.speed.value, "stiffness": stiffness,
            "gravity": self.gravity.value, "friction": self.friction.value, "bounce": self.bounce.value,
            "contact_stiffness": 10.0**self.contact.value, "push": self.push.value,
            "contacts": ContactMethod(self.contacts.value), "grasping": self.grasping.value,
            "strength": self.strength.value,
        }  # fmt: skip

    def _apply(self, _: str) -> None:
        mode = self.studio.mode
        if isinstance(mode, Physics):
            mode.change(**{k: v for k, v in self.settings().items() if not _same(v, getattr(mode, k))})

    def _set_bar(self, _: Any) -> None:
        self.studio.set_bar(self.bar_height.value if self.bar.value else None)

    def tick(self) -> None:
        """Say anew what contacts and hands do, some times a second."""
        mode, lines = self.studio.mode, list[str]()
        if isinstance(mode, Physics):
            lines.append(hand_line(mode.hands.grasps.values()))
            if mode.contacts is ContactMethod.STATES:
                world = mode.world
                lines += [contact_table(world.contact_patches(), mode.members[0]), tally_line(world.contact_tally)]
        words = "\n\n".join(filter(None, lines))
        if words != self.words.content:
            self.words.content, self.words.visible = words, bool(words)

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


def _same(a: Any, b: Any) -> bool:
    return math.isclose(a, b, rel_tol=1e-12) if isinstance(a, float) else a == b
