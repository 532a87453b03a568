"""Sweeps of large islands.

Rows of trees that nothing moved any more, by more than the tolerance, since the beginning of the last sweep are passed
over: a strand of hair on a head is done when it is done, whatever the others need; so is a figure at the far end of a
heap.  `Islands.above`, whose trees are known by then, tells in which sweep a tree was moved last.
"""

from hitogata.constraints.islands import ALIGNED, CHAINED, tree_of
from hitogata.constraints.limits import solve_joint_row, spread
from hitogata.constraints.points import prepare_point, push_point, solve_point
from hitogata.constraints.velocity_pgs_rows import (
    prepare_along,
    push_along,
    solve_joint_row_along,
    solve_point_along,
    spread_along,
)
from hitogata.lanes import any_lane, kernel, maximum


@kernel
def prepare_heap(scene, rows, n):
    """Replies of an island's points, and the impulses of the last step to begin with."""
    islands, moved, end, chained = rows.islands, rows.islands.above, 0, rows.islands.heap[n] == CHAINED
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        own = rows.point_int[p]
        moved[tree_of(rows, own.touch_a)] = -1
        if own.touch_b >= 0:
            moved[tree_of(rows, own.touch_b)] = -1
        if chained:
            end = prepare_along(scene, rows, p, end)
        else:
            end = prepare_point(rows, p, end)
    for k in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[k]
        moved[rows.joint_int[a].first // ALIGNED] = -1
        if chained:
            spread_along(scene, rows, a, rows.joint[a].impulse)
        else:
            spread(rows, rows.joint_int[a], rows.joint[a].impulse)
    for k in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[k]
        if chained:
            push_along(scene, rows, p, rows.point[p].impulse)
        else:
            push_point(rows, p, rows.point[p].impulse)


@kernel
def sweep_heap(scene, rows, n, k, tolerance, asking):
    """Sweep k, projected Gauss-Seidel: each row in turn takes the impulse that mends its speed; returns the worst,
    squared."""
    worst, islands, enough, chained = 0.0, rows.islands, tolerance * tolerance, rows.islands.heap[n] == CHAINED
    moved = islands.above
    for i in range(islands.joint_start[n], islands.joint_start[n + 1]):
        a = islands.joint[i]
        tree = rows.joint_int[a].first // ALIGNED
        if moved[tree] >= k - 1:
            if chained:
                mended = solve_joint_row_along(scene, rows, a, asking)
            else:
                mended = solve_joint_row(rows, a, asking)
            worst = maximum(worst, mended)
            if any_lane(mended > enough):
                moved[tree] = k
    for i in range(islands.point_start[n], islands.point_start[n + 1]):
        p = islands.point[i]
        own = rows.point_int[p]
        tree, other = tree_of(rows, own.touch_a), tree_of(rows, max(own.touch_b, 0))
        if moved[tree] >= k - 1 or (own.touch_b >= 0 and moved[other] >= k - 1):
            if chained:
                mended = solve_point_along(scene, rows, p, asking)
            else:
                mended = solve_point(rows, p, asking)
            worst = maximum(worst, mended)
            if any_lane(mended > enough):
                moved[tree] = k
            if own.touch_b >= 0 and any_lane(mended * rows.point[p].share > enough):
                moved[other] = k
    return worst
