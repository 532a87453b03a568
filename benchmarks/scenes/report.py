"""Tables on the screen, JSON and a Markdown page."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scenes.catalogue import catalogue
from benchmarks.scenes.cells import Cell, Count, counted, step_name, told
from benchmarks.scenes.measure import Result
from benchmarks.timing import machine, table

COLUMNS = {"before": "before", "ours": "hitogata", "states": "by states"}


def columns_of(cells: Sequence[Cell]) -> list[str]:
    """Which of ours are in the table."""
    return [name for name in COLUMNS if any(getattr(cell, name) for cell in cells)]


def head(cells: Sequence[Cell]) -> list[str]:
    """Titles."""
    ours = [title for name in columns_of(cells) for title in (COLUMNS[name], "µs")]
    return ["scene", "h", *ours, "MuJoCo default", "µs", "MuJoCo best", "µs", "settings", "as good", "faster"]


def row(cell: Cell, columns: Sequence[str]) -> list[str]:
    """One line: errors or verdicts and µs per step."""

    def pair(result: Result | None) -> list[str]:
        return ["", ""] if result is None else [told(result, cell), f"{result.micros:.1f}"]

    cells = [text for name in columns for text in pair(getattr(cell, name))]
    last = next((r for r in (cell.ours, cell.before, cell.states) if r is not None), None)
    verdict = ["", ""]
    if last is not None:
        verdict = ["yes" if cell.as_good(last) else "NO", "yes" if last.micros <= cell.best.micros else "no"]
    best = [*pair(cell.best), cell.best.settings]
    return [cell.scene, step_name(cell.h), *cells, *pair(cell.mujoco[0]), *best, *verdict]


def summary(count: Count, title: str) -> list[str]:
    """The counts of one column in words, and every cell that falls short."""
    share = lambda n: f"{n} of {count.cells} ({100 * n / max(1, count.cells):.0f} %)"
    return [
        f"{title}: at least as good as MuJoCo's best in {share(count.good)}",
        f"{title}: a step costs less than with MuJoCo's best settings in {share(count.faster)}; "
        f"less than with any of its settings that are as good in {share(count.faster_equal)}",
        *(f"  not as good: {line}" for line in count.worse),
        *(f"  not faster: {line}" for line in count.slower),
    ]


def show(cells: Sequence[Cell]) -> None:
    """Print everything."""
    columns = columns_of(cells)
    table("Error or verdict, and µs per step", head(cells), [row(cell, columns) for cell in cells])
    print()
    for name in columns:
        print("\n".join(summary(counted(list(cells), name), COLUMNS[name])))
    print(untried(cells))


def untried(cells: Sequence[Cell]) -> str:
    """In how many cells some settings of MuJoCo had no time."""
    short = [cell for cell in cells if cell.skipped]
    return f"cells in which some of MuJoCo's settings were left out for lack of time: {len(short)} of {len(cells)}"


def write_json(cells: Sequence[Cell], path: Path) -> None:
    """All numbers, of all settings."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), "cells": [cell.as_json() for cell in cells]}, indent=1))


def read_json(path: Path) -> list[Cell]:
    """Cells of an earlier run, as far as these scenes still exist."""
    scenes, cells = catalogue(), map(Cell.from_json, json.loads(path.read_text())["cells"])
    return [cell.judged(scenes[cell.scene]) for cell in cells if cell.scene in scenes]


def write_markdown(cells: Sequence[Cell], path: Path) -> None:
    """The page for docs/notes."""
    columns = columns_of(cells)
    titles = head(cells)
    lines = [
        "# Scenes beside MuJoCo", "",
        f"Measured on {machine()}, processor time per step. `python -m benchmarks scenes` prints it; what the columns "
        "mean is in [benchmarks](../benchmarks.md#scenes-beside-mujoco).", "",
        "| " + " | ".join(titles) + " |", "|" + "---|" * len(titles),
    ]  # fmt: skip
    lines += ["| " + " | ".join(row(cell, columns)) + " |" for cell in cells]
    lines += ["", "## What it adds up to", ""]
    for name in columns:
        first, second, *others = summary(counted(list(cells), name), COLUMNS[name])
        lines += [f"- {first}", f"- {second}", *(f"  - {line.strip()}" for line in others)]
    lines.append(f"- {untried(cells)}")
    lines += ["", "## What the errors are", "", "| scene | error | equally good up to |", "|---|---|---|"]
    scenes = catalogue()
    for name in dict.fromkeys(cell.scene for cell in cells):
        scene = scenes[name]
        lines.append(f"| {name} | {scene.about} | {scene.limit:g} {scene.unit} |")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
