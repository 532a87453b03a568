"""A walk made possible, on the level and downhill; and the same frame by frame.

    python examples/39_dynamics_filter.py --out out/filter
"""

import argparse
from pathlib import Path

import numpy as np

from hitogata.filter import DynamicsFilter, Mode, Slope, filter_motion
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import resample
from hitogata.pictures import Actor, write_replay

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("out/filter"))
given = parser.parse_args()
given.out.mkdir(parents=True, exist_ok=True)

human = virtual_human()
walk = resample(human, sample_walk(strides=2), 60.0)     # angles from tables: nobody ever walked so
level = filter_motion(human, walk)
downhill = filter_motion(human, walk, floor=Slope(np.radians(-5)))
for name, found in (("level", level), ("downhill", downhill)):
    print(f"{name}: {found}")
    assert found.measures.residual < 1e-9                # of body weight, by inverse dynamics
    assert found.measures.fallen_at is None

stream = DynamicsFilter(human, mode=Mode.PREVIEW, rate=60.0)
frames = [frame for q in walk.q if (frame := stream.feed(q)) is not None] + stream.finish()
print(f"{len(frames)} frames, each {stream.delay:.1f} s after it came; knee torques up to "
      f"{max(abs(frame.tau[human.v_slice('knee_left')][0]) for frame in frames):.0f} N m")  # fmt: skip
write_replay(given.out / "downhill.html", Actor(human, walk, colour="#8c8c99"), Actor(human, downhill.trajectory))
