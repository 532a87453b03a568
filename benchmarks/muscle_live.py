"""Muscle forces of the built-in body's 366 muscles, live and in batches, on a walk: processor time of a frame.

Reads reference data (HITOGATA_DATA).
"""

import time
import warnings

import numpy as np

from benchmarks.muscle_walk import walk
from hitogata.muscle import Cost, ForceOptions, LiveForces, MuscleArms

REPEATS = 7


def main() -> None:
    """Print microseconds a frame: moment arms, live frames, batches."""
    warnings.simplefilter("ignore")
    body, motion, moments, _ = walk((0.55, 1.95))
    n = len(motion.time)
    arms = MuscleArms(body, passive=False)
    print(f"moment arms, one pose after the other  {best(lambda: [arms(q) for q in motion.q]) / n:7.1f} us")
    print(f"moment arms, {n} poses in one call      {best(lambda: arms.rows(motion.q)) / n:7.1f} us")
    for cost in (Cost.SQUARES, Cost.CUBES):
        live = LiveForces(body, ForceOptions(cost=cost))
        single = best(lambda live=live: [live(*row) for row in zip(motion.q, motion.v, moments, strict=True)]) / n
        print(f"{cost.name.lower()}, live                          {single:7.1f} us")
        for count in (n, 12 * n):
            rows = [np.concatenate([a] * (count // n)) for a in (motion.q, motion.v, moments)]
            many = best(lambda live=live, rows=rows: live.rows(*rows)) / count
            name = f"{cost.name.lower()}, {count} frames in one call"
            print(f"{name:<36} {many:7.1f} us, {single / many:.1f} times as many")


def best(call):
    """Least of some runs [us]."""
    call()
    least = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        least = min(least, time.process_time() - start)
    return 1e6 * least


if __name__ == "__main__":
    main()
