"""What do large steps do to a spring: the pendulum of Tazaki & Hasegawa (2007), beside MuJoCo, DART and Drake?

1 kg on 0.5 m, a spring K and a damper D in the hinge, let go at 90 degrees.  First at their step of 0.1 s, alone and
with a frictionless floor at the target; then the error against a fine reference (Runge-Kutta at 1e-5 s, on the
closed-form equation) over h.  Writes docs/images/pendulum_error.png, if DART and Drake are there.
"""

import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from benchmarks.swinging import TOUCHING, Swinger, Way, by_hand, by_mujoco, explicit
from benchmarks.swinging_peers import by_dart, by_drake, installed
from benchmarks.timing import table
from hitogata.sim import Settings

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "pendulum_error.png"
PAPER = ((2.0, 1.0), (20.0, 10.0), (200.0, 100.0))  # K [N m/rad], D [N m s/rad]
HARSH = ((200.0, 1.0), (2000.0, 1.0), (1e7, 0.0))
DRAWN = (*PAPER, (20.0, 0.0), (200.0, 1.0), (2000.0, 1.0))
STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
SHOWN = (0.1, 0.05, 0.02, 0.005, 0.001)
FINE, SECONDS = 1e-5, 2.0
WHOLE = Settings(longest_fast_step=math.inf)


def ways() -> dict[str, Way]:
    """Everyone who is there."""
    found: dict[str, Way] = {
        "hitogata": Swinger(),
        "hitogata, no substeps": Swinger(WHOLE),
        "hitogata, no substeps, θ = 1": Swinger(Settings(theta=1.0, longest_fast_step=math.inf)),
        "MuJoCo discrete": by_mujoco("discrete"),
    }
    if installed("dartpy"):
        found["DART"] = by_dart
    else:
        print("  DART is not installed (pip install dartpy): left out")
    if installed("pydrake"):
        found["Drake SAP"] = by_drake("Sap")
        found["Drake TAMSI"] = by_drake("Tamsi")
    else:
        print("  Drake is not installed (pip install drake): left out")
    found["MuJoCo implicitfast"] = by_mujoco("implicitfast")
    found["MuJoCo RK4"] = by_mujoco("RK4")
    found["explicit torques"] = explicit
    return found


# ------------------------------------------------------- at a tenth of a second


def outcome(way: Way, k: float, d: float, target: float, h: float = 0.1) -> str:
    """How far beyond its target it went, and where it was after 10 s [deg]."""
    swing = way(k, d, h, round(10 / h))
    away = np.degrees(swing.angle - target)
    if not swing.whole or np.abs(away).max() > 180:
        return "explodes"
    return f"{max(0.0, -away.min()):.1f}, {abs(away[-1]):.3f}"


def paper_tables() -> None:
    for title, target, floor in (("alone", 0.0, False), ("with a floor at its target", TOUCHING, True)):
        columns: dict[str, Way] = {
            "hitogata": Swinger(floor=floor),
            "no substeps": Swinger(WHOLE, floor=floor),
            "MuJoCo discrete": by_mujoco("discrete", floor=floor),
            "MuJoCo implicitfast": by_mujoco("implicitfast", floor=floor),
        }
        if not floor:
            columns["explicit torques"] = explicit
        rows = [[f"K = {k:g}, D = {d:g}", *(outcome(way, k, d, target) for way in columns.values())]
                for k, d in (*PAPER, *HARSH)]  # fmt: skip
        if not floor:
            for row, (k, d) in zip(rows, (*PAPER, *HARSH), strict=True):
                swing = by_hand(k, d, FINE, round(SECONDS / FINE))
                row.append(f"{max(0.0, -math.degrees(swing.angle.min())):.1f}")
        head = ["", *columns, *(() if floor else ("true",))]
        table(f"Pendulum {title}, h = 0.1 s: beyond its target, off it after 10 s [deg]", head, rows)
    print(f"  explicit torques, K = 20, D = 10, at 0.047 s: {outcome(explicit, 20.0, 10.0, 0.0, 0.047)}")


