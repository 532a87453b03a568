"""The arrays of a figure and of what is asked of it (see `layout`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics.follower_model import tree_model_of
from hitogata.dynamics.model import Model
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.lanes import MemoryLayout
from hitogata.motion.puppet.layout import BALANCE, GoalMemory, PuppetModel, State

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class CompiledModel:
    """A figure's model, and what is needed to ask something of it.

    Attributes:
        model: of dynamics.
        floats: its floats, without gravity.
        ints: a `PuppetModel`.
        chains: for each body, the bodies between the root and it, itself last.
        state: where the numbers of a character lie.
    """

    model: Model
    floats: FloatArray
    ints: IntArray
    chains: tuple[tuple[int, ...], ...]
    state: MemoryLayout

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.chains)

    def moved(self, body: int) -> bool:
        """Does any joint move the body?"""
        counts = self.model.fields.joint.count
        return any(counts[i] > 0 for i in self.chains[body])


def compiled_model_of(figure: Figure) -> CompiledModel:
    """Made once and kept with the figure."""
    compiled: CompiledModel | None = figure.compiled.get("motion")
    if compiled is None:
        compiled = figure.compiled["motion"] = _compile(figure)
    return compiled


def _compile(figure: Figure) -> CompiledModel:
    model = tree_model_of(figure)
    joints, chains = model.fields.joint, list[tuple[int, ...]]()
    for i, parent in enumerate(joints.parent):
        chains.append((*(chains[parent] if parent >= 0 else ()), i))
    limited = int(np.isfinite(model.tables.limits).any(axis=1).sum())
    walls = limited + 3 * sum(flat is not None for flat in model.tables.ranges)
    arguments, leads = _leads(model, chains)
    layout = PuppetModel.layout(bodies=model.bodies, arguments=len(arguments), walls=walls, leads=len(set(arguments)))
    ints = layout.new_ints()
    fields = layout.open(ints=ints)
    fields.argument_body[:], fields.lead[:] = arguments, leads
    floats = model.floats_for((0.0, 0.0, 0.0), np.float64)
    return CompiledModel(
        model, floats, ints, tuple(chains), State.layout(bodies=model.bodies, nq=model.nq, nv=model.nv)
    )


def _leads(model: Model, chains: Sequence[tuple[int, ...]]) -> tuple[list[int], list[int]]:
    """Of each argument of what follows, the body that has its coordinate; of each body, its number among those, or
    -1."""
    leads, arguments, joints, found = [-1] * model.bodies, list[int](), model.fields.joint, model.followers
    if found is None:
        return arguments, leads
    for body in found.bodies.tolist():
        first, count = joints.first[body], joints.arguments[body]
        for iq in found.arguments[first : first + count, 0]:
            arguments.append(next(i for i in chains[body] if joints.iq[i] == iq and joints.count[i] == 1))
    for number, body in enumerate(sorted(set(arguments))):
        leads[body] = number
    return arguments, leads


def goal_arrays(
    compiled: CompiledModel, groups: Sequence[tuple[int, int]], fixed: Sequence[FloatArray], first: int, corners: int,
    pulled: bool,
) -> tuple[IntArray, FloatArray]:
    """What is asked for: a `GoalMemory`.

    Args:
        compiled: the figure.
        groups: (kind, body) of each group, level one before level two.
        fixed: a `GroupFloats` of each, flat.
        first: groups of level one.
        corners: of the support.
        pulled: whether some joints have wanted values.
    """
    kinds = [kind for kind, _ in groups]
    layout = GoalMemory.layout(groups=len(groups), corners=corners, bodies=compiled.bodies)
    ints, numbers = layout.new_ints(), layout.new_floats()
    goals = layout.open(numbers, ints)
    goals.first[...], goals.pulled[...] = first, pulled
    goals.balance[...] = kinds.index(BALANCE) if BALANCE in kinds else -1
    for i, (kind, body) in enumerate(groups):
        goals.group.set(i, kind=kind, body=body)
        goals.fixed.rows[i] = fixed[i]
        if kind == BALANCE:
            continue
        goals.moves[list(compiled.chains[body])] = 1
        for j in range(i + 1):
            other = groups[j][1]
            if other >= 0:
                goals.common[i, j] = goals.common[j, i] = _last_common(compiled.chains[body], compiled.chains[other])
    return ints, numbers


def _last_common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    last = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        last = x
    return last

