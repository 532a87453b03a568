"""Muscles, tendons and ligaments, and the set of them: what is fixed to a body and pulls."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import values
from hitogata.figure.mechanism import Function
from hitogata.muscle.bodies import Body, Skeleton, skeleton_of
from hitogata.muscle.curves import ModelCurves, MujocoMuscle, Thelen2003
from hitogata.muscle.paths import ConditionalPoint, MovingPoint, Path, Surface


@dataclass(frozen=True)
class Wire:
    """What all wires have.

    Attributes:
        name: unique in its set.
        path: where it runs.
    """

    name: str
    path: Path

    def __post_init__(self) -> None:
        values.name(self.name, type(self).__name__.lower())


@dataclass(frozen=True)
class Muscle(Wire):
    """A wire that can be made to pull.

    Attributes:
        max_force: at the optimal fibre length, isometric, fully active [N].
        fibre_length: optimal [m].
        slack_length: of the tendon [m]; 0 only with a rigid one (MuJoCo's, an offset, may be less).
        pennation: angle between fibre and tendon at the optimal fibre length [rad].
        max_speed: of shortening [optimal fibre lengths / s].
        curves: force by length and velocity: `Thelen2003`, `Millard2012`, `DeGroote2016`.
        damping: of the fibre [max_force per max_speed].
        rigid_tendon: the tendon does not give.
        activation_time, deactivation_time: [s].
        least_activation: of a muscle at rest.
    """

    max_force: float = 1000.0
    fibre_length: float = 0.1
    slack_length: float = 0.2
    pennation: float = 0.0
    max_speed: float = 10.0
    curves: ModelCurves = field(default_factory=Thelen2003)
    damping: float = 0.0
    rigid_tendon: bool = False
    activation_time: float = 0.015
    deactivation_time: float = 0.05
    least_activation: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("max_force", "fibre_length", "max_speed", "activation_time", "deactivation_time"):
            label = f"muscle {self.name!r}: {key.replace('_', ' ')}"
            object.__setattr__(self, key, values.positive(getattr(self, key), label))
        least = -np.inf if isinstance(self.curves, MujocoMuscle) else 0.0
        if not (least <= self.slack_length < np.inf) or (self.slack_length <= 0.0 and not self.rigid_tendon):
            raise FigureError(
                f"muscle {self.name!r}: slack length must be positive, got {self.slack_length:g} m; "
                "only a rigid tendon may have none"
            )
        if not 0.0 <= self.pennation < 1.5:
            raise FigureError(f"muscle {self.name!r}: pennation must be 0 to 1.5 rad, got {self.pennation:g}")
        if not 0.0 <= self.least_activation < 1.0:
            raise FigureError(f"muscle {self.name!r}: least activation must be 0 to 1, got {self.least_activation:g}")


@dataclass(frozen=True)
class Ligament(Wire):
    """A wire that pulls when it is stretched.

    Attributes:
        slack_length: [m].
        stiffness: of the straight part [N per strain] (Blankevoort & Huiskes 1991).
        toe: strain at which the straight part begins; before, the force grows with the strain's square.
        damping: [N per strain rate over stiffness: s].
        curve: force over `scale` by length over slack length, in place of stiffness and toe.
        scale: of the curve [N].
    """

    slack_length: float = 0.1
    stiffness: float = 1000.0
    toe: float = 0.06
    damping: float = 0.0
    curve: Function | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        label = f"{type(self).__name__.lower()} {self.name!r}: slack length"
        object.__setattr__(self, "slack_length", values.positive(self.slack_length, label))


@dataclass(frozen=True)
class Tendon(Ligament):
    """A passive wire that carries muscles' pull on, from a branch node or a loose bone.

    Attributes:
        heads: names of muscles whose paths already run along it: it pulls as they do, and has no spring of its own.
        share: of their tensions that it carries.
    """

    heads: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True)
class Support(Ligament):
    """Where a bone glides on another and is pushed off, never pulled: the scapula on the ribs.

    Its path is one straight line, from the centre around which the bone glides to where it is touched.  Where forces
    are found it pushes as much as balance takes (a negative tension), as bones are stiff beside muscles; worlds know
    none.

    Attributes:
        most: greatest push [N].
    """

    most: float = 3000.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.path.points) != 2 or self.path.wraps:
            raise FigureError(f"support {self.name!r}: its path is one straight line, from a centre to a point")
        object.__setattr__(self, "most", values.positive(self.most, f"support {self.name!r}: most"))


@dataclass(frozen=True)
class Node:
    """A massless branch point: wires meet there, and their pulls balance (the paper's virtual link).

    Attributes:
        name: wires are fixed to it by this name, as to a body, at the point (0, 0, 0).
        body: that it is counted from; None: the world.
        place: where it is at rest, in that body's frame [m].
    """

    name: str
    body: str | None
    place: values.Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        values.name(self.name, "node")
        object.__setattr__(self, "place", values.vector(self.place, f"node {self.name!r}: place"))


@dataclass(frozen=True)
class MuscleSet:
    """Wires on a figure or mechanism, frozen and checked.

    Attributes:
        name: of the set.
        body: the figure or mechanism.
        wires: muscles first, then supports, then tendons and ligaments.
        surfaces: that they bend around.
        nodes: where wires branch.
    """

    name: str
    body: Body
    wires: tuple[Wire, ...]
    surfaces: tuple[Surface, ...] = ()
    nodes: tuple[Node, ...] = ()
    compiled: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        order = sorted(self.wires, key=lambda wire: 2 - 2 * isinstance(wire, Muscle) - isinstance(wire, Support))
        object.__setattr__(self, "wires", tuple(order))
        object.__setattr__(self, "surfaces", tuple(self.surfaces))
        object.__setattr__(self, "nodes", tuple(self.nodes))
        for kind, things in (("wire", self.wires), ("surface", self.surfaces), ("node", self.nodes)):
            values.unique([each.name for each in things], kind)
        skeleton = skeleton_of(self.body)
        values.unique([*skeleton.bodies, *(node.name for node in self.nodes)], "body or node")
        for node in self.nodes:
            _known(node.body, skeleton.bodies, f"node {node.name!r}")
        bodies = (*skeleton.bodies, *(node.name for node in self.nodes))
        for surface in self.surfaces:
            _known(surface.body, skeleton.bodies, f"surface {surface.name!r}")
        surfaces = {surface.name for surface in self.surfaces}
        names = {wire.name for wire in self.muscles}
        for wire in self.wires:
            _check_path(wire, bodies, surfaces, skeleton)
            for head in wire.heads if isinstance(wire, Tendon) else ():
                if head not in names:
                    raise FigureError(f"tendon {wire.name!r}: no muscle {head!r}; there are: {_listed(names)}")

    @property
    def muscles(self) -> tuple[Muscle, ...]:
        """The muscles: the first of the wires."""
        return tuple(wire for wire in self.wires if isinstance(wire, Muscle))

    @property
    def ligaments(self) -> tuple[Ligament, ...]:
        """Supports, ligaments and tendons: the last of the wires."""
        return tuple(wire for wire in self.wires if isinstance(wire, Ligament))

    @property
    def supports(self) -> tuple[Support, ...]:
        """Where bones glide on others: right behind the muscles."""
        return tuple(wire for wire in self.wires if isinstance(wire, Support))

    def index(self, wire: str) -> int:
        """Place of a wire, by its name."""
        for k, each in enumerate(self.wires):
            if each.name == wire:
                return k
        raise FigureError(f"no wire {wire!r}; there are: {_listed(each.name for each in self.wires)}")

    def __str__(self) -> str:
        tendons, supports = sum(isinstance(wire, Tendon) for wire in self.wires), len(self.supports)
        return (
            f"MuscleSet {self.name!r}: {len(self.muscles)} muscles, {tendons} tendons, "
            f"{len(self.ligaments) - tendons - supports} ligaments, {len(self.surfaces)} surfaces, "
            f"{len(self.nodes)} nodes" + (f", {supports} supports" if supports else "")
        )


def _check_path(wire: Wire, bodies: tuple[str, ...], surfaces: set[str], skeleton: Skeleton) -> None:
    what = f"{type(wire).__name__.lower()} {wire.name!r}"
    for k, point in enumerate(wire.path.points):
        _known(point.body, bodies, f"{what}: point {k}")
        named: tuple[str, ...] = ()
        if isinstance(point, ConditionalPoint):
            named = (point.coordinate,)
        elif isinstance(point, MovingPoint):
            named = tuple(name for name in point.coordinates if name)
        for coordinate in named:
            if coordinate not in skeleton.values:
                listed = _listed(skeleton.values)
                raise FigureError(f"{what}: point {k}: no coordinate {coordinate!r}; there are: {listed}")
    for wrap in wire.path.wraps:
        if wrap.surface not in surfaces:
            raise FigureError(f"{what}: no surface {wrap.surface!r}; there are: {_listed(surfaces)}")


def _known(body: str | None, bodies: tuple[str, ...], what: str) -> None:
    if body is not None and body not in bodies:
        raise FigureError(f"{what}: no body {body!r}; there are: {_listed(bodies)}")


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (", ".join(names[:20]) or "none") + more
