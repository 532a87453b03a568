"""The filter without look-ahead: one frame when it comes, and a guess of how the motion goes on.

The reference is the parabola through the last frames, at the newest of them.  A foot stands where the body's own sole
came down, while the motion's sole rests; in the air its sole follows the motion's, and what it was off dies away.  The
plan looks ahead all the same, over a few frames that grow longer: the centre of mass goes on with its velocity, forces
go over to the weight, and a foot in the air is taken to land when and where it did last time, seen from the centre of
mass.
"""

from hitogata.dynamics.integration import advance, subtract
from hitogata.filter.frame_loop import run_frame
from hitogata.filter.law import MASS as HEAVY
from hitogata.filter.law import WEIGHT, H
from hitogata.filter.range_kernels import clamp_joints
from hitogata.filter.state_kernels import load_matrix, look, store_matrix, tree_of, turn_of
from hitogata.filter.tables import (
    PAST,
    SOLE,
    BodyMemory,
    FrameTable,
    OnlineMemory,
    ReferenceMemory,
    ResultMemory,
    WorkMemory,
)
from hitogata.lanes import (
    X1,
    Floats,
    Ints,
    absolute,
    atan2,
    entry,
    inline,
    kernel,
    lanes,
    maximum,
    minimum,
    open_memory,
    open_table,
    sincos,
    sqrt,
    tail,
)
from hitogata.spatial import Mat3, Vec3, cross, dot, from_cols, load3, rotation, store3, turn_by

STRICT, LOOSE = 0.3, 0.7
"""Points of soles come to rest below the first speed, and rest up to the second [m/s]."""
LOW, HIGH = 0.05, 0.09
"""The same of their heights [m]."""
CARRIED = 0.35
"""A body that needs more of its weight than this from the ground stands on something."""
FADE = 0.12
"""In this time soles in the air come back to the motion's ways, by 1/e [s]."""
CALM = 0.1
"""In this time forces that the motion needs go over to its weight, by 1/e [s]."""
SWING = 0.35
"""Length of a swing, before one was seen [s]."""
DOUBLE = 0.12
"""How long both feet stand between two swings [s]."""
CLEAR = 0.004
"""How high soles in the air are above the floor, at the least [m]."""
JUMP = 25.0
"""Motions do not go faster than this, but where they are cut [rad/s], [m/s]."""
MOST_FORCE, MOST_TORQUE = 2.5, 0.3
"""More than this of its weight, and of that times a metre, a motion is not believed to need."""
PITCHED = 1.2
"""Soles that stand are pitched by no more than this [rad]."""


@kernel
def take_pose(body, online, q, fit, h):
    """A new frame: the parabola through the last ones, as q, v and vdot of the reference's rows."""
    nq, nv = body.nq, body.nv
    for i in range((PAST - 1) * nq):
        online.past[PAST * nq - 1 - i] = online.past[(PAST - 1) * nq - 1 - i]
    for i in range(nq):
        online.past[i] = q[i]
    online.seen = minimum(online.seen + 1.0, PAST * 1.0)
    subtract(tree_of(body), tail(online.past, nq), online.past, online.change)
    for j in range(nv):
        if online.seen > 1.0 and not absolute(online.change[j]) < JUMP * h:
            online.seen = 1.0  # a cut: what was before tells nothing
    count = int(online.seen)
    for j in range(nv):
        online.off[j], online.rate[j], online.gain[j] = 0.0, 0.0, 0.0
    for i in range(1, count):
        subtract(tree_of(body), online.past, tail(online.past, i * nq), online.change)
        for j in range(nv):
            online.off[j] += fit[count, 0, i] * online.change[j]
            online.rate[j] += fit[count, 1, i] * online.change[j]
            online.gain[j] += fit[count, 2, i] * online.change[j]
    return count


@kernel
def believe(online, at, value, most):
    """Keep a vector of what the motion needs, no longer than `most`."""
    size = sqrt(dot(value, value) + 1e-12)
    store3(online.need, at, value * minimum(1.0, most / size))


