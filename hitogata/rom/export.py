"""The nearest range that another engine can express, and how far off it is.

Nearest: the least solid angle of bone directions wrongly allowed plus wrongly forbidden; then the twist interval that
tells most rotations right.
The forms and their conventions are in `export_forms`.
"""

import dataclasses
import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from hitogata.errors import ArgumentError
from hitogata.rom.export_forms import (
    ConeTwist,
    EngineRange,
    EulerBox,
    Measure,
    MujocoBall,
    SwingEllipse,
    SwingPyramid,
    euler_angles,
    joint_twist,
)
from hitogata.rom.fit_swing import sphere_grid
from hitogata.rom.frames import Array, interval, unit
from hitogata.rom.meshtwist import disc_axes
from hitogata.rom.plane import RectangleRegion
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.twist import ConstantTwist
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_exp, quat_multiply, quat_rotate

COARSE, FINE, TURNS = 5_000, 40_000, 40_000
"""Directions for the search and for the result, and rotations."""


class Target(enum.Enum):
    """What to export to."""

    MUJOCO = "mujoco"
    CONE = "cone"
    ELLIPSE = "ellipse"
    PYRAMID = "pyramid"
    EULER = "euler"


@dataclass(frozen=True)
class Export:
    """A range in another engine's form, and its errors.

    Attributes:
        form: the engine's range.
        wrongly_allowed: solid angle of directions that it allows and the range does not [sr].
        wrongly_forbidden: solid angle of directions that the range allows and it does not [sr].
        area: solid angle of the range's own region [sr].
        share_wrongly_allowed, share_wrongly_forbidden: the same over all rotations, twist included, 0 to 1.
        share: of all rotations that the range allows, 0 to 1.
    """

    form: EngineRange
    wrongly_allowed: float
    wrongly_forbidden: float
    area: float
    share_wrongly_allowed: float
    share_wrongly_forbidden: float
    share: float

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, for JSON; angles in rad, areas in sr."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)} | {"form": self.form.to_dict()}

    def __str__(self) -> str:
        form = {k: v for k, v in self.form.to_dict().items() if k != "form" and not k.startswith("quat")}
        angles = ", ".join(f"{k} {_degrees(v)}" for k, v in form.items())
        return (
            f"{type(self.form).__name__}: {angles}\n"
            f"directions  {self.wrongly_allowed:.3f} sr wrongly allowed, "
            f"{self.wrongly_forbidden:.3f} sr wrongly forbidden (of {self.area:.3f} sr)\n"
            f"rotations   {self.share_wrongly_allowed:.2%} wrongly allowed, "
            f"{self.share_wrongly_forbidden:.2%} wrongly forbidden (of {self.share:.2%})"
        )


def _degrees(v: Any) -> str:
    if isinstance(v, str):
        return v
    return " to ".join(f"{np.degrees(x):.1f}" for x in np.atleast_1d(v)) + " deg"


def export_range(
    range_: RangeOfMotion, target: Target, *, measure: Measure | None = None, centred: bool = True
) -> Export:
    """The nearest range of another engine.

    Args:
        range_: the range.
        target: which form.
        measure: of ELLIPSE and PYRAMID; None: QUARTER (PhysX).  Jolt: SINE for ELLIPSE, TANGENT for PYRAMID.
        centred: whether the joint frame may turn, so that its x points to the middle of the region (cone, ellipse,
            pyramid);
            otherwise x is the bone at rest.

    Raises:
        ArgumentError: not a target, or a measure that the form does not have.
    """
    if not isinstance(target, Target):
        raise ArgumentError(f"target = {target!r}: a Target expected")
    if measure is not None and target not in (Target.ELLIPSE, Target.PYRAMID):
        raise ArgumentError(f"measure: only ELLIPSE and PYRAMID have one, not {target.name}")
    grid = sphere_grid(COARSE)
    inside = range_.swing.contains(grid)
    turns = rotation_grid(TURNS)
    allowed = range_.contains(turns)
    bone = range_.bone_axis
    frame = np.stack([bone, *disc_axes(bone)], 1)
    if target is Target.MUJOCO:
        form: EngineRange = _mujoco(turns, allowed, frame)
    elif target is Target.EULER:
        form = _euler(turns, allowed, frame)
    else:
        swing: Any = _swing(target, measure or Measure.QUARTER, grid, inside, frame, centred)
        held = swing.allows_bone(quat_rotate(turns, bone))
        form = dataclasses.replace(swing, twist=_best_turn(joint_twist(swing.in_joint(turns[held])), allowed[held]))
    return _judged(form, range_, turns, allowed)


def _judged(form: EngineRange, range_: RangeOfMotion, turns: Array, allowed: Any) -> Export:
    grid = sphere_grid(FINE)
    inside, theirs = range_.swing.contains(grid), form.allows_bone(grid)
    sr = 4.0 * np.pi / len(grid)
    poses = form.allows(turns)
    return Export(
        form,
        float((theirs & ~inside).sum() * sr),
        float((inside & ~theirs).sum() * sr),
        float(range_.swing.area),
        float((poses & ~allowed).mean()),
        float((allowed & ~poses).mean()),
        float(allowed.mean()),
    )


