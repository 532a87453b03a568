"""`hitogata sweep`: many worlds over gains, friction, ranges and seeds, and one table."""

import argparse
import os
import sys
from typing import Any

from hitogata.cli.workers import add_workers, chosen_policy, chosen_workers


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("sweep", metavar="TOML", help="figure, seconds, step, push, seeds, worlds; lists of stiffness, "
                        "damping, friction, range")  # fmt: skip
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="table.npz, table.csv")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from hitogata.pipeline.sweep import read_sweep, sweep_worlds

    sweep = read_sweep(args.sweep)
    worlds, failed = sweep_worlds(
        sweep, args.output, chosen_workers(args), policy=chosen_policy(args), tell=_tell
    )  # fmt: skip
    print(f"worlds      {worlds}; {len(failed)} tasks failed")
    for key, error in failed.items():
        print(f"failed      {key[:12]}: {error}")
    if not failed:
        print(f"table       {os.path.join(args.output, 'table.npz')}")
    return 1 if failed else 0


def _tell(outcome: Any, over: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{over}/{total} tasks", end="\n" if over == total else "", file=sys.stderr, flush=True)
