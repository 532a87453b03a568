"""Schedules as pictures: the tree of joints (Nakamura & Yamane, figures 2, 3 and 5), and who does what when."""

from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics.assembly import Timeline
from hitogata.errors import MissingDependencyError

NAMED = 48
"""Joints up to which their names are written."""


def draw_schedule(timeline: Timeline, *, title: str = "") -> Any:
    """A matplotlib figure of a schedule's tree, and of its timeline on the processors.

    Colours are processors.  Squares join at an open body (they merge two pieces), discs put one piece on the top body
    of another; a ring marks where loops close.

    Args:
        timeline: a schedule that was simulated.
        title: text above.
    """
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise MissingDependencyError("pictures need matplotlib: pip install 'hitogata[plot]'") from None
    count = len(timeline.schedule)
    wide = min(24.0, max(9.0, 0.42 * count))
    canvas = Canvas(figsize=(wide, 10.0), dpi=110, layout="constrained")
    tree, gantt = canvas.subplots(2, 1, height_ratios=(3, 2))
    if title:
        canvas.suptitle(title)
    colours = _colours(timeline.processors)
    _draw_tree(tree, timeline, colours)
    _draw_gantt(gantt, timeline, colours)
    return canvas


def write_schedule(path: str | Path, timeline: Timeline, *, title: str = "") -> None:
    """Draw a schedule into a file (.png, .svg, .pdf)."""
    draw_schedule(timeline, title=title).savefig(path)


def _colours(count: int) -> Any:
    """A colour for each processor, neighbours apart."""
    from matplotlib import colormaps

    return colormaps["turbo"]((np.arange(count) * 0.381966 + 0.08) % 0.9 + 0.05) if count > 1 else np.array(
        [[0.27, 0.45, 0.69, 1.0]]
    )


def tree_places(timeline: Timeline) -> Any:
    """Where the nodes of a schedule's tree are drawn, shape (joints, 2): the order of tips, and the depth."""
    nodes = timeline.schedule.nodes
    upper, lower = nodes.upper.tolist(), nodes.lower.tolist()
    place = np.zeros((len(upper), 2))
    column, stack, seen = 0, [len(upper) - 1], set()
    while stack:
        node = stack[-1]
        if node not in seen:
            seen.add(node)
            for branch in (upper[node], lower[node]):
                if branch >= 0:
                    place[branch, 1] = place[node, 1] + 1
            if upper[node] >= 0:
                stack.append(upper[node])
                continue
        stack.pop()
        place[node, 0] = column
        column += 1
        if lower[node] >= 0:
            stack.append(lower[node])
    return place


def _draw_tree(axes: Any, timeline: Timeline, colours: Any) -> None:
    schedule = timeline.schedule
    nodes, place = schedule.nodes, tree_places(timeline)
    lines = [
        (place[node], place[branch])
        for node in range(len(schedule))
        for branch in (int(nodes.upper[node]), int(nodes.lower[node]))
        if branch >= 0
    ]
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(lines, colors="0.6", linewidths=1.0, zorder=1))
    for marker, some in (("o", ~nodes.soft), ("s", nodes.soft)):
        own = colours[timeline.processor[some]]
        axes.scatter(*place[some].T, c=own, marker=marker, s=60 if len(schedule) <= NAMED else 14, zorder=2)
    closes = nodes.closed > 0
    axes.scatter(*place[closes].T, facecolors="none", edgecolors="0.1", s=190, linewidths=1.6, zorder=3)
    if len(schedule) <= NAMED:
        for node, joint in enumerate(schedule.joints):
            name = schedule.tree.names[joint].replace("_", " ")
            axes.annotate(name, place[node], xytext=(6, 5), textcoords="offset points", fontsize=7, rotation=25)
    axes.set_ylim(place[:, 1].max() + 0.8, -1.0)
    axes.set_xlim(-1.0, len(schedule) + 1.5)
    axes.set_xticks([])
    axes.set_yticks(range(0, int(place[:, 1].max()) + 1, max(1, int(place[:, 1].max()) // 12)))
    axes.set_ylabel("joints from the last one")
    kind = "as many processors as are of use" if schedule.processors is None else f"{schedule.processors} processors"
    axes.set_title(
        f"{len(schedule)} joints, {schedule.depth} on the longest way, planned for {kind}; "
        f"{int(nodes.soft.sum())} merges, {int(nodes.closed.sum())} rows of loops",
        fontsize=10,
    )
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def _draw_gantt(axes: Any, timeline: Timeline, colours: Any) -> None:
    schedule, inward = timeline.schedule, float(timeline.end.max())
    axes.barh(range(timeline.processors), timeline.placing, height=0.72, color="0.93")
    for spans, shift, alpha in (
        ((timeline.start, timeline.end), timeline.placing, 1.0),
        ((timeline.back_start, timeline.back_end), timeline.placing + inward, 0.55),
    ):
        start, end = (np.asarray(x) + shift for x in spans)
        axes.barh(
            timeline.processor, end - start, left=start, height=0.72, color=colours[timeline.processor], alpha=alpha,
            edgecolor="white", linewidth=0.5,
        )  # fmt: skip
        if len(schedule) <= NAMED:
            for node, joint in enumerate(schedule.joints):
                if end[node] - start[node] > 0.05 * timeline.time:
                    name = schedule.tree.names[joint].replace("_", " ")
                    middle = (start[node] + end[node]) / 2
                    axes.text(middle, timeline.processor[node], name, ha="center", va="center", fontsize=6, rotation=90)
    for x, text in ((0.0, "placing"), (timeline.placing, "assembly"), (timeline.placing + inward, "disassembly")):
        axes.axvline(x, color="0.3", linewidth=0.8, linestyle=":")
        axes.text(x, -0.75, f" {text}", fontsize=8, va="center")
    axes.set_xlim(0.0, timeline.time * 1.01)
    axes.set_ylim(timeline.processors - 0.4, -1.1)
    if timeline.processors <= 32:
        axes.set_yticks(range(timeline.processors))
    axes.set_xlabel(f"ns (simulated; {timeline.messages} messages)")
    axes.set_ylabel("processor")
    axes.spines[["top", "right"]].set_visible(False)
