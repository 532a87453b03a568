"""A walk made possible, on the level and downhill; and the same frame by frame.

    python examples/39_dynamics_filter.py --out out/filter --motion walk.bvh
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata.files import read_bvh
from hitogata.filter import DynamicsFilter, Mode, Slope, filter_motion
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import resample, retarget_bvh
from hitogata.pictures import Actor, Camera, draw_figure, write_replay

SLOPE = np.radians(-5)

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("out/filter"))
parser.add_argument("--motion", type=Path, help="BVH of a captured walk along x")
given = parser.parse_args()
given.out.mkdir(parents=True, exist_ok=True)

human = virtual_human()
walk = sample_walk(strides=2)                            # angles from tables: nobody ever walked so
if given.motion is not None:
    walk = retarget_bvh(read_bvh(given.motion), human).trajectory
walk = resample(human, walk, 60.0)
level = filter_motion(human, walk)
downhill = filter_motion(human, walk, floor=Slope(SLOPE))
for name, found in (("level", level), ("downhill", downhill)):
    print(f"{name}: {found}")
    assert found.measures.residual < 1e-9                # of body weight, by inverse dynamics
    assert found.measures.fallen_at is None

stream = DynamicsFilter(human, mode=Mode.PREVIEW, rate=60.0)
frames = [frame for q in walk.q if (frame := stream.feed(q)) is not None] + stream.finish()
print(f"{len(frames)} frames, each {stream.delay:.1f} s after it came; knee torques up to "
      f"{max(abs(frame.tau[human.v_slice('knee_left')][0]) for frame in frames):.0f} N m")  # fmt: skip
write_replay(given.out / "downhill.html", Actor(human, walk, colour="#8c8c99"), Actor(human, downhill.trajectory))

# Eight frames from the side, drawn 0.45 m farther apart than they are: what was wanted, and what can be on the slope.
plt.switch_backend("Agg")
side = Camera(azimuth=-np.pi / 2, elevation=0.0)
chart, rows = plt.subplots(2, 1, figsize=(10.0, 6.4), sharex=True)
moments = np.linspace(0, 0.8 * (len(downhill.trajectory) - 1), 8).round().astype(int)
for axes, motion, angle, title in ((rows[0], downhill.wanted, 0.0, "the motion that came in, on the level"),
                                   (rows[1], downhill.trajectory, SLOPE, "filtered, 5° downhill")):  # fmt: skip
    for k, moment in enumerate(moments):
        apart = np.array([0.45 * k, 0.45 * k * np.tan(angle)])
        draw_figure(axes, human, motion.q[moment], camera=side, shift=apart)
        if "forces" in motion.channels:
            for at, force in zip(motion["corners"][moment], motion["forces"][moment], strict=True):
                start, end = side.project(np.array([at, at + force / 1000.0]))[:, :2] + apart
                axes.plot(*zip(start, end, strict=True), color="#28965a", linewidth=1.5)
    x = np.array([walk.q[0, 0] - 0.7, walk.q[moments[-1], 0] + 3.9])
    axes.plot(x, x * np.tan(angle), color="#6a6f78")
    axes.set_title(title, fontsize=10)
    axes.set_aspect("equal")
    axes.axis("off")
chart.tight_layout()
chart.savefig(given.out / "downhill.png", dpi=110)
