"""Joints: how a link hangs on its parent.

One rule for every kind: `v` is the velocity of the child's joint frame M relative to the parent's joint frame F,
written in F.  So a free joint's velocity is in world axes, and a ball joint's turning is in the parent's axes.

| kind      | q                                | v                          |
|-----------|----------------------------------|----------------------------|
| FREE      | position (3), quaternion wxyz (4)| angular (3), linear (3)    |
| BALL      | quaternion wxyz (4)              | angular (3)                |
| HINGE     | angle                            | rate                       |
| SLIDER    | displacement                     | rate                       |
| SCREW     | angle                            | rate                       |
| UNIVERSAL | angle about `axis`, then `axis2` | their rates                |
| COMPOUND  | one for each of its screws       | their rates                |
| FUNCTION  | those that it names              | their rates                |
| FIXED     | none                             | none                       |
"""

import enum
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from hitogata.errors import FigureError
from hitogata.figure import values
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.values import Vector


class JointKind(enum.Enum):
    """Kind of a joint."""

    FREE = "free"
    BALL = "ball"
    HINGE = "hinge"
    SLIDER = "slider"
    SCREW = "screw"
    UNIVERSAL = "universal"
    COMPOUND = "compound"
    FUNCTION = "function"
    FIXED = "fixed"

    @property
    def nq(self) -> int:
        """Number of coordinates; of compound and function joints see `Joint.nq`."""
        return _SIZES[self][0]

    @property
    def nv(self) -> int:
        """Number of velocities (degrees of freedom); of compound and function joints see `Joint.nv`."""
        return _SIZES[self][1]


_SIZES = {
    JointKind.FREE: (7, 6),
    JointKind.BALL: (4, 3),
    JointKind.HINGE: (1, 1),
    JointKind.SLIDER: (1, 1),
    JointKind.SCREW: (1, 1),
    JointKind.UNIVERSAL: (2, 2),
    JointKind.COMPOUND: (0, 0),
    JointKind.FUNCTION: (0, 0),
    JointKind.FIXED: (0, 0),
}

_QUATS = {JointKind.FREE: 3, JointKind.BALL: 0}
"""Where the quaternion stands among the coordinates of a joint that has one."""

_Z: Vector = (0.0, 0.0, 1.0)
_X: Vector = (1.0, 0.0, 0.0)


class Screw(NamedTuple):
    """A motion by one coordinate: a turn about an axis, a slide along it, or both."""

    axis: Vector
    turn: float  # per unit of the coordinate [rad]
    slide: float  # likewise [m]
    before: Pose = IDENTITY  # from where the screw before has come to the frame of the axis


