"""Compliant links over a step: whose force is that of now, and whose is that of the end of the step.

A compliant link answers a deflection within 1/ω, ω² = B/c.  Where the step resolves that, its force is known before
anything is solved, and the integrator keeps its order.  Where it does not, an explicit force would gain energy without
bound.  Then the force is that of the end of the step, an unknown of the same system as the forces of rigid links (see
`closed_form`).  With the row's acceleration a where the step begins, that is implicit Euler's method on the row alone,

    rate⁺ = rate + h a          value⁺ = value + h rate⁺          c f = -(value⁺ + r rate⁺)

The other stages of the step keep the row's acceleration at a, and after it the row is brought to value⁺ and rate⁺, as a
rigid one is to 0.  So the link is stable however stiff it is, becomes rigid as c goes to 0, and the motion that it
leaves keeps the integrator's order.  What it cannot show is its own vibration, which dies out within some steps.

Explicit links act together, so that their numbers are added up, the softest first, as long as

    Σ h (h + r) trace(B_k) / c_k <= 1

The trace is no less than the largest eigenvalue, and with this bound Runge-Kutta and semi-implicit Euler are stable.
"""

from hitogata.lanes import kernel
from hitogata.loops.closed_form import meet
from hitogata.loops.recursion import give_way
from hitogata.loops.whitening import column_squares, whiten_link

RESOLVED = 1.0
"""Of the sum above."""


@kernel
def choose_lags(bench, q, v, tau, h):
    """Write `lag` of all rows of compliant links, for a step from (q, v)."""
    links = bench.links
    if links.rows == links.held:
        return
    meet(bench, q, v, v, False)
    give_way(bench.tree, bench.limb, v, tau)
    for k in range(links.total):
        link, number = links.link[k], links.number[k]
        if link.rigid == 0:
            whiten_link(bench, k)
            trace = column_squares(bench, link.first, 0, link.count)
            links.row[link.first].reach = h * (h + number.relaxation) * trace / number.compliance
            set_lag(links, k, h)
    total, best = 0.0, 0
    while best >= 0:
        best = softest(links)
        if best >= 0:
            total = total + links.row[links.link[best].first].reach
            if total <= RESOLVED:
                set_lag(links, best, 0.0)
            else:
                best = -1


@kernel
def find_goals(links):
    """Accelerations over the step, and where it ends, of rows with a lag; their forces are known."""
    for k in range(links.total):
        link, number = links.link[k], links.number[k]
        if link.rigid == 0:
            for n in range(link.first, link.first + link.count):
                row = links.row[n]
                if row.lag > 0.0:
                    s, late = row.lag, row.lag + number.relaxation
                    row.pull = -(number.compliance * row.force + row.value + late * row.rate) / (s * late)
                    row.goal_rate = row.rate + s * row.pull
                    row.goal = row.value + s * row.goal_rate


@kernel
def softest(links):
    """Of the compliant links that have a lag, the one with the least number; or -1."""
    best = -1
    for k in range(links.total):
        link = links.link[k]
        waiting = link.rigid == 0 and links.row[link.first].lag > 0.0
        if waiting and (best < 0 or links.row[link.first].reach < links.row[links.link[best].first].reach):
            best = k
    return best


@kernel
def set_lag(links, k, lag):
    """Of all rows of a link."""
    link = links.link[k]
    for n in range(link.first, link.first + link.count):
        links.row[n].lag = lag
