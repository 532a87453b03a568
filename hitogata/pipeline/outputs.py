"""The data of an analysed trial as files: .npz, .mot, .sto, .csv, .osim; the same bytes whenever it is analysed."""

from pathlib import Path
from typing import Any

import numpy as np

from hitogata.figure import Trajectory, velocities_of
from hitogata.figure.expansion import expansion_of
from hitogata.files import StorageTable, write_osim, write_storage
from hitogata.pipeline.values import Body, Motion


def trajectory_of(body: Body, angles: Motion) -> Trajectory:
    """The motion with its velocities."""
    base = expansion_of(body.figure)
    v = velocities_of(body.figure if base is None else base.plain, angles.time, angles.q)
    return Trajectory(angles.time, angles.q, v, figure_name=body.figure.name)


def write_data(folder: Path, values: dict[str, Any]) -> None:
    """Everything that was found, into a folder that is there."""
    body, angles, loads = values["body"], values["angles"], values["loads"]
    torques, tensions = values["torques"], values["muscles"]
    arrays: dict[str, Any] = {}
    if body.fit is not None:
        fit = body.fit
        arrays |= {"links": np.array(fit.figure.link_names), "scales": fit.scales, "scale_deviations": fit.deviations,
                   "marker_links": np.array([fit.figure.link_names[k] for k in fit.markers.links]),
                   "marker_places": fit.markers.places}  # fmt: skip
        if body.model is not None:
            write_osim(body.model, folder / "body.osim")
    if angles is not None:
        trajectory_of(body, angles).save(folder / "motion.npz")
        arrays |= {"time": angles.time, "q": angles.q}
        if angles.table is not None:
            _tables(folder, "angles", angles.table, ".mot")
            arrays |= {"coordinates": np.array(angles.table.columns), "angles": angles.table.values}
        if angles.angles is not None:
            found = angles.angles
            arrays |= {"markers": np.array(found.markers.labels), "marker_residuals": found.residuals,
                       "deviations": found.deviations}  # fmt: skip
    possible = values["filter"]
    if possible is not None and possible.found:
        possible.motion.save(folder / "filtered.npz")
    if loads is not None:
        _tables(folder, "loads", loads.table, ".mot")
    if torques is not None:
        _tables(folder, "torques", torques.table, ".sto")
        arrays |= {"torque_time": torques.time, "torque_names": np.array(torques.table.columns),
                   "torques": torques.table.values, "root_residual": torques.residual,
                   "measured_force": torques.loads}  # fmt: skip
    if tensions is not None:
        for name, table in tensions.tables.items():
            _tables(folder, f"muscle_{name}", table, ".sto")
            arrays |= {"muscle_time": table.time, f"muscle_{name}_names": np.array(table.columns),
                       f"muscle_{name}": table.values}  # fmt: skip
    with (folder / "results.npz").open("wb") as file:
        np.savez_compressed(file, **arrays)


def _tables(folder: Path, name: str, table: StorageTable, ending: str) -> None:
    write_storage(table, folder / f"{name}{ending}")
    lines = [",".join(["time", *(column.replace(",", ";") for column in table.columns)])]
    lines += [",".join(f"{x:.9g}" for x in (t, *row)) for t, row in zip(table.time, table.values, strict=True)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
