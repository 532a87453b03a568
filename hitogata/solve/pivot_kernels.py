"""Kernels of principal pivoting for symmetric positive semi-definite A: min ½ λᵀAλ + bᵀλ within the bounds.

`inside` is a set F of rows between their bounds whose speeds are held at zero; A_FF = L Lᵀ is kept factorised and
regular.  All other rows rest, at a bound or where they began.
"""

from typing import Any, NamedTuple

import numpy as np

from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, tail

DONE, OUT_OF_STEPS, UNBOUNDED, NEGATIVE = 0, 1, 2, 3
DEPENDENT = 1e-11
"""A row whose own share of A_ii, s/A_ii, is less than this depends on the rows inside."""
NOISE = 1e-13
"""Speeds below this part of the terms that make them up count as zero."""


class Pivots(NamedTuple):
    """The problem and what pivoting keeps: impulses x, speeds w, sizes of their terms, rows inside, scratch, factor."""

    n: Any
    A: Any
    b: Any
    low: Any
    high: Any
    scales: Any
    x: Any
    w: Any
    terms: Any
    inside: Any  # rows of F in the order of L; [n] holds their number
    is_inside: Any
    y: Any
    c: Any
    L: Any  # like A, row by row, n apart


@entry(A=Floats(2), b=Floats(1), low=Floats(1), high=Floats(1), scales=Floats(1), x=Floats(1, write=True),
       inside=Ints(1, write=True))  # fmt: skip
def pivot(A, b, low, high, scales, x, inside, most):
    """Solve from x on; returns how it ended and the number of pivots."""
    if b.size == 0:
        return DONE, 0
    work, flags = np.zeros(b.size * (b.size + 4)), np.zeros(2 * b.size, np.bool_)
    return _pivot(A, b, low, high, scales, x, inside, most, work, flags)


@kernel
def _pivot(A, b, low, high, scales, x, inside, most, work, flags):
    n, own = b.size, lanes(work, X1)
    rest, is_inside = flags[:n], flags[n:]
    p = Pivots(n, lanes(A, X1), lanes(b, X1), lanes(low, X1), lanes(high, X1), lanes(scales, X1), lanes(x, X1), own,
               tail(own, n), inside, is_inside, tail(own, 2 * n), tail(own, 3 * n), tail(own, 4 * n))  # fmt: skip
    inside[n] = 0
    for i in range(n):
        if p.low[i] < p.x[i] and p.x[i] < p.high[i]:
            enter(p, i, whiten(p, i))
    steps = 0
    while True:
        steps += settle(p)
        i = worst(p, rest)
        if i < 0:
            return DONE, steps
        if steps >= most:
            return OUT_OF_STEPS, steps
        ended, taken = drive(p, i)
        steps += taken
        if ended >= 0:
            return ended, steps
        if taken == 0:
            rest[i] = True  # not worse than noise
        else:
            for k in range(n):
                rest[k] = False


@kernel
def speeds(p):
    """w = A x + b, and the sum of the sizes of its terms."""
    n = p.n
    for i in range(n):
        p.w[i], p.terms[i] = p.b[i], abs(p.b[i])
    for j in range(n):
        x = p.x[j]
        if x != 0.0:
            for i in range(n):
                p.w[i] += p.A[j * n + i] * x
                p.terms[i] += abs(p.A[j * n + i] * x)


@kernel
def settle(p):
    """Bring the speeds of the rows inside to zero; rows that meet a bound on the way go out.  Returns how many did."""
    left, n = 0, p.n
    while True:
        speeds(p)
        count = p.inside[n]
        for k in range(count):
            p.c[k] = -p.w[p.inside[k]]
        forward(p.L, p.n, p.c, count)
        backward(p.L, p.n, p.c, count)
        step, blocking = room(p, 1.0, 1.0)
        for k in range(count):
            p.x[p.inside[k]] += step * p.c[k]
        if blocking < 0:
            speeds(p)
            return left
        stop_at_bound(p, blocking, p.c[blocking])
        left += 1


@kernel
def worst(p, rest):
    """The row at rest whose speed is most wrong, or −1."""
    most, row = 0.0, -1
    for i in range(p.n):
        if not p.is_inside[i] and not rest[i]:
            wrong = wrong_speed(p, i)
            if wrong > NOISE * p.terms[i] and wrong * p.scales[i] > most:
                most, row = wrong * p.scales[i], i
    return row


@kernel
def wrong_speed(p, i):
    """By how much the speed of a row at rest breaks its condition."""
    if p.low[i] == p.high[i]:
        return 0.0
    if p.x[i] == p.low[i]:
        return max(-p.w[i], 0.0)
    if p.x[i] == p.high[i]:
        return max(p.w[i], 0.0)
    return abs(p.w[i])


