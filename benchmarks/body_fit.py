"""A generic model fitted to a synthetic subject whose truth is known.  `--folder FOLDER` of the reference.

In the folder: `unscaled_generic.osim`, and in `subject01/` the subject's own model, its markers and its coordinates
(Arnold2013Synthetic of nimblephysics, which asks of its own fit 0.05 rad, 10 mm, 20 mm, 0.01).  Clean, with 3 mm of
noise, and with a tenth of the samples hidden besides.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from hitogata.capture import fit_body, joint_centres, markers_on
from hitogata.capture.ik import matched_trial
from hitogata.files import Axes, read_storage, read_trc
from hitogata.files.osim import coordinate_names, figure_from_osim, read_osim


def factors(generic, subject):
    """True factors by link and axis from the places of its joints, NaN where no joint tells, shape (nlinks, 3)."""
    found = np.full((generic.nlinks, 3), np.nan)
    for k, link in enumerate(generic.links):
        parent = generic.parents[k]
        if parent >= 0:
            here, there = (np.array(f.link(link.name).joint.parent_frame.position) for f in (generic, subject))
            told = np.abs(here) > 0.02
            found[parent, told] = (there / np.where(told, here, 1.0))[told]
    return found


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--folder", type=Path)
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "body_fit"])
    if not asked.folder:
        print("give --folder of the reference")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = read_osim(asked.folder / "unscaled_generic.osim")
        generic = figure_from_osim(model, coordinates=True)
        other = read_osim(asked.folder / "subject01" / "subject01.osim")
        subject = figure_from_osim(other, coordinates=True)
        trial = read_trc(asked.folder / "subject01" / "markers.trc", axes=Axes.Y_UP_X_FORWARD)
        truth = read_storage(asked.folder / "subject01" / "coordinates.sto")
    names = coordinate_names(model, generic)
    held = np.array([model.coordinate(name).locked for name in names])
    known = [k for k, name in enumerate(names) if name in truth.columns and not held[k]]
    turning = [k for k in known if not names[k].endswith(("_tx", "_ty", "_tz"))]
    angles = np.stack([truth.column(names[k]) for k in turning], axis=1)
    true_q = np.zeros((trial.nframes, subject.nq))
    for k, name in enumerate(coordinate_names(other, subject)):
        if name in truth.columns:
            true_q[:, k] = truth.column(name)
    true_scales = factors(generic, subject)
    told = np.isfinite(true_scales)
    markers = markers_on(generic, trial.labels)
    target, _, _, _ = matched_trial(markers, trial)
    rng, rows = np.random.default_rng(0), []
    noisy = target + rng.normal(0, 0.003, target.shape)
    holed = np.where((rng.random(target.shape[:2]) < 0.1)[..., None], np.nan, noisy)
    for name, seen in (("clean", target), ("3 mm of noise", noisy), ("and 10 % hidden", holed)):
        start = time.process_time()
        found = fit_body(generic, markers, seen, held=held)
        spent = time.process_time() - start
        off = found.angles.q[:, turning] - angles
        centres = np.linalg.norm(joint_centres(found.figure, found.angles.q) - joint_centres(subject, true_q), axis=2)
        miss = np.abs(found.scales - true_scales)[told]
        rows.append([
            name, f"{np.sqrt((off**2).mean()):.5f}", f"{np.abs(off).max():.4f}", f"{found.angles.rms * 1e3:.3f}",
            f"{np.sqrt((centres**2).mean()) * 1e3:.2f}", f"{centres.max() * 1e3:.2f}", f"{miss.mean():.4f}",
            f"{miss.max():.4f}", f"{found.seconds:.1f}", f"{spent:.1f}",
        ])  # fmt: skip
    head = ["", "angles rms [rad]", "worst", "markers [mm]", "centres rms [mm]", "worst", "scales mean", "worst",
            "clock [s]", "processor [s]"]  # fmt: skip
    table(f"{generic.name}: {trial.nframes} frames, {len(markers.labels)} markers", head, rows)


if __name__ == "__main__":
    main()
