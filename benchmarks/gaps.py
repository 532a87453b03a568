"""Gaps of a recorded trial closed by the body, beside cubic splines: error at samples that were seen, and hidden here.

`--model FILE.osim --trial FILE.c3d`: the generic model is fitted to the trial, stretches of its markers are hidden, and
their places on the body, alone or as `fill_gaps` joins them on to what was seen, are compared with what was hidden.
"""

import argparse
import sys
import warnings

import numpy as np
from scipy.interpolate import CubicSpline

from benchmarks.timing import table
from hitogata.capture import fill_gaps, fit_body, markers_on, solve_ik
from hitogata.capture.ik import matched_trial
from hitogata.files import Axes, MarkerData, read_c3d
from hitogata.files.osim import coordinate_names, figure_from_osim, read_osim


def hidden(target, rate, seconds, share, seed=0):
    """Samples that are hidden, in stretches that are seen before and after."""
    rng, long = np.random.default_rng(seed), max(2, round(seconds * rate))
    seen, gone = np.isfinite(target).all(axis=2), np.zeros(target.shape[:2], bool)
    for _ in range(20_000):
        k, start = rng.integers(target.shape[1]), rng.integers(1, len(target) - long - 1)
        if seen[start - 1 : start + long + 1, k].all() and not gone[start - 1 : start + long + 1, k].any():
            gone[start : start + long, k] = True
        if gone.sum() > share * seen.sum():
            break
    return gone


def splined(target, gone):
    """Cubic splines through what is left of each marker."""
    found, t = target.copy(), np.arange(len(target))
    for k in range(target.shape[1]):
        known = np.isfinite(target[:, k, 0]) & ~gone[:, k]
        if known.sum() > 3:
            found[gone[:, k], k] = CubicSpline(t[known], target[known, k])(t[gone[:, k]])
    return found


def bodied(figure, markers, target, gone, held, rate):
    """Places on the body, and as they are joined on to what was seen."""
    seen = np.where(gone[..., None], np.nan, target)
    data = MarkerData(markers.labels, np.arange(len(target)) / rate, rate, seen)
    angles = solve_ik(figure, markers, data, held=held)
    return angles.places, np.asarray(fill_gaps(angles, data).positions)


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--model")
    options.add_argument("--trial")
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "gaps"])
    if not asked.model or not asked.trial:
        print("give --model FILE.osim --trial FILE.c3d")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read_osim(asked.model)
        trial = read_c3d(asked.trial, axes=Axes.FROM_FILE).markers
        generic = figure_from_osim(model, coordinates=True)
    held = np.array([model.coordinate(name).locked for name in coordinate_names(model, generic)])
    markers = markers_on(generic, trial.labels)
    fit = fit_body(generic, markers, trial, held=held)
    target, _, _, _ = matched_trial(markers, trial)
    print(f"{fit.angles}; {fit.seconds:.1f} s")
    rows = []
    for seconds in (0.1, 0.25, 0.5, 1.0):
        gone = hidden(target, trial.rate, seconds, 0.1)
        plain, moved = bodied(fit.figure, fit.markers, target, gone, held, trial.rate)
        row = [f"{seconds:g} s, {gone.sum()} samples"]
        for found in (plain, moved, splined(target, gone)):
            gap = np.linalg.norm(found - target, axis=2)[gone]
            row.append(f"{np.median(gap) * 1e3:.1f} / {np.sqrt((gap**2).mean()) * 1e3:.1f}")
        rows.append(row)
    filled = np.isfinite(fit.angles.places).all()
    print(f"{np.isnan(target).any(axis=2).mean():.0%} of the samples are gaps; all closed: {bool(filled)}")
    table("median / rms error of what was hidden [mm]", ["gap", "body", "fill_gaps", "splines"], rows)


if __name__ == "__main__":
    main()
