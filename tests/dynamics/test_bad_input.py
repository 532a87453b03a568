"""Wrong arguments end in an error that names the argument and the joint or link; unusual right ones just work."""

import re

import numpy as np
import pytest

from hitogata import dynamics
from hitogata.dynamics import Integrator
from hitogata.errors import ArgumentError, FigureError, HitogataError
from hitogata.figure import JointKind, State
from hitogata.library import human28
from tests.dynamics.cases import FUNCTIONS, arguments, figures, named

FIGURES = figures()
FREE = FIGURES[1]  # a tree of all kinds of joints, on a free root
SEVERAL = [f for f in FIGURES[1:] if f.links[0].joint.kind in (JointKind.FREE, JointKind.FIXED, JointKind.SLIDER)]
PAIRS = [(f, name) for f in FUNCTIONS for name in f.takes]
LOOSE = [(f, name) for f, name in PAIRS if not (f.name == "step" and name in ("q", "v"))]  # a State checks its own


def each(pairs):
    """A test for each (function, argument)."""
    return pytest.mark.parametrize(("function", "name"), [pytest.param(f, n, id=f"{f}-{n}") for f, n in pairs])


every_argument = each(PAIRS)
one_or_many = pytest.mark.parametrize("count", [None, 3], ids=["one", "batch"])


def fails(function, figure, given, match, error=ArgumentError, **options):
    """The call raises, the message matches, and no argument was changed."""
    before = {name: np.array(a, copy=True) for name, a in given.items() if isinstance(a, np.ndarray)}
    with pytest.raises(error, match=match):
        function(figure, given, **options)
    for name, a in before.items():
        np.testing.assert_array_equal(given[name], a)


# ------------------------------------------------------- shapes and dtypes


@every_argument
@one_or_many
def test_wrong_shapes(function, name, count):
    right = arguments(FREE, count)[name]
    wrong = [right[..., :-1], right[..., None], np.concatenate([right, right], axis=-1), np.zeros(0)]
    for value in wrong:
        given = {**arguments(FREE, count), name: value}
        # a State looks first whether q and v go together
        fails(function, FREE, given, rf"^({name}: expected shape|state: )")


@every_argument
@one_or_many
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(complex),
        lambda a: a.astype(str),
        lambda a: a.astype(object),
        lambda a: a.astype("M8[s]"),
        lambda a: a.astype(np.longdouble),
    ],
    ids=["complex", "str", "object", "datetime", "longdouble"],
)
def test_wrong_dtypes(function, name, count, change):
    given = arguments(FREE, count)
    match = rf"^(state: )?{name}: expected .*numbers, got dtype"
    fails(function, FREE, {**given, name: change(given[name])}, match)


@each(LOOSE)
@pytest.mark.parametrize("value", ["straight", {}, [], [[1.0, 2.0], [3.0]], [None, 1.0], 0.5], ids=repr)
def test_what_is_no_array(function, name, value):
    fails(function, FREE, {**arguments(FREE, None), name: value}, f"^{name}: expected ")


@each([(f, name) for f, name in LOOSE if name not in ("tau", "wrenches")])
def test_none(function, name):
    """None stands for no torque and no wrenches, and for nothing else."""
    fails(function, FREE, {**arguments(FREE, None), name: None}, f"^{name}: expected real numbers, got None")


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if len(f.takes) > 1], ids=str)
def test_batches_of_different_length(function):
    first, second = function.takes[0], function.takes[-1]
    given = {**arguments(FREE, 3), second: arguments(FREE, 4)[second]}
    match = "^state: " if (function.name, second) == ("step", "v") else f"{first} has 3.*{second} has 4"
    fails(function, FREE, given, match)


# ------------------------------------------------------- values


def owner(figure, name: str, at: int) -> str:
    """The joint or link that an entry belongs to, as an error names it."""
    if name == "wrenches":
        return f"link {figure.link_names[at // 6]!r}"
    starts = figure.q_starts if name in ("q", "start", "end") else figure.v_starts
    sizes = [link.joint.nq if starts is figure.q_starts else link.joint.nv for link in figure.links]
    i = next(i for i, (s, n) in enumerate(zip(starts, sizes, strict=True)) if s <= at < s + n)
    return f"joint {figure.joint_names[i]!r}"


