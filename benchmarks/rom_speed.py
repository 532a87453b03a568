"""How fast are ranges of motion, beside a solution of the same poses by scipy.optimize and scipy's Rotation?

Batch on one core, random directions and poses, minimum of many repeats.  The peer is what one would write with scipy: a
scan of the boundary, optimize.minimize_scalar about the best sample, twist limits by numpy; results are checked.  The
last line is scipy's Rotation doing only swing and twist.
"""

import math
import pathlib
import sys

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from benchmarks.timing import best, table
from hitogata.lanes import X1, X4, X8, X16, aligned_zeros
from hitogata.rom import (
    BoundaryTwist,
    EllipseRegion,
    OvalRegion,
    RangeOfMotion,
    RectangleRegion,
    SplineRegion,
    contact,
    poses,
)
from hitogata.rom.memory import violation_from_rows

COUNT = 16_384
WIDTHS = (("f64 x1", X1, np.float64), ("f64 x4", X4, np.float64), ("f64 x8", X8, np.float64),
          ("f32 x8", X8, np.float32), ("f32 x16", X16, np.float32))


def nanoseconds(entry, rows, k, exact, single, width, dtype, *more):
    rows, more = np.ascontiguousarray(rows, dtype), [np.ascontiguousarray(m, dtype) for m in more]
    out = np.empty((COUNT, k), dtype)
    work, flat = aligned_zeros((2, 24 * width.n), dtype), exact if dtype is np.float64 else single
    return best(lambda: entry(rows, *more, flat, out, work, width), repeats=60, seconds=1.5) / COUNT * 1e9


def splines():
    w, draw = np.arange(12) * np.pi / 6, np.random.default_rng(7)
    return {
        "spline, 12 points, smooth": SplineRegion.through(w, 1.4 + 0.5 * np.cos(w - 0.6) + 0.15 * np.cos(3 * w)),
        "spline, 12 points, wild": SplineRegion.through(
            w + draw.uniform(-0.15, 0.15, 12), np.deg2rad(draw.uniform(50, 130, 12))),
        "spline, 12 points, re-entrant": SplineRegion.through(
            [0, 0.6, 1.2, 1.8, 1.3, 1.1, 1.9, 2.7, 3.4, 4.2, 5.0, 5.7],
            [1.2, 1.0, 0.9, 0.9, 1.2, 1.7, 1.9, 1.6, 1.3, 1.1, 1.0, 1.1]),
    }


def regions():
    s, t = (-0.36, 0.18), (-0.09, 1.4)
    return {"rectangle": RectangleRegion(s, t), "oval": OvalRegion(s, t), "ellipse": EllipseRegion(s, t), **splines()}


def ranges():
    w = np.arange(12)
    return {name: RangeOfMotion(region, BoundaryTwist(-1 - 0.3 * np.cos(w), 1 + 0.5 * np.sin(w), pole=(-1, 1.5)))
            for name, region in splines().items()}


def scalar_curve(region):
    """The boundary as plain Python numbers: what a user of scipy.optimize would write."""
    sin, cos, n = math.sin, math.cos, region.segments

    def on_sphere(s, t):
        d = s * s + t * t + 1
        return 2 / d - 1, 2 * t / d, -2 * s / d
    if isinstance(region, SplineRegion):
        cubics = region.cubics.transpose(0, 2, 1).tolist()

        def curve(u):
            k = math.floor(u)
            f, k = u - k, k % n
            a, b = (((m[k][0] * f + m[k][1]) * f + m[k][2]) * f + m[k][3] for m in cubics)
            return sin(b) * cos(a), sin(b) * sin(a), cos(b)
    elif isinstance(region, EllipseRegion):
        (a, b), (c, d) = region.half, region.centre

        def curve(u):
            return on_sphere(c + a * cos(u * math.pi / 2), d + b * sin(u * math.pi / 2))
    else:
        (s0, s1), (t0, t1) = region.s, region.t
        corners = [(s0, t0), (s1, t0), (s1, t1), (s0, t1), (s0, t0)]

        def curve(u):
            k = math.floor(u)
            f, (a, b), (c, d) = u - k, corners[k % n], corners[k % n + 1]
            return on_sphere(a + (c - a) * f, b + (d - b) * f)
    return curve


def scipy_solver(region):
    """solve(q) -> parameter and distance of the boundary place nearest to q: a scan, then scipy.optimize."""
    u = np.linspace(0, region.segments, 20 * region.segments, endpoint=False)
    step, curve = float(u[1]), scalar_curve(region)
    grid = np.array([curve(x) for x in u.tolist()])

    def chord(x, x0, y0, z0):
        b = curve(x)
        return (b[0] - x0) ** 2 + (b[1] - y0) ** 2 + (b[2] - z0) ** 2

    def solve(q):
        a = float(u[np.argmax(grid @ q)])
        spans = [(a - step, a), (a, a + step)] if a.is_integer() else [(a - step, a + step)]      # a corner: both sides
        found = min((minimize_scalar(chord, bounds=span, args=tuple(q.tolist()), method="bounded",
                                     options={"xatol": 1e-9}) for span in spans), key=lambda x: x.fun)
        return found.x, 2 * math.asin(math.sqrt(found.fun) / 2)
    return solve


