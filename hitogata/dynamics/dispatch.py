"""From Python to kernels: one state or a batch, checked arguments, threads, and errors that say what is wrong.

Each function of this room has two entries: `..._one` for a single state, called at once with what the user gave, and
`..._many` for rows of a batch.  When the first refuses its arguments' types, `call` brings them into shape.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import Model, callable_model_of
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure
from hitogata.figure.values import UNIT_TOLERANCE
from hitogata.lanes import X4, X8, X16, ArgumentTypeError, Width, share
from hitogata.lanes.cpu import has_wide_registers

Array = np.ndarray[Any, np.dtype[Any]]

REFUSED = (ArgumentTypeError, ValueError)
"""What entries raise when arguments are not the arrays they know; a ValueError is Numba's own, for an empty list."""


COORDINATES = ("q", "start", "end", "target")
"""Arguments that are coordinates; the others, but for wrenches, are like v."""


class Input(NamedTuple):
    """An argument: its name, what the user gave, its shape for one state, and whether it may be None."""

    name: str
    value: Any
    shape: tuple[int, ...]
    optional: bool = False


def batch_width(dtype: Any) -> Width:
    """Figures per SIMD register on this machine."""
    wide = has_wide_registers()
    if dtype == np.float32:
        return X16 if wide else X8
    return X8 if wide else X4


def call(
    figure: Figure,
    one: Callable[..., int],
    many: Callable[..., int],
    inputs: Sequence[Input],
    extra: tuple[Any, ...],
    out_shape: tuple[int, ...],
    threads: int | None,
    gravity: Any = GRAVITY,
    out: Array | None = None,
) -> Array:
    """Bring arguments into shape, and run `one` or `many`.

    Args:
        figure: the figure.
        one: entry for one state: one(ints, floats, *inputs, *extra, out).
        many: entry for rows: many(ints, floats, *inputs, *extra, out, first, end, width).
        inputs: the arguments; an optional one that is None stays None.
        extra: numbers that go to the entry as they are.
        out_shape: of the result for one state.
        threads: to share a batch over; None: one per core.
        gravity: world axes [m/s²].
        out: where to put the result, or None for a new array.
    """
    model = callable_model_of(figure)
    check_threads(threads)
    pull = vector("gravity", gravity)
    arrays = [None if i.value is None and i.optional else _array(i, figure) for i in inputs]
    given = [(i, a) for i, a in zip(inputs, arrays, strict=True) if a is not None]
    if model.follows:
        return _call_expanded(figure, many, inputs, arrays, extra, out_shape, pull, out)
    counts = {i.name: len(a) for i, a in given if a.ndim > len(i.shape)}
    if not counts:
        flat = [None if a is None else _plain(a, np.float64).reshape(-1) for a in arrays]
        out = _result(out, out_shape, np.float64, given)
        check(one(model.ints, model.floats_for(pull, float), *flat, *extra, out), figure, inputs)
        return out
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name} has {n}" for name, n in counts.items())
        raise ArgumentError(f"the arguments' batches differ in length: {sizes}")
    n = next(iter(counts.values()))
    dtype = np.float32 if all(a.dtype == np.float32 for _, a in given) else np.float64
    rows = [None if a is None else _rows(a, i, n, dtype) for i, a in zip(inputs, arrays, strict=True)]
    out = _result(out, (n, *out_shape), dtype, given)
    if n:
        floats, flat_out = model.floats_for(pull, dtype), out.reshape(n, math.prod(out_shape))
        _run_rows(model, floats, many, rows, extra, flat_out, threads, lambda s: check(s, figure, inputs))
    return out


def _call_expanded(
    figure: Figure, many: Any, inputs: Sequence[Input], arrays: Sequence[Array | None], extra: Any,
    out_shape: tuple[int, ...], gravity: Any, out: Array | None,
) -> Array:  # fmt: skip
    """The same for a figure whose joints follow functions, in float64 (a batch of float32 is rounded at the end)."""
    from hitogata.dynamics.expanded import run_expanded

    given = [(i, a) for i, a in zip(inputs, arrays, strict=True) if a is not None]
    for i, a in given:
        _explain(i, a, figure)
    counts = {i.name: len(a) for i, a in given if a.ndim > len(i.shape)}
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name} has {n}" for name, n in counts.items())
        raise ArgumentError(f"the arguments' batches differ in length: {sizes}")
    n = next(iter(counts.values()), 1)
    rows = {
        i.name: np.broadcast_to(a, (n, *i.shape)).astype(np.float64) for i, a in given
    }  # fmt: skip
    dtype = np.float32 if counts and all(a.dtype == np.float32 for _, a in given) else np.float64
    shape = (n, *out_shape) if counts else out_shape
    result = _result(out, shape, dtype, given)
    name = many.py_func.__name__ if hasattr(many, "py_func") else many.__name__
    result[...] = run_expanded(figure, name.removesuffix("_many"), rows, extra, gravity).reshape(shape)
    return result


def _result(out: Array | None, shape: tuple[int, ...], dtype: Any, given: Sequence[tuple[Input, Array]]) -> Array:
    """A new array, or the one the user gave, if it fits."""
    if out is None:
        return np.empty(shape, dtype)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
    if not fits or not out.flags.c_contiguous or not out.flags.writeable or not out.flags.aligned:
        raise ArgumentError(f"out: expected a writeable C-contiguous {np.dtype(dtype)} array of shape {shape}")
    for i, array in given:
        if np.may_share_memory(out, array):
            raise ArgumentError(f"out: shares memory with {i.name}, which is read while out is written")
    return out


