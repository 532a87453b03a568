"""Coordinates that follow others, inside kernels: joints that are functions of coordinates, couplers.

A joint that follows functions is, in the tree of bodies, first its coordinates, bodies that do not move (a screw of
turn 0 and slide 0 each), then its screws, whose own coordinates follow:

    q_s = F(q_a, ...)        v_s = Σ g_a v_a        g = ∂F/∂q

Arguments stand before those that follow them on the way from the root (see `follower_model`), so that the mass matrix
keeps its form.  With an infinite mass m for the difference v_s - Σ g_a v_a it is M + m (e_s - g)(e_s - g)ᵀ, and its
factor has in row s, for m -> ∞,

    L_s = √m (e_s - g)       M_ab += g_a M_sb + g_b M_sa + g_a g_b M_ss       for a, b before s

so whitening carries forces on s over to its arguments, and v = L⁻¹ x follows exactly, with no other change of any
kernel.  (√m is a finite number here, which cancels.)
"""

from typing import NamedTuple

from hitogata.figure.mechanism.program import ARGUMENT, CONSTANT, LINE, PIECES, POLYNOMIAL, PRODUCT, SINE, SUM
from hitogata.lanes import kernel, lanes, sincos, where

GRADIENT = 6
"""Arguments of a function, at the most."""

REGISTER = GRADIENT + 1
"""Numbers of a register: value and gradient."""

PIECE = 7
"""Numbers of a piece: origin, and six coefficients, the highest power first."""

ROOT = 1e18
"""√m; its square must be finite in single precision."""


class Followers(NamedTuple):
    """Views of the coordinates that follow others."""

    total: int
    body: lanes  # type: ignore[valid-type]  # int: bodies whose coordinates follow
    argument: lanes  # type: ignore[valid-type]  # int: of each argument its place in q, and on the chain
    program: lanes  # type: ignore[valid-type]  # int: see `figure.mechanism.program`
    numbers: lanes  # type: ignore[valid-type]  # their numbers, width X1
    register: lanes  # type: ignore[valid-type]  # scratch
    slope: lanes  # type: ignore[valid-type]  # ∂F/∂q of each argument


@kernel
def follow(tree, followers, q, first, end):
    """q and slopes of all that follow, of bodies first <= i < end."""
    for n in range(followers.total):
        i = followers.body[n]
        if first <= i < end:
            joint, register = tree.joint[i], followers.register
            at = REGISTER * run_program(followers, joint.first, joint.program, q)
            q[joint.iq] = register[at]
            for k in range(joint.arguments):
                followers.slope[joint.first + k] = register[at + 1 + k]


@kernel
def follow_rates(tree, chains, followers, v):
    """v of all that follow."""
    for n in range(followers.total):
        i = followers.body[n]
        joint, rate = tree.joint[i], v[0] * 0.0
        for k in range(joint.first, joint.first + joint.arguments):
            rate = rate + followers.slope[k] * v[chains.velocity[i * chains.stride + followers.argument[2 * k + 1]]]
        v[joint.iv] = rate


@kernel
def run_program(followers, first, start, q):
    """Run a program; returns the register of its value.  first: its first argument."""
    program, numbers, register = followers.program, followers.numbers, followers.register
    count, zero = program[start], q[0] * 0.0
    for k in range(count):
        row, into = start + 1 + 4 * k, REGISTER * k
        what, a, b, at = program[row], REGISTER * program[row + 1], REGISTER * program[row + 2], program[row + 3]
        if what == ARGUMENT:
            own = program[row + 1]
            for j in range(1, REGISTER):
                register[into + j] = zero
            register[into] = q[followers.argument[2 * (first + own)]]
            register[into + 1 + own] = zero + 1.0
        elif what == CONSTANT:
            for j in range(1, REGISTER):
                register[into + j] = zero
            register[into] = zero + numbers[at]
        elif what == SUM:
            for j in range(REGISTER):
                register[into + j] = register[a + j] + register[b + j]
        elif what == PRODUCT:
            x, y = register[a], register[b]
            for j in range(1, REGISTER):
                register[into + j] = register[a + j] * y + register[b + j] * x
            register[into] = x * y
        else:
            value, slope = of_one(what, register[a], numbers, at)
            for j in range(1, REGISTER):
                register[into + j] = register[a + j] * slope
            register[into] = value
    return count - 1


@kernel
def of_one(what, x, numbers, at):
    """Value and slope of a function of one number."""
    if what == PIECES:
        return of_pieces(x, numbers, at)
    value, slope = x * 0.0, x * 0.0
    if what == LINE:
        slope = slope + numbers[at]
        value = x * numbers[at] + numbers[at + 1]
    elif what == SINE:
        sin, cos = sincos(x * numbers[at + 1] + numbers[at + 2])
        value = sin * numbers[at] + numbers[at + 3]
        slope = cos * (numbers[at] * numbers[at + 1])
    elif what == POLYNOMIAL:
        for k in range(int(numbers[at])):
            slope = slope * x + value
            value = value * x + numbers[at + 1 + k]
    return value, slope


@kernel
def of_pieces(x, numbers, at):
    """The same of a piecewise polynomial."""
    count, zero = int(numbers[at]), x * 0.0
    row = at + 1 + count
    begin = zero + numbers[row]
    c0, c1, c2 = zero + numbers[row + 1], zero + numbers[row + 2], zero + numbers[row + 3]
    c3, c4, c5 = zero + numbers[row + 4], zero + numbers[row + 5], zero + numbers[row + 6]
    for k in range(count):
        past, row = x >= numbers[at + 1 + k], at + 1 + count + PIECE * (k + 1)
        begin, c0 = where(past, numbers[row], begin), where(past, numbers[row + 1], c0)
        c1, c2 = where(past, numbers[row + 2], c1), where(past, numbers[row + 3], c2)
        c3, c4 = where(past, numbers[row + 4], c3), where(past, numbers[row + 5], c4)
        c5 = where(past, numbers[row + 6], c5)
    t = x - begin
    value = ((((c0 * t + c1) * t + c2) * t + c3) * t + c4) * t + c5
    slope = (((5.0 * c0 * t + 4.0 * c1) * t + 3.0 * c2) * t + 2.0 * c3) * t + c4
    return value, slope


@kernel
def fold(chains, joint, body, mass):
    """The row of a velocity that follows, and what its mass means to its arguments; see above."""
    stride, depth = chains.stride, joint.depth
    row, chain, own = joint.iv * stride, body * stride, mass[joint.iv * stride + depth]
    for n in range(joint.first, joint.first + joint.arguments):
        at = row + chains.argument[2 * n + 1]
        mass[at] = mass[at] + own * chains.slope[n] * 0.5
    for n in range(joint.first, joint.first + joint.arguments):
        a, slope = chains.argument[2 * n + 1], chains.slope[n]
        above = chains.velocity[chain + a] * stride
        for m in range(a + 1):
            mass[above + m] = mass[above + m] + mass[row + m] * slope
        for m in range(a, depth):
            at = chains.velocity[chain + m] * stride + a
            mass[at] = mass[at] + mass[row + m] * slope
    for m in range(depth):
        mass[row + m] = own * 0.0
    for n in range(joint.first, joint.first + joint.arguments):
        mass[row + chains.argument[2 * n + 1]] = chains.slope[n] * -ROOT
    mass[row + depth] = own * 0.0 + 1.0 / ROOT
