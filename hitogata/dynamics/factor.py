"""The mass matrix as rows along chains, and its factor M = Lᵀ L (Featherstone 2005).

The velocities that move a body, from the root outwards, are its *chain*; a joint's `depth` is how many of them come
before its own.  A row of M has numbers only along its chain, so it is stored there one after the other, from the root
outwards, `stride` numbers apart from the next row.  Two chains share a beginning and then part: no fill-in, no search,
and every inner loop runs over neighbours in memory.

With x = L v and y = J L⁻¹ ("whitened"), a row's speed J v is y · x, and what an impulse in one row does to another,
J M⁻¹ Jᵀ, is y · y.
"""

from typing import NamedTuple

from hitogata.dynamics.followers import fold
from hitogata.lanes import kernel, lanes, packed, sqrt
from hitogata.spatial import dot, load_down


class Chains(NamedTuple):
    """Views of the chains of a tree."""

    stride: int  # room for one chain, a multiple of 8
    velocity: lanes  # type: ignore[valid-type]  # (bodies, stride): the velocities that move a body
    argument: lanes  # type: ignore[valid-type]  # of those that follow others, see `followers`
    slope: lanes  # type: ignore[valid-type]


@kernel
def shared_depth(tree, a, b):
    """How many velocities the chains of two bodies have in common."""
    while a >= 0 and not (a <= b < tree.joint[a].end):
        a = tree.joint[a].parent
    if a < 0:
        return 0
    return tree.joint[a].depth + tree.joint[a].count


@kernel
def factorise(tree, chains, mass, first, end):
    """M = Lᵀ L for whole trees, bodies first <= i < end.  Row k of L overwrites that of M; the diagonal holds 1 / L_kk.

    Loops over parts of rows may run beyond the diagonal: nobody reads there.
    """
    stride, many = chains.stride, packed(mass)
    for i in range(end - 1, first - 1, -1):
        joint = tree.joint[i]
        row, depth, chain = joint.iv * stride, joint.depth, i * stride
        if joint.arguments > 0:
            fold(chains, joint, i, mass)
            continue
        factorise_own(mass, many, row, depth, joint.count, stride)
        if joint.count == 3:
            for j in range(depth):
                above, factor = chains.velocity[chain + j] * stride, load_down(mass, row + j, stride)
                for m in range(0, j + 1, many.step):
                    many[above + m] = many[above + m] - dot(load_down(many, row + m, stride), factor)
        else:
            for k in range(joint.count):
                this = row + k * stride
                for j in range(depth):
                    above, value = chains.velocity[chain + j] * stride, mass[this + j]
                    for m in range(0, j + 1, many.step):
                        many[above + m] = many[above + m] - many[this + m] * value


@kernel
def factorise_own(mass, many, row, depth, count, stride):
    """The rows of one joint, among themselves, the last first."""
    for k in range(count - 1, -1, -1):
        this, end = row + k * stride, depth + k
        scale = 1.0 / sqrt(mass[this + end])
        for m in range(0, end, many.step):
            many[this + m] = many[this + m] * scale
        mass[this + end] = scale
        for j in range(k):
            value = mass[this + depth + j]
            for m in range(0, depth + j + 1, many.step):
                many[row + j * stride + m] = many[row + j * stride + m] - many[this + m] * value


@kernel
def whiten(tree, chains, mass, x, first, end):
    """x = L⁻ᵀ x for bodies first <= i < end, whole trees: from momenta to whitened velocities."""
    for i in range(end - 1, first - 1, -1):
        whiten_joint(tree.joint[i], chains, mass, x, i)


@kernel
def whiten_joint(joint, chains, mass, x, i):
    """Its part of a joint, of body i; those of the bodies that hang on it are done."""
    stride = chains.stride
    for k in range(joint.iv + joint.count - 1, joint.iv - 1, -1):
        row, depth = k * stride, joint.depth + k - joint.iv
        value = x[k] * mass[row + depth]
        x[k] = value
        for j in range(depth):
            above = chains.velocity[i * stride + j]
            x[above] = x[above] - mass[row + j] * value


@kernel
def unwhiten(tree, chains, mass, x, v):
    """v = L⁻¹ x: from whitened velocities to velocities."""
    unwhiten_trees(tree, chains, mass, x, v, 0, tree.bodies)


@kernel
def unwhiten_trees(tree, chains, mass, x, v, first, end):
    """The same for bodies first <= i < end, whole trees."""
    for i in range(first, end):
        unwhiten_joint(tree.joint[i], chains, mass, x, v, i)


@kernel
def unwhiten_joint(joint, chains, mass, x, v, i):
    """Its part of a joint, of body i; those of the bodies that it hangs on are done."""
    stride = chains.stride
    for k in range(joint.iv, joint.iv + joint.count):
        row, depth = k * stride, joint.depth + k - joint.iv
        value = x[k]
        for j in range(depth):
            value = value - mass[row + j] * v[chains.velocity[i * stride + j]]
        v[k] = value * mass[row + depth]
