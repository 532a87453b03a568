"""The cost model of this machine, fitted to whole runs of the segment kernels at width 1."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hitogata.dynamics.assembly.costs import CostModel
from hitogata.dynamics.assembly.segment_runner import SegmentRunner
from hitogata.dynamics.layout import GRAVITY
from hitogata.lanes import X1
from hitogata.library import chain

SEGMENTS = 8
"""Of the cut chains."""


def measure_costs(*, message: float | None = None, repeats: int = 400) -> CostModel:
    """Measure this machine; takes about a second once compiled.

    Chains of 96 and 192 hinges, whole and cut into 8 segments: the slope tells what a body costs, closed and open, the
    rest what a merge costs.  How a body's time divides into placing, joining and the way back is that of the
    constant model.

    Args:
        message: cost of a message [ns]; None: as in the constant model.
        repeats: runs of each, of which the fastest counts.
    """
    known = CostModel()
    whole = known.place + known.link + known.back
    times = {(n, cut): _time(n, cut, repeats) for n in (96, 192) for cut in (1, SEGMENTS)}
    body = (times[192, 1] - times[96, 1]) / 96
    opened = (times[192, SEGMENTS] - times[96, SEGMENTS]) / 96
    place, link = body * known.place / whole, body * known.link / whole
    rest = times[96, SEGMENTS] - 96 * opened - (times[96, 1] - 96 * body)
    merge = max(rest, 0.0) / (SEGMENTS - 1)
    both = known.merge + known.back_merge
    return replace(
        known, place=place, link=link, back=body * known.back / whole,
        open_link=max(link, opened - body - place + link), merge=merge * known.merge / both,
        open_merge=merge * known.open_merge / both, back_merge=merge * known.back_merge / both,
        message=known.message if message is None else message,
    )  # fmt: skip


def _time(bodies: int, segments: int, repeats: int) -> float:
    """Of one run [ns]."""
    figure = chain(bodies)
    runner = SegmentRunner(figure, X1, segments)
    runner.threads = 1  # cut for many, run by one
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, bodies)) * 0.3
    none, out = np.zeros(0), np.empty(bodies)
    return _least(lambda: runner.run(q, v, tau, none, GRAVITY, out), repeats)


def _least(run: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter_ns()
        run()
        best = min(best, time.perf_counter_ns() - start)
    return best
