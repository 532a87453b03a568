"""The page of an analysed trial."""

from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import MissingDependencyError
from hitogata.pictures import Actor, Arrows, Marker, Plot, Replay, Section, Table, write_replay, write_report
from hitogata.pipeline.findings import findings, range_use
from hitogata.pipeline.outputs import trajectory_of
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.small_plots import small_plots
from hitogata.pipeline.stages.loads import FORCE, POINT
from hitogata.pipeline.values import Body, Loads, Motion, Possible, Tensions, Torques

MARKERS = 24
"""Drawn in the replay, at most."""

BLUE, ORANGE, RED, GREY = "#24476f", "#e08e0b", "#d1495b", "#8a8f98"

OVERVIEW = {
    "frames": "frames", "seconds": "length [s]", "marker_rms_mm": "markers, rms [mm]",
    "marker_worst_mm": "markers, worst [mm]", "seen": "part of the markers seen", "mass": "mass [kg]",
    "size": "size beside the model (median of factors)", "range_most": "widest use of a range",
    "range_part": "part of that range", "range_beyond_deg": "beyond it [°]",
    "residual_force_rms": "residual force, rms [N]", "residual_force_percent": "of the greatest measured force [%]",
    "residual_moment_rms": "residual moment, rms [N m]", "reserve_most": "greatest reserve of muscles [N m]",
}  # fmt: skip
"""Findings that the page begins with."""


def write_page(folder: Path, name: str, values: dict[str, Any], settings: Settings) -> None:
    """Write index.html and what it shows into a folder that is there."""
    body, angles, loads = values["body"], values["angles"], values["loads"]
    torques, tensions = values["torques"], values["muscles"]
    found, drawn = findings(values), settings.page.pictures
    rows = [(said, found[key]) for key, said in OVERVIEW.items() if found.get(key) is not None]
    parts: list[Any] = [Table(("", ""), rows)]
    if found["warnings"]:
        parts.append("\n\n".join(["To look at:", *found["warnings"]]))
    sections = [Section("In short", parts)]
    if angles is not None and settings.page.replay and len(angles.time) > 1:
        sections.append(Section("Motion", [_replay(folder, body, angles, loads, values["filter"])]))
    if angles is not None and angles.angles is not None:
        sections.append(Section("Markers", _markers(angles, drawn)))
    if angles is not None and angles.table is not None:
        sections.append(Section("Joint angles", _angles(folder, body, angles, drawn)))
    if torques is not None:
        stances = () if loads is None else loads.stances
        sections.append(Section("Forces and torques", [*_torques(folder, torques, drawn), *_stances(stances)]))
    if tensions is not None and tensions.tables:
        sections.append(Section("Muscles", _muscles(tensions, drawn)))
    if body.fit is not None:
        sections.append(Section("Sizes", [_sizes(body)]))
    sections.append(
        Section("Files", ["\n\n".join(sorted(p.name for p in folder.iterdir() if p.suffix not in (".html", ".svg")))])
    )
    write_report(folder, name, sections, text=f"{body.figure.name}, analysed by hitogata")


def _replay(folder: Path, body: Body, angles: Motion, loads: Loads | None, possible: Possible | None) -> Replay:
    overlays: list[Any] = []
    if angles.angles is not None:
        labels = angles.angles.markers.labels
        order = np.unique(np.linspace(0, len(labels) - 1, min(MARKERS, len(labels))).astype(int))
        overlays += [Marker("markers", angles.angles.places[:, k], radius=0.012) for k in order]
    arrows = None if loads is None else _arrows(loads, angles)
    if arrows is not None:
        overlays.append(arrows)
    lowest = float(forward_kinematics(body.figure, angles.q).position[..., 2].min())
    own, said = trajectory_of(body, angles), "the body; red: its markers, hidden ones too; orange: measured forces"
    actors = [Actor(body.figure, own, overlays=overlays)]
    if possible is not None and possible.found:
        motion, said = possible.motion, "the motion as it can be, with the floor's forces; pale: as it was recorded"
        pushes = Arrows("forces of the floor", motion["corners"], motion["forces"], scale=1.0 / 1500)
        actors = [Actor(body.figure, own, opacity=0.3), Actor(body.figure, motion, overlays=[pushes])]
    write_replay(folder / "replay.html", actors, title="motion", ground=-0.1 < lowest < 0.3)
    return Replay(folder / "replay.html", said)


