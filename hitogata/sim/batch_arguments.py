"""What users give a batch, checked: an ArgumentError names the argument, the value or world, and what was expected."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.rom import RangeOfMotion
from hitogata.sim.batch_arrays import Array
from hitogata.sim.members import Member
from hitogata.sim.range_overrides import check_range


def chosen(worlds: Any, count: int) -> Array:
    """Numbers of worlds, from numbers, a mask, or None for all; each once."""
    if worlds is None:
        return np.arange(count)
    try:
        array = np.atleast_1d(np.asarray(worlds))
    except ValueError:
        array = np.empty((0, 0))
    if array.dtype == bool:
        if array.shape != (count,):
            raise ArgumentError(f"worlds: a mask must have shape ({count},), got {array.shape}")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ArgumentError(f"worlds: expected numbers of worlds or a mask, got {worlds!r}")
    array = array.astype(np.int64)
    wrong = array[(array < 0) | (array >= count)]
    if len(wrong):
        raise ArgumentError(f"worlds: there is no world {wrong[0]}, the batch has 0 to {count - 1}")
    if len(np.unique(array)) < len(array):
        raise ArgumentError(f"worlds: some are named twice: {worlds!r}")
    return array


def per_world(
    values: Any, count: int, shape: tuple[int, ...], name: str, *, least: float = -np.inf, infinite: bool = False,
    positive: bool = False,
) -> Array:  # fmt: skip
    """Numbers for so many worlds, shape (count, *shape), from one for all or one each."""
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty((0, 0, 0))
    if array.shape not in (shape, (count, *shape)):
        each = ", ".join(str(n) for n in (count, *shape))
        raise ArgumentError(f"{name}: expected shape {shape or '()'} or ({each}), got {_shown(values, array)}")
    result = np.broadcast_to(array, (count, *shape))
    good = (np.isfinite(result) | (infinite & (result == np.inf))) & ((result > 0) if positive else (result >= least))
    if not good.all():
        at = tuple(int(k) for k in np.argwhere(~good)[0])
        each = f" (of world {at[0]} of those given)" if array.shape != shape else ""
        wanted = "positive" if positive else "finite" if least == -np.inf else f"{least:g} or more"
        raise ArgumentError(f"{name}: must be {wanted}, got {result[at]}{each}")
    return result


def ranges_for(ranges: Any, count: int, figure: Figure, joint: str) -> list[RangeOfMotion | None]:
    """Ranges of motion of a joint in so many worlds, from one for all or one each."""
    if isinstance(ranges, RangeOfMotion | None):
        return [ranges] * count
    if not isinstance(ranges, Sequence | np.ndarray) or isinstance(ranges, str):
        check_range(ranges, "ranges", figure, joint)
    if len(ranges) != count:
        raise ArgumentError(
            f"ranges: for joint {joint!r} of {figure.name!r} expected one, or one for each of {count} worlds, got "
            f"{len(ranges)}"
        )
    for k, range_ in enumerate(ranges):
        check_range(range_, f"ranges[{k}]", figure, joint)
    return list(ranges)


def _shown(values: Any, array: Array) -> str:
    return f"shape {array.shape}" if array.size else repr(values)


def states_of(
    state: "State | Mapping[Member, State] | None", members: Mapping[Member, Member], count: int
) -> dict[Member, tuple[Array, Array]]:
    """Coordinates and velocities of figures in so many worlds."""
    if state is None:
        return {}
    if isinstance(state, State):
        if len(members) > 1:
            raise ArgumentError(f"state: there are {len(members)} figures: expected a dict of states by figure")
        state = {next(iter(members)): state}
    if not isinstance(state, Mapping):
        raise ArgumentError(f"state: expected a State or a dict of states by figure, got {state!r}")
    result = {}
    for member, given in state.items():
        own = members.get(member)
        if own is None:
            raise ArgumentError(f"state: expected figures of the world the batch was made from, got {member!r}")
        if not isinstance(given, State):
            raise ArgumentError(f"state: expected a State(q, v) of {own.figure.name!r}, got {given!r}")
        given.check(own.figure)
        q, v = np.asarray(given.q, float), np.asarray(given.v, float)
        for name, array in (("q", q), ("v", v)):
            if array.ndim == 2 and len(array) != count:
                raise ArgumentError(f"state: {name} has {len(array)} rows for {count} worlds")
        result[own] = own.figure.normalised(q), v
    return result