def rotation_grid(count: int) -> Array:
    """Rotations spread evenly (super-Fibonacci spirals; Alexa 2022), wxyz, shape (count, 4)."""
    s = np.arange(count) + 0.5
    r, big = np.sqrt(s / count), np.sqrt(1.0 - s / count)
    a, b = 2.0 * np.pi * s / np.sqrt(2.0), 2.0 * np.pi * s / 1.533751168755204288118041
    return np.stack([big * np.cos(b), r * np.sin(a), r * np.cos(a), big * np.sin(b)], 1)


# ---------------------------------------------------------------- the searches


def _mujoco(turns: Array, allowed: Any, frame: Array) -> MujocoBall:
    angle = 2.0 * np.arccos(np.minimum(np.abs(turns[:, 0]), 1.0))
    order = np.argsort(angle)
    gain = np.cumsum(np.where(allowed[order], 1, -1))
    k = int(np.argmax(gain))
    best = float(angle[order[k]]) if gain[k] > 0 else 0.0
    quat = tuple(matrix_to_quat(frame).tolist())
    return MujocoBall(quat, quat, angle=best)


def _best_run(x: Array, good: Any) -> tuple[float, float]:
    """The interval (low, high) of x that holds most good and fewest bad values."""
    order = np.argsort(x, kind="stable")
    sums = np.concatenate([[0], np.cumsum(np.where(good[order], 1, -1))])
    lowest = np.minimum.accumulate(sums)
    stop = int(np.argmax(sums - lowest))
    start = int(np.argmin(sums[: stop + 1]))
    if stop <= start:
        return 0.0, 0.0
    return float(x[order[start]]), float(x[order[stop - 1]])


def _best_turn(angle: Array, good: Any) -> tuple[float, float]:
    """`_best_run` for angles that wrap; low within ±π."""
    if not good.any():
        return 0.0, 0.0
    if good.all():
        return -np.pi, np.pi
    cut = float(np.sort(angle)[0])
    bins = np.linspace(-np.pi, np.pi, 73)
    share = np.histogram(angle[good], bins)[0] - np.histogram(angle[~good], bins)[0]
    cut = float(bins[int(np.argmin(share))])
    low, high = _best_run(np.mod(angle - cut, 2.0 * np.pi), good)
    low, high = low + cut, high + cut
    turns = 2.0 * np.pi * np.rint((low + high) / 2.0 / (2.0 * np.pi))
    return low - turns, high - turns


def _euler(turns: Array, allowed: Any, frame: Array) -> EulerBox:
    quat = tuple(matrix_to_quat(frame).tolist())
    angles = euler_angles(EulerBox(quat, quat).in_joint(turns))
    box = [(-np.pi, np.pi), (-np.pi / 2.0, np.pi / 2.0), (-np.pi, np.pi)]
    for k in (2, 1, 0):  # begin with what holds nearly all
        low, high = np.quantile(angles[allowed, k], [0.02, 0.98]) if allowed.any() else (0.0, 0.0)
        box[k] = float(low), float(high)
    for _ in range(8):
        for k in range(3):
            others = np.ones(len(turns), bool)
            for j in range(3):
                if j != k:
                    others &= (angles[:, j] >= box[j][0]) & (angles[:, j] <= box[j][1])
            if others.any():
                box[k] = (
                    _best_run(angles[others, k], allowed[others])
                    if k == 1
                    else _best_turn(angles[others, k], allowed[others])
                )
                if box[k][1] > np.pi or box[k][0] < -np.pi:  # a box that wraps is none
                    box[k] = _best_run(angles[others, k], allowed[others])
    return EulerBox(quat, quat, *box)


def _swing(target: Target, measure: Measure, grid: Array, inside: Any, frame: Array, centred: bool) -> Any:
    bone = frame[:, 0]
    middle = unit((grid * inside[:, None]).sum(0)) if inside.any() else bone

    def made(turn: Array, sizes: Array) -> Any:
        """turn: (tip about y, tip about z, roll); the frame's x first goes to the middle."""
        quat = _frame_at(frame, middle if centred else bone, turn)
        quat_cj = _child_frame(quat, bone)
        if target is Target.CONE:
            return ConeTwist(quat, quat_cj, half_angle=float(np.clip(sizes[0], 1e-3, np.pi)))
        y, z = np.clip(sizes[:2], 1e-3, np.pi)
        return SwingEllipse(quat, quat_cj, y=float(y), z=float(z), measure=measure)

    if target is Target.PYRAMID:
        return _pyramid(measure, grid, inside, frame, middle if centred else bone, bone, centred)

    def cost(x: Array) -> float:
        turn, sizes = (x[:3], x[3:]) if centred else (np.array([0.0, 0.0, x[0]]), x[1:])
        return float((made(turn, sizes).allows_bone(grid) != inside).mean())

    reach = float(np.arccos(1.0 - 2.0 * np.clip(inside.mean(), 1e-4, 1.0)))
    best = None
    for roll in (0.0, np.pi / 4.0):
        for stretch in ((1.0, 1.0), (1.4, 0.7), (0.7, 1.4)):
            start = np.array(([0.0, 0.0] if centred else []) + [roll] + [reach * s for s in stretch])
            size = len(start)
            simplex = np.concatenate([start[None], start + np.diag(np.full(size, 0.15))])
            options = {"initial_simplex": simplex, "maxiter": 250, "xatol": 1e-3, "fatol": 1e-5}
            found = minimize(cost, start, method="Nelder-Mead", options=options)
            if best is None or found.fun < best.fun - 1e-9:
                best = found
            if target is Target.CONE:
                break
        if target is Target.CONE:
            break
    assert best is not None
    x = best.x
    return made(x[:3], x[3:]) if centred else made(np.array([0.0, 0.0, x[0]]), x[1:])


