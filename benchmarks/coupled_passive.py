"""Passive arms thrown about within a range of shoulder and elbow: who gains energy.  `--seeds N` (default 60).

Two forms of the range (faces, a field), four steps from 1/240 to 0.1 s, 80 steps each, at up to 30 rad/s, no damping.
A gain is the greatest excess over the energy at the start, as a share of what there was above the lowest place.
"""

import argparse
import sys

import numpy as np

from benchmarks.timing import table
from hitogata.figure import State
from hitogata.sim import World
from tests.sim.test_coupled_ranges import RANGES, arm, inside
from tests.sim.test_energy import STEPS, greatest_gain


def scene(kind, h, seed):
    """A world with an arm in it."""
    rng = np.random.default_rng(1000 * seed + round(1.0 / h))
    world = World()
    start = inside(RANGES[kind], rng)
    world.add(arm(RANGES[kind], 0.0), State(start, rng.normal(size=4) * rng.uniform(1.0, 15.0)))
    return world


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=60)
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "coupled_passive"])
    rows = []
    for kind in RANGES:
        for h in STEPS:
            gains = np.array([greatest_gain(scene(kind, h, seed), h, 80) for seed in range(asked.seeds)])
            worst = [f"{seed}: {100 * gains[seed]:.1f}" for seed in np.argsort(-gains)[:4] if gains[seed] > 0.01]
            rows.append([kind, f"{h:.4f}", f"{(gains > 0.01).sum()} of {len(gains)}", f"{100 * gains.max():.2f}",
                         ", ".join(worst)])  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    head = ["range", "step [s]", "gain > 1 %", "most [%]", "worst seeds: [%]"]
    table("passive arms within a range of two joints", head, rows)


if __name__ == "__main__":
    main()
