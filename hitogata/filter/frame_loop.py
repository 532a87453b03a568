"""Frame after frame in one call: where the body is, the plan from there, the step, and what could not be kept."""

from numpy import zeros

from hitogata.dynamics.integration import subtract
from hitogata.filter.frame_step import take_step
from hitogata.filter.law import CORRECTION, EFFORT, FRICTION, RHO, ROUNDS, STRONGEST, TRACKING, WEIGHT, H
from hitogata.filter.plan_kernels import run_plan
from hitogata.filter.settings import FrameStatus
from hitogata.filter.state_kernels import find_deviation, find_effect, find_torques, load_matrix, look, tree_of
from hitogata.filter.tables import BodyMemory, FrameTable, ReferenceMemory, ResultMemory, WorkMemory
from hitogata.filter.torque_limits import SLACK
from hitogata.lanes import (
    Floats,
    Ints,
    absolute,
    entry,
    is_finite,
    kernel,
    maximum,
    minimum,
    open_memory,
    open_table,
    tail,
)
from hitogata.spatial import Vec3, cross, dot, load3, store3

FAR = 0.35
"""A centre of mass that is farther than this from the wanted one falls [m]."""
COS_OVER = 0.5403023058681398
"""So does one whose root is turned farther than 1 rad from the wanted one."""
SLIP = 1e-3
"""Corners in contact that move farther than this within a frame are told of [m]."""
GIVEN_UP = 0.25
"""After so long far from the motion, the body is put back on it [s]."""
WILD = 100.0
"""A state that is faster than this is not gone on from [rad/s], [m/s]."""
REACH = 0.03
"""Footholds that soles miss by more than this, with the root where the motion may have it, are out of reach [m]."""
FIRST_ROUNDS = 20.0
"""How many times more rounds a plan takes that begins from nothing."""
CARRIED = 0.5
"""A body that needs more of its weight than this from the ground, and has none, falls."""

GOOD, RANGE_HELD, SOLE_LET_GO, FALLS = (
    int(FrameStatus.GOOD), int(FrameStatus.RANGE_HELD), int(FrameStatus.SOLE_LET_GO), int(FrameStatus.FAR)
)  # fmt: skip
AIRBORNE, RESTARTED, OUT_OF_REACH, OVERLOADED, TORQUE_HELD = (
    int(FrameStatus.AIRBORNE), int(FrameStatus.RESTARTED), int(FrameStatus.OUT_OF_REACH), int(FrameStatus.OVERLOADED),
    int(FrameStatus.TORQUE_HELD),
)  # fmt: skip


@kernel
def is_lost(body, law, work):
    """Whether the body has fallen, or its state cannot be gone on from."""
    wrong = work.lost > GIVEN_UP
    for i in range(body.nq):
        wrong = wrong or not is_finite(work.q[i])
    for i in range(body.nv):
        wrong = wrong or not absolute(work.v[i]) < WILD
    return wrong


@kernel
def put_back_on(body, reference, k, work):
    """Go on from the motion itself."""
    nq, nv = body.nq, body.nv
    for i in range(nq):
        work.q[i] = reference.q[k * nq + i]
    for i in range(nv):
        work.v[i] = reference.v[k * nv + i]
    work.lost = 0.0


@kernel
def rate_between(states, k, at, h):
    """Acceleration that the plan has between two frames."""
    a, b = states[k], states[k + 1]
    return Vec3((b[at] - a[at]) / h, (b[at + 1] - a[at + 1]) / h, (b[at + 2] - a[at + 2]) / h)


@kernel
def find_aim(body, reference, k, states, law, work):
    """Wanted accelerations: joints are led back to the motion, the root to the plan."""
    nq, nv, h = body.nq, body.nv, law[H]
    tree = tree_of(body)
    subtract(tree, work.q, tail(reference.q, k * nq), work.change)
    w = minimum(law[TRACKING], 0.4 / h)
    for j in range(nv):
        off, rate = work.change[j], reference.v[k * nv + j] - work.v[j]
        work.wanted[j] = reference.vdot[k * nv + j] + w * w * off + 2.0 * w * rate
        work.ease[j] = 1.0
    led, along = rate_between(states, k, 6, h), rate_between(states, k, 9, h)
    arm = load3(reference.com, 3 * k) - load3(reference.q, nq * k)
    store3(work.wanted, 0, load3(reference.vdot, nv * k) + led)
    store3(work.wanted, 3, load3(reference.vdot, nv * k + 3) + along - cross(led, arm))
    for j in range(nv):
        work.wanted[j] *= law[CORRECTION]


@kernel
def plan_forces(body, reference, k, end, plan, law, work):
    """Forces at the corners for frame k, of a plan up to frame `end`."""
    frames, arms, active, normals, weights, usual, z, y, states, forces, scratch, options = plan
    corners, com = 4 * body.feet, load3(reference.com, 3 * k)
    for c in range(corners):
        arm = load3(work.corners, 3 * c) - com
        arms[k, c, 0], arms[k, c, 1], arms[k, c, 2] = arm.x, arm.y, arm.z
    options[0], options[1], options[2], options[3] = law[EFFORT], law[RHO], law[FRICTION], law[STRONGEST]
    options[4], options[5] = work.rounds, 0.0
    run_plan(
        frames[k:end], arms[k:end], active[k:end], normals[k:end], weights, options, work.x, usual[k:end], z[k:end],
        y[k:end], states[k : end + 1], forces[k:end], scratch,
    )  # fmt: skip
    work.rounds = law[ROUNDS]
    for c in range(3 * corners):
        work.forces[c] = z[k, c] * law[WEIGHT]


