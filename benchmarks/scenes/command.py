"""The command line."""

import argparse
import fnmatch
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scenes.catalogue import STEPS, catalogue
from benchmarks.scenes.cells import Cell, step_name, told
from benchmarks.scenes.measure import Result, measured
from benchmarks.scenes.mujoco_run import MujocoRun, candidates
from benchmarks.scenes.report import read_json, show, write_json, write_markdown
from benchmarks.scenes.scene import Scene
from benchmarks.scenes.worker import Other
from benchmarks.scenes.worlds import WorldRun

QUICK_SETTINGS = 3


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Options."""
    parser = argparse.ArgumentParser("python -m benchmarks scenes", description="Scenes beside MuJoCo")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="NAME", help="scenes; * and ? match")
    parser.add_argument("--h", nargs="+", default=None, metavar="1/60", help="steps [s]")
    parser.add_argument("--before", type=Path, help="checkout of another version of hitogata")
    parser.add_argument("--states", action="store_true", help="contact by states, too")
    parser.add_argument("--without-ours", action="store_true", help="not hitogata of this tree")
    parser.add_argument("--quick", action="store_true", help="1/60 s alone and a few settings of MuJoCo")
    parser.add_argument("--budget", type=float, default=60.0, help="processor time for MuJoCo's settings, per cell [s]")
    parser.add_argument(
        "--mujoco", type=Path, help="JSON of an earlier run; settings of MuJoCo in it are not run again"
    )
    parser.add_argument("--show", type=Path, help="JSON of an earlier run, to be shown; nothing is run")
    parser.add_argument("--json", type=Path, default=Path("out/scenes.json"), help="where numbers go")
    parser.add_argument("--page", type=Path, help="where a Markdown page goes")
    return parser.parse_args(arguments)


def chosen(patterns: Sequence[str]) -> list[Scene]:
    """Scenes by name."""
    scenes = [s for s in catalogue().values() if any(fnmatch.fnmatchcase(s.name, p) for p in patterns)]
    if not scenes:
        raise SystemExit(f"--only: no scene is called {' or '.join(patterns)}; there are {', '.join(catalogue())}")
    return scenes


def steps_of(given: Sequence[str] | None, quick: bool) -> list[float]:
    """Steps [s] from 1/60 or 0.01."""
    if given is None:
        return [1 / 60] if quick else list(STEPS)
    return [float(a) / float(b or 1) for a, _, b in (text.partition("/") for text in given)]


def with_mujoco(
    scene: Scene, h: float, budget: float, quick: bool, longer: Sequence[Result] = (), known: Sequence[Result] = ()
) -> tuple[tuple[Result, ...], int]:
    """All settings for which there is time, the default first, and how many were left out.

    Args:
        scene: what to run.
        h: step [s].
        budget: processor time for all settings together [s]; three of them are tried in any case.
        quick: only a few settings.
        longer: results at a longer step; those that did best there are tried first.
        known: results of an earlier run, which are not tried again.
    """
    ranks = {r.settings: k for k, r in enumerate(sorted(longer, key=lambda r: (max(r.error, scene.limit), r.micros)))}
    first, *others = list(candidates(scene, h))[: QUICK_SETTINGS if quick else None]
    every = [first, *sorted(others, key=lambda s: ranks.get(s.name, len(ranks)))]
    results, end = [r for r in known if r.settings in {s.name for s in every}], time.process_time() + budget
    left, least = [s for s in every if s.name not in {r.settings for r in known}], len(results) + 3
    for settings in left:
        if len(results) < least or time.process_time() < end:
            results.append(measured(lambda s=settings: MujocoRun(scene, h, s), scene, h, settings.name))
    return tuple(results), len(every) - len(results)


def cells(options: argparse.Namespace) -> list[Cell]:
    """Run everything, with a line for each cell."""
    other = Other(options.before) if options.before else None
    known = {(c.scene, step_name(c.h)): c for c in read_json(options.mujoco)} if options.mujoco else {}
    scenes, steps, found = chosen(options.only), steps_of(options.h, options.quick), []
    total, begin = len(scenes) * len(steps), time.perf_counter()
    for scene in scenes:
        longer: tuple[Result, ...] = ()
        for h in sorted(steps, reverse=True):
            old = known.get((scene.name, step_name(h)))
            run = lambda by_states, scene=scene, h=h: measured(lambda: WorldRun(scene, h, by_states), scene, h)
            ours = None if options.without_ours else run(False)
            states = None
            if options.states:
                states = other.measured(scene.name, h, True) if other and options.without_ours else run(True)
            before = other.measured(scene.name, h) if other else None
            results, skipped = with_mujoco(scene, h, options.budget, options.quick, longer, old.mujoco if old else ())
            longer = results
            cell = Cell(scene.name, h, scene.unit, scene.limit, ours, results, states, before, skipped)
            found.append(cell)
            print(f"  {len(found)}/{total} {time.perf_counter() - begin:.0f} s  {line(cell)}", flush=True)
            write_json(found, options.json)
    return found


def line(cell: Cell) -> str:
    """A cell in one line."""
    named = {"before": cell.before, "hitogata": cell.ours, "by states": cell.states, "MuJoCo": cell.mujoco[0],
             f"best ({cell.best.settings})": cell.best}  # fmt: skip
    words = [f"{name} {told(r, cell)} ({r.note}) {r.micros:.1f} µs" for name, r in named.items() if r]
    return f"{cell.scene} {step_name(cell.h)}: {'; '.join(words)}"


def run(arguments: Sequence[str]) -> None:
    """Everything."""
    options = parsed(arguments)
    found = read_json(options.show) if options.show else cells(options)
    show(found)
    print(f"\nnumbers of all settings: {options.show or options.json}")
    if options.page:
        write_markdown(found, options.page)
