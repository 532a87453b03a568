"""One frame: the motion that given contact forces allow, nearest to the one that is wanted.

With the forces f at the soles chosen (by the plan), what is left is the weighted pseudo-inverse of Nakamura's group:

    least of |v̇ - v̇_d|²_W   with   M_r v̇ = Σ Jᵣᵀ f - c_r        the whole body's Newton-Euler, exactly
                                    J_s v̇ = (V_s - J_s v) / h      the soles go where they are planned to be

v̇ = H# h + (1 - H# H) v̇_d = v̇_d + H# (h - H v̇_d),  H# = W⁻¹Hᵀ (H W⁻¹Hᵀ + ε)⁻¹,  a system of six rows and six for each
foot: the least-norm answer H# h, and the correction in the null space of H that brings accelerations back towards
those wanted (Yamane & Nakamura 2003).  `FilterSettings.correction` takes a share of the latter.  ε keeps legs that are
stretched from jumping.  A sole that stands on an edge may pitch about it: the row of that turn counts little.
Joints that the step would lead out of their ranges go to the nearest pose inside, and the system is solved again;
last of all the root's acceleration is solved for alone, so that physics is exact whatever came before.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import difference, forward_kinematics, integrate
from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, State
from hitogata.filter.small import carried, moment, turn_of
from hitogata.filter.soles import Sole
from hitogata.motion.foot_contacts import BoolArray

GIVE = 1e-4
"""ε of the soles' rows, against 1 of a joint."""
LOOSE = 0.3
"""ε of the turn of a sole about the edge on which it stands."""
AIR = 0.005
"""ε of the rows of soles that will not stand soon."""
UNHURRIED = 0.045
"""Soles in the air come back to their ways within this time [s]."""
GONE = 1.0
"""ε of the rows of a sole in the air whose leg is at the end of its range."""
PASSES = 3
"""How often joints are led back into their ranges within a frame."""
MOST = 800.0
"""No joint deviates from the wanted acceleration by more than this [rad/s²]; stretched legs would ask for it."""
FASTEST = 40.0
"""No joint moves faster than this [rad/s], [m/s]."""


@dataclass(frozen=True, eq=False)
class Aim:
    """What a frame should come to.

    Attributes:
        vdot: accelerations that are wanted, shape (nv,).
        ease: W⁻¹, how readily joints deviate from them, shape (nv,).
        rotation, place: of the soles' frames in the next frame, shapes (feet, 3, 3), (feet, 3).
        active: corners in contact, shape (feet, 4).
        forces: at all corners, world axes [N], shape (4 feet, 3).
        lead: time until each foot stands [s], 0 if it does, shape (feet,).
        rates: of the soles' ways, [angular; linear], shape (feet, 6).
    """

    vdot: FloatArray
    ease: FloatArray
    rotation: FloatArray
    place: FloatArray
    active: BoolArray
    forces: FloatArray
    lead: FloatArray
    rates: FloatArray


@dataclass(frozen=True, eq=False)
class Move:
    """What a frame comes to.

    Attributes:
        q, v: coordinates and velocities of the next frame.
        vdot: accelerations.
        clamped: velocities of joints that were led back into their ranges, shape (nv,).
    """

    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    clamped: BoolArray


def root_wrench(state: State, forces: FloatArray) -> FloatArray:
    """Torque about the root's origin and force of what acts at the corners, shape (6,)."""
    return np.concatenate([moment(state.corners - state.q[:3], forces), forces.sum(axis=0)])