@every_argument
@one_or_many
@pytest.mark.parametrize("figure", SEVERAL, ids=named)
def test_numbers_that_are_not_finite(function, name, count, figure):
    """At every place of every argument: also where the result does not depend on it."""
    given = arguments(figure, count)
    size = given[name].size // (count or 1)
    values = [np.nan, np.inf, -np.inf]
    for at in range(size):
        array = given[name].copy()
        array.reshape(-1)[at if count is None else size + at] = values[at % 3]  # in a batch, in row 1
        row = "" if count is None else "1, "
        match = rf"^{name}\[{row}\d+.*\] is (nan|-?inf) \({owner(figure, name, at)}\)"
        fails(function, figure, {**given, name: array}, match)


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_numbers_that_are_not_finite_in_single_precision(function):
    given = arguments(FREE, 5, dtype=np.float32)
    for name in function.takes:
        array = given[name].copy()
        array[4, -1] = np.nan
        fails(function, FREE, {**given, name: array}, rf"^{name}\[4, .*\] is nan")


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@one_or_many
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quaternions_that_are_not_unit(function, count, dtype):
    """Beyond 1e-6 is an error that names the joint; within is not."""
    for name in function.takes:
        for start in FREE.quat_starts if name in ("q", "start", "end") else ():
            for factor, right in ((1 + 2e-6, False), (1 - 2e-6, False), (1 + 5e-7, True), (1 - 5e-7, True), (0, False)):
                given = arguments(FREE, count, dtype=dtype)
                row = given[name] if count is None else given[name][1]
                row[start : start + 4] *= factor
                if right:
                    function(FREE, given)
                else:
                    match = rf"quaternion {name}\[{start}:{start + 4}\] has norm .*\({owner(FREE, name, start)}\)"
                    fails(function, FREE, given, match)


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@one_or_many
def test_numbers_too_large_are_not_passed_on_as_infinities(function, count):
    """Finite arguments, a result beyond the range of floats: an error, or a finite answer."""
    for name in set(function.takes) - {"q", "start", "end"}:
        given = arguments(FREE, count)
        given[name] = given[name] * 1e300
        try:
            assert all(np.isfinite(a).all() for a in function(FREE, given))
        except HitogataError as error:
            assert "not finite" in str(error)  # noqa: PT017


# ------------------------------------------------------- options


@one_or_many
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"], ids=repr)
def test_wrong_threads(function, count, threads):
    fails(function, FREE, arguments(FREE, count), "^threads: must be 1 or more", threads=threads)


@one_or_many
@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.has("gravity")], ids=str)
@pytest.mark.parametrize(
    "gravity",
    [
        (0.0, -9.81),
        (0.0, 0.0, np.nan),
        (0.0, 0.0, -np.inf),
        None,
        -9.81,
        "down",
        ("0", "0", "1"),
        (1j, 0, 0),
        np.eye(3),
    ],
    ids=str,
)
def test_wrong_gravity(function, count, gravity):
    fails(function, FREE, arguments(FREE, count), "^gravity: ", gravity=gravity)


@one_or_many
@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f.has("out")], ids=str)
def test_wrong_places_for_results(function, count):
    given = arguments(FREE, count)
    (right,) = function(FREE, given)
    wrong = [right[..., :-1], right.astype(np.float32), np.stack([right, right], -1)[..., 0],
             right.tolist(), read_only(right), unaligned(right)]  # fmt: skip
    for out in wrong:
        fails(function, FREE, given, "^out: expected", out=out)
    for name in function.takes:
        if given[name].shape == right.shape:
            fails(function, FREE, given, f"^out: shares memory with {name}", out=given[name])


JACOBIANS = [f for f in FUNCTIONS if "jacobian" in f.name]


