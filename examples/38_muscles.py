"""A walk behind its muscles: 366 tensions in one call; then the muscles of an arm move it."""

import argparse
import pathlib

import numpy as np

from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.muscle import MuscleDrive, muscles_of_motion, musculoskeletal_arm
from hitogata.muscle.drawing import muscle_spindles
from hitogata.pictures import Actor, write_replay
from hitogata.sim import World

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="out/muscles")
options = parser.parse_args()

found = muscles_of_motion(sample_walk(strides=1, rate=60.0), figure=virtual_human())
for name, mean, most, active in found.solution.busiest(5):
    print(f"{name:<28} mean {mean:6.0f} N, most {most:6.0f} N, activation up to {active:.2f}")
muscles, motion = found.solution.muscles, found.motion
spindles = muscle_spindles(muscles, motion.q, found.solution.activation)
page = pathlib.Path(options.out) / "walk.html"
page.parent.mkdir(parents=True, exist_ok=True)
walker = Actor(motion.figure, motion.trajectory, colour="#e6dfcf", opacity=0.35, overlays=[spindles])
write_replay(page, walker, title="A walk behind its muscles")

arm = musculoskeletal_arm()
world = World()
drive = MuscleDrive(arm, world.add(arm.body, mask=0), damping=0.2)
excitation = np.zeros(59)
for name in ("biceps_long_r", "biceps_short_r", "brachialis_r"):
    excitation[arm.index(name)] = 0.3
for _ in range(240):
    drive.act(excitation, 1 / 240)
    world.step(1 / 240)
elbow = drive.figure.q_slice("elbow_r")
print(f"the elbow is bent by {np.degrees(drive.member.q[elbow][0]):.0f} degrees")
