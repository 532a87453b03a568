"""Frame after frame through plan and step, from one state to the next."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import integrate, jacobian
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.frame_loop import FIRST_ROUNDS, run_frames
from hitogata.filter.law import law_of
from hitogata.filter.plan import Planner, plan_data
from hitogata.filter.prepared import Prepared
from hitogata.filter.reference_kernels import fit_rows
from hitogata.filter.settings import FilterSettings, FrameStatus
from hitogata.filter.tables import FrameTable, ReferenceMemory, ResultMemory
from hitogata.motion.foot_contacts import BoolArray
from hitogata.spatial import matrix_to_quat, quat_log

GIVE = 1e-4
"""How readily soles miss their places in the first frame, against joints [rad²], [m²]."""
ROWS = ("q", "v", "vdot", "tau", "forces", "corners", "residual", "over", "status")
"""What comes out of each frame."""
STEPS = 8
"""Gauss-Newton steps to the first frame."""


@dataclass(frozen=True, eq=False)
class FilteredFrame:
    """A frame of the motion that comes out.

    Attributes:
        time: [s].
        q, v: coordinates and velocities; q was reached by v.
        vdot: accelerations from here to the next frame, shape (nv,).
        tau: torques of the joints that give them, shape (nv,), 0 for the root.
        forces: at the corners of the soles, world axes [N], shape (corners, 3).
        corners: where they are [m], shape (corners, 3).
        active: which are in contact, shape (corners,).
        residual: torque and force that the root would have to give [N m], [N], shape (6,).
        over: torques beyond what the joints have [N m], shape (nv,), 0 where they do.
        status: what could not be kept.
    """

    time: float
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray
    forces: FloatArray
    corners: FloatArray
    active: BoolArray
    residual: FloatArray
    over: FloatArray
    status: FrameStatus


@dataclass(frozen=True, eq=False)
class FilteredRows:
    """Frames of the motion that comes out, one row each; see `FilteredFrame`.  Status: whole numbers."""

    time: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray
    forces: FloatArray
    corners: FloatArray
    active: BoolArray
    residual: FloatArray
    over: FloatArray
    status: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"

    def frame(self, k: int) -> FilteredFrame:
        """One of them."""
        return FilteredFrame(float(self.time[k]), self.q[k], self.v[k], self.vdot[k], self.tau[k], self.forces[k],
                             self.corners[k], self.active[k], self.residual[k], self.over[k],
                             FrameStatus(int(self.status[k])))  # fmt: skip


def begun(body: Body, prepared: Prepared, x: FloatArray, work: Work) -> tuple[FloatArray, FloatArray]:
    """The first frame's state with a deviation x of the whole body: the root goes there, the legs follow."""
    figure, feet = body.figure, prepared.feet
    q, v = prepared.q[0].copy(), prepared.v[0].copy()
    arm = prepared.demand.com[0] - q[:3]
    lead = np.zeros(figure.nv)
    lead[:3], lead[3:6] = x[:3], x[3:6] - np.cross(x[:3], arm)
    led = integrate(figure, q, lead)
    legs = np.ones(figure.nv)
    legs[:6] = 0.0
    count = len(body.soles)
    turns, places = feet.rotation[:1].reshape(1, -1).copy(), feet.place[:1].reshape(1, -1).copy()
    fit_rows(work.table, led[None], turns, places, legs[None], np.full((1, 6 * count), GIVE), STEPS, q[None])
    v[:3] += x[6:9]
    v[3:6] += x[9:12] - np.cross(x[6:9], arm)
    following = min(1, len(prepared.q) - 1)
    turn = quat_log(matrix_to_quat(feet.rotation[following] @ np.swapaxes(feet.rotation[0], -1, -2)))
    rates = np.concatenate([turn, feet.place[following] - feet.place[0]], axis=-1) / prepared.h
    J = np.concatenate([
        jacobian(figure, q, figure.link_names[sole.link], point=tuple(sole.centre)) for sole in body.soles
    ])  # fmt: skip
    lack = np.linalg.solve((J * legs) @ J.T + GIVE * np.eye(len(J)), rates.ravel() - J @ v)
    return q, v + legs * (J.T @ lack)


def _leads(prepared: Prepared) -> FloatArray:
    """Time until each foot stands, 0 while it does [s], shape (n, feet)."""
    down = prepared.feet.down
    lead = np.zeros(down.shape)
    wait = np.full(down.shape[1], 1.0)
    for k in range(len(down) - 1, -1, -1):
        wait = np.where(down[k], 0.0, wait + prepared.h)
        lead[k] = wait
    return lead


def _sole_rates(prepared: Prepared) -> FloatArray:
    """Rates with which the soles' ways come to each frame, [angular; linear], shape (n, feet, 6)."""
    feet = prepared.feet
    turn = quat_log(matrix_to_quat(feet.rotation[1:] @ np.swapaxes(feet.rotation[:-1], -1, -2)))
    rates = np.concatenate([turn, np.diff(feet.place, axis=0)], axis=-1) / prepared.h
    return np.concatenate([rates[:1], rates])