def take_step(body: Body, state: State, aim: Aim, h: float, push: FloatArray | None = None) -> Move:
    """The next frame.

    Args:
        body: the figure.
        state: where it is.
        aim: what is wanted.
        h: time step [s].
        push: wrench about the root's origin that acts besides [N m], [N], shape (6,).
    """
    rows, right, give = _sole_rows(body, state, aim, h)
    given = root_wrench(state, aim.forces) - state.bias[:6]
    if push is not None:
        given = given + push
    H = np.concatenate([state.mass[:6], *rows])
    r = np.concatenate([given, *right])
    eps = np.concatenate([np.full(6, 1e-10), *give])
    wanted, ease = aim.vdot.copy(), aim.ease.copy()
    held = np.zeros(len(wanted), np.bool_)
    limit = FASTEST
    for turn in range(PASSES):
        matrix = (H * ease) @ H.T
        matrix[np.diag_indices(len(eps))] += eps
        change = ease * (H.T @ np.linalg.solve(matrix, r - H @ wanted))
        vdot = wanted + np.clip(change, -MOST, MOST)
        after = np.clip(state.v + h * vdot, -limit, limit)
        q = integrate(body.figure, state.q, h * after)
        inside, out = body.watch.clamped(q)
        r[6:] += _left_over(body, q, aim, h)
        if not out.any() and turn > 0:
            break
        if not out.any():
            continue
        back = difference(body.figure, state.q, inside)
        for f in range(len(body.soles)):  # a leg at its end cannot hold its sole
            if out[body.legs[f]].any():
                part = slice(6 + 6 * f, 12 + 6 * f)
                eps[part] = np.maximum(eps[part], GONE if aim.lead[f] > 0 else (GIVE, LOOSE, GIVE, GIVE, GIVE, GIVE))
        wanted[out] = ((back - h * state.v) / (h * h))[out]
        ease[out] = 1e-4 * aim.ease[out]
        held |= out
    if held.any():
        after[held] = difference(body.figure, state.q, body.watch.clamped(q)[0])[held] / h
    vdot = (after - state.v) / h
    vdot[:6] = np.linalg.solve(state.mass[:6, :6], given - state.mass[:6, 6:] @ vdot[6:])
    v = state.v + h * vdot
    return Move(integrate(body.figure, state.q, h * v), v, vdot, held)


def _left_over(body: Body, q: FloatArray, aim: Aim, h: float) -> FloatArray:
    """What rows of soles that stand miss because a step turns joints by more than their rates tell, [1/s²], [m/s²]."""
    poses, missing = forward_kinematics(body.figure, q), np.zeros(6 * len(body.soles))
    for f, sole in enumerate(body.soles):
        if aim.lead[f] <= h:
            turn, place = sole.placed(poses)
            about = _edge(sole, aim.active[f])
            point, target = place + turn[:, 0] * about, aim.place[f] + aim.rotation[f][:, 0] * about
            missing[6 * f + 3 : 6 * f + 6] = (target - point) / (h * h)
    return missing


def _edge(sole: Sole, active: BoolArray) -> float:
    """Along the sole's x, where it is pitched about; 0 if it lies flat, or is in the air [m]."""
    front, back = bool(active[0]), bool(active[2])
    return 0.0 if front == back else float(sole.corners[0 if front else 2, 0])


def _sole_rows(
    body: Body, state: State, aim: Aim, h: float
) -> tuple[list[FloatArray], list[FloatArray], list[FloatArray]]:
    rows: list[FloatArray] = []
    right: list[FloatArray] = []
    give: list[FloatArray] = []
    for f, (sole, (turn, place)) in enumerate(zip(body.soles, state.soles, strict=True)):
        J, active, lead = state.rows[f], aim.active[f], min(float(aim.lead[f]), UNHURRIED)
        about = _edge(sole, active)
        arm = turn[:, 0] * about
        point, target = place + arm, aim.place[f] + aim.rotation[f][:, 0] * about
        moved = carried(J, arm)
        axes = aim.rotation[f].T
        moved[:3] = axes @ moved[:3]
        miss = np.concatenate([axes @ turn_of(aim.rotation[f] @ turn.T), target - point])
        if lead <= h:
            rate, late = miss / h, h
        else:  # in the air: the way's own rate, and the rest of the error by the time the foot comes down
            own = aim.rates[f].copy()
            own[:3] = axes @ own[:3]
            rate, late = own + (miss - h * own) / lead, max(h, lead / 2)
        rows.append(moved)
        right.append((rate - moved @ state.v) / late)
        eps = np.full(6, GIVE + AIR * min(max(lead - h, 0.0) / 0.15, 1.0) ** 2)
        if about:
            eps[1] = LOOSE
        give.append(eps)
    return rows, right, give


def contact_effect(body: Body, state: State, forces: FloatArray) -> FloatArray:
    """Σ Jᵀ f of the forces at the corners, shape (nv,)."""
    total = np.zeros(body.figure.nv)
    for f, (_, place) in enumerate(state.soles):
        own, at = forces[4 * f : 4 * f + 4], state.corners[4 * f : 4 * f + 4] - place
        total += state.rows[f].T @ np.concatenate([moment(at, own), own.sum(axis=0)])
    return total
