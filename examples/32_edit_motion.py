"""A walk, edited: mirrored, looped, slowed down with a wave on top, and a left bend that goes over into a right one.

python examples/32_edit_motion.py --out out/edit
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from walking import HUMAN, SIDES, walk

from hitogata.dynamics import difference, forward_kinematics
from hitogata.figure import velocities_of
from hitogata.motion import Drift, Layer, add_layer, change_speed, cross_fade, find_contacts, make_loop, mirror, repeat
from hitogata.pictures import Camera, draw_figure


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
