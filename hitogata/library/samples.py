"""Motions of our own: a walk, a run, a jump and a reach, as harmonics of joint angles, played on `virtual_human`.

Key values of the walk are the mean joint angles of the eight phases of gait (Perry & Burnfield 2010, Gait Analysis);
those of the run, the jump and the reach are round numbers of ours.  Periodic curves through them are cut to a few
harmonics.  The root follows from the feet: whichever is lowest stands on the floor and does not slide.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.joint_poses import joint_motion
from hitogata.figure.values import FloatArray
from hitogata.library.anthropometry import ANKLE, length
from hitogata.library.mannequin import HEEL
from hitogata.library.virtual_human import virtual_human
from hitogata.spatial import quat_exp, quat_multiply, quat_rotate

GRAVITY = 9.80665
HARMONICS = 8
"""How many a periodic curve keeps."""

WALK_PHASES = (0.0, 0.12, 0.31, 0.50, 0.62, 0.75, 0.87)
"""Initial contact, and the ends of loading response, mid stance, terminal stance, pre-swing, initial and mid swing."""
WALK = {"hip": (20, 20, 0, -20, -10, 15, 25), "knee": (5, 18, 5, 5, 40, 60, 25), "ankle": (0, -5, 5, 10, -15, -5, 0)}
"""Flexion at the phases [deg]; of the ankle, dorsiflexion (Perry & Burnfield 2010)."""

RUN_PHASES = (0.0, 0.08, 0.18, 0.36, 0.50, 0.66, 0.82, 0.93)
RUN = {
    "hip": (35, 33, 20, -8, -2, 30, 48, 42),
    "knee": (20, 32, 42, 18, 50, 95, 60, 22),
    "ankle": (5, 12, 20, -22, -8, 2, 6, 6),
}
"""Flexion in a run of about 3 m/s, initial contact first, toe-off at 0.36 [deg]; round numbers of ours."""

SIDES = (("left", 0.0), ("right", 0.5))
"""Which part of a stride each leg is behind."""


def sample_walk(*, strides: int = 4, rate: float = 100.0) -> Trajectory:
    """A slow walk along +x, 0.85 m/s: strides of 1.1 s, arms that swing against the legs.

    Args:
        strides: how many.
        rate: samples per second.
    """
    return _stride(WALK_PHASES, WALK, 1.1, strides, rate, arm_deg=18.0, elbow_deg=15.0, toe_off=0.62)


def sample_run(*, strides: int = 4, rate: float = 100.0) -> Trajectory:
    """A run along +x: strides of 0.72 s, with flight between steps."""
    return _stride(RUN_PHASES, RUN, 0.72, strides, rate, arm_deg=32.0, elbow_deg=85.0, toe_off=0.36)


def sample_jump(*, rate: float = 100.0) -> Trajectory:
    """A countermovement jump on the spot: standing, crouch, push-off, 0.45 s of flight, landing, standing; 3 s."""
    take_off, flight = 1.2, 0.45
    keys = (0.0, 0.4, 0.9, take_off, take_off + 0.5 * flight, take_off + flight, 1.95, 2.6, 3.0)
    curves = {
        "hip": (2, 2, 85, 3, 8, 12, 60, 2, 2),
        "knee": (3, 3, 95, 4, 6, 12, 75, 3, 3),
        "ankle": (0, 0, 25, -32, -30, -20, 22, 0, 0),
        "arm": (0, 0, -40, 110, 130, 90, 20, 0, 0),
        "trunk": (0, 0, 35, 2, 0, 2, 25, 0, 0),
    }
    time = _times(keys[-1], rate)
    from scipy.interpolate import PchipInterpolator  # slow to import: here, not for those who do without

    angles = {name: PchipInterpolator(keys, np.radians(row))(time) for name, row in curves.items()}
    figure = virtual_human()
    turns: dict[str, FloatArray] = {}
    for side, _ in SIDES:
        turns |= {f"hip_{side}": angles["hip"], f"knee_{side}": angles["knee"], f"ankle_{side}": angles["ankle"]}
        turns |= {f"shoulder_{side}": angles["arm"], f"elbow_{side}": 0 * time + 0.25}
    q = _posed(figure, turns | {"waist": -0.5 * angles["trunk"], "spine": -0.5 * angles["trunk"]}, len(time))
    feet = _feet(figure, q)
    q[:, 2] = -feet[..., 2].min(axis=(1, 2))
    air = (time > take_off) & (time < take_off + flight)
    fall = time[air] - take_off
    q[air, 2] += 0.5 * GRAVITY * fall * (flight - fall)
    q[:, 0] -= feet[..., 0].mean(axis=(1, 2)) - feet[0, ..., 0].mean()
    return _trajectory(figure, time, q)


def sample_reach(*, rate: float = 100.0) -> Trajectory:
    """Standing; the right hand reaches forwards to shoulder height and comes back; 2.5 s.

    Joints follow the straight path of least jerk, 10 t³ - 15 t⁴ + 6 t⁵ (Flash & Hogan 1985).
    """
    time = _times(2.5, rate)
    out = np.clip((time - 0.3) / 0.8, 0, 1)
    back = np.clip((time - 1.4) / 0.8, 0, 1)
    share = sum(sign * t**3 * (10 + t * (6 * t - 15)) for sign, t in ((1, out), (-1, back)))
    figure = virtual_human()
    turns = {"shoulder_right": np.radians(80) * share, "elbow_right": np.radians(25 - 15 * share)}
    turns |= {"elbow_left": 0 * time + np.radians(15), "spine": -np.radians(8) * share}
    q = _posed(figure, turns, len(time))
    q[:, 2] = -_feet(figure, q)[..., 2].min(axis=(1, 2))
    return _trajectory(figure, time, q)


def harmonics(phases: Sequence[float], values: Sequence[float], count: int = HARMONICS) -> FloatArray:
    """Coefficients of a periodic curve through values at phases 0 to 1: mean, then cosine and sine of each harmonic."""
    from scipy.interpolate import CubicSpline

    curve = CubicSpline([*phases, 1.0], [*values, values[0]], bc_type="periodic")
    even = np.arange(256) / 256
    spectrum = np.fft.rfft(curve(even))[: count + 1] / 256
    return np.concatenate([[spectrum[0].real], np.stack([2 * spectrum[1:].real, -2 * spectrum[1:].imag], 1).ravel()])


def harmonic_curve(coefficients: FloatArray, phase: FloatArray) -> FloatArray:
    """The curve of coefficients at phases, shape (n,)."""
    k = 2 * np.pi * np.arange(1, (len(coefficients) + 1) // 2)
    waves = np.stack([np.cos(np.outer(phase, k)), np.sin(np.outer(phase, k))], axis=2).reshape(len(phase), -1)
    result: FloatArray = coefficients[0] + waves @ coefficients[1:]
    return result


def _stride(
    phases: Sequence[float], curves: Mapping[str, Sequence[float]], period: float, strides: int, rate: float,
    *, arm_deg: float, elbow_deg: float, toe_off: float,
) -> Trajectory:  # fmt: skip
    """Legs by harmonics, arms against them; the root by the foot that stands, and flight where neither does."""
    if strides < 1:
        raise ArgumentError(f"strides: at least one expected, got {strides}")
    time = _times(strides * period, rate)
    figure = virtual_human()
    turns: dict[str, FloatArray] = {}
    for side, behind in SIDES:
        phase = time / period + behind
        for joint, row in curves.items():
            turns[f"{joint}_{side}"] = np.radians(harmonic_curve(harmonics(phases, row), phase))
        turns[f"knee_{side}"] = np.maximum(turns[f"knee_{side}"], 0.0)
        swing = -np.cos(2 * np.pi * phase)  # the arm is behind when its own leg is in front
        turns[f"shoulder_{side}"] = np.radians(arm_deg * swing)
        turns[f"elbow_{side}"] = np.radians(elbow_deg + 0.5 * arm_deg * swing)
    q = _posed(figure, turns, len(time))
    feet = _feet(figure, q)
    height = -feet[..., 2].min(axis=(1, 2))
    if toe_off < 0.5:
        height = _flown(time, time / period % 0.5, height, toe_off, period)
    q[:, 2] = height
    q[1:, 0] = np.cumsum(_planted(feet))
    return _trajectory(figure, time, q)


def _flown(time: FloatArray, phase: FloatArray, height: FloatArray, toe_off: float, period: float) -> FloatArray:
    """Heights of the root with parabolas from each toe-off to the next contact, never below what the feet ask for."""
    air = phase > toe_off + 1e-9
    result = np.interp(time, time[~air], height[~air])
    since = (phase[air] - toe_off) * period
    result[air] += 0.5 * GRAVITY * since * ((0.5 - toe_off) * period - since)
    return np.maximum(result, height)


def _planted(feet: FloatArray) -> FloatArray:
    """How far the root moves from sample to sample so that the lowest point of the feet stays where it is [m]."""
    n = len(feet)
    points = feet.reshape(n, -1, 3)
    low = points[:, :, 2].argmin(axis=1)[:-1]
    rows = np.arange(n - 1)
    result: FloatArray = points[rows, low, 0] - points[rows + 1, low, 0]
    return result


def _times(seconds: float, rate: float) -> FloatArray:
    if not 10.0 <= rate <= 10000.0:
        raise ArgumentError(f"rate: 10 to 10000 samples per second expected, got {rate!r}")
    return np.arange(round(seconds * rate) + 1) / rate


def _posed(figure: Figure, turns: Mapping[str, FloatArray], n: int) -> FloatArray:
    """q with flexions [rad] on top of the neutral pose: hips, ankles, shoulders and trunk turn about -y."""
    q = np.tile(figure.neutral(), (n, 1))
    for joint, angle in turns.items():
        at = figure.q_slice(joint)
        if joint.startswith(("knee", "elbow")):
            q[:, at] = angle[:, None] * (1.0 if joint.startswith("knee") else -1.0)
        else:
            q[:, at] = quat_multiply(quat_exp(np.outer(angle, (0.0, -1.0, 0.0))), q[:, at])
    return q


def _feet(figure: Figure, q: FloatArray) -> FloatArray:
    """Heel and toes of both feet with the root at the origin, shape (n, 2, 2, 3) [m]."""
    ends = np.array([(HEEL, 0.0, -ANKLE), (HEEL + length("foot"), 0.0, -ANKLE)])
    result = np.empty((len(q), 2, 2, 3))
    for k, (side, _) in enumerate(SIDES):
        quat, place = np.tile([1.0, 0, 0, 0], (len(q), 1)), np.zeros((len(q), 3))
        for name in (f"thigh_{side}", f"shin_{side}", f"foot_{side}"):
            joint = figure.links[figure.link_index(name)].joint
            place = place + quat_rotate(quat, np.tile(joint.parent_frame.position, (len(q), 1)))
            turn, _ = joint_motion(joint, q[:, figure.q_slice(joint.name)])
            quat = quat_multiply(quat, turn)
        for end in range(2):
            result[:, k, end] = place + quat_rotate(quat, np.tile(ends[end], (len(q), 1)))
    return result


def _trajectory(figure: Figure, time: FloatArray, q: FloatArray) -> Trajectory:
    return Trajectory(time, q, velocities_of(figure, time, q), figure_name=figure.name)
