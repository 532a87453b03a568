"""Sharing out blocks of figures over threads: entries release the GIL, so Python threads do."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_pool: ThreadPoolExecutor | None = None
_lock = threading.Lock()


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(count: int, threads: int | None, run: Callable[[int, int], object]) -> None:
    """Run run(first, end) for contiguous even parts of range(count), one part per thread.

    The parts depend on count and threads alone, so results that do are reproducible.  The
    calling thread works too.  Returns when all parts are done; the first part (in order)
    that raised passes its exception on.

    Args:
        count: number of things to share out.
        threads: number of parts; None: one per core.
        run: called with the first and one past the last thing of a part.
    """
    parts = max(1, min(cores() if threads is None else threads, count))
    edges = [count * k // parts for k in range(parts + 1)]
    if parts == 1:
        run(0, count)
        return
    pool = _threads()
    futures: list[Future[object]] = [pool.submit(run, edges[k], edges[k + 1]) for k in range(1, parts)]
    error: BaseException | None = None
    try:
        run(edges[0], edges[1])
    except BaseException as raised:
        error = raised
    for k, future in enumerate(futures, 1):
        # A part no thread has begun is done here: so sharing inside a shared part cannot deadlock.
        try:
            if future.cancel():
                run(edges[k], edges[k + 1])
            else:
                future.result()
        except BaseException as raised:
            error = error or raised
    if error is not None:
        raise error


def _threads() -> ThreadPoolExecutor:
    """The pool.  It starts threads only as they are needed; parts beyond its size fall to the caller."""
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(64, 4 * cores()), thread_name_prefix="hitogata")
        return _pool


def _forget() -> None:
    """A forked child has the pool's object, but none of its threads."""
    global _pool, _lock
    _pool, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
