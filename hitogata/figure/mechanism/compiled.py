"""A mechanism as kernels see it: one flat array.

Every step that moves becomes a turn about an axis of its frame or a shift behind a fixed pose, into which all steps
that do not move are folded.  Functions of one coordinate that are piecewise polynomials (all but sines, products and
functions of several coordinates) become tables of their pieces, found by interpolation, good to 1e-12.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.figure.mechanism.evaluation import evaluate
from hitogata.figure.mechanism.functions import (
    Composed,
    Constant,
    CubicSpline,
    Function,
    Linear,
    NaturalSpline,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    Step,
    Sum,
    constant_value,
)
from hitogata.figure.mechanism.tree import JointStep, Mechanism
from hitogata.figure.pose import Pose, turn_from_z
from hitogata.figure.values import FloatArray
from hitogata.lanes import record
from hitogata.spatial import Mat3, Vec3

SHIFT, TURN_X, TURN_Y, TURN_Z = range(4)
"""Kinds of steps."""

_TURNS = {(1.0, 0.0, 0.0): TURN_X, (0.0, 1.0, 0.0): TURN_Y, (0.0, 0.0, 1.0): TURN_Z}

DEGREE = 5
"""Of the pieces, at most."""

PIECE = DEGREE + 1


@record
class MechanismHead:
    """What the array begins with."""

    bodies: int
    coordinates: int
    steps: int
    tables: int             # where the tables of functions begin, from the head
    gravity: Vec3
    spare: float


@record
class StepRow:
    """A step that moves."""

    rot: Mat3               # of the fixed pose before it,
    pos: Vec3
    level: float            # 1: rot is the identity
    kind: float             # see below
    axis: Vec3              # of a shift
    coordinate: int
    table: int              # of its function, from the tables' beginning: count, breaks, pieces; -1: slope and offset
    slope: float
    offset: float


@record
class BodyRow:
    """A body behind its steps."""

    parent: int             # -1: the world
    steps: int              # how many
    rot: Mat3               # of the body in the frame that the last step reaches
    pos: Vec3
    mass: float
    centre: Vec3
    inertia: Mat3           # about the centre
    joint: Vec3             # origin of its joint's frame M


_head: Any = MechanismHead
_step: Any = StepRow
_body: Any = BodyRow

HEAD: int = _head.SIZE
STEP: int = _step.SIZE
BODY: int = _body.SIZE


@dataclass(frozen=True)
class CompiledMechanism:
    """Attributes:
    flat: head, bodies, steps, tables.
    bodies, coordinates, steps: how many.
    """

    flat: FloatArray
    bodies: int
    coordinates: int
    steps: int


def compiled(mechanism: Mechanism) -> CompiledMechanism | None:
    """The flat array of a mechanism; None if one of its functions has no table."""
    bodies, steps, tables = [], [], FunctionTables()
    place = {body.name: k for k, body in enumerate(mechanism.bodies)}
    for body, joint in zip(mechanism.bodies, mechanism.joints, strict=True):
        fixed, count = joint.parent_frame, 0
        for step in joint.steps:
            still = _still(step)
            if still is not None:
                fixed = fixed @ still
                continue
            line = tables.line(step.function) if len(step.coordinates) == 1 else None
            if line is None:
                return None
            aligned, kind = Pose(), SHIFT
            if step.turn:
                kind = _TURNS.get(step.axis, TURN_Z)
                aligned = Pose(step.point) if step.axis in _TURNS else Pose(step.point, turn_from_z(step.axis))
            before = fixed @ aligned
            fixed, count = aligned.inverse(), count + 1
            coordinate = float(mechanism.index(step.coordinates[0]))
            level = float((before.rotation == np.eye(3)).all())
            steps.append(
                [*before.rotation.ravel(), *before.position, level, float(kind), *step.axis, coordinate, *line]
            )
        last = fixed @ joint.child_frame.inverse()
        xx, yy, zz, xy, xz, yz = body.inertia
        parent = -1 if joint.parent is None else place[joint.parent]
        bodies.append([float(parent), float(count), *last.rotation.ravel(), *last.position, body.mass, *body.centre,
                       xx, xy, xz, xy, yy, yz, xz, yz, zz, *joint.child_frame.position])  # fmt: skip
    start = HEAD + len(bodies) * BODY + len(steps) * STEP
    head = [len(bodies), len(mechanism.coordinates), len(steps), start, *mechanism.gravity, 0.0]
    flat = np.concatenate([np.array(head, np.float64), np.ravel(bodies), np.ravel(steps), tables.numbers, [0.0]])
    return CompiledMechanism(flat, len(bodies), len(mechanism.coordinates), len(steps))


def _still(step: JointStep) -> Pose | None:
    """The pose of a step that does not move, else None."""
    value = constant_value(step.function)
    if value is None:
        return None
    if not step.turn:
        x, y, z = step.axis
        return Pose((value * x, value * y, value * z))
    (x, y, z), s = step.axis, float(np.sin(value / 2.0))
    about = Pose(step.point)
    return about @ Pose(quat=(float(np.cos(value / 2.0)), s * x, s * y, s * z)) @ about.inverse()


class FunctionTables:
    """Tables of functions, each once, one behind the other in `numbers`."""

    def __init__(self) -> None:
        self.numbers: FloatArray = np.zeros(0)
        self._known: dict[Any, int] = {}

    def line(self, function: Function) -> list[float] | None:
        """Table, slope and offset of a function, or None."""
        if isinstance(function, Linear):
            return [-1.0, *function.coefficients] if len(function.coefficients) == 2 else None
        table = self.table(function)
        return None if table is None else [float(table), 0.0, 0.0]

    def chain(self, function: Function) -> tuple[int, int, float, float] | None:
        """Table, slope and offset of the inner of two functions, and the outer's table, -1 if there is one alone.

        Returns:
            inner table (-1: slope and offset), outer table, slope, offset; None: it is no such function.
        """
        scale, outer = 1.0, function
        while isinstance(outer, Scaled):
            scale, outer = scale * outer.scale, outer.function
        if not isinstance(outer, Composed) or len(outer.inner) != 1:
            line = self.line(function)
            return None if line is None else (int(line[0]), -1, line[1], line[2])
        line, last = self.line(outer.inner[0][0]), self.table(Scaled(outer.outer, scale))
        return None if line is None or last is None else (int(line[0]), last, line[1], line[2])

    def table(self, function: Function) -> int | None:
        """Where the table of a piecewise polynomial begins; None: it is another function."""
        breaks = breaks_of(function)
        if breaks is None:
            return None
        if function not in self._known:
            pieces = [polynomial_piece(function, breaks, k) for k in range(len(breaks) + 1)]
            origin = [breaks[max(k - 1, 0)] if breaks else 0.0 for k in range(len(breaks) + 1)]
            return self.put(function, breaks, origin, pieces)
        return self._known[function]

    def put(self, key: Any, breaks: Any, origin: Any, pieces: Any) -> int:
        """Where a table begins that has this key, a new one if there is none.

        Args:
            key: what it is known by.
            breaks: where its pieces meet, shape (n,).
            origin: of each piece, shape (n + 1,).
            pieces: coefficients about it, the highest power first, shape (n + 1, PIECE).
        """
        if key not in self._known:
            self._known[key] = len(self.numbers)
            rows = np.column_stack([origin, pieces])
            self.numbers = np.concatenate([self.numbers, [float(len(breaks))], breaks, rows.ravel()])
        return self._known[key]


def breaks_of(function: Function) -> list[float] | None:
    """Where the pieces of a piecewise polynomial meet; None of other functions."""
    if isinstance(function, Constant | Linear):
        return []
    if isinstance(function, Polynomial):
        return [] if len(function.coefficients) <= PIECE else None
    if isinstance(function, CubicSpline | PiecewiseLinear):
        return list(function.x)
    if isinstance(function, NaturalSpline):
        return list(function.x) if function.degree <= DEGREE else None
    if isinstance(function, Step):
        return [function.start, function.end]
    if isinstance(function, Scaled):
        return breaks_of(function.function)
    if isinstance(function, Sum):
        parts = [breaks_of(term) for term in function.terms]
        return sorted({x for part in parts if part is not None for x in part}) if None not in parts else None
    return None


def taylor_pieces(spline: NaturalSpline) -> FloatArray:
    """Coefficients of a natural spline's pieces about their first break (of what is before the first: about it), the
    lowest power first, shape (breaks + 1, degree + 1); it goes on beyond its ends by its lower half of powers."""
    x, powers = np.array(spline.x), np.arange(spline.degree + 1)
    size = 1.0 / np.array([math.factorial(k) for k in powers])
    at = np.stack([spline.curve(x, k) for k in powers], 1) * size
    ends = np.where(powers < (spline.degree + 1) // 2, at[[0, -1]], 0.0)
    pieces: FloatArray = np.concatenate([ends[:1], at[:-1], ends[1:]])
    return pieces


def polynomial_piece(function: Function, breaks: list[float], k: int) -> FloatArray:
    """Coefficients of a piece about its first break, the highest power first, shape (PIECE,)."""
    if not breaks:
        low, width = 0.0, 1.0
    else:
        low = breaks[max(k - 1, 0)]
        inner = np.diff(breaks)
        width = inner[k - 1] if 0 < k < len(breaks) else 1.0
        if k == 0:
            width = -width
    part = 0.5 - 0.5 * np.cos((np.arange(PIECE) + 0.5) * np.pi / PIECE)          # inside, where it is one polynomial
    value, _, _ = evaluate(function, low + (width * part)[:, None])
    scaled = np.linalg.solve(np.vander(part, PIECE), value)
    tiny = np.abs(scaled) < 1e-14 * max(np.abs(value).max(), 1e-300)
    coefficients: FloatArray = np.where(tiny, 0.0, scaled) / width ** np.arange(DEGREE, -1, -1)
    return coefficients
