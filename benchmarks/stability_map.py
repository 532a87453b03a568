"""At which stiffness and step do springs settle, ring or explode: alone and with contact, beside MuJoCo's integrators?

Alone: the pendulum of Tazaki & Hasegawa (2007), 1 kg on 0.5 m, let go at 90 degrees, 10 s.  It *diverges* if its energy
is ever four times that of the start (twice the amplitude) or no number; it *settles* if after 9 s it stays within 1 %
of the 90 degrees; otherwise it *rings*.  The strip below each map is the true motion.

With contact: human28 on its feet, the same spring in all its joints, disturbed by 0.05 rad/s, 5 s.  It *diverges* if a
joint turns faster than 200 rad/s, the pelvis is above 1.5 m, or numbers end; it *falls* if the pelvis ends below 0.7 m,
as springs too weak must; it *rings* if joints still turn with more than 1 % of the disturbance in the last half second.

Writes docs/images/stability_map.png; takes about two minutes.
"""

import itertools
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure as Sheet
from matplotlib.patches import Patch
from scipy.integrate import solve_ivp

from benchmarks.swinging import INTEGRATORS, START, Swinger, Way, by_mujoco, energy, explicit, pull
from benchmarks.timing import table
from benchmarks.upright import ExplicitStander, MujocoStander, OurStander, Stander, disturbance
from hitogata.sim import Settings

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "stability_map.png"
RATIOS = (0.0, 0.01, 0.5)  # D / K [s]
SWING_K, SWING_H = np.geomspace(1, 1e7, 15), np.geomspace(1e-3, 0.1, 13)
STAND_K, STAND_H = np.geomspace(1e2, 1e7, 11), 1 / np.array([1000, 480, 240, 120, 60, 30, 20, 10])
SWING_SECONDS, STAND_SECONDS = 10.0, 5.0


Maps = dict[str, dict[float, np.ndarray]]
"""Fates, shape (steps, stiffnesses), by who and by ratio of damping."""


class Fate(IntEnum):
    SETTLES = 0
    RINGS = 1
    FALLS = 2
    DIVERGES = 3


LOOKS = {  # colours that differ in lightness too
    Fate.SETTLES: ("#2a6f97", "settles"),
    Fate.RINGS: ("#a9d6e5", "rings or shakes, bounded"),
    Fate.FALLS: ("#e9e4d8", "falls over"),
    Fate.DIVERGES: ("#d1495b", "diverges"),
}


