"""A recording's muscles as tables, plots and pictures: what `hitogata muscles` writes."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics.recorded import RecordedDynamics
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.files.storage import StorageTable
from hitogata.files.storage import write_storage as write_table
from hitogata.library.musculoskeletal import rows_of
from hitogata.muscle.bodies import skeleton_of
from hitogata.muscle.drawing import draw_muscles, muscle_colours, muscle_spindles
from hitogata.muscle.forces import MuscleSolution
from hitogata.muscle.motion import BodyMotion
from hitogata.muscle.wires import MuscleSet
from hitogata.pictures import Actor, Camera, Plot, Section, Table, write_replay, write_report

PICTURES = 8
"""Poses that are drawn."""


def muscle_tables(
    found: MuscleSolution, time: FloatArray, contact: FloatArray | None = None
) -> dict[str, StorageTable]:
    """Activations, forces [N], ligaments [N], reserves and, if given, contact [N m, N], by the names of their files."""
    muscles = [muscle.name for muscle in found.muscles.muscles]
    rest = [f"{name}_reserve" for name in found.coordinates]
    apart = [f"{name}_residual" for name in found.residual_coordinates]
    rows: dict[str, tuple[Sequence[str], FloatArray]] = {
        "activation": (muscles, found.activation),
        "force": (muscles, found.force),
        "reserves": (rest + apart, np.concatenate([found.reserves, found.residuals], axis=1)),
    }
    if found.muscles.ligaments:
        rows["ligaments"] = ([wire.name for wire in found.muscles.ligaments], found.ligament)
    if contact is not None:
        parts = ("torque_x", "torque_y", "torque_z", "force_x", "force_y", "force_z")
        named = [f"{body}_{part}" for body in skeleton_of(found.muscles.body).bodies for part in parts]
        rows["contact"] = (named, contact.reshape(len(contact), -1))
    note = f"least {found.cost.value}"
    return {
        name: StorageTable(tuple(columns), time, values, False, name=f"Muscles: {name}", comments=(note,))
        for name, (columns, values) in rows.items()
    }


def write_muscle_report(
    folder: str | Path,
    found: MuscleSolution,
    motion: RecordedDynamics | BodyMotion,
    contact: FloatArray | None = None,
) -> Path:
    """Tables (.sto and .csv), plots, pictures and a page; returns the page's path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in muscle_tables(found, motion.time, contact).items():
        write_table(table, folder / f"{name}.sto")
        header = ",".join(["time", *table.columns])
        np.savetxt(
            folder / f"{name}.csv", np.column_stack([table.time, table.values]), "%.9g", ",", header=header, comments=""
        )
    busy = found.busiest(10)
    reserves = [
        (name, float(np.nanmax(np.abs(moment))), float(np.nanmax(np.abs(reserve))))
        for name, moment, reserve in zip(found.coordinates, found.moments.T, found.reserves.T, strict=True)
    ]
    residuals = [
        (n, float(np.nanmax(np.abs(r)))) for n, r in zip(found.residual_coordinates, found.residuals.T, strict=True)
    ]
    names = [muscle.name for muscle in found.muscles.muscles]
    caption = "Muscles: yellow at rest to red at full activation."
    sections = [
        Section("Pictures", [Plot(stride_picture(found, motion), caption, "stride")]),
        Section(
            "The ten busiest",
            [
                Table(("muscle", "mean force [N]", "greatest force [N]", "greatest activation"), busy),
                Plot(_lines(motion.time, found.activation, [names.index(row[0]) for row in busy], names, "activation"),
                     "Activations.", "activations"),
                Plot(_lines(motion.time, found.force, [names.index(row[0]) for row in busy], names, "force [N]"),
                     "Forces.", "forces"),
            ],
        ),
        Section(
            "Moments",
            [
                "What muscles could not do is left to reserves.",
                Table(("coordinate", "greatest moment [N m, N]", "greatest reserve [N m, N]"), reserves),
                Table(("not crossed by muscles", "greatest residual [N m, N]"), residuals),
            ],
        ),
        Section(
            "Groups",
            [Plot(_group_lines(motion.time, found, which, name), f"{name}: the busiest.", f"group_{k}")
             for k, (name, which) in enumerate(muscle_groups(found.muscles).items())],
        ),
        Section("All muscles", [Plot(all_muscles_picture(found, motion.time), "Every muscle over time.", "all")]),
    ]  # fmt: skip
    if isinstance(found.muscles.body, Figure) and found.good.all():
        write_muscle_replay(folder / "replay.html", found, motion)
    good = int(found.good.sum())
    worst = float(np.nanmax(found.optimality))
    text = f"{good} of {len(found.good)} frames; least {found.cost.value}; optimality to {worst:.1e}."
    return write_report(folder, f"Muscles of {found.muscles.name}", sections, text=text)


