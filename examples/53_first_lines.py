"""First lines of a game: figures placed and turned, a ball thrown, a lift that carries, a hand led along a path.

Everything in a world has its place where it comes in: `at` and `facing` of a figure, `pose` of a body, or later by
`set_root`, `set_joints`, `q`, `v`.

    python examples/53_first_lines.py --out out/first
"""

import argparse
from pathlib import Path

import numpy as np

from hitogata.figure import Box, Pose, Sphere
from hitogata.library import human28
from hitogata.pictures import Actor, write_replay
from hitogata.sim import KinematicBody, World, hold

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("out/first"))
out = parser.parse_args().out
out.mkdir(parents=True, exist_ok=True)

world = World()
world.add_ground()
one = world.add(human28(), at=(0.0, 0.0))
two = world.add(human28(), at=(2.0, 0.0), facing=np.pi)  # they look at each other
for human in (one, two):
    human.set_motor(2000.0, 60.0)
one.set_motor(20.0, 4.0, ["shoulder_right", "elbow_right"])  # an arm that can be led
two.set_joints({"elbow_left": -1.2, "shoulder_left": (0.0, -0.6, 0.0)})  # the rest stays as it is
two.set_target(two.q)
ball = world.add_body(Sphere(0.12), mass=1.0, pose=Pose((1.9, 1.2, 1.0)), velocity=(0.0, -4.0, 2.0), name="ball")
lift = KinematicBody(world, Box((0.4, 0.4, 0.05)), pose=Pose((-1.5, 0.0, -0.04)), name="lift")
load = world.add_body(Box((0.15, 0.15, 0.15)), mass=20.0, pose=Pose((-1.5, 0.0, 0.16)), name="load")
lift.move_to((-1.5, 0.0, 0.8), within=2.0)

hand = hold((one, "grip_right"), stiffness=2e3, damping=200.0)  # a soft hold, led along a line
start = hand.ties[0].anchor - hand.points[0]
hand.move(start, velocity=(0.15, 0.0, 0.25))

with world.record() as recording:
    world.step(1 / 120, steps=240)
members = {"one": one, "two": two, "ball": ball, "lift": lift.member, "load": load}
write_replay(out / "first.html", *(Actor(m.figure, recording.trajectory(m), label=n) for n, m in members.items()))

led = hand.ties[0].anchor - hand.points[0] - start
print(f"the hand was led by {np.linalg.norm(led):.2f} m, and is {100 * hand.gap:.1f} cm behind")
print(f"the lift carries its load to {load.q[2]:.2f} m; the ball came to {np.round(ball.q[:3], 2)}")
assert np.allclose(led, (0.3, 0.0, 0.5), atol=1e-9)
assert hand.gap < 0.1
assert abs(load.q[2] - 1.0) < 0.01
assert two.q[0] > 1.7
assert one.q[2] > 0.9
