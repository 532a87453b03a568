"""Mechanism: bodies in a tree whose joints follow functions of coordinates, and coordinates that follow others.

The pose of a joint is a product of turns and shifts, each about or along a fixed axis by a function of the joint's
coordinates (product of exponentials: Brockett 1984).  That covers hinges and sliders as well as OpenSim's custom,
ellipsoid and scapulothoracic joints.  It comes from files (`hitogata.files.osim`); `motion` and `inertia` evaluate it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hitogata.errors import FigureError
from hitogata.figure import values
from hitogata.figure.mechanism.functions import Function, Linear
from hitogata.figure.pose import IDENTITY, Pose
from hitogata.figure.values import Vector, not_negative, unit_vector, vector

_ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class JointStep:
    """One factor of a joint's pose: a turn about an axis or a shift along it, by a function of coordinates.

    Attributes:
        turn: whether it turns [rad]; otherwise it shifts [m].
        axis: unit vector, in the frame that the steps before have reached.
        function: how far, from the values of `coordinates`.
        coordinates: names, all of the joint's own.
        point: a point of the axis of a turn [m].
    """

    turn: bool
    axis: Vector
    function: Function = field(default_factory=Linear)
    coordinates: tuple[str, ...] = ()
    point: Vector = _ORIGIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_vector(self.axis, "axis of a joint"))
        object.__setattr__(self, "point", vector(self.point, "point of a joint's axis"))
        object.__setattr__(self, "coordinates", tuple(self.coordinates))
        takes = self.function.arguments
        if takes is not None and takes != len(self.coordinates):
            kind = type(self.function).__name__
            raise FigureError(f"a {kind} of {takes} arguments is given {len(self.coordinates)}: {self.coordinates}")


@dataclass(frozen=True)
class MechanismBody:
    """A rigid body; without mass it is a mere frame.

    Attributes:
        name: unique in the mechanism.
        mass: zero or more [kg].
        centre: centre of mass in the body's frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) about the centre [kg m²].
    """

    name: str
    mass: float = 0.0
    centre: Vector = _ORIGIN
    inertia: tuple[float, ...] = (0.0,) * 6

    def __post_init__(self) -> None:
        values.name(self.name, "body")
        object.__setattr__(self, "mass", not_negative(self.mass, f"body {self.name!r}: mass"))
        object.__setattr__(self, "centre", vector(self.centre, f"body {self.name!r}: centre of mass"))
        object.__setattr__(self, "inertia", values.numbers(self.inertia, 6, f"body {self.name!r}: inertia"))


@dataclass(frozen=True)
class MechanismJoint:
    """How a body hangs on another, or on the world: X_PB = parent_frame · Π steps · child_frame⁻¹.

    Attributes:
        name: unique in the mechanism.
        parent: name of the body it hangs on; None: the world.
        child: name of the body that hangs.
        coordinates: names, in the order of their columns.
        steps: turns and shifts, the outermost first.
        parent_frame: X_PF.
        child_frame: X_BM.
        speed_axes: if given, the speeds of the first three coordinates are not their rates but the angular velocity
            of M in F along these three unit axes of F, as OpenSim has it in free, ball and ellipsoid joints.
    """

    name: str
    parent: str | None
    child: str
    coordinates: tuple[str, ...] = ()
    steps: tuple[JointStep, ...] = ()
    parent_frame: Pose = IDENTITY
    child_frame: Pose = IDENTITY
    speed_axes: tuple[Vector, Vector, Vector] | None = None

    def __post_init__(self) -> None:
        values.name(self.name, "joint")
        values.unique(self.coordinates, f"coordinate of joint {self.name!r}")
        for step in self.steps:
            for name in step.coordinates:
                if name not in self.coordinates:
                    raise FigureError(f"joint {self.name!r}: {name!r} is not among its coordinates {self.coordinates}")


@dataclass(frozen=True)
class Coupling:
    """A coordinate that follows others: coordinate = function(arguments)."""

    coordinate: str
    function: Function
    arguments: tuple[str, ...]
    name: str = ""

    def __post_init__(self) -> None:
        takes = self.function.arguments
        if not self.arguments or (takes is not None and takes != len(self.arguments)):
            what = self.name or self.coordinate
            raise FigureError(f"coupling {what!r}: a function of {takes} arguments is given {len(self.arguments)}")


@dataclass(frozen=True)
class Mechanism:
    """A tree of bodies; `Mechanism.of` sorts and checks it.

    Attributes:
        name: of the mechanism.
        bodies: every one behind its parent.
        joints: joints[k] hangs bodies[k].
        couplings: sorted, so that each follows only free coordinates and those before it.
        gravity: in the world's axes [m/s²].
        coordinates: names, joint by joint: the order of q.
    """

    name: str
    bodies: tuple[MechanismBody, ...]
    joints: tuple[MechanismJoint, ...]
    couplings: tuple[Coupling, ...] = ()
    gravity: Vector = (0.0, 0.0, -9.80665)
    coordinates: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        values.unique([body.name for body in self.bodies], "body")
        values.unique([joint.name for joint in self.joints], "joint")
        object.__setattr__(self, "gravity", vector(self.gravity, "gravity"))
        names = [name for joint in self.joints for name in joint.coordinates]
        values.unique(names, "coordinate")
        object.__setattr__(self, "coordinates", tuple(names))
        above: set[str | None] = {None}
        for body, joint in zip(self.bodies, self.joints, strict=True):
            if joint.child != body.name or joint.parent not in above:
                raise FigureError(f"joint {joint.name!r}: bodies must stand behind their parents; use Mechanism.of")
            above.add(body.name)

    @classmethod
    def of(
        cls,
        name: str,
        bodies: Iterable[MechanismBody],
        joints: Iterable[MechanismJoint],
        couplings: Iterable[Coupling] = (),
        gravity: Vector = (0.0, 0.0, -9.80665),
    ) -> "Mechanism":
        """Sort bodies behind their parents and couplings behind what they follow."""
        by_name = {body.name: body for body in bodies}
        waiting = list(joints)
        placed: set[str | None] = {None}
        order: list[MechanismJoint] = []
        while waiting:
            ready = [joint for joint in waiting if joint.parent in placed]
            if not ready:
                raise FigureError(f"bodies {', '.join(repr(j.child) for j in waiting[:5])} do not hang on the world")
            for joint in ready:
                if joint.child in placed or joint.child not in by_name:
                    problem = "hangs on two joints" if joint.child in placed else "does not exist"
                    raise FigureError(f"joint {joint.name!r}: body {joint.child!r} {problem}")
                placed.add(joint.child)
            order += ready
            waiting = [joint for joint in waiting if joint not in ready]
        loose = [name for name in by_name if name not in placed]
        if loose:
            raise FigureError(f"bodies without a joint: {', '.join(map(repr, loose[:5]))}")
        names = {c for joint in order for c in joint.coordinates}
        chain = tuple(by_name[joint.child] for joint in order)
        return cls(name, chain, tuple(order), _sorted_couplings(couplings, names), gravity)

    @property
    def free_coordinates(self) -> tuple[str, ...]:
        """Coordinates that follow no others, in order."""
        following = {coupling.coordinate for coupling in self.couplings}
        return tuple(name for name in self.coordinates if name not in following)

    def index(self, coordinate: str) -> int:
        """Place of a coordinate in q."""
        try:
            return self.coordinates.index(coordinate)
        except ValueError:
            raise FigureError(f"no coordinate {coordinate!r}; there are: {', '.join(self.coordinates)}") from None

    def body_index(self, name: str) -> int:
        """Place of a body."""
        for k, body in enumerate(self.bodies):
            if body.name == name:
                return k
        raise FigureError(f"no body {name!r}; there are: {', '.join(body.name for body in self.bodies)}")


def _sorted_couplings(couplings: Iterable[Coupling], names: set[str]) -> tuple[Coupling, ...]:
    """Couplings such that each stands behind those it follows."""
    waiting = list(couplings)
    values.unique([coupling.coordinate for coupling in waiting], "coupled coordinate")
    for coupling in waiting:
        for name in (coupling.coordinate, *coupling.arguments):
            if name not in names:
                raise FigureError(f"coupling {coupling.name or coupling.coordinate!r}: no coordinate {name!r}")
    order: list[Coupling] = []
    while waiting:
        open_ = {coupling.coordinate for coupling in waiting}
        ready = [coupling for coupling in waiting if not open_ & set(coupling.arguments)]
        if not ready:
            raise FigureError(f"couplings in a circle: {', '.join(map(repr, sorted(open_)))} follow one another")
        order += ready
        waiting = [coupling for coupling in waiting if coupling not in ready]
    return tuple(order)
