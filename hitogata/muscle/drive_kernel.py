"""Muscles that act in a world: activations, tensions, and what they ask of the step, in one kernel.

With lengths L, speeds L̇ = J v and tensions f(L, L̇, a), stiffness k = df/dL and damping b = df/dL̇, both at least 0,
the tension at the end of a step of h is f + h k L̇ + (b + h k)(L̇⁺ - L̇) to first order.  The first two go into a push,
the last into dampers of the joints that pull towards the present velocity,

    τ = -Jᵀ (f + h k L̇) - D (v⁺ - v),      D_j = Σ_w (b_w + h k_w) |J_wj| Σ_k |J_wk|

which the step takes implicitly.  By Gershgorin's theorem D - Jᵀ(b + h k)J has no negative eigenvalue, so muscles are at
least as damped as they are in truth, at any step; what is too much of it vanishes with v⁺ - v.
"""

from math import exp

from hitogata.lanes import bare, entry, kernel, sqrt

MUSCLE = 13
"""Numbers of a muscle: greatest force, optimal length, slack length, height, speed, shortest, damping, curves, times up
and down, least activation, and room."""
BAND = 4
"""Numbers of a ligament: slack length, stiffness, toe, damping."""
REACH, TURN = 2.5, 1.5
"""Lengths of the tables of curves: 0 to REACH [optimal lengths], -TURN to TURN [greatest speeds]."""


@entry
def drive_rows(slots, lengths, values, v, muscles, bands, curves, excitation, activation, tension, push, damping, h):
    """Rows of v (n, nv): new activations and tensions, pushes and dampers (n, nv)."""
    act_on_rows(
        bare(slots), bare(lengths), bare(values), bare(v), bare(muscles), bare(bands), bare(curves), bare(excitation),
        bare(activation), bare(tension), bare(push), bare(damping), h,
    )  # fmt: skip
    return 0


@kernel
def act_on_rows(
    slots, lengths, values, v, muscles, bands, curves, excitation, activation, tension, push, damping, h
):
    """One row after the other."""
    ends, columns, nv, nm = slots.ends, slots.columns, v.shape[1], muscles.shape[0]
    for row in range(v.shape[0]):
        for j in range(nv):
            push[row, j] = 0.0
            damping[row, j] = 0.0
        for w in range(lengths.shape[1]):
            speed, reach = 0.0, 0.0
            for k in range(ends[w], ends[w + 1]):
                j = columns[k]
                if j < nv:
                    speed += values[row, k] * v[row, j]
                    reach += abs(values[row, k])
            f, stiff, damp = 0.0, 0.0, 0.0
            if w < nm:
                a = activated(muscles, w, activation[row, w], excitation[row, w], h)
                activation[row, w] = a
                f, stiff, damp = muscle_pull(muscles, curves, w, a, lengths[row, w], speed)
            else:
                f, stiff, damp = band_pull(bands, w - nm, lengths[row, w], speed)
            tension[row, w] = f
            asked, slow = f + h * stiff * speed, (damp + h * stiff) * reach
            for k in range(ends[w], ends[w + 1]):
                j = columns[k]
                if j < nv:
                    push[row, j] -= values[row, k] * asked
                    damping[row, j] += slow * abs(values[row, k])


@kernel
def activated(muscles, w, a, u, h):
    """The activation a step later: ȧ = (u - a)/τ(a, u), exactly for a constant τ (Thelen 2003, eq. 1-2)."""
    least = muscles[w, 10]
    u = min(max(u, least), 1.0)
    a = min(max(a, least), 1.0)
    counted = 0.5 + 1.5 * (a - least) / (1.0 - least)
    rate = 1.0 / (muscles[w, 8] * counted) if u > a else counted / muscles[w, 9]
    return u + (a - u) * exp(-h * rate)


@kernel
def looked_up(curves, kind, which, x, low, high):
    """Value and slope of a curve, linear between the entries of its table and beyond its ends."""
    last = curves.shape[2] - 1
    step = (high - low) / last
    at = (x - low) / step
    k = int(min(max(at, 0.0), last - 1.0))
    first, slope = curves[kind, which, k], (curves[kind, which, k + 1] - curves[kind, which, k]) / step
    return first + (at - k) * step * slope, slope


@kernel
def muscle_pull(muscles, curves, w, a, length, speed):
    """Tension of a muscle on a tendon that does not give, and its slopes by length and speed, at least 0."""
    most, optimal, slack, height, quick = muscles[w, 0], muscles[w, 1], muscles[w, 2], muscles[w, 3], muscles[w, 4]
    shortest, viscous, kind = muscles[w, 5], muscles[w, 6], int(muscles[w, 7])
    along = length - slack
    fibre = shortest
    if along > 0.0:
        fibre = max(sqrt(height * height + along * along), shortest)
    cosine = sqrt(max(1.0 - (height / fibre) * (height / fibre), 0.0))
    x, rate = fibre / optimal, speed * cosine / (optimal * quick)
    active, rising = looked_up(curves, kind, 0, x, 0.0, REACH)
    passive, stiff = looked_up(curves, kind, 1, x, 0.0, REACH)
    quickness, slope = looked_up(curves, kind, 2, rate, -TURN, TURN)
    if fibre <= shortest:
        active, rising = 0.0, 0.0
    quickness = max(quickness, 0.0)
    pull = most * (a * active * quickness + passive + viscous * rate) * cosine
    damp = most * (a * active * max(slope, 0.0) + viscous) * cosine * cosine / (optimal * quick)
    spring = most * max(a * rising * quickness + stiff, 0.0) * cosine * cosine / optimal
    if pull <= 0.0:
        return 0.0, 0.0, 0.0
    return pull, spring, damp


@kernel
def band_pull(bands, k, length, speed):
    """Tension of a ligament, and its slopes (Blankevoort, Kuiper, Huiskes & Grootenboer 1991, eq. 2)."""
    slack, stiffness, toe, viscous = bands[k, 0], bands[k, 1], bands[k, 2], bands[k, 3]
    strain = length / slack - 1.0
    if strain <= 0.0 or stiffness <= 0.0:
        return 0.0, 0.0, 0.0
    pull, slope = stiffness * strain * strain / (2.0 * toe), stiffness * strain / (toe * slack)
    if strain > toe:
        pull, slope = stiffness * (strain - 0.5 * toe), stiffness / slack
    pull = pull + viscous * speed
    if pull <= 0.0:
        return 0.0, 0.0, 0.0
    return pull, slope, viscous
