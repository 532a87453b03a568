"""What is measured while the stage lives: values over the last seconds, for plots and arrows."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.dynamics import energy
from hitogata.figure import Figure, JointKind
from hitogata.figure.pose import FloatArray
from hitogata.sim.step_readings import ContactForce
from hitogata.studio.modes.physics import Physics

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

SECONDS, SAMPLES = 8.0, 480
"""How far back plots look, and with how many samples."""


FEW, CROWD = 8, 10
"""Of more figures than this, forces are read in every so manyth frame."""


class Gauge(enum.Enum):
    """What can be plotted, as the page calls it."""

    NONE = "nothing"
    ANGLES = "joint angles"
    MARGIN = "range margin"
    CONTACT = "contact forces"
    PRESSURE = "centre of pressure"
    ENERGY = "energy"
    TIME = "step time"
    RESIDUAL = "missing force"


SERIES: dict[Gauge, tuple[tuple[str, ...], str]] = {
    Gauge.NONE: ((), ""),
    Gauge.ANGLES: (("swing", "twist"), "°"),
    Gauge.MARGIN: (("this joint", "least of all"), "°"),
    Gauge.CONTACT: (("left foot", "right foot", "all"), "N"),
    Gauge.PRESSURE: (("forward", "left"), "cm"),
    Gauge.ENERGY: (("kinetic", "potential", "sum"), "J"),
    Gauge.TIME: (("model", "frame"), "ms"),
    Gauge.RESIDUAL: (("unfiltered", "filtered"), "N"),
}
"""Names of the lines of each plot, and their unit."""


@dataclass(frozen=True)
class Touching:
    """Contacts of the first figure with anything else.

    Attributes:
        contacts: of the last step.
        forces: on the figure, shape (n, 3) [N].
        links: index of the touched link of each.
    """

    contacts: list[ContactForce]
    forces: FloatArray
    links: list[int]

    @property
    def places(self) -> FloatArray:
        """Of the contact points, shape (n, 3) [m]."""
        return np.array([c.position for c in self.contacts]).reshape(-1, 3)

    def pressure_centre(self) -> FloatArray | None:
        """Where the upward forces act in the mean, shape (3,) [m]; None: nothing presses."""
        up = np.maximum(self.forces[:, 2], 0.0)
        return None if up.sum() < 1e-6 else up @ self.places / up.sum()


def touching(mode: Physics) -> Touching:
    """Contacts of the first figure; one that touches itself has no force on it."""
    member, contacts, forces, links = mode.members[0], [], [], []
    for contact in mode.world.contacts():
        ends = [end is not None and end[0] is member for end in (contact.a, contact.b)]
        if ends[0] == ends[1]:
            continue
        end = contact.a if ends[0] else contact.b
        assert end is not None
        contacts.append(contact)
        forces.append(contact.force if ends[0] else -contact.force)
        links.append(member.figure.link_index(end[1]))
    return Touching(contacts, np.array(forces).reshape(-1, 3), links)


class Gauges:
    """Notes values, frame by frame; only of what is shown."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.shown: set[Gauge] = set()
        self._time = np.zeros(0)
        self._rows: dict[Gauge, FloatArray] = {}
        self.touching: Touching | None = None
        self._feet: tuple[Figure, list[set[int]]] | None = None

    def clear(self) -> None:
        """Forget all."""
        self._time, self._rows = np.zeros(0), {}

    def show(self, gauges: set[Gauge]) -> None:
        """Note these from now on."""
        self.shown = gauges - {Gauge.NONE}
        self.clear()

    @property
    def due(self) -> bool:
        """Whether forces are read in this frame: of crowds, whose contacts are many, in some frames only."""
        return self._studio.clock.frames % (1 if self._studio.stage.count <= FEW else CROWD) == 0

    def note(self, *, contacts: bool) -> None:
        """A frame; `contacts`: whether they are needed for arrows."""
        mode = self._studio.mode
        assert mode is not None
        if not isinstance(mode, Physics):
            self.touching = None
        elif self.due and (contacts or self.shown & {Gauge.CONTACT, Gauge.PRESSURE}):
            self.touching = touching(mode)
        if not self.shown:
            return
        self._time = np.append(self._time[-(SAMPLES - 1) :], mode.time)
        if len(self._time) > 1 and self._time[-1] < self._time[-2]:
            self.clear()
            return
        for gauge in self.shown:
            row = self._measure(gauge)
            before = len(self._time) - 1
            old = self._rows.get(gauge, np.full((before, len(row)), np.nan))
            self._rows[gauge] = np.concatenate([old[len(old) - before :], [row]])

    def lines(self, gauge: Gauge) -> tuple[FloatArray, FloatArray]:
        """Times [s], shape (n,), and values, shape (n, lines), of the last seconds."""
        rows = self._rows.get(gauge)
        if rows is None:
            return np.zeros(0), np.zeros((0, len(SERIES[gauge][0])))
        time = self._time[-len(rows) :]
        kept = time >= time[-1] - SECONDS
        return time[kept], rows[kept]

    # ------------------------------------------------------- measuring

    def _measure(self, gauge: Gauge) -> list[float]:
        stage, mode = self._studio.stage, self._studio.mode
        assert mode is not None
        if gauge is Gauge.ANGLES:
            return self._angles(stage.q[0])
        if gauge is Gauge.MARGIN:
            return self._margin(stage.q[0])
        if gauge is Gauge.ENERGY:
            found = energy(stage.figure, stage.q[0], mode.velocity())
            kinetic, potential = float(found.kinetic), float(found.potential)
            return [kinetic, potential, kinetic + potential]
        if gauge is Gauge.TIME:
            work = self._studio.clock.work
            return [1e3 * self._studio.model_time, 1e3 * work[-1] if work else 0.0]
        if gauge is Gauge.RESIDUAL:
            return list(self._studio.filtering.missing())
        if self.touching is None:
            return [0.0] * len(SERIES[gauge][0])
        if gauge is Gauge.CONTACT:
            force = np.linalg.norm(self.touching.forces, axis=1)
            feet = [sum(f for f, link in zip(force, self.touching.links, strict=True) if link in foot)
                    for foot in self._feet_of(stage.figure)]  # fmt: skip
            return [*feet, float(force.sum())]
        centre = self.touching.pressure_centre()
        return [float("nan")] * 2 if centre is None else (100.0 * centre[:2]).tolist()

    def _angles(self, q: FloatArray) -> list[float]:
        """Of the joint that the desk edits [°]."""
        desk, figure = self._studio.desk, self._studio.stage.figure
        if not desk.joint:
            hinge = next((n for n, k in zip(figure.joint_names, figure.links, strict=True)
                          if k.joint.kind is JointKind.HINGE), None)  # fmt: skip
            return [float("nan") if hinge is None else float(np.degrees(q[figure.q_slice(hinge)][0])), float("nan")]
        quat = q[figure.q_slice(desk.joint)]
        if desk.range is None:
            return [float(np.degrees(2 * np.arccos(min(1.0, abs(float(quat[0])))))), float("nan")]
        bone, twist = desk.range.swing_twist(quat)
        angle = np.arccos(np.clip(float(bone @ desk.range.bone_axis), -1.0, 1.0))
        return [float(np.degrees(angle)), float(np.degrees(twist))]

    def _margin(self, q: FloatArray) -> list[float]:
        """Distance of bones from the edges of their ranges [°]: of the desk's joint, and the least of all."""
        stage = self._studio.stage
        margins = {}
        for name, edit in stage.edits.items():
            if edit.range is not None:
                found = edit.range.violation(q[stage.figure.q_slice(name)])
                margins[name] = -float(np.degrees(max(found.swing_depth, found.twist_depth)))
        own = margins.get(self._studio.desk.joint, float("nan"))
        return [own, min(margins.values(), default=float("nan"))]

    def _feet_of(self, figure: Figure) -> list[set[int]]:
        """Links of the left and the right foot."""
        if self._feet is None or self._feet[0] is not figure:
            from hitogata.errors import HitogataError
            from hitogata.motion.foot_contacts import named_feet

            try:
                named = named_feet(figure)
            except HitogataError:
                named = {}
            self._feet = figure, [{figure.link_index(n) for n in named.get(side, ())} for side in ("left", "right")]
        return self._feet[1]
