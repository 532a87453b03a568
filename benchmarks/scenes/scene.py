"""What a scene is: one description for every engine, and a verdict that looks at positions and velocities alone."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hitogata.dynamics import energy
from hitogata.figure import Figure, FigureBuilder, Plane, Pose, Shape, joint

Array = np.ndarray
G = 9.81
GROUND = Plane()


@dataclass(frozen=True, eq=False)
class Item:
    """A figure or loose body of a scene.

    Attributes:
        figure: joints, masses and shapes.
        q: coordinates at the start, shape (nq,); hitogata's conventions.
        v: velocities at the start, shape (nv,).
        push: generalized forces that act all the time, shape (nv,); None: none.
        damping: of all joints [N m s/rad].
        touching: whether it may touch anything.
    """

    figure: Figure
    q: Array
    v: Array
    push: Array | None = None
    damping: float = 0.0
    touching: bool = True


@dataclass(frozen=True, eq=False)
class Trace:
    """What an engine did.

    Attributes:
        t: times of the samples [s], shape (n,).
        q: coordinates of each item, shapes (n, nq).
        v: velocities of each item, shapes (n, nv).
        h: step [s].
        finite: False if the engine gave up or numbers ended; samples are those before.
    """

    t: Array
    q: list[Array]
    v: list[Array]
    h: float
    finite: bool = True

    @cached_property
    def places(self) -> Array:
        """Positions of loose bodies [m], shape (n, bodies, 3)."""
        return np.stack([q[:, :3] for q in self.q], axis=1)

    def since(self, seconds: float) -> Array:
        """Samples of the last so many seconds, a mask."""
        return self.t >= self.t[-1] - seconds - 1e-9


@dataclass(frozen=True)
class Verdict:
    """How well an engine did.

    Attributes:
        error: distance from the truth in the unit of the scene; infinite: falls, diverges.
        note: a word, such as "stands".
    """

    error: float
    note: str = ""


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene, and what is true of it.

    Attributes:
        name: of the scene.
        items: figures and loose bodies.
        judge: verdict on a trace.
        unit: of the verdict's error.
        limit: errors up to this are physically exact: two engines below it are equally good.
        about: what the error is, one line.
        useless: errors above this are failures, however large.
        fixed: shapes of the world.
        friction: coefficient, the same for all surfaces.
        restitution: the same.
        gravity: downwards [m/s²].
        seconds: simulated time [s].
        sample: between two samples [s]; every step if steps are longer.
        kind: "contact", "bounce", "smooth" or "fast": which settings of MuJoCo are worth trying.
    """

    name: str
    items: tuple[Item, ...]
    judge: Callable[[Trace], Verdict]
    unit: str
    limit: float
    about: str
    fixed: tuple[Shape, ...] = (GROUND,)
    friction: float = 0.8
    restitution: float = 0.0
    gravity: float = G
    seconds: float = 10.0
    sample: float = 1 / 60
    kind: str = "contact"
    useless: float = math.inf

    def verdict(self, trace: Trace) -> Verdict:
        """The verdict, infinite error if the engine gave up."""
        if not trace.finite:
            return Verdict(math.inf, "diverges")
        found = self.judge(trace)
        if math.isnan(found.error):
            return Verdict(math.inf, "fails")
        return Verdict(*self.within(found.error, found.note))

    def within(self, error: float, note: str) -> tuple[float, str]:
        """Error and note; an infinite error where it is too large to mean anything."""
        if self.useless < error < math.inf:
            return math.inf, f"off by {error:.3g} {self.unit}"
        return error, note


def body(
    shape: Shape | tuple[Shape, ...], mass: float, position: tuple[float, float, float],
    quat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0), *, spin: tuple[float, ...] = (0.0, 0.0, 0.0),
    velocity: tuple[float, ...] = (0.0, 0.0, 0.0), name: str = "body",
) -> Item:  # fmt: skip
    """A loose body; spin [rad/s] and velocity [m/s] in world axes."""
    builder = FigureBuilder(name)
    shapes = shape if isinstance(shape, tuple) else (shape,)
    builder.add(name, None, joint.free(), shapes=shapes, total_mass=mass)
    pose = Pose(tuple(position), tuple(quat))
    return Item(builder.build(), np.array([*pose.position, *pose.quat]), np.array([*spin, *velocity], float))


# ------------------------------------------------------- verdicts that many scenes share


def standing(size: float) -> Callable[[Trace], Verdict]:
    """Drift [mm] of what should stay where it is: how far the body that moved most is from its place at the end, and
    how far it would go in one more second at the mean speed of the last one.  A body that left its place by half its
    size has fallen.

    Args:
        size: of a body [m].
    """

    def judge(trace: Trace) -> Verdict:
        moved = np.linalg.norm(trace.places[-1] - trace.places[0], axis=-1).max()
        if moved > size / 2:
            return Verdict(math.inf, "falls")
        last = trace.since(1.0)
        speed = max(float(np.linalg.norm(v[last, 3:], axis=1).mean()) for v in trace.v)
        return Verdict(1e3 * (moved + speed), "restless" if speed > 0.01 else "stands")

    return judge


def energy_of(item: Item, q: Array, v: Array) -> Array:
    """Kinetic and potential energy [J] along a trace of one item, shape (n,)."""
    return np.atleast_1d(energy(item.figure, q, v).total)


def energy_kept(items: tuple[Item, ...], scale: float) -> Callable[[Trace], Verdict]:
    """Greatest change of the energy [%] of a scale [J]; the note says whether it gains or loses."""

    def judge(trace: Trace) -> Verdict:
        total = sum(energy_of(item, q, v) for item, q, v in zip(items, trace.q, trace.v, strict=True))
        change = 100 * (total - total[0]) / scale
        worst = change[np.argmax(np.abs(change))]
        return Verdict(abs(float(worst)), "gains" if worst > 0 else "loses")

    return judge
