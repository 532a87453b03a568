"""`hitogata schedule`: in which order the joints of a figure are joined, and who does what when."""

import argparse
import re
from dataclasses import replace
from typing import Any

from hitogata.cli.motion_files import FIGURES, figure_named
from hitogata.errors import ArgumentError

COLUMNS = 72
"""Characters of a timeline."""


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = f"{FIGURES}, or chainN: N hinges in a row.  Times are simulated, with constant costs or --measure."
    parser.add_argument("figure", metavar="FIGURE", help="whose joints")
    parser.add_argument("--processors", type=int, default=1, metavar="P", help="to plan for; 0 is refused (default: 1)")
    parser.add_argument("--unlimited", action="store_true", help="plan for as many processors as there is use for")
    parser.add_argument("--message", type=float, metavar="NS", help="cost of a message between processors [ns]")
    parser.add_argument(
        "--hold", action="append", default=[], metavar="LINK[:LINK]", help="weld a link to the world or to another"
    )
    parser.add_argument("--measure", action="store_true", help="measure what joining costs on this machine")
    parser.add_argument("-o", "--output", metavar="PICTURE", help="draw the tree and the timeline: .png, .svg or .pdf")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the schedule, and draw it."""
    from hitogata.dynamics.assembly import CostModel, best_timeline, measure_costs, plan

    figure = _figure(args.figure)
    costs = measure_costs() if args.measure else CostModel()
    if args.message is not None:
        costs = replace(costs, message=args.message)
    processors = None if args.unlimited else args.processors
    schedule = plan(figure, processors=processors, ends=held_ends(figure, args.hold), costs=costs)
    timeline = best_timeline(schedule, processors, costs)
    serial = best_timeline(plan(figure, ends=schedule.ends, costs=costs), 1, costs)
    depth, loops = schedule.depth, len(schedule.ends)
    print(f"{figure.name}: {len(schedule)} joints, {depth} on the longest way, {loops} rows of loops")
    print(
        f"planned for {processors or 'any number of'} processors, {timeline.processors} used; "
        f"simulated {timeline.time:.0f} ns, on one {serial.time:.0f} ns: {serial.time / timeline.time:.2f} times as "
        f"fast; {timeline.messages} messages"
    )
    if timeline.processors == 1 and (processors is None or processors > 1):
        print(f"at {costs.message:g} ns a message, sharing this figure out does not pay (see --message)")
    print("\n".join(["", *tree_lines(schedule), "", *gantt_lines(timeline)]))
    if args.output:
        from hitogata.pictures.schedules import write_schedule

        write_schedule(args.output, timeline, title=f"{figure.name}, {processors or 'any number of'} processors")
        print(f"\n{args.output}: drawn")
    return 0


def _figure(name: str) -> Any:
    from hitogata.library import chain

    match = re.fullmatch(r"chain(\d+)", name)
    return chain(int(match[1])) if match else figure_named(name, None)


def held_ends(figure: Any, held: list[str]) -> list[tuple[int, int]]:
    """Bodies of the rows of welds."""
    from hitogata.dynamics.model import model_of
    from hitogata.loops.link_set import tree_of_screws

    model, rows = model_of(tree_of_screws(figure)), []
    for text in held:
        a, _, b = text.partition(":")
        ends = (model.body_of_link[figure.frame(a)[0]], model.body_of_link[figure.frame(b)[0]] if b else -1)
        if ends[0] == ends[1]:
            raise ArgumentError(f"--hold {text}: a link cannot be held to itself")
        rows += [ends] * 6
    return rows


def tree_lines(schedule: Any) -> list[str]:
    """The tree as text, the last joint first; in chains of one branch, several joints in a line."""
    nodes, lines, names = schedule.nodes, [], schedule.tree.names
    stack = [(len(schedule) - 1, "", "")]
    while stack:
        node, lead, below = stack.pop()
        run = [node]
        while (int(nodes.upper[run[-1]]) < 0) != (int(nodes.lower[run[-1]]) < 0) and len(run) < 6:
            run.append(max(int(nodes.upper[run[-1]]), int(nodes.lower[run[-1]])))
        shown = [names[schedule.joints[k]] + (" (closes a loop)" if nodes.closed[k] else "") for k in run]
        lines.append(lead + " - ".join(shown))
        last = run[-1]
        branches = [b for b in (int(nodes.upper[last]), int(nodes.lower[last])) if b >= 0]
        for k, branch in enumerate(reversed(branches)):
            end = k == 0
            stack.append((branch, below + ("└─ " if end else "├─ "), below + ("   " if end else "│  ")))
    return lines


def gantt_lines(timeline: Any) -> list[str]:
    """Busy times of each processor as text: # assembly, = disassembly."""
    lines, inward = [], float(timeline.end.max())
    scale = COLUMNS / timeline.time
    for k in range(min(timeline.processors, 32)):
        line = [" "] * COLUMNS
        own = timeline.processor == k
        for sign, starts, ends, shift in (
            ("#", timeline.start, timeline.end, timeline.placing),
            ("=", timeline.back_start, timeline.back_end, timeline.placing + inward),
        ):
            for start, end in zip(starts[own], ends[own], strict=True):
                first = int((start + shift) * scale)
                for column in range(first, max(first + 1, round((end + shift) * scale))):
                    if column < COLUMNS:
                        line[column] = sign
        lines.append(f"{k:>3} |{''.join(line)}|")
    lines.append(f"     placing, # assembly, = disassembly; {timeline.time:.0f} ns")
    return lines
