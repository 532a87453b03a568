"""Muscles that drive figures in worlds: excitations → activations → tensions → motion.

    body = musculoskeletal(plain_knees=True)
    human = world.add(body.body)
    drive = MuscleDrive(body, human)
    for _ in range(240):
        drive.act(excitations, 1 / 240)
        world.step(1 / 240)

`act` writes pushes and dampers of the figure's motors (`drive_kernel` says how, and why it is stable at long steps).
"""

from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.muscle.curves import ModelCurves
from hitogata.muscle.drive_kernel import BAND, MUSCLE, REACH, TURN, drive_rows
from hitogata.muscle.fibres import fibres_of
from hitogata.muscle.frame import MuscleArms
from hitogata.muscle.wires import Ligament, MuscleSet, Support, Tendon
from hitogata.sim import Member
from hitogata.sim.batch_members import BatchMember
from hitogata.sim.layout import Motor
from hitogata.sim.members import bodies_of_v

ENTRIES = 4096
"""Of a table of a curve."""


class _Columns(NamedTuple):
    """First number of each wire's Jacobian and the count of all, and the velocity of each number."""

    ends: Any
    columns: Any


class MuscleDrive:
    """Muscles, tendons and ligaments of a set, acting on a figure in a world or in every world of a batch.

    Attributes:
        muscles: the set.
        activation: shape (nm,), of a batch (worlds, nm); to be read and set.
        tension: of all wires in the last step [N], shape (nw,) or (worlds, nw).
    """

    def __init__(
        self, muscles: MuscleSet, member: Member | BatchMember, *, damping: float = 0.0, stiffness: float = 0.0
    ) -> None:
        """On a figure in a world.

        Args:
            muscles: on the figure; nodes stay where they rest.
            member: as `World.add` or `WorldBatch.member` returns it.
            damping: of every joint, as of discs, capsules and skin [N m s/rad].
            stiffness: of every joint towards its neutral pose [N m/rad].
        """
        if not isinstance(muscles.body, Figure) or member.figure.joint_names != muscles.body.joint_names:
            raise ArgumentError(f"muscles of {muscles.name!r} are not on {member.figure.name!r}")
        if not (damping >= 0 and stiffness >= 0 and np.isfinite([damping, stiffness]).all()):
            raise ArgumentError(f"damping and stiffness must be 0 or more, got {damping!r}, {stiffness!r}")
        self.muscles, self._member = muscles, member
        self._batch = isinstance(member, BatchMember)
        self._arms = MuscleArms(muscles)
        self._numbers, self._bands, self._curves = _numbers(muscles)
        n = len(member.q) if self._batch else 1
        nv = member.figure.nv
        self._least = np.array([muscle.least_activation for muscle in muscles.muscles])
        self._activation = np.tile(self._least, (n, 1))
        self._tension = np.zeros((n, len(muscles.wires)))
        self._push, self._damping = np.zeros((n, nv)), np.zeros((n, nv))
        self._slots = _Columns(self._arms.starts, self._arms.columns)
        self._own, self._stiffness = damping, stiffness
        owner = member._member if isinstance(member, BatchMember) else member
        bodies = np.array(bodies_of_v(owner.figure))
        self._driven = np.flatnonzero(bodies >= 0)
        self._bodies = bodies[self._driven]
        self._joints, self._firsts = np.unique(self._bodies, return_index=True)
        if (np.diff(self._bodies) < 0).any():
            raise ArgumentError(f"{member.figure.name!r}: its joints do not follow one another")

    @property
    def member(self) -> Member | BatchMember:
        """The figure, in its world or batch."""
        return self._member

    @property
    def figure(self) -> Figure:
        """It."""
        return self._member.figure

    @property
    def activation(self) -> FloatArray:
        """Of every muscle."""
        return self._activation if self._batch else self._activation[0]

    @activation.setter
    def activation(self, values: ArrayLike) -> None:
        given = np.asarray(values, np.float64)
        if not np.isfinite(given).all():
            raise ArgumentError("activation: finite numbers are expected")
        self._activation[:] = np.clip(given, self._least, 1.0)

    @property
    def tension(self) -> FloatArray:
        """Of every wire [N]."""
        return self._tension if self._batch else self._tension[0]

    def act(self, excitation: ArrayLike, h: float) -> None:
        """Activations move on by h, and muscles pull in the world's next step, of h.

        Args:
            excitation: 0 to 1, clipped to it, shape (nm,), of a batch also (worlds, nm).
            h: length of that step [s].
        """
        given = np.asarray(excitation, np.float64)
        shape = self._activation.shape
        if given.shape not in (shape, shape[1:]) or not np.isfinite(given).all():
            raise ArgumentError(f"excitation: {shape[1]} finite numbers are expected, got shape {given.shape}")
        if not h > 0:
            raise ArgumentError(f"h must be positive, got {h!r}")
        u = np.ascontiguousarray(np.broadcast_to(given, shape))
        member = self._member
        if isinstance(member, BatchMember):
            q, v = np.array(member.q, np.float64), np.array(member.v, np.float64)
            good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
            if not good.all():
                q[~good], v[~good] = self.muscles.body.neutral(), 0.0  # type: ignore[union-attr]
            lengths, values = self._arms.rows(q)
        else:
            q, v = member.q, member.v[None]
            self._arms(q)
            lengths, values = self._arms.lengths, self._arms.values
        drive_rows(
            self._slots, lengths, values, v, self._numbers, self._bands, self._curves, u, self._activation,
            self._tension, self._push, self._damping, float(h),
        )  # fmt: skip
        self._write(v)

    def excitation_for(self, activation: ArrayLike, h: float) -> FloatArray:
        """Excitations whose next `act` brings activations as near to these as can be, shape of `activation`."""
        wanted = np.clip(np.asarray(activation, np.float64), self._least, 1.0)
        now, least = self.activation, self._least
        counted = 0.5 + 1.5 * (now - least) / (1.0 - least)
        rate = np.where(wanted > now, 1.0 / (self._numbers[:, 8] * counted), counted / self._numbers[:, 9])
        result: FloatArray = np.clip(now + (wanted - now) / -np.expm1(-h * rate), 0.0, 1.0)
        return result

    def _write(self, v: FloatArray) -> None:
        """Pushes, dampers and the rates they pull to."""
        member, at = self._member, record_offsets(Motor)
        damper = np.zeros((len(v), int(self._bodies.max(initial=0)) + 1))
        damper[:, self._joints] = np.maximum.reduceat(self._damping[:, self._driven], self._firsts, axis=1)
        whole = damper[:, self._joints] + self._own
        rate = np.zeros_like(v)
        own = damper[:, self._bodies]
        rate[:, self._driven] = v[:, self._driven] * own / np.maximum(own + self._own, 1e-300)
        if isinstance(member, BatchMember):
            member.push[:], member.rate[:] = self._push, rate
            motor = member._records(member._parts.motor, record_size(Motor))
            motor[:, self._joints, at["damping"]] = whole
            motor[:, self._joints, at["stiffness"]] = self._stiffness
            return
        controls = member._arrays.controls_of(member)
        controls.push[:], controls.rate[:] = self._push[0], rate[0]
        controls.motor[self._joints, at["damping"]] = whole[0]
        controls.motor[self._joints, at["stiffness"]] = self._stiffness


