"""`hitogata filter`: a motion made possible for a body on a floor."""

import argparse
import math
from typing import Any

from hitogata.cli.motion_files import (
    FIGURES,
    evenly,
    figure_named,
    keeping,
    kind_of,
    motion_file,
    reading,
    shown_motion,
    up_axis,
    warnings_in_one_line,
)
from hitogata.errors import ArgumentError


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.description = "Make a motion possible: forces the feet can give, joints in their ranges, feet that stand."
    parser.epilog = FIGURES
    parser.add_argument("input", metavar="IN", help="motion: .bvh or .npz")
    parser.add_argument("-o", "--output", metavar="OUT", help="motion to write: .bvh or .npz (with forces and torques)")
    parser.add_argument("--figure", metavar="FIGURE", help="carry the motion over to this figure first")
    parser.add_argument("--source", metavar="FIGURE", help="whose motion an .npz file is (default: as it says)")
    reading(parser)
    keeping(parser)
    parser.add_argument("--mass", type=float, metavar="KG", help="of a figure made from a .bvh file")
    parser.add_argument("--mode", choices=("online", "preview", "recording"), default="preview",
                        help="what may be known of the motion ahead (default: preview)")  # fmt: skip
    floors = parser.add_mutually_exclusive_group()
    floors.add_argument(
        "--slope", metavar="ANGLE", help="floor that rises along +x: 5deg or 0.1 (radians); downhill --slope=-5deg"
    )
    floors.add_argument("--steps", metavar="RISE", type=float, help="steps of this rise between the footholds [m]")
    floors.add_argument("--as-stood", action="store_true", help="footholds at the heights where the motion has them")
    parser.add_argument("--friction", type=float, default=0.7, help="of the floor (default: 0.7)")
    parser.add_argument("--look-ahead", type=float, default=0.8, metavar="S", help="of the preview [s] (default: 0.8)")
    parser.add_argument("--fps", type=float, metavar="RATE", help="frames per second (default: those of IN)")
    parser.add_argument("--report", metavar="FOLDER", help="write a page: what was changed, where and why")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    from hitogata.filter import FilterSettings, Mode, filter_motion
    from hitogata.motion import retarget

    if args.output is not None:
        kind_of(args.output)
    with warnings_in_one_line():
        figure, motion, bvh = motion_file(args, sliders=args.figure is not None, mass=args.mass, otherwise=args.figure)
        if args.figure is not None and (bvh is not None or args.figure != (args.source or motion.figure_name)):
            target = figure_named(args.figure, args.mass)
            motion, figure = retarget(motion, figure, target).trajectory, target
        else:
            motion = shown_motion(figure, motion, args)
        settings = FilterSettings(friction=args.friction, look_ahead=args.look_ahead)
        floor = _floor(args, figure, motion)
        found = filter_motion(figure, motion, mode=Mode(args.mode), floor=floor, rate=args.fps, settings=settings)
        print(found)
        for line in found.changes():
            print(f"  {line}")
        if args.output is not None:
            _write(args, figure, found.trajectory, bvh)
        if args.report is not None:
            from hitogata.filter.report import write_filter_report

            print(write_filter_report(args.report, found, title=f"{args.input}, filtered"))


def _floor(args: argparse.Namespace, figure: Any, motion: Any) -> Any:
    from hitogata.filter import LEVEL, Slope
    from hitogata.filter.clip import steps_for

    if args.as_stood:
        return None
    if args.slope is not None:
        return Slope(_angle(args.slope))
    if args.steps is not None:
        return steps_for(figure, motion, args.steps)
    return LEVEL


def _angle(text: str) -> float:
    try:
        angle = math.radians(float(text[:-3])) if text.endswith("deg") else float(text)
    except ValueError:
        raise ArgumentError(f"--slope {text}: an angle expected, such as 5deg or 0.1") from None
    return angle


def _write(args: argparse.Namespace, figure: Any, motion: Any, bvh: Any) -> None:
    from hitogata.files import bvh_from_trajectory, write_bvh

    if kind_of(args.output) == ".npz":
        motion.save(args.output)
        print(f"{args.output}: {len(motion)} samples of {figure}")
        return
    up = bvh.up if bvh is not None else up_axis("y")
    scale = bvh.scale if bvh is not None else 0.01
    written = bvh_from_trajectory(evenly(figure, motion), figure, scale=scale, up=up)
    write_bvh(written, args.output)
    print(f"{args.output}: {written}")
