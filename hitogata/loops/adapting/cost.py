"""How far a figure in motion is from a reference: weighted residuals, whose squares add up to the cost."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from hitogata.dynamics import centre_of_mass, difference, forward_kinematics, momentum
from hitogata.dynamics.dispatch import Array
from hitogata.figure import Figure
from hitogata.loops.arguments import positive
from hitogata.loops.reference import Reference


@dataclass(frozen=True)
class AdaptWeights:
    """Of squares in the cost.

    Attributes:
        joints: angle of each joint's motion [1/rad²].
        turning: the root's orientation [1/rad²].
        spinning: its angular velocity [s²/rad²].
        place: centre of mass [1/m²].
        speed: its velocity [s²/m²].
        feet: places of the feet against the centre of mass [1/m²]: balance.
        height: of the feet [1/m²].
        aloft: time in the air, as a share of a window's, not squared.
        strain: by how much the largest torque is beyond its limit, as a share of it, not squared.
        offsets: of the targets from the motion [1/rad²].
        changes: of these offsets from one window to the next [1/rad²].
    """

    joints: float = 2.0
    turning: float = 10.0
    spinning: float = 0.3
    place: float = 15.0
    speed: float = 3.0
    feet: float = 30.0
    height: float = 60.0
    aloft: float = 5.0
    strain: float = 2.0
    offsets: float = 0.3
    changes: float = 0.3

    def __post_init__(self) -> None:
        for f in fields(self):
            positive(f.name, getattr(self, f.name))


class Balance:
    """What balance hangs on: centre of mass and its velocity, and places of the feet.

    Args:
        figure: the figure.
        feet: links that stand.
    """

    def __init__(self, figure: Figure, feet: Sequence[str]) -> None:
        self.figure, self._feet = figure, [figure.link_index(name) for name in feet]
        self._mass = sum(link.mass.mass for link in figure.links)

    def measure(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Centre of mass [m] and its velocity [m/s], shape (n, 3), and places of the feet [m], shape (n, nfeet, 3)."""
        linear = momentum(self.figure, q, v)[:, 3:] / self._mass
        return centre_of_mass(self.figure, q), linear, forward_kinematics(self.figure, q).position[:, self._feet]

    def deviation(self, q: Array, v: Array, q_0: Array, v_0: Array) -> Array:
        """Of states from one state: root's turn and spin, centre, its velocity, feet against it, shape (n, m).

        Angles of joints are not among them: springs hold them, and offsets of the targets say where.
        """
        q, v = np.concatenate([q_0[None], q]), np.concatenate([v_0[None], v])
        turn = difference(self.figure, np.broadcast_to(q_0, q.shape), q)[:, :3]
        centre, speed, places = self.measure(q, v)
        feet = (places - centre[:, None]).reshape(len(q), -1)
        all_ = np.concatenate([turn, v[:, :3], centre, speed, feet], axis=1)
        result: Array = all_[1:] - all_[0]
        return result


class Likeness:
    """Residuals of states against a reference at some of its samples.

    Args:
        balance: of the figure.
        reference: the motion.
        samples: indices, one for each window.
        weights: of squares.
    """

    def __init__(self, balance: Balance, reference: Reference, samples: Array, weights: AdaptWeights) -> None:
        self.balance, self.weights, self.q, self.v = balance, weights, reference.q[samples], reference.v[samples]
        self._centre, self._speed, self._places = balance.measure(self.q, self.v)

    def residuals(self, window: int, q: Array, v: Array) -> Array:
        """Of states at the end of a window, shape (n, m); the cost is the sum of their squares."""
        w, n = self.weights, len(q)
        error = difference(self.balance.figure, q, np.broadcast_to(self.q[window], q.shape))
        centre, speed, places = self.balance.measure(q, v)
        off, feet = centre - self._centre[window], places - self._places[window]
        parts = (
            (w.joints, error[:, 6:]),
            (w.turning, error[:, :3]),
            (w.spinning, v[:, :3] - self.v[window, :3]),
            (w.place, off),
            (w.speed, speed - self._speed[window]),
            (w.feet, (feet - off[:, None]).reshape(n, -1)),
            (w.height, feet[:, :, 2]),
        )
        result: Array = np.concatenate([np.sqrt(weight) * value for weight, value in parts], axis=1)
        return result
