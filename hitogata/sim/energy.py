"""Energy of a world, as its steps keep it.

Positions are known at the ends of steps, velocities within them: what steps keep is the kinetic energy of the mean
velocities of the last substep, and the potential energy in the middle of it (`energy_momentum`).  `dynamics.energy` at
`Member.q` and `Member.v` differs from it by terms of second order in the step.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.dynamics import difference, energy, forward_kinematics, integrate
from hitogata.dynamics.layout import model_of
from hitogata.figure import JointKind
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, entry, kernel, lanes
from hitogata.sim.energy_momentum import body_energy
from hitogata.sim.layout import open_scene, open_state, open_world
from hitogata.sim.placing import place

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.ties import Tie
    from hitogata.sim.world import World


@dataclass(frozen=True)
class WorldEnergy:
    """Energy of a world, or of one figure [J].

    Attributes:
        kinetic: of all bodies and rotors.
        gravity: potential energy; zero at the height of the world's origin.
        motors: of the springs in joints.
        ties: of springs and ropes between bodies; 0 for a single figure.
    """

    kinetic: float
    gravity: float
    motors: float
    ties: float

    @property
    def total(self) -> float:
        """Sum of all [J]."""
        return self.kinetic + self.gravity + self.motors + self.ties


def world_energy(world: "World") -> WorldEnergy:
    """Energy of all figures, springs and ropes; that of overlaps and of walls that joints are beyond is left out."""
    kinetic = _kinetic(world)
    places = {member: _middle(member) for member in world.members}
    gravity, motors = 0.0, 0.0
    for member, q in places.items():
        rest = np.zeros(member.figure.nv)
        gravity += float(energy(member.figure, q, rest, gravity=world.gravity).potential)
        motors += _motors(member, q)
    return WorldEnergy(float(kinetic.sum()), gravity, motors, sum(_tie(tie, places) for tie in world.ties))


def member_energy(member: "Member") -> WorldEnergy:
    """Energy of one figure, and of the springs in its joints."""
    q, span = _middle(member), member._arrays.span_of(member)
    rest = np.zeros(member.figure.nv)
    gravity = float(energy(member.figure, q, rest, gravity=member.world.gravity).potential)
    return WorldEnergy(float(_kinetic(member.world)[span.bodies].sum()), gravity, _motors(member, q), 0.0)


def _kinetic(world: "World") -> FloatArray:
    """Kinetic energy of each body, with its joint's rotor [J], shape (bodies,)."""
    arrays = world.arrays
    forest, out = arrays.forest, np.zeros(arrays.forest.bodies + 1)
    if arrays.loose is not None:
        ours = [float(energy(m.figure, m.q, m.v).kinetic) for m in world.members]
        for member, own in zip(world.members, ours, strict=True):
            out[arrays.span_of(member).bodies.start] = own
    else:
        read_energy(forest.ints, forest.floats, arrays.state, arrays.work, out)
    return out[:-1]


def _middle(member: "Member") -> FloatArray:
    """Coordinates halfway through the last substep; where the figure is, if it was put there since."""
    arrays = member._arrays
    if member in arrays.unread or not np.isfinite(arrays.last_h):
        return member.q
    start = arrays.q_of(member, arrays.start)
    middle: FloatArray = integrate(member.figure, start, 0.5 * difference(member.figure, start, member.q))
    return middle


def _motors(member: "Member", q: FloatArray) -> float:
    """Of the springs in all joints."""
    figure, controls = member.figure, member._arrays.controls_of(member)
    error, stiffness = difference(figure, controls.target, q), list[float]()
    for link, body in zip(figure.links, model_of(figure).body_of_link, strict=True):
        kind = link.joint.kind
        bodies = [body - 1, body] if kind is JointKind.UNIVERSAL else [body] * kind.nv
        stiffness += [0.0 if kind is JointKind.FREE else float(controls.motor[b, 0]) for b in bodies]
    return 0.5 * float(np.asarray(stiffness) @ error**2) if stiffness else 0.0


def _tie(tie: "Tie", places: "dict[Member, FloatArray]") -> float:
    """Of a spring or rope."""
    ends = []
    for end in tie.ends:
        if isinstance(end, tuple) and end[0] in places:
            figure = end[0].figure
            link, pose = figure.frame(end[1])
            poses = forward_kinematics(figure, places[end[0]])
            ends.append(poses.position[link] + poses.rotation[link] @ np.array(pose.position))
        else:
            ends.append(np.asarray(end, float))
    stretch = float(np.linalg.norm(ends[0] - ends[1]))
    return 0.5 * tie.stiffness * max(stretch - (tie.length or 0.0), 0.0) ** 2


@entry
def read_energy(ints, floats, state, work, out):
    """Kinetic energy of each body, with its joint's rotor, into `out`, shape (bodies,)."""
    world = open_world(ints, floats)
    scene, views = open_scene(world, work), open_state(world, state)
    place(scene, world.solid, views)
    sum_energy(scene, world.solid, views, lanes(out, X1))


@kernel
def sum_energy(scene, solids, state, out):
    """The same in views."""
    tree = scene.tree
    for i in range(tree.bodies):
        old, solid, joint = state.carried[i], solids[i], tree.joint[i]
        total = body_energy(solid.mass, solid.central, scene.placed[i].rot, old.centre, old.angular)
        for k in range(joint.iv, joint.iv + joint.count):
            total = total + 0.5 * tree.body[i].armature * (state.mean[k] * state.mean[k])
        out[i] = total