@kernel
def take_reference(body, online, reference, law, work):
    """What the motion is now, and needs, as frame 0; the state in work is that of the body again afterwards."""
    nq, nv = body.nq, body.nv
    advance(tree_of(body), online.past, online.off, 1.0, work.trial)
    clamp_joints(body, work.trial, work.inside, work.watch, work.moved)
    for i in range(nq):
        reference.q[i], online.q[i] = work.inside[i], work.q[i]
        work.q[i] = work.inside[i]
    for j in range(nv):
        reference.v[j], reference.vdot[j], online.v[j] = online.rate[j], online.gain[j], work.v[j]
        work.v[j] = online.rate[j]
    look(body, work)
    store3(reference.com, 0, load3(work.com, 0))
    store3(reference.com_rate, 0, load3(work.com_rate, 0))
    store3(reference.spin, 0, load3(work.spin, 0))
    for i in range(9):
        reference.inertia[i], reference.root[i] = work.inertia[i], work.turn[i]
    for i in range(6):
        t = work.bias[i]
        for j in range(nv):
            t += work.mass[i * nv + j] * online.gain[j]
        online.need[i] = t
    force = load3(online.need, 3)
    believe(online, 3, force, MOST_FORCE * law[WEIGHT])
    believe(
        online,
        0,
        load3(online.need, 0) - cross(load3(work.com, 0) - load3(work.q, 0), force),
        MOST_TORQUE * law[WEIGHT],
    )
    store3(reference.force, 0, load3(online.need, 3))
    for i in range(SOLE * body.feet):
        online.soles[i] = work.soles[i]
    for f in range(body.feet):
        sole_rate(body, work, f, online)
    for i in range(nq):
        work.q[i] = online.q[i]
    for j in range(nv):
        work.v[j] = online.v[j]


@kernel
def sole_rate(body, work, f, online):
    """How the motion's sole moves, [angular; linear]."""
    nv = body.nv
    for i in range(6):
        t = 0.0
        for j in range(nv):
            t += work.jacobian[(6 * f + i) * nv + j] * work.v[j]
        online.sole_rates[6 * f + i] = t


@kernel
def find_rest(body, online, law, ground):
    """Which of the motion's feet stand: low and slow points of soles, or the lowest while the ground must carry."""
    lowest, nearest, any_down = 1e9, 0, False
    for f in range(body.feet):
        turn, place = load_matrix(online.soles, SOLE * f), load3(online.soles, SOLE * f + 9)
        omega, rate = load3(online.sole_rates, 6 * f), load3(online.sole_rates, 6 * f + 3)
        was = online.down[f] > 0.0
        fast, high = LOOSE if was else STRICT, HIGH if was else LOW
        down = 0.0
        for c in range(4):
            arm = turn @ load3(body.sole_corners, 12 * f + 3 * c)
            height, speed = place.z + arm.z - ground, rate + cross(omega, arm)
            if height < high and dot(speed, speed) < fast * fast:
                down = 1.0
            if height < lowest:
                lowest, nearest = height, f
        online.rests[f] = down
        any_down = any_down or down > 0.0
    if not any_down and online.need[5] > CARRIED * law[WEIGHT] and lowest < LOW:
        online.rests[nearest] = 1.0


@inline
def pitched(angle):
    """A turn about y that lifts the toes."""
    s, c = sincos(angle)
    return Mat3(c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c)


@inline
def on_plane(x, up):
    """Axes with z along the normal of a plane, x over a direction."""
    y = cross(up, x)
    y = y * (1.0 / sqrt(dot(y, y) + 1e-12))
    return from_cols(cross(y, up), y, up)


@kernel
def height_of(plane, f, at):
    """Height of the floor under a foot; plane: a point and the normal, for each foot."""
    normal = load3(plane, 6 * f + 3)
    gone = at - load3(plane, 6 * f)
    return plane[6 * f + 2] - (normal.x * gone.x + normal.y * gone.y) / normal.z


@kernel
def come_down(body, online, reference, work, f, plane):
    """A foot begins to stand: where the body's own sole is, on the floor."""
    turn, place = load_matrix(work.soles, SOLE * f), load3(work.soles, SOLE * f + 9)
    up = load3(plane, 6 * f + 3)
    axes = on_plane(Vec3(turn.xx, turn.yx, turn.zx), up)
    low, lowest = 0, 1e9
    for c in range(4):
        z = (turn @ load3(body.sole_corners, 12 * f + 3 * c)).z
        if z < lowest - 1e-6:
            low, lowest = c, z
    edge = body.sole_corners[12 * f + 3 * low]  # the edge that touches stays where it is
    tilt = dot(Vec3(turn.xx, turn.yx, turn.zx), up)
    if absolute(tilt) < 0.03:
        edge = 0.0
    at = place + Vec3(turn.xx - axes.xx, turn.yx - axes.yx, turn.zx - axes.zx) * edge
    at = Vec3(at.x, at.y, height_of(plane, f, at))
    store3(online.hold, 3 * f, at)
    store_matrix(online.axes, 9 * f, axes)
    store3(online.step, 3 * f, at - load3(reference.com, 0))
    if online.air[f] > 0.1:
        online.swing[f] = minimum(online.air[f], 0.8)
        online.stepped[f] = 1.0
    online.air[f] = 0.0


