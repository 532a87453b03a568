"""Forces where no hypothesis is valid: projected Gauss-Seidel on the corners of all patches.

Sliding that friction would turn round within an impact, or that jams (Painlevé), has no answer among the hypotheses,
which keep the direction of friction.  Forces at corners that are consistent with the motion at the *end* of the step
always exist (Moreau 1988):

    r_z ≥ 0  ⟂  f_z ≥ 0          f_t = argmin r_t · f_t  in the disc of radius μ f_z          r = B f - need

and with rough ground at rest they never gain energy.  Corners of a region share one stiff body, so single sweeps go a
short way: they are repeated until nothing moves.
"""

from hitogata.lanes import kernel, tail
from hitogata.loops.contacts.layout import CORNERS, NONE, SLIDE, STICK, SURFACE
from hitogata.loops.contacts.validity import press_corner, press_edge

SWEEPS = 400
"""At most; some 30 are usual."""

SETTLED = 0.03
"""Share of the speed that counts as still below which a sweep's changes are nothing."""


@kernel
def sweep_forces(bench, floor, patches, held, need, scale, force):
    """Forces of all rows, as in `find_forces`; states of patches follow from them.  Returns 1 if they settled.

    Args:
        bench: with B in bench.reply; its first `held` rows are those of virtual links.
        floor: the patches.
        patches: how many.
        held: rows of virtual links.
        need: change of every row that would be right, had all been held.
        scale: what `need` and forces are to be multiplied with to become velocities and impulses.
        force: where the forces go.
    """
    stride, rows = bench.links.stride, held + 6 * patches
    off = tail(bench.spare, 2 * stride)
    for n in range(rows):
        off[n] = -need[n] * scale
        force[n] = 0.0
    for k in range(3 * CORNERS * patches):
        floor.press[k] = 0.0
    sweeps, moved, small = 0, 1e30, SETTLED * floor.rules.still
    while sweeps < SWEEPS and moved > small:
        moved = 0.0
        for n in range(held):
            d = bench.reply[n * stride + n] * scale
            if d > 0.0:
                moved = max(moved, abs(off[n]))
                change = -off[n] / d
                force[n] = force[n] + change
                for m in range(rows):
                    off[m] = off[m] + bench.reply[m * stride + n] * scale * change
        for p in range(patches):
            for c in range(floor.ints[p].corners):
                moved = max(moved, sweep_corner(bench, floor, p, c, held + 6 * p, rows, scale, off))
        sweeps += 1
    for p in range(patches):
        collect_corners(floor, p, tail(force, held + 6 * p), tail(off, held + 6 * p))
    settled = 1
    if moved > small:
        settled = 0
    return settled


@kernel
def sweep_corner(bench, floor, p, c, row, rows, scale, off):
    """Bring one corner's force into balance; returns how much that changes its motion [m/s]."""
    at, patch = 3 * (CORNERS * p + c), floor.patch[p]
    x, y, f = floor.corner[at], floor.corner[at + 1], tail(floor.press, at)
    stride, u, b = bench.links.stride, tail(off, row), bench.reply
    dz = pair(b, row, stride, 2, 2) + y * y * pair(b, row, stride, 3, 3) + x * x * pair(b, row, stride, 4, 4)
    dz += 2.0 * (y * pair(b, row, stride, 2, 3) - x * pair(b, row, stride, 2, 4) - x * y * pair(b, row, stride, 3, 4))
    moved = 0.0
    if dz > 0.0:
        new = max(f[2] - (u[2] + y * u[3] - x * u[4]) / (dz * scale), 0.0)
        moved = abs(new - f[2]) * dz * scale
        push(bench, off, row, rows, scale, 0.0, 0.0, new - f[2], x, y)
        f[2] = new
    dx = pair(b, row, stride, 0, 0) - 2.0 * y * pair(b, row, stride, 0, 5) + y * y * pair(b, row, stride, 5, 5)
    dy = pair(b, row, stride, 1, 1) + 2.0 * x * pair(b, row, stride, 1, 5) + x * x * pair(b, row, stride, 5, 5)
    mixed = pair(b, row, stride, 0, 1) - y * pair(b, row, stride, 1, 5) + x * pair(b, row, stride, 0, 5)
    mixed -= x * y * pair(b, row, stride, 5, 5)
    d = 0.5 * (dx + dy) + (0.25 * (dx - dy) * (dx - dy) + mixed * mixed) ** 0.5  # largest eigenvalue
    if d > 0.0:
        fx, fy = f[0] - (u[0] - u[5] * y) / (d * scale), f[1] - (u[1] + u[5] * x) / (d * scale)
        size, most = (fx * fx + fy * fy) ** 0.5, patch.kinetic * f[2]
        if size > most:
            fx, fy = fx * most / size, fy * most / size
        moved = max(moved, max(abs(fx - f[0]), abs(fy - f[1])) * d * scale)
        push(bench, off, row, rows, scale, fx - f[0], fy - f[1], 0.0, x, y)
        f[0], f[1] = fx, fy
    return moved


@kernel
def pair(b, row, stride, i, j):
    """An element of the patch's own block of B."""
    return b[(row + i) * stride + row + j]


@kernel
def push(bench, off, row, rows, scale, fx, fy, fz, x, y):
    """What more force at a corner does to all rows."""
    b, stride, turn = bench.reply, bench.links.stride, x * fy - y * fx
    for n in range(rows):
        at = n * stride + row
        off[n] = off[n] + scale * (b[at] * fx + b[at + 1] * fy + (b[at + 2] + y * b[at + 3] - x * b[at + 4]) * fz
                                   + b[at + 5] * turn)  # fmt: skip


@kernel
def collect_corners(floor, p, w, off):
    """The patch's wrench, and its state: what presses, and whether it slides."""
    own, patch = floor.ints[p], floor.patch[p]
    hull, press = tail(floor.corner, 3 * CORNERS * p), tail(floor.press, 3 * CORNERS * p)
    for k in range(6):
        w[k] = 0.0
    pressing, first, last, slip = 0, -1, -1, 0.0
    for c in range(own.corners):
        fx, fy, fz, x, y = press[3 * c], press[3 * c + 1], press[3 * c + 2], hull[3 * c], hull[3 * c + 1]
        w[0], w[1], w[2] = w[0] + fx, w[1] + fy, w[2] + fz
        w[3], w[4], w[5] = w[3] + y * fz, w[4] - x * fz, w[5] + x * fy - y * fx
        if fz > 0.0:
            pressing += 1
            if first < 0:
                first = c
            last = c
            slip = max(slip, ((off[0] - off[5] * y) ** 2 + (off[1] + off[5] * x) ** 2) ** 0.5)
    patch.drag_x, patch.drag_y, patch.spin = 0.0, 0.0, 0.0
    own.slip = STICK
    if slip > floor.rules.still:
        own.slip = SLIDE
    if pressing == 0:
        own.state = NONE
        return
    own.state = SURFACE
    if pressing == 1:
        press_corner(patch, own, hull, first)
    elif pressing == 2 and last - first == 1:
        press_edge(patch, own, hull, first, press[3 * last + 2] / w[2])
    elif pressing == 2 and last - first == own.corners - 1:
        press_edge(patch, own, hull, last, press[3 * first + 2] / w[2])
    patch.press_x, patch.press_y = -w[4] / w[2], w[3] / w[2]
