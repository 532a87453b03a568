"""Joints kept in their ranges, in kernels: the same range objects as in simulation and inverse kinematics."""

from hitogata.filter.tables import SEEN
from hitogata.lanes import absolute, kernel, maximum, minimum, sincos, tail
from hitogata.rom.violation import range_clamp, range_violation
from hitogata.spatial import load_quaternion, store_quaternion

CLOSE = 1e-9
"""What counts as outside [rad] or [m]."""
TWIST = 10.0
"""How much faster than a joint turns its twist may near a limit, at the most (limits change with swing)."""


@kernel
def clamp_joints(body, q, result, watch, moved):
    """Put every joint of q into its range, into `result`; moved[k] = 1 for velocities of joints that were not.

    A ball joint that is d inside its range is inside as long as it has turned by less than d: swing changes no faster
    than the joint turns, twist no faster than `TWIST` times that.  So it is looked at only if it has turned farther.
    """
    for k in range(body.nq):
        result[k] = q[k]
    for k in range(body.nv):
        moved[k] = 0
    out = 0
    for i in range(body.plains):
        x = q[body.plain_q[i]]
        inside = minimum(maximum(x, body.low[i]), body.high[i])
        result[body.plain_q[i]] = inside
        if absolute(inside - x) > CLOSE:
            moved[body.plain_v[i]] = 1
            out = 1
    for i in range(body.balls):
        at, seen = body.ball_q[i], SEEN * i
        near = 0.0
        for j in range(4):
            near += q[at + j] * watch[seen + j]
        if absolute(near) <= watch[seen + 4]:
            out = max(out, _clamp_ball(body, i, q, result, watch, moved))
    return out


@kernel
def _clamp_ball(body, i, q, result, watch, moved):
    at, seen = body.ball_q[i], SEEN * i
    quat = load_quaternion(q, at)
    view = tail(body.ball_table, body.ball_start[i])
    found = range_violation(quat, view)
    if found.swing_depth < 0.0 and found.twist_depth < 0.0:
        room = minimum(-found.swing_depth, -found.twist_depth / TWIST)
        _, cosine = sincos(0.5 * minimum(0.98 * room, 3.0))
        store_quaternion(watch, seen, quat)
        watch[seen + 4] = cosine
        return 0
    watch[seen + 4] = 2.0
    kept = range_clamp(quat, view)
    if kept.w == quat.w and kept.x == quat.x and kept.y == quat.y and kept.z == quat.z:
        return 0
    store_quaternion(result, at, kept)
    for j in range(3):
        moved[body.ball_v[i] + j] = 1
    return 1
