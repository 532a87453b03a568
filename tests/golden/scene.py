"""What a golden scene is, and the list of all."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hitogata.sim import World

Arrays = dict[str, np.ndarray]

STEPS = (1, 10, 100)
"""Steps after which arrays are stored."""


@dataclass(frozen=True)
class Running:
    """A scene that runs.

    Attributes:
        advance: take so many steps.
        read: all that a user can read of it now.
        physics: of a chaotic scene, what holds at the end whatever rounding did: energy, heights, counts.
        shake: multiply its state by so many ones, each wrong by a part of this; to see what rounding may do.
    """

    advance: Callable[[int], object]
    read: Callable[[], Arrays]
    physics: Callable[[], Arrays] | None = None
    shake: Callable[[float], None] | None = None


@dataclass(frozen=True)
class Golden:
    """A scene, and how far it may be from what is stored.

    Attributes:
        name: of its file.
        make: the scene; its argument multiplies one coefficient of it, named in its docstring.
        bounds: greatest difference after 1, 10 and 100 steps, relative to the greatest number of each array, or to 1.
        nudge: a change of the coefficient by this part must be seen within ten steps.
        loose: bounds of the numbers of `physics`, by name.
    """

    name: str
    make: Callable[[float], Running]
    bounds: tuple[float, float, float]
    nudge: float
    loose: dict[str, float]


GOLDENS: dict[str, Golden] = {}


def golden(
    late: float = 1e-8, *, bounds: tuple[float, float] = (1e-12, 1e-9), nudge: float = 1e-9, **loose: float
) -> Callable[[Callable[[float], Running]], Callable[[float], Running]]:
    """Put a scene on the list.

    Args:
        late: bound after 100 steps, of a scene that forgets or keeps small differences.
        bounds: after 1 and 10 steps.
        nudge: see `Golden`.
        **loose: of a chaotic scene: bounds of what its `physics` says, instead of `late`.
    """

    def put(make: Callable[[float], Running]) -> Callable[[float], Running]:
        name = make.__name__
        GOLDENS[name] = Golden(name, make, (*bounds, late), nudge, loose)
        return make

    return put


def wave(n: int, size: float = 1.0, phase: float = 0.0) -> np.ndarray:
    """Numbers without any symmetry, shape (n,); the same with every version of everything."""
    return np.array([size * math.sin(1.7 * k + 0.3 + phase) for k in range(n)])


def shaken(state: np.ndarray) -> Callable[[float], None]:
    rng = np.random.default_rng(1)

    def shake(part: float) -> None:
        state[...] *= 1.0 + part * rng.uniform(-1, 1, state.shape)

    return shake


def running(world: World, h: float, physics: Callable[[], Arrays] | None = None) -> Running:
    """A world that takes steps of h, and all forces of it."""

    def shake(part: float) -> None:
        shaken(world.arrays.state)(part)

    return Running(lambda n: world.step(h, steps=n), lambda: reading(world), physics, shake)


def reading(world: World) -> Arrays:
    """States, forces and counts of a world."""
    members, ties = world.members, world.ties
    return {
        "q": np.concatenate([m.q for m in members]),
        "v": np.concatenate([m.v for m in members]),
        "motor force": np.concatenate([m.motor_forces() for m in members]),
        "limit force": np.concatenate([m.limit_forces() for m in members]),
        "contact force": np.concatenate([m.contact_forces().ravel() for m in members]),
        "joint force": np.concatenate([m.joint_forces().ravel() for m in members]),
        "tie force": np.concatenate([np.zeros(0), *(tie.force for tie in ties)]),
        "energy": np.array([world.energy().total]),
        "contacts": np.array(len(world.contacts())),
    }