@dataclass(frozen=True)
class Joint:
    """A joint between a link and its parent (the world, for the root).

    At q = 0 (identity quaternion) the joint's frame M on the child coincides with its frame F on the parent.

    Attributes:
        kind: which motions it allows.
        parent_frame: X_PF, the joint's frame in the parent link.
        child_frame: X_BM, the joint's frame in the link itself.
        axis: direction of a hinge, slider or screw, or the first axis of a universal joint, in the joint's frame.
        axis2: second axis of a universal joint (turned by the first), not along `axis`.
        pitch: how far a screw goes along its axis per radian [m/rad], not zero; < 0: a left-handed thread.
        range: (low, high) of a hinge, screw [rad] or slider [m]; one for each coordinate of a universal, compound or
            function joint; for a ball joint a range of motion (`hitogata.rom`); None: no limit.
        motions: screws of a compound joint, the outermost first: one coordinate each.
        coordinates: names of the coordinates of a function joint, none to six, unique in the figure.
        steps: of a function joint: turns and shifts (`hitogata.figure.mechanism.JointStep`), the outermost first, by
            functions of any coordinates of the figure: its own, or by their joints' names those of hinges, sliders and
            screws.
        damping: torque per rate, the same for every velocity of the joint [N m s/rad] or [N s/m].
        armature: inertia of a rotor geared to the joint, added to the diagonal of the mass matrix [kg m²] or [kg].
        effort_limit: greatest torque or force a motor may give to each velocity [N m] or [N]; of a ball joint, about
            each axis of the parent's side.  Free and fixed joints have no motor.
        rest: coordinates of the neutral pose, nq numbers; None: zeros and identity quaternions.
        name: of the joint; empty: takes the link's name.
    """

    kind: JointKind
    parent_frame: Pose = IDENTITY
    child_frame: Pose = IDENTITY
    axis: Vector = _Z
    axis2: Vector = _X
    pitch: float = 0.0
    motions: tuple[Screw, ...] = ()
    coordinates: tuple[str, ...] = ()
    steps: tuple[Any, ...] = ()
    range: Any = None
    damping: float = 0.0
    armature: float = 0.0
    effort_limit: float = math.inf
    rest: tuple[float, ...] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise FigureError(f"joint: name must be a string, got {self.name!r}")
        what = f"joint {self.name!r}" if self.name else f"{getattr(self.kind, 'value', self.kind)} joint"
        if not isinstance(self.kind, JointKind):
            raise FigureError(f"{what}: kind must be a JointKind, got {self.kind!r}")
        for field in ("parent_frame", "child_frame"):
            if not isinstance(getattr(self, field), Pose):
                raise FigureError(f"{what}: {field} must be a Pose, got {getattr(self, field)!r}")
        set_ = object.__setattr__
        set_(self, "axis", values.unit_vector(self.axis, f"{what}: axis"))
        set_(self, "axis2", values.unit_vector(self.axis2, f"{what}: axis2"))
        cos = sum(a * b for a, b in zip(self.axis, self.axis2, strict=True))
        if self.kind is JointKind.UNIVERSAL and abs(cos) > 0.999:
            raise FigureError(f"{what}: the two axes of a universal joint must not be parallel, got {self.axis} twice")
        set_(self, "pitch", values.number(self.pitch, f"{what}: pitch"))
        if (self.pitch != 0.0) is not (self.kind is JointKind.SCREW):
            raise FigureError(f"{what}: pitch: a screw needs one that is not zero, others have none; got {self.pitch}")
        set_(self, "motions", _checked_motions(self, what))
        set_(self, "coordinates", tuple(self.coordinates))
        set_(self, "steps", tuple(self.steps))
        if (self.coordinates or self.steps) and not self.follows:
            raise FigureError(f"{what}: coordinates and steps belong to function joints")
        if len(self.coordinates) > 6:
            raise FigureError(f"{what}: six coordinates at the most, got {len(self.coordinates)}")
        set_(self, "range", _checked_range(self, self.range, what))
        set_(self, "damping", values.not_negative(self.damping, f"{what}: damping"))
        set_(self, "armature", values.not_negative(self.armature, f"{what}: armature"))
        set_(self, "effort_limit", values.not_negative(self.effort_limit, f"{what}: effort_limit", infinite=True))
        if not self.has_motor and self.effort_limit < math.inf:
            raise FigureError(f"{what}: effort_limit: a {self.kind.value} joint has no motor; got {self.effort_limit}")
        set_(self, "rest", _checked_rest(self, self.rest, what))

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.kind.nq or len(self.motions) or len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.kind.nv or len(self.motions) or len(self.coordinates)

    @property
    def screws(self) -> tuple[Screw, ...]:
        """Its motions one after the other, one for each coordinate; none where it has a quaternion or does not move."""
        match self.kind:
            case JointKind.HINGE:
                return (Screw(self.axis, 1.0, 0.0),)
            case JointKind.SLIDER:
                return (Screw(self.axis, 0.0, 1.0),)
            case JointKind.SCREW:
                return (Screw(self.axis, 1.0, self.pitch),)
            case JointKind.UNIVERSAL:
                return Screw(self.axis, 1.0, 0.0), Screw(self.axis2, 1.0, 0.0)
        return self.motions

    @property
    def quat_start(self) -> int | None:
        """Where the quaternion stands among its coordinates (what is before is a position); None: it has none."""
        return _QUATS.get(self.kind)

    @property
    def floating(self) -> bool:
        """Whether it leaves all six motions free."""
        return self.kind is JointKind.FREE

    @property
    def is_ball(self) -> bool:
        """Whether its range, if it has one, is a range of motion."""
        return self.quat_start is not None and not self.floating

    @property
    def follows(self) -> bool:
        """Whether its pose follows functions of coordinates."""
        return self.kind is JointKind.FUNCTION

    @property
    def has_motor(self) -> bool:
        """Whether a motor can drive it."""
        return self.kind not in (JointKind.FREE, JointKind.FIXED)

    @property
    def bodies(self) -> int:
        """Bodies that kernels make of it and its link: one for each screw, massless but the last."""
        return max(1, len(self.screws))


def _checked_range(joint: Joint, range_: Any, what: str) -> Any:
    if range_ is None:
        return None
    kind = joint.kind
    count = joint.nq if joint.follows else len(joint.screws)
    if count == 1:
        return values.interval(range_, f"{what}: range")
    if joint.kind in (JointKind.COMPOUND, JointKind.FUNCTION):
        try:
            pairs = list(range_)
        except TypeError:
            raise FigureError(f"{what}: range must be (low, high) pairs, got {range_!r}") from None
        if len(pairs) != count:
            raise FigureError(f"{what}: range: {count} (low, high) pairs expected, got {len(pairs)}")
        return tuple(values.interval(pair, f"{what}: range {k + 1}") for k, pair in enumerate(pairs))
    if count == 2:
        try:
            first, second = range_
        except (TypeError, ValueError):
            raise FigureError(f"{what}: range must be two (low, high) pairs, got {range_!r}") from None
        return values.interval(first, f"{what}: first range"), values.interval(second, f"{what}: second range")
    if joint.is_ball:
        if not (callable(getattr(range_, "violation", None)) and callable(getattr(range_, "clamp", None))):
            raise FigureError(f"{what}: the range of a ball joint is a hitogata.rom.RangeOfMotion, got {range_!r}")
        return range_
    raise FigureError(f"{what}: a {kind.value} joint has no range")