# ------------------------------------------------------- error over h


def errors(way: Way, k: float, d: float, reference: np.ndarray) -> list[float]:
    """Root mean square of the angle's error over the first two seconds, for each step [deg]."""
    found = []
    for h in STEPS:
        swing = way(k, d, h, round(SECONDS / h))
        off = swing.angle - reference[:: round(h / FINE)][: len(swing.angle)]
        found.append(math.degrees(np.sqrt(np.mean(off**2))) if swing.whole else math.inf)
    return found


LOOKS = {  # colour, line, marker, its size, width of the line, order
    "hitogata": ("#1f3b73", "-", "o", 5, 1.6, 9),
    "hitogata, no substeps": ("#1f3b73", ":", "", 0, 1.6, 8),
    "hitogata, no substeps, θ = 1": ("#6c8ebf", "-", "s", 12, 1.4, 3),
    "MuJoCo discrete": ("#e07a1f", "-", "D", 8, 1.4, 4),
    "DART": ("#3a7d44", "--", "+", 10, 1.4, 6),
    "Drake SAP": ("#000000", ":", "x", 4, 1.4, 7),
    "Drake TAMSI": ("#8c8c8c", "--", "1", 7, 1.4, 2),
    "MuJoCo implicitfast": ("#d1495b", "-", "^", 4, 1.4, 5),
    "MuJoCo RK4": ("#b48ead", "-", "v", 4, 1.4, 2),
    "explicit torques": ("#d9dce2", "-", "", 0, 5, 1),
}


def draw(results: dict[tuple[float, float], dict[str, list[float]]], path: Path) -> None:
    sheet = Sheet(figsize=(13, 8), layout="constrained", facecolor="white")
    for ax, ((k, d), lines) in zip(sheet.subplots(2, 3, sharex=True, sharey=True).flat, results.items(), strict=True):
        for name, values in lines.items():
            colour, line, marker, size, width, order = LOOKS[name]
            ax.plot(STEPS, np.minimum(values, 300.0), line, color=colour, marker=marker, ms=size, lw=width, label=name,
                    zorder=order, markerfacecolor="none" if marker in ("s", "D") else colour)  # fmt: skip
        ax.axhspan(90, 300, color="#d1495b", alpha=0.08, lw=0)
        ax.set(xscale="log", yscale="log", ylim=(3e-3, 250), title=f"K = {k:g}, D = {d:g}")
        ax.set_xticks([0.001, 0.01, 0.1], ["0.001", "0.01", "0.1"])
        ax.grid(color="#eef0f4")
        ax.spines[["top", "right"]].set_visible(False)
    sheet.axes[0].text(0.0011, 115, "diverges", color="#d1495b", fontsize=9)
    for ax in sheet.axes[3:]:
        ax.set_xlabel("step h [s]")
    for ax in sheet.axes[::3]:
        ax.set_ylabel("error of the angle [deg]")
    sheet.legend(*sheet.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.savefig(path, dpi=110)


def main() -> None:
    paper_tables()
    everyone, results = ways(), {}
    for k, d in DRAWN:
        reference = by_hand(k, d, FINE, round(SECONDS / FINE)).angle
        results[k, d] = {name: errors(way, k, d, reference) for name, way in everyone.items()}
        rows = [
            [name, *("diverges" if e > 90 else f"{e:.2g}" for e in (values[STEPS.index(h)] for h in SHOWN))]
            for name, values in results[k, d].items()
        ]
        title = f"K = {k:g}, D = {d:g}: error of the angle over 2 s, root mean square [deg]"
        table(title, ["", *(f"h = {h:g} s" for h in SHOWN)], rows)
    if set(everyone) == set(LOOKS):
        draw(results, PICTURE)
        print(f"\n  picture: {PICTURE.relative_to(PICTURE.parents[2])}")
    else:
        print("\n  picture: left as it is, since not everyone is there")


if __name__ == "__main__":
    main()
