"""Joint angles: from markers, from a table of coordinates, or as the motion brings them."""

from pathlib import Path

import numpy as np

from hitogata.capture import IkSettings, osim_ik, solve_ik
from hitogata.capture.osim_ik import coordinate_table
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable, read_storage
from hitogata.files.osim import OsimModel, figure_coordinates, mechanism_from_osim, read_ik_tasks, turning_coordinates
from hitogata.pipeline.figure_angles import joint_angle_table
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.body import held
from hitogata.pipeline.values import Body, Motion, Recording


def angles_of_trial(settings: Settings, files: TrialFiles, *, label: Recording, body: Body) -> Motion | None:
    """The motion of the body; None: it is not wanted."""
    said = settings.angles
    if said.file:
        return _of_table(read_storage(Path(files.named(said.file))), body, files)
    if not said.on:
        return None
    if label.motion is not None:
        table = joint_angle_table(body.figure, label.motion.time, label.motion.q)
        return Motion(label.motion.time, label.motion.q, None, table)
    if label.coordinates is not None:
        return _of_table(label.coordinates, body, files)
    assert label.markers is not None
    assert body.markers is not None
    chosen = IkSettings(outlier=said.outlier)
    if said.tasks:
        if body.model is None:
            raise ArgumentError("angles.tasks: weights of OpenSim's tasks go with an .osim model")
        found = osim_ik(body.model, label.markers, read_ik_tasks(files.named(said.tasks)), settings=chosen).angles
    else:
        found = solve_ik(body.figure, body.markers, label.markers, held=held(body), settings=chosen)
    if body.model is None:
        table = joint_angle_table(body.figure, found.time, found.q)
    else:
        table = coordinate_table(body.model, found)
    notes = []
    lost = int((~found.converged).sum())
    if lost:
        notes.append(f"{lost} of {len(found.q)} frames did not converge")
    if found.filled.any():
        notes.append(f"{int(found.filled.any(axis=1).sum())} frames have coordinates that no marker tells, filled from "
                     "the frames around")  # fmt: skip
    return Motion(found.time, found.q, found, table, tuple(notes))


def _of_table(table: StorageTable, body: Body, files: TrialFiles) -> Motion:
    if body.model is None:
        raise ArgumentError(f"{files.place}: coordinates are those of a model: give it (--model x.osim)")
    return Motion(table.time, _coordinates(body, body.model, table), None, table)


def _coordinates(body: Body, model: OsimModel, table: StorageTable) -> FloatArray:
    """Coordinates of the figure from a table of the model's; those without a column keep their default."""
    mechanism = mechanism_from_osim(model)
    turning = turning_coordinates(model, mechanism)
    values = np.empty((len(table.time), len(mechanism.coordinates)))
    for k, name in enumerate(mechanism.coordinates):
        if name in table.columns:
            values[:, k] = table.column(name) * (np.pi / 180 if table.in_degrees and turning[k] else 1.0)
        else:
            values[:, k] = model.coordinate(name).default_value
    return figure_coordinates(model, body.figure, values)[0]