@kernel
def drive(p, i):
    """Change the impulse of row i, and of the rows inside so that they keep their speeds, until its speed is right.

    Returns what ended it all, or −1, and the number of pivots.
    """
    n, taken = p.n, 0
    sign = 1.0 if p.w[i] < 0.0 else -1.0
    while True:
        own = whiten(p, i)
        count, noise = p.inside[n], p.terms[i]
        for k in range(count):
            p.c[k] = p.y[k]
        backward(p.L, p.n, p.c, count)
        for k in range(count):
            noise += abs(p.c[k]) * p.terms[p.inside[k]]
            p.c[k] *= -sign
        if abs(p.w[i]) <= NOISE * noise:
            return -1, taken
        if own < -1e-8 * abs(p.A[i * (p.n + 1)]) or p.A[i * (p.n + 1)] < 0.0:
            return NEGATIVE, taken
        regular = own > DEPENDENT * p.A[i * (p.n + 1)]
        goal = abs(p.w[i]) / own if regular else np.inf
        end = p.high[i] - p.x[i] if sign > 0.0 else p.x[i] - p.low[i]
        step, blocking = room(p, min(goal, end), p.scales[i])
        if step == np.inf:
            return UNBOUNDED, taken
        taken += 1
        p.x[i] += sign * step
        for k in range(count):
            p.x[p.inside[k]] += step * p.c[k]
        if blocking >= 0:
            if regular:
                p.w[i] += sign * step * own
            stop_at_bound(p, blocking, p.c[blocking])
        elif end <= goal:
            p.x[i] = p.high[i] if sign > 0.0 else p.low[i]
            return -1, taken
        else:
            enter(p, i, own)
            return -1, taken


@kernel
def room(p, most, scale):
    """How far x may go along c, up to `most`, and the place inside of the row that stops it, or −1.

    Changes too small to matter are not asked.
    """
    step, blocking = most, -1
    for k in range(p.inside[p.n]):
        i, c = p.inside[k], p.c[k]
        if abs(c) * scale > 1e-14 * p.scales[i]:
            free = max(p.x[i] - p.low[i], 0.0) / -c if c < 0.0 else max(p.high[i] - p.x[i], 0.0) / c
            if free < step:
                step, blocking = free, k
    return step, blocking


@kernel
def stop_at_bound(p, place, direction):
    """The row at that place inside goes to the bound it was moving to, and out."""
    i = p.inside[place]
    p.x[i] = p.low[i] if direction < 0.0 else p.high[i]
    leave(p, place)


# ------------------------------------------------------- the factor


@kernel
def whiten(p, i):
    """y = L⁻¹ A_Fi; returns s = A_ii − y·y, what is left of A_ii when the rows inside are held."""
    n = p.n
    count, own = p.inside[n], p.A[i * (p.n + 1)]
    for k in range(count):
        p.y[k] = p.A[i * n + p.inside[k]]
    forward(p.L, p.n, p.y, count)
    for k in range(count):
        own -= p.y[k] * p.y[k]
    return own


@kernel
def enter(p, i, own):
    """Row i goes inside, unless it depends on the rows there; y and s as `whiten` left them."""
    n = p.n
    count = p.inside[n]
    if own > DEPENDENT * p.A[i * (p.n + 1)]:
        for k in range(count):
            p.L[count * n + k] = p.y[k]
        p.L[count * (n + 1)] = np.sqrt(own)
        p.inside[count], p.is_inside[i], p.inside[n] = i, True, count + 1


@kernel
def leave(p, place):
    """A row goes out: take its row from L, and rotate the rest to be lower triangular again (Givens)."""
    n, L = p.n, p.L
    count = p.inside[n] - 1
    p.is_inside[p.inside[place]], p.inside[n] = False, count
    for k in range(place, count):
        p.inside[k] = p.inside[k + 1]
        for j in range(k + 2):
            L[k * n + j] = L[(k + 1) * n + j]
    for k in range(place, count):
        size = np.hypot(L[k * (n + 1)], L[k * (n + 1) + 1])
        c, s = L[k * (n + 1)] / size, L[k * (n + 1) + 1] / size
        for r in range(k, count):
            u, v = L[r * n + k], L[r * n + k + 1]
            L[r * n + k], L[r * n + k + 1] = c * u + s * v, c * v - s * u


@kernel
def forward(L, n, y, count):
    """y ← L⁻¹ y."""
    for k in range(count):
        value = y[k]
        for j in range(k):
            value -= L[k * n + j] * y[j]
        y[k] = value / L[k * (n + 1)]


@kernel
def backward(L, n, y, count):
    """y ← L⁻ᵀ y."""
    for k in range(count - 1, -1, -1):
        value = y[k] / L[k * (n + 1)]
        y[k] = value
        for j in range(k):
            y[j] -= L[k * n + j] * value
