"""Two ends of a cycle, brought together.

With q_e the last pose, q_s the first one moved to where the next cycle begins, and δ = q_s ⊟ q_e, the ends meet half
way:

    q_e ⊞ φ_e,   q_s ⊞ φ_s      with φ_e = δ/2 and φ_s = -δ/2 at the ends,

and the rates of both changes there are such that the velocities meet in their mean.  Away from the ends φ falls to
zero, by polynomials of fifth degree: value and rate are as wanted at one end; value, rate and acceleration are zero at
the other.
"""

from hitogata.figure import Figure
from hitogata.figure.rates import changes
from hitogata.figure.values import FloatArray
from hitogata.motion.easing import arrive, ease
from hitogata.motion.inputs import has_free_root
from hitogata.motion.root_placement import GroundMove, moved_samples, turned_rates
from hitogata.motion.tangents import carried, moved, rates_of_changes, with_unbroken_quats


def close_seam(
    figure: Figure, time: FloatArray, q: FloatArray, v: FloatArray, step: GroundMove, fade: float
) -> FloatArray:
    """Poses of a cycle whose last one is its first one moved by `step`, and whose velocities there agree likewise.

    Args:
        figure: the figure.
        time: from 0 on [s], shape (n,).
        q: poses, shape (n, nq).
        v: velocities, shape (n, nv).
        step: from one cycle to the next.
        fade: time at each end in which poses are changed [s].
    """
    free = has_free_root(figure)
    on, v_on = q[:1], v[:1]
    if free:
        on, v_on = moved_samples(figure, on, [step]), turned_rates(figure, v_on, step)
    half = changes(figure, q[-1:], on) / 2
    ends = carried(figure, half, v[-1:]), carried(figure, -half, v_on)
    meet = (ends[0] + ends[1]) / 2
    rates = [rates_of_changes(figure, s * half, meet - end) for s, end in ((1.0, ends[0]), (-1.0, ends[1]))]
    late = (1 - (time[-1] - time) / fade)[:, None]
    early = (1 - time / fade)[:, None]
    change_late = half * ease(late) + rates[0] * fade * arrive(late)
    change_early = -half * ease(early) - rates[1] * fade * arrive(early)
    if free:
        change_early = turned_rates(figure, change_early, step.inverse())
    closed = moved(figure, q, change_late + change_early)
    closed[-1:] = moved_samples(figure, closed[:1], [step]) if free else closed[:1]  # to the last bit
    return with_unbroken_quats(figure, closed)
