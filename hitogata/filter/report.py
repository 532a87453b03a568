"""A page about a filtered motion: what was changed, where and why; forces, pressure centres, residuals; a replay."""

from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics import difference
from hitogata.errors import MissingDependencyError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import GRAVITY
from hitogata.filter.clip import Filtered
from hitogata.filter.ranges import joint_ranges
from hitogata.filter.settings import FrameStatus
from hitogata.filter.soles import find_soles
from hitogata.pictures import Actor, Plot, Replay, Section, Table, write_replay, write_report


def write_filter_report(folder: str | Path, found: Filtered, *, title: str = "A motion, filtered") -> Path:
    """Write a folder with index.html.

    Args:
        folder: made if it is not there.
        found: from `filter_motion`.
        title: of the page.

    Returns:
        Path of index.html.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    away = [_unreached(found)] if found.unreached else []
    sections = [
        Section("How possible, how close", [_numbers(found), "\n\n".join(found.changes()), *away]),
        Section("Forces and pressure centres", _force_plots(found)),
        Section("What was changed", [_joints(found), *_change_plots(found)]),
        Section("Before and after", [_replay(folder, found)]),
    ]
    return write_report(folder, title, sections, text=str(found))


def pressure_centres(figure: Figure, motion: Trajectory) -> FloatArray:
    """Pressure centre of each foot [m], shape (nt, feet, 3); NaN where it does not press."""
    feet = len(find_soles(figure))
    forces, corners = (motion[name].reshape(len(motion), feet, 4, 3) for name in ("forces", "corners"))
    size = np.linalg.norm(forces, axis=-1)
    total = size.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: FloatArray = np.where(total > 1.0, (size[..., None] * corners).sum(axis=2) / total, np.nan)
    return result


def _numbers(found: Filtered) -> Table:
    m = found.measures
    rows = [
        ("residual force and torque at the root, by inverse dynamics [body weights]", f"{m.residual:.1e}"),
        ("what the motion before would need beyond what feet can give, rms [body weights]", f"{m.residual_before:.3f}"),
        ("joints off the motion, rms, at most [deg]", f"{m.joints_deg:.2f}, {m.joints_most_deg:.1f}"),
        ("root off the motion, rms [mm], [deg]", f"{m.root_mm:.1f}, {m.root_deg:.2f}"),
        ("corners that stand move, at most [mm]", f"{m.slide_mm:.2f}"),
        ("corner forces outside their friction cones", f"{m.cone}"),
        ("joints beyond their ranges, at most [deg]", f"{m.range_deg:.1e}"),
        ("falls", "never" if m.fallen_at is None else f"at {m.fallen_at:.2f} s"),
        *((f"frames {name}", str(count)) for name, count in m.frames.items()),
    ]
    return Table(("", "value"), rows)


def _unreached(found: Filtered) -> Table:
    rows = [
        (item.foot, f"{item.start:.2f}", f"{item.end:.2f}", ", ".join(f"{x:.2f}" for x in item.place),
         f"{1e3 * item.short:.0f}") for item in found.unreached
    ]  # fmt: skip
    return Table(("foothold out of reach", "from [s]", "to [s]", "at [m]", "short by [mm]"), rows)


def _joints(found: Filtered) -> Table:
    off = np.degrees(difference(found.figure, found.wanted.q, found.trajectory.q))
    status, names = found.trajectory["status"], joint_ranges(found.figure).names
    rows = []
    for name in dict.fromkeys(names[6:]):
        part = off[:, [k for k in range(6, len(names)) if names[k] == name]]
        size = np.linalg.norm(part, axis=1)
        at = int(size.argmax())
        rows.append((name, float(np.sqrt((size**2).mean())), float(size[at]), float(found.trajectory.time[at]),
                     FrameStatus(int(status[at])).name.lower()))  # fmt: skip
    rows.sort(key=lambda row: -row[1])
    return Table(("joint", "rms [deg]", "most [deg]", "at [s]", "frame there"), rows)


def _force_plots(found: Filtered) -> list[Any]:
    pyplot = _pyplot()
    motion, weight = found.trajectory, GRAVITY * found.figure.mass
    soles = find_soles(found.figure)
    forces = motion["forces"].reshape(len(motion), len(soles), 4, 3).sum(axis=2) / weight
    figure, axes = pyplot.subplots(figsize=(7, 3), layout="tight")
    for f, sole in enumerate(soles):
        axes.plot(motion.time, forces[:, f, 2], label=f"{sole.name} foot")
    axes.plot(motion.time, found.prepared.demand.force[: len(motion), 2] / weight, "k:", label="the motion would need")
    axes.set(xlabel="time [s]", ylabel="upward force [body weights]")
    axes.legend(fontsize=8)
    above, axes2 = pyplot.subplots(figsize=(7, 3), layout="tight")
    centres = pressure_centres(found.figure, motion)
    for f, sole in enumerate(soles):
        ways = motion["corners"][:, 4 * f : 4 * f + 4]
        axes2.plot(ways[..., 0], ways[..., 1], color="0.9", linewidth=0.5)
        axes2.plot(centres[:, f, 0], centres[:, f, 1], ".", markersize=3, label=f"{sole.name} foot")
    axes2.plot(*found.prepared.demand.com[: len(motion), :2].T, "k:", label="centre of mass, wanted")
    axes2.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes2.legend(fontsize=8)
    return [
        Plot(figure, "Upward forces of the feet, and of the motion as it was.", "forces"),
        Plot(above, "Pressure centres on the floor; grey: ways of the soles' corners.", "pressure"),
    ]


def _change_plots(found: Filtered) -> list[Any]:
    pyplot = _pyplot()
    off = difference(found.figure, found.wanted.q, found.trajectory.q)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3))
    left.plot(found.trajectory.time, 1e3 * off[:, 3:6], label=["x", "y", "z"])
    left.set(xlabel="time [s]", ylabel="root off [mm]")
    left.legend(fontsize=8)
    right.plot(found.trajectory.time, np.degrees(np.sqrt((off[:, 6:] ** 2).mean(axis=1))))
    right.set(xlabel="time [s]", ylabel="joints off, rms [deg]")
    figure.tight_layout()
    residual, axes = pyplot.subplots(figsize=(7, 2.4))
    weight = GRAVITY * found.figure.mass
    axes.semilogy(found.trajectory.time, np.abs(found.trajectory["residual"]).max(axis=1) / weight + 1e-18)
    axes.set(xlabel="time [s]", ylabel="residual [body weights]")
    residual.tight_layout()
    return [
        Plot(figure, "How far the motion was changed.", "changes"),
        Plot(residual, "Residual at the root.", "residual"),
    ]


def _replay(folder: Path, found: Filtered) -> Replay:
    write_replay(
        folder / "replay.html",
        Actor(found.figure, found.wanted, colour="#8c8c99"),
        Actor(found.figure, found.trajectory),
    )
    return Replay(folder / "replay.html", "Grey: the motion as it came.")


def _pyplot() -> Any:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError("the report draws with matplotlib: pip install hitogata[plot]") from None
    return pyplot
