"""Bodies that turn: tennis racket, heavy top, coin, tippe top."""

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.scenes import exact
from benchmarks.scenes.mujoco_run import rotate
from benchmarks.scenes.scene import G, Item, Scene, Trace, Verdict, body
from hitogata.figure import Cylinder, FigureBuilder, MassProperties, Sphere, joint


def scenes() -> Iterator[Scene]:
    """All of them."""
    yield racket()
    yield heavy_top()
    yield coin()
    yield tippe_top()


def racket() -> Scene:
    """A free body that turns about its middle axis, and flips over and over."""
    inertia, spin = (0.002, 0.004, 0.005), (0.05, 6.0, 0.05)
    builder = FigureBuilder("racket")
    builder.add("racket", None, joint.free(), MassProperties.principal(1.0, (0, 0, 0), inertia))
    item = Item(builder.build(), np.array([0, 0, 0, 1.0, 0, 0, 0]), np.array([*spin, 0, 0, 0]), touching=False)
    period = exact.tumbling_period(inertia, spin)

    def judge(trace: Trace) -> Verdict:
        flips = crossings(trace.t, rotate(trace.q[0][:, 3:7], trace.v[0][:, :3], back=True)[:, 1])
        if len(flips) < 3:
            return Verdict(100.0, "no flips")
        found = 2 * np.diff(flips).mean()
        return Verdict(100 * abs(found / period - 1), f"{found:.4f} s, true {period:.4f}")

    return Scene("tennis_racket", (item,), judge, "%", 0.5, "period of flips against Euler's solution", fixed=(),
                 gravity=0.0, seconds=20.0, kind="smooth", useless=50.0)  # fmt: skip


def crossings(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Times at which samples pass through zero, by straight lines."""
    at = np.flatnonzero(np.signbit(y[:-1]) != np.signbit(y[1:]))
    return t[at] + (t[at + 1] - t[at]) * y[at] / (y[at] - y[at + 1])


def heavy_top() -> Scene:
    """A top on a point, 120 rad/s: it nods and goes round."""
    mass, arm, across, along, tilt, spin = 0.5, 0.06, 3e-4, 4e-4, 0.4, 120.0
    builder = FigureBuilder("top")
    builder.add("top", None, joint.ball(), MassProperties.principal(mass, (0, 0, arm), (across, across, along)))
    q = np.array([math.cos(tilt / 2), 0, math.sin(tilt / 2), 0])
    item = Item(builder.build(), q, spin * np.array([math.sin(tilt), 0, math.cos(tilt)]), touching=False)

    def judge(trace: Trace) -> Verdict:
        true = exact.top_tilt(mass, arm, (across + mass * arm**2, along), tilt, spin, trace.t, G)
        found = np.arccos(np.clip(1 - 2 * (trace.q[0][:, 1] ** 2 + trace.q[0][:, 2] ** 2), -1, 1))
        return Verdict(math.degrees(np.abs(found - true).max()), f"ends at {math.degrees(found[-1]):.1f}°")

    return Scene("heavy_top", (item,), judge, "deg", 1.0, "tilt against Lagrange's solution, greatest over 5 s",
                 fixed=(), seconds=5.0, kind="smooth", useless=45.0)  # fmt: skip


def coin() -> Scene:
    """A disc as large as the toy called Euler's disc that rolls on its rim at 30°, its centre at rest."""
    radius, half, mass, angle = 0.0375, 0.0065, 0.44, math.radians(30)
    inertia = (mass * (radius**2 / 4 + half**2 / 3), mass * radius**2 / 2)
    rate, along = exact.rolling_disc_rate(radius, half, mass, inertia, angle, G)
    axis, up = np.array([math.sin(angle), 0, math.cos(angle)]), np.array([-math.cos(angle), 0, math.sin(angle)])
    high = radius * math.sin(angle) + half * math.cos(angle)
    item = body(Cylinder(radius, half), mass, (0, 0, high), (math.cos(angle / 2), 0, math.sin(angle / 2), 0),
                spin=tuple(rate * math.sin(angle) * up + along * axis))  # fmt: skip

    def judge(trace: Trace) -> Verdict:
        axes = rotate(trace.q[0][:, 3:7], np.tile([0.0, 0.0, 1.0], (len(trace.t), 1)))
        angles = np.arccos(np.clip(np.abs(axes[:, 2]), 0, 1))
        off = np.degrees(angles - angle)
        return Verdict(float(np.abs(off).max()), f"ends at {math.degrees(angles[-1]):.1f}°")

    return Scene("spinning_coin", (item,), judge, "deg", 2.0, "angle to the ground against steady rolling, 2 s",
                 friction=0.8, seconds=2.0, useless=20.0)  # fmt: skip


def tippe_top() -> Scene:
    """A ball with its centre of mass below its centre stands on its head once it spins fast."""
    radius, offset, mass, spin, tilt = 0.02, 0.003, 0.015, 200.0, 0.1
    inertia = 0.4 * mass * radius**2
    builder = FigureBuilder("tippe")
    builder.add("tippe", None, joint.free(), MassProperties.principal(mass, (0, 0, -offset), (inertia,) * 3),
                shapes=[Sphere(radius)])  # fmt: skip
    axis = np.array([math.sin(tilt), 0, math.cos(tilt)])
    omega = np.array([0, 0, spin])
    q = np.array([0, 0, radius, math.cos(tilt / 2), 0, math.sin(tilt / 2), 0])
    item = Item(builder.build(), q, np.concatenate([omega, np.cross(omega, offset * axis)]))

    def judge(trace: Trace) -> Verdict:
        axes = rotate(trace.q[0][:, 3:7], np.tile([0.0, 0.0, 1.0], (len(trace.t), 1)))
        integral = exact.jellett((inertia, inertia), axes, trace.v[0][:, :3], radius, offset)
        up = axes[:, 2] < -0.8
        if not up.any():
            return Verdict(math.inf, "does not turn over")
        until = np.argmax(up) + 1
        worst = 100 * np.abs(integral[:until] / integral[0] - 1).max()
        return Verdict(float(worst), f"over after {trace.t[until - 1]:.2f} s")

    return Scene("tippe_top", (item,), judge, "%", 2.0, "Jellett's integral until it stands on its head", friction=0.3,
                 seconds=6.0, useless=50.0)  # fmt: skip
