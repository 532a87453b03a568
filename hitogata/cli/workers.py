"""Arguments of commands that share work over processes or a cluster."""

import argparse
from typing import Any


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add them."""
    group = parser.add_argument_group("workers")
    group.add_argument("--workers", type=int, metavar="N", help="processes (default: one for each core)")
    group.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster: HOST:PORT, auto, or local")
    group.add_argument("--attempts", type=int, default=3, metavar="N", help="for each item at most (default: 3)")
    group.add_argument("--time-limit", type=float, metavar="S", help="for each attempt [s]")
    group.add_argument("--memory-limit", type=float, metavar="GB", help="for each attempt [GB]")


def chosen_workers(args: argparse.Namespace) -> Any:
    """Workers, not started."""
    from hitogata.cluster import LocalWorkers

    if args.ray:
        from hitogata.cluster.ray_workers import RayWorkers

        memory = None if args.memory_limit is None else int(args.memory_limit * 1e9)
        return RayWorkers(args.ray, count=args.workers, memory=memory)
    return LocalWorkers(args.workers)


def chosen_policy(args: argparse.Namespace) -> Any:
    """Attempts and limits."""
    from hitogata.cluster import Policy

    memory = None if args.memory_limit is None else int(args.memory_limit * 1e9)
    return Policy(attempts=args.attempts, time_limit=args.time_limit, memory_limit=memory)


def time_left(seconds: float) -> str:
    """In words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
