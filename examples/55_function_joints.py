"""A knee that rolls and slides as it bends, with a kneecap that follows it: dropped on a floor, then led by hand.

The kneecap has no coordinate of its own: it follows the knee's, exactly, in the world and in the puppet.

    python examples/55_function_joints.py --out out/knee
"""

import argparse
from pathlib import Path

from hitogata.dynamics import forward_kinematics
from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
from hitogata.figure.mechanism import CubicSpline, JointStep, Linear, Polynomial
from hitogata.motion import Puppet
from hitogata.pictures import Actor, write_replay
from hitogata.pictures.bones import with_bones
from hitogata.sim import World

parser = argparse.ArgumentParser()
parser.add_argument("--out", type=Path, default=Path("out/knee"))
out = parser.parse_args().out
out.mkdir(parents=True, exist_ok=True)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
roll = CubicSpline((0.0, 0.5, 1.2, 2.1), (0.0, 0.004, 0.002, -0.003))  # how far the shin goes forwards, by the bend
knee = (JointStep(False, X, roll, ("knee",)), JointStep(False, Z, Polynomial((0.002, -0.4)), ("knee",)),
        JointStep(True, Y, Linear(), ("knee",)))  # fmt: skip
glide = (JointStep(False, Z, Polynomial((0.006, -0.03, -0.36)), ("knee",)),
         JointStep(True, Y, Linear((0.6, 0.0)), ("knee",)))  # fmt: skip


def bone(mass: float) -> MassProperties:
    return MassProperties.principal(mass, (0.0, 0.0, -0.2), (0.013 * mass, 0.013 * mass, 0.002 * mass))


builder = FigureBuilder("leg")
builder.add("thigh", None, joint.free(), bone(8.0))
builder.add("shin", "thigh", joint.function(("knee",), knee, name="knee joint", range=(0.0, 2.4)), bone(4.0))
builder.add("kneecap", "thigh", joint.function((), glide, child_frame=Pose((-0.06, 0.0, 0.0))), bone(0.1))
builder.add("foot", "shin", joint.hinge(Y, name="ankle", parent_frame=Pose((0.0, 0.0, -0.4))), bone(1.0))
leg = with_bones(builder.build())

world = World()
world.add_ground()
member = world.add(leg, at=(0.0, 0.0))
member.set_root(position=(0.0, 0.0, 1.2))
with world.record() as recording:
    world.step(1 / 60, steps=180)
write_replay(out / "knee.html", Actor(leg, recording.trajectory(member)))
print(f"the knee lies at {member.q[7]:.2f} rad, within its range of 0 to 2.4")

puppet = Puppet(leg)
puppet.pin("thigh")
foot = forward_kinematics(leg, puppet.q).position[leg.link_index("foot")]
puppet.drag("foot", position=foot + (-0.2, 0.0, 0.25))
solution = puppet.solve()
print(f"led by the foot, the knee bends by {puppet.q[7]:.2f} rad ({solution.status.name.lower()})")
assert 0.0 <= puppet.q[7] <= 2.4