def fate_of_swing(way: Way, k: float, d: float, h: float) -> Fate:
    steps = round(SWING_SECONDS / h)
    swing = way(k, d, h, steps)
    powers = energy(swing, k)
    if not swing.whole or powers.max() > 4 * powers[0]:
        return Fate.DIVERGES
    return Fate.SETTLES if np.abs(swing.angle[-steps // 10 :]).max() < 0.01 * START else Fate.RINGS


def true_fate(k: float, d: float) -> Fate:
    """Of the motion itself, from a stiff solver."""
    if d == 0:
        return Fate.RINGS  # nothing takes its energy

    def change(_: float, y: np.ndarray) -> list[float]:
        return [y[1], pull(k, d, y[0], y[1])]

    times = np.linspace(0.9, 1.0, 200) * SWING_SECONDS
    found = solve_ivp(change, (0, SWING_SECONDS), [START, 0.0], "Radau", times, rtol=1e-6, atol=1e-9)
    return Fate.SETTLES if np.abs(found.y[0]).max() < 0.01 * START else Fate.RINGS


def fate_of_stand(stander: Stander, k: float, d: float, h: float) -> Fate:
    stander.begin(k, d, h, disturbed=True)
    stand = stander.run(STAND_SECONDS)
    if stand.diverges:
        return Fate.DIVERGES
    if not stand.stands:
        return Fate.FALLS
    still = 0.01 * np.abs(disturbance(stander.figure, True)).max()
    late = stand.turning[-max(1, round(0.5 / h)) :].max()
    return Fate.SETTLES if late < still else Fate.RINGS


def fates(of: Callable[[float, float, float], Fate], ks: np.ndarray, hs: np.ndarray) -> dict[float, np.ndarray]:
    """One map, shape (steps, stiffnesses), per ratio of damping."""
    return {r: np.array([[of(k, r * k, h) for k in ks] for h in hs]) for r in RATIOS}


def swing_maps() -> Maps:
    ways = {
        "hitogata": Swinger(),
        "hitogata, θ = 1": Swinger(Settings(theta=1.0)),
        "explicit torques": explicit,
        **{f"MuJoCo {name}": by_mujoco(name) for name in INTEGRATORS},
    }
    return {name: fates(lambda k, d, h, way=way: fate_of_swing(way, k, d, h), SWING_K, SWING_H)
            for name, way in ways.items()}  # fmt: skip


def stand_maps() -> Maps:
    standers = {
        "hitogata": OurStander(),
        "hitogata, θ = 1": OurStander(Settings(theta=1.0)),
        "explicit torques": ExplicitStander(),
        **{f"MuJoCo {name}": MujocoStander(name, time_constant=0.005, impratio=10.0) for name in INTEGRATORS},
    }
    return {name: fates(lambda k, d, h, s=stander: fate_of_stand(s, k, d, h), STAND_K, STAND_H)
            for name, stander in standers.items()}  # fmt: skip


# ------------------------------------------------------- picture


def edges(values: np.ndarray) -> np.ndarray:
    """Borders of cells around values, even on a logarithmic scale."""
    middle = np.sqrt(values[1:] * values[:-1])
    return np.concatenate([[values[0] ** 2 / middle[0]], middle, [values[-1] ** 2 / middle[-1]]])


def draw_maps(sheet: Sheet, maps: Maps, ks: np.ndarray, hs: np.ndarray, truth: bool) -> None:
    colours = ListedColormap([look[0] for look in LOOKS.values()])
    order = np.argsort(hs)
    gaps = {"wspace": 0.06, "hspace": 0.08}
    axes = sheet.subplots(len(RATIOS), len(maps), sharex=True, sharey=True, gridspec_kw=gaps)
    for (row, ratio), (column, name) in itertools.product(enumerate(RATIOS), enumerate(maps)):
        ax = axes[row, column]
        x, y = edges(ks), edges(hs[order])
        ax.pcolormesh(x, y, maps[name][ratio][order], cmap=colours, vmin=-0.5, vmax=3.5, edgecolors="white", lw=0.4)
        if truth:
            strip = np.array([true_fate(k, ratio * k) for k in ks])[None]
            low = y[0] / (y[-1] / y[0]) ** 0.085
            ax.pcolormesh(x, [low, y[0] * 0.93], strip, cmap=colours, vmin=-0.5, vmax=3.5, edgecolors="white", lw=0.4)
        ax.set(xscale="log", yscale="log")
        ax.minorticks_off()
        ax.set_xticks([1e2, 1e4, 1e6] if not truth else [1, 1e2, 1e4, 1e6])
        ax.set_yticks([0.001, 1 / 240, 1 / 60, 1 / 30, 0.1], ["1/1000", "1/240", "1/60", "1/30", "1/10"])
        ax.spines[:].set_visible(False)
        ax.tick_params(length=2, labelsize=8)
        if row == 0:
            ax.set_title(name, fontsize=10, fontweight="bold" if name.startswith("hitogata") else "normal")
        if column == 0:
            ax.set_ylabel(f"D = {ratio:g} s · K\n\nh [s]" if ratio else "D = 0\n\nh [s]", fontsize=9)
        if row == len(RATIOS) - 1:
            ax.set_xlabel("K [N m/rad]", fontsize=8)


def draw(swings: Maps, stands: Maps, path: Path) -> None:
    sheet = Sheet(figsize=(15, 11), facecolor="white")
    upper, lower = sheet.subfigures(2, 1)
    for part, maps, ks, hs, truth, title in (
        (upper, swings, SWING_K, SWING_H, True, "Pendulum, 1 kg on 0.5 m, from 90° (strip below: the true motion)"),
        (lower, stands, STAND_K, STAND_H, False, "human28 on its feet, a spring K and a damper D in every joint"),
    ):  # fmt: skip
        draw_maps(part, maps, ks, hs, truth)
        part.suptitle(title, x=0.01, y=0.985, ha="left", fontsize=12)
        part.subplots_adjust(left=0.07, right=0.995, top=0.88, bottom=0.13)
    patches = [Patch(color=colour, label=label) for colour, label in LOOKS.values()]
    sheet.legend(handles=patches, loc="lower center", ncols=4, frameon=False, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.savefig(path, dpi=110)


def show(title: str, maps: Maps) -> None:
    """Shares of the cells of each map."""
    rows = []
    for name, maps_of_name in maps.items():
        shares = [[f"{100 * np.mean(maps_of_name[r] == fate):.0f}" for fate in Fate] for r in RATIOS]
        rows.append([name, *[" / ".join(share) for share in shares]])
    table(f"{title}: settles / rings / falls / diverges, % of the map", ["", *[f"D = {r:g} K" for r in RATIOS]], rows)


def main() -> None:
    swings, stands = swing_maps(), stand_maps()
    show("Pendulum", swings)
    show("human28 on its feet", stands)
    draw(swings, stands, PICTURE)
    print(f"\n  picture: {PICTURE.relative_to(PICTURE.parents[2])}")


if __name__ == "__main__":
    main()
