"""External loads of a recording: what force plates measured, as wrenches on the bodies of a mechanism."""

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism import Mechanism
from hitogata.figure.values import FloatArray
from hitogata.files.osim import ExternalForce, ExternalLoads
from hitogata.files.storage import StorageTable

_ENDINGS = ("x", "y", "z")


def load_wrenches(
    mechanism: Mechanism, rotation: FloatArray, position: FloatArray, time: FloatArray, loads: ExternalLoads,
    table: StorageTable,
) -> FloatArray:  # fmt: skip
    """[torque about the world's origin; force] on every body, shape (n, nb, 6), in world axes.

    A force acts at its point (the centre of pressure), a torque (the plate's free moment) is added; without a point
    the force acts at the body's origin.  Columns are joined by straight lines between samples; NaN counts as no load,
    as plates leave the centre of pressure open where nothing stands on them.

    Raises:
        ArgumentError: an unknown body, columns that are missing, times outside the table.
    """
    result = np.zeros((len(time), len(mechanism.bodies), 6))
    if not len(table.time) or time[0] < table.time[0] - 1e-6 or time[-1] > table.time[-1] + 1e-6:
        span = f"{table.time[0]:g} to {table.time[-1]:g}" if len(table.time) else "no"
        raise ArgumentError(f"loads: {table.name!r} has {span} s, but {time[0]:g} to {time[-1]:g} s are asked for")
    if (np.diff(table.time) <= 0).any():
        at = int((np.diff(table.time) <= 0).argmax())
        raise ArgumentError(f"loads: {table.name!r}: time does not rise behind {table.time[at]:g} s")
    for load in loads.forces:
        if not load.appliesForce:
            continue
        names = [body.name for body in mechanism.bodies]
        for name in (load.applied_to_body, load.force_expressed_in_body, load.point_expressed_in_body):
            if name not in (*names, "ground") or load.applied_to_body == "ground":
                listed = ", ".join(names)
                raise ArgumentError(f"{loads.file}: external force {load.name!r}: no body {name!r}; there are {listed}")
        body = names.index(load.applied_to_body)
        force, torque, point = (
            _columns(table, start, time, loads, load)
            for start in (load.force_identifier, load.torque_identifier, load.point_identifier)
        )
        if load.force_expressed_in_body != "ground":
            R = rotation[:, names.index(load.force_expressed_in_body)]
            force, torque = np.einsum("nij,nj->ni", R, force), np.einsum("nij,nj->ni", R, torque)
        if not load.point_identifier:
            point = position[:, body]
        elif load.point_expressed_in_body != "ground":
            k = names.index(load.point_expressed_in_body)
            point = np.einsum("nij,nj->ni", rotation[:, k], point) + position[:, k]
        result[:, body, :3] += torque + np.cross(point, force)
        result[:, body, 3:] += force
    return result


def _columns(
    table: StorageTable, start: str, time: FloatArray, loads: ExternalLoads, load: ExternalForce
) -> FloatArray:
    """The three columns whose names begin so, at times; zeros where none are named."""
    if not start:
        return np.zeros((len(time), 3))
    found = [name for name in table.columns if name.startswith(start)]
    exact = [start + end for end in _ENDINGS if start + end in table.columns]
    names = exact if len(exact) == 3 else found
    if len(names) != 3:
        raise ArgumentError(
            f"{loads.file}: external force {load.name!r}: three columns of {table.name!r} must begin with {start!r}, "
            f"but {', '.join(names) or 'none'} do; there are {', '.join(table.columns[:24])}"
        )
    return np.stack([np.interp(time, table.time, np.nan_to_num(table.column(name))) for name in names], axis=1)