@kernel
def aim_foot(body, online, reference, row, f, ahead, flat, plane):
    """Where a sole is to be `ahead` seconds from now, as row of the reference, and which of its corners touch."""
    at = row * body.feet + f
    omega, rate = load3(online.sole_rates, 6 * f), load3(online.sole_rates, 6 * f + 3)
    turn = rotation(turn_by(omega * ahead)) @ load_matrix(online.soles, SOLE * f)
    place = load3(online.soles, SOLE * f + 9) + rate * ahead
    front, back = 0, 0
    if online.down[f] > 0.0:
        axes = load_matrix(online.axes, 9 * f)
        tilt = atan2(turn.zx, sqrt(turn.xx * turn.xx + turn.yx * turn.yx))
        size = minimum(maximum(absolute(tilt) - flat, 0.0), PITCHED)
        pitch = size if tilt > 0.0 else -size
        front, back = 1 if pitch <= 0.0 else 0, 1 if pitch >= 0.0 else 0
        half = body.sole_corners[12 * f]
        edge = -half if pitch > 0.0 else (half if pitch < 0.0 else 0.0)
        target = axes @ pitched(pitch)
        along = Vec3(axes.xx - target.xx, axes.yx - target.yx, axes.zx - target.zx)
        spot = load3(online.hold, 3 * f) + along * edge
        if row == 0:
            store3(online.fix, 6 * f, turn_of(target @ turn.T))
            store3(online.fix, 6 * f + 3, spot - place)
        turn, place = target, spot
    else:
        turn = rotation(turn_by(load3(online.fix, 6 * f))) @ turn
        place = place + load3(online.fix, 6 * f + 3)
        short = 0.0
        for c in range(4):
            corner = place + turn @ load3(body.sole_corners, 12 * f + 3 * c)
            short = maximum(short, height_of(plane, f, corner) + CLEAR - corner.z)
        place = Vec3(place.x, place.y, place.z + short)
    store_matrix(reference.turn, 9 * at, turn)
    store3(reference.place, 3 * at, place)
    store3(reference.rates, 6 * at, omega)
    store3(reference.rates, 6 * at + 3, rate)
    reference.lead[at] = 0.0 if online.down[f] > 0.0 else maximum(online.swing[f] - online.air[f], 2.0 * ahead)
    reference.short[at] = 0.0
    for c in range(4):
        reference.active[4 * at + c] = front if c < 2 else back
        store3(reference.ways, 12 * at + 3 * c, place + turn @ load3(body.sole_corners, 12 * f + 3 * c))
        store3(reference.normal, 12 * at + 3 * c, load3(plane, 6 * f + 3))


@kernel
def move_feet(body, online, reference, work, law, flat, plane):
    """Feet stand and leave as the motion's do; soles are aimed at for this frame and the next."""
    h = law[H]
    for f in range(body.feet):
        was, now = online.down[f] > 0.0, online.rests[f] > 0.0
        if now and not was:
            come_down(body, online, reference, work, f, plane)
        online.down[f] = online.rests[f]
        if not now:
            online.air[f] += h
            for i in range(6):
                online.fix[6 * f + i] *= 1.0 - h / FADE
        for row in range(2):
            aim_foot(body, online, reference, row, f, row * h, flat, plane)


@kernel
def landing(body, online, reference, f, plane):
    """Where a foot in the air comes down: as it did last time, seen from the centre of mass; or where it goes."""
    lead = maximum(online.swing[f] - online.air[f], 0.03)
    com = load3(reference.com, 0) + load3(reference.com_rate, 0) * lead
    at = com + load3(online.step, 3 * f)
    if online.stepped[f] < 0.5:
        at = load3(reference.place, 3 * f) + load3(online.sole_rates, 6 * f + 3) * (0.5 * minimum(lead, 0.2))
    return Vec3(at.x, at.y, height_of(plane, f, at)), lead


