"""Which motions of a patch are held, and what forces go with them (Nakamura & Yamane 2000, tables 1 and 2, §4.7).

    held              point    line                surface
    v_z at p          yes      yes                 yes         p: the point; a point of the line; the middle
    ω_x, ω_y          –        across the line     both
    v_x, v_y at p     where it sticks or pivots (then p is the centre it turns about)
    ω_z               –        where it sticks     where it sticks

Sliding friction acts at the pressure's balance point c = (-n_y, n_x)/f_z, against the sliding direction s.  Then

    f_x = -μ s_x f_z     f_y = -μ s_y f_z     n_z = c_x f_y - c_y f_x = μ (s_x n_x + s_y n_y)

so that w depends linearly on the normal's part of it: the held forces λ give w = T Gᵀ λ, with G the held motions and

    T: f_x += drag_x f_z,   f_y += drag_y f_z,   n_z -= drag_x n_x + drag_y n_y,   n_z += spin f_z
"""

import math

from hitogata.lanes import kernel
from hitogata.loops.contacts.layout import LINE, NONE, PIVOT, POINT, SLIDE, STICK, SURFACE


@kernel
def write_held(patch, own, out):
    """Rows of G, 6 numbers each; returns how many."""
    if own.state == NONE:
        return 0
    x, y = patch.at_x, patch.at_y
    if own.state == SURFACE:
        write_row(out, 0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        write_row(out, 1, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)
        write_row(out, 2, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        count = 3
    else:
        px, py = patch.line_x, patch.line_y
        write_row(out, 0, 0.0, 0.0, 1.0, py, -px, 0.0)
        count = 1
        if own.state == LINE:
            write_row(out, 1, 0.0, 0.0, 0.0, -patch.along_y, patch.along_x, 0.0)
            count = 2
        if own.slip == STICK:
            x, y = px, py
    if own.slip == SLIDE:
        return count
    write_row(out, count, 1.0, 0.0, 0.0, 0.0, 0.0, -y)
    write_row(out, count + 1, 0.0, 1.0, 0.0, 0.0, 0.0, x)
    count += 2
    if own.slip == STICK and own.state != POINT:
        write_row(out, count, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        count += 1
    return count


@kernel
def write_row(out, n, a, b, c, d, e, f):
    """One row of G."""
    at = 6 * n
    out[at] = a
    out[at + 1] = b
    out[at + 2] = c
    out[at + 3] = d
    out[at + 4] = e
    out[at + 5] = f


@kernel
def write_forces(patch, held, count, out):
    """Rows of (T Gᵀ)ᵀ: the wrench of a unit of each held force."""
    for n in range(count):
        at = 6 * n
        fz, nx, ny = held[at + 2], held[at + 3], held[at + 4]
        out[at] = held[at] + patch.drag_x * fz
        out[at + 1] = held[at + 1] + patch.drag_y * fz
        out[at + 2] = fz
        out[at + 3] = nx
        out[at + 4] = ny
        out[at + 5] = held[at + 5] - patch.drag_x * nx - patch.drag_y * ny + patch.spin * fz


@kernel
def from_motion(patch, own, rate, still, blend):
    """Slip, drag and spin of a patch that moves as it does; sticking if it does not move."""
    own.slip = STICK
    patch.drag_x, patch.drag_y, patch.spin = 0.0, 0.0, 0.0
    x, y = patch.press_x, patch.press_y
    vx, vy, turn = rate[0] - rate[5] * y, rate[1] + rate[5] * x, rate[5]
    slip = (vx * vx + vy * vy) ** 0.5
    if slip < still and abs(turn) * patch.radius < still:
        return
    away = 1e30
    if abs(turn) > 0.0:
        away = slip / abs(turn)
    centred = 0.0
    if patch.radius > 0.0:
        centred = math.exp(-blend * away / patch.radius)
    mu = patch.kinetic
    if own.state != POINT:
        patch.spin = -math.copysign(1.0, turn) * mu * patch.lever * centred
    if own.state == SURFACE and away < patch.radius and slip < still:
        # it turns about a point inside: that point holds by static friction
        own.slip = PIVOT
        patch.at_x, patch.at_y = -rate[1] / turn, rate[0] / turn
        return
    own.slip = SLIDE
    if slip > 0.0:
        patch.drag_x = -mu * (1.0 - centred) * vx / slip
        patch.drag_y = -mu * (1.0 - centred) * vy / slip
