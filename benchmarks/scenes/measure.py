"""One run of one engine: what it did, and what a step cost."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.scenes.scene import Array, Scene, Trace

CHUNKS = 10
LEAST_TIME = 0.05
"""Runs shorter than this are repeated for their time [s]."""


class Run(Protocol):
    """An engine with a scene in it."""

    def advance(self, steps: int) -> float: ...

    def state(self) -> tuple[Array, Array]: ...

    def told(self, q: Array, v: Array) -> tuple[Array, Array]: ...


@dataclass(frozen=True)
class Result:
    """One cell.

    Attributes:
        error: in the unit of the scene; infinite: falls or diverges.
        note: a word.
        micros: processor time per step [µs]: the median over ten parts of the run, each the least of its repeats.
        settings: whose result this is.
    """

    error: float
    note: str
    micros: float
    settings: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain numbers; infinite errors are None."""
        plain = asdict(self)
        return plain | {"error": None if np.isinf(self.error) else self.error}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Result":
        """Back again."""
        return cls(**(plain | {"error": np.inf if plain["error"] is None else plain["error"]}))


def measured(make: Callable[[], Run], scene: Scene, h: float, settings: str = "") -> Result:
    """Run a scene and judge it, then again for its time if it was short."""
    total = max(1, round(scene.seconds / h))
    make().advance(1)  # compiled, if it was not
    trace, times = traced(make(), scene, h, total)
    verdict = scene.verdict(trace)
    if trace.finite and sum(times) < LEAST_TIME * 20:
        times = least_times(make, total, sum(times))
    else:
        times = times / max(1, round(scene.sample / h))
    parts = [part.mean() for part in np.array_split(times, CHUNKS) if len(part)]
    return Result(float(verdict.error), verdict.note, 1e6 * float(np.median(parts)), settings)


def traced(run: Run, scene: Scene, h: float, total: int) -> tuple[Trace, Array]:
    """Samples, and processor time between each two [s]."""
    every = max(1, round(scene.sample / h))
    samples, times, finite = [run.state()], [], True
    for _ in range(total // every):
        spent = run.advance(every)
        state = run.state()
        finite = np.isfinite(spent) and all(np.isfinite(part).all() for part in state)
        if not finite:
            break
        samples.append(state)
        times.append(spent)
    q, v = run.told(np.array([s[0] for s in samples]), np.array([s[1] for s in samples]))
    nq, nv = (np.cumsum([getattr(item.figure, n) for item in scene.items])[:-1] for n in ("nq", "nv"))
    t = h * every * np.arange(len(samples))
    return Trace(t, np.split(q, nq, axis=1), np.split(v, nv, axis=1), h, finite), np.array(times or [np.nan])


def least_times(make: Callable[[], Run], total: int, guess: float) -> Array:
    """Processor time per step [s] in each of ten parts of the run, the least over some repeats."""
    repeats = int(np.clip(LEAST_TIME / max(guess, 1e-6), 2, 40))
    parts = [len(p) for p in np.array_split(np.arange(total), CHUNKS) if len(p)]
    rows, end = [], time.perf_counter() + 1.0
    for _ in range(repeats):
        run = make()
        rows.append([run.advance(steps) / steps for steps in parts])
        if time.perf_counter() > end:
            break
    return np.array(rows).min(axis=0)
