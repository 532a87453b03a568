"""Foot-skate clean-up: feet that rest stay where they are.

Each foot is led, in every sample, to where it would be if it did not slide (`foot_skate`); legs and root follow by
pin-and-drag inverse kinematics, all samples of the motion at once, as so many characters of one puppet.  (After Kovar,
Schreiner & Gleicher 2002, whose feet are planted at one place for a whole contact; here they may roll.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, Trajectory, velocities_of
from hitogata.figure.values import FloatArray
from hitogata.motion.foot_contacts import Foot, RestLimits, find_contacts
from hitogata.motion.foot_skate import foot_slides, standing_moves
from hitogata.motion.inputs import check_free_root, check_motion, positive
from hitogata.motion.puppet import Hold, Puppet
from hitogata.motion.root_placement import UP
from hitogata.motion.tangents import with_unbroken_quats
from hitogata.spatial import matrix_to_quat, quat_exp, quat_multiply


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A motion whose feet stand.

    Attributes:
        trajectory: the motion.
        feet: when each foot rests.
        before: how far it slid in each contact of the motion given [m], by foot, shape (ncontacts,).
        after: how far it still slides [m].
        missed: how far the feet are from where they should be, at most, in each sample [m], shape (nt,).
    """

    trajectory: Trajectory
    feet: Mapping[str, Foot]
    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]
    missed: FloatArray

    def __str__(self) -> str:
        lines = []
        for name, foot in self.feet.items():
            count = len(foot.contacts)
            slid, now = (1000 * np.mean(x[name]) if count else 0.0 for x in (self.before, self.after))
            lines.append(f"{name}: {count} contacts, slide {slid:.1f} mm each, now {now:.1f} mm")
        return "\n".join(lines)


def clean_feet(
    figure: Figure,
    trajectory: Trajectory,
    feet: Mapping[str, Foot] | Mapping[str, Sequence[str]] | None = None,
    *,
    limits: RestLimits | None = None,
    fade: float = 0.3,
) -> Cleaned:
    """Take the sliding out of feet that rest.

    Legs move, and the root is shifted; its orientation and all other joints stay as they are.  Feet keep their
    orientations but for turns about the vertical.  Velocities are computed anew, channels dropped.

    Args:
        figure: the figure, with a free root.
        trajectory: its motion.
        feet: from `find_contacts`, or links of each foot by any name; None: found by names.
        limits: what counts as rest.
        fade: time in which a foot in the air comes back to where it was [s]; less in short swings.
    """
    check_motion(figure, trajectory, least=3)
    check_free_root(figure, "clean_feet")
    law, span = limits or RestLimits(), positive(fade, "fade")
    known = feet is not None and all(isinstance(foot, Foot) for foot in feet.values())
    found: Mapping[str, Foot] = feet if known else find_contacts(figure, trajectory, feet, limits=law)  # type: ignore[assignment,arg-type]
    poses = forward_kinematics(figure, trajectory.q)
    puppet = Puppet(figure, trajectory.q)
    puppet.set_mobility(0.0, _others(figure, found))
    puppet.pin(figure.link_names[0], hold=Hold.ORIENTATION)
    for foot in found.values():
        i = figure.link_index(foot.links[0])
        moves = standing_moves(figure, trajectory, foot, law, span)
        place = np.array([move.apply(x) for move, x in zip(moves, poses.position[:, i], strict=True)])
        turns = quat_exp(np.array([move.angle for move in moves])[:, None] * UP)
        quat = quat_multiply(turns, matrix_to_quat(poses.rotation[:, i]))
        puppet.pin(foot.links[0], hold=Hold.POSE, position=place, orientation=quat)
    solution = puppet.solve()
    q = with_unbroken_quats(figure, puppet.q)
    cleaned = replace(trajectory, q=q, v=velocities_of(figure, trajectory.time, q), channels={})
    slides = [foot_slides(figure, motion, found, law) for motion in (trajectory, cleaned)]
    return Cleaned(cleaned, found, slides[0], slides[1], np.asarray(solution.position))


def _others(figure: Figure, feet: Mapping[str, Foot]) -> list[str]:
    """Links that do not stand between the root and a foot."""
    legs = {0}
    for foot in feet.values():
        i = figure.link_index(foot.links[0])
        while i > 0:
            legs.add(i)
            i = figure.parents[i]
    return [name for i, name in enumerate(figure.link_names) if i not in legs]
