"""Ranges over several joints: how well one fits a learned arm with its elbow, and what a violation costs.

`--arm FILE` says where Jiang and Liu's learned arm (2018) is: an .npz with arm_W0 … arm_b3, the layers of net-larm (see
`range_fits`).  Rotations of the shoulder are uniform on SO(3), the elbow in 0 to π; "ignores the elbow" is the best set
of rotations there is for that: those allowed at more than a share of elbow angles, with the share that gives the
greatest intersection over union.
"""

import argparse
import sys
import time

import numpy as np

from benchmarks.timing import best, table
from hitogata.lanes import X1, X4, X8, aligned_zeros
from hitogata.rom.coupled import Angle, CoupledRange, Polytope, SwingTwist, entries
from hitogata.rom.coupled.fit import fit_coupled
from hitogata.spatial import quat_to_matrix

CHARTS = SwingTwist("shoulder", (0.0, 1.0, 0.0)), Angle("elbow")
COUNT, FEW = 2048, 256
"""Poses that costs are measured with: short runs, so that a busy machine leaves some of them alone."""


def learned_arm(file):
    """allowed(poses): rows of quaternion and elbow."""
    data = np.load(file)
    layers = [(data[f"arm_W{k}"], data[f"arm_b{k}"]) for k in range(4)]

    def allowed(poses):
        r, e = quat_to_matrix(poses[:, :4]), poses[:, 4]
        qz, qx = np.arctan2(-r[:, 0, 1], r[:, 1, 1]), np.arcsin(np.clip(r[:, 2, 1], -1, 1))
        qy = np.arctan2(-r[:, 2, 0], r[:, 2, 2])
        x = np.stack([np.cos(qz), np.sin(qz), np.cos(qx), np.sin(qx), np.cos(qy + 2 * np.pi / 3), np.cos(e)], 1)
        for w, b in layers[:3]:
            x = np.tanh(x @ w + b)
        return (x @ layers[3][0] + layers[3][1])[:, 0] > 0.0
    return allowed


def pairs(n, seed):
    """Rotations uniform on SO(3), elbows uniform in their range."""
    rng = np.random.default_rng(seed)
    quat = rng.normal(size=(n, 4))
    return np.column_stack([quat / np.linalg.norm(quat, axis=1, keepdims=True), rng.uniform(0.0, np.pi, n)])


def overlap(a, b):
    """Intersection over union."""
    return (a & b).sum() / max((a | b).sum(), 1)


def without_elbow(allowed, unseen, truth):
    """The best intersection over union of a set of rotations."""
    elbows = (np.arange(32) + 0.5) * (np.pi / 32)
    share = np.mean([allowed(np.column_stack([unseen[:, :4], np.full(len(unseen), e)])) for e in elbows], 0)
    return max(overlap(truth, share > level) for level in np.linspace(0.02, 0.98, 97))


def fits(allowed):
    """Table of fits."""
    unseen, rows = pairs(10_000, 999), []
    truth = allowed(unseen)
    for n in (10_000, 20_000, 50_000, 100_000):
        poses = pairs(n, 1)
        good, start = allowed(poses), time.perf_counter()
        fit = fit_coupled(CHARTS, poses[good], poses[~good])
        seconds, told = time.perf_counter() - start, fit.range.contains(unseen)
        rows.append([str(n), f"{overlap(truth, told):.3f}", f"{(truth == told).mean():.3f}", str(fit.neighbours),
                     str(fit.range.region.values.size), f"{seconds:.0f}"])
        print(".", end="", flush=True)
    rows.append(["ignores the elbow", f"{without_elbow(allowed, unseen, truth):.3f}", "", "", "", ""])
    head = ["labelled poses", "IoU, 10⁴ unseen", "agreement", "neighbours", "places", "seconds"]
    table("learned arm, elbow as a fourth coordinate", head, rows)
    return fit.range


def costs(ranges):
    """Cost of a violation."""
    rows, poses = [], pairs(COUNT, 5)
    for name, range_ in ranges.items():
        cost = []
        for count, width, dtype in ((1, X1, np.float64), (FEW, X1, np.float64), (COUNT, X4, np.float64),
                                    (COUNT, X8, np.float64), (COUNT, X8, np.float32)):  # fmt: skip
            q, flat = np.ascontiguousarray(poses[:count], dtype), range_.flat.astype(dtype)
            out, work = np.empty((count, 1 + range_.dofs), dtype), aligned_zeros((4, 96 * width.n), dtype)
            taken = best(lambda a=(q, flat, out, work, width): entries.room_rows(*a), repeats=200, seconds=1.0)
            cost.append(f"{taken / count * 1e9:.0f}")
        rows.append([name, *cost])
    head = ["range", "one call", "one by one", "f64 x4", "f64 x8", "f32 x8"]
    table("a violation and its axis [ns]; one call: from Python", head, rows)


def main():
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--arm")
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "coupled_ranges"])
    rows = [[1, 0, 0, 0.3], [-1, 0, 0, 0.3], [0, 1, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, -1, 0]]
    ranges = {"six faces": CoupledRange(CHARTS, Polytope(rows, [0.8, 0.8, 0.5, 0.5, 0.8, 0.8]))}
    if asked.arm:
        ranges["learned arm, field"] = fits(learned_arm(asked.arm))
    costs(ranges)


if __name__ == "__main__":
    main()
