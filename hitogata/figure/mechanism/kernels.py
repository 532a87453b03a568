"""Poses and inverse dynamics of mechanisms, compiled, at every width (Newton and Euler: Featherstone 2008, 5.3).

All is in the world's axes, velocities and forces about the world's origin.  A step with screw s, function θ(q) and its
derivatives θ', θ'' adds s θ' q̇ to the velocity V, and s (θ' q̈ + θ'' q̇²) + (V × s) θ' q̇ to the acceleration; outward.
Inward, the force of a coordinate is Σ θ' s · f over its steps, f the force on all bodies behind.
"""

from hitogata.figure.mechanism.compiled import (
    BODY,
    HEAD,
    PIECE,
    SHIFT,
    TURN_X,
    TURN_Y,
    BodyRow,
    MechanismHead,
    StepRow,
)
from hitogata.lanes import (
    X1,
    Floats,
    entry,
    gather,
    inline,
    kernel,
    lanes,
    pack,
    packed,
    record,
    records,
    sincos,
    tail,
    unpack,
    where,
)
from hitogata.spatial import Force, Mat3, Motion, Vec3, cross, dot, load3, store3


@record
class Reached:
    """Scratch of a body."""

    rot: Mat3
    pos: Vec3
    velocity: Motion
    acceleration: Motion
    force: Force


@record
class Screw:
    """Scratch of a step."""

    screw: Motion
    slope: float
    bend: float


@kernel
def function_at(table, x):
    """Value, first and second derivative of a piecewise polynomial."""
    count = int(table[0])
    piece = x * 0.0
    for k in range(count):
        piece = piece + where(x >= table[1 + k], 1.0, 0.0)
    origin, a, b, c, d, e, f = gather(tail(table, 1 + count), piece * (PIECE + 1.0), 7)
    t = x - origin
    value = ((((a * t + b) * t + c) * t + d) * t + e) * t + f
    first = (((5.0 * a * t + 4.0 * b) * t + 3.0 * c) * t + 2.0 * d) * t + e
    second = ((20.0 * a * t + 12.0 * b) * t + 6.0 * c) * t + 2.0 * d
    return value, first, second


@kernel(inline=True)
def moved_step(rot, axis, s, c, kind):
    """Axis of a step in the world's axes, and the rotation behind it."""
    if kind == SHIFT:
        return rot @ axis, rot
    if kind == TURN_X:
        return Vec3(rot.xx, rot.yx, rot.zx), turned_about_x(rot, s, c)
    if kind == TURN_Y:
        return Vec3(rot.xy, rot.yy, rot.zy), turned_about_y(rot, s, c)
    return Vec3(rot.xz, rot.yz, rot.zz), turned_about_z(rot, s, c)


@inline
def turned_about_x(r, s, c):
    """A rotation, then one about x."""
    return Mat3(r.xx, r.xy * c + r.xz * s, r.xz * c - r.xy * s, r.yx, r.yy * c + r.yz * s, r.yz * c - r.yy * s,
                r.zx, r.zy * c + r.zz * s, r.zz * c - r.zy * s)  # fmt: skip


@inline
def turned_about_y(r, s, c):
    """A rotation, then one about y."""
    return Mat3(r.xx * c - r.xz * s, r.xy, r.xz * c + r.xx * s, r.yx * c - r.yz * s, r.yy, r.yz * c + r.yx * s,
                r.zx * c - r.zz * s, r.zy, r.zz * c + r.zx * s)  # fmt: skip


@inline
def turned_about_z(r, s, c):
    """A rotation, then one about z."""
    return Mat3(r.xx * c + r.xy * s, r.xy * c - r.xx * s, r.xz, r.yx * c + r.yy * s, r.yy * c - r.yx * s, r.yz,
                r.zx * c + r.zy * s, r.zy * c - r.zx * s, r.zz)  # fmt: skip


@inline
def crossed(v, s):
    """V × S of spatial velocities."""
    return Motion(cross(v.ang, s.ang), cross(v.ang, s.lin) + cross(v.lin, s.ang))


@kernel
def evaluate_steps(view, q, screws, turned):
    """Value of each step, with its derivatives; then its sine and cosine, several at a time in a single frame."""
    head = records(view, MechanismHead)[0]
    steps, tables = records(tail(view, HEAD + int(head.bodies) * BODY), StepRow), tail(view, int(head.tables))
    count = int(head.steps)
    room = rounded(count)
    for n in range(count):
        step = steps[n]
        x = q[int(step.coordinate)]
        if step.table >= 0:
            turned[n], screws[n].slope, screws[n].bend = function_at(tail(tables, int(step.table)), x)
        else:
            turned[n], screws[n].slope, screws[n].bend = x * step.slope + step.offset, x * 0.0 + step.slope, x * 0.0
    for n in range(count, room):
        turned[n] = q[0] * 0.0
    values, sines, cosines = packed(turned), packed(tail(turned, room)), packed(tail(turned, 2 * room))
    for n in range(0, count, values.step):
        sines[n], cosines[n] = sincos(values[n])


