"""Programs of functions for kernels, run here one instruction at a time, against the functions themselves."""

import numpy as np
import pytest

from hitogata.figure.mechanism import (
    Composed,
    CubicSpline,
    Linear,
    NaturalSpline,
    Polynomial,
    Product,
    Scaled,
    Sine,
    Sum,
    evaluate,
)
from hitogata.figure.mechanism.program import (
    ARGUMENT,
    CONSTANT,
    LINE,
    PIECES,
    POLYNOMIAL,
    PRODUCT,
    SINE,
    SUM,
    Programs,
)

PLACES = (-2.1, -1.8, -1.5, -1.2, -0.9, -0.5, -0.2, 0.0, 0.2)
HEIGHTS = (-0.3, 0.1, -0.5, 0.2, 0.3, 0.4, 0.1, 0.41, 0.3)
FUNCTIONS = {
    **{f"natural {degree}": NaturalSpline(PLACES, HEIGHTS, degree) for degree in (1, 3, 5, 7)},
    "cubic": CubicSpline(PLACES, HEIGHTS),
    "scaled long spline": Scaled(NaturalSpline(PLACES, HEIGHTS, 7), -2.0),
    "sum": Sum((NaturalSpline(PLACES, HEIGHTS, 7), Sine(0.3, 2.0, 0.1, 0.5), Polynomial((1.0,) * 8))),
    "of two": Composed(Product((NaturalSpline(PLACES, HEIGHTS, 7), Linear())), ((Linear(), (1,)), (Linear(), (0,))), 2),
}


def run(programs, start, x):
    """Value and gradient."""
    ints, numbers = programs.flat()
    values, slopes = [], []
    for what, a, b, at in np.reshape(ints[start + 1 : start + 1 + 4 * ints[start]], (-1, 4)):
        if what == ARGUMENT:
            value, slope = x[a], np.eye(len(x))[a]
        elif what == CONSTANT:
            value, slope = numbers[at], np.zeros(len(x))
        elif what == SUM:
            value, slope = values[a] + values[b], slopes[a] + slopes[b]
        elif what == PRODUCT:
            value, slope = values[a] * values[b], slopes[a] * values[b] + slopes[b] * values[a]
        else:
            if what == LINE:
                row, t = numbers[at : at + 2], values[a]
            elif what == POLYNOMIAL:
                row, t = numbers[at + 1 : at + 1 + int(numbers[at])], values[a]
            elif what == PIECES:
                count = int(numbers[at])
                k = at + 1 + count + 7 * sum(values[a] >= edge for edge in numbers[at + 1 : at + 1 + count])
                row, t = numbers[k + 1 : k + 7], values[a] - numbers[k]
            if what == SINE:
                amplitude, omega, phase, offset = numbers[at : at + 4]
                value = amplitude * np.sin(omega * values[a] + phase) + offset
                slope = slopes[a] * (amplitude * omega * np.cos(omega * values[a] + phase))
            else:
                value, slope = np.polyval(row, t), slopes[a] * np.polyval(np.polyder(row), t)
        values.append(value)
        slopes.append(slope)
    return values[-1], slopes[-1]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_are_their_functions(name):
    """Within, at and beyond all ends."""
    function, programs = FUNCTIONS[name], Programs()
    programs.add(Sine(), 1)  # others stand before
    arguments = 2 if name == "of two" else 1
    start = programs.add(function, arguments)
    assert programs.add(function, arguments) == start
    x = np.column_stack([np.linspace(-3.0, 1.0, 161), np.linspace(0.7, -2.5, 161)])[:, :arguments]
    value, slope, _ = evaluate(function, x)
    found = [run(programs, start, row) for row in x]
    np.testing.assert_allclose([f[0] for f in found], value, rtol=1e-10, atol=1e-12)
    apart = np.abs(x[:, None, :] - np.array(PLACES)[:, None]).min(axis=(1, 2)) > 1e-9  # corners have two slopes
    np.testing.assert_allclose(np.array([f[1] for f in found])[apart], slope[apart], rtol=1e-9, atol=1e-10)
