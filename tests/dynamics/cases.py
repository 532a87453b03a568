"""Figures, states and the public functions of the room, for tests that ask the same of all of them."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata import dynamics
from hitogata.dynamics import Integrator
from hitogata.figure import Figure, JointKind, State
from hitogata.library import human28
from tests.peers.builders import random_figure

ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


def figures() -> list[Figure]:
    """human28, and a tree of all joint kinds with armature and damping on every kind of root."""
    return [human28(), *(random_figure(np.random.default_rng(seed), 24, root=root) for seed, root in enumerate(ROOTS))]


def named(figure: Figure) -> str:
    """For pytest's ids."""
    return f"{figure.name}-{figure.links[0].joint.kind.value}"


def arguments(figure: Figure, count: int | None, *, seed: int = 0, dtype: Any = np.float64) -> dict[str, np.ndarray]:
    """Every array a function may take, by its name: for one state, or for a batch of `count`."""
    rng = np.random.default_rng(seed)
    n = 1 if count is None else count
    rates = {name: rng.normal(size=(n, figure.nv)) for name in ("v", "vdot", "tau", "change")}
    places = {
        name: np.reshape([figure.random(rng, spread=0.7) for _ in range(n)], (n, figure.nq))
        for name in ("q", "start", "end")
    }
    given = {**places, **rates, "wrenches": rng.normal(size=(n, figure.nlinks, 6))}
    return {name: (a[0] if count is None else a).astype(dtype) for name, a in given.items()}


@dataclass(frozen=True)
class Function:
    """A public function in one of its uses.

    Attributes:
        name: of the function.
        takes: its arguments, names of `arguments`.
        run: figure, arguments by name, options -> tuple of arrays, with the batch (if any) as their first axis.
    """

    name: str
    takes: tuple[str, ...]
    run: Callable[..., tuple[np.ndarray, ...]]

    def __call__(self, figure: Figure, given: dict[str, Any], **options: Any) -> tuple[np.ndarray, ...]:
        return self.run(figure, {name: given[name] for name in self.takes}, **options)

    def __str__(self) -> str:
        return f"{self.name}({','.join(self.takes)})"

    def has(self, option: str) -> bool:
        """Whether it takes an option (gravity, out, ...)."""
        return option in inspect.signature(getattr(dynamics, self.name)).parameters


def _plain(fn: Callable[..., Any], *takes: str, frame: bool = False) -> Function:
    """fn(figure, *arrays, **options), with wrenches as an option and the last link as the frame."""

    def run(figure, given, **options):
        arrays = [given[name] for name in takes if name != "wrenches"]
        if frame:
            arrays.append(figure.link_names[-1])
        if "wrenches" in takes:
            options["wrenches"] = given["wrenches"]
        result = fn(figure, *arrays, **options)
        if fn is dynamics.forward_kinematics:
            return result.position, result.rotation, result.quat
        return result if isinstance(result, tuple) else (result,)

    return Function(fn.__name__, takes, run)


def _step(integrator: Integrator, *takes: str) -> Function:
    def run(figure, given, *, h=1e-3, **options):
        state = State(given["q"], given["v"])
        extra = {name: given[name] for name in takes if name in ("tau", "wrenches")}
        after = dynamics.step(figure, state, h, steps=3, integrator=integrator, **extra, **options)
        return after.q, after.v

    return Function("step", takes, run)


FUNCTIONS = [
    _plain(dynamics.forward_kinematics, "q"),
    _plain(dynamics.link_velocities, "q", "v"),
    _plain(dynamics.link_accelerations, "q", "v", "vdot"),
    _plain(dynamics.frame_position, "q", frame=True),
    _plain(dynamics.jacobian, "q", frame=True),
    _plain(dynamics.jacobian_derivative, "q", "v", frame=True),
    _plain(dynamics.mass_matrix, "q"),
    _plain(dynamics.motion_columns, "q"),
    _plain(dynamics.bias, "q", "v"),
    _plain(dynamics.inverse_dynamics, "q", "v", "vdot"),
    _plain(dynamics.inverse_dynamics, "q", "v", "vdot", "wrenches"),
    _plain(dynamics.joint_reactions, "q", "v", "vdot"),
    _plain(dynamics.joint_reactions, "q", "v", "vdot", "wrenches"),
    _plain(dynamics.forward_dynamics, "q", "v"),
    _plain(dynamics.forward_dynamics, "q", "v", "tau"),
    _plain(dynamics.forward_dynamics, "q", "v", "tau", "wrenches"),
    _plain(dynamics.centre_of_mass, "q"),
    _plain(dynamics.momentum, "q", "v"),
    _plain(dynamics.energy, "q", "v"),
    _plain(dynamics.integrate, "q", "change"),
    _plain(dynamics.difference, "start", "end"),
    _step(Integrator.SEMI_IMPLICIT_EULER, "q", "v"),
    _step(Integrator.RUNGE_KUTTA_4, "q", "v", "tau", "wrenches"),
]
"""Every public function of the room (a test sees to it that none is missing)."""
