"""Frame after frame through plan and step, from one state to the next."""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import difference, integrate
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, State
from hitogata.filter.frame_step import Aim, contact_effect, take_step
from hitogata.filter.plan import Planner, deviation, plan_data
from hitogata.filter.prepared import REACH, Prepared
from hitogata.filter.ranges import clamped
from hitogata.filter.settings import FilterSettings, FrameStatus
from hitogata.filter.small import cross
from hitogata.motion.foot_contacts import BoolArray
from hitogata.spatial import matrix_to_quat, quat_log

FAR = 0.35
"""A centre of mass that is farther than this from the wanted one falls [m]."""
OVER = 1.0
"""So does one whose root is turned farther than this from the wanted one [rad]."""
SLIP = 1e-3
"""Corners in contact that move farther than this within a frame are told of [m]."""
GIVEN_UP = 0.25
"""After so long far from the motion, the body is put back on it [s]."""
WILD = 100.0
"""A state that is faster than this is not gone on from [rad/s], [m/s]."""
EASE_ROOT = 1.0
ROOT_PLAN = True


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


def begun(body: Body, prepared: Prepared, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The first frame's state with a deviation x of the whole body: the root goes there, the legs follow."""
    figure, h = body.figure, prepared.h
    q, v = prepared.q[0].copy(), prepared.v[0].copy()
    arm = prepared.demand.com[0] - q[:3]
    lead = np.zeros(figure.nv)
    lead[:3], lead[3:6] = x[:3], x[3:6] - np.cross(x[:3], arm)
    q = integrate(figure, q, lead)
    legs = np.ones(figure.nv)
    legs[:6] = 0.0
    feet = prepared.feet
    for _ in range(8):
        state = body.look(q, v)
        J, miss = np.concatenate(state.rows), []
        for f, (turn, place) in enumerate(state.soles):
            miss.append(quat_log(matrix_to_quat(feet.rotation[0, f] @ turn.T)))
            miss.append(feet.place[0, f] - place)
        change = legs * (J.T @ np.linalg.solve((J * legs) @ J.T + 1e-4 * np.eye(len(J)), np.concatenate(miss)))
        q = clamped(body.ranges, integrate(figure, q, np.clip(change, -0.3, 0.3))[None])[0][0]
    v[:3] += x[6:9]
    v[3:6] += x[9:12] - np.cross(x[6:9], arm)
    state = body.look(q, v)
    J = np.concatenate(state.rows)
    following = min(1, len(prepared.q) - 1)
    rate = []
    for f in range(len(body.soles)):
        turn = feet.rotation[following, f] @ feet.rotation[0, f].T
        rate.append(quat_log(matrix_to_quat(turn)) / h)
        rate.append((feet.place[following, f] - feet.place[0, f]) / h)
    miss_rate = np.concatenate(rate) - J @ v
    return q, v + legs * (J.T @ np.linalg.solve((J * legs) @ J.T + 1e-4 * np.eye(len(J)), miss_rate))


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


class Runner:
    """A body that follows a prepared motion.

    Args:
        body: the figure.
        prepared: the motion.
        settings: of the filter.
        horizon: how many frames ahead the plan looks.
    """

    def __init__(self, body: Body, prepared: Prepared, settings: FilterSettings, horizon: int) -> None:
        self.body, self.prepared, self.settings, self.horizon = body, prepared, settings, max(horizon, 1)
        self.planner = Planner(plan_data(body, prepared.demand, prepared.feet, prepared.h), settings)
        self.ease = np.ones(body.figure.nv)
        self.ease[:6] = EASE_ROOT
        self.ways, self.lost = prepared.feet.corners(body.soles), 0.0
        self.leads, self.sole_rates = _leads(prepared), _sole_rates(prepared)
        end = min(self.horizon, len(prepared.q))
        if self.horizon > 1:
            self.planner.plan(0, end, None, 20 * settings.rounds)
        self.q, self.v = begun(body, prepared, self.planner.states[0])
        self.rounds = 20 * settings.rounds

    def rebase(self, prepared: Prepared, shift: int) -> None:
        """Go on with a motion prepared anew, whose frame 0 is frame `shift` of the one before."""
        old, body = self.planner, self.body
        self.prepared = prepared
        self.planner = Planner(plan_data(body, prepared.demand, prepared.feet, prepared.h), self.settings)
        both = min(len(old.z) - shift, len(self.planner.z))
        if both > 0:
            self.planner.z[:both], self.planner.y[:both] = old.z[shift : shift + both], old.y[shift : shift + both]
        self.ways = prepared.feet.corners(body.soles)
        self.leads, self.sole_rates = _leads(prepared), _sole_rates(prepared)

    def step(self, k: int, push: FloatArray | None = None) -> FilteredFrame:
        """Make frame k, and go on to the next.

        Args:
            k: the frame.
            push: wrench on the root about its origin that is not the plan's [N m], [N], shape (6,).
        """
        body, ready = self.body, self.prepared
        status = FrameStatus.GOOD
        if self.lost > GIVEN_UP or not self._sane(k):
            self.q, self.v = ready.q[k].copy(), ready.v[k].copy()
            self.lost, self.rounds, status = 0.0, 20 * self.settings.rounds, FrameStatus.RESTARTED
        state = body.look(self.q, self.v)
        forces = self._forces(k, state)
        aim = self._aim(k, forces)
        move = take_step(body, state, aim, ready.h, push)
        effect = contact_effect(body, state, forces)
        if push is not None:
            effect[:6] += push
        tau = state.mass @ move.vdot + state.bias - effect
        residual, tau[:6] = tau[:6].copy(), 0.0
        active = ready.feet.active[k].reshape(-1)
        over = np.maximum(np.abs(tau) - body.efforts, 0.0)
        status = status or self._status(k, state, move.clamped, over)
        self.lost = self.lost + ready.h if status is FrameStatus.FAR else 0.0
        frame = FilteredFrame(float(ready.time[k]), self.q, self.v, move.vdot, tau, forces, state.corners,
                              active.copy(), residual, over, status)  # fmt: skip
        self.q, self.v = move.q, move.v
        return frame

    def _forces(self, k: int, state: State) -> FloatArray:
        x = deviation(state, self.prepared.root[k], self.prepared.demand, k)
        end = min(k + self.horizon, len(self.prepared.q))
        self.planner.plan(k, end, x, self.rounds, state.corners - self.prepared.demand.com[k])
        self.rounds = self.settings.rounds
        result: FloatArray = self.planner.z[k].reshape(-1, 3) * self.body.weight
        return result

    def _aim(self, k: int, forces: FloatArray) -> Aim:
        ready, s = self.prepared, self.settings
        following = min(k + 1, len(ready.q) - 1)
        off = difference(self.body.figure, self.q, ready.q[k])
        w = min(s.tracking, 0.4 / ready.h)
        vdot: FloatArray = ready.vdot[k] + w * w * off + 2 * w * (ready.v[k] - self.v)
        if ROOT_PLAN:
            x = self.planner.states
            led = (x[k + 1, 6:] - x[k, 6:]) / ready.h
            arm = ready.demand.com[k] - ready.q[k, :3]
            vdot[:3] = ready.vdot[k, :3] + led[:3]
            vdot[3:6] = ready.vdot[k, 3:6] + led[3:] - cross(led[:3], arm)
        feet = ready.feet
        vdot *= s.correction
        return Aim(vdot, self.ease, feet.rotation[following], feet.place[following], feet.active[following], forces,
                   self.leads[following], self.sole_rates[following])  # fmt: skip

    def _sane(self, k: int) -> bool:
        """Whether the state can be gone on from."""
        finite = bool(np.isfinite(self.q).all() and np.isfinite(self.v).all())
        return finite and float(np.abs(self.v).max()) < WILD

    def _status(self, k: int, state: State, held: BoolArray, over: FloatArray) -> FrameStatus:
        ready = self.prepared
        tilt = float(np.trace(state.rotation @ ready.root[k].T))  # 1 + 2 cos of the angle between them
        if np.linalg.norm(state.com - ready.demand.com[k]) > FAR or tilt < 1.0 + 2.0 * np.cos(OVER):
            return FrameStatus.FAR
        active = ready.feet.active[k].reshape(-1)
        if not active.any() and ready.demand.force[k, 2] > 0.5 * self.body.weight:
            return FrameStatus.AIRBORNE
        wanted = self.ways[k].reshape(-1, 3)
        moved = active & (np.abs(state.corners - wanted).max(axis=1) > SLIP)
        if moved.any():
            away = moved.reshape(-1, 4).any(axis=1) & (ready.short[k] > REACH)
            return FrameStatus.OUT_OF_REACH if away.any() else FrameStatus.SOLE_LET_GO
        if over.any():
            return FrameStatus.OVERLOADED
        return FrameStatus.RANGE_HELD if held.any() else FrameStatus.GOOD