@kernel
def guess_ahead(body, online, reference, law, plane, plan):
    """The plan's frames: the motion going on, feet landing and leaving as they are wont to."""
    frames, arms, active, normals, usual = plan[0], plan[1], plan[2], plan[3], plan[5]
    feet, weight, com = body.feet, law[WEIGHT], load3(reference.com, 0)
    rate = load3(reference.com_rate, 0)
    inertia = load_matrix(reference.inertia, 0)
    time = 0.0
    soonest = 10.0
    for f in range(feet):
        if online.down[f] < 0.5:
            soonest = minimum(soonest, maximum(online.swing[f] - online.air[f], 0.03))
    for k in range(frames.shape[0]):
        h = frames[k, 0]
        left = maximum(1.0 - time / CALM, 0.0)
        for i in range(3):
            for j in range(3):
                frames[k, 1 + 3 * i + j] = online.inverse[3 * i + j]
        frames[k, 19] = weight / law[HEAVY]
        for i in range(3):
            frames[k, 13 + i] = online.need[i] / weight * left
            up = 1.0 if i == 2 else 0.0
            frames[k, 10 + i] = up + (online.need[3 + i] / weight - up) * left
            frames[k, 16 + i] = frames[k, 10 + i]
        now, count = com + rate * time, 0
        for f in range(feet):
            on, stands = online.down[f] > 0.0, online.down[f] > 0.0
            if stands and time > soonest + DOUBLE:
                on = False  # it leaves after the other has landed
            spot, lead = landing(body, online, reference, f, plane)
            if not stands and time >= lead:
                on = True
            for c in range(4):
                touch = (
                    on
                    and (k > 0 or reference.active[4 * f + c] > 0)
                    and (time > 0.1 or not stands or reference.active[4 * f + c] > 0)
                )
                corner = load3(reference.ways, 12 * f + 3 * c)
                if not stands:
                    corner = spot + corner - load3(reference.place, 3 * f)
                arm = corner - now
                l = 4 * f + c
                arms[k, l, 0], arms[k, l, 1], arms[k, l, 2] = arm.x, arm.y, arm.z
                active[k, l] = 1 if touch else 0
                count += active[k, l]
                for i in range(3):
                    normals[k, l, i] = plane[6 * f + 3 + i]
                    usual[k, 3 * l + i] = 0.0
        for l in range(4 * feet):
            if active[k, l] > 0:
                usual[k, 3 * l + 2] = maximum(minimum(frames[k, 12], 3.0), 0.0) / count
        time += h
    return inertia


@kernel
def invert_inertia(reference, online, weight):
    """I⁻¹ of the motion, in body weights."""
    m = load_matrix(reference.inertia, 0)
    a, b, c = Vec3(m.xx, m.yx, m.zx), Vec3(m.xy, m.yy, m.zy), Vec3(m.xz, m.yz, m.zz)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    d = weight / dot(a, bc)
    store3(online.inverse, 0, bc * d)
    store3(online.inverse, 3, ca * d)
    store3(online.inverse, 6, ab * d)


@entry(
    table=Ints(2), q=Floats(1), fit=Floats(3), plane=Floats(1), frames=Floats(2, write=True),
    arms=Floats(3, write=True), active=Ints(2, write=True), normals=Floats(3, write=True), weights=Floats(2),
    usual=Floats(2, write=True), z=Floats(2, write=True), y=Floats(2, write=True), states=Floats(2, write=True),
    forces=Floats(2, write=True), scratch=Floats(1, write=True), options=Floats(1, write=True), law=Floats(1),
    push=Floats(1), given=Floats(1),
)  # fmt: skip
def run_online(
    table, q, fit, plane, frames, arms, active, normals, weights, usual, z, y, states, forces, scratch, options, law,
    push, given,
):  # fmt: skip
    """Take a frame of the motion, and make one.

    q: coordinates; fit: of parabolas, see `online.parabolas`; plane: point and normal of the floor under each foot;
    given: height of the motion's floor [m], pitch of soles that lie flat [rad], and for each foot: 1 stands, 0 does
    not, below 0 it is not known.

    Returns:
        1 if a frame was made; 0: too few are known yet.
    """
    arrays = open_table(FrameTable, table)
    body = open_memory(BodyMemory, arrays.body_floats, arrays.body_ints)
    reference = open_memory(ReferenceMemory, arrays.reference_floats, arrays.reference_ints)
    work = open_memory(WorkMemory, arrays.work_floats, arrays.work_ints)
    result = open_memory(ResultMemory, arrays.result_floats, arrays.result_ints)
    online = open_memory(OnlineMemory, arrays.online_floats, arrays.online_ints)
    plane = lanes(plane, X1)
    if take_pose(body, online, lanes(q, X1), fit, law[H]) < 3 and online.begun < 0.5:
        return 0
    first = online.begun < 0.5
    take_reference(body, online, reference, law, work)
    if first:
        online.begun = 1.0
        for i in range(body.nq):
            work.q[i] = reference.q[i]
        for j in range(body.nv):
            work.v[j] = reference.v[j]
    find_rest(body, online, law, given[0])
    for f in range(body.feet):
        if given[2 + f] >= 0.0:
            online.rests[f] = given[2 + f]
    look(body, work)
    move_feet(body, online, reference, work, law, given[1], plane)
    invert_inertia(reference, online, law[WEIGHT])
    plan = (frames, arms, active, normals, weights, usual, z, y, states, forces, scratch, options)
    guess_ahead(body, online, reference, law, plane, plan)
    run_frame(body, reference, 0, frames.shape[0], plan, law, push, work, result, 0)
    for f in range(body.feet):
        for c in range(4):
            online.touch[4 * f + c] = reference.active[4 * f + c]
    return 1
