"""Arrays of goldens on disk: made, written, compared."""

from pathlib import Path

import numpy as np

from tests.golden.scene import STEPS, Arrays, Golden

FOLDER = Path(__file__).parent / "stored"

FORCES = 10.0
"""Bounds of forces, as a multiple of those of states."""


def made(scene: Golden, nudge: float = 0.0, *, last: int = STEPS[-1], shake: float = 0.0) -> Arrays:
    """Arrays of a scene after each number of steps up to `last`, as "10 q"."""
    run, found, taken = scene.make(1.0 + nudge), {}, 0
    for steps in (k for k in STEPS if k <= last):
        if shake and run.shake:
            for _ in range(steps - taken):
                run.shake(shake)
                run.advance(1)
        else:
            run.advance(steps - taken)
        taken = steps
        read = run.physics if run.physics and steps == STEPS[-1] else run.read
        found.update({f"{steps} {name}": np.asarray(array) for name, array in read().items()})
    return found


def path_of(scene: Golden) -> Path:
    return FOLDER / f"{scene.name}.npz"


def stored(scene: Golden) -> Arrays:
    with np.load(path_of(scene)) as file:
        return dict(file)


def write(scene: Golden, arrays: Arrays) -> None:
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(path_of(scene), **arrays)


def bound_of(scene: Golden, name: str) -> float:
    """How far an array may be off; forces, impulses by a short time or places by a great stiffness, by more."""
    steps, _, what = name.partition(" ")
    usual = scene.bounds[STEPS.index(int(steps))] * (FORCES if what.endswith("force") else 1.0)
    return scene.loose.get(what, usual) if int(steps) == STEPS[-1] else usual


def off(found: np.ndarray, golden: np.ndarray) -> float:
    """Greatest difference, relative to the greatest number of the array, or to 1; infinite if they do not compare."""
    if found.shape != golden.shape or found.dtype.kind != golden.dtype.kind or not np.isfinite(found).all():
        return np.inf
    if found.dtype.kind in "bui":
        return 0.0 if np.array_equal(found, golden) else np.inf
    if golden.size == 0:
        return 0.0
    return float(np.abs(found.astype(float) - golden).max() / max(np.abs(golden).max(), 1.0))


def differences(scene: Golden, found: Arrays, golden: Arrays) -> list[str]:
    """What is farther off than it may be, a line each; empty: all is well."""
    lines = [f"{name}: only on one side" for name in sorted(found.keys() ^ golden.keys())]
    for name in found.keys() & golden.keys():
        far, bound = off(found[name], golden[name]), bound_of(scene, name)
        if far > bound:
            lines.append(f"after {name}: off by {far:.2g}, bound {bound:.2g}")
    return lines
