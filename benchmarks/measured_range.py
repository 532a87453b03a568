"""A shoulder's range measured with three and four markers through a C3D file, beside the range that made the motion.

Noise of 1 mm, a fifth of the samples hidden.  IoU: of the swing regions over the sphere, and of all poses (swing and
twist) that either allows; beside the region, MuJoCo's one angle for all directions, fitted to the same poses.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from hitogata.capture import measure_range
from hitogata.files import MarkerData, read_c3d, write_c3d
from hitogata.rom.human import Side, hip, shoulder
from hitogata.spatial import quat_exp, quat_multiply, quat_rotate

RATE, REST = 60.0, 1.0


def explored(range_, seconds, seed):
    """Poses of somebody who leads a joint through its range: rest, then ways out to the edge and back, with twist."""
    rng, n = np.random.default_rng(seed), int(seconds * RATE)
    t = np.arange(n) / RATE
    on = np.clip(t - REST, 0.0, 1.0)[:, None]
    rate = rng.uniform(0.9, 1.1, 3)
    reach = on * 2.9 * np.abs(np.sin(0.77 * rate[0] * t))[:, None]
    angle = 0.311 * rate[1] * t + rng.uniform(0, 6)
    way = np.stack([np.cos(angle), np.sin(angle), 0.0 * t], axis=1)
    twist = quat_exp(on * np.outer(1.9 * np.sin(7.3 * rate[2] * t), [0.0, 0.0, -1.0]))
    return range_.clamp(quat_multiply(quat_exp(reach * way), twist))


def recorded(range_, seconds, seed, noise=1e-3, hidden=0.2):
    """A trial with seven markers, and the joint's true centre."""
    rng = np.random.default_rng([seed, 1])
    arm, n = explored(range_, seconds, seed), int(seconds * RATE)
    t = np.arange(n) / RATE
    on = np.clip(t - REST, 0.0, 1.0)[:, None]
    chest = quat_exp(on * 0.15 * np.stack([np.sin(0.7 * t), np.sin(0.9 * t + 1), np.sin(0.5 * t + 2)], 1))
    joint = np.array([0.02, 0.14, -0.05])
    parent = np.array([[0.10, 0.10, -0.02], [0.0, 0.13, 0.06], [-0.09, 0.10, -0.01]])
    ring = 0.045 * np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]) - [0.0, 0.0, 0.29]
    centre = quat_rotate(chest, joint) + [0.0, 0.0, 1.3]
    places = np.concatenate([
        quat_rotate(chest[:, None], parent) + [0.0, 0.0, 1.3],
        centre[:, None] + quat_rotate(quat_multiply(chest, arm)[:, None], ring),
    ], axis=1)  # fmt: skip
    places += rng.normal(0, noise, places.shape)
    places[rng.random(places.shape[:2]) < hidden] = np.nan
    return MarkerData(("C7", "T4", "STRN", "E1", "E2", "E3", "E4"), t, RATE, places), centre


def overlaps(true, fitted, count=40_000):
    """IoU of swing regions, and of allowed poses."""
    rng = np.random.default_rng(0)
    way = rng.standard_normal((count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    a, b = true.swing.contains(way), fitted.swing.contains(way)
    swing = (a & b).sum() / (a | b).sum()
    q = rng.standard_normal((count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    a, b = true.contains(q), fitted.contains(q)
    return float(swing), float((a & b).sum() / (a | b).sum())


def main():
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_known_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.c3d"
        for name, range_ in (("shoulder", shoulder(Side.LEFT)), ("hip", hip(Side.LEFT))):
            for seconds in (60.0, 180.0):
                for seed in range(2):
                    trial, centre = recorded(range_, seconds, seed)
                    write_c3d(trial, path)
                    found = measure_range(read_c3d(path).markers, trial.labels[:3], trial.labels[3:],
                                          rest=(0.0, REST), quiet=True)  # fmt: skip
                    off = np.linalg.norm(found.motion.centre - centre, axis=1)
                    swing, whole = overlaps(range_, found.fit.range)
                    rows.append([
                        f"{name}, {seconds:g} s, {seed}", f"{np.sqrt(np.nanmean(off**2)) * 1e3:.2f}",
                        f"{np.nanmax(off) * 1e3:.1f}", f"{swing:.3f}", f"{whole:.3f}",
                        f"{found.fit.report.seconds:.1f}", str(len(found.problems)),
                    ])  # fmt: skip
    table("range of a joint from C3D, 3 + 4 markers, 1 mm of noise, a fifth hidden",
          ["", "centre rms [mm]", "worst", "IoU swing", "IoU poses", "fit [s]", "problems"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
