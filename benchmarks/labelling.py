"""Labels of a recorded trial, every frame shuffled, with gaps and ghosts: F1 and frames/s.  `--trial FILE.c3d`.

The marker set is learned from a part of the trial (`--learn N` frames, default a quarter).  Ghosts stand anywhere about
the body; gaps come in runs of 5 to 60 frames.  The same as an assignment by the nearest place in the frame before
(what a tracker without a model does, begun with the true labels), as peer.
"""

import argparse
import sys
import time

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.timing import table
from hitogata.capture import label, learn_markers
from hitogata.files import MarkerData, read_c3d
from tests.capture.test_labelling import spoiled


def f1(given, truth, there):
    """Of labels given as indices into the true ones, -1: none."""
    right = (given == np.arange(given.shape[1])).sum()
    return 2 * right / ((given > -1).sum() + there.sum())


def nearest(mixed, truth, nm):
    """Labels by the nearest place in the frame before."""
    place, given = np.full((nm, 3), np.nan), np.full((len(mixed), nm), -1)
    for t, points in enumerate(mixed):
        own = np.flatnonzero(np.isfinite(points[:, 0]))
        if t == 0:
            for k in own[truth[0, own] >= 0]:
                given[0, truth[0, k]], place[truth[0, k]] = truth[0, k], points[k]
            continue
        gap = np.nan_to_num(np.linalg.norm(place[:, None] - points[own][None], axis=2), nan=9.0)
        rows, columns = linear_sum_assignment(np.minimum(gap, 0.2))
        for r, c in zip(rows, columns, strict=True):
            if gap[r, c] < 0.1:
                given[t, r], place[r] = truth[t, own[c]], points[own[c]]
                given[t, r] = given[t, r] if given[t, r] >= 0 else nm          # a ghost: wrong, but given
    return given


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--trial")
    options.add_argument("--learn", type=int)
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "labelling"])
    if not asked.trial:
        print("give --trial FILE.c3d")
        return
    trial = read_c3d(asked.trial).markers
    own = [k for k, labelled in enumerate(trial.labelled) if labelled]
    labels, places = tuple(trial.labels[k] for k in own), np.array(trial.positions[:, own])
    model = learn_markers(places[: asked.learn or len(places) // 4], labels)
    rows, nm = [], len(labels)
    for gaps, ghosts in ((0.0, 0.0), (0.05, 0.05), (0.1, 0.1)):
        scores, peers, rates = [], [], []
        for seed in range(3):
            mixed, truth, there = spoiled(places, gaps, ghosts, seed)
            names = tuple(f"*{k + 1}" for k in range(mixed.shape[1]))
            data = MarkerData(names, np.arange(len(mixed)) / trial.rate, trial.rate, mixed)
            label(model, data)
            start = time.process_time()
            found = label(model, data)
            rates.append(len(mixed) / (time.process_time() - start))
            given = np.where(found.points >= 0, np.take_along_axis(truth, np.maximum(found.points, 0), axis=1), -2)
            given = np.where((found.points >= 0) & (given < 0), nm, given)
            scores.append(f1(given, truth, there))
            peers.append(f1(nearest(mixed, truth, nm), truth, there))
        rows.append([f"{gaps:.0%} gaps, {ghosts:.0%} ghosts", f"{min(scores):.5f}", f"{np.mean(scores):.5f}",
                     f"{np.mean(peers):.5f}", f"{max(rates):.0f}"])  # fmt: skip
    table(f"{trial.name}: {len(places)} frames, {nm} markers", ["", "F1 worst of 3", "mean", "nearest", "frames/s"],
          rows)  # fmt: skip


if __name__ == "__main__":
    main()
