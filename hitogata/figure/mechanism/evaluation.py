"""Values, gradients and Hessians of functions of coordinates, exact, for many rows of arguments at once."""

from functools import singledispatch

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mechanism.functions import (
    Composed,
    Constant,
    CubicSpline,
    Function,
    Linear,
    MultivariatePolynomial,
    NaturalSpline,
    PiecewiseConstant,
    PiecewiseLinear,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Step,
    Sum,
)
from hitogata.figure.mechanism.splines import spline_rows
from hitogata.figure.values import FloatArray

Values = tuple[FloatArray, FloatArray, FloatArray]
"""Values (n,), gradients (n, m), Hessians (n, m, m)."""


@singledispatch
def evaluate(function: Function, x: FloatArray) -> Values:
    """Values, gradients and Hessians of a function.

    Args:
        function: of m arguments.
        x: rows of arguments, shape (n, m).

    Returns:
        f (n,), ∂f (n, m), ∂²f (n, m, m).
    """
    raise FigureError(f"not a function of coordinates: {function!r}")


@evaluate.register
def _(function: Constant, x: FloatArray) -> Values:
    n, m = x.shape
    return np.full(n, function.value), np.zeros((n, m)), np.zeros((n, m, m))


@evaluate.register
def _(function: Linear, x: FloatArray) -> Values:
    n, m = x.shape
    slopes = np.array(function.coefficients[:-1])
    return x @ slopes + function.coefficients[-1], np.tile(slopes, (n, 1)), np.zeros((n, m, m))


@evaluate.register
def _(function: Polynomial, x: FloatArray) -> Values:
    c = np.array(function.coefficients)
    return _one(*(np.polyval(np.polyder(c, k) if k else c, x[:, 0]) for k in range(3)))


@evaluate.register
def _(function: MultivariatePolynomial, x: FloatArray) -> Values:
    n, m = x.shape
    value, gradient, hessian = np.zeros(n), np.zeros((n, m)), np.zeros((n, m, m))
    for c, powers in zip(function.coefficients, function.exponents(), strict=True):
        if c == 0.0:
            continue
        term = Product(tuple(Polynomial((1.0, *(0.0,) * power)) for power in powers))
        for total, part in zip((value, gradient, hessian), evaluate(term, x), strict=True):
            total += c * part
    return value, gradient, hessian


@evaluate.register
def _(function: CubicSpline, x: FloatArray) -> Values:
    return _one(*spline_rows(np.array(function.x), function.pieces, x[:, 0]))


@evaluate.register
def _(function: NaturalSpline, x: FloatArray) -> Values:
    at = x[:, 0]
    inside = np.clip(at, function.x[0], function.x[-1])
    rest = at - inside
    d = [function.curve(inside, k) for k in range((function.degree + 1) // 2)]  # m derivatives from 0
    d += [np.zeros_like(at)] * (5 - len(d))
    if rest.any():
        value = d[0] + rest * (d[1] + rest * (d[2] / 2 + rest * d[3] / 6))
        first = np.where(rest == 0, function.curve(inside, 1), d[1] + rest * (d[2] + rest * d[3] / 2))
        return _one(value, first, np.where(rest == 0, _second(function, inside), d[2] + rest * d[3]))
    return _one(d[0], function.curve(inside, 1), _second(function, inside))


@evaluate.register
def _(function: PiecewiseLinear, x: FloatArray) -> Values:
    at, xs, ys = x[:, 0], np.array(function.x), np.array(function.y)
    if len(xs) == 1:
        return evaluate(Constant(function.y[0]), x)
    k = np.clip(np.searchsorted(xs, at, side="right") - 1, 0, len(xs) - 2)
    slope = (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k])
    return _one(ys[k] + slope * (at - xs[k]), slope, np.zeros_like(at))


@evaluate.register
def _(function: PiecewiseConstant, x: FloatArray) -> Values:
    k = np.clip(np.searchsorted(np.array(function.x), x[:, 0], side="right") - 1, 0, None)
    return _one(np.array(function.y)[k], np.zeros(len(x)), np.zeros(len(x)))


@evaluate.register
def _(function: Sine, x: FloatArray) -> Values:
    phase = function.omega * x[:, 0] + function.phase
    a, w = function.amplitude, function.omega
    return _one(a * np.sin(phase) + function.offset, a * w * np.cos(phase), -a * w * w * np.sin(phase))


@evaluate.register
def _(function: Step, x: FloatArray) -> Values:
    span, rise = function.end - function.start, function.high - function.low
    t = np.clip((x[:, 0] - function.start) / span, 0.0, 1.0)
    return _one(
        function.low + rise * t**3 * (10 + t * (6 * t - 15)),
        rise / span * 30 * t**2 * (1 - t) ** 2,
        rise / span**2 * 60 * t * (1 - t) * (1 - 2 * t),
    )


@evaluate.register
def _(function: Scaled, x: FloatArray) -> Values:
    value, gradient, hessian = evaluate(function.function, x)
    return function.scale * value, function.scale * gradient, function.scale * hessian


@evaluate.register
def _(function: Sum, x: FloatArray) -> Values:
    value, gradient, hessian = evaluate(Constant(), x)
    for term in function.terms:
        v, g, h = evaluate(term, x)
        value, gradient, hessian = value + v, gradient + g, hessian + h
    return value, gradient, hessian


@evaluate.register
def _(function: Product, x: FloatArray) -> Values:
    n, m = x.shape
    parts = [evaluate(factor, x[:, k : k + 1]) for k, factor in enumerate(function.factors)]
    values = np.stack([part[0] for part in parts], axis=1)
    first = np.stack([part[1][:, 0] for part in parts], axis=1)
    gradient, hessian = np.empty((n, m)), np.empty((n, m, m))
    for i in range(m):
        gradient[:, i] = first[:, i] * np.delete(values, i, axis=1).prod(axis=1)
        for j in range(m):
            others = np.delete(values, [i, j], axis=1).prod(axis=1)
            hessian[:, i, j] = others * (parts[i][2][:, 0, 0] if i == j else first[:, i] * first[:, j])
    return values.prod(axis=1), gradient, hessian


@evaluate.register
def _(function: Composed, x: FloatArray) -> Values:
    n, m = x.shape
    inner, first, second = np.empty((n, len(function.inner))), np.zeros((n, len(function.inner), m)), []
    for k, (each, places) in enumerate(function.inner):
        inner[:, k], slope, bend = evaluate(each, x[:, places])
        first[:, k, places] = slope
        whole = np.zeros((n, m, m))
        whole[:, np.array(places)[:, None], places] = bend
        second.append(whole)
    value, slope, bend = evaluate(function.outer, inner)
    gradient, hessian = np.einsum("nk,nki->ni", slope, first), np.einsum("nkl,nki,nlj->nij", bend, first, first)
    for k, part in enumerate(second):
        hessian += slope[:, k, None, None] * part
    return value, gradient, hessian


def _second(function: NaturalSpline, x: FloatArray) -> FloatArray:
    result: FloatArray = function.curve(x, 2) if function.degree > 1 else np.zeros_like(x)
    return result


def _one(value: FloatArray, first: FloatArray, second: FloatArray) -> Values:
    """Derivatives by one argument, in the shapes for several."""
    return np.asarray(value), np.asarray(first)[:, None], np.asarray(second)[:, None, None]
