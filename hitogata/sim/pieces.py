"""Into how many pieces a step is cut: where something turns fast, or slides fast along a wall."""

from hitogata.dynamics.joints import is_ball, is_floating, speeds
from hitogata.lanes import floor, inline, kernel, maximum, minimum, sqrt, where
from hitogata.sim.impacts import is_led
from hitogata.spatial import dot, load3

FOREVER = float("inf")
ALONE = 0.8
"""Steps are not cut for a body alone in flight that turns by less than this [rad]."""

WHOLE = 1e-6
"""A step is a whole number of longest pieces if no more than this is left of it: single precision tells no less."""

MOST_PIECES = 16.0
"""A step is not cut into more pieces than this because something is fast, only because it is long."""

LED = 0.08
"""... and not into more than this over the square of a fast turn where that is led: into two, usually.  Hair is not to
make single steps many times as dear as others; who asks for finer turns gets them: walls are left by half their
square."""


@kernel
def fastest(tree, state, h):
    """Speed of the joint that turns fastest, and of that of what is led (`strands`) [rad/s]; infinite if one is not a
    number.

    A body alone that nothing touches turns exactly (`energy_momentum`) if it does so by less than ALONE within h, and
    does not count: nobody else's steps are cut for its sake.
    """
    most, most_led, v, led = 0.0, 0.0, state.mean, False
    for i in range(tree.bodies):
        joint = tree.joint[i]
        if joint.parent < 0:
            led = is_led(tree, i)
        if joint.count > 0:
            turning, _ = speeds(joint, tree.body[i], v)
            if led:
                most_led = not_below(turning, most_led)
            else:
                if is_floating(joint) and joint.end == i + 1 and joint.parent < 0:
                    turning = where((state.owed[i] > 0.0) & (turning * (h * h) < ALONE * ALONE), 0.0, turning)
                most = not_below(turning, most)
    return sqrt(most), sqrt(most_led)


@inline
def not_below(a, b):
    """The greater of two numbers; infinite if a is not a number."""
    return where(a <= b, b, where(a > b, a, FOREVER))


@inline
def square(a):
    """|a|²."""
    return dot(a, a)


@kernel
def sliding(tree, v, rows, joint_rows):
    """Speed of the fastest joint that is pressed on a wall that bends, as those of ranges of ball joints and of several
    joints do; and the same of what is led [rad/s]."""
    most, most_led = 0.0, 0.0
    for a in range(joint_rows):
        joint, up, worst = tree.joint[rows.joint_int[a].body], rows.joint_int[a].several == 1, 0.0
        while True:
            if is_ball(joint):
                worst = where(rows.joint[a].impulse > 0.0, not_below(square(load3(v, joint.iv)), worst), worst)
            elif up and joint.count == 1 and joint.turns == 1:
                rate = v[joint.iv]
                worst = where(rows.joint[a].impulse > 0.0, not_below(rate * rate, worst), worst)
            if not up or joint.parent < 0:
                break
            joint = tree.joint[joint.parent]
        if is_led(tree, rows.joint_int[a].body):
            most_led = maximum(most_led, worst)
        else:
            most = maximum(most, worst)
    return sqrt(most), sqrt(most_led)


@inline
def pieces_for(speeds, slides, h, longest, fast_turn, used):
    """Into how many pieces to cut a step in which something is fast: a whole number, as a float.

    speeds, slides: of `fastest`, of `sliding`; used: pieces that were taken before.
    """
    few = maximum(maximum(floor(LED / (fast_turn * fast_turn) + 0.5) - used, 1.0), floor(h / longest) + 1.0)
    for_led = minimum(cut(speeds[1], slides[1], h, longest, fast_turn), few)
    return maximum(cut(speeds[0], slides[0], h, longest, fast_turn), for_led)


@inline
def cut(speed, slide, h, longest, fast_turn):
    """The same, for one speed.

    None is longer than `longest`; nothing turns by two fast turns in one, or by half a fast turn on the wall of a
    range: walls bend, and what slides along leaves them by half the square of its turn, times how sharply they bend.
    """
    turn, along = speed * h, slide * h
    calm = ((turn <= fast_turn) & (along <= 0.5 * fast_turn)) | (longest == FOREVER)
    wanted = maximum(turn / (2.0 * fast_turn), along / (0.5 * fast_turn))
    few = maximum(floor(wanted), floor(h / longest * (1.0 - WHOLE))) + 1.0
    many = maximum(floor(h / longest), MOST_PIECES)
    return where(calm, 1.0, where(wanted >= MOST_PIECES, many, few))
