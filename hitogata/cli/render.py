"""`hitogata render`: figures and motions as pictures, films and replays, without a browser."""

import argparse
import math
import pathlib
import sys
from typing import Any

from hitogata.cli.motion_files import (
    FIGURES,
    figure_named,
    keeping,
    motion_file,
    reading,
    shown_motion,
    warnings_in_one_line,
)
from hitogata.errors import ArgumentError

ENDINGS = (".html", ".png", ".mp4", ".gif")


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = f"{FIGURES}.  OUT: .html (a page that plays from disk), .png (one picture), .mp4 or .gif (a film)."
    parser.add_argument("input", metavar="IN", help="a figure (its neutral pose) or a motion (.bvh, .npz)")
    parser.add_argument("output", metavar="OUT", help="file to write; its ending says what")
    parser.add_argument("--figure", metavar="FIGURE", help="carry a motion over to this figure")
    parser.add_argument("--source", metavar="FIGURE", help="whose motion an .npz file is (default: as it says)")
    reading(parser)
    keeping(parser)
    parser.add_argument("--time", type=float, default=0.0, metavar="S", help=".png: which moment (default: 0)")
    parser.add_argument("--azimuth", type=float, default=35.0, metavar="DEG", help="look from here, from +x towards +y")
    parser.add_argument("--elevation", type=float, default=12.0, metavar="DEG", help="above the horizon")
    parser.add_argument("--size", type=_size, default=None, metavar="WxH", help="pixels (default: 960x720, .gif half)")
    parser.add_argument("--fps", type=float, default=None, metavar="RATE", help="of a film (default: 30; .gif 20)")
    parser.add_argument("--title", default="", help="of a page")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the file."""
    from hitogata.pictures import Camera, write_film, write_replay, write_still

    path = pathlib.Path(args.output)
    kind = path.suffix.lower()
    if kind not in ENDINGS:
        raise ArgumentError(f"{path}: {', '.join(ENDINGS)} expected, got {kind or 'no ending'}")
    camera = Camera(azimuth=math.radians(args.azimuth), elevation=math.radians(args.elevation))
    with warnings_in_one_line():
        actor = _actor(args)
    if kind == ".html":
        write_replay(path, actor, title=args.title or actor.figure.name, camera=camera)
    elif kind == ".png":
        write_still(path, actor, time=args.time, camera=camera, size=args.size or (960, 720))
    else:
        size = args.size or ((480, 360) if kind == ".gif" else (960, 720))
        write_film(path, actor, camera=camera, size=size, rate=args.fps, progress=_progress)
    print(f"{path}: {actor.figure}, {len(actor.trajectory)} samples")
    return 0


def _actor(args: argparse.Namespace) -> Any:
    """The figure and its motion; a figure alone stands still."""
    import numpy as np

    from hitogata.figure import Trajectory
    from hitogata.motion import retarget
    from hitogata.pictures import Actor

    if pathlib.Path(args.input).suffix.lower() not in (".bvh", ".npz"):
        figure = figure_named(args.input, None)
        q = figure.neutral()[None]
        return Actor(figure, Trajectory(np.zeros(1), q, np.zeros((1, figure.nv)), figure_name=figure.name))
    figure, motion, _ = motion_file(args, sliders=True)
    target = figure_named(args.figure, None) if args.figure is not None else figure
    if target == figure:
        return Actor(figure, shown_motion(figure, motion, args))
    return Actor(target, retarget(motion, figure, target, keep_calibration=args.keep_calibration).trajectory)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: width x height expected, as in 960x720")
    return int(width), int(height)


def _progress(share: float) -> None:
    if sys.stderr.isatty():
        print(f"\rhitogata: {100 * share:3.0f} %", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)