def reference_arrays(body: Body, prepared: Prepared) -> dict[str, Any]:
    """The motion for kernels, see `ReferenceMemory`, as a `FrameTable` names it."""
    demand, feet, n = prepared.demand, prepared.feet, len(prepared.q)
    layout = ReferenceMemory.layout(frames=n, nq=body.figure.nq, nv=body.figure.nv, feet=len(body.soles))
    real, whole = layout.new_floats(), layout.new_ints()
    fields = layout.open(real, whole)
    given: dict[str, Any] = {
        "q": prepared.q, "v": prepared.v, "vdot": prepared.vdot, "root": prepared.root, "com": demand.com,
        "com_rate": demand.com_rate, "spin": demand.spin, "inertia": demand.inertia, "force": demand.force,
        "turn": feet.rotation, "place": feet.place, "lead": _leads(prepared), "rates": _sole_rates(prepared),
        "normal": np.repeat(feet.normal, 4, axis=1), "ways": feet.corners(body.soles), "short": prepared.short,
        "active": feet.active,
    }  # fmt: skip
    for name, value in given.items():
        field = getattr(fields, name)
        field[:] = value.reshape(field.shape)
    return {"reference_floats": real, "reference_ints": whole}


class Runner:
    """A body that follows a prepared motion.

    Args:
        body: the figure.
        prepared: the motion.
        settings: of the filter.
        horizon: how many frames ahead the plan looks.
    """

    def __init__(self, body: Body, prepared: Prepared, settings: FilterSettings, horizon: int) -> None:
        self.body, self.settings, self.horizon = body, settings, max(horizon, 1)
        self.work = Work(body)
        self._rooms: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._take(prepared)
        if self.horizon > 1:
            self.planner.plan(0, min(self.horizon, len(prepared.q)), None, int(FIRST_ROUNDS) * settings.rounds)
        self.q, self.v = begun(body, prepared, self.planner.states[0], self.work)
        self.work.fields.rounds = FIRST_ROUNDS * settings.rounds

    def _take(self, prepared: Prepared) -> None:
        body = self.body
        self.prepared = prepared
        self.planner = Planner(plan_data(body, prepared.demand, prepared.feet, prepared.h), self.settings)
        self._kept = self.work.kept | reference_arrays(body, prepared)
        self._law = law_of(self.settings, prepared.h, body.weight, body.figure.mass)

    @property
    def q(self) -> FloatArray:
        """Coordinates of the body now, shape (nq,)."""
        result: FloatArray = self.work.fields.q.copy()
        return result

    @q.setter
    def q(self, value: FloatArray) -> None:
        self.work.fields.q[:] = value

    @property
    def v(self) -> FloatArray:
        """Its velocities, shape (nv,)."""
        result: FloatArray = self.work.fields.v.copy()
        return result

    @v.setter
    def v(self, value: FloatArray) -> None:
        self.work.fields.v[:] = value

    def rebase(self, prepared: Prepared, shift: int) -> None:
        """Go on with a motion prepared anew, whose frame 0 is frame `shift` of the one before."""
        old = self.planner
        self._take(prepared)
        both = min(len(old.z) - shift, len(self.planner.z))
        if both > 0:
            self.planner.z[:both], self.planner.y[:both] = old.z[shift : shift + both], old.y[shift : shift + both]

    def run(self, first: int, count: int, push: FloatArray | None = None) -> FilteredRows:
        """Make frames first, first + 1, ... and go on behind them.

        Args:
            first, count: of the frames.
            push: wrench on the root about its origin that is not the plan's [N m], [N], shape (6,).
        """
        corners, p, data = 4 * len(self.body.soles), self.planner, self.planner.data
        if count not in self._rooms:
            self._rooms[count] = self._room(count)
        arrays, views = self._rooms[count]
        run_frames(
            FrameTable.of(**(self._kept | arrays)), data.frames, data.arms, data.active, data.normals, p.weights,
            data.usual, p.z, p.y, p.states, p.forces, p.scratch, self._law,
            np.zeros(6) if push is None else np.asarray(push, np.float64), first, count, self.horizon,
        )  # fmt: skip
        found = {name: view.copy() for name, view in views.items()}
        part = slice(first, first + count)
        active = self.prepared.feet.active[part].reshape(count, corners).copy()
        return FilteredRows(self.prepared.time[part].copy(), active=active, **found)

    def _room(self, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arrays for so many frames, as a `FrameTable` names them, and views of what is in them."""
        figure, corners = self.body.figure, 4 * len(self.body.soles)
        layout = ResultMemory.layout(frames=count, nq=figure.nq, nv=figure.nv, feet=len(self.body.soles))
        real, whole = layout.new_floats(), layout.new_ints()
        fields = layout.open(real, whole)
        views: dict[str, Any] = {name: getattr(fields, name) for name in ROWS}
        views |= {name: views[name].reshape(count, corners, 3) for name in ("forces", "corners")}
        return {"result_floats": real, "result_ints": whole}, views

    def step(self, k: int, push: FloatArray | None = None) -> FilteredFrame:
        """Make frame k, and go on to the next; see `run`."""
        return self.run(k, 1, push).frame(0)
