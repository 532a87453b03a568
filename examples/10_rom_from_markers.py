"""From markers to a range of motion: an arm is waved about, markers get hidden, a range is fitted around the poses.

python examples/10_rom_from_markers.py --out out/rom
"""

import argparse
from pathlib import Path

import numpy as np

from hitogata.rom import Known, Target, export_range, joint_from_markers, plot_range
from hitogata.rom.human import Side, shoulder
from hitogata.spatial import quat_exp, quat_multiply, quat_rotate

SHOULDER = np.array([0.02, 0.14, -0.05])  # in the chest [m]
CHEST = np.array([[0.10, 0.10, -0.02], [0.0, 0.13, 0.06], [-0.09, 0.10, -0.01]])
ELBOW = 0.045 * np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]) - [0.0, 0.0, 0.29]


def wave(seconds: float = 40.0, rate: float = 60.0) -> tuple[np.ndarray, np.ndarray]:
    """Chest and arm of somebody who explores what the shoulder can do: quaternions (n, 4)."""
    t = np.arange(seconds * rate) / rate
    chest = quat_exp(0.15 * np.stack([np.sin(0.7 * t), np.sin(0.9 * t + 1), np.sin(0.5 * t + 2)], 1))
    reach = np.clip(t, 0.0, 1.0)[:, None] * 1.9 * np.abs(np.sin(2.77 * t))[:, None]  # from rest
    way = np.stack([np.sin(0.311 * t), -np.cos(0.311 * t), 0.0 * t], 1)
    twist = quat_exp(np.outer(np.clip(t, 0, 1) * 1.4 * np.sin(7.3 * t), [0.0, 0.0, -1.0]))
    return chest, shoulder(Side.LEFT).clamp(quat_multiply(quat_exp(reach * way), twist))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/rom"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    chest, arm = wave()
    rng = np.random.default_rng(1)
    centre = quat_rotate(chest, SHOULDER)
    parent = quat_rotate(chest[:, None], CHEST)
    child = centre[:, None] + quat_rotate(quat_multiply(chest, arm)[:, None], ELBOW)
    for markers in (parent, child):
        markers += rng.normal(scale=0.3e-3, size=markers.shape)  # noise of the cameras
        markers[1:][rng.random(markers[1:].shape[:2]) < 0.2] = np.nan  # one in five is hidden

    motion = joint_from_markers(parent, child, rest=0)
    print(motion)
    error = np.linalg.norm(motion.centre - centre, axis=1)[motion.known > Known.HIDDEN]
    print(f"shoulder's centre found to {1e3 * np.sqrt((error**2).mean()):.1f} mm")

    fit = motion.fit(margin=np.radians(2.0), quiet=True)
    print(fit.report)
    fit.range.save(out / "shoulder.json")
    plot_range(fit.range, out / "shoulder.png", title="Range fitted to markers", cloud=motion.poses)
    print(f"wrote {out}/shoulder.json and shoulder.png")

    for target in (Target.MUJOCO, Target.CONE, Target.ELLIPSE, Target.PYRAMID):
        e = export_range(fit.range, target)
        wrong = f"{e.wrongly_allowed:.2f} sr wrongly allowed, {e.wrongly_forbidden:.2f} sr wrongly forbidden"
        print(f"{target.value:<8} {wrong} (of {e.area:.2f} sr)")
    assert fit.report.coverage > 0.9


if __name__ == "__main__":
    main()
