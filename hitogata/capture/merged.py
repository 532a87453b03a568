"""Merged blobs: two discs that overlap in the image, told apart by a fit to the pixels.

The model of a pixel is the brighter of two soft discs over the background,

    I = b + A max(s(d₁), s(d₂)),   s(d) = clip(½ + (R - d) / e, 0, 1),

with d₁, d₂ the distances to the two centres, R their common radius and e the width of the edge.  Gauss-Newton with
Levenberg's damping moves centres, R, A; b and e are given.  Two discs are believed if they fit much better than one.
"""

import numpy as np

from hitogata.lanes import kernel

COLUMNS, DISCS = 6, 2
"""Numbers of a blob; rows a merged blob may need."""

ALONE, SPLIT, MERGED, EDGE = 0, 1, 2, 4
"""How a blob came about."""

SOFT = 1.8
"""Width of a disc's edge [px]: a pixel and the lens's blur."""

BETTER = 0.45
"""Two discs are believed if the sum of squares falls to this part of that of one."""


@kernel
def disc(x, y, cx, cy, radius):
    """Light of a soft disc at a pixel, and its derivatives by cx, cy and radius."""
    dx, dy = x - cx, y - cy
    d = np.sqrt(dx * dx + dy * dy) + 1e-9
    s = 0.5 + (radius - d) / SOFT
    if s <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if s >= 1.0:
        return 1.0, 0.0, 0.0, 0.0
    return s, dx / (d * SOFT), dy / (d * SOFT), 1.0 / SOFT


@kernel
def misfit(image, width, box, floor, discs, p, a, g):
    """Sum of squares over the pixels of a box, and for p = (A, R, x₁, y₁, x₂, y₂) the normal equations a, g."""
    n = 2 + 2 * discs
    for i in range(n):
        g[i] = 0.0
        for j in range(n):
            a[i, j] = 0.0
    total = 0.0
    slope = np.zeros(6)
    for row in range(box[1], box[3]):
        for column in range(box[0], box[2]):
            light = float(image[row * width + column]) - floor
            s, sx, sy, sr = disc(float(column), float(row), p[2], p[3], p[1])
            which = 0
            if discs == 2:
                t, tx, ty, tr = disc(float(column), float(row), p[4], p[5], p[1])
                if t > s:
                    s, sx, sy, sr, which = t, tx, ty, tr, 1
            error = p[0] * s - light
            total += error * error
            for i in range(n):
                slope[i] = 0.0
            slope[0], slope[1], slope[2 + 2 * which], slope[3 + 2 * which] = s, p[0] * sr, p[0] * sx, p[0] * sy
            for i in range(n):
                g[i] += slope[i] * error
                for j in range(n):
                    a[i, j] += slope[i] * slope[j]
    return total


@kernel
def solved(a, g, n, damping, step):
    """step = -(a + damping diag a)⁻¹ g by Cholesky; whether it could be."""
    l = np.zeros((6, 6))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] + ((damping * a[i, i] + 1e-9) if i == j else 0.0)
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                if s <= 0.0:
                    return False
                l[i, i] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    for i in range(n):
        s = -g[i]
        for k in range(i):
            s -= l[i, k] * step[k]
        step[i] = s / l[i, i]
    for m in range(n):
        i = n - 1 - m
        s = step[i]
        for k in range(i + 1, n):
            s -= l[k, i] * step[k]
        step[i] = s / l[i, i]
    return True


@kernel
def fit_discs(image, width, box, floor, discs, p):
    """Fit one or two discs; the sum of squares that is left."""
    n = 2 + 2 * discs
    a, g, step, best = np.zeros((6, 6)), np.zeros(6), np.zeros(6), np.zeros(6)
    trial_a, trial_g = np.zeros((6, 6)), np.zeros(6)
    total, damping = misfit(image, width, box, floor, discs, p, a, g), 1e-2
    for _ in range(25):
        if not solved(a, g, n, damping, step):
            break
        moved = 0.0
        for i in range(n):
            best[i] = p[i]
            p[i] += step[i]
            moved = max(moved, abs(step[i])) if i > 0 else moved
        p[1] = min(max(p[1], 0.4), 60.0)
        now = misfit(image, width, box, floor, discs, p, trial_a, trial_g)
        if now < total:
            total, damping = now, damping * 0.3
            for i in range(n):
                g[i] = trial_g[i]
                for j in range(n):
                    a[i, j] = trial_a[i, j]
            if moved < 1e-3:
                break
        else:
            for i in range(n):
                p[i] = best[i]
            damping *= 5.0
            if damping > 1e4:
                break
    return total


@kernel
def split(image, width, height, threshold, table, at, angle, long):
    """Turn the long blob of row `at` into two, if two discs fit much better; the number of rows it has then."""
    x, y, radius = table[at, 0], table[at, 1], table[at, 2]
    reach = 2.0 * long + 3.0
    box = np.empty(4, np.int64)
    box[0], box[1] = int(max(x - reach, 0.0)), int(max(y - reach, 0.0))
    box[2], box[3] = int(min(x + reach + 1.0, float(width))), int(min(y + reach + 1.0, float(height)))
    floor, peak = 255.0, 0.0
    for row in range(box[1], box[3]):
        for column in range(box[0], box[2]):
            light = float(image[row * width + column])
            floor, peak = min(floor, light), max(peak, light)
    floor = min(floor + 4.0, 0.5 * threshold)  # between noise and the body's grey
    one, two = np.zeros(6), np.zeros(6)
    one[0], one[1], one[2], one[3] = peak - floor, radius, x, y
    alone = fit_discs(image, width, box, floor, 1, one)
    c, s, off = np.cos(angle), np.sin(angle), 0.85 * long
    two[0], two[1] = peak - floor, 0.75 * radius
    two[2], two[3], two[4], two[5] = x + off * c, y + off * s, x - off * c, y - off * s
    both = fit_discs(image, width, box, floor, 2, two)
    apart = np.hypot(two[2] - two[4], two[3] - two[5])
    inside = True
    for k in range(2):
        inside = inside and box[0] <= two[2 + 2 * k] <= box[2] and box[1] <= two[3 + 2 * k] <= box[3]
    if both > BETTER * alone or not inside or apart < 0.6 * two[1]:
        table[at, 5] = MERGED
        return 1
    light = 0.5 * table[at, 3]
    for k in range(2):
        row = table[at + k]
        row[0], row[1], row[2] = two[2 + 2 * k], two[3 + 2 * k], two[1]
        row[3], row[4], row[5] = light, 1.0, float(SPLIT)
    return 2
