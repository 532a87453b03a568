"""Functions in OpenSim's files, as functions of coordinates here."""

from typing import Any

from hitogata.errors import FigureError
from hitogata.figure.mechanism import (
    Constant,
    CubicSpline,
    Function,
    Linear,
    MultivariatePolynomial,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    Sine,
    Step,
)
from hitogata.files.osim.elements import Element
from hitogata.files.osim.properties import NUMBER, NUMBERS, WHOLE, Codec, Reader, number_word, row_text

FUNCTION_TYPES = frozenset(
    [
        "Constant",
        "LinearFunction",
        "PolynomialFunction",
        "MultivariatePolynomialFunction",
        "SimmSpline",
        "GCVSpline",
        "PiecewiseLinearFunction",
        "PiecewiseConstantFunction",
        "MultiplierFunction",
        "Sine",
        "StepFunction",
    ]
)
"""What is read; names of older versions are made new before."""

_BESIDE = frozenset(("coordinates", "axis", "scale"))
"""Children that stand beside a function, which has a name of its own for each type."""

_SINE = {"amplitude": "amplitude", "omega": "omega", "phase": "phase", "offset": "offset"}
_STEP = {"transition_start_time": "start", "transition_end_time": "end", "start_value": "low", "end_value": "high"}


def read_function(reader: Reader, element: Element) -> Function:
    """A function from its element, such as <SimmSpline>."""
    try:
        return _function(reader, element)
    except FigureError as error:
        raise reader.error(element, str(error)) from None


def function_inside(element: Element) -> Element | None:
    """The function that is a child of an element, or of its child <function>."""
    inner = element.child("function") or element
    return next((child for child in inner.children if child.tag not in _BESIDE), None)


def _function(reader: Reader, element: Element) -> Function:
    match element.tag:
        case "Constant":
            return Constant(_number(reader, element, "value", 0.0))
        case "LinearFunction":
            return Linear(_numbers(reader, element, "coefficients", (1.0, 0.0)))
        case "PolynomialFunction":
            return Polynomial(_numbers(reader, element, "coefficients", (1.0,)))
        case "MultivariatePolynomialFunction":
            sizes = [_child(reader, element, tag) for tag in ("dimension", "order")]
            dimension, order = (WHOLE.read(reader, size) for size in sizes)
            return MultivariatePolynomial(_numbers(reader, element, "coefficients", ()), dimension, order)
        case "SimmSpline":
            return CubicSpline(*_points(reader, element))
        case "GCVSpline":
            return _natural(reader, element)
        case "PiecewiseLinearFunction":
            return PiecewiseLinear(*_points(reader, element))
        case "PiecewiseConstantFunction":
            return PiecewiseConstant(*_points(reader, element))
        case "MultiplierFunction":
            inner = function_inside(element)
            if inner is None:
                raise reader.error(element, "a function to multiply is missing")
            return Scaled(read_function(reader, inner), _number(reader, element, "scale", 1.0))
        case "Sine":
            ones = ("amplitude", "omega")
            return Sine(**{key: _number(reader, element, tag, float(key in ones)) for tag, key in _SINE.items()})
        case "StepFunction":
            default = {"start": 0.99, "end": 1.01, "low": 0.0, "high": 1.0}
            return Step(**{key: _number(reader, element, tag, default[key]) for tag, key in _STEP.items()})
    raise reader.error(element, f"a function of an unknown type; known are {', '.join(sorted(FUNCTION_TYPES))}")


def _natural(reader: Reader, element: Element) -> NaturalSpline:
    half = element.child("half_order")
    order = WHOLE.read(reader, half) if half is not None else 0
    if not 1 <= order <= 4:
        raise reader.error(element, f"half_order must be 1 to 4, got {order}")
    if _number(reader, element, "error_variance", 0.0) != 0.0:
        raise reader.error(element, "a spline that smooths (error_variance not 0) is not read; give its smooth points")
    x, y = _points(reader, element)
    return NaturalSpline(x, y, 2 * order - 1)


def _points(reader: Reader, element: Element) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return _numbers(reader, element, "x", ()), _numbers(reader, element, "y", ())


def _child(reader: Reader, element: Element, tag: str) -> Element:
    found = element.child(tag)
    if found is None:
        raise reader.error(element, f"<{tag}> is missing")
    return found


def _number(reader: Reader, element: Element, tag: str, default: float) -> float:
    found = element.child(tag)
    value: float = default if found is None else NUMBER.read(reader, found)
    return value


def _numbers(reader: Reader, element: Element, tag: str, default: tuple[float, ...]) -> tuple[float, ...]:
    found = element.child(tag)
    values: tuple[float, ...] = default if found is None else NUMBERS.read(reader, found)
    return values


def write_function(function: Function, parent: Element) -> Element:
    """Append a function's element.

    Raises:
        FigureError: OpenSim has no such function.
    """
    match function:
        case Constant():
            return _written(parent, "Constant", value=function.value)
        case Linear():
            return _written(parent, "LinearFunction", coefficients=function.coefficients)
        case Polynomial():
            return _written(parent, "PolynomialFunction", coefficients=function.coefficients)
        case MultivariatePolynomial():
            made = _written(parent, "MultivariatePolynomialFunction", coefficients=function.coefficients)
            made.add("dimension", str(function.dimension))
            made.add("order", str(function.order))
            return made
        case CubicSpline():
            return _written(parent, "SimmSpline", x=function.x, y=function.y)
        case NaturalSpline():
            made = parent.add("GCVSpline")
            made.add("half_order", str((function.degree + 1) // 2))
            for tag, row in (("x", function.x), ("y", function.y), ("weights", (1.0,) * len(function.x))):
                made.add(tag, row_text(row))
            return made
        case PiecewiseLinear():
            return _written(parent, "PiecewiseLinearFunction", x=function.x, y=function.y)
        case PiecewiseConstant():
            return _written(parent, "PiecewiseConstantFunction", x=function.x, y=function.y)
        case Scaled():
            made = parent.add("MultiplierFunction")
            write_function(function.function, made.add("function"))
            made.add("scale", number_word(function.scale))
            return made
        case Sine():
            return _written(parent, "Sine", **{tag: getattr(function, key) for tag, key in _SINE.items()})
        case Step():
            return _written(parent, "StepFunction", **{tag: getattr(function, key) for tag, key in _STEP.items()})
    raise FigureError(f"OpenSim has no function like {type(function).__name__}")


def _written(parent: Element, tag: str, **values: Any) -> Element:
    made = parent.add(tag)
    for key, value in values.items():
        made.add(key, row_text(value) if isinstance(value, tuple) else number_word(value))
    return made


def _read_required(reader: Reader, element: Element) -> Function:
    found = function_inside(element)
    if found is None:
        raise reader.error(element, "a function is expected inside")
    return read_function(reader, found)


def _read_optional(reader: Reader, element: Element) -> Function | None:
    return _read_required(reader, element) if element.children else None


def _write(function: Function, element: Element) -> None:
    write_function(function, element)


FUNCTION = Codec(_read_required, _write)
OPTIONAL_FUNCTION = Codec(_read_optional, _write)
