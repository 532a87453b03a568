"""The cheapest assignment of rows to columns: the Hungarian method by shortest paths (Jonker and Volgenant 1987)."""

import numpy as np

from hitogata.lanes import kernel


@kernel
def assign(cost, rows, columns, found):
    """Give each row a column of its own so that the sum is least; rows ≤ columns.  found: column of each row.

    Rows are added one by one; each takes the shortest augmenting path under potentials u, v that keep all reduced
    costs cost - u - v non-negative.
    """
    u, v = np.zeros(rows + 1), np.zeros(columns + 1)
    owner, way = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    least, done = np.empty(columns + 1), np.zeros(columns + 1, np.bool_)
    for i in range(1, rows + 1):
        owner[0], j0 = i, 0
        for j in range(columns + 1):
            least[j], done[j] = np.inf, False
        while True:
            done[j0] = True
            i0, delta, j1 = owner[j0], np.inf, 0
            for j in range(1, columns + 1):
                if not done[j]:
                    reduced = cost[i0 - 1, j - 1] - u[i0] - v[j]
                    if reduced < least[j]:
                        least[j], way[j] = reduced, j0
                    if least[j] < delta:
                        delta, j1 = least[j], j
            for j in range(columns + 1):
                if done[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if owner[j0] == 0:
                break
        while j0:
            owner[j0] = owner[way[j0]]
            j0 = way[j0]
    for j in range(1, columns + 1):
        if owner[j]:
            found[owner[j] - 1] = j - 1
