"""An independent answer: outlines from their definitions, nearest points by dense sampling and golden section.

Shares no code with hitogata.rom.  An outline is (point, length): point(u) -> (..., 3) for 0 <= u < length.
"""

import matplotlib.path
import numpy as np
from scipy.interpolate import CubicHermiteSpline

GOLDEN = (5**0.5 - 1) / 2


def on_sphere(s, t):
    d = s * s + t * t + 1
    return np.stack([2 / d - 1, 2 * t / d, -2 * s / d], -1)


def angle(a, b):
    """Angle between unit vectors, accurate near 0 and near pi."""
    return 2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))


# ------------------------------------------------------- outlines


def polyline(corners, to=on_sphere):
    corners = np.asarray(corners, float)
    n = len(corners)

    def point(u):
        i = np.floor(u).astype(int) % n
        f = (u - np.floor(u))[..., None]
        q = corners[i] * (1 - f) + corners[(i + 1) % n] * f
        return to(q[..., 0], q[..., 1])
    return point, n


def rectangle(s, t):
    return polyline([(s[0], t[0]), (s[1], t[0]), (s[1], t[1]), (s[0], t[1])])


def superellipse(s, t, m=2.0, n=2.0):
    a, b, sc, tc = (s[1] - s[0]) / 2, (t[1] - t[0]) / 2, (s[1] + s[0]) / 2, (t[1] + t[0]) / 2
    k, kt = 0.5 ** (1 / m), 0.5 ** (1 / n)

    def point(u):                      # eight octants, each by one coordinate
        i, f = np.floor(u).astype(int) % 8, u - np.floor(u)
        f = np.where(i % 2 == 0, f, 1 - f)
        x, y = f * k, f * kt
        steep = np.isin(i, (0, 3, 4, 7))
        px = np.where(steep, (1 - y**n) ** (1 / m), x)
        py = np.where(steep, y, (1 - x**m) ** (1 / n))
        px = px * np.where(np.isin(i, (0, 1, 6, 7)), 1, -1)
        py = py * np.where(i < 4, 1, -1)
        return on_sphere(sc + a * px, tc + b * py)
    return point, 8


def chain(parts):
    """parts: ('line', start, end) or ('arc', centre, radius, from, to) in the plane."""
    def point(u):
        i, f = np.floor(u).astype(int) % len(parts), u - np.floor(u)
        s, t = np.zeros_like(u), np.zeros_like(u)
        for k, part in enumerate(parts):
            here = i == k
            g = f[here]
            if part[0] == "line":
                (a, b), (c, d) = part[1], part[2]
                s[here], t[here] = a + (c - a) * g, b + (d - b) * g
            else:
                (a, b), r, v, w = part[1:]
                s[here], t[here] = a + r * np.cos(v + (w - v) * g), b + r * np.sin(v + (w - v) * g)
        return on_sphere(s, t)
    return point, len(parts)


def oval(s, t):
    a, b, sc, tc = (s[1] - s[0]) / 2, (t[1] - t[0]) / 2, (s[1] + s[0]) / 2, (t[1] + t[0]) / 2
    pi = np.pi
    if abs(a - b) < 1e-12:
        return chain([("arc", (sc, tc), a, k * pi / 2, (k + 1) * pi / 2) for k in range(4)])
    if a <= b:
        return chain([("line", (sc + a, t[0] + a), (sc + a, t[1] - a)), ("arc", (sc, t[1] - a), a, 0, pi),
                      ("line", (sc - a, t[1] - a), (sc - a, t[0] + a)), ("arc", (sc, t[0] + a), a, pi, 2 * pi)])
    return chain([("line", (s[0] + b, tc - b), (s[1] - b, tc - b)), ("arc", (s[1] - b, tc), b, -pi / 2, pi / 2),
                  ("line", (s[1] - b, tc + b), (s[0] + b, tc + b)), ("arc", (s[0] + b, tc), b, pi / 2, 3 * pi / 2)])


def cone(axis, half):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.cross(axis, [0.3, 0.5, -0.8])
    x /= np.linalg.norm(x)
    y = np.cross(axis, x)

    def point(u):
        w = u[..., None] * (np.pi / 2)
        return axis * np.cos(half) + (x * np.cos(w) + y * np.sin(w)) * np.sin(half)
    return point, 4


def spline(azimuth, angle_, d_azimuth, d_angle, turns=1):
    n = len(azimuth)
    k = np.arange(n + 1)
    phi = CubicHermiteSpline(k, np.append(azimuth, azimuth[0] + 2 * np.pi * turns), np.append(d_azimuth, d_azimuth[0]))
    theta = CubicHermiteSpline(k, np.append(angle_, angle_[0]), np.append(d_angle, d_angle[0]))

    def point(u):
        u = np.mod(u, n)
        a, b = phi(u), theta(u)
        return np.stack([np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)], -1)
    return point, n


