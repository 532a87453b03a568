"""Forward dynamics by segments, from Python: arrays kept with the figure, and threads that stay awake between calls."""

import os
import threading
import weakref
from typing import Any

import numpy as np

from hitogata.dynamics.assembly.segment_plan import SegmentArrays
from hitogata.dynamics.assembly.segment_sweeps import AWAKE, CONTROL, STOP, help_out, segments_one
from hitogata.dynamics.model import model_of
from hitogata.figure import Figure
from hitogata.lanes import X4, X8, Width, aligned_zeros
from hitogata.lanes.cpu import has_wide_registers

PATIENCE = 5_000_000
"""Ticks of the processor's clock (about 2 ms) for which a helper waits for the next call before it sleeps."""

WIDE = 160
"""Bodies from which eight lanes win back their merges: 4 more for each thread, 300 ns each, for 7 ns a body."""

Array = np.ndarray[Any, np.dtype[Any]]


class SegmentRunner:
    """One figure cut for so many lanes and threads.  Calls from different threads wait for each other."""

    def __init__(self, figure: Figure, width: Width, threads: int) -> None:
        self.width, self.threads = width, threads
        self._data = SegmentArrays(figure, width.n, threads)
        self.control = aligned_zeros(CONTROL, np.int64)
        self._lock = threading.Lock()
        self._bell = threading.Semaphore(0)
        self._pid = 0

    @property
    def cut(self) -> Any:
        """How the figure was cut."""
        return self._data.cut

    @property
    def ints(self) -> Array:
        """The cut as integers, see `segment_layout`."""
        result: Array = self._data.arrays[0]
        return result

    def run(self, q: Any, v: Any, tau: Any, wrenches: Any, gravity: Any, out: Array) -> int:
        """Accelerations of one state into `out`; the status of an entry."""
        with self._lock:
            self._data.floats[:3] = gravity
            missing = self.threads - 1 - int(self.control[AWAKE])
            if missing > 0:
                self._wake(missing)
            return int(segments_one(self._data.table, self.control, q, v, tau, wrenches, out, self.width))

    def _wake(self, count: int) -> None:
        """Ring for helpers; this call does not wait for them."""
        if self._pid != os.getpid():  # first call, or a forked child, which has none of the threads
            self._pid = os.getpid()
            self.control[AWAKE] = 0
            self._bell = threading.Semaphore(0)
            for _ in range(self.threads - 1):
                args = (self._data.arrays, self._data.table, self.control, self._bell, self.width)
                threading.Thread(target=_helper, args=args, daemon=True, name="hitogata-assembly").start()
            weakref.finalize(self, _dismiss, self.control, self._bell, self.threads)
        for _ in range(count):
            self._bell.release()


def _helper(arrays: Any, table: Array, control: Array, bell: threading.Semaphore, width: Width) -> None:
    """A helping thread; `arrays` keeps what the table points to alive."""
    while control[STOP] == 0:
        bell.acquire()
        while bell.acquire(blocking=False):
            pass
        help_out(table, control, PATIENCE, width)


def _dismiss(control: Array, bell: threading.Semaphore, threads: int) -> None:
    control[STOP] = 1
    for _ in range(threads):
        bell.release()


def segment_width(bodies: int, threads: int = 1) -> Width:
    """Lanes of one register of this machine, or four where the figure is too short for eight."""
    return X8 if has_wide_registers() and bodies >= WIDE * threads**2 else X4  # eight in two registers each are slower


def runner_for(figure: Figure, threads: int = 1, width: Width | None = None) -> SegmentRunner:
    """The runner of a figure, kept with it."""
    kept: dict[Any, SegmentRunner] = figure.compiled.setdefault("segments", {})
    key = (None if width is None else width.n, threads)
    found = kept.get(key)
    if found is None:
        chosen = segment_width(model_of(figure).bodies, threads) if width is None else width
        found = kept.get((chosen.n, threads)) or SegmentRunner(figure, chosen, threads)
        kept[key] = kept[chosen.n, threads] = found
    return found
