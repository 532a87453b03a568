"""Controls of physics mode."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.sim import ContactMethod
from hitogata.studio.contact_words import contact_table, hand_line, tally_line
from hitogata.studio.modes.physics import Physics
from hitogata.studio.panels.bindings import Panel
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
        self.pause = self.button("Pause", self._do(lambda mode: mode.pause(not mode.paused)), icon="player-pause",
                                 undo=False, hint="Space; a drag goes on")  # fmt: skip
        self.one = self.button("Single step", self._do(lambda mode: mode.single_step()), icon="player-track-next",
                               undo=False, hint="→; ← goes back in the history")  # fmt: skip
        self.past = self.changed(
            gui.add_slider("History", 0.0, 1.0, 0.001, 0.0, hint="s; drag it back, then go on from there"),
            "History", lambda time: self._do(lambda mode: mode.seek(float(time)))(), undo=False,
        )  # fmt: skip
        self.button("Stand again", self._do(lambda mode: mode.rest()), icon="home")
        self.button("Hold this pose", self._do(lambda mode: mode.hold_pose()), icon="lock",
                    hint="The motors pull to the pose of now")  # fmt: skip
        for thing in Thing:
            self.button_for(f"Throw a {thing.value}", self._thrower(thing), icon="ball-football" if
                            thing is Thing.BALL else "cube")  # fmt: skip
        self.button("Take things away", self._do(lambda mode: mode.clear_things()), icon="eraser")
        self.stiffness = self._number("Motor stiffness [N m/rad]", 0, 30_000, 2000, 100, "0: a rag doll")
        self.speed = self._slider("Speed of time", 0.0, 2.0, 0.05, 1.0, "0: stands still")
        self.gravity = self._number("Gravity [m/s²]", 0.0, 30.0, 9.81, 0.1, "downwards")
        self.push = self._number("Push [N s]", 0, 200, 20, 1, "of a click")
        self.friction = self._slider("Friction", 0.0, 1.5, 0.05, 0.8, "of ground and figures")
        self.bounce = self._slider("Bounce", 0.0, 1.0, 0.05, 0.0, "of ground and figures: restitution")
        self.contact = self._number("Contact stiffness [N/m]", 1000, 10_000_000, 100_000, 10_000, "of a point")
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
        self.strength = self._number("Grip strength [N]", 100, 5000, 1500, 50, "of each hand")
        self.button("Let go", self._do(lambda mode: mode.hands.open_all()), icon="hand-off", hint="Both hands")

    def _slider(self, label: str, low: float, high: float, step: float, at: float, hint: str, **options: Any) -> Any:
        handle = self.gui.add_slider(label, low, high, step, at, hint=hint, **options)
        return self.changed(handle, label, lambda _: self._apply(label))

    def _number(self, label: str, low: float, high: float, at: float, step: float, hint: str) -> Any:
        return self.number(label, low, high, at, lambda _: self._apply(label), step=step, hint=hint)

    def settings(self) -> dict[str, Any]:
        """How a new mode begins."""
        stiffness = float(self.stiffness.value)
        return {
            "step": STEPS[self.step.value], "speed": self.speed.value, "stiffness": stiffness,
            "gravity": self.gravity.value, "friction": self.friction.value, "bounce": self.bounce.value,
            "contact_stiffness": float(self.contact.value), "push": self.push.value,
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
        """Say anew what contacts and hands do, some times a second, and how long the history is."""
        self._show_past()
        mode, lines = self.studio.mode, list[str]()
        if isinstance(mode, Physics):
            lines.append(hand_line(mode.hands.grasps.values()))
            if mode.contacts is ContactMethod.STATES:
                world = mode.world
                lines += [contact_table(world.contact_patches(), mode.members[0]), tally_line(world.contact_tally)]
        words = "\n\n".join(filter(None, lines))
        if words != self.words.content:
            self.words.content, self.words.visible = words, bool(words)

    def _show_past(self) -> None:
        mode = self.studio.mode
        if not isinstance(mode, Physics):
            return
        label = "Go on" if mode.paused else "Pause"
        if self.pause.label != label:
            self.pause.label = label
        first, last = (round(t, 3) for t in mode.past.span)
        if last - first < 0.05:
            return
        if mode.paused:
            if abs(self.past.value - mode.time) > 0.02:
                self.past.value = round(min(max(mode.time, first), last), 3)
        elif abs(self.past.max - last) > 0.2:
            self.past.max = last
            self.past.value = last
        if abs(self.past.min - first) > 1.0:
            self.past.min = first

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
        self.studio.undo.note(f"Throwing a {thing.value}")
        mode.pause(False)
        aim = self.studio.stage.poses().position[0].mean(0) + [0.0, 0.0, 0.15]
        way = aim - eye
        far = float(np.linalg.norm(way))
        start = eye + way / far * min(1.0, 0.4 * far)
        flight = float(np.linalg.norm(aim - start)) / _SPEED
        velocity = (aim - start) / flight + [0.0, 0.0, 0.5 * mode.gravity * flight]
        mode.throw(thing, start, velocity)


def _same(a: Any, b: Any) -> bool:
    return math.isclose(a, b, rel_tol=1e-12) if isinstance(a, float) else a == b
