"""Rows of virtual links: value, rate, acceleration, and the wrenches of a unit of force.

With r = p_C - p_P, frames C on body a and P on body b (or the world), all in world axes:

    slide along n         value n · r                 rate n · u              u = ṙ - ω_b × r, seen from P
                          acceleration n · (a_C - a_Pc - 2 ω_b × u)           Pc: the point of b at C
    rod, n = r/|r|        value |r| - length          rate n · ṙ              acceleration n · r̈ + (|ṙ|² - rate²)/|r|
    e fixed in C,         value e · g                 rate ω · (e × g)        ω = ω_a - ω_b
    g fixed in P          acceleration ω̇ · (e × g) + ω · (ė × g + e × ġ)
    held turning          value 2 v, (w, v) = quaternion of R_PC, w >= 0
                          rate G ω in P's axes, G = w 1 - [v]                 acceleration Ġ ω + G ω̇

A row's acceleration is what its wrenches take from the bodies' accelerations, and `swing`, the products of velocities.
"""

from hitogata.lanes import inline, kernel
from hitogata.loops.layout import GIMBAL, HELD, HINGE_TURNING
from hitogata.spatial import Force, Mat3, Motion, Vec3, cols, cross, dot, length, power, quaternion_of, skew
from hitogata.spatial import rows as rows_of

TINY = 1e-30


@kernel
def write_rows(tree, limbs, links):
    """All rows of all virtual links, but for what comes through the bodies' accelerations."""
    for k in range(links.total):
        write_link(tree, limbs, links.link[k], links.number[k], links.row)


@kernel
def write_link(tree, limbs, link, number, rows):
    """The rows of one virtual link."""
    a = limbs[link.body_a]
    rot_c = a.rot @ number.rot_a
    arm_a = a.rot @ number.pos_a
    omega_a, place, speed = a.omega, a.pos + arm_a, a.speed + cross(a.omega, arm_a)
    omega_b, rot_p, pos_b = Vec3(0.0, 0.0, 0.0), number.rot_b, Vec3(0.0, 0.0, 0.0)
    arm_p, speed_p = number.pos_b, Vec3(0.0, 0.0, 0.0)
    if link.body_b >= 0:
        b = limbs[link.body_b]
        rot_p, arm_p = b.rot @ number.rot_b, b.rot @ number.pos_b
        omega_b, pos_b, speed_p = b.omega, b.pos, b.speed + cross(b.omega, arm_p)
    r = place - pos_b - arm_p
    n = link.first
    if link.rod == 1:
        write_rod(rows[n], r, speed - speed_p, number.length, arm_a, arm_p, omega_a, omega_b)
    else:
        u = speed - speed_p - cross(omega_b, r)
        (x, y, z), (_, c_y, c_z) = cols(rot_p), cols(rot_c)
        if link.hold_x == 1:
            write_slide(rows[n], x, r, u, arm_a, place - pos_b, omega_a, omega_b)
            n += 1
        if link.hold_y == 1:
            write_slide(rows[n], y, r, u, arm_a, place - pos_b, omega_a, omega_b)
            n += 1
        if link.hold_z == 1:
            write_slide(rows[n], z, r, u, arm_a, place - pos_b, omega_a, omega_b)
            n += 1
        if link.turning == HELD:
            write_held(rows[n], rows[n + 1], rows[n + 2], rot_p, rot_c, omega_a, omega_b)
        elif link.turning == HINGE_TURNING:
            write_angle(rows[n], -c_z, y, omega_a, omega_b)
            write_angle(rows[n + 1], c_z, x, omega_a, omega_b)
        elif link.turning == GIMBAL:
            write_angle(rows[n], -c_y, x, omega_a, omega_b)


@kernel
def write_slide(row, n, r, u, arm_a, arm_b, omega_a, omega_b):
    """C may not slide along n."""
    row.on_a = Force(cross(arm_a, n), n)
    row.on_b = Force(cross(arm_b, n), n) * -1.0
    row.value = dot(n, r)
    row.rate = dot(n, u)
    row.swing = dot(n, turned(omega_a, arm_a) - turned(omega_b, arm_b) - cross(omega_b, u) * 2.0)


@inline
def turned(omega, arm):
    """Acceleration towards the axis."""
    return cross(omega, cross(omega, arm))


