"""`hitogata analyse`: from recordings to reports."""

import argparse
import os
import sys
from typing import Any

from hitogata.cli.workers import add_workers, chosen_policy, chosen_workers, time_left


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("trials", nargs="+", metavar="TRIAL", help=".c3d, .trc, .bvh, .mcap, .xdf, .mot; "
                        "folders of them, patterns, URLs; or the word sample")  # fmt: skip
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="pages, tables and kept results")
    parser.add_argument("--subject", metavar="MASS[,HEIGHT]", help="of the subject [kg, m]")
    parser.add_argument("--model", action="append", metavar="OSIM", help="OpenSim model (default: the built-in legs)")
    parser.add_argument("--no-fit", action="store_true", help="the model has the subject's sizes already")
    parser.add_argument("--loads", metavar="FILE", help="measured forces; {trial} and {folder} stand for the trial's")
    parser.add_argument("--up", choices=("auto", "x", "y", "z"), help="axis of marker files that is up (default: auto)")
    parser.add_argument("--off", action="append", default=[], metavar="STAGE", help="stage that is left out")
    parser.add_argument("--settings", metavar="TOML", help="settings of all stages")
    parser.add_argument("--set", action="append", default=[], metavar="STAGE.NAME=VALUE", help="one setting")
    parser.add_argument("--print-settings", action="store_true", help="print the settings as they are taken, and end")
    add_workers(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from hitogata.pipeline.analyse import analyse
    from hitogata.pipeline.settings import settings_text

    settings = _settings(args)
    if args.print_settings:
        print(settings_text(settings), end="")
        return 0
    places = [_sample() if place == "sample" and not os.path.exists(place) else place for place in args.trials]
    found = analyse(
        places, args.output, chosen_workers(args), settings=settings, policy=chosen_policy(args), tell=_tell
    )
    total = len(found.records) + len(found.failed)
    print(f"trials      {total}: {found.done} analysed, {len(found.records) - found.done} as before, "
          f"{len(found.failed)} failed; {found.seconds:.1f} s")  # fmt: skip
    for name, (error, _) in found.failed.items():
        print(f"failed      {name}: {error}")
    print(f"summary     {os.path.join(args.output, 'index.html')}")
    return 1 if found.failed else 0


def _tell(outcome: Any, over: int, total: int, left: float) -> None:
    import json

    name = outcome.item.given.name
    if outcome.result is None:
        said = outcome.error
    else:
        record = json.loads(outcome.result)
        ran = ", ".join(f"{stage} {s:.1f}" for stage, s in record["seconds"].items() if s >= 0.05)
        said = f"{outcome.seconds:.1f} s" + (f" ({ran})" if ran else "")
    print(f"[{over}/{total}, {time_left(left)} left] {name}: {said}", file=sys.stderr, flush=True)


def _settings(args: argparse.Namespace) -> Any:
    from hitogata.errors import ArgumentError
    from hitogata.pipeline.settings import Settings, parsed_setting, read_settings

    settings = read_settings(args.settings) if args.settings else Settings()
    if args.model:
        if len(set(args.model)) > 1:
            raise ArgumentError(f"--model: one model for all trials is expected, got {', '.join(args.model)}; "
                                "analyse them apart")  # fmt: skip
        settings = settings.with_values("body", {"model": args.model[0]})
    if args.subject:
        try:
            numbers = [float(word) for word in args.subject.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2) or not all(0 < x < 1e4 for x in numbers):
            raise ArgumentError(f"--subject: MASS or MASS,HEIGHT is expected [kg, m], got {args.subject!r}")
        settings = settings.with_values("subject", dict(zip(("mass", "height"), numbers, strict=False)))
    if args.no_fit:
        settings = settings.with_values("body", {"fit": False})
    if args.loads:
        settings = settings.with_values("loads", {"file": args.loads})
    if args.up:
        settings = settings.with_values("trial", {"up": args.up})
    for stage in args.off:
        settings = settings.with_values(stage, {}).with_values(stage, {"on": False})
    for text in args.set:
        settings = parsed_setting(settings, text)
    return settings


def _sample() -> str:
    from hitogata.pipeline.sample import sample_trial

    return str(sample_trial())