def _checked_motions(joint: Joint, what: str) -> tuple[Screw, ...]:
    motions = tuple(joint.motions)
    if (joint.kind is JointKind.COMPOUND) is not bool(motions):
        raise FigureError(f"{what}: motions: a compound joint has one or more, others have none; got {joint.motions!r}")
    result = []
    for k, motion in enumerate(motions):
        if not isinstance(motion, Screw):
            raise FigureError(f"{what}: motion {k + 1} must be a Screw, got {motion!r}")
        turn, slide = (values.number(x, f"{what}: motion {k + 1}") for x in (motion.turn, motion.slide))
        if turn == 0.0 and slide == 0.0:
            raise FigureError(f"{what}: motion {k + 1} neither turns nor slides")
        result.append(Screw(values.unit_vector(motion.axis, f"{what}: axis {k + 1}"), turn, slide, motion.before))
    return tuple(result)


def _checked_rest(joint: Joint, rest: Any, what: str) -> tuple[float, ...]:
    kind = joint.kind
    if rest is None:
        return {JointKind.FREE: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), JointKind.BALL: (1.0, 0.0, 0.0, 0.0)}.get(
            kind, (0.0,) * joint.nq
        )
    rest = values.numbers(rest, joint.nq, f"{what}: rest")
    if kind in (JointKind.FREE, JointKind.BALL):
        return rest[:-4] + values.unit_quat(rest[-4:], f"{what}: rest")
    return rest


def free(**options: Any) -> Joint:
    """A joint with all six motions, for the root of a figure."""
    return Joint(JointKind.FREE, **options)


def ball(**options: Any) -> Joint:
    """A ball joint: three rotations about one point."""
    return Joint(JointKind.BALL, **options)


def hinge(axis: values.ArrayLike = _Z, **options: Any) -> Joint:
    """A hinge: rotation about `axis`."""
    return Joint(JointKind.HINGE, axis=axis, **options)  # type: ignore[arg-type]


def slider(axis: values.ArrayLike = _Z, **options: Any) -> Joint:
    """A slider: translation along `axis`."""
    return Joint(JointKind.SLIDER, axis=axis, **options)  # type: ignore[arg-type]


def screw(axis: values.ArrayLike = _Z, *, pitch: float, **options: Any) -> Joint:
    """A screw: rotation about `axis`, and translation along it by `pitch` per radian [m/rad]."""
    return Joint(JointKind.SCREW, axis=axis, pitch=pitch, **options)  # type: ignore[arg-type]


def universal(axis: values.ArrayLike = _Z, axis2: values.ArrayLike = _X, **options: Any) -> Joint:
    """A universal joint: rotation about `axis`, then about `axis2`."""
    return Joint(JointKind.UNIVERSAL, axis=axis, axis2=axis2, **options)  # type: ignore[arg-type]


def planar(**options: Any) -> Joint:
    """Shifts along x and y, then a turn about z: coordinates x, y, angle."""
    z = (0.0, 0.0, 1.0)
    return compound((Screw(_X, 0.0, 1.0), Screw((0.0, 1.0, 0.0), 0.0, 1.0), Screw(z, 1.0, 0.0)), **options)


def cylindrical(axis: values.ArrayLike = _Z, **options: Any) -> Joint:
    """A shift along an axis and a turn about it: coordinates shift, angle."""
    direction = values.unit_vector(axis, "axis")
    return compound((Screw(direction, 0.0, 1.0), Screw(direction, 1.0, 0.0)), **options)


def gimbal(**options: Any) -> Joint:
    """Turns about x, then y, then z, each turned by those before: three angles."""
    return compound(tuple(Screw(axis, 1.0, 0.0) for axis in (_X, (0.0, 1.0, 0.0), _Z)), **options)


def compound(motions: tuple[Screw, ...], **options: Any) -> Joint:
    """Screws one after the other, the outermost first, with a coordinate each."""
    return Joint(JointKind.COMPOUND, motions=motions, **options)


def function(coordinates: tuple[str, ...], steps: tuple[Any, ...], **options: Any) -> Joint:
    """Turns and shifts by functions of coordinates, as in `hitogata.figure.mechanism`."""
    return Joint(JointKind.FUNCTION, coordinates=coordinates, steps=steps, **options)


def fixed(**options: Any) -> Joint:
    """No motion at all."""
    return Joint(JointKind.FIXED, **options)
