"""From Python to kernels: arguments as rows, checked; batches; errors that say what is wrong."""

from typing import Any

import numpy as np

from hitogata.dynamics.batches import BAD_VALUE
from hitogata.dynamics.dispatch import Array, Input, check, check_threads, vector
from hitogata.dynamics.model import Model
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.lanes import share
from hitogata.loops.link_set import Links


def run(
    links: Links, model: Model, inputs: Any, numbers: Array, size: int, gravity: Any, threads: int | None, many: Any
) -> Array:
    """Bring arguments into rows, and run an entry of this room on them."""
    check_threads(threads)
    pull = vector("gravity", gravity)
    rows, single = as_rows(inputs, links.figure)
    count = len(rows[0])
    out = np.empty((count, size))
    floats = model.floats_for(pull, np.float64)

    def part(first: int, end: int) -> None:
        status = many(model.ints, floats, links.ints, links.floats, *rows, numbers, out, first, end)
        check(status, links.figure, inputs)

    share(count, threads, part)
    result: Array = out[0] if single else out
    return result


def as_rows(inputs: Any, figure: Figure) -> tuple[list[Any], bool]:
    """Arguments as float64 rows, one per state, without columns if there is none; and whether there was only one."""
    arrays: list[Any] = []
    for given in inputs:
        if given.value is None and given.optional:
            arrays.append(None)
            continue
        try:
            array = np.ascontiguousarray(given.value, np.float64)
        except (TypeError, ValueError):
            raise ArgumentError(f"{given.name}: expected an array of real numbers, got {given.value!r}") from None
        n = len(given.shape)
        if array.ndim not in (n, n + 1) or array.shape[array.ndim - n :] != given.shape:
            raise ArgumentError(f"{given.name}: expected shape {given.shape} or (n, ...) for figure {figure.name!r}, "
                                f"got {array.shape}")  # fmt: skip
        arrays.append(array)
    present = [(given, a) for given, a in zip(inputs, arrays, strict=True) if a is not None]
    counts = {given.name: len(a) for given, a in present if a.ndim > len(given.shape)}
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{key} has {n}" for key, n in counts.items())
        raise ArgumentError(f"the arguments' batches differ in length: {sizes}")
    n = next(iter(counts.values())) if counts else 1
    rows: list[Any] = []
    for given, a in zip(inputs, arrays, strict=True):
        if a is None:
            rows.append(np.zeros((n, 0)))
            continue
        if given.name == "wrenches" and not np.isfinite(a).all():
            check(BAD_VALUE, figure, inputs)  # the others are looked at with the results
        whole = a if a.ndim > len(given.shape) else np.broadcast_to(a, (n, *a.shape))
        rows.append(np.ascontiguousarray(whole).reshape(n, -1) if n else np.zeros((0, int(np.prod(given.shape)))))
    return [r if r.flags.writeable else r.copy() for r in rows], not counts


def check_finite(figure: Figure, inputs: Any, *arrays: Array) -> None:
    """An error that says which number of which argument is not finite, if one is not."""
    if not all(np.isfinite(a).all() for a in arrays):
        check(BAD_VALUE, figure, inputs)


def positive(name: str, value: Any) -> float:
    """A finite number, 0 or more, or an ArgumentError."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = np.nan
    if not (result >= 0 and np.isfinite(result)):
        raise ArgumentError(f"{name}: must be a finite number, 0 or more; got {value!r}")
    return result


def one_state(figure: Figure, q: Any, v: Any) -> tuple[Array, Array]:
    """q and v of one state as arrays, checked for shape."""
    inputs = (Input("q", q, (figure.nq,)), Input("v", v, (figure.nv,)))
    rows, single = as_rows(inputs, figure)
    if not single:
        raise ArgumentError("q, v: expected one state, got a batch")
    return rows[0][0], rows[1][0]


def over_time(
    name: str, value: Any, shape: tuple[int, ...], steps: int, h: float, start: float, figure: Figure
) -> Array:
    """Forces as rows: one for all steps, one for each, or three for each (at its start, middle and end).

    Args:
        name: of the argument.
        value: constant, of shape `shape`; of every step, (steps, ...); a function of time; or None.
        shape: at one time.
        steps: how many.
        h: time step [s].
        start: time of the first step [s].
        figure: the figure.

    Returns:
        Shape (rows, size), rows 1, `steps` or 2 steps + 1; of wrenches that are None, 0.
    """
    size = int(np.prod(shape))
    if value is None:
        return np.zeros((0 if name == "wrenches" else 1, size))
    if callable(value):
        values = [value(start + 0.5 * h * k) for k in range(2 * steps + 1)]
        rows = [_force(name, x, shape, f"{name}({start + 0.5 * h * k:g} s)") for k, x in enumerate(values)]
        array = np.array(rows).reshape(len(rows), *shape)
    else:
        array = _force(name, value, shape, name, steps)
    if not np.isfinite(array).all():
        check(BAD_VALUE, figure, (Input(name, array, shape),))
    return np.ascontiguousarray(array.reshape(-1, size))


def _force(name: str, value: Any, shape: tuple[int, ...], what: str, steps: int | None = None) -> Array:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected an array of real numbers, got {value!r}") from None
    if array.shape == shape or (steps is not None and array.shape == (steps, *shape)):
        return array
    more = "" if steps is None else f", {(steps, *shape)} for {steps} steps, or a function of time"
    raise ArgumentError(f"{what}: expected shape {shape}{more}; got {array.shape}")
