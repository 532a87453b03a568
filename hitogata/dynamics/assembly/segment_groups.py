"""Sweeps over one group of segments: they need nothing of other groups, so threads may share groups out."""

from hitogata.dynamics.articulated import weighed
from hitogata.dynamics.assembly.segment_layout import BALL_JOINT, NONE, SCREW_JOINT, Flow, Multi
from hitogata.dynamics.assembly.segment_steps import (
    closed_rate,
    drifted,
    first_motion,
    general_gain,
    general_rate,
    general_shaft,
    general_turn,
    hinge_gain,
    hinge_shaft,
    hinge_turn,
    less_shaft,
    more_loose,
    more_swing,
    moved,
    other_motions,
    passed_on,
    pushed,
    rate_of,
    slid,
    swung,
    taken,
    unit_strand,
)
from hitogata.dynamics.joints import axis_of, off_unit
from hitogata.dynamics.rnea_outward import carried
from hitogata.lanes import inline, kernel, record_offsets, sincos
from hitogata.spatial import Motion, Vec3, articulated, dot

_F, _M = record_offsets(Flow), record_offsets(Multi)
TURN, SPEED, TORQUE, RATE, WRENCH = _F["turn"], _F["v"], _F["tau"], _F["rate"], _F["wrench"]
SLIDE, QUAT, SPEEDS, TORQUES, RATES = _M["slide"], _M["quat"], _M["v"], _M["tau"], _M["rates"]


# ------------------------------------------------------- to lanes and back


@kernel
def take_state(segments, group, width, with_wrenches):
    """Coordinates, velocities and torques of a group's bodies into their lanes."""
    n, table, state = width.n, segments.table, segments.state
    v_at = table[6]
    tau_at = v_at + table[7]
    wrench_at = tau_at + table[7]
    for k in range(group.first * n, (group.first + group.length) * n):
        place = segments.place[k]
        slot = k // n
        at = slot * Flow.SIZE * n + k - slot * n
        kind, iq, iv = place.kind, place.iq, place.iv
        if group.general < 0:
            if kind != NONE:
                segments.flows[at + TURN * n] = state[iq]
                segments.flows[at + SPEED * n] = state[v_at + iv]
                segments.flows[at + TORQUE * n] = state[tau_at + iv]
        else:
            take_general(segments, (group.general + slot - group.first) * Multi.SIZE * n + k - slot * n, at, n, place,
                         v_at, tau_at)  # fmt: skip
        if with_wrenches:
            for j in range(6):
                value = 0.0
                if place.link >= 0:
                    value = state[wrench_at + 6 * place.link + j]
                segments.flows[at + (WRENCH + j) * n] = value


@kernel
def take_general(segments, at, flow, n, place, v_at, tau_at):
    """A joint of any kind; what it does not use stays as it was made: no turning, no sliding."""
    kind, iq, iv, state = place.kind, place.iq, place.iv, segments.state
    if kind == BALL_JOINT:
        for j in range(4):
            segments.multis[at + (QUAT + j) * n] = state[iq + j]
        for j in range(3):
            segments.multis[at + (SPEEDS + j) * n] = state[v_at + iv + j]
            segments.multis[at + (TORQUES + j) * n] = state[tau_at + iv + j]
    elif kind != NONE:
        segments.multis[at + SPEEDS * n] = state[v_at + iv]
        segments.multis[at + TORQUES * n] = state[tau_at + iv]
        segments.flows[flow + TURN * n] = state[iq]
        if kind == SCREW_JOINT:
            segments.multis[at + SLIDE * n] = state[iq]


@kernel
def give_rates(segments, group, width):
    """Accelerations of a group's joints from their lanes."""
    n = width.n
    for k in range(group.first * n, (group.first + group.length) * n):
        place = segments.place[k]
        slot = k // n
        if group.general < 0:
            if place.kind != NONE:
                segments.out[place.iv] = segments.flows[(slot * Flow.SIZE + RATE) * n + k - slot * n]
        elif place.kind != NONE:
            at = ((group.general + slot - group.first) * Multi.SIZE + RATES) * n + k - slot * n
            segments.out[place.iv] = segments.flows[(slot * Flow.SIZE + RATE) * n + k - slot * n]
            if place.kind == BALL_JOINT:
                segments.out[place.iv + 1] = segments.multis[at + n]
                segments.out[place.iv + 2] = segments.multis[at + 2 * n]


@kernel
def check_general(segments, group, strand):
    """What joints other than hinges are given."""
    for k in range(group.general, group.general + group.length):
        multi = segments.multi[k]
        strand.wrong = strand.wrong + off_unit(multi.quat.w, multi.quat.x, multi.quat.y, multi.quat.z)
        strand.wrong = strand.wrong + off_finite_vector(multi.v) + off_finite_vector(multi.tau)