def from_disc(a, b):
    """sin(angle/2) disc about +x; coordinates towards +y and +z."""
    k = a * a + b * b
    f = 2 * np.sqrt(1 - k)
    return np.stack([1 - 2 * k, a * f, b * f], -1)


def turned(outline, matrix):
    point, n = outline
    return (lambda u: point(u) @ matrix.T), n


# ------------------------------------------------------- nearest point


def unsigned(outline, p, samples=512, most=16):
    """Distance of points to the outline: local minima of a scan, then golden section; both sides of a knot on their
    own."""
    point, n = outline
    per = -(-samples // n)
    samples = per * n
    grid = point(np.arange(samples) / per)
    spacing = angle(grid, np.roll(grid, -1, 0)).max()
    best = np.full(len(p), np.inf)
    block = max(1, 2_000_000 // samples)
    for j in range(0, len(p), block):
        x = p[j:j + block]
        dots = x @ grid.T
        top = dots.max(1)
        # a place between two samples is nearer than both by less than this, in cosine
        slack = spacing**2 * 0.6 + spacing * np.sqrt(np.maximum(1 - top * top, 0)) * 0.02
        r, c = np.divmod(np.flatnonzero(dots >= (top - slack)[:, None]), samples)
        here = dots[r, c]
        keep = (here >= dots[r, c - 1]) & (here >= dots[r, (c + 1) % samples]) | (c % per == 0)
        r, c, here = r[keep], c[keep], here[keep]
        order = np.lexsort((-here, r))                          # of very many equals, look at some
        r, c = r[order], c[order]
        keep = np.arange(len(r)) - np.searchsorted(r, r) < most
        r, c = r[keep], c[keep]
        knot = c % per == 0
        a, b = np.concatenate([c - 1, c[knot]]) / per, np.concatenate([np.where(knot, c, c + 1), c[knot] + 1]) / per
        r = np.concatenate([r, r[knot]])
        np.minimum.at(best, j + r, golden(point, n, x[r], a, b, top[r] < -0.5))
    return best


def golden(point, n, x, a, b, far, rounds=18):
    """Least angle between x and point(u), a < u < b, by golden section and then parabolas.

    By chords to x, or to -x where x is far from all."""
    side = np.where(far, -1.0, 1.0)[:, None]

    def cost(u):
        d = x - side * point(np.mod(u, n))
        return side[:, 0] * (d * d).sum(-1)
    first, last = a, b
    found = [(cost(u), u) for u in (a, b)]
    v, w = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    fv, fw = cost(v), cost(w)
    for _ in range(rounds):
        left = fv < fw
        a, b = np.where(left, a, v), np.where(left, w, b)
        new = np.where(left, b - GOLDEN * (b - a), a + GOLDEN * (b - a))
        f = cost(new)
        v, fv, w, fw = np.where(left, new, w), np.where(left, f, fw), np.where(left, v, new), np.where(left, fv, f)
    u, f = np.where(fv < fw, v, w), np.minimum(fv, fw)
    found.append((f, u))
    for h in ((b - a) / 2, (b - a) / 200):
        low, high = np.maximum(u - h, first), np.minimum(u + h, last)
        u = (low + high) / 2
        h = (high - low) / 2
        f0, f1, f2 = cost(low), cost(u), cost(high)
        bend = f0 - 2 * f1 + f2
        step = np.where(bend > 0, (f0 - f2) / np.where(bend > 0, 2 * bend, 1), np.sign(f0 - f2))
        u = u + h * np.clip(step, -1, 1)
        found.append((cost(u), u))
    f, u = found[0]
    for g, e in found[1:]:
        f, u = np.minimum(f, g), np.where(g < f, e, u)
    return angle(x, point(np.mod(u, n)))


def inside(outline, p, samples=800):
    """Which points lie on the left, by a polygon in a projection from a point far from the outline (right but near
    the edge)."""
    point, n = outline
    per = -(-samples // n)
    grid = point(np.arange(per * n) / per)                       # with all corners
    trial = np.random.default_rng(0).normal(size=(400, 3))
    trial /= np.linalg.norm(trial, axis=1)[:, None]
    centre = trial[(trial @ grid.T).max(1).argmin()]
    x = np.cross(centre, np.eye(3)[np.abs(centre).argmin()])
    x /= np.linalg.norm(x)
    y = np.cross(centre, x)

    def flat(q):                        # from `centre`, seen from outside the far side: x and y swapped keeps left left
        return np.stack([q @ y, q @ x], -1) / np.maximum(1 - q @ centre, 1e-12)[:, None]
    poly = flat(grid)
    a, b = poly, np.roll(poly, -1, 0)
    area = (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()
    return matplotlib.path.Path(poly).contains_points(flat(p)) == (area > 0)
