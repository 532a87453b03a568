"""What the kinds of joints do, for kernels: the one place where these know kinds.

A joint moves its body by columns S, one for each of its velocities (MuJoCo's `cdof`):

    motion of M in F  S v          generalized force of a wrench f  Sᵀ f          mass matrix  Sᵀ I S

all in world axes at the origin of the body's frame K.  Columns are fixed in the parent: Ṡ = ω_P × S.  K stands
so that a joint of one velocity moves about and along its z axis:

| kind  | S                                        | q                    | of the figure's joints   |
|-------|------------------------------------------|----------------------|--------------------------|
| HINGE | [z; 0]                                   | angle                | hinge, half a universal  |
| SCREW | [turn z; slide z]                        | its coordinate       | slider (turn 0), screw   |
| BALL  | [x y z of F; 0]                          | quaternion           | ball                     |
| FREE  | [x y z of F; 0], [0; x y z of F]         | position, quaternion | free                     |
| FIXED | none                                     | none                 | fixed                    |

A hinge is a screw of turn 1 and slide 0; it is a kind of its own because most joints are hinges, and zeros cost time.
Besides what is here, a kind is known where joints give way in the articulated-body recursion (`aba_joint`).
`placed` is a record of a body with `rot` (R_WK) and `base` (R_WF); `body` its constants.
"""

from hitogata.lanes import absolute, inline, kernel, sincos, where
from hitogata.spatial import (
    Force,
    Motion,
    Vec3,
    conjugate,
    cross,
    dot,
    load3,
    load_quaternion,
    load_rotation,
    rotation_vector,
    store3,
    store_quaternion,
    turn_by,
    turned_about_z,
    unit,
)

FREE, BALL, HINGE, SCREW, FIXED = 0, 1, 2, 3, 4
VELOCITIES = {FREE: 6, BALL: 3, HINGE: 1, SCREW: 1, FIXED: 0}


@inline
def axis_of(rot):
    """z axis of a frame."""
    return Vec3(rot.xz, rot.yz, rot.zz)


@kernel
def is_floating(joint):
    """Whether it is a free joint: then its body is the root of a tree that nothing holds."""
    return joint.kind == FREE


@kernel
def is_ball(joint):
    """Whether it is a ball joint, whose range is a region and whose coordinates are a quaternion."""
    return joint.kind == BALL


# ------------------------------------------------------- pose


@kernel(inline=True)
def turned(joint, body, base, q):
    """R_WK, for the axes of the joint on its parent's side, R_WF."""
    if joint.kind == HINGE:
        sin, cos = sincos(q[joint.iq])
        return turned_about_z(base, sin, cos)
    if joint.kind == BALL:
        return base @ load_rotation(q, joint.iq)
    if joint.kind == FREE:
        return base @ load_rotation(q, joint.iq + 3)
    if joint.kind == SCREW and joint.turns == 1:
        sin, cos = sincos(q[joint.iq] * body.turn)
        return turned_about_z(base, sin, cos)
    return base


@kernel(inline=True)
def slid(joint, body, base, q):
    """Where the body's origin is from F's, in world axes; zero unless `joint.slides`."""
    if joint.kind == FREE:
        return base @ load3(q, joint.iq)
    return axis_of(base) * (q[joint.iq] * body.slide)


# ------------------------------------------------------- columns


@kernel(inline=True)
def column(joint, body, placed, c):
    """Column c of S."""
    none = axis_of(placed.base) * 0.0
    if joint.kind == HINGE:
        return Motion(axis_of(placed.rot), none)
    if joint.kind == SCREW:
        axis = axis_of(placed.rot)
        return Motion(axis * body.turn, axis * body.slide)
    if c < 3:
        return Motion(column_of(placed.base, c), none)
    return Motion(none, column_of(placed.base, c - 3))


@kernel(inline=True)
def column_of(rot, c):
    """Column of a rotation matrix."""
    if c == 0:
        return Vec3(rot.xx, rot.yx, rot.zx)
    if c == 1:
        return Vec3(rot.xy, rot.yy, rot.zy)
    return axis_of(rot)


