"""Cells of the table, and what they add up to."""

from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.scenes.measure import Result
from benchmarks.scenes.scene import Scene

SAME = 1.05
"""Errors above the limit of a scene count as equal up to this ratio."""


@dataclass(frozen=True)
class Cell:
    """One scene at one step.

    Attributes:
        scene: its name.
        h: step [s].
        unit: of errors.
        limit: errors up to this are equally good.
        ours: hitogata.
        mujoco: all settings tried, the default first.
        states: contact by states, if asked for.
        before: another hitogata, if asked for.
        skipped: settings of MuJoCo for which there was no time.
    """

    scene: str
    h: float
    unit: str
    limit: float
    ours: Result | None
    mujoco: tuple[Result, ...]
    states: Result | None = None
    before: Result | None = None
    skipped: int = 0

    @property
    def best(self) -> Result:
        """MuJoCo's best: the fastest good one; if there is none, that with the least error."""
        return best_of(self.mujoco, self.limit)

    def as_good(self, result: Result) -> bool:
        """Is a result no worse than MuJoCo's best?"""
        return no_worse(result, self.best, self.limit)

    def rival(self, result: Result) -> Result | None:
        """The fastest setting of MuJoCo that is no worse than a result; None: there is none."""
        equal = [other for other in self.mujoco if no_worse(other, result, self.limit)]
        return min(equal, key=lambda r: r.micros, default=None)

    def as_json(self) -> dict[str, Any]:
        """Plain numbers."""
        plain = {name: getattr(self, name) for name in ("scene", "h", "unit", "limit", "skipped")}
        for name in ("ours", "states", "before"):
            result = getattr(self, name)
            plain[name] = None if result is None else result.as_json()
        return plain | {"mujoco": [r.as_json() for r in self.mujoco], "best": self.best.as_json()}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Cell":
        """Back again."""
        results = {n: plain[n] and Result.from_json(plain[n]) for n in ("ours", "states", "before")}
        rest = {n: plain[n] for n in ("scene", "h", "unit", "limit", "skipped")}
        return cls(**rest, **results, mujoco=tuple(map(Result.from_json, plain["mujoco"])))

    def judged(self, scene: Scene) -> "Cell":
        """The same numbers by the limits that the scene has now."""
        again = lambda r: r and replace(r, **dict(zip(("error", "note"), scene.within(r.error, r.note), strict=True)))
        results = {n: again(getattr(self, n)) for n in ("ours", "states", "before")}
        return replace(self, **results, mujoco=tuple(map(again, self.mujoco)), limit=scene.limit, unit=scene.unit)


def no_worse(a: Result, b: Result, limit: float) -> bool:
    """Is a as good as b?  Errors below the limit are equal, and so are two failures."""
    return a.error <= limit or a.error <= SAME * b.error


def best_of(results: tuple[Result, ...], limit: float) -> Result:
    """The fastest good result; if there is none, that with the least error, the faster of equals."""
    good = [r for r in results if r.error <= limit]
    if good:
        return min(good, key=lambda r: r.micros)
    least = min(r.error for r in results)
    return min((r for r in results if r.error <= least * SAME), key=lambda r: r.micros)


@dataclass
class Count:
    """How one column does against MuJoCo.

    Attributes:
        cells: how many there are.
        good: at least as good as MuJoCo's best.
        faster: a step costs less than one of MuJoCo's best setting.
        faster_equal: a step costs less than with any setting of MuJoCo that is as good.
        worse: names of cells that are not as good.
        slower: names of cells that are not faster than MuJoCo's best.
    """

    cells: int = 0
    good: int = 0
    faster: int = 0
    faster_equal: int = 0
    worse: list[str] = field(default_factory=list)
    slower: list[str] = field(default_factory=list)


def counted(cells: list[Cell], column: str = "ours") -> Count:
    """Add up a column."""
    count = Count()
    for cell in cells:
        result = getattr(cell, column)
        if result is None:
            continue
        count.cells += 1
        name = f"{cell.scene} at {step_name(cell.h)}"
        if cell.as_good(result):
            count.good += 1
        else:
            count.worse.append(f"{name}: {told(result, cell)} against {told(cell.best, cell)} ({cell.best.settings})")
        rival = cell.rival(result)
        count.faster_equal += rival is None or result.micros <= rival.micros
        if result.micros <= cell.best.micros:
            count.faster += 1
        else:
            count.slower.append(f"{name}: {result.micros:.1f} against {cell.best.micros:.1f} µs ({cell.best.settings})")
    return count


def step_name(h: float) -> str:
    """1/60 and the like."""
    return f"1/{round(1 / h)}"


def told(result: Result, cell: Cell | Scene) -> str:
    """Error and unit, or the word for a failure."""
    if result.error == float("inf"):
        return result.note
    return f"{result.error:.3g} {cell.unit}"
