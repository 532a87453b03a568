"""Following a motion by feedback torques (Nakamura & Yamane 2000, §5), with springs that stay stable at any step.

A joint's torque at the end of a step, K (e + h (v_d - v⁺)) + D (v_d - v⁺), contains the velocity that is yet to be
found.  With v⁺ = v + h v̇ it is a torque that is known, and armature that is added:

    τ = K (e + h (v_d - v)) + D (v_d - v)          armature = h D + h² K          (Tazaki & Hasegawa 2007)
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.dynamics import difference
from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.loops.arguments import positive


@dataclass(frozen=True, eq=False)
class Servo:
    """Springs and dampers in all joints but the root, towards a moving target, for one time step h.

    Attributes:
        figure: the figure.
        stiffness: K of every joint's motions [N m/rad, N/m], shape (nv,).
        damping: D likewise [N m s/rad, N s/m], shape (nv,).
        h: time step [s].
        body: the figure with the armature of the implicit law: the one to move.
    """

    figure: Figure
    stiffness: Array
    damping: Array
    h: float
    body: Figure

    def torques(self, state: State, target: Any, velocity: Any = None, *, ahead: Any = None) -> Array:
        """Torques towards a target, for a step of `body`, shape (nv,).

        Args:
            state: where the figure is.
            target: coordinates, shape (nq,).
            velocity: of the target, shape (nv,); None: at rest.
            ahead: torques to add, such as those of inverse dynamics, shape (nv,).
        """
        error = difference(self.figure, state.q, target)
        lag = -state.v if velocity is None else np.asarray(velocity, np.float64) - state.v
        result: Array = self.stiffness * (error + self.h * lag) + self.damping * lag
        return result if ahead is None else result + np.where(self.stiffness + self.damping > 0, ahead, 0.0)


def servo(figure: Figure, stiffness: Any, damping: Any, h: float) -> Servo:
    """A servo on all joints but the root.

    Args:
        figure: the figure.
        stiffness: for all joints [N m/rad], or a dictionary from joints to theirs; joints that are not in it have none.
        damping: likewise [N m s/rad].
        h: time step it will be used with [s].
    """
    if positive("h", h) == 0.0:
        raise ArgumentError("h: must be a positive number of seconds, got 0")
    K, D = (_per_joint(figure, name, value) for name, value in (("stiffness", stiffness), ("damping", damping)))
    links = list(figure.links)
    for i in range(1, len(links)):
        added = h * D[i] + h * h * K[i]
        links[i] = replace(links[i], joint=replace(links[i].joint, armature=links[i].joint.armature + added))
    counts = [link.joint.nv for link in figure.links]
    driven = Figure(figure.name, tuple(links), figure.coupled)
    return Servo(figure, np.repeat(K, counts), np.repeat(D, counts), float(h), driven)


def _per_joint(figure: Figure, name: str, given: Any) -> Array:
    values = np.zeros(figure.nlinks)
    if isinstance(given, dict):
        for joint, value in given.items():
            values[figure.joint_index(joint)] = positive(f"{name} of {joint!r}", value)
    else:
        values[1:] = positive(name, given)
    if values[0]:
        raise ArgumentError(f"{name}: the root joint {figure.joint_names[0]!r} has no motor")
    return values
