"""Natural reach: a limb moves first, from its far joints on; trunk and root only for what the limb cannot do.

Of all poses in which drags and pins are where they should be, the one is sought that is nearest to a reference (that of
the motion, or the one in which a drag began), with each joint's change weighed by its compliance D:

    least  ½ Σ |q_i ⊖ r_i|² / D_i      with  x(q) = target, pins and ranges held

Joints of limbs are as compliant as little mass hangs on them; those of the trunk, and the root, TRUNK times that of a
forearm.  So a trunk hardly turns within the limb's reach; as the limb stretches, its own way to move the hand farther
dies out (s = dr/dφ → 0), the force λ on the hand grows as 1/s, and the trunk's change D_i J_iᵀ λ with it: the edge of
reach is round, and nothing jumps there.  At rest, iterations of a puppet whose wanted joint values are the reference
fulfil D Jᵀ λ = ρ (q ⊖ r), which are the conditions of this minimum for any pull ρ (Nakamura & Hanafusa 1986; see
`puppet.levels`), so that no other solver is needed: `settle` iterates to the end, `follow` does one frame.
"""

from collections.abc import Collection, Iterable

import numpy as np

from hitogata.dynamics import difference
from hitogata.figure import Figure, JointKind
from hitogata.figure.values import FloatArray
from hitogata.motion.puppet import Puppet, PuppetSettings

TRUNK = 1e-3
"""Compliance of joints of the trunk, and of the root."""

LIGHT = 0.02
"""Joints that carry less than this share of the mass, a forearm and its hand, move as readily as those that do; links
that carry less are no limbs of their own."""

PULL = 0.005
"""ρ of an iteration in frames: how far a joint that nothing else moves comes back to the reference."""

ITERATIONS = 10
"""Of a frame."""

AT_ONCE = PuppetSettings(damping=1e-6, error_damping=0.1, ramp=1e-3)
"""Settings of puppets that are settled: goals take hold at once."""

GLIDING = PuppetSettings(damping=1e-5, error_damping=0.01)
"""Settings of puppets that are led frame by frame."""

_FIRST, _LEAST, _FASTER, _SLOWER = 0.1, 0.02, 1.05, 0.5
"""Pull of an iteration of `settle`: at first and at most, at least; it grows, and shrinks where changes turn back."""

_BENT, _NEAR = 0.8, 0.05
"""Hinges begin so far from their limits [rad], where a link is to go farther than this [m]."""


def ease_limbs(puppet: Puppet, dragged: Iterable[str] = (), *, trunk: float = TRUNK) -> None:
    """Let limbs move before the trunk.

    Args:
        puppet: whose mobilities are set; `Puppet.set_mobility` may change them afterwards.
        dragged: links or frames that are dragged: if one belongs to the trunk, the trunk follows it readily.
        trunk: compliance of the trunk's joints and of the root; 1 is that of a forearm.
    """
    figure = puppet.figure
    carried, core = carried_mass(figure), trunk_links(figure)
    free: set[int] = set()
    for frame in dragged:
        link = figure.frame(frame)[0]
        if link in core:
            free |= set(_chain(figure, link))
    for i, name in enumerate(figure.joint_names):
        own = min(LIGHT * figure.mass / carried[i], 1.0)
        puppet.set_mobility(min(trunk, own) if i in core and i not in free else own, [name])


def carried_mass(figure: Figure) -> list[float]:
    """Mass of each link with all that hangs on it [kg]."""
    carried = [link.mass.mass for link in figure.links]
    for i in reversed(range(1, figure.nlinks)):
        if figure.parents[i] >= 0:
            carried[figure.parents[i]] += carried[i]
    return carried


def trunk_links(figure: Figure) -> set[int]:
    """Links between the root and those from which limbs branch off; none if none does."""
    carried, core = carried_mass(figure), set[int]()
    for i in range(figure.nlinks):
        limbs = [k for k, parent in enumerate(figure.parents) if parent == i and carried[k] >= LIGHT * figure.mass]
        if len(limbs) > 1:
            core |= set(_chain(figure, i))
    return core


def limb_of(figure: Figure, frame: str) -> list[int]:
    """Links of the limb that carries a frame, the nearest to the trunk first; those of the trunk are none."""
    core = trunk_links(figure)
    return [i for i in reversed(_chain(figure, figure.frame(frame)[0])) if i not in core]


def bent(figure: Figure, q: FloatArray, frame: str, locked: Collection[str] = ()) -> FloatArray:
    """Poses whose limb is bent: one that is stretched altogether does not know which way it can shorten.

    Args:
        figure: the figure.
        q: coordinates, shape (n, nq).
        frame: of the limb.
        locked: joints that stay as they are.
    """
    q = q.copy()
    for i in limb_of(figure, frame):
        joint = figure.links[i].joint
        if joint.kind is JointKind.HINGE and joint.range is not None and figure.joint_names[i] not in locked:
            low, high = joint.range
            off = min(_BENT, (high - low) / 2)
            q[:, figure.q_starts[i]] = np.clip(q[:, figure.q_starts[i]], low + off, high - off)
    return q


def settle(puppet: Puppet, reference: FloatArray, start: FloatArray, *, iterations: int = 150) -> FloatArray:
    """Poses of all characters that fulfil what is asked, nearest to their references, shape (n, nq).

    Args:
        puppet: of n characters, with settings `AT_ONCE`.
        reference: shape (n, nq).
        start: where to begin, shape (n, nq).
        iterations: at most.
    """
    figure, names = puppet.figure, puppet.figure.joint_names
    puppet.place(start)
    stride, count = puppet.settings.stride, len(reference)
    pull, last, way = np.full(count, _FIRST), start, np.zeros((count, figure.nv))
    for _ in range(iterations):
        puppet.set_posture(reference, time=stride / pull, joints=names)
        puppet.step(stride)
        now = np.atleast_2d(puppet.q)
        change, last = difference(figure, last, now), now
        back = (change * way).sum(1) < -0.2 * np.linalg.norm(change, axis=1) * np.linalg.norm(way, axis=1)
        pull = np.where(back, np.maximum(pull * _SLOWER, _LEAST), np.minimum(pull * _FASTER, _FIRST))
        way = change
        if np.abs(change).max(initial=0.0) < 1e-7:
            break
    puppet.set_posture(reference, time=np.inf, joints=names)
    puppet.solve(60)
    return np.atleast_2d(puppet.q)


def far_off(here: FloatArray, there: FloatArray) -> FloatArray:
    """Whether places are so far apart that a limb should begin bent, shape (n,)."""
    far: FloatArray = np.linalg.norm(there - here, axis=-1) > _NEAR
    return far


def follow(puppet: Puppet, reference: FloatArray, dt: float, *, iterations: int = ITERATIONS) -> float:
    """One frame of a character towards what is asked, within its speed limits; the largest error of a point [m]."""
    puppet.set_posture(reference, time=dt / (iterations * PULL), joints=puppet.figure.joint_names)
    return float(np.max(puppet.step(dt, iterations=iterations).position))


def _chain(figure: Figure, link: int) -> list[int]:
    """Links from one up to the root."""
    chain = []
    while link >= 0:
        chain.append(link)
        link = figure.parents[link]
    return chain