@kernel
def status_of(body, reference, k, law, work, limited):
    """What could not be kept in a frame."""
    corners = 4 * body.feet
    gone = load3(work.com, 0) - load3(reference.com, 3 * k)
    turn = load_matrix(work.turn, 0) @ load_matrix(reference.root, 9 * k).T
    if dot(gone, gone) > FAR * FAR or turn.xx + turn.yy + turn.zz < 1.0 + 2.0 * COS_OVER:
        return FALLS
    stands, slips, away = False, False, False
    for c in range(corners):
        at = corners * k + c
        if reference.active[at] > 0:
            stands = True
            off = load3(work.corners, 3 * c) - load3(reference.ways, 3 * at)
            if maximum(maximum(absolute(off.x), absolute(off.y)), absolute(off.z)) > SLIP:
                slips = True
                away = away or reference.short[body.feet * k + c // 4] > REACH
    if not stands and reference.force[3 * k + 2] > CARRIED * law[WEIGHT]:
        return AIRBORNE
    if slips:
        return OUT_OF_REACH if away else SOLE_LET_GO
    for j in range(6, body.nv):
        if work.held[j] == 0 and absolute(work.tau[j]) > body.efforts[j] * (1.0 + 2.0 * SLACK) + 2.0 * SLACK:
            return OVERLOADED
    for j in range(body.nv):
        if work.held[j] == 1:
            return RANGE_HELD
    return TORQUE_HELD if limited > 0 else GOOD


@kernel
def store_frame(body, row, status, work, result):
    """Keep what a frame came to."""
    nq, nv, corners = body.nq, body.nv, 4 * body.feet
    for i in range(nq):
        result.q[row * nq + i] = work.q[i]
    for j in range(nv):
        at = row * nv + j
        result.v[at], result.vdot[at] = work.v[j], work.vdot[j]
        result.tau[at] = work.tau[j] if j > 5 else 0.0
        result.over[at] = 0.0
        if j > 5 and work.held[j] == 0:
            result.over[at] = maximum(absolute(work.tau[j]) - body.efforts[j], 0.0)
    for j in range(6):
        result.residual[6 * row + j] = work.tau[j]
    for i in range(3 * corners):
        result.forces[3 * corners * row + i] = work.forces[i]
        result.corners[3 * corners * row + i] = work.corners[i]
    result.status[row] = status


@kernel
def run_frame(body, reference, k, horizon, plan, law, push, work, result, row):
    """Make frame k into a row of the result, and go on to the next in work.q, work.v."""
    nq, nv = body.nq, body.nv
    restarted = is_lost(body, law, work)
    if restarted:
        put_back_on(body, reference, k, work)
        work.rounds = FIRST_ROUNDS * law[ROUNDS]
    look(body, work)
    find_deviation(reference, k, work)
    plan_forces(body, reference, k, min(k + horizon, plan[0].shape[0]), plan, law, work)
    find_effect(body, work)
    find_aim(body, reference, k, plan[8], law, work)
    limited = take_step(body, reference, k, law, push, work, work.trial, work.change)
    find_torques(body, push, work)
    status = status_of(body, reference, k, law, work, limited)
    if restarted:
        status = RESTARTED
    work.lost = work.lost + law[H] if status == FALLS else 0.0
    store_frame(body, row, status, work, result)
    for i in range(nq):
        work.q[i] = work.trial[i]
    for j in range(nv):
        work.v[j] = work.change[j]


@entry(
    table=Ints(2), frames=Floats(2), arms=Floats(3, write=True), active=Ints(2), normals=Floats(3), weights=Floats(2),
    usual=Floats(2), z=Floats(2, write=True), y=Floats(2, write=True), states=Floats(2, write=True),
    forces=Floats(2, write=True), scratch=Floats(1, write=True), law=Floats(1), push=Floats(1),
)  # fmt: skip
def run_frames(
    table, frames, arms, active, normals, weights, usual, z, y, states, forces, scratch, law, push, first, count,
    horizon,
):  # fmt: skip
    """Frames first, first + 1 ... of a reference, from the state in `work`; the plan looks `horizon` frames ahead.

    table: a `FrameTable`; the plan's arrays: see `plan_kernels`; law: see `law`.
    """
    given = open_table(FrameTable, table)
    body = open_memory(BodyMemory, given.body_floats, given.body_ints)
    reference = open_memory(ReferenceMemory, given.reference_floats, given.reference_ints)
    work = open_memory(WorkMemory, given.work_floats, given.work_ints)
    result = open_memory(ResultMemory, given.result_floats, given.result_ints)
    plan = (frames, arms, active, normals, weights, usual, z, y, states, forces, scratch, zeros(6))
    for i in range(count):
        run_frame(body, reference, first + i, horizon, plan, law, push, work, result, i)