@kernel(inline=True)
def driven(joint, body, placed, rates, motion):
    """A motion, and on top S times the joint's rates (v or vdot)."""
    iv = joint.iv
    if joint.kind == HINGE:
        return Motion(motion.ang + axis_of(placed.rot) * rates[iv], motion.lin)
    if joint.kind == BALL:
        return Motion(motion.ang + placed.base @ load3(rates, iv), motion.lin)
    if joint.kind == FREE:
        return Motion(motion.ang + placed.base @ load3(rates, iv), motion.lin + placed.base @ load3(rates, iv + 3))
    if joint.kind == SCREW:
        way = axis_of(placed.rot) * rates[iv]
        return Motion(motion.ang + way * body.turn, motion.lin + way * body.slide)
    return motion


@kernel
def driven_by(joint, body, placed, row):
    """S times three rates, of which a joint of one velocity takes the first; not for free joints."""
    none = axis_of(placed.base) * 0.0
    if joint.kind == BALL:
        return Motion(placed.base @ row, none)
    axis = axis_of(placed.rot) * row.x
    if joint.kind == HINGE:
        return Motion(axis, none)
    return Motion(axis * body.turn, axis * body.slide)


@kernel(inline=True)
def felt(joint, body, placed, force, view, at):
    """view[at], ... = Sᵀ f, of a wrench about the body's origin."""
    if joint.kind == HINGE:
        view[at] = dot(axis_of(placed.rot), force.ang)
    elif joint.kind == BALL:
        store3(view, at, placed.base.T @ force.ang)
    elif joint.kind == FREE:
        store3(view, at, placed.base.T @ force.ang)
        store3(view, at + 3, placed.base.T @ force.lin)
    elif joint.kind == SCREW:
        view[at] = dot(axis_of(placed.rot), force.ang * body.turn + force.lin * body.slide)


@kernel
def add_felt(joint, body, placed, force, view, at):
    """Add Sᵀ f to view[at], ..."""
    if joint.kind == HINGE:
        view[at] = view[at] + dot(axis_of(placed.rot), force.ang)
    elif joint.kind == BALL:
        store3(view, at, load3(view, at) + placed.base.T @ force.ang)
    elif joint.kind == FREE:
        store3(view, at, load3(view, at) + placed.base.T @ force.ang)
        store3(view, at + 3, load3(view, at + 3) + placed.base.T @ force.lin)
    elif joint.kind == SCREW:
        view[at] = view[at] + dot(axis_of(placed.rot), force.ang * body.turn + force.lin * body.slide)


@kernel
def through(joint, body, placed, force):
    """S Sᵀ f: how the body moves if each of the joint's velocities gives way to a wrench about its origin by 1."""
    if joint.kind == FREE:
        return Motion(force.ang, force.lin)
    none = axis_of(placed.base) * 0.0
    if joint.kind == BALL:
        return Motion(force.ang, none)
    axis = axis_of(placed.rot)
    if joint.kind == HINGE:
        return Motion(axis * dot(axis, force.ang), none)
    axis = axis * dot(axis, force.ang * body.turn + force.lin * body.slide)
    return Motion(axis * body.turn, axis * body.slide)


@inline
def about(pos, force):
    """A wrench about the root's origin, about pos."""
    return Force(force.ang - cross(pos, force.lin), force.lin)


@inline
def moved_column(s, arm):
    """A column at a point `arm` away."""
    return Motion(s.ang, s.lin + cross(s.ang, arm))


# ------------------------------------------------------- coordinates


@kernel
def move_on(joint, q, v, h, out):
    """out = q ⊞ h v for one joint; `out` may be q."""
    iq, iv = joint.iq, joint.iv
    if joint.kind == BALL:
        store_quaternion(out, iq, turned_for(load_quaternion(q, iq), load3(v, iv), h))
    elif joint.kind == FREE:
        store3(out, iq, load3(q, iq) + load3(v, iv + 3) * h)
        store_quaternion(out, iq + 3, turned_for(load_quaternion(q, iq + 3), load3(v, iv), h))
    elif joint.count == 1:
        out[iq] = q[iq] + v[iv] * h


