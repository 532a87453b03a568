"""What an analysis found, in a few numbers: for the summary of many trials, and for warnings."""

from typing import Any

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.files.osim import OsimModel
from hitogata.pipeline.figure_angles import AngleRange, angle_ranges
from hitogata.pipeline.values import Body, Motion, Torques

LONG = 240
"""Notes are cut to so many letters."""


def findings(values: dict[str, Any]) -> dict[str, Any]:
    """Plain numbers and words, as JSON takes them; None: not known."""
    body, angles, torques, tensions = (values[name] for name in ("body", "angles", "torques", "muscles"))
    found: dict[str, Any] = {"figure": body.figure.name, "mass": _plain(body.figure.mass)}
    if angles is not None:
        found |= {"frames": len(angles.time), "seconds": _plain(angles.time[-1] - angles.time[0])}
        if angles.angles is not None:
            own = angles.angles
            found |= {"marker_rms_mm": _plain(own.rms * 1e3), "marker_worst_mm": _plain(np.nanmax(own.residuals) * 1e3),
                      "seen": _plain(np.isfinite(own.residuals).mean()),
                      "converged": int(own.converged.sum())}  # fmt: skip
        used = range_use(body, angles)
        if used:
            name, _, _, _, _, part, beyond = max(used, key=lambda row: row[5])
            found |= {"range_most": name, "range_part": _plain(part), "range_beyond_deg": _plain(beyond)}
    if body.fit is not None:
        found |= {"fit_converged": bool(body.fit.converged), "size": _plain(np.median(body.fit.scales))}
    if torques is not None:
        found |= residual_numbers(torques)
    if tensions is not None:
        found |= {"busiest": [row[0] for row in tensions.busiest[:3]], "muscle_frames": list(tensions.solved),
                  "reserve_most": max((row[1] for row in tensions.reserves), default=None)}  # fmt: skip
    found["warnings"] = warnings_of(values)
    return found


def residual_numbers(torques: Torques) -> dict[str, Any]:
    """Residual force and moment of the root [N, N m], and beside the greatest measured force [%]."""
    force = np.linalg.norm(torques.residual[:, 3:], axis=1)
    moment = np.linalg.norm(torques.residual[:, :3], axis=1)
    most = float(np.linalg.norm(torques.loads, axis=1).max(initial=0.0))
    return {
        "residual_force_rms": _plain(np.sqrt((force**2).mean())), "residual_moment_rms": _plain(
            np.sqrt((moment**2).mean())), "measured_force_most": _plain(most) if most else None,
        "residual_force_percent": _plain(100 * np.sqrt((force**2).mean()) / most) if most else None,
    }  # fmt: skip


def warnings_of(values: dict[str, Any]) -> list[str]:
    """What to look at, from all stages, once."""
    told: list[str] = []
    for name in ("label", "body", "angles", "loads", "filter", "torques", "muscles"):
        value = values.get(name)
        told += [*getattr(value, "problems", ()), *getattr(value, "notes", ())]
    if values["torques"] is not None and values["muscles"] is None and values["body"].muscles is not None:
        told.append("no tensions of muscles: they are off, or no force was measured")
    short = [line if len(line) <= LONG else line[: LONG - 3] + "..." for line in told]
    return list(dict.fromkeys(short))


def range_use(body: Body, angles: Motion) -> list[tuple[str, float, float, float, float, float, float]]:
    """Of each turning coordinate with a range: name, least, greatest, the range, part used, degrees beyond."""
    if angles.table is None or not angles.table.in_degrees:
        return []
    rows = []
    for each in angle_ranges(body.figure) if body.model is None else _model_ranges(body.model):
        low, high = each.low, each.high
        if each.name not in angles.table.columns or not 1.0 < high - low < 359.0:
            continue
        values: FloatArray = angles.table.column(each.name)
        least, most = float(values.min()), float(values.max())
        beyond = max(low - least, most - high, 0.0)
        rows.append((each.name, least, most, low, high, (most - least) / (high - low), beyond))
    return rows


def _model_ranges(model: OsimModel) -> list[AngleRange]:
    return [
        AngleRange(c.name, *(float(x) for x in np.rad2deg(c.range)))
        for joint in model.joints
        for c in joint.coordinates
        if not c.locked and not c.name.endswith(("_tx", "_ty", "_tz"))
    ]


def _plain(x: Any) -> float | None:
    value = float(x)
    return round(value, 6) if np.isfinite(value) else None
