"""Active ragdolls: some stand, one walks, all are hit by balls; who falls gets up again.

    python examples/54_ragdolls.py --out out/ragdolls
"""

import argparse
from pathlib import Path

import numpy as np

from hitogata.control import Mode, Ragdoll
from hitogata.figure import Pose, Sphere
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.pictures import Actor, write_replay
from hitogata.sim import Settings, World

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("out/ragdolls"))
parser.add_argument("--seconds", type=float, default=3.0)
given = parser.parse_args()
given.out.mkdir(parents=True, exist_ok=True)
H = 1 / 120

world = World(settings=Settings.games())
world.add_ground()
crowd = [Ragdoll(world, virtual_human(), at=(0.0, 1.5 * k)) for k in range(3)]
crowd[2].follow(sample_walk(), loop=True)                 # with the help of a root motor
balls = []
for k in range(2):
    start = Pose((2.0, 0.1 + 1.5 * k, 1.25))
    balls.append(world.add_body(Sphere(0.11), mass=3.0, pose=start, velocity=(-6.0, 0.0, 1.5)))
seen = []
with world.record(every=2) as recording:
    for _ in range(round(given.seconds / H)):
        for person in crowd:
            person.update(H)
        world.step(H)
        seen.append([person.mode for person in crowd])

members = [*(person.member for person in crowd), *balls]
write_replay(given.out / "ragdolls.html", *(Actor(m.figure, recording.trajectory(m)) for m in members))
for k, person in enumerate(crowd):
    did = ", ".join(dict.fromkeys(modes[k].value for modes in seen))
    print(f"figure {k}: {did}; pelvis at {person.member.q[2]:.2f} m")
assert all(np.isfinite(person.member.q).all() for person in crowd)
assert np.linalg.norm(balls[0].v[3:5]) < 6.0
assert sum(person.mode is Mode.BALANCING for person in crowd[:2]) >= 1  # 18 N s at the chest: they keep their feet
