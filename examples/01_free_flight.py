"""Throw a human figure through the air, and see what physics keeps: energy and momentum.

    python examples/01_free_flight.py --out out/free_flight
"""

import argparse
import timeit
from pathlib import Path

import numpy as np
import pinocchio as pin
from matplotlib.figure import Figure as Sheet

from hitogata.dynamics import GRAVITY, Integrator, centre_of_mass, energy, forward_dynamics, momentum, step
from hitogata.figure import Figure, State, Trajectory
from hitogata.files import write_mjcf
from hitogata.library import human28
from hitogata.pictures import Camera, draw_figure

H, SECONDS, RATE = 1e-3, 10, 100
KEPT = ("energy", "angular momentum", "linear momentum")


def fly(figure: Figure) -> Trajectory:
    """Thrown upwards and forwards, in a slow somersault, limbs loose."""
    loose = 0.5 * np.random.default_rng(1).normal(size=figure.nv - 6)
    states = [State(figure.neutral(), np.concatenate([[0.3, 2.0, 0.6], [1.0, 0.0, 5.0], loose]))]
    for _ in range(SECONDS * RATE):
        states.append(step(figure, states[-1], H, steps=round(1 / (RATE * H)), integrator=Integrator.RUNGE_KUTTA_4))
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    return Trajectory(np.arange(len(states)) / RATE, q, v, figure_name=figure.name)


def drifts(figure: Figure, motion: Trajectory) -> list[np.ndarray]:
    e, p = energy(figure, motion.q, motion.v), momentum(figure, motion.q, motion.v)
    p[:, 3:] -= figure.mass * np.outer(motion.time, GRAVITY)  # gravity's share
    angular, linear = (np.linalg.norm(x - x[0], axis=1) / np.linalg.norm(x[0]) for x in (p[:, :3], p[:, 3:]))
    return [np.abs(e.total - e.total[0]) / e.kinetic[0], angular, linear]


def compare_speed(figure: Figure, motion: Trajectory, folder: Path) -> None:
    write_mjcf(figure, folder / "human28.xml")
    model = pin.buildModelFromMJCF(str(folder / "human28.xml"))
    data, q, v, tau = model.createData(), pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    first_q, first_v = motion.q[0], motion.v[0]
    many_q, many_v = np.resize(motion.q, (4096, figure.nq)), np.resize(motion.v, (4096, figure.nv))

    def best(run, number: int) -> float:
        return min(timeit.repeat(run, number=number, repeat=200)) / number * 1e6

    theirs = best(lambda: pin.aba(model, data, q, v, tau), 200)
    ours = best(lambda: forward_dynamics(figure, first_q, first_v, tau), 200)
    batch = best(lambda: forward_dynamics(figure, many_q, many_v, threads=None), 1) / len(many_q)
    print(f"forward dynamics, called from Python:\n  Pinocchio                          {theirs:6.2f} µs")
    print(f"  hitogata                           {ours:6.2f} µs   {theirs / ours:5.1f} times faster")
    print(f"  hitogata, batch of 4096, all cores {batch:6.2f} µs   {theirs / batch:5.1f} times faster")


def draw(figure: Figure, motion: Trajectory, drift: list[np.ndarray], folder: Path) -> None:
    ax = (sheet := Sheet(figsize=(11, 3.5), layout="constrained")).subplots()
    camera, spread = Camera(azimuth=np.radians(-78), elevation=np.radians(8)), 8.0
    for k, row in enumerate(range(0, 113, 14)):
        q = motion.q[row].copy()
        q[0] += spread * motion.time[row]  # drawn farther apart than they are, not to cover each other
        draw_figure(ax, figure, q, camera=camera, zorder=k)
    path = centre_of_mass(figure, motion.q[:113])
    path[:, 0] += spread * motion.time[:113]
    ax.plot(*camera.project(path)[:, :2].T, color="#b03a2e", lw=1.2, zorder=50, label="centre of mass")
    ax.set(aspect="equal", xticks=[], title="human28 in free flight, one pose every 140 ms", ylabel="height [m]")
    ax.legend(loc="upper right", frameon=False)
    sheet.savefig(folder / "flight.png", dpi=130)
    ax = (sheet := Sheet(figsize=(8, 4), layout="constrained")).subplots()
    for name, values in zip(KEPT, drift, strict=True):
        ax.semilogy(motion.time[1:], np.maximum(values[1:], 1e-17), label=name, lw=1.3)
    ax.set(xlabel="time [s]", ylabel="relative drift", title="What free flight must keep (4th order, h = 1 ms)")
    ax.legend(frameon=False)
    sheet.savefig(folder / "drift.png", dpi=130)


def main() -> None:
    parser = argparse.ArgumentParser(description="Throw a human figure through the air.")
    parser.add_argument("--out", type=Path, default=Path("out/free_flight"), help="folder for pictures and motion")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    figure = human28()
    print(f"{figure}\nthrown, {SECONDS} s at h = {H * 1e3:g} ms; relative drift:")
    motion = fly(figure)
    drift = drifts(figure, motion)
    for name, values, bound in zip(KEPT, drift, (1e-8, 1e-10, 1e-10), strict=True):
        print(f"  {name:17s} {values.max():.1e}")
        assert values.max() < bound, f"{name} drifts"
    compare_speed(figure, motion, folder)
    motion.save(folder / "flight.npz")
    draw(figure, motion, drift, folder)
    print(f"pictures: {folder / 'flight.png'}, {folder / 'drift.png'}")


if __name__ == "__main__":
    main()