def single_state(
    figure: Figure, inputs: Sequence[Input], out_shape: tuple[int, ...], out: Array | None, method: str
) -> tuple[list[Array], Array]:
    """Arguments of one state as flat float64 arrays (an optional one that is None: empty), and room for the result."""
    arrays = [None if i.value is None and i.optional else _array(i, figure) for i in inputs]
    given = [(i, a) for i, a in zip(inputs, arrays, strict=True) if a is not None]
    for i, a in given:
        if a.ndim > len(i.shape):
            raise ArgumentError(f"{i.name}: method {method!r} takes one state; for batches leave it to AUTO")
        if i.name == "wrenches":
            _explain(i, a, figure)
    flat = [np.zeros(0) if a is None else _plain(a, np.float64).reshape(-1) for a in arrays]
    return flat, _result(out, out_shape, np.float64, given)


def no_torque(model: Model, *others: Any) -> Array:
    """Zeros like v, in float32 if all else is."""
    single = all(getattr(x, "dtype", None) == np.float32 for x in others)
    return np.zeros(model.nv, np.float32) if single else model.zeros


def vector(name: str, value: Any) -> tuple[float, float, float]:
    """Three finite floats, or an ArgumentError."""
    array = _real(name, value)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ArgumentError(f"{name}: expected 3 finite numbers, got {value!r}")
    x, y, z = map(float, array)
    return x, y, z


def check_threads(threads: Any) -> None:
    """A number of threads, or None; else an ArgumentError."""
    if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
        raise ArgumentError(f"threads: must be 1 or more, or None for one per core; got {threads!r}")


def _run_rows(
    model: Model, floats: Array, many: Any, rows: Any, extra: Any, out: Array, threads: int | None,
    checked: Callable[[int], None],
) -> None:  # fmt: skip
    width = batch_width(out.dtype)
    numbers = tuple(x if isinstance(x, int) else out.dtype.type(x) for x in extra)

    def run(first: int, end: int) -> None:
        last = min(end * width.n, len(out))
        checked(many(model.ints, floats, *rows, *numbers, out, first * width.n, last, width))

    share(-(-len(out) // width.n), threads, run)


def _array(given: Input, figure: Figure) -> Array:
    """The value as an array of floats with the right trailing shape, with or without a leading axis."""
    name, shape = given.name, given.shape
    array = _real(name, given.value)
    if array.ndim not in (len(shape), len(shape) + 1) or array.shape[array.ndim - len(shape) :] != shape:
        want = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        raise ArgumentError(
            f"{name}: expected shape ({want}) or (n, {want.rstrip(',')}) for figure {figure.name!r}, got {array.shape}"
        )
    return array


def _real(name: str, value: Any) -> Array:
    """The value as an array of real numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths
        raise ArgumentError(f"{name}: expected an array of real numbers, got {value!r}") from None
    if not np.can_cast(array.dtype, np.float64, "safe"):
        got = repr(value) if array.ndim == 0 else f"dtype {array.dtype}"
        raise ArgumentError(f"{name}: expected real numbers, got {got}")
    return array


def _rows(array: Array, given: Input, n: int, dtype: Any) -> Array:
    """Shape (n, k), contiguous; a single state is repeated."""
    if array.ndim == len(given.shape):
        array = np.broadcast_to(array, (n, *array.shape))
    return _plain(array, dtype).reshape(n, math.prod(given.shape))


def _plain(array: Array, dtype: Any) -> Array:
    """The array as kernels know it: contiguous, aligned, and writeable (else they would be compiled anew)."""
    array = np.ascontiguousarray(array, dtype)
    return array if array.flags.writeable and array.flags.aligned else array.copy()


def check(status: int, figure: Figure, inputs: Sequence[Input]) -> None:
    """Raise if an entry reported trouble: find out which argument, joint and value."""
    if status == 0:
        return
    for given in inputs:
        if given.value is not None or not given.optional:
            _explain(given, _array(given, figure), figure)
    raise HitogataError(
        f"figure {figure.name!r}: the result is not finite though every argument is; "
        "the numbers are too large, or the figure is singular in this pose"
    )


def _explain(given: Input, array: Array, figure: Figure) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        at = tuple(int(k) for k in bad[0])
        where = f"[{', '.join(map(str, at))}]"
        raise ArgumentError(f"{given.name}{where} is {array[at]}{_owner(given.name, at, figure)}; it must be finite")
    if given.name not in COORDINATES:
        return
    name, flat = given.name, array.reshape(-1, figure.nq)
    # float32 kernels may round a norm at the border either way, so that the line is drawn a little lower here
    tolerance = UNIT_TOLERANCE * (0.8 if array.dtype == np.float32 else 0.999)
    for start in figure.quat_starts:
        norm = np.linalg.norm(flat[:, start : start + 4].astype(np.float64), axis=1)
        wrong = np.flatnonzero(np.abs(norm - 1) > tolerance)
        if len(wrong):
            row = "" if array.ndim == 1 else f"row {wrong[0]}, "
            raise ArgumentError(
                f"{name}: {row}quaternion {name}[{start}:{start + 4}] has norm {norm[wrong[0]]:.9g}"
                f"{_owner(name, (start,), figure)}; normalise it (order w, x, y, z), or use figure.normalised(q)"
            )


def _owner(name: str, at: tuple[int, ...], figure: Figure) -> str:
    """(joint 'x') for an element of coordinates, v, vdot or tau; (link 'x') for a wrench."""
    if name == "wrenches":
        return f" (link {figure.link_names[at[-2]]!r})"
    starts = figure.q_starts if name in COORDINATES else figure.v_starts
    index = int(np.searchsorted(starts, at[-1], side="right")) - 1
    while not figure.links[index].joint.nv:
        index -= 1
    return f" (joint {figure.joint_names[index]!r})"
