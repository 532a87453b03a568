"""Energy of a world, as its steps keep it.

Positions are known at the ends of steps, velocities within them: what steps keep is the kinetic energy of the mean
velocities of the last substep, and the potential energy in the middle of it (`energy_momentum`).  Figures with a free
base have that of gravity at its end, less what gravity still owes them.  `dynamics.energy` at `Member.q` and `Member.v`
differs from all this by terms of second order in the step.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.dynamics import difference, energy, forward_kinematics, integrate
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.figure.pose import FloatArray
from hitogata.lanes import X1, entry, kernel, lanes
from hitogata.sim.layout import open_state, open_world
from hitogata.spatial import dot

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
    read, places = _read(world), {member: _middle(member) for member in world.members}
    gravity = sum(_gravity(member, q, read) for member, q in places.items())
    motors = sum(_motors(member, q) for member, q in places.items())
    return WorldEnergy(float(read[:, 0].sum()), gravity, motors, sum(_tie(tie, places) for tie in world.ties))


def member_energy(member: "Member") -> WorldEnergy:
    """Energy of one figure, and of the springs in its joints."""
    q, read, own = _middle(member), _read(member.world), member._arrays.span_of(member).bodies
    return WorldEnergy(float(read[own, 0].sum()), _gravity(member, q, read), _motors(member, q), 0.0)


def _read(world: "World") -> FloatArray:
    """Kinetic energy of each body, with its joint's rotor, and what gravity owes it [J], shape (bodies, 2)."""
    arrays = world.arrays
    forest, out = arrays.forest, np.zeros((arrays.forest.bodies + 1, 2))
    if arrays.loose is not None:
        for member in world.members:
            own = energy(member.figure, member.q, member.v).kinetic
            out[arrays.span_of(member).bodies.start, 0] = own
    else:
        read_energy(forest.ints, forest.floats, arrays.state, out.reshape(-1))
    return out[:-1]


def _gravity(member: "Member", middle: FloatArray, read: FloatArray) -> float:
    """Potential energy of gravity, see above."""
    figure, arrays = member.figure, member._arrays
    free = figure.links[0].joint.floating and arrays.loose is None
    q, owed = (member.q, read[arrays.span_of(member).bodies, 1].sum()) if free else (middle, 0.0)
    return float(energy(figure, q, np.zeros(figure.nv), gravity=member.world.gravity).potential + owed)


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
    model = tree_model_of(figure)
    for k, link in enumerate(figure.links):
        own = link.joint.screws or link.joint.follows
        bodies = model.driven_by(figure, k) if own else (model.body_of_link[k],) * link.joint.nv
        stiffness += [0.0 if link.joint.floating else float(controls.motor[b, 0]) for b in bodies]
    return 0.5 * float(np.asarray(stiffness) @ error**2) if stiffness else 0.0


def _tie(tie: "Tie", places: "dict[Member, FloatArray]") -> float:
    """Of a spring or rope."""
    ends = []
    for end in tie.ends:
        if isinstance(end, tuple) and end[0] in places:
            figure, held = end[0].figure, end[2] if len(end) > 2 else np.zeros(3)
            link, pose = figure.frame(end[1])
            poses = forward_kinematics(figure, places[end[0]])
            ends.append(poses.position[link] + poses.rotation[link] @ pose.apply(held))
        else:
            ends.append(np.asarray(end, float))
    stretch = float(np.linalg.norm(ends[0] - ends[1]))
    return 0.5 * tie.stiffness * max(stretch - (tie.length or 0.0), 0.0) ** 2


@entry
def read_energy(ints, floats, state, out):
    """Kinetic energy of each body, with its joint's rotor, and what gravity owes it, into `out`, shape (bodies, 2)."""
    world = open_world(ints, floats)
    sum_energy(world.tree, world.solid, open_state(world, state), lanes(out, X1))


@kernel
def sum_energy(tree, solids, state, out):
    """The same in views."""
    owed = 0.0
    for i in range(tree.bodies):
        if tree.joint[i].parent < 0:
            owed = state.owed[i]
        old, solid, joint = state.carried[i], solids[i], tree.joint[i]
        total = old.energy
        for k in range(joint.iv, joint.iv + joint.count):
            total = total + 0.5 * tree.body[i].armature * (state.mean[k] * state.mean[k])
        out[2 * i] = total
        out[2 * i + 1] = owed * solid.mass * dot(tree.gravity, old.centre)