def _numbers(muscles: MuscleSet) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Muscles, ligaments and tables of curves for the kernel."""
    f = fibres_of(muscles)
    table = np.zeros((len(muscles.muscles), MUSCLE))
    for k, column in enumerate((f.max_force, f.optimal, f.slack, f.height, f.max_speed, f.shortest, f.damping)):
        table[:, k] = column
    kinds = [curves for curves, _ in f.curves]
    for kind, (_, which) in enumerate(f.curves):
        table[which, 7] = kind
    for k, key in enumerate(("activation_time", "deactivation_time", "least_activation")):
        table[:, 8 + k] = [getattr(muscle, key) for muscle in muscles.muscles]
    bands = np.array([_band(wire) for wire in muscles.ligaments]).reshape(-1, BAND)
    return table, bands, np.stack([_curve_tables(each) for each in kinds]) if kinds else np.zeros((1, 3, ENTRIES))


def _band(wire: Ligament) -> list[float]:
    """A ligament; tendons with heads have no spring of their own, supports do not push in worlds."""
    if wire.curve is not None:
        raise ArgumentError(f"ligament {wire.name!r} has a curve of its own, which muscles in worlds do not know")
    free = 0.0 if isinstance(wire, Support) or (isinstance(wire, Tendon) and wire.heads) else 1.0
    stiffness = wire.stiffness * free
    return [wire.slack_length, stiffness, max(wire.toe, 1e-9), stiffness * wire.damping / wire.slack_length]


def _curve_tables(curves: ModelCurves) -> FloatArray:
    """Active and passive force by length, factor by speed."""
    lengths, speeds = np.linspace(0.0, REACH, ENTRIES), np.linspace(-TURN, TURN, ENTRIES)
    return np.stack([curves.active(lengths), curves.passive(lengths), curves.speed(speeds, np.ones(ENTRIES))])