def _arrows(loads: Loads, angles: Motion) -> Arrows | None:
    """Measured forces that are given in the ground's axes."""
    at, push = [], []
    for load in loads.external.forces:
        names = (
            [(load.force_identifier or FORCE) + a for a in "xyz"],
            [(load.point_identifier or POINT) + a for a in "xyz"],
        )
        if load.force_expressed_in_body != "ground" or not set(names[0] + names[1]) <= set(loads.table.columns):
            continue
        force, point = (
            np.stack(
                [np.interp(angles.time, loads.table.time, np.nan_to_num(loads.table.column(c))) for c in columns], 1
            )
            for columns in names
        )
        at.append(np.stack([point[:, 0], -point[:, 2], point[:, 1]], axis=1))
        push.append(np.stack([force[:, 0], -force[:, 2], force[:, 1]], axis=1))
    if not at:
        return None
    return Arrows("measured forces", np.stack(at, 1), np.stack(push, 1), scale=1.0 / 1500)


def _canvas(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingDependencyError("plots need matplotlib: pip install 'hitogata[plot]', or page.pictures = false"
                                     ) from None  # fmt: skip
    return Canvas(figsize=(width, height), layout="constrained")


def _svg(folder: Path, name: str, text: str, said: str) -> Plot:
    path = folder / f"{name}.svg"
    path.write_text(text, encoding="utf-8")
    return Plot(path, said)


def _markers(angles: Motion, drawn: bool) -> list[Any]:
    own = angles.angles
    assert own is not None
    rows = [
        (label, own.figure.link_names[link], 100.0 * float(np.isfinite(r).mean()),
         float(own.marker_rms[label]) * 1e3 if np.isfinite(r).any() else None,
         float(np.nanmax(r)) * 1e3 if np.isfinite(r).any() else None)
        for label, link, r in zip(own.markers.labels, own.markers.links, own.residuals.T, strict=True)
    ]  # fmt: skip
    parts: list[Any] = []
    if drawn:
        canvas = _canvas(9.0, 2.6)
        axes = canvas.subplots()
        seen = np.isfinite(own.residuals)
        count = np.maximum(seen.sum(1), 1)
        rms = np.sqrt(np.where(seen, own.residuals, 0.0).__pow__(2).sum(1) / count) * 1e3
        worst = np.where(seen, own.residuals, 0.0).max(1) * 1e3
        axes.plot(own.time, worst, color=GREY, linewidth=0.8, label="worst")
        axes.plot(own.time, rms, color=BLUE, linewidth=1.2, label="rms")
        axes.set_xlabel("time [s]")
        axes.set_ylabel("residual [mm]")
        axes.legend(fontsize=7, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        parts.append(Plot(canvas, "distance of markers from their places on the body", "markers"))
    extra = f"; not in the body's set: {', '.join(own.unused)}" if own.unused else ""
    return [*parts, Table(("marker", "link", "seen [%]", "rms [mm]", "worst [mm]"), rows, f"residuals{extra}")]


def _angles(folder: Path, body: Body, angles: Motion, drawn: bool) -> list[Any]:
    assert angles.table is not None
    used = range_use(body, angles)
    spans = {row[0]: (row[3], row[4]) for row in used}
    table = angles.table
    moving = [name for name in table.columns if np.ptp(table.column(name)) > 1e-9 and not name.endswith("_beta")]
    parts: list[Any] = []
    if drawn and moving:
        said = "coordinates [°, m] over time [s]; dashed: ends of ranges"
        text = small_plots(table.time, [(name, table.column(name), spans.get(name)) for name in moving])
        parts.append(_svg(folder, "angles", text, said))
    rows = [(n, a, b, low, high, 100 * part, beyond) for n, a, b, low, high, part, beyond in used]
    columns = ("coordinate", "least [°]", "greatest [°]", "range from", "to", "used [%]", "beyond [°]")
    return [*parts, Table(columns, rows, "use of the model's ranges of motion")] if rows else parts


def _torques(folder: Path, torques: Torques, drawn: bool) -> list[Any]:
    parts: list[Any] = []
    names = torques.table.columns
    if drawn:
        canvas = _canvas(9.0, 3.0)
        left, right = canvas.subplots(1, 2, sharex=True)
        for axis, colour in enumerate((BLUE, ORANGE, RED)):
            left.plot(
                torques.time, torques.loads[:, axis], color=colour, linewidth=1.0, label=f"measured {'xyz'[axis]}"
            )
            left.plot(torques.time, torques.residual[:, 3 + axis], color=colour, linewidth=1.0, linestyle=":",
                      label=f"residual {'xyz'[axis]}")  # fmt: skip
            right.plot(torques.time, torques.residual[:, axis], color=colour, linewidth=1.0, label="xyz"[axis])
        left.set_ylabel("force [N]")
        right.set_ylabel("residual moment [N m]")
        for axes in (left, right):
            axes.set_xlabel("time [s]")
            axes.legend(fontsize=6, frameon=False)
            axes.spines[["top", "right"]].set_visible(False)
        parts.append(Plot(canvas, "measured forces, and what they leave unexplained at the root", "forces"))
        moving = [(n, torques.table.column(n), None) for n in names if np.ptp(torques.table.column(n)) > 1e-6]
        if moving:
            said = "torques [N m] and forces [N] over time [s]"
            parts += ["Of single joints:", _svg(folder, "torques", small_plots(torques.time, moving), said)]
    rows = [(n, float(c.min()), float(c.max())) for n, c in zip(names, torques.table.values.T, strict=True)]
    return [*parts, Table(("coordinate", "least", "greatest"), rows, "N m of what turns, N of what shifts")]


def _stances(stances: tuple[str, ...]) -> list[Any]:
    """Which plate carried which foot."""
    return [Table(("who stood on which plate",), [(line,) for line in stances])] if stances else []


def _muscles(tensions: Tensions, drawn: bool) -> list[Any]:
    parts: list[Any] = []
    known = "activation" in tensions.tables  # a file may have given forces only
    table, said = (tensions.tables["activation"], "activation") if known else (tensions.tables["force"], "force [N]")
    if drawn and len(table.time) > 1:
        canvas = _canvas(9.0, 1.0 + 0.13 * len(table.columns))
        axes = canvas.subplots()
        extent = (table.time[0], table.time[-1], len(table.columns) - 0.5, -0.5)
        image = axes.imshow(table.values.T, aspect="auto", cmap="YlOrRd", vmin=0, vmax=1 if known else None,
                            extent=extent, interpolation="nearest")  # fmt: skip
        axes.set_yticks(range(len(table.columns)), table.columns, fontsize=5)
        axes.set_xlabel("time [s]")
        canvas.colorbar(image, ax=axes, label=said, fraction=0.03)
        parts.append(Plot(canvas, f"{said} of every muscle", "muscles"))
    rows = [(*row[:3], row[3] if known else None) for row in tensions.busiest]
    busiest = Table(("muscle", "mean force [N]", "greatest [N]", "greatest activation"), rows, "the busiest")
    if not known:
        return [busiest, *parts]
    left = sorted(tensions.reserves, key=lambda row: -row[1])
    reserves = Table(("coordinate", "greatest reserve", "greatest moment"), left, "what muscles could not do [N m]")
    solved, of = tensions.solved
    return [busiest, *parts, f"{solved} of {of} frames solved, optimality to {tensions.optimality:.1e}.", reserves]


def _sizes(body: Body) -> Table:
    fit = body.fit
    assert fit is not None
    rows = [
        (name, *(float(x) for x in factors), float(spread.max()), "others" if name in fit.assumed else "markers")
        for name, factors, spread in zip(fit.figure.link_names, fit.scales, fit.deviations, strict=True)
    ]
    return Table(("link", "x", "y", "z", "±", "told by"), rows, "factors along the axes of each link")
