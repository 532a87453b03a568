"""How well does `fit_range` tell unseen poses, beside the five nearest neighbours, from few labelled poses to many?

Poses are uniform over all rotations, labelled by a known range; 20,000 unseen ones are asked for.  IoU: intersection
over union of what is allowed by the range and by the fit.  `python -m benchmarks range_fits --seeds 5 --sizes 2000`;
`--arm FILE` adds Jiang and Liu's learned arm (2018) at three bends of the elbow: an .npz with arm_W0 … arm_b3, the
layers of net-larm, as `tests/rom/test_fit.py` reads it.
"""

import argparse
import pathlib
import sys
import time

import numpy as np
from scipy.spatial import cKDTree

if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from benchmarks.timing import table
from hitogata.rom import (
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    MeshTwist,
    RangeOfMotion,
    RectangleRegion,
    SplineRegion,
    fit_range,
)
from hitogata.spatial import quat_to_matrix

UNSEEN = 20_000


def made_ranges():
    """Ranges of our own making, by name."""
    w = np.arange(12) * np.pi / 6
    dent = SplineRegion.through(
        [0, 0.6, 1.2, 1.8, 1.3, 1.1, 1.9, 2.7, 3.4, 4.2, 5.0, 5.7],
        [1.2, 1.0, 0.9, 0.9, 1.2, 1.7, 1.9, 1.6, 1.3, 1.1, 1.0, 1.1])
    wide = SplineRegion.through(w, 1.4 + 0.5 * np.cos(w - 0.6) + 0.15 * np.cos(3 * w))
    middle, half = 1.3 * np.cos(w), 0.7 + 0.4 * np.sin(2 * w)
    corners, faces = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.2), (0.05, -0.1)], [(0, 1, 3), (1, 2, 3), (2, 0, 3)]
    gap = MeshTwist([-2.4, -2.0, -1.8, -2.2], [2.3, 2.0, 1.9, 1.5], corners, faces,
                    [0.3, -0.4, 0.2, 0.1], [0.6, -0.5, 0.4, 0.5])
    return {
        "convex": RangeOfMotion(ConeRegion((0, 0, 1), 1.05), ConstantTwist(-0.7, 0.7)),
        "corners": RangeOfMotion(RectangleRegion((-0.6, 0.4), (-0.2, 0.9)), ConstantTwist(-0.3, 1.2)),
        "dent": RangeOfMotion(dent, BoundaryTwist(-0.8 - 0.4 * np.cos(w), 0.9 + 0.4 * np.sin(w), (-0.6, 1.0))),
        "wide": RangeOfMotion(wide, BoundaryTwist(-1 - 0.6 * np.cos(w), 1 + 0.6 * np.sin(w), (-1.0, 1.5))),
        "twist turns with swing": RangeOfMotion(wide, BoundaryTwist(middle - half, middle + half, (-0.5, 0.9))),
        "thin": RangeOfMotion(EllipseRegion((-0.14, 0.14), (-0.75, 0.75)), ConstantTwist(-0.9, 1.0)),
        "gap": RangeOfMotion(ConeRegion((0, 0, 1), 1.6), gap),
    }  # fmt: skip


def learned_arm(file, elbow):
    """Jiang and Liu's net at a bend of the elbow [rad]: which poses of the left shoulder (wxyz) are allowed."""
    data = np.load(file)
    layers = [(data[f"arm_W{k}"], data[f"arm_b{k}"]) for k in range(4)]

    def allowed(q):
        r = quat_to_matrix(q)
        z, x = np.arctan2(-r[:, 0, 1], r[:, 1, 1]), np.arcsin(np.clip(r[:, 2, 1], -1, 1))
        y = np.arctan2(-r[:, 2, 0], r[:, 2, 2]) + 2 * np.pi / 3
        v = np.stack([np.cos(z), np.sin(z), np.cos(x), np.sin(x), np.cos(y), np.full(len(q), np.cos(elbow))], 1)
        for a, b in layers[:3]:
            v = np.tanh(v @ a + b)
        return (v @ layers[3][0] + layers[3][1])[:, 0] > 0.0

    return allowed


def uniform(n, seed):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def overlap(a, b):
    return (a & b).sum() / max((a | b).sum(), 1)


def neighbours(q, labels, unseen, count=5):
    """The majority of the nearest labelled poses; q and −q are the same."""
    return labels[cKDTree(np.concatenate([q, -q])).query(unseen, count)[1] % len(q)].mean(1) > 0.5


def compared(allowed, bone, n, seed):
    """IoU of fit and neighbours, errors of both, time of the fit [s], triangles of its twist."""
    q, unseen = uniform(n, seed), uniform(UNSEEN, 1000 + seed)
    labels, truth = allowed(q), allowed(unseen)
    begun = time.process_time()
    fitted = fit_range(q[labels], forbidden=q[~labels], bone=bone, outliers=0.0, quiet=True).range
    seconds = time.process_time() - begun
    told = fitted.contains(unseen), neighbours(q, labels, unseen)
    return [overlap(truth, x) for x in told], [(x != truth).mean() for x in told], seconds, len(fitted.twist.triangles)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--sizes", default="2000,5000,10000,20000,50000")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--arm")
    asked, _ = options.parse_known_args(sys.argv[1:])
    ranges = {name: (r.contains, tuple(r.bone_axis)) for name, r in made_ranges().items()}
    if asked.arm:
        ranges |= {f"learned arm, {e} rad": (learned_arm(asked.arm, e), (0.0, 1.0, 0.0)) for e in (0.3, 1.2, 2.0)}
    compared(*ranges["convex"], 1000, 99)  # compiles
    rows = []
    for name, (allowed, bone) in ranges.items():
        for n in (int(x) for x in asked.sizes.split(",")):
            found = [compared(allowed, bone, n, seed) for seed in range(asked.seeds)]
            (fit, near), (wrong, near_wrong) = (np.array([x[k] for x in found]).T for k in (0, 1))
            rows.append((name, f"{n}", f"{fit.mean():.3f}", f"{near.mean():.3f}", f"{wrong.mean():.2%}",
                         f"{near_wrong.mean():.2%}", f"{(fit > near).sum()} of {len(fit)}",
                         f"{np.mean([x[2] for x in found]):.1f}", f"{np.mean([x[3] for x in found]):.0f}"))  # fmt: skip
    head = ("range", "poses", "IoU fit", "5-NN", "wrong fit", "5-NN", "fit better", "fit [s]", "triangles")
    table("Fits to labelled poses beside the five nearest neighbours", head, rows)


if __name__ == "__main__":
    main()