def _pyramid(
    measure: Measure, grid: Array, inside: Any, frame: Array, middle: Array, bone: Array, centred: bool
) -> SwingPyramid:
    """Sides by turns, for the bone's own frame and, if it may turn, for every roll at the middle."""
    best, least = None, np.inf
    places = [(bone, 0.0)]
    if centred:
        places += [(middle, roll) for roll in np.radians(np.arange(0.0, 90.0, 5.0))]
    for x, roll in places:
        quat = _frame_at(frame, x, np.array([0.0, 0.0, roll]))
        form = SwingPyramid(quat, _child_frame(quat, bone), measure=measure)
        angles = measure.to_angle(measure.coordinates(form.bone_in_joint(grid)))
        sides = [(-np.pi, np.pi), (-np.pi, np.pi)]
        for _ in range(6):
            for k in (0, 1):
                other = (angles[:, 1 - k] >= sides[1 - k][0]) & (angles[:, 1 - k] <= sides[1 - k][1])
                if other.any():
                    sides[k] = _best_run(angles[other, k], inside[other])
        form = dataclasses.replace(form, y=sides[0], z=sides[1])
        wrong = float((form.allows_bone(grid) != inside).mean())
        if wrong < least - 1e-9:
            best, least = form, wrong
    assert best is not None
    return best


def _frame_at(frame: Array, middle: Array, turn: Array) -> tuple[float, ...]:
    """quat_PJ of the frame whose x is swung the short way to the middle, then tipped about its y and z, and rolled."""
    there = quat_multiply(short_turn(frame[:, 0], middle), matrix_to_quat(frame))
    tipped = quat_multiply(there, quat_exp(np.array([0.0, turn[0], turn[1]])))
    return tuple(quat_multiply(tipped, quat_exp(np.array([turn[2], 0.0, 0.0]))).tolist())


def _child_frame(quat_pj: tuple[float, ...], bone: Array) -> tuple[float, ...]:
    """quat_CJ: the two frames meet when the bone is swung the short way to J's x."""
    rest = short_turn(bone, quat_rotate(np.array(quat_pj), np.array([1.0, 0.0, 0.0])))
    return tuple(quat_multiply(quat_conjugate(rest), np.array(quat_pj)).tolist())


def short_turn(a: Array, b: Array) -> Array:
    """Quaternion wxyz of the short turn from unit vector a to b (any half turn, if they are opposite)."""
    cross = np.cross(a, b)
    w = 1.0 + float(a @ b)
    if w < 1e-12:
        return np.concatenate([[0.0], disc_axes(a)[0]])
    q = np.concatenate([[w], cross])
    return q / np.linalg.norm(q)


# ---------------------------------------------------------------- and back


def rectangle_from_euler(y: Any, z: Any, **options: Any) -> RectangleRegion:
    """The rectangle that carries limits of Euler angles over: s = tan(y/2), t = tan(z/2) (Yamaguchi 2009, 2.2).

    For a bone along x; equal to the box on both axes, and free of the box's poles.

    Args:
        y, z: (low, high) of the turn about y and about z [rad], within ±π.
        options: of `RectangleRegion` (`quat_PR`).

    Raises:
        RangeError: an empty interval.
        ArgumentError: an angle of ±π or more.
    """
    sides = []
    for name, value in (("y", y), ("z", z)):
        low, high = interval(value, f"rectangle_from_euler {name}")
        if low <= -np.pi or high >= np.pi:
            raise ArgumentError(f"rectangle_from_euler {name} = ({low}, {high}): within ±π expected")
        sides.append((float(np.tan(low / 2.0)), float(np.tan(high / 2.0))))
    return RectangleRegion(*sides, **options)


def range_from_euler(x: Any, y: Any, z: Any, **options: Any) -> RangeOfMotion:
    """A range of motion from limits of Euler angles, R = Rz Ry Rx, bone along x: rectangle and constant twist."""
    low, high = interval(x, "range_from_euler x", may_be_empty=True)
    return RangeOfMotion(rectangle_from_euler(y, z, **options), ConstantTwist(low, high))