@kernel
def rounded(count):
    """Room for so many numbers in whole registers."""
    return (count + 7) // 8 * 8


@kernel
def outward(view, q, v, a, reached, screws, turned, moving):
    """Poses of all bodies; with `moving`, velocities, accelerations and what moves each.  turned: scratch of steps."""
    evaluate_steps(view, q, screws, turned)
    head = records(view, MechanismHead)[0]
    count = int(head.bodies)
    bodies, steps = records(tail(view, HEAD), BodyRow), records(tail(view, HEAD + count * BODY), StepRow)
    zero, n, room = q[0] * 0.0, 0, rounded(int(head.steps))
    sines, cosines = tail(turned, room), tail(turned, 2 * room)
    for k in range(count):
        body, own = bodies[k], reached[k]
        parent = int(body.parent)
        none = Vec3(zero, zero, zero)
        velocity, acceleration = Motion(none, none), Motion(none, none - head.gravity)
        if parent >= 0:
            rot, pos = reached[parent].rot, reached[parent].pos
            if moving:
                velocity, acceleration = reached[parent].velocity, reached[parent].acceleration
        else:
            rot, pos = Mat3(zero + 1.0, zero, zero, zero, zero + 1.0, zero, zero, zero, zero + 1.0), none
        for _ in range(int(body.steps)):
            step, i = steps[n], int(steps[n].coordinate)
            pos = pos + rot @ step.pos
            if step.level < 0.5:
                rot = rot @ step.rot
            kind = int(step.kind)
            axis, rot = moved_step(rot, step.axis, sines[n], cosines[n], kind)
            if kind == SHIFT:
                pos = pos + axis * turned[n]
            if moving:
                screw = Motion(axis, cross(pos, axis))
                if kind == SHIFT:
                    screw = Motion(axis * 0.0, axis)
                slope = screws[n].slope
                rate = slope * v[i]
                push = slope * a[i] + screws[n].bend * v[i] * v[i]
                acceleration = acceleration + screw * push + crossed(velocity, screw) * rate
                velocity = velocity + screw * rate
                screws[n].screw = screw
            n += 1
        own.pos = pos + rot @ body.pos
        own.rot = rot @ body.rot
        if moving:
            own.velocity = velocity
            own.acceleration = acceleration


@inline
def force_on(rot, pos, mass, centre, inertia, v, a):
    """d/dt of a body's momentum about the world's origin."""
    c = pos + rot @ centre
    turned = rot.T @ v.ang
    spin = rot @ (inertia @ turned)
    change = (a.lin + cross(a.ang, c) + cross(v.ang, v.lin + cross(v.ang, c))) * mass
    torque = rot @ (inertia @ (rot.T @ a.ang)) + cross(v.ang, spin)
    return Force(torque + cross(c, change), change)


@kernel
def inward(view, reached, screws, tau):
    """Forces of the coordinates; forces of each body gather those behind it."""
    head = records(view, MechanismHead)[0]
    count, n = int(head.bodies), int(head.steps)
    bodies, steps = records(tail(view, HEAD), BodyRow), records(tail(view, HEAD + count * BODY), StepRow)
    for k in range(count - 1, -1, -1):
        force, parent = reached[k].force, int(bodies[k].parent)
        for _ in range(int(bodies[k].steps)):
            n -= 1
            s, i = screws[n].screw, int(steps[n].coordinate)
            tau[i] = tau[i] + (dot(s.ang, force.ang) + dot(s.lin, force.lin)) * screws[n].slope
        if parent >= 0:
            reached[parent].force = reached[parent].force + force


@kernel
def inverse(view, q, v, a, out, spare, loads, loaded):
    """Forces of coordinates; spare: scratch of bodies and steps; loads: [torque about the world's origin; force] on
    each body, if `loaded`.  Reached bodies keep the force on them and all behind."""
    head = records(view, MechanismHead)[0]
    nb, bodies = int(head.bodies), records(tail(view, HEAD), BodyRow)
    reached, screws = records(spare, Reached), records(tail(spare, nb * Reached.SIZE), Screw)
    turned = tail(spare, nb * Reached.SIZE + int(head.steps) * Screw.SIZE)
    outward(view, q, v, a, reached, screws, turned, True)
    for k in range(nb):
        body, at = bodies[k], reached[k]
        force = force_on(at.rot, at.pos, body.mass, body.centre, body.inertia, at.velocity, at.acceleration)
        if loaded:
            force = force - Force(load3(loads, 6 * k), load3(loads, 6 * k + 3))
        at.force = force
    for c in range(int(head.coordinates)):
        out[c] = q[0] * 0.0
    inward(view, reached, screws, out)


