"""OpenSim models as figures: ten seconds of a world at 1/60 s, and the energy of a free swing.  `--models FOLDER`.

Every `.osim` below the folder falls for 10 s, limp, with its limits; what moves no mass at all is left out.  The energy
is that of the accurate integrator (`Integrator.DORMAND_PRINCE_8`), 5 s from a random pose near the default, for
models named by `--swing`: with splines it takes short steps at their knots.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from hitogata.dynamics import Integrator, energy, step
from hitogata.errors import FileContentWarning
from hitogata.figure import State
from hitogata.files.osim import figure_from_osim, read_osim
from hitogata.sim import World

STEP, SECONDS, SWING = 1.0 / 60.0, 10.0, 5.0


def opened(path, **options):
    """The figure of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return figure_from_osim(read_osim(path), **options)


def falls(path):
    """A row of the first table."""
    figure = opened(path)
    world, start = World(), time.perf_counter()
    member = world.add(figure)
    for _ in range(round(SECONDS / STEP)):
        world.step(STEP)
    fine = np.isfinite(member.q).all() and np.isfinite(member.v).all()
    return [path.parent.name + "/" + path.name, str(figure.nv), "finite" if fine else "NOT FINITE",
            f"{np.abs(member.v).max():.1f}", f"{time.perf_counter() - start:.0f}"]  # fmt: skip


def swings(path, seed=0):
    """A row of the second table."""
    figure = opened(path)
    rng = np.random.default_rng(seed)
    q = np.array(figure.random(rng, spread=0.2))
    state = State(q, 0.5 * rng.normal(size=figure.nv))
    before, start = sum(energy(figure, state.q, state.v)), time.perf_counter()
    after = step(figure, state, SWING, integrator=Integrator.DORMAND_PRINCE_8)
    kinetic = energy(figure, after.q, after.v).kinetic
    change = abs(sum(energy(figure, after.q, after.v)) - before)
    return [path.name, str(figure.nv), f"{kinetic:.2f}", f"{change:.1e}", f"{time.perf_counter() - start:.0f}"]


def main():
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--models", type=Path)
    options.add_argument("--swing", nargs="*", type=Path, default=[])
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "opensim_models"])
    if asked.models:
        rows = []
        for path in sorted(asked.models.rglob("*.osim")):
            try:
                rows.append(falls(path))
            except Exception as error:
                rows.append([path.parent.name + "/" + path.name, "", f"{type(error).__name__}: {error}"[:90], "", ""])
            print(rows[-1], file=sys.stderr, flush=True)
        table("10 s of a world at 1/60 s", ["model", "velocities", "end", "fastest [1/s, m/s]", "s"], rows)
    if asked.swing:
        head = ["model", "velocities", "kinetic at the end [J]", "change of energy [J]", "s"]
        table("free swing of 5 s", head, [swings(path) for path in asked.swing])


if __name__ == "__main__":
    main()
