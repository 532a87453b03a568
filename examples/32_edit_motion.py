"""A walk, edited: mirrored, looped, slowed down with a wave on top, and a left bend that goes over into a right one.

python examples/32_edit_motion.py --out out/edit
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata.dynamics import difference, forward_kinematics
from hitogata.figure import Trajectory, velocities_of
from hitogata.library import human28
from hitogata.motion import Drift, Layer, add_layer, change_speed, cross_fade, find_contacts, make_loop, mirror, repeat
from hitogata.pictures import Camera, draw_figure
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/edit"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    left, right = walk(), mirror(HUMAN, walk())
    loop = make_loop(HUMAN, left, drift=Drift.REMOVE)
    raised = np.zeros((3, HUMAN.nv))
    raised[1, HUMAN.v_slice("shoulder_right")], raised[1, HUMAN.v_slice("elbow_right")] = [0.5, -2.2, 0], -0.6
    greeting = add_layer(HUMAN, left, Layer([0.2, 1.2, 2.2], raised))
    bends = cross_fade(HUMAN, left, right, 0.4, match=True, reach=1.5)
    rows = {"a walk": left, "mirrored": right, "one cycle, in place, repeated": repeat(HUMAN, loop, 2),
            "a wave on top, at 0.8 of the speed": change_speed(HUMAN, greeting, 0.8)}  # fmt: skip
    camera, (_, axes) = Camera(np.radians(-65), 0.08), plt.subplots(5, figsize=(11, 12), layout="constrained")
    for ax, motion in zip(axes, rows.values(), strict=False):
        for k, t in enumerate(np.arange(0.0, 2.15, 0.18)):
            q = motion.q[np.abs(motion.time - t).argmin()] * np.where(np.arange(HUMAN.nq) < 2, 0, 1)
            draw_figure(ax, HUMAN, q, camera=camera, shift=(0.85 * k, 0), zorder=k, colours=SIDES)
        ax.set(xlim=(-0.6, 9.9), ylim=(-0.15, 1.85))
    poses = forward_kinematics(HUMAN, bends.q)
    axes[4].plot(*poses.position[:, 0, :2].T, color="#999999", lw=1)
    for (name,), contacts in [(foot.links, foot.contacts) for foot in find_contacts(HUMAN, bends).values()]:
        for k in [(contact.first + contact.last) // 2 for contact in contacts]:
            place, turn = poses.position[k, HUMAN.link_index(name)], poses.rotation[k, HUMAN.link_index(name)]
            axes[4].plot(*(place + np.outer([-0.05, 0.13], turn[:, 0])).T[:2], color=SIDES[name], lw=6)
    for ax, title in zip(axes, [*rows, "from above: to the left, and over into the mirror image"], strict=True):
        ax.set(aspect="equal", anchor="W")
        ax.set_title(title, loc="left")
        ax.axis("off")
    plt.savefig(out / "edit.png", dpi=80)
    print(f"a cycle of {loop.duration:.3f} s; before they were joined its ends were {loop.points.distance:.1g} m apart")
    assert abs(difference(HUMAN, mirror(HUMAN, right).q, left.q)).max() < 1e-9
    assert abs(difference(HUMAN, loop.trajectory.q[-1], loop.trajectory.q[0])).max() < 1e-9
    assert abs(velocities_of(HUMAN, bends.time, bends.q) - bends.v).max() < 1e-9


if __name__ == "__main__":
    main()
