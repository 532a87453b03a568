"""Marker inverse kinematics beside OpenSim's, the same model, tasks and trial.  `--model FILE.osim --trial FILE.trc`.

`--tasks FILE.xml` gives weights (default: all alike), `--standard FILE.mot` coordinates to compare with.  OpenSim's
time is of its solver alone, frame by frame as its tool runs it.  Its bindings are a peer only: `pip install opensim`.
"""

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.timing import best, table
from hitogata.capture.ik import MarkerIk
from hitogata.capture.osim_ik import osim_ik
from hitogata.errors import FileContentWarning
from hitogata.files import Axes, read_storage, read_trc, write_trc
from hitogata.files.osim import read_ik_tasks, read_osim

REPEATS = 5
SOLVERS = {}


def theirs(model, trial, tasks, accuracy=1e-5):
    """Coordinates by name in their own units, marker rms, and the processor time of all frames."""
    import opensim

    opensim.Logger.setLevelString("critical")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.trc"
        write_trc(trial, path, axes=Axes.Y_UP_X_FORWARD)
        loaded = opensim.Model(str(model))
        weights, wishes = opensim.SetMarkerWeights(), opensim.SimTKArrayCoordinateReference()
        for task in tasks or ():
            if task.TYPE == "IKMarkerTask" and task.apply:
                weights.cloneAndAppend(opensim.MarkerWeight(task.name, task.weight))
        if tasks is None:
            names = {m.getName() for m in loaded.getMarkerSet()} & set(trial.labels)
            for name in names:
                weights.cloneAndAppend(opensim.MarkerWeight(name, 1.0))
        markers = opensim.MarkersReference(str(path), weights)
        state = loaded.initSystem()
        for task in tasks or ():
            if task.TYPE == "IKCoordinateTask" and task.apply and task.weight > 0:
                value = loaded.getCoordinateSet().get(task.name).getDefaultValue()
                value = task.value if task.value_type == "manual_value" else value
                wish = opensim.CoordinateReference(task.name, opensim.Constant(value))
                wish.setWeight(task.weight)
                wishes.push_back(wish)
        solver = opensim.InverseKinematicsSolver(loaded, markers, wishes, np.inf)
        solver.setAccuracy(accuracy)
        times = markers.getTimesForMarkers() if hasattr(markers, "getTimesForMarkers") else trial.time
        names = [c.getName() for c in loaded.getCoordinateSet()]
        values, errors = [], []
        state.setTime(float(times[0]))
        solver.assemble(state)
        start = time.process_time()
        for t in times:
            state.setTime(float(t))
            solver.track(state)
            values.append([loaded.getCoordinateSet().get(name).getValue(state) for name in names])
        spent = time.process_time() - start
        for t, row in zip(times, values, strict=True):
            state.setTime(float(t))
            for name, value in zip(names, row, strict=True):
                loaded.getCoordinateSet().get(name).setValue(state, value, False)
            loaded.assemble(state)
            found = opensim.SimTKArrayDouble()
            solver.track(state)
            solver.computeCurrentSquaredMarkerErrors(found)
            errors.append([found.getElt(k) for k in range(found.size())])
    return dict(zip(names, np.array(values).T, strict=True)), float(np.sqrt(np.nanmean(errors))), spent


def ours_alone(angles, trial, tasks):
    """The frames alone, standard deviations too."""
    weights = {task.name: task.weight for task in tasks or ()}
    row = np.array([weights.get(label, 1.0) for label in angles.markers.labels])
    target = np.stack([trial.marker(label) if label in trial.labels else np.full((trial.nframes, 3), np.nan)
                       for label in angles.markers.labels], axis=1)
    solver = SOLVERS.setdefault(id(angles), MarkerIk(angles.figure, angles.markers))
    return solver.frames(target, np.where(np.isfinite(target).all(axis=2), row, 0.0), angles.q[0])


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    for name in ("model", "trial", "tasks", "standard"):
        options.add_argument(f"--{name}")
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "marker_ik"])
    if not asked.model or not asked.trial:
        print("give --model FILE.osim --trial FILE.trc")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        model, trial = read_osim(asked.model), read_trc(asked.trial, axes=Axes.Y_UP_X_FORWARD)
        tasks = read_ik_tasks(asked.tasks) if asked.tasks else None
        osim_ik(model, trial, tasks)                                     # compiled
        spent = []
        for _ in range(REPEATS):
            start = time.process_time()
            ours = osim_ik(model, trial, tasks)
            spent.append(time.process_time() - start)
        alone = best(lambda: ours_alone(ours.angles, trial, tasks), clock=time.process_time)
        other, rms, peer = theirs(asked.model, trial, tasks)
    n = trial.nframes
    table(
        f"{model.name}: {n} frames, {len(ours.angles.markers.labels)} markers",
        ["", "frames/s", "marker rms [mm]"],
        [["hitogata, solver", f"{n / alone:.0f}", f"{ours.angles.rms * 1e3:.4f}"],
         ["hitogata, model to table", f"{n / min(spent):.0f}", f"{ours.angles.rms * 1e3:.4f}"],
         ["OpenSim, solver", f"{n / peer:.0f}", f"{rms * 1e3:.4f}"],
         ["ratio of solvers", f"{peer / alone:.0f}", f"{rms / ours.angles.rms:.3f}"]],
    )  # fmt: skip
    rows: list[list[str]] = []
    standard = read_storage(asked.standard) if asked.standard else None
    for name in ours.table.columns:
        mine, peer_value = ours.table.column(name), other[name]
        turning = not name.endswith(("_tx", "_ty", "_tz"))
        peer_value = np.rad2deg(peer_value) if turning else peer_value
        row = [name, f"{np.sqrt(np.mean((mine - peer_value) ** 2)):.5f}"]
        if standard is not None:
            known = name in standard.columns
            row.append(f"{np.sqrt(np.mean((mine - standard.column(name)) ** 2)):.5f}" if known else "")
        rows.append(row)
    head = ["coordinate", "OpenSim here", *(["standard file"] if standard else [])]
    table("rms of differences [degrees, m]", head, rows)


if __name__ == "__main__":
    main()
