"""A walk of human28 or human40 whose feet truly stand: planned footprints, and legs that reach them in closed form."""

import numpy as np

from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.spatial import matrix_to_quat, quat_exp, quat_to_matrix

DUTY = 0.62
"""Share of a stride for which a foot stands."""
SIDES = {"left": (0.0, 1.0), "right": (0.5, -1.0)}
"""Phase and side (y) of each foot."""


def path(time, speed, turn):
    """Place and heading of the body's frame on the ground, shape (n, 2), (n,): straight, or along a circle."""
    angle = turn * time
    if abs(turn) < 1e-9:
        return np.stack([speed * time, 0 * time], axis=-1), angle
    return speed / turn * np.stack([np.sin(angle), 1 - np.cos(angle)], axis=-1), angle


def about_z(angle):
    """Rotation matrices, shape (n, 3, 3)."""
    return quat_to_matrix(quat_exp(np.multiply.outer(angle, [0.0, 0.0, 1.0])))


def foot(time, phase, y, speed, turn, period):
    """Ankle place (n, 3), heading (n,) and whether it stands (n,)."""
    stride = time / period + phase
    n, part = np.floor(stride), np.mod(stride, 1.0)
    prints = []
    for k in (n, n + 1):
        p, angle = path((k - phase + DUTY / 2) * period, speed, turn)
        side = 0.1 * y * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
        prints.append((np.concatenate([p + side, np.full((*p.shape[:-1], 1), 0.08)], axis=-1), angle))
    s = np.clip((part - DUTY) / (1 - DUTY), 0.0, 1.0)
    w = s**3 * (10 - 15 * s + 6 * s * s)
    place = prints[0][0] + w[:, None] * (prints[1][0] - prints[0][0])
    place[:, 2] += 0.09 * np.sin(np.pi * s) ** 2
    return place, prints[0][1] + w * (prints[1][1] - prints[0][1]), part < DUTY


def stepping_walk(
    figure: Figure, *, seconds=3.0, rate=60.0, speed=0.95, turn=0.0, period=1.1, start=0.0
) -> tuple[Trajectory, dict[str, np.ndarray]]:
    """The walk, and which foot stands when; `turn` is a rate of turning [rad/s]."""
    time = np.arange(round(seconds * rate) + 1) / rate
    t = time + start
    phase = 2 * np.pi * t / period
    q = np.repeat(figure.neutral()[None], len(t), axis=0)
    place, heading = path(t, speed, turn)
    q[:, :2], q[:, 2] = place, 0.885 + 0.012 * np.cos(2 * phase)
    pelvis = about_z(heading + 0.06 * np.sin(phase))
    q[:, 3:7] = matrix_to_quat(pelvis)
    down = {}
    for side, (shift, y) in SIDES.items():
        ankle, angle, down[side] = foot(t, shift, y, speed, turn, period)
        hip = q[:, :3] + pelvis @ [0.0, 0.1 * y, -0.08]
        d = np.einsum("nji,nj->ni", pelvis, ankle - hip)
        knee = np.arccos(((d**2).sum(axis=1) - 2 * 0.42**2) / (2 * 0.42**2))
        flat = np.hypot(d[:, 1], d[:, 2])
        swing = np.arctan2(-d[:, 0], flat) - np.arctan2(np.sin(knee), 1 + np.cos(knee))
        roll = quat_exp(np.outer(np.arctan2(d[:, 1], -d[:, 2]), [1.0, 0, 0]))
        thigh = quat_to_matrix(roll) @ quat_to_matrix(quat_exp(np.outer(swing, [0, 1.0, 0])))
        shin = pelvis @ thigh @ quat_to_matrix(quat_exp(np.outer(knee, [0, 1.0, 0])))
        q[:, figure.q_slice(f"hip_{side}")] = matrix_to_quat(thigh)
        q[:, figure.q_slice(f"knee_{side}")] = knee[:, None]
        q[:, figure.q_slice(f"ankle_{side}")] = matrix_to_quat(np.swapaxes(shin, 1, 2) @ about_z(angle))
        arm = -0.4 * np.cos(phase + 2 * np.pi * shift)
        q[:, figure.q_slice(f"shoulder_{side}")] = quat_exp(np.outer(arm, [0, 1.0, 0]) + [0.12 * y, 0, 0])
        q[:, figure.q_slice(f"elbow_{side}")] = (-0.5 - 0.2 * arm)[:, None]
    q[:, figure.q_slice("waist")] = quat_exp(np.outer(-0.1 * np.sin(phase), [0, 0, 1.0]))
    return Trajectory(time, q, velocities_of(figure, time, q), figure_name=figure.name), down