@kernel
def write_rod(row, r, rate, rest, arm_a, arm_p, omega_a, omega_b):
    """The distance of two points stays."""
    distance = length(r)
    n = r * (1.0 / (distance + TINY))
    row.on_a = Force(cross(arm_a, n), n)
    row.on_b = Force(cross(arm_p, n), n) * -1.0
    row.value = distance - rest
    along = dot(n, rate)
    row.rate = along
    bend = (dot(rate, rate) - along * along) / (distance + TINY)
    row.swing = dot(n, turned(omega_a, arm_a) - turned(omega_b, arm_p)) + bend


@kernel
def write_angle(row, e, g, omega_a, omega_b):
    """A direction e of C stays perpendicular to g of P."""
    t, omega = cross(e, g), omega_a - omega_b
    none = Vec3(0.0, 0.0, 0.0)
    row.on_a = Force(t, none)
    row.on_b = Force(t * -1.0, none)
    row.value = dot(e, g)
    row.rate = dot(omega, t)
    row.swing = dot(omega, cross(cross(omega_a, e), g) + cross(e, cross(omega_b, g)))


@kernel
def write_held(first, second, third, rot_p, rot_c, omega_a, omega_b):
    """C may not turn against P."""
    (v, rate, swing), turns = held_numbers(rot_p, rot_c, omega_a, omega_b)
    x, y, z = rows_of(turns)
    write_turn(first, x, v.x, rate.x, swing.x)
    write_turn(second, y, v.y, rate.y, swing.y)
    write_turn(third, z, v.z, rate.z, swing.z)


@kernel
def write_turn(row, t, value, rate, swing):
    """One of the three rows of a held turning."""
    none = Vec3(0.0, 0.0, 0.0)
    row.on_a = Force(t, none)
    row.on_b = Force(t * -1.0, none)
    row.value = value
    row.rate = rate
    row.swing = swing


@inline
def held_numbers(rot_p, rot_c, omega_a, omega_b):
    """(2 v, its rate, its swing), and G R_PW: rows are torques, world axes."""
    quat = quaternion_of(rot_p.T @ rot_c)
    omega = rot_p.T @ (omega_a - omega_b)
    gain = turn_gain(quat.w, quat.v)
    rate = gain @ omega
    change = turn_gain(-0.5 * dot(omega, quat.v), rate * 0.5)
    swing = change @ omega - gain @ (rot_p.T @ cross(omega_b, omega_a))
    return (quat.v * 2.0, rate, swing), gain @ rot_p.T


@inline
def turn_gain(w, v):
    """w 1 - [v]."""
    return Mat3(w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w) - skew(v)


# ------------------------------------------------------- forces and accelerations


@kernel
def add_spring_forces(limbs, links):
    """Compliant links whose force is that of now, -(value + relaxation rate) / compliance: they act on their bodies."""
    for k in range(links.total):
        link, number = links.link[k], links.number[k]
        if link.rigid == 0 and links.row[link.first].lag == 0.0:
            for n in range(link.first, link.first + link.count):
                row, a = links.row[n], limbs[link.body_a]
                row.force = -(row.value + number.relaxation * row.rate) / number.compliance
                a.force = a.force - row.on_a * row.force
                if link.body_b >= 0:
                    b = limbs[link.body_b]
                    b.force = b.force - row.on_b * row.force


@kernel
def find_drifts(limbs, links, world):
    """Accelerations of all rows, from those of the bodies; `world`: that of the world, as the bodies see it."""
    for k in range(links.total):
        link = links.link[k]
        a = limbs[link.body_a].acceleration
        b = world
        if link.body_b >= 0:
            b = limbs[link.body_b].acceleration
        for n in range(link.first, link.first + link.count):
            row = links.row[n]
            row.drift = row.swing + power(row.on_a, a) + power(row.on_b, b)


@inline
def no_motion():
    """The world at rest."""
    return Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))


@kernel
def wrench_in_frame(limbs, link, number, rows):
    """Wrench on the child about the origin of C, in the axes of P: (torque, force)."""
    total = rows[link.first].on_a * 0.0
    for n in range(link.first, link.first + link.count):
        total = total + rows[n].on_a * rows[n].force
    a = limbs[link.body_a]
    arm = a.rot @ number.pos_a
    rot_p = number.rot_b
    if link.body_b >= 0:
        rot_p = limbs[link.body_b].rot @ number.rot_b
    return seen(rot_p, total, arm)


@inline
def seen(rot, wrench, arm):
    """A wrench about the end of an arm, in the axes of a frame."""
    return Force(rot.T @ (wrench.ang - cross(arm, wrench.lin)), rot.T @ wrench.lin)