@entry(q=Floats(2), qd=Floats(2), qdd=Floats(2), flat=Floats(1), tau=Floats(2, write=True), work=Floats(1, write=True))
def inverse_rows(q, qd, qdd, flat, tau, work, width):
    """tau (n, nc) from coordinates, rates and accelerations (n, nc); no loads."""
    own, view = lanes(work, width), lanes(flat, X1)
    nc = int(records(view, MechanismHead)[0].coordinates)
    v, a, out = tail(own, nc), tail(own, 2 * nc), tail(own, 3 * nc)
    for first in range(0, q.shape[0], own.width):
        pack(q, first, own)
        pack(qd, first, v)
        pack(qdd, first, a)
        inverse(view, own, v, a, out, tail(own, 4 * nc), own, False)
        unpack(out, tau, first)


@entry(
    q=Floats(2), qd=Floats(2), qdd=Floats(2), loads=Floats(2), flat=Floats(1), tau=Floats(2, write=True),
    reactions=Floats(2, write=True), work=Floats(1, write=True),
)  # fmt: skip
def loaded_rows(q, qd, qdd, loads, flat, tau, reactions, work, width):
    """tau (n, nc), and reactions (n, nb 6) about the joints' origins, with loads (n, nb 6) on the bodies."""
    own, view = lanes(work, width), lanes(flat, X1)
    head = records(view, MechanismHead)[0]
    nc, nb = int(head.coordinates), int(head.bodies)
    v, a, out, load = tail(own, nc), tail(own, 2 * nc), tail(own, 3 * nc), tail(own, 4 * nc)
    spare = tail(load, 6 * nb)
    reached, bodies = records(spare, Reached), records(tail(view, HEAD), BodyRow)
    for first in range(0, q.shape[0], own.width):
        pack(q, first, own)
        pack(qd, first, v)
        pack(qdd, first, a)
        pack(loads, first, load)
        inverse(view, own, v, a, out, spare, load, True)
        for k in range(nb):
            force = reached[k].force
            origin = reached[k].pos + reached[k].rot @ bodies[k].joint
            store3(load, 6 * k, force.ang - cross(origin, force.lin))
            store3(load, 6 * k + 3, force.lin)
        unpack(out, tau, first)
        unpack(load, reactions, first)


@entry(q=Floats(1), qd=Floats(1), qdd=Floats(1), flat=Floats(1), tau=Floats(1, write=True), work=Floats(1, write=True))
def inverse_one(q, qd, qdd, flat, tau, work):
    """The same of one frame, (nc,); returns whether all is finite."""
    out = lanes(tau, X1)
    inverse(lanes(flat, X1), lanes(q, X1), lanes(qd, X1), lanes(qdd, X1), out, lanes(work, X1), out, False)
    return finite(out, q.shape[0])


@kernel
def finite(view, count):
    """Are all numbers finite?"""
    total = 0.0
    for k in range(count):
        total = total + view[k] * 0.0
    return total == 0.0


@kernel
def write_poses(view, q, turns, places, spare):
    """Rotation row by row, and position, of every body; spare: scratch of bodies and steps."""
    head = records(view, MechanismHead)[0]
    nb = int(head.bodies)
    reached, screws = records(spare, Reached), records(tail(spare, nb * Reached.SIZE), Screw)
    outward(view, q, q, q, reached, screws, tail(spare, nb * Reached.SIZE + int(head.steps) * Screw.SIZE), False)
    for k in range(nb):
        r, at = reached[k].rot, 9 * k
        store3(turns, at, Vec3(r.xx, r.xy, r.xz))
        store3(turns, at + 3, Vec3(r.yx, r.yy, r.yz))
        store3(turns, at + 6, Vec3(r.zx, r.zy, r.zz))
        store3(places, 3 * k, reached[k].pos)


@entry(q=Floats(2), flat=Floats(1), poses=Floats(2, write=True), work=Floats(1, write=True))
def pose_rows(q, flat, poses, work, width):
    """poses (n, nb 12): rotations of all bodies, row by row, then their positions."""
    own, view = lanes(work, width), lanes(flat, X1)
    head = records(view, MechanismHead)[0]
    nc, nb = int(head.coordinates), int(head.bodies)
    out = tail(own, 4 * nc)
    for first in range(0, q.shape[0], own.width):
        pack(q, first, own)
        write_poses(view, own, out, tail(out, 9 * nb), tail(out, 12 * nb))
        unpack(out, poses, first)


@entry(
    q=Floats(1), flat=Floats(1), turns=Floats(3, write=True), places=Floats(2, write=True), work=Floats(1, write=True)
)
def pose_one(q, flat, turns, places, work):
    """The same of one frame, (nb, 3, 3) and (nb, 3); returns whether all is finite."""
    rot, pos = lanes(turns, X1), lanes(places, X1)
    write_poses(lanes(flat, X1), lanes(q, X1), rot, pos, lanes(work, X1))
    return finite(rot, 9 * places.shape[0]) and finite(pos, 3 * places.shape[0])
