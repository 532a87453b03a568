"""Maps between virtual_human and the full body: errors over the number of singular values, trained and unseen walks.

Reads reference data (HITOGATA_DATA): CMU's walks.
"""

import time
import warnings

import numpy as np

from hitogata.files import read_bvh
from hitogata.library import virtual_human
from hitogata.library.musculoskeletal import skeleton
from hitogata.motion import retarget, retarget_bvh
from hitogata.muscle import Outline, Terms, fit_figure_map
from hitogata.muscle.mapping import joint_turns, rank_curve, terms_of
from tests.reference import FOLDER

TRAINED = ("bvh/07_01", "bvh/02_01", "bvh/16_15")
UNSEEN = ("bvh/16_17", "mass/walk", "bvh/02_03")


def main() -> None:
    """Print both ways' errors, and the curve of the paper with few samples."""
    warnings.simplefilter("ignore")
    human, body = virtual_human(), skeleton()
    outline = Outline(body)

    def pairs(name):
        motion = retarget_bvh(read_bvh(FOLDER / f"{name}.bvh"), human, feet=False).trajectory
        other = retarget(motion, human, outline.figure, feet=False, keep_calibration=True)
        return motion.q, outline.expand(other.trajectory.q)

    known = [pairs(name) for name in TRAINED]
    clips = np.concatenate([np.full(len(pair[0]), k) for k, pair in enumerate(known)])
    a, b = (np.concatenate([pair[k] for pair in known]) for k in (0, 1))
    maps = fit_figure_map(human, body, a, b, clips=clips)
    print(f"{len(a)} poses of {', '.join(TRAINED)}; ranks {maps.to_body.rank} and {maps.to_figure.rank}")
    others = {name: pairs(name) for name in UNSEEN}
    for name, (p, q) in {"trained": (a, b), **others}.items():
        print(f"  {name:<10} to the body {off(maps.to_body, p, q):.3f} deg rms, back {off(maps.to_figure, q, p):.3f}")
    start = time.process_time()
    for row in a[:300]:
        maps.to_body(row)
    print(f"  one pose {(time.process_time() - start) / 300 * 1e6:.0f} us")
    few = np.linspace(0, len(a) - 1, 40).astype(int)
    p, q = others[UNSEEN[0]]

    def output(rows):
        return np.concatenate([np.zeros((len(rows), 6)), joint_turns(body, rows)], axis=1)

    noise = np.radians(1.0) * np.random.default_rng(0).normal(size=(len(few), body.nv))
    F, G = (terms_of(human, rows, Terms(2)) for rows in (a[few], p))
    curve = rank_curve(F, output(b[few]) + noise, unseen=(G, output(q)))
    print("40 poses with errors of 1 deg: singular values, error of them, error of an unseen walk [deg]")
    for rank, trained, unseen in list(
        zip(curve.ranks, np.degrees(curve.trained), np.degrees(curve.unseen), strict=True)
    )[::2]:
        print(f"  {rank:4} {trained:7.3f} {unseen:7.3f}")


def off(found, given, wanted):
    """RMS over joints [deg]."""
    error = joint_turns(found.target, found(given)) - joint_turns(found.target, wanted)
    return float(np.degrees(np.sqrt((error**2).mean())))


if __name__ == "__main__":
    main()