def scipy_nearest(region, p):
    """Time of scipy.optimize for the nearest boundary point of one direction [ns]; its result is checked."""
    solve = scipy_solver(region)
    error = np.abs([solve(q)[1] for q in p] - np.abs(region.distance(p)))
    assert np.quantile(error, 0.9) < 1e-6, error.max()             # its scan may miss the nearest place
    return best(lambda: [solve(q) for q in p], repeats=5, seconds=3.0) / len(p) * 1e9


def scipy_violation(rom, quats):
    """Time of depths of one pose, without axes [ns]: swing by scipy.optimize, twist limits by numpy."""
    region, e = rom.swing, rom.bone_axis
    solve = scipy_solver(region)
    rows = rom.twist.table(region, e)[2]
    pull, cos, chord, start, stop = rows[:, :3], rows[:, 3], rows[:, 4], rows[:, 5:8], rows[:, 8:11]
    ends, pole = rows[:, 11:].reshape(-1, 2, 2), np.array(rom.twist.pole)
    xyzw = np.ascontiguousarray(quats[:, [1, 2, 3, 0]])

    def run():
        r = Rotation.from_quat(xyzw)
        twists = 2 * np.arctan2(xyzw[:, :3] @ e, xyzw[:, 3])
        out = []
        for c, twist in zip(r.apply(e), twists, strict=True):
            u, distance = solve(c)
            b = region.outline.at(np.array([u, u + 1e-6]))
            inside = np.dot(np.cross(b[0], b[1]), c) > 0
            at = c if inside else b[0]
            lu, lv = np.linalg.norm(at - start, axis=1), np.linalg.norm(at - stop, axis=1)
            weight = chord / np.maximum(lu * lv + 2 * (cos - pull @ at), 1e-28)
            share = np.stack([lv, lu], 1) / (lu + lv)[:, None]
            limits = np.einsum("n,nk,nkj->j", weight, share, ends) / weight.sum()
            angle = math.acos(min(1.0, float(at @ e)))
            k = (angle / (angle + (distance if inside else 0))) ** 2
            low, high = pole + (limits - pole) * k
            turn = (twist - (low + high) / 2 + math.pi) % (2 * math.pi) - math.pi
            out.append((-distance if inside else distance, abs(turn) - (high - low) / 2))
        return np.array(out)
    found, v = run(), rom.violation(quats)
    half = np.linalg.norm(Rotation.from_quat(xyzw).apply(e) + e, axis=1) / 2
    assert np.quantile(np.abs(found[:, 0] - v.swing_depth), 0.9) < 1e-6
    assert np.quantile(np.abs(found[:, 1] * half - v.twist_depth), 0.9) < 1e-4
    return best(run, repeats=5, seconds=3.0) / len(quats) * 1e9


def scipy_swing_twist(q):
    """Time of scipy's Rotation for swing and twist of a pose [ns]."""
    xyzw, e = np.ascontiguousarray(q[:, [1, 2, 3, 0]]), np.array([0.0, 0, 1])

    def run():
        r = Rotation.from_quat(xyzw)
        c = r.apply(e)
        half = c + e
        half /= np.linalg.norm(half, axis=1)[:, None]
        swing = Rotation.from_quat(np.column_stack([np.cross(e, half), half @ e]))
        return c, (swing.inv() * r).magnitude()
    return best(run, repeats=30, seconds=2.0) / len(q) * 1e9


def main():
    rng = np.random.default_rng(0)
    p = rng.normal(size=(COUNT, 3))
    p /= np.linalg.norm(p, axis=1)[:, None]
    q, last = (x / np.linalg.norm(x, axis=1)[:, None] for x in rng.normal(size=(2, COUNT, 4)))
    head = ["ns per pose", *(name for name, _, _ in WIDTHS), "limit", "scipy", "ratio"]
    rows = []
    limits = {"rectangle": 150, "oval": 150}
    peer = {}
    for name, region in regions().items():
        times = [nanoseconds(contact.nearest_rows, p, 3, region.flat, region.flat32, w, d) for _, w, d in WIDTHS]
        limit = limits.get(name, 1000 if "spline" in name else "")
        row = [f"nearest: {name}", *(f"{t:.0f}" for t in times), limit]
        if not isinstance(region, OvalRegion):
            peer[name] = scipy_nearest(region, p[:150])
            row += [f"{peer[name]:.0f}", f"{peer[name] / times[1]:.0f}"]
        rows.append(row + [""] * (len(head) - len(row)))
    table("Nearest allowed direction; scipy: a scan and optimize.minimize_scalar; ratio to f64 x4", head, rows)

    rows = []
    only = scipy_swing_twist(q)
    for name, rom in ranges().items():
        times = [nanoseconds(poses.violation_rows, q, 8, rom.flat, rom.flat32, w, d) for _, w, d in WIDTHS]
        peer[name] = scipy_violation(rom, q[:150])
        rows.append([f"violation: {name}", *(f"{t:.0f}" for t in times), 1500, f"{peer[name]:.0f}",
                     f"{peer[name] / times[1]:.0f}"])
    for name, rom in ranges().items():
        times = [nanoseconds(violation_from_rows, q, 13, rom.flat, rom.flat32, w, d, last) for _, w, d in WIDTHS]
        rows.append([f"with memory: {name}", *(f"{t:.0f}" for t in times), "", f"{peer[name]:.0f}",
                     f"{peer[name] / times[1]:.0f}"])
    table("Full violation (swing and twist, depths and axes); scipy: the depths, without axes or memory", head, rows)
    print(f"\n  scipy Rotation, only swing and twist: {only:.0f} ns per pose")


if __name__ == "__main__":
    main()
