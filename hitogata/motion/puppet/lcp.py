"""Pushes against walls: w = s + M p, with w >= 0, p >= 0 and one of them zero, for each wall.

M is symmetric and positive definite.  Block principal pivoting (Júdice & Pires 1994): guess which walls are pressed,
solve w = 0 for them, and turn over every guess that came out wrong; the guess of the last step is mostly right.
Turning over many at once may go round in circles: if their number has not fallen for a while, only the last wrong one
is turned, which ends for every positive definite M (Murty 1974).

In lanes each character has its own guess: a wall that is not pressed keeps its row of the matrix, as that of the unit
matrix.
"""

from hitogata.lanes import all_lanes, inline, kernel, maximum, sqrt, where

CHANCES = 3.0
"""How often the number of wrong guesses may fail to fall before they are turned one by one."""

SMALL = 1e-11
"""Distances and speeds below this count as zero [rad], [m]."""


@kernel
def press(bench, walls, most):
    """Find the pushes; `workspace.wall[...].pressed` is the guess, before and after."""
    wall, slack = bench.wall, bench.slack
    best, chances = slack[0] * 0.0 + 1e9, slack[0] * 0.0 + CHANCES
    for _ in range(most):
        solve_pressed(bench, walls)
        wrong = slack[0] * 0.0
        for a in range(walls):
            wrong = wrong + is_wrong(wall[a].pressed, wall[a].push, wall[a].rate, bench.among[a * walls + a])
        if all_lanes(wrong < 0.5):
            return
        fewer = wrong < best
        best = where(fewer, wrong, best)
        chances = where(fewer, CHANCES, chances - 1.0)
        left = slack[0] * 0.0 + 1.0
        for a in range(walls - 1, -1, -1):
            bad = is_wrong(wall[a].pressed, wall[a].push, wall[a].rate, bench.among[a * walls + a])
            turn = where(chances >= 0.0, bad, bad * left)
            left = left * (1.0 - turn)
            wall[a].pressed = where(turn > 0.5, 1.0 - wall[a].pressed, wall[a].pressed)
    for a in range(walls):
        wall[a].push = maximum(wall[a].push, 0.0)


@inline
def is_wrong(pressed, push, rate, own):
    """1 if a pressed wall would have to pull, or a free one is run through."""
    return where(where(pressed > 0.5, push * own, rate) < -SMALL, 1.0, 0.0)


@kernel
def solve_pressed(bench, walls):
    """Pushes that stop all pressed walls, by Cholesky's factor; and the rates of all walls then."""
    wall, m, slack, among = bench.wall, bench.pivot, bench.slack, bench.among
    for a in range(walls):
        for b in range(a + 1):
            both = wall[a].pressed * wall[b].pressed
            value = among[a * walls + b] * both
            if a == b:
                value = value + (1.0 - both)
            for k in range(b):
                value = value - m[a * walls + k] * m[b * walls + k]
            if a == b:
                m[a * walls + a] = 1.0 / sqrt(value)
            else:
                m[a * walls + b] = value * m[b * walls + b]
        value = -slack[a] * wall[a].pressed
        for k in range(a):
            value = value - m[a * walls + k] * wall[k].push
        wall[a].push = value * m[a * walls + a]
    for a in range(walls - 1, -1, -1):
        value = wall[a].push * m[a * walls + a]
        wall[a].push = value
        for k in range(a):
            wall[k].push = wall[k].push - m[a * walls + k] * value
    for a in range(walls):
        rate = slack[a]
        for b in range(walls):
            if b <= a:
                rate = rate + among[a * walls + b] * wall[b].push
            else:
                rate = rate + among[b * walls + a] * wall[b].push
        wall[a].rate = rate
