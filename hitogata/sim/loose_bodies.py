"""Figures taken apart: every link a loose body, for worlds in maximal coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.joint_places import Held, JointPlace
from hitogata.constraints.layout import Placed
from hitogata.constraints.links import LIMITS, SIDE, LinkInts, LinkRow
from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, joint
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.parts import state_parts
from hitogata.sim.step_maximal import begin_maximal
from hitogata.sim.step_variants import VARIANTS, Steps
from hitogata.sim.world_model import Forest, IntArray, Span, make_forest

if TYPE_CHECKING:
    from hitogata.sim.world_data import Arrays


@dataclass(frozen=True)
class Loose:
    """The arrays of all links as loose bodies, beside those of the figures they belong to.

    Attributes:
        forest: the loose bodies, one per link; their frames are those of the figures' bodies.
        body_of: see `bodies_of_links`.
        start: where in a world's state that of the loose bodies begins.
        held_start: where in it begins what the joints keep.
        state_size: numbers in a world's state.
        outside: what acts on the loose bodies, written by each step.
        work: scratch of link rows.
        work_ints: the same, whole numbers.
    """

    forest: Forest
    body_of: tuple[int, ...]
    start: int
    held_start: int
    state_size: int
    outside: FloatArray
    work: FloatArray
    work_ints: IntArray

    def held_in(self, state: FloatArray) -> FloatArray:
        """What the joints keep in a world's state, a view, shape (links, numbers of a `Held`)."""
        size = record_size(Held)
        return state[self.held_start : self.held_start + self.forest.bodies * size].reshape(-1, size)

    def parts_of(self, links: slice) -> list[slice]:
        """Where in a world's state stands what belongs to some links, one after the other."""
        first, last = self.forest.spans[links.start], self.forest.spans[links.stop - 1]
        span = Span(
            slice(first.bodies.start, last.bodies.stop), slice(first.q.start, last.q.stop),
            slice(first.v.start, last.v.stop), links, (),
        )  # fmt: skip
        size, impulses = record_size(Held), self.held_start + self.forest.bodies * record_size(Held)
        return [
            *state_parts(self.forest, span, self.start),
            slice(self.held_start + size * links.start, self.held_start + size * links.stop),
            slice(impulses + SIDE * links.start, impulses + SIDE * links.stop),
        ]  # fmt: skip


def check_loose(figure: Figure) -> None:
    """ArgumentError naming the first joint that has no rows between loose bodies."""
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        screws = link.joint.screws
        if link.joint.follows or any(screw.turn and screw.slide for screw in screws) or (
            len(screws) > 1 and (len(screws) > 2 or any(screw.slide for screw in screws))
        ):
            kind = link.joint.kind.value
            raise ArgumentError(f"figure: joint {name!r} is a {kind} joint, which maximal coordinates do not know")


def bodies_of_links(forest: Forest) -> tuple[int, ...]:
    """Loose body of each body of a forest; -1 for the massless body of a universal joint."""
    body_of = np.full(forest.bodies, -1)
    for span in forest.spans:
        body_of[list(span.body_of_link)] = range(span.links.start, span.links.stop)
    return tuple(int(b) for b in body_of)


def take_apart(figures: Sequence[Figure], forest: Forest, gravity: tuple[float, float, float], points: int) -> Loose:
    """The loose bodies of figures that stand side by side in a forest, and room for so many point rows."""
    links = [body for figure in figures for body in _bodies_of(figure)]
    apart, n = make_forest(links, gravity, points), len(links)
    held = forest.state.floats + apart.state.floats
    work = forest.bodies * record_size(JointPlace) + forest.nv
    work += n * ((SIDE + LIMITS) * record_size(LinkRow) + (1 + LIMITS) * SIDE * SIDE)
    return Loose(
        apart, bodies_of_links(forest), forest.state.floats, held, held + n * (record_size(Held) + SIDE),
        apart.control.new_floats(), np.zeros(max(work, forest.bodies * record_size(Placed)) + 8),
        np.zeros(n * ((1 + LIMITS) * record_size(LinkInts) + SIDE + LIMITS) + 8, np.int64),
    )  # fmt: skip


def _bodies_of(figure: Figure) -> list[Figure]:
    """Each link as a figure of its own, its frame K where it is in the whole; made once and kept with the figure."""
    bodies: list[Figure] | None = figure.compiled.get("loose")
    if bodies is None:
        model = model_of(figure)
        places = [model.link_poses[body].inverse() for body in model.body_of_link]
        bodies = [
            Figure.from_links(link.name, [replace(link, parent=None, joint=joint.free(child_frame=place))])
            for link, place in zip(figure.links, places, strict=True)
        ]
        figure.compiled["loose"] = bodies
    return bodies


# ------------------------------------------------------- time


def begin_loose(forest: Forest, loose: Loose, state: FloatArray, span: Span) -> None:
    """After a figure's q or v were set in a state: put its links there."""
    begin_maximal(
        forest.ints, forest.floats, loose.forest.ints, loose.forest.floats, state, loose.start, loose.held_start,
        loose.work, span.bodies.start, span.bodies.stop,
    )  # fmt: skip


def take_loose_steps(arrays: "Arrays", loose: Loose, hot: tuple[Any, ...], h: float, steps: int) -> int:
    """Steps of h [s] in maximal coordinates; returns how many were taken.  hot: first arguments of the entry."""
    take = VARIANTS[Steps.MAXIMAL][0 if arrays.shapes.plain else 1]
    share = arrays.contents.settings.joint_correction
    done: int = take(*hot, h, steps, loose.start, loose.held_start, share)
    return done


# ------------------------------------------------------- what happened


def reactions_of(held: FloatArray) -> FloatArray:
    """Impulse through each joint in the last substep, [torque; force], shape (links, 6)."""
    at = record_offsets(Held)["reaction"]
    return held[:, at : at + 6]


def gaps_of(held: FloatArray) -> FloatArray:
    """How far each joint has come apart, [rad] and [m], shape (links, 2)."""
    at = record_offsets(Held)["gap"]
    return np.stack([np.linalg.norm(held[:, at : at + 3], axis=1), np.linalg.norm(held[:, at + 3 : at + 6], axis=1)], 1)
