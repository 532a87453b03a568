"""The `hitogata` command: a thin outer door.

Each command's module is loaded only when it runs, so help and `--version` answer at once.
Bad input ends with exit code 2 and one line on stderr, never with a traceback.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from hitogata import __version__
from hitogata.errors import HitogataError

COMMANDS = {
    "analyse": "hitogata.cli.analyse",
    "dynamics": "hitogata.cli.dynamics",
    "capture": "hitogata.cli.capture",
    "device": "hitogata.cli.device",
    "filter": "hitogata.cli.filter",
    "motion": "hitogata.cli.motion",
    "muscles": "hitogata.cli.muscles",
    "record": "hitogata.cli.record",
    "render": "hitogata.cli.render",
    "rom": "hitogata.cli.rom",
    "schedule": "hitogata.cli.schedule",
    "studio": "hitogata.cli.studio",
    "sweep": "hitogata.cli.sweep",
    "warmup": "hitogata.cli.warmup",
}
"""Commands by name, and the module of each: it has `describe(parser)` and, in the arguments it leaves, `run`."""

_SUMMARIES = {
    "analyse": "from recordings to reports: joint angles, torques, tensions of muscles; one trial or many",
    "dynamics": "the forces behind a recorded motion: inverse dynamics of an OpenSim model with measured loads",
    "capture": "motion capture: calibrate cameras, points from images, labels for points",
    "device": "simulated devices that stream recordings, with faults; what is being sent",
    "filter": "impossible motion in, possible motion out: contact forces, balance, ranges, other floors",
    "motion": "motions: what is in a file; convert, also to another figure; edit; when feet stand",
    "muscles": "muscle forces behind a recorded motion: tables, plots and pictures",
    "record": "all devices into one file, on one clock; what is in such a file; convert it",
    "render": "figures and motions as pictures, films and pages that play, without a browser",
    "rom": "ranges of motion: draw, fit to measured poses, export to other engines",
    "schedule": "in which order the joints of a figure are joined on many processors, printed and drawn",
    "studio": "a page in which a figure lives: drag it, push it, shape its joints",
    "sweep": "a figure in many worlds, over gains, friction, ranges and seeds: one table of what it did",
    "warmup": "compile everything once, so that first calls are fast",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 0 fine, 2 bad input, 130 stopped by the user, 141 output closed."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="hitogata", description="Human figures under real physics, inside the limits of real joints."
    )
    parser.add_argument("--version", action="version", version=f"hitogata {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    wanted = next((a for a in given if not a.startswith("-")), None)
    for name, summary in _SUMMARIES.items():
        sub = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == wanted:
            importlib.import_module(COMMANDS[name]).describe(sub)
    chosen = parser.parse_args(given)
    if chosen.command is None:
        parser.print_help()
        return 0
    try:
        code = int(chosen.run(chosen) or 0)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who reads the output has seen enough; what is left of it must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (HitogataError, OSError) as error:
        print(f"hitogata: error: {_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hitogata: stopped", file=sys.stderr)
        return 130


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
