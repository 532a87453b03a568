"""A walk to the left: footprints along an arc, and legs that reach them in closed form.  Examples 32 and 33 edit it."""

import numpy as np

from hitogata.figure import Trajectory, velocities_of
from hitogata.library import human28
from hitogata.spatial import matrix_to_quat, quat_exp, quat_to_matrix

HUMAN = human28()
BONE, SPEED, BEND = 0.42, 0.95, 0.35  # [m], [m/s], [rad/s]
PERIOD, DUTY = 1.1, 0.62  # of a stride [s], and the share of it that a foot stands
SIDES = {n: "#5b7fb5" if "left" in n else "#d9804a" if "right" in n else "#c9c2b8" for n in HUMAN.link_names}


def turned(angle: np.ndarray, axis: int) -> np.ndarray:
    return quat_to_matrix(quat_exp(np.multiply.outer(angle, np.eye(3)[axis])))


def arc(t: np.ndarray, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    """A point beside the way, and the heading there."""
    a, r = BEND * t, SPEED / BEND
    return np.stack([(r - y) * np.sin(a), r - (r - y) * np.cos(a), 0 * a + z], axis=-1), a


def walk(seconds: float = 3.5, rate: float = 60.0) -> Trajectory:
    """Footprints along an arc to the left, and legs that reach them in closed form."""
    t = np.arange(int(seconds * rate)) / rate
    phase = 2 * np.pi * t / PERIOD
    q = np.repeat(HUMAN.neutral()[None], len(t), axis=0)
    q[:, :3], heading = arc(t, 0.0, 0.88 + 0.012 * np.cos(2 * phase))
    pelvis = turned(heading + 0.06 * np.sin(phase), 2)
    q[:, 3:7] = matrix_to_quat(pelvis)
    for side, shift, y in (("left", 0.0, 1), ("right", 0.5, -1)):
        n, part = np.divmod(t / PERIOD + shift, 1.0)
        (a, angle_a), (b, angle_b) = (arc((k - shift + DUTY / 2) * PERIOD, 0.1 * y, 0.08) for k in (n, n + 1))
        s = np.clip((part - DUTY) / (1 - DUTY), 0, 1)  # of the swing
        w = s**3 * (10 - 15 * s + 6 * s * s)
        ankle = a + w[:, None] * (b - a) + np.outer(0.09 * np.sin(np.pi * s) ** 2, [0, 0, 1])
        d = np.einsum("nji,nj->ni", pelvis, ankle - q[:, :3]) - [0, 0.1 * y, -0.08]  # from hip to ankle
        knee = np.arccos((d * d).sum(axis=1) / (2 * BONE**2) - 1)
        swing = np.arctan2(-d[:, 0], np.hypot(d[:, 1], d[:, 2])) - knee / 2
        thigh = turned(np.arctan2(d[:, 1], -d[:, 2]), 0) @ turned(swing, 1)
        shin, foot = pelvis @ thigh @ turned(knee, 1), turned(angle_a + w * (angle_b - angle_a), 2)
        arm = -0.4 * np.cos(phase + 2 * np.pi * shift)
        q[:, HUMAN.q_slice(f"hip_{side}")] = matrix_to_quat(thigh)
        q[:, HUMAN.q_slice(f"knee_{side}")] = knee[:, None]
        q[:, HUMAN.q_slice(f"ankle_{side}")] = matrix_to_quat(np.swapaxes(shin, 1, 2) @ foot)
        q[:, HUMAN.q_slice(f"shoulder_{side}")] = quat_exp(np.outer(arm, [0, 1, 0]) + [0.12 * y, 0, 0])
        q[:, HUMAN.q_slice(f"elbow_{side}")] = (-0.5 - 0.3 * arm)[:, None]
    return Trajectory(t, q, velocities_of(HUMAN, t, q), figure_name=HUMAN.name)