@inline
def turned_for(quat, rate, h):
    """A quaternion turned at a rate for time h; the rate is in the axes of the frame it turns in."""
    return unit(turn_by(rate * h) @ quat)


@kernel
def difference_of(joint, start, end, out):
    """out = end ⊟ start for one joint: the change with start ⊞ change = end."""
    iq, iv = joint.iq, joint.iv
    if joint.kind == BALL:
        store3(out, iv, turn_between(load_quaternion(start, iq), load_quaternion(end, iq)))
    elif joint.kind == FREE:
        store3(out, iv, turn_between(load_quaternion(start, iq + 3), load_quaternion(end, iq + 3)))
        store3(out, iv + 3, load3(end, iq) - load3(start, iq))
    elif joint.count == 1:
        out[iv] = end[iq] - start[iq]


@inline
def turn_between(start, end):
    """Rotation vector that takes one orientation to another; not finite if `end` is not unit.

    (Of `start`, which stands where others have q, the status is found out in `batches`.)
    """
    poison = 1.0 / (1.0 - off_unit(end.w, end.x, end.y, end.z))
    return rotation_vector(unit(end) @ conjugate(unit(start))) * poison


@inline
def off_unit(w, x, y, z):
    """1 unless the norm of a quaternion is 1 within 1e-6 (also for NaN)."""
    return where(absolute(w * w + x * x + y * y + z * z - 1.0) < 2e-6, 0.0, 1.0)


@kernel
def off_coordinates(joint, q):
    """0 if a joint's coordinates are finite and their quaternion is unit, else not."""
    at = joint.iq
    if joint.kind == BALL:
        return off_unit(q[at], q[at + 1], q[at + 2], q[at + 3])
    if joint.kind == FREE:
        wrong = q[at] * 0.0 + q[at + 1] * 0.0 + q[at + 2] * 0.0
        return wrong + off_unit(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
    if joint.count == 1:
        return q[at] * 0.0
    return q[0] * 0.0


@kernel
def go_part(joint, start, share, short, q):
    """Coordinates of a joint at a share of the way from where it was, where `short`."""
    iq = joint.iq
    if joint.kind == BALL:
        turn_part(start, iq, share, short, q)
    elif joint.kind == FREE:
        begin, end = load3(start, iq), load3(q, iq)
        store3(q, iq, where(short, begin + (end - begin) * share, end))
        turn_part(start, iq + 3, share, short, q)
    elif joint.count == 1:
        q[iq] = where(short, start[iq] + (q[iq] - start[iq]) * share, q[iq])


@kernel
def turn_part(start, iq, share, short, q):
    """The same of an orientation, the short way; none of it leaves it where it was, bit for bit."""
    begin, end = load_quaternion(start, iq), load_quaternion(q, iq)
    moved = where(share > 0.0, part_way(begin, end, share), begin)
    store_quaternion(q, iq, where(short, moved, end))


@inline
def part_way(begin, end, share):
    """Orientation at a share of the way."""
    return unit(turn_by(rotation_vector(end @ conjugate(begin)) * share) @ begin)


# ------------------------------------------------------- how fast


@kernel
def speeds(joint, body, v):
    """How fast it turns [rad/s] and how fast it slides [m/s], squared."""
    iv = joint.iv
    if joint.kind == HINGE:
        return v[iv] * v[iv], v[iv] * 0.0
    if joint.kind == BALL:
        rate = load3(v, iv)
        return dot(rate, rate), rate.x * 0.0
    if joint.kind == FREE:
        rate, way = load3(v, iv), load3(v, iv + 3)
        return dot(rate, rate), dot(way, way)
    if joint.kind == SCREW:
        turn, way = v[iv] * body.turn, v[iv] * body.slide
        return turn * turn, way * way
    return v[0] * 0.0, v[0] * 0.0