def muscle_groups(muscles: MuscleSet) -> dict[str, list[int]]:
    """Muscles by group: regions of the built-in body, others by the body that they end on."""
    regions = {row["name"]: row["region"] for row in rows_of("muscles")}
    found: dict[str, list[int]] = {}
    for k, muscle in enumerate(muscles.muscles):
        plain = muscle.name[:-2] if muscle.name[-2:] in ("_r", "_l") else muscle.name
        side = {"_r": ", right", "_l": ", left"}.get(muscle.name[-2:], "")
        group = regions[plain] + side if plain in regions else str(muscle.path.points[-1].body or "the world")
        found.setdefault(group, []).append(k)
    return found


def _group_lines(time: FloatArray, found: MuscleSolution, which: list[int], name: str) -> Any:
    """Activations of the up to eight busiest of a group."""
    mean = np.nan_to_num(np.nanmean(found.activation[:, which], axis=0))
    busy = [which[k] for k in np.argsort(-mean)[:8]]
    names = [muscle.name for muscle in found.muscles.muscles]
    return _lines(time, found.activation, busy, names, f"activation, {name}")


def write_muscle_replay(path: Path, found: MuscleSolution, motion: RecordedDynamics | BodyMotion) -> None:
    """The motion as a page that opens from disk, muscles coloured by activation, at 30 frames a second."""
    figure = found.muscles.body
    assert isinstance(figure, Figure)
    step = max(1, round(1.0 / 30.0 / max(float(np.diff(motion.time).mean()), 1e-6))) if len(motion.time) > 1 else 1
    rows = slice(None, None, step)
    v = np.zeros((len(motion.time[rows]), figure.nv))
    trajectory = Trajectory(motion.time[rows], motion.q[rows], v, figure_name=figure.name)
    muscles = muscle_spindles(found.muscles, motion.q[rows], found.activation[rows])
    write_replay(path, Actor(figure, trajectory, colour="#e6dfcf", opacity=0.35, overlays=[muscles]),
                 title=f"Muscles of {found.muscles.name}")  # fmt: skip


def stride_picture(found: MuscleSolution, motion: RecordedDynamics | BodyMotion) -> Any:
    """Poses side by side, evenly over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = np.flatnonzero(found.good)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, PICTURES).round().astype(int))]
    columns = min(len(rows), 4)
    lines = math.ceil(len(rows) / columns)
    picture, grid = plt.subplots(lines, columns, figsize=(3.1 * columns, 4.3 * lines), squeeze=False)
    camera = Camera(azimuth=math.radians(-75), elevation=math.radians(8))
    for axes in grid.ravel():
        axes.axis("off")
    for axes, k in zip(grid.ravel(), rows, strict=False):
        draw_muscles(axes, found.muscles, motion.q[k], found.activation[k], camera=camera)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_title(f"{motion.time[k]:.2f} s", fontsize=9)
    picture.tight_layout()
    plt.close(picture)
    return picture


def all_muscles_picture(found: MuscleSolution, time: FloatArray) -> Any:
    """Activation of every muscle over time, a row each."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    names = [muscle.name for muscle in found.muscles.muscles]
    picture, axes = plt.subplots(figsize=(8, 1.0 + 0.13 * len(names)))
    colours = ListedColormap(muscle_colours(np.linspace(0, 1, 256)))
    extent = (time[0], time[-1], len(names) - 0.5, -0.5)
    shown = axes.imshow(
        found.activation.T, aspect="auto", cmap=colours, vmin=0, vmax=1, extent=extent, interpolation="nearest"
    )
    axes.set_yticks(range(len(names)), names, fontsize=5)
    axes.set_xlabel("time [s]")
    picture.colorbar(shown, ax=axes, label="activation", fraction=0.03)
    picture.tight_layout()
    plt.close(picture)
    return picture


def _lines(time: FloatArray, values: FloatArray, which: list[int], names: list[str], label: str) -> Any:
    import matplotlib.pyplot as plt

    picture, axes = plt.subplots(figsize=(6.4, 4.0))
    for k in which:
        axes.plot(time, values[:, k], label=names[k], linewidth=1.4)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(label)
    axes.legend(fontsize=6, ncol=2)
    axes.spines[["top", "right"]].set_visible(False)
    picture.tight_layout()
    plt.close(picture)
    return picture
