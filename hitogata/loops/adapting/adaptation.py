"""Motions made possible: targets for springs in the joints, and feedback, with which a figure follows in contact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State, Trajectory
from hitogata.loops.adapting.controller import Guide
from hitogata.loops.adapting.cost import AdaptWeights, Balance, Likeness
from hitogata.loops.adapting.ddp import by_steadiness, draw_pushes, refine
from hitogata.loops.adapting.plan import Path, Task, first_path
from hitogata.loops.adapting.sampling import search
from hitogata.loops.adapting.strength import DAMPING_TIME, HUMAN_STIFFNESS, HUMAN_TORQUE, by_joint, spread_out
from hitogata.loops.adapting.validation import NONE, Rehearsals, rehearse
from hitogata.loops.arguments import positive
from hitogata.loops.contacts import ContactStage
from hitogata.loops.contacts.trials import Trials
from hitogata.loops.reference import Reference, reference_of
from hitogata.loops.servo import Servo, servo

HUMAN_FEET = ("foot_left", "foot_right")
"""Links on which the built-in humans stand."""

Progress = Callable[[str, int, int, float], object]


@dataclass(frozen=True)
class AdaptSettings:
    """Numbers of the search.

    Attributes:
        window: time between changes of the offsets, and of feedback [s].
        rounds: searches, each about what the last one found.
        samples: runs of each window in a search.
        keep: of these, how many go on.
        spread: standard deviation of offsets in the first search [rad].
        narrowing: of the spread from search to search.
        refinements: rounds of refining, which find feedback; 0: none.
        fit_samples: runs of each window in these.
        fit_spread: standard deviation of their offsets [rad].
        kick: standard deviation of the speeds by which the root is pushed there [m/s, rad/s].
        pushes: runs by which laws of feedback are compared; twice as many others by which the last choice is made.
        most: change of an offset by feedback [rad].
        rehearsals: runs by which a motion is judged, see `validation`.
        stray: a root farther from the motion than this fails [m].
        aloft: a figure that is off the ground for a greater share of the steps than this fails.
        attempts: searches, at the most, until rehearsals do not fail.
        weights: of the cost.
    """

    window: float = 0.1
    rounds: int = 8
    samples: int = 600
    keep: int = 80
    spread: float = 0.12
    narrowing: float = 0.8
    refinements: int = 3
    fit_samples: int = 400
    fit_spread: float = 0.03
    kick: float = 0.1
    pushes: int = 16
    most: float = 0.25
    rehearsals: int = 4
    stray: float = 0.25
    aloft: float = 0.05
    attempts: int = 4
    weights: AdaptWeights = field(default_factory=AdaptWeights)

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "weights":
                if not isinstance(value, AdaptWeights):
                    raise ArgumentError(f"weights: expected AdaptWeights, got {value!r}")
            elif positive(f.name, value) == 0.0 and f.name not in ("refinements", "kick"):
                raise ArgumentError(f"{f.name}: must be above zero")
            elif f.type is int and value != int(value):
                raise ArgumentError(f"{f.name}: must be a whole number, got {value!r}")


@dataclass(frozen=True, eq=False)
class Adapted:
    """A motion that a figure can follow by its own torques, and how.

    Attributes:
        reference: the motion that was asked for, at even times.
        targets: of the springs: the motion, with offsets.
        trajectory: where the figure comes to, at the ends of windows.
        costs: of each window, shape (nwindows,); the most is `plan.LOST`.
        pushed: mean cost of a window under each of the pushes by which the last choice was made, the first of them
            none; empty without feedback.
        led: motions that have offsets, shape (nled,).
        path: offsets at the ends of windows, states at their beginnings, and feedback.
        springs: in the joints.
        limit: largest torques [N m], shape (nv,).
        feet: links that stand.
        window: time between changes of the offsets [s].
        most: change of an offset by feedback [rad].
        rehearsals: what came of it when it was tried; where bounds of the settings are passed, it may fall.
    """

    reference: Reference
    targets: Trajectory
    trajectory: Trajectory
    costs: Array
    pushed: Array
    led: Array
    path: Path
    springs: Servo
    limit: Array
    feet: tuple[str, ...]
    window: float
    most: float
    rehearsals: Rehearsals = NONE

    def guide(self, stage: ContactStage, *, h: float | None = None, feedback: bool = True) -> Guide:
        """The figure at the beginning of the motion, ready to follow it.

        Args:
            stage: a figure and its floor; the figure may differ a little from the one that was adapted to.
            h: time step [s]; None: that of the search.
            feedback: whether targets give way to pushes.
        """
        return Guide(self, stage, h=h, feedback=feedback)


def adapt(
    stage: ContactStage,
    motion: Trajectory,
    h: float = 1 / 480,
    *,
    feet: Sequence[str] = HUMAN_FEET,
    joints: Sequence[str] | None = None,
    stiffness: Any = None,
    damping: Any = None,
    torque: Any = None,
    settings: AdaptSettings | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Adapted:
    """Find targets with which a figure follows a motion in contact, by springs in its joints and nothing else.

    Sampled control (`sampling`), then feedback (`ddp`), then rehearsals (`validation`); if they fail, all of it
    again.  The same arguments give the same result; `Adapted.rehearsals` says how good it is.

    Args:
        stage: the figure, with a free root, and what it stands on.
        motion: the motion; its feet should stand where they stand (`hitogata.motion.level_feet`, `clean_feet`).
        h: time step [s].
        feet: links that stand.
        joints: that may have other targets than the motion; None: those between feet and root, and all others on the
            root.
        stiffness: of the springs [N m/rad], for all joints, or from joints or first words of their names to theirs;
            None: a person's (`strength`).
        damping: likewise [N m s/rad]; None: 0.1 s times the stiffness.
        torque: largest torques likewise [N m]; None: a person's.
        settings: of the search.
        seed: of the samples.
        threads: that share the work; None: one per core.  The result does not depend on it.
        progress: called with what is done ("search", "refine" or "rehearse"), rounds done, of how many, and the mean
            cost of a window: the least that searches found, or that of this refining under pushes; after rehearsals,
            how far the root strays at the most [m].
    """
    s, figure = settings or AdaptSettings(), stage.figure
    if not figure.links[0].joint.floating:
        raise ArgumentError(f"figure {figure.name!r}: only a figure with a free root can follow by itself")
    steps = round(s.window / positive("h", h)) if h else 0
    if steps < 1 or abs(steps * h - s.window) > 1e-6 * s.window:
        raise ArgumentError(f"h: a window of {s.window:g} s must be a whole number of steps, got {h!r}")
    reference = reference_of(figure, motion, h, feet)
    windows = (len(reference) - 1) // steps
    if windows < 1:
        raise ArgumentError(f"motion: it is shorter than a window of {s.window:g} s")
    springs, limit = _springs(figure, stiffness, damping, torque, h)
    balance = Balance(figure, feet)
    likeness = Likeness(balance, reference, steps * np.arange(1, windows + 1), s.weights)
    led = _led(figure, feet, joints)
    start = State(reference.q[0], reference.v[0])
    task = Task(Trials(stage, springs, limit, threads=threads), reference, likeness, steps, led, start)
    tell, rng, tried = progress or (lambda *_: None), np.random.default_rng(seed), list[Adapted]()
    law = (springs, limit, tuple(feet), s.window, s.most)
    for k in range(int(s.attempts)):
        for path, pushed in _solve(task, s, rng, tell):
            made = _made(task, path, motion.time[0], pushed, law)
            tried.append(replace(made, rehearsals=rehearse(made, stage, int(s.rehearsals), rng)))
            if tried[-1].rehearsals.passed(s.stray, s.aloft):
                break
        best = min(tried, key=lambda adapted: adapted.rehearsals.worst)
        tell("rehearse", k + 1, int(s.attempts), best.rehearsals.worst[0])
        if tried[-1].rehearsals.passed(s.stray, s.aloft):
            return tried[-1]
    return best


def _made(task: Task, path: Path, begin: float, pushed: Array, law: tuple[Any, ...]) -> Adapted:
    """A motion to follow, from a run that exists."""
    figure, reference, h = task.trials.figure, task.reference, task.reference.h
    time: Array = begin + h * np.arange(task.steps * task.windows + 1)
    q, v = np.split(path.rows[:, : figure.nq + figure.nv], [figure.nq], axis=1)
    ways = Trajectory(time[:: task.steps], q, v, figure_name=figure.name)
    targets = Guide.targets_of(figure, reference, path.offsets, task.led, task.steps)
    aims = Trajectory(time, *targets, figure_name=figure.name)
    return Adapted(reference, aims, ways, path.costs, pushed, task.led, path, *law)


def _solve(task: Task, s: AdaptSettings, rng: np.random.Generator, progress: Progress) -> list[tuple[Path, Array]]:
    """Runs with their feedback, and mean costs of a window under each push; the steadiest first."""
    offsets, least = np.zeros((task.windows, len(task.led))), np.inf
    for k in range(int(s.rounds)):
        found, cost = search(task, offsets, s.spread * s.narrowing**k, int(s.samples), int(s.keep), rng)
        if cost < least:
            offsets, least = found, cost
        progress("search", k + 1, int(s.rounds), least / task.windows)
    path, paths = first_path(task, offsets), []
    pushes, others = (draw_pushes(int(n * s.pushes), task.windows, s.kick, rng) for n in (1, 2))
    for k in range(int(s.refinements)):
        path, found = refine(task, path, int(s.fit_samples), s.fit_spread, s.kick, pushes, s.most, rng)
        paths.append(path)
        progress("refine", k + 1, int(s.refinements), float(found.mean()))
    return by_steadiness(task, paths, others, s.most) if paths else [(path, np.zeros(0))]


def _springs(figure: Figure, stiffness: Any, damping: Any, torque: Any, h: float) -> tuple[Servo, Array]:
    K = by_joint(figure, "stiffness", stiffness, HUMAN_STIFFNESS)
    soft = {joint: DAMPING_TIME * value for joint, value in K.items()}
    D = soft if damping is None else by_joint(figure, "damping", damping, {})
    return servo(figure, K, D, h), spread_out(figure, by_joint(figure, "torque", torque, HUMAN_TORQUE))


def _led(figure: Figure, feet: Sequence[str], joints: Sequence[str] | None) -> Array:
    """Motions of joints that may be led elsewhere."""
    if joints is None:
        parents = {link.name: link.parent for link in figure.links}
        root = figure.links[0].name
        names = {name for name, parent in parents.items() if parent == root}
        for foot in feet:
            name: str | None = figure.links[figure.link_index(foot)].name
            while name is not None and name != root:
                names.add(name)
                name = parents[name]
        joints = [link.joint.name for link in figure.links if link.name in names]
    every = np.arange(figure.nv)
    found = [every[figure.v_slice(joint)] for joint in joints if figure.joint_index(joint) > 0]
    if not found:
        raise ArgumentError("joints: none is named besides the root's")
    return np.concatenate(found)
