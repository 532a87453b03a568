"""A pendulum with a spring and a damper in its hinge, at steps of a tenth of a second (Tazaki & Hasegawa 2007, Fig. 1).

The usual way computes the torque -K q - D v from the state before the step, which stiff springs turn into an explosion.
Where springs and dampers are part of the step itself, any K and D settle.  The paper's scheme does that with backward
Euler; hitogata's own settings weigh both ends of the step and cut it while something turns fast, and follow the true
motion more closely.

    python examples/20_pendulum_springs.py --out out/pendulum
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.figure import State
from hitogata.library import pendulum
from hitogata.sim import Settings, World, WorldError

H, SECONDS, START = 0.1, 10.0, np.pi / 2
PAPER = ((2.0, 1.0), (20.0, 10.0), (200.0, 100.0))  # K [N m/rad], D [N m s/rad]
HARSH = ((200.0, 1.0), (2000.0, 1.0), (1e7, 0.0))  # far beyond the paper: stiff, hardly damped, or not at all


IMPLICIT = Settings(theta=1.0, longest_fast_step=np.inf)  # the paper's scheme, without hitogata's substeps


def swing(k: float, d: float, h: float, settings: Settings, explicit: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and angles [rad] of the pendulum, let go at 90 degrees."""
    world = World(settings=settings)
    bob = world.add(pendulum(), State(np.array([START]), np.zeros(1)))
    bob.set_target(np.zeros(1))
    if not explicit:
        bob.set_motor(k, d)
    angles = [START]
    while world.time < SECONDS - h / 2:
        if explicit:
            bob.push(-k * bob.q - d * bob.v)
        try:
            world.step(h)
        except WorldError:  # no longer finite
            break
        angles.append(bob.q[0])
    return h * np.arange(len(angles)), np.array(angles)


def draw(path: Path) -> None:
    sheet = Sheet(figsize=(11, 5.6), layout="constrained", facecolor="white")
    for ax, (k, d) in zip(sheet.subplots(2, 3, sharex=True, sharey=True).flat, PAPER + HARSH, strict=True):
        ax.axhline(0, color="#c9ccd3", lw=0.8)
        if (k, d) in PAPER:
            ax.plot(*swing(k, d, 0.002, Settings()), color="#9aa1ad", lw=4, alpha=0.6, label="true motion")
        t, q = swing(k, d, H, IMPLICIT, explicit=True)
        ax.plot(t, np.clip(q, -9, 9), "--", color="#d1495b", lw=1, label="torque from the last state")
        ax.plot(*swing(k, d, H, IMPLICIT), ".-", color="#e08e0b", lw=1.2, ms=4, label="the paper's scheme")
        ax.plot(*swing(k, d, H, Settings()), ".-", color="#1f3b73", lw=1.2, ms=4, label="hitogata")
        ax.set(title=f"K = {k:g}, D = {d:g}", ylim=(-2.3, 2.3), xlim=(0, 5))
        ax.spines[["top", "right"]].set_visible(False)
    for ax in sheet.axes[3:]:
        ax.set_xlabel("time [s]")
    for ax in sheet.axes[::3]:
        ax.set_ylabel("angle [rad]")
    sheet.legend(*sheet.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    sheet.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="Springs that stay calm at large steps.")
    parser.add_argument("--out", type=Path, default=Path("out/pendulum"), help="folder for the picture")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    print(f"1 kg on 0.5 m, let go at 90°, steps of {H} s; largest angle from 1 s on, and after {SECONDS:g} s [deg]")
    print(f"{'K [N m/rad]':>12}{'D [N m s/rad]':>15}{'hitogata':>19}{'paper':>19}{'torque from last state':>24}")
    for k, d in PAPER + HARSH:
        ways = (Settings(), False), (IMPLICIT, False), (IMPLICIT, True)
        ours, paper, usual = (np.degrees(np.abs(swing(k, d, H, settings, e)[1])) for settings, e in ways)
        wild = len(usual) < len(ours) or usual[-1] > 1000
        print(f"{k:12g}{d:15g}" + "".join(f"{q[10:].max():11.3f}{q[-1]:8.3f}" for q in (ours, paper)), end="")
        print(f"{'explodes':>24}" if wild else f"{usual[10:].max():16.3f}{usual[-1]:8.3f}")
        assert wild == ((k, d) != PAPER[0])
        for q in (ours, paper):
            assert q.max() <= 90.0, "a spring gained energy"
            assert q[-1] < 0.01 or (k, d) not in PAPER, "it should have settled"
    draw(out / "pendulum.png")
    print(f"picture: {out / 'pendulum.png'}")


if __name__ == "__main__":
    main()