@pytest.mark.parametrize("function", JACOBIANS, ids=str)
@pytest.mark.parametrize("frame", ["haed", "", None, 3, ["head"]], ids=repr)
def test_unknown_frames(function, frame):
    figure = human28()
    arrays = [arguments(figure, None)[name] for name in function.takes]
    for _ in range(2):  # also when the figure's arrays are there already
        with pytest.raises(FigureError, match=re.escape(f"has no frame {frame!r}")):
            getattr(dynamics, function.name)(figure, *arrays, frame)


def test_a_close_name_is_offered():
    with pytest.raises(FigureError, match="did you mean 'head'"):
        dynamics.jacobian(human28(), human28().neutral(), "haed")


@pytest.mark.parametrize("function", JACOBIANS, ids=str)
@pytest.mark.parametrize("point", [(0.0, 0.0), (0.0, np.nan, 0.0), "tip", 1.0, [[0, 0, 0]], (1j, 0, 0)], ids=repr)
def test_wrong_points(function, point):
    fails(function, FREE, arguments(FREE, None), "^point: ", point=point)


STEP = [f for f in FUNCTIONS if f.name == "step"]


@one_or_many
@pytest.mark.parametrize("function", STEP, ids=str)
@pytest.mark.parametrize("h", [0, 0.0, -1e-3, np.nan, np.inf, "1", None, 1j, np.array([1e-3, 2e-3])], ids=repr)
def test_wrong_time_steps(function, count, h):
    fails(function, FREE, arguments(FREE, count), "^h: ", h=h)


@pytest.mark.parametrize("steps", [-1, 1.5, "3", None], ids=repr)
def test_wrong_numbers_of_steps(steps):
    with pytest.raises(ArgumentError, match=r"^steps: "):
        dynamics.step(FREE, State.rest(FREE), 1e-3, steps=steps)


@pytest.mark.parametrize("integrator", ["euler", 4, None, Integrator], ids=repr)
def test_wrong_integrators(integrator):
    with pytest.raises(ArgumentError, match=r"^integrator: "):
        dynamics.step(FREE, State.rest(FREE), 1e-3, integrator=integrator)


def test_a_state_that_is_none():
    with pytest.raises(ArgumentError, match=r"^state: "):
        dynamics.step(FREE, (FREE.neutral(), np.zeros(FREE.nv)), 1e-3)


# ------------------------------------------------------- unusual, and right


def unaligned(a):
    """The same numbers, one byte off."""
    raw = np.zeros(a.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8)
    return raw[1:].view(a.dtype).reshape(a.shape)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


class Numbers(np.ndarray):
    """A subclass of arrays."""


FORMS = {
    "list": np.ndarray.tolist,
    "tuple": lambda a: tuple(a.tolist()),
    "fortran": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    "read-only": read_only,
    "unaligned": unaligned,
    "big-endian": lambda a: a.astype(">f8"),
    "subclass": lambda a: a.view(Numbers),
}


@one_or_many
@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_unusual_arrays_just_work(function, count, form):
    given = arguments(FREE, count)
    unusual = {name: FORMS[form](a) for name, a in given.items()}
    for ours, expected in zip(function(FREE, unusual), function(FREE, given), strict=True):
        assert type(ours) is type(expected)
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-13 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.int8, np.uint32])
def test_other_real_dtypes_just_work(function, dtype):
    """For one state the result is in double precision, whatever the numbers came in."""
    neutral = FREE.neutral()
    ones = {name: np.ones_like(a) for name, a in arguments(FREE, None).items()}
    given = {**ones, "q": neutral, "start": neutral, "end": neutral}
    other = {name: a.astype(dtype) for name, a in given.items()}
    assert all(np.array_equal(other[name], a) for name, a in given.items())
    for ours, expected in zip(function(FREE, other), function(FREE, given), strict=True):
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-13 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_results_share_no_memory_with_arguments(function):
    given = arguments(FREE, None)
    before = {name: a.copy() for name, a in given.items()}
    for _ in range(2):
        for array in function(FREE, given):
            assert not any(np.shares_memory(array, a) for a in given.values())
    assert all(np.array_equal(given[name], a) for name, a in before.items())
