"""Motors with effort limits: a joint's spring and damper, and no more than its limit L.

With e the error, K the spring, C the damper (`constraints.springs.damper_of`) and D' the part of it that is the joint's
own, a motor would give -K e - (C - D') (v⁺ - rate), v⁺ the velocity at the end of the step.  It gives

    f = that, where it is within [-L, L];   else the end of this interval that is nearer

Motors within their limits are implicit springs on the diagonal of the mass matrix; one at its limit is a constant
force, ±L, and not in the matrix.  Which they are is supposed first, as in the last step, and known once v⁺ is: if any
motor was mistaken the step is taken again, with others at their limits (`motor_search`): mostly once more, when a motor
comes to its limit or leaves it.  From SETTLING passes on motors only go to their limits and never back, so that it ends
in any case, and no force is ever greater than its limit.

Limits are those of each velocity: of a ball joint, of each of the three axes of its parent's side.
"""

from hitogata.constraints.springs import damper_of
from hitogata.lanes import absolute, any_lane, copysign, inline, kernel, maximum, where
from hitogata.spatial import Vec3

UNLIMITED = float("inf")
"""Limit of a motor that has none."""

SETTLING = 40.0
"""After so many passes, motors no longer leave their limits within the step."""

CLOSE = 1e-9
"""A motor at its limit stays there if it would give this share of it less."""


@inline
def at_limit(force, limit):
    """Is a motor supposed to be at its limit?  force: of the last substep, or what the last pass supposes."""
    return absolute(force) >= limit


@inline
def beyond_limit(force, limit, damper, passive, drive):
    """Damper in the matrix, and force at zero velocity, of a motor that may be at its limit."""
    held = at_limit(force, limit)
    return where(held, passive, damper), where(held, copysign(limit, force), drive)


@inline
def unless_limited(pull, force, limit):
    """A ball joint's spring, but for the axes at their limits."""
    return Vec3(
        where(at_limit(force.x, limit), 0.0, pull.x), where(at_limit(force.y, limit), 0.0, pull.y),
        where(at_limit(force.z, limit), 0.0, pull.z),
    )  # fmt: skip


@kernel
def note_motors(tree, drive, guess, state, control, law, passes):
    """After a step: what all motors did, into `state.motor`, and what to suppose if it is taken again, into `guess`.

    drive: what they would do at zero velocity, (nv,).
    Returns 1 if any motor at its limit should not have been, or should have been and was not; else 0.
    """
    mistaken = 0.0
    for i in range(tree.bodies):
        joint, motor, passive = tree.joint[i], control.motor[i], tree.body[i].damping
        damper = damper_of(motor.stiffness, motor.damping + passive, law.h, law.theta) - passive
        limited = any_lane(motor.limit < UNLIMITED)
        for k in range(joint.iv, joint.iv + joint.count):
            force = drive[k] - damper * state.mean[k]
            if limited:
                mistaken = maximum(mistaken, judge_motor(state.motor, guess, k, force, motor.limit, passes))
            else:
                state.motor[k] = force
                guess[k] = force
    return mistaken


@kernel
def judge_motor(motor, guess, k, force, limit, passes):
    """One motor, whose law gives `force`; returns 1 if it was mistaken, else 0."""
    before = motor[k]
    held = at_limit(before, limit)
    weaker = force * copysign(1.0, before) < limit * (1.0 - CLOSE)  # not of what is not a number
    over = absolute(force) > limit
    wrong = where(held, where((passes < SETTLING) & weaker, 1.0, 0.0), where(over, 1.0, 0.0))
    given = where(held, copysign(limit, before), force)
    motor[k] = given
    bounded = where(over, copysign(limit, force), force)
    guess[k] = where(wrong > 0.0, bounded, given)
    return wrong


@kernel
def suppose(guess, motor, count, again):
    """Before a step is taken again: what to suppose of motors, where it is."""
    for k in range(count):
        motor[k] = where(again, guess[k], motor[k])
