"""A page about joint angles from markers: residuals by marker and frame, angles and how well they are known, the body
in its markers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.capture.body_fit import BodyFit
from hitogata.capture.ik import JointAngles
from hitogata.errors import MissingDependencyError
from hitogata.figure import Figure
from hitogata.pictures import Actor, Marker, Plot, Replay, Section, Table, write_replay, write_report

SHOWN = 24
"""Markers drawn in the replay, at most."""


def write_ik_report(
    folder: str | Path, angles: JointAngles, *, fit: BodyFit | None = None, problems: Sequence[str] = (),
    names: Sequence[str] | None = None, title: str = "Joint angles from markers",
) -> Path:  # fmt: skip
    """Write a folder with index.html.

    Args:
        folder: made if it is not there.
        angles: of a trial.
        fit: of the body, if it was fitted.
        problems: what was wrong, as `check_trial` tells it.
        names: of the velocities' coordinates; None: those of the joints.
        title: of the page.

    Returns:
        Path of index.html.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = tuple(names or velocity_names(angles.figure))
    sections = [Section("Markers", [_markers(angles), *_residual_plots(angles)])]
    if problems:
        sections.insert(0, Section("Problems", ["\n\n".join(problems)]))
    sections.append(Section("Joint angles", [_coordinates(angles, names), *_angle_plots(angles, names)]))
    if fit is not None:
        sections.append(Section("Sizes", [_sizes(fit), _offsets(fit)]))
    if len(angles.q) > 1:
        sections.append(Section("The body in the markers", [_replay(folder, angles)]))
    return write_report(folder, title, sections, text=str(angles))


def velocity_names(figure: Figure) -> tuple[str, ...]:
    """A name for each velocity: the coordinate's, or the joint's with an axis."""
    names: list[str] = []
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        joint = link.joint
        if joint.coordinates:
            names += joint.coordinates
        elif joint.nv == 1:
            names.append(name)
        elif joint.quat_start is not None:
            axes = ("turn x", "turn y", "turn z", "x", "y", "z")
            names += [f"{name} {axis}" for axis in axes[: joint.nv]]
        else:
            names += [f"{name} {k + 1}" for k in range(joint.nv)]
    return tuple(names)


def _markers(angles: JointAngles) -> Table:
    rows = []
    for k, label in enumerate(angles.markers.labels):
        own = angles.residuals[:, k]
        seen = np.isfinite(own)
        worst = int(np.nanargmax(own)) if seen.any() else None
        link = angles.figure.link_names[angles.markers.links[k]]
        rows.append((label, link, 100.0 * float(seen.mean()), angles.marker_rms[label] * 1e3 if seen.any() else None,
                     float(own[worst]) * 1e3 if worst is not None else None, worst))  # fmt: skip
    caption = f"residuals [mm]; all together {angles.rms * 1e3:.2f} mm rms"
    for word, labels in (("not in the trial", angles.absent), ("in the trial, not in the set", angles.unused)):
        if labels:
            caption += f"; {word}: {', '.join(labels)}"
    return Table(("marker", "link", "seen [%]", "rms", "worst", "in frame"), rows, caption)


