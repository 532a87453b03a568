"""The arrays of a figure and of what is asked of it (see `layout`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.follower_model import tree_model_of
from hitogata.dynamics.layout import HEADER as MODEL_HEADER
from hitogata.dynamics.layout import Body, JointInts, Model
from hitogata.figure import Figure
from hitogata.figure.coupled import bound_ranges
from hitogata.figure.pose import FloatArray
from hitogata.lanes import MemoryLayout, record_offsets, record_size
from hitogata.motion.puppet.layout import BALANCE, DollMemory, GoalMemory, State

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Cast:
    """A figure's arrays, and what is needed to ask something of it.

    Attributes:
        ints: of the figure.
        floats: of the figure.
        model: of dynamics.
        chains: for each body, the bodies between the root and it, itself last.
        state: where the numbers of a character lie.
    """

    ints: IntArray
    floats: FloatArray
    model: Model
    chains: tuple[tuple[int, ...], ...]
    state: MemoryLayout

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.chains)

    def moved(self, body: int) -> bool:
        """Does any joint move the body?"""
        counts = DollMemory.layout_of(self.ints).field("joint", self.ints).count
        return any(counts[i] > 0 for i in self.chains[body])


def cast_of(figure: Figure) -> Cast:
    """The arrays of a figure, made once and kept with it."""
    cast: Cast | None = figure.compiled.get("motion")
    if cast is None:
        cast = figure.compiled["motion"] = _cast(figure)
    return cast


def _cast(figure: Figure) -> Cast:
    model = tree_model_of(figure)
    joints = model.ints[MODEL_HEADER:].reshape(-1, record_size(JointInts))
    column, count = record_offsets(JointInts), len(joints)
    limits, starts, walls = np.tile([-np.inf, np.inf], (count, 1)), [-1] * count, 0
    flats: list[FloatArray] = []
    for k, (link, body) in enumerate(zip(figure.links, model.body_of_link, strict=True)):
        given, bodies = link.joint.range, model.driven_by(figure, k)
        if given is None:
            continue
        if link.joint.screws or link.joint.follows:
            limits[list(bodies)] = given
            walls += len(bodies)
        else:
            starts[body] = sum(map(len, flats))
            flats.append(given.flat)
            walls += 3
    coupled: list[int] = []
    for bound in bound_ranges(figure):
        coupled.append(sum(map(len, flats)))
        flats.append(bound.flat)
    chains: list[tuple[int, ...]] = []
    for i, parent in enumerate(joints[:, column["parent"]]):
        chains.append((*(chains[parent] if parent >= 0 else ()), i))
    sizes = {"bodies": count, "nq": model.nq, "nv": model.nv}
    layout = DollMemory.layout(
        **sizes, links=model.nlinks, walls=walls, range_numbers=sum(map(len, flats)), several=len(coupled),
        **_sizes_of(model),
    )  # fmt: skip
    ints, floats_ = layout.new_ints(), layout.new_floats()
    fields = layout.open(floats_, ints)
    fields.joint.rows[:], fields.range_start[:], fields.coupled[:] = joints, starts, coupled
    fields.body.rows[:] = model.floats[MODEL_HEADER:].reshape(-1, record_size(Body))
    fields.limit.rows[:], fields.ranges[:] = limits, np.concatenate([*flats, np.zeros(0)])
    _put_followers(fields, model, joints, chains)
    return Cast(ints, floats_, model, tuple(chains), State.layout(**sizes))


def _sizes_of(model: Model) -> dict[str, int]:
    """Counts of what follows."""
    names = ("following", "arguments", "registers", "program_ints", "program_numbers", "leads")
    found = model.followers
    if found is None:
        return dict.fromkeys(names, 0)
    counts = len(found.bodies), len(found.arguments), found.registers, len(found.program), len(found.numbers)
    return dict(zip(names, (*counts, len(set(found.arguments[:, 0].tolist()))), strict=True))


def _put_followers(fields: Any, model: Model, joints: IntArray, chains: Sequence[tuple[int, ...]]) -> None:
    """What follows what."""
    fields.lead[:], found, column = -1, model.followers, record_offsets(JointInts)
    if found is None:
        return
    fields.follower[:], fields.argument[:] = found.bodies, found.arguments
    fields.program[:], fields.program_number[:] = found.program, found.numbers
    for body in found.bodies.tolist():
        first, count = joints[body, column["first"]], joints[body, column["arguments"]]
        for n in range(first, first + count):
            iq = found.arguments[n, 0]
            fields.argument_body[n] = next(
                i for i in chains[body] if joints[i, column["iq"]] == iq and joints[i, column["count"]] == 1
            )
    for number, body in enumerate(sorted(set(fields.argument_body.tolist()))):
        fields.lead[body] = number


def goal_arrays(
    cast: Cast, groups: Sequence[tuple[int, int]], fixed: Sequence[FloatArray], first: int, corners: int, pulled: bool
) -> tuple[IntArray, FloatArray]:
    """What is asked for: a `GoalMemory`.

    Args:
        cast: the figure.
        groups: (kind, body) of each group, level one before level two.
        fixed: a `GroupFloats` of each, flat.
        first: groups of level one.
        corners: of the support.
        pulled: whether some joints have wanted values.
    """
    kinds = [kind for kind, _ in groups]
    layout = GoalMemory.layout(groups=len(groups), corners=corners, bodies=cast.bodies)
    ints, numbers = layout.new_ints(), layout.new_floats()
    goals = layout.open(numbers, ints)
    goals.first[...], goals.pulled[...] = first, pulled
    goals.balance[...] = kinds.index(BALANCE) if BALANCE in kinds else -1
    for i, (kind, body) in enumerate(groups):
        goals.group.set(i, kind=kind, body=body)
        goals.fixed.rows[i] = fixed[i]
        if kind == BALANCE:
            continue
        goals.moves[list(cast.chains[body])] = 1
        for j in range(i + 1):
            other = groups[j][1]
            if other >= 0:
                goals.common[i, j] = goals.common[j, i] = _last_common(cast.chains[body], cast.chains[other])
    return ints, numbers


def _last_common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    last = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        last = x
    return last

