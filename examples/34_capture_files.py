"""A squat in a capture laboratory, made here: markers and a force plate go to a C3D file and come back as forces.

python examples/34_capture_files.py --out out/capture
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata import files
from hitogata.dynamics import forward_kinematics
from hitogata.files import Axes, C3d, LengthUnit, MarkerData, StorageTable
from hitogata.files.c3d import AnalogData, Event, ForcePlate, PlateType
from hitogata.library import human28

RATE, SAMPLES, SECONDS, MASS, GRAVITY = 100.0, 10, 3.0, 70.0, 9.81
DEPTH = 0.25  # how deep the body goes [m]
CORNERS = np.array([[0.3, -0.2, 0], [-0.3, -0.2, 0], [-0.3, 0.2, 0], [0.3, 0.2, 0]])  # x forward, y right, z down
ORIGIN = np.array([0.0, 0.0, -0.04])  # the sensors are 4 cm below the surface


def height(t: np.ndarray) -> np.ndarray:
    """How far the centre of mass is below standing [m]."""
    return -DEPTH / 2 * (1 - np.cos(2 * np.pi * t / SECONDS))


def push(t: np.ndarray) -> np.ndarray:
    """What carries the body: m (g + a) [N]."""
    return MASS * (GRAVITY - DEPTH / 2 * (2 * np.pi / SECONDS) ** 2 * np.cos(2 * np.pi * t / SECONDS))


def markers() -> MarkerData:
    """A marker on every link of a human that goes down and up; one is hidden for a while."""
    human = human28()
    t = np.arange(int(SECONDS * RATE)) / RATE
    places = np.repeat(forward_kinematics(human, human.neutral()).position[None], len(t), axis=0)
    places[..., 2] += height(t)[:, None] * (places[..., 2] > 0.5)
    places[60:90, 3] = np.nan
    return MarkerData(tuple(link.name for link in human.links), t, RATE, places, name="squat")


def plate(t: np.ndarray) -> tuple[AnalogData, ForcePlate, np.ndarray]:
    """Six channels as a plate measures them, in its own axes (z down) about its sensors; and the true centre."""
    centre = np.stack([0.05 + 0.03 * np.sin(2 * t), 0.02 * np.cos(3 * t), 0 * t], axis=1)
    force = np.stack([0 * t, 0 * t, push(t)], axis=1)
    flip = np.array([1, -1, -1])  # from our axes to those of the plate
    moment = np.cross(centre * flip + ORIGIN, force * flip)
    analog = AnalogData(("Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1"), ("N",) * 3 + ("Nmm",) * 3, RATE * SAMPLES, t,
                        np.hstack([force * flip, 1000 * moment]))  # fmt: skip
    return analog, ForcePlate(PlateType.WRENCH, CORNERS, ORIGIN, range(6), (1,) * 3 + (0.001,) * 3), centre


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/capture"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    made = markers()
    analog, force_plate, centre = plate(np.arange(int(SECONDS * RATE) * SAMPLES) / (RATE * SAMPLES))
    files.write_c3d(C3d(made, analog, (Event("deepest", SECONDS / 2),), (force_plate,)), out / "squat.c3d")
    squat = files.read_c3d(out / "squat.c3d")
    print(squat)
    files.write_trc(squat.markers, out / "squat.trc", unit=LengthUnit.MILLIMETRE, axes=Axes.Y_UP_X_FORWARD)  # OpenSim's
    again = files.read_trc(out / "squat.trc", axes=Axes.Y_UP_X_FORWARD)

    found = files.plate_forces(squat, 0, at_frames=True)
    columns = tuple(f"ground_force_{kind}{axis}" for kind in "vp" for axis in "xyz")
    forces = StorageTable(columns, found.time, np.hstack([found.force, found.centre]))
    files.write_storage(forces, out / "squat_grf.mot")
    table = files.read_storage(out / "squat_grf.mot")

    fast = files.plate_forces(squat, 0)
    error = np.abs(fast.force[:, 2] - push(fast.time)).max()
    apart = np.abs(fast.centre - centre).max()
    print(f"force to {error:.1e} N, centre of pressure to {1000 * apart:.1e} mm of what was put in")
    _, axes = plt.subplots(2, figsize=(9, 6), layout="constrained", sharex=True)
    axes[0].plot(table.time, table.column("ground_force_vz"), label="plate, up [N]")
    axes[0].axhline(MASS * GRAVITY, color="grey", lw=1, label="weight [N]")
    axes[1].plot(squat.markers.time, squat.markers.positions[:, :6, 2], label=squat.markers.labels[:6])
    axes[1].set(xlabel="time [s]", ylabel="height of markers [m]")
    for ax in axes:
        ax.legend(fontsize=8)
    plt.savefig(out / "squat.png", dpi=90)
    assert error < 1e-3
    assert apart < 1e-6
    assert np.array_equal(np.isnan(again.positions), np.isnan(made.positions))
    assert np.nanmax(np.abs(again.positions - made.positions)) < 1e-6
    assert [event.label for event in squat.events] == ["deepest"]


if __name__ == "__main__":
    main()
