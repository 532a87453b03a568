"""How the bodies of a tree move: scratch of a step, motions from joint velocities, what acts on a tree."""

from typing import NamedTuple

from hitogata.dynamics.factor import whiten
from hitogata.dynamics.joints import about, add_felt, driven, is_floating
from hitogata.dynamics.layout import velocities_to
from hitogata.dynamics.world_kinematics import at_rest
from hitogata.dynamics.world_kinematics import carried as carried_along
from hitogata.lanes import any_lane, inline, kernel, lanes, maximum, record, records, tail
from hitogata.spatial import Force, Mat3, Vec3, cross, dot

LEAST = 1e-30
"""A positive number that float32 knows."""


@record
class Reached:
    """Where a body comes to within the step."""

    rot: Mat3
    base: Mat3
    pos: Vec3
    rel: Vec3
    push: Force  # what the bends of its subtree are worth, about the root's origin
    turns: float  # 1: it, or what it hangs on, turns fast enough to be followed
    needed: float  # 1: so does something in its subtree


class Room(NamedTuple):
    """Views of scratch."""

    pushed: lanes  # type: ignore[valid-type]  # (nv,): impulses of springs and pushes
    start: lanes  # type: ignore[valid-type]  # (nv,): whitened velocities, if bodies moved by J v
    half: lanes  # type: ignore[valid-type]  # (nv,): what half a step of gravity adds to them
    v: lanes  # type: ignore[valid-type]  # (nv,)
    next: lanes  # type: ignore[valid-type]  # (nv,)
    old: lanes  # type: ignore[valid-type]  # (nv,): `next` of the last round
    change: lanes  # type: ignore[valid-type]  # (nv,): `next` less `v`, of the last round
    q: lanes  # type: ignore[valid-type]  # (nq,)
    reached: records  # type: ignore[valid-type]


@kernel
def open_room(scene, spare):
    """Views of scratch, behind what `geometric stiffness` needs of it."""
    nv = scene.tree.nv
    pushed = tail(spare, nv * scene.chains.stride + nv)
    start, half, v = tail(pushed, nv), tail(pushed, 2 * nv), tail(pushed, 3 * nv)
    after, old, change, q = tail(pushed, 4 * nv), tail(pushed, 5 * nv), tail(pushed, 6 * nv), tail(pushed, 7 * nv)
    return Room(pushed, start, half, v, after, old, change, q, records(tail(q, scene.tree.nq), Reached))


@kernel
def is_free(tree, root):
    """Is the momentum of a tree its own to keep?"""
    return is_floating(tree.joint[root]) and tree.joint[root].parent < 0


@kernel
def is_limp(tree, control, root, end):
    """Whether nothing but gravity, dampers and its joints acts on a tree, as far as it depends on the user.

    One that is free falls as a whole, whatever acts inside.
    """
    limp = control.pulled[0] == 0.0
    if is_floating(tree.joint[root]):
        end = root + 1
    for i in range(root, end):
        joint, motor = tree.joint[i], control.motor[i]
        limp = limp & (motor.stiffness == 0.0)
        for k in range(joint.iv, joint.iv + joint.count):
            limp = limp & (control.push[k] == 0.0)
    return limp


@kernel
def is_loose(tree, control, root):
    """Is a body free, without springs and dampers?"""
    if not is_free(tree, root):
        return False
    motor = control.motor[root]
    return not any_lane((motor.stiffness > 0.0) | (motor.damping + tree.body[root].damping > 0.0))


@kernel
def led_by_nobody(tree, root):
    """Whether a tree's momentum is its own: not if its free root has an armature (`strands`)."""
    if is_floating(tree.joint[root]):
        return tree.body[root].armature == 0.0
    return True


@kernel
def fastest_turning(state, root, end):
    """Square of the fastest turning of the bodies of a tree [rad²/s²]."""
    fastest = state.carried[root].spin.x * 0.0
    for i in range(root, end):
        spin = state.carried[i].spin
        fastest = maximum(fastest, dot(spin, spin))
    return fastest


@kernel
def move_bodies(scene, v, root, end):
    """J v: motion of each body's origin."""
    for i in range(root, end):
        move_body(scene.tree.joint[i], scene.tree.body[i], scene.placed, i, v)


@kernel
def move_body(joint, body, work, i, v):
    """The same of one body; its parent's is known."""
    placed = work[i]
    if joint.parent >= 0:
        parent = work[joint.parent]
        motion = carried_along(parent.motion, placed.rel - parent.rel)
    else:
        motion = at_rest()
    placed.motion = driven(joint, body, placed, v, motion)


@kernel
def whiten_velocities(scene, v, root, end):
    """x = L v for the bodies of a tree."""
    tree, chains, mass, stride = scene.tree, scene.chains, scene.mass, scene.chains.stride
    for i in range(root, end):
        joint = tree.joint[i]
        for k in range(joint.iv, joint.iv + joint.count):
            row, depth = k * stride, joint.depth + k - joint.iv
            value = v[k] / mass[row + depth]
            for j in range(depth):
                value = value + mass[row + j] * v[chains.velocity[i * stride + j]]
            if joint.arguments > 0:
                value = value * 0.0
            scene.x[k] = value


@inline
def weight_of(inertia, gravity):
    """Wrench of gravity about the root's origin."""
    return Force(cross(inertia.moment, gravity), gravity * inertia.mass)


@kernel
def half_kick(scene, x, h, root, end):
    """What half a step of gravity adds to the whitened velocities of a tree."""
    tree = scene.tree
    for k in range(tree.joint[root].iv, velocities_to(tree, end)):
        x[k] = scene.x[k] * 0.0
    for i in range(root, end):
        placed = scene.placed[i]
        add_push(tree.joint[i], tree.body[i], placed, x, weight_of(placed.inertia, tree.gravity * (0.5 * h)))
    whiten(tree, scene.chains, scene.mass, x, root, end)


@kernel
def add_push(joint, body, placed, x, force):
    """Add a wrench on a body, about its root's origin, to the momenta of its joint."""
    add_felt(joint, body, placed, about(placed.rel, force), x, joint.iv)