@inline
def off_finite_vector(a):
    """0 if three numbers are finite, else NaN."""
    return (a.x * 0.0 + a.y * 0.0) + a.z * 0.0


# ------------------------------------------------------- outward: turning


@kernel
def prepare(segments, group, strand, width, with_wrenches):
    """State into lanes; for paths of several segments, how each turns against what it hangs on."""
    take_state(segments, group, width, with_wrenches)
    strand.wrong = segments.flow[group.first].turn * 0.0
    for k in range(group.first, group.first + group.length):
        flow = segments.flow[k]
        flow.sin, flow.cos = sincos(flow.turn * segments.slot[k].turn)
        strand.wrong = strand.wrong + ((flow.turn * 0.0 + flow.v * 0.0) + flow.tau * 0.0)
    if group.general >= 0:
        check_general(segments, group, strand)
    if group.open == 0:
        return
    _, _, one, _, rest = unit_strand()
    strand.turned, strand.spin = one, rest.ang
    rot, spin = strand.turned, strand.spin
    for k in range(group.length):
        slot, flow = segments.slot[group.first + k], segments.flow[group.first + k]
        if group.general < 0:
            rot, axis = hinge_turn(rot, slot.rot, flow.sin, flow.cos)
            spin = spin + axis * flow.v
        else:
            multi = segments.multi[group.general + k]
            base, rot = general_turn(rot, slot.rot, multi.quat, flow.sin, flow.cos)
            spin = spin + general_rate(base, multi.v, slot.turn, slot.ball)
    strand.turned = rot
    strand.spin = spin


@kernel
def turn(segments, group, strand, with_wrenches):
    """Axes, angular velocities, drift, inertias and velocity-dependent forces."""
    rot, omega = strand.base_rot, strand.base_omega
    for k in range(group.length):
        slot, flow = segments.slot[group.first + k], segments.flow[group.first + k]
        if group.general < 0:
            after, axis = hinge_turn(rot, slot.rot, flow.sin, flow.cos)
            rate = axis * flow.v
            flow.arm, flow.drift = swung(rot, omega, slot.pos, rate)
            flow.axis = axis * slot.turn
            rot, omega = after, omega + rate
        else:
            multi = segments.multi[group.general + k]
            base, after = general_turn(rot, slot.rot, multi.quat, flow.sin, flow.cos)
            rate = general_rate(base, multi.v, slot.turn, slot.ball)
            flow.arm, flow.drift = slid(rot, omega, slot.pos, axis_of(base), rate, multi.slide * slot.slide,
                                        multi.v.x * slot.slide)  # fmt: skip
            multi.base = base
            rot, omega = after, omega + rate
        flow.rot, flow.omega = rot, omega
        own, force = weighed(slot.inertia, rot, omega)
        if with_wrenches:
            force = pushed(force, flow.wrench, rot, slot.link_pos)
        flow.own, flow.force = own, force


# ------------------------------------------------------- inward


@kernel
def gather_in(segments, group, strand):
    """The element of every segment of a group, from its lower end to its top."""
    none, weight, one, zero, rest = unit_strand()
    strand.inertia, strand.weight = none, weight
    if group.open == 1:
        strand.aa, strand.al, strand.la, strand.ll = one, zero, zero, one
        strand.loose, strand.swing = none, rest
    for k in range(group.length - 1, -1, -1):
        slot, flow = segments.slot[group.first + k], segments.flow[group.first + k]
        inertia, force = articulated(flow.own) + strand.inertia, flow.force + strand.weight
        if group.hung == 1:
            hung = segments.hung[group.first + k]
            inertia, force = inertia + hung.inertia, force + hung.weight
        if group.general < 0:
            hinge_in(slot, flow, strand, inertia, force, group.open)
        else:
            general_in(slot, flow, segments.multi[group.general + k], strand, inertia, force, group.open,
                       group.columns)  # fmt: skip


@kernel(inline=True)
def hinge_in(slot, flow, strand, inertia, force, is_open):
    """A hinge gives way."""
    axis = flow.axis
    gain, stiff = hinge_gain(inertia, axis, slot.armature)
    push = flow.tau - flow.v * slot.damping - dot(axis, force.ang)
    reply = stiff * push
    strand.inertia, strand.weight = passed_on(taken(inertia, gain, stiff), force, flow.drift, gain, reply, flow.arm)
    flow.gain, flow.stiff, flow.push = gain, stiff, push
    if is_open == 1:
        shaft = hinge_shaft(strand.aa, strand.al, axis)
        flow.shaft = shaft
        take_shaft(strand, gain, shaft, stiff, reply)
        carry_shaft(strand, flow.drift, flow.arm)


