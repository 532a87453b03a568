"""The arrays of a figure and of what is asked of it (see `layout`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitogata.dynamics.layout import HEADER as MODEL_HEADER
from hitogata.dynamics.layout import JointInts, Model, model_of
from hitogata.figure import Figure, JointKind
from hitogata.figure.coupled import bound_ranges
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.motion.puppet.layout import BALANCE, HEADER, SUMMARY, JointState

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Cast:
    """A figure's arrays, and what is needed to ask something of it.

    Attributes:
        ints: of the figure.
        floats: of the figure.
        model: of dynamics.
        chains: for each body, the bodies between the root and it, itself last.
        state_size: numbers of a character.
    """

    ints: IntArray
    floats: FloatArray
    model: Model
    chains: tuple[tuple[int, ...], ...]
    state_size: int

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.chains)

    def moved(self, body: int) -> bool:
        """Does any joint move the body?"""
        size = record_size(JointInts)
        counts = self.ints[HEADER + record_offsets(JointInts)["count"] :: size]
        return any(counts[i] > 0 for i in self.chains[body])


def cast_of(figure: Figure) -> Cast:
    """The arrays of a figure, made once and kept with it."""
    cast: Cast | None = figure.compiled.get("motion")
    if cast is None:
        cast = figure.compiled["motion"] = _cast(figure)
    return cast


def _cast(figure: Figure) -> Cast:
    model = model_of(figure)
    joints = model.ints[MODEL_HEADER:].reshape(-1, record_size(JointInts))
    column, count = record_offsets(JointInts), len(joints)
    limits, starts, walls = np.tile([-np.inf, np.inf], (count, 1)), [-1] * count, 0
    flats: list[FloatArray] = []
    for link, body in zip(figure.links, model.body_of_link, strict=True):
        given, kind = link.joint.range, link.joint.kind
        if given is None:
            continue
        if kind is JointKind.BALL:
            starts[body] = sum(map(len, flats))
            flats.append(given.flat)
            walls += 3
        elif kind is JointKind.UNIVERSAL:
            limits[body - 1], limits[body] = given
            walls += 2
        else:
            limits[body] = given
            walls += 1
    coupled = [len(figure.coupled)]
    for bound in bound_ranges(figure):
        coupled.append(sum(map(len, flats)))
        flats.append(bound.flat)
    chains: list[tuple[int, ...]] = []
    for i, parent in enumerate(joints[:, column["parent"]]):
        chains.append((*(chains[parent] if parent >= 0 else ()), i))
    head = np.zeros(HEADER, np.int64)
    head[:5] = [count, model.nq, model.nv, model.nlinks, walls]
    size = 2 * model.nq + model.nv + count * record_size(JointState) + SUMMARY
    return Cast(
        np.concatenate([head, joints.ravel(), np.array([*starts, *coupled], np.int64)]),
        np.concatenate([np.zeros(HEADER), model.floats[MODEL_HEADER:], limits.ravel(), *flats, [0.0]]),
        model, tuple(chains), size,
    )  # fmt: skip


def goal_ints(cast: Cast, groups: Sequence[tuple[int, int]], first: int, corners: int, pulled: bool) -> IntArray:
    """The whole numbers of what is asked for.

    Args:
        cast: the figure.
        groups: (kind, body) of each group, level one before level two.
        first: groups of level one.
        corners: of the support.
        pulled: whether some joints have wanted values.
    """
    kinds = [kind for kind, _ in groups]
    head = np.zeros(HEADER, np.int64)
    head[:5] = [len(groups), first, kinds.index(BALANCE) if BALANCE in kinds else -1, corners, pulled]
    moves = np.zeros(cast.bodies, np.int64)
    common = np.zeros((len(groups), len(groups)), np.int64)
    for i, (kind, body) in enumerate(groups):
        if kind == BALANCE:
            continue
        moves[list(cast.chains[body])] = 1
        for j in range(i + 1):
            other = groups[j][1]
            if other >= 0:
                common[i, j] = common[j, i] = _last_common(cast.chains[body], cast.chains[other])
    rows = np.array(groups, np.int64).reshape(-1, 2)
    return np.concatenate([head, rows.ravel(), common.ravel(), moves])


def _last_common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    last = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        last = x
    return last

