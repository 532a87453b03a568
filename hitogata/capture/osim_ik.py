"""OpenSim's inverse kinematics: a model, its tasks and a trial in, its table of coordinates out.

The same problem as OpenSim's InverseKinematicsTool, min Σ wₘ |yₘ - xₘ|² + Σ wᵢ (pᵢ - qᵢ)²: coordinates that are clamped
stay within their range, locked ones at their default, those that follow others follow exactly.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.ik import IkSettings, JointAngles, Wishes, markers_on, solve_ik
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData, StorageTable, write_storage
from hitogata.files.osim import (
    OsimModel,
    coordinate_names,
    figure_from_osim,
    mechanism_from_osim,
    model_coordinates,
    turning_coordinates,
)
from hitogata.files.osim.loads import CoordinateTask, MarkerTask


@dataclass(frozen=True, eq=False)
class OsimAngles:
    """Coordinates of an OpenSim model.

    Attributes:
        angles: of the figure that it became.
        table: all coordinates of the model, in degrees where they turn.
    """

    angles: JointAngles
    table: StorageTable

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table, .mot or .sto."""
        write_storage(self.table, path)


def osim_ik(
    model: OsimModel,
    trial: MarkerData,
    tasks: Iterable[MarkerTask | CoordinateTask] | None = None,
    *,
    coordinates: StorageTable | None = None,
    settings: IkSettings | None = None,
) -> OsimAngles:
    """Coordinates of a model from markers.

    Args:
        model: with markers.
        trial: in our axes: `read_trc(..., axes=Axes.Y_UP_X_FORWARD)` of a file in OpenSim's.
        tasks: weights, as `read_ik_tasks` gives them: markers without a task do not count; None: all count alike.
        coordinates: values for tasks that take them from a file.
        settings: of the solver.

    Raises:
        ArgumentError: no common marker, or a task for a coordinate that there is not.
    """
    figure = figure_from_osim(model, coordinates=True)
    told = None if tasks is None else [task for task in tasks if task.apply]
    weights = _marker_weights(model, told)
    markers = markers_on(figure, [marker.name for marker in model.markers if weights is None or marker.name in weights])
    names = coordinate_names(model, figure)
    held = np.array([model.coordinate(name).locked for name in names], bool)
    wishes = _wishes(model, figure, names, told or [], trial, coordinates)
    if weights is not None:
        weights = {label: weights[label] for label in markers.labels}
    found = solve_ik(figure, markers, trial, weights=weights, held=held, wishes=wishes, settings=settings)
    return OsimAngles(found, coordinate_table(model, found))


def _marker_weights(model: OsimModel, tasks: list[Any] | None) -> dict[str, float] | None:
    if tasks is None:
        return None
    return {task.name: float(task.weight) for task in tasks if isinstance(task, MarkerTask) and task.weight > 0}


def _wishes(
    model: OsimModel, figure: Figure, names: tuple[str, ...], tasks: list[Any], trial: MarkerData,
    coordinates: StorageTable | None,
) -> Wishes | None:  # fmt: skip
    """Coordinate tasks, each at its value, the default, or the file's."""
    asked = [task for task in tasks if isinstance(task, CoordinateTask) and task.weight > 0]
    if not asked:
        return None
    q, weight = np.repeat(figure.neutral()[None], trial.nframes, axis=0), np.zeros(figure.nv)
    for task in asked:
        if task.name not in names:
            followers = {coupler.dependent_coordinate_name for coupler in model.couplers}
            if task.name in followers:
                continue
            raise ArgumentError(f"task of coordinate {task.name!r}: there are {', '.join(names)}")
        k = names.index(task.name)
        weight[k] = task.weight
        q[:, k] = _wanted(model, task, trial, coordinates)
    return Wishes(q, weight)


def _wanted(model: OsimModel, task: CoordinateTask, trial: MarkerData, coordinates: StorageTable | None) -> Any:
    if task.value_type == "manual_value":
        return float(task.value)
    if task.value_type == "default_value":
        return model.coordinate(task.name).default_value
    if coordinates is None:
        raise ArgumentError(f"task of coordinate {task.name!r} takes its value from a file: give coordinates=")
    values: FloatArray = np.interp(trial.time, coordinates.time, coordinates.column(task.name))
    mechanism = mechanism_from_osim(model)
    turning = turning_coordinates(model, mechanism)[mechanism.index(task.name)]
    return np.deg2rad(values) if coordinates.in_degrees and turning else values


def coordinate_table(model: OsimModel, found: JointAngles) -> StorageTable:
    """All coordinates of a model, in degrees where they turn, from those of a figure with its coordinates."""
    values, mechanism = model_coordinates(model, found.figure, found.q), mechanism_from_osim(model)
    turning = np.array(turning_coordinates(model, mechanism), bool)
    values[:, turning] = np.rad2deg(values[:, turning])
    return StorageTable(mechanism.coordinates, found.time, values, in_degrees=True, name="Coordinates")