@kernel(inline=True)
def take_shaft(strand, gain, shaft, stiff, reply):
    """F, C and b after a motion gave way."""
    scaled = shaft * stiff
    strand.aa, strand.al = less_shaft(strand.aa, gain.ang, scaled.ang), less_shaft(strand.al, gain.ang, scaled.lin)
    strand.la, strand.ll = less_shaft(strand.la, gain.lin, scaled.ang), less_shaft(strand.ll, gain.lin, scaled.lin)
    strand.loose = more_loose(strand.loose, shaft, stiff)
    strand.swing = more_swing(strand.swing, shaft, reply)


@kernel(inline=True)
def carry_shaft(strand, drift, arm):
    """F and b at the parent's origin."""
    strand.swing = drifted(strand.swing, strand.aa, strand.al, strand.la, strand.ll, drift)
    strand.aa, strand.al = moved(strand.aa, strand.la, arm), moved(strand.al, strand.ll, arm)


@kernel
def general_in(slot, flow, multi, strand, inertia, force, is_open, columns):
    """Up to three motions of a joint give way, one after the other."""
    first = first_motion(multi.base, slot.turn, slot.slide, slot.ball)
    second, third = other_motions(multi.base, slot.ball)
    spare = slot.armature * slot.ball + slot.idle
    inertia, force, flow.gain, flow.shaft, flow.stiff, flow.push = motion_in(
        strand, inertia, force, first, slot.armature, multi.tau.x - multi.v.x * slot.damping, is_open
    )
    if columns == 3:
        inertia, force, multi.gain2, multi.shaft2, multi.stiff2, multi.push2 = motion_in(
            strand, inertia, force, second, spare, multi.tau.y - multi.v.y * slot.damping, is_open
        )
        inertia, force, multi.gain3, multi.shaft3, multi.stiff3, multi.push3 = motion_in(
            strand, inertia, force, third, spare, multi.tau.z - multi.v.z * slot.damping, is_open
        )
    strand.inertia, strand.weight = passed_on(inertia, force, flow.drift, force, 0.0, flow.arm)
    if is_open == 1:
        carry_shaft(strand, flow.drift, flow.arm)


@kernel
def motion_in(strand, inertia, force, s, armature, torque, is_open):
    """One motion gives way: inertia and force that are left; gain, shaft, 1/D and push."""
    gain, stiff = general_gain(inertia, s, armature)
    push = torque - dot(s.ang, force.ang) - dot(s.lin, force.lin)
    reply = stiff * push
    shaft = gain * 0.0
    if is_open == 1:
        shaft = general_shaft(strand.aa, strand.al, strand.la, strand.ll, s)
        take_shaft(strand, gain, shaft, stiff, reply)
    return taken(inertia, gain, stiff), force + gain * reply, gain, shaft, stiff, push


# ------------------------------------------------------- outward: accelerations


@kernel
def spread_out(segments, group, strand, width):
    """Accelerations of all bodies and joints of a group."""
    a, load = strand.lead, strand.load
    for k in range(group.length):
        slot, flow = segments.slot[group.first + k], segments.flow[group.first + k]
        a = carried(a, flow.arm, flow.drift)
        if group.general < 0:
            if group.open == 1:
                rate = rate_of(flow.stiff, flow.push, flow.gain, a, flow.shaft, load)
            else:
                rate = closed_rate(flow.stiff, flow.push, flow.gain, a)
            flow.rate = rate
            strand.wrong = strand.wrong + rate * 0.0
            a = Motion(a.ang + flow.axis * rate, a.lin)
        else:
            multi = segments.multi[group.general + k]
            second, third = other_motions(multi.base, slot.ball)
            first = first_motion(multi.base, slot.turn, slot.slide, slot.ball)
            if group.columns == 3:
                z = rate_of(multi.stiff3, multi.push3, multi.gain3, a, multi.shaft3, load)
                a = a + third * z
                y = rate_of(multi.stiff2, multi.push2, multi.gain2, a, multi.shaft2, load)
                a = a + second * y
                multi.rates = Vec3(y, y, z)
                strand.wrong = strand.wrong + off_finite_vector(multi.rates)
            x = rate_of(flow.stiff, flow.push, flow.gain, a, flow.shaft, load)
            a = a + first * x
            flow.rate = x
            strand.wrong = strand.wrong + x * 0.0
        flow.acceleration = a
    give_rates(segments, group, width)