def _canvas(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingDependencyError("pictures need matplotlib: pip install 'hitogata[plot]'") from None
    return Canvas(figsize=(width, height), layout="constrained")


def _residual_plots(angles: JointAngles) -> list[Plot]:
    nm = len(angles.markers.labels)
    canvas = _canvas(9.0, max(2.5, 0.16 * nm + 1.0))
    axes = canvas.subplots()
    values = np.ma.masked_invalid(angles.residuals.T * 1e3)
    top = float(np.nanpercentile(angles.residuals, 99.5)) * 1e3 if np.isfinite(angles.residuals).any() else 1.0
    image = axes.imshow(values, aspect="auto", interpolation="nearest", cmap="viridis", vmin=0, vmax=max(top, 1e-6))
    axes.set_facecolor("#dddddd")
    axes.set_yticks(range(nm), angles.markers.labels, fontsize=6)
    axes.set_xlabel("frame")
    canvas.colorbar(image, ax=axes, label="residual [mm]", pad=0.01)
    return [Plot(canvas, "residual of every marker in every frame; grey: hidden, filled by the body", "residuals")]


def _coordinates(angles: JointAngles, names: Sequence[str]) -> Table:
    rows = []
    for k, (name, turns) in enumerate(zip(names, _turning(angles.figure), strict=True)):
        own = angles.deviations[:, k]
        known = np.isfinite(own)
        unit, factor = ("°", 180.0 / np.pi) if turns else ("mm", 1e3)
        typical = float(np.median(own[known])) * factor if known.any() else None
        rows.append((name, unit, typical, float(own[known].max()) * factor if known.any() else None,
                     int(angles.filled[:, k].sum())))  # fmt: skip
    caption = "standard deviations, from the markers' residuals; frames in which no marker told and others filled it"
    return Table(("coordinate", "unit", "median", "worst", "filled"), rows, caption)


def _turning(figure: Figure) -> list[bool]:
    found: list[bool] = []
    for link in figure.links:
        joint = link.joint
        if joint.quat_start is not None:
            found += [True] * 3 + [False] * (joint.nv - 3)
        elif joint.screws:
            found += [screw.turn != 0.0 for screw in joint.screws]
        else:
            found += [any(step.turn and name in step.coordinates for step in joint.steps) for name in joint.coordinates]
    return found


def _angle_plots(angles: JointAngles, names: Sequence[str]) -> list[Plot]:
    """Scalar coordinates over time, with twice their standard deviation."""
    from hitogata.capture.ik_layout import intervals

    _, _, place = intervals(angles.figure)
    turns = _turning(angles.figure)
    drawn = [k for k in range(len(names)) if place[k] >= 0 and turns[k]]
    if not drawn:
        return []
    rows = -(-len(drawn) // 4)
    canvas = _canvas(11.0, 1.7 * rows + 0.4)
    grid = np.atleast_1d(canvas.subplots(rows, 4, sharex=True, squeeze=False)).ravel()
    for axes, k in zip(grid, drawn, strict=False):
        value, spread = np.rad2deg(angles.q[:, place[k]]), 2 * np.rad2deg(angles.deviations[:, k])
        told = np.where(np.isfinite(spread), spread, 0.0)
        axes.fill_between(angles.time, value - told, value + told, color="#9db8d9", linewidth=0)
        axes.plot(angles.time, value, color="#24476f", linewidth=1.0)
        lost = np.isinf(spread)
        if lost.any():
            axes.plot(angles.time[lost], value[lost], ".", color="#d1495b", markersize=2)
        axes.set_title(names[k], fontsize=7)
        axes.tick_params(labelsize=6)
    for axes in grid[len(drawn) :]:
        axes.set_axis_off()
    return [Plot(canvas, "angles [°] over time [s], twice their standard deviation; red: filled", "angles")]


def _sizes(fit: BodyFit) -> Table:
    rows = [
        (name, *map(float, factors), *map(float, spread), "priors" if name in fit.assumed else "markers")
        for name, factors, spread in zip(fit.figure.link_names, fit.scales, fit.deviations, strict=True)
    ]
    return Table(("link", "x", "y", "z", "± x", "± y", "± z", "told by"), rows, "factors along the axes of each link")


def _offsets(fit: BodyFit) -> Table:
    rows = [
        (label, fit.figure.link_names[link], *(float(x) * 1e3 for x in offset))
        for label, link, offset in zip(fit.markers.labels, fit.markers.links, fit.offsets, strict=True)
    ]
    return Table(("marker", "link", "x", "y", "z"), rows, "markers beside their places on the scaled figure [mm]")


def _replay(folder: Path, angles: JointAngles) -> Replay:
    order = np.linspace(0, len(angles.markers.labels) - 1, min(SHOWN, len(angles.markers.labels))).astype(int)
    overlays = [Marker(angles.markers.labels[k], angles.places[:, k], radius=0.012) for k in order]
    path = folder / "replay.html"
    actor = Actor(angles.figure, angles.trajectory, overlays=overlays)
    write_replay(path, actor, title="body and markers", ground=False)
    return Replay(path, "the fitted body; red: its markers, hidden ones too")
