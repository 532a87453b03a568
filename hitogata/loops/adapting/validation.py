"""Adapted motions rehearsed: step by step as users take them, from starts that differ by next to nothing.

Walking in contact is chaotic: what differs by a rounding when a foot comes down may be centimetres a second later.  So
a run that was found once need not come again, on another machine or with another step; feedback has to bring it back.
Whether it does, rehearsals tell.
"""

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.figure import State
from hitogata.loops.contacts import ContactStage, ContactState

if TYPE_CHECKING:
    from hitogata.loops.adapting.adaptation import Adapted

NUDGE = 1e-6
"""Standard deviation of the velocities that a start differs by [rad/s, m/s]: far above rounding, far below anything
else."""

FALLEN = 1.0
"""A root so far from the reference does not come back [m]."""


class Rehearsals(NamedTuple):
    """Runs along an adapted motion, the first from its very start.

    Attributes:
        stray: largest distance of the root from the reference [m]; infinite if it fell; shape (n,).
        aloft: share of the steps in which nothing touches, shape (n,).
    """

    stray: Array
    aloft: Array

    @property
    def worst(self) -> tuple[float, float]:
        """Of all: how far it strays, how much it is aloft."""
        return float(self.stray.max()), float(self.aloft.max())

    def passed(self, stray: float, aloft: float) -> bool:
        """Do all of them stay within bounds?"""
        return bool((self.stray < stray).all() and (self.aloft < aloft).all())


NONE = Rehearsals(np.zeros(0), np.zeros(0))
"""Not rehearsed yet."""


def rehearse(adapted: "Adapted", stage: ContactStage, count: int, rng: np.random.Generator) -> Rehearsals:
    """Some runs along a motion.

    Args:
        adapted: the motion.
        stage: figure and floor; it stays as it is.
        count: how many runs.
        rng: of the nudges.
    """
    own, stray, aloft = deepcopy(stage), np.zeros(count), np.zeros(count)
    for n in range(count):
        guide = adapted.guide(own)
        if n > 0:
            v = guide.state.v
            guide.state = State(guide.state.q, v + NUDGE * rng.standard_normal(len(v)))
        while not guide.done and stray[n] < FALLEN:
            contacts = guide.step().contacts
            away = guide.state.q[:3] - guide.reference.q[guide.count, :3]
            stray[n] = max(stray[n], float(np.linalg.norm(away)))
            aloft[n] += all(contact.state is ContactState.NONE for contact in contacts)
        aloft[n] /= max(guide.count, 1)
        if stray[n] >= FALLEN:
            stray[n] = np.inf
    return Rehearsals(stray, aloft)
