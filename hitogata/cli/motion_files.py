"""What the commands on motions share: files in and out, figures by name."""

import argparse
import pathlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hitogata.errors import ArgumentError, FileFormatError

FIGURES = """FIGURE is a built-in figure (human28, human40 ...) or a file: .xml (MJCF), .urdf, .osim, .bvh (skeleton)"""


def reading(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how to read a .bvh file."""
    parser.add_argument("--scale", type=float, metavar="M", help="unit of a .bvh file [m] (default: guessed)")
    parser.add_argument(
        "--position-scale", type=float, metavar="M", help="unit of its positions, if they have another [m]"
    )
    parser.add_argument("--up", choices="xyz", default="y", help="axis of a .bvh file that points up (default: y)")
    parser.add_argument(
        "--add-positions", action="store_true", help="position channels are added to offsets, not instead of them"
    )


def keeping(parser: argparse.ArgumentParser) -> None:
    """Add the argument that brings a calibration pose back."""
    parser.add_argument(
        "--keep-calibration", action="store_true", help="do not leave out a calibration pose at the beginning"
    )


def shown_motion(figure: Any, motion: Any, args: argparse.Namespace) -> Any:
    """The motion without a calibration pose at its beginning, unless it is to be kept; says so on stderr."""
    from hitogata.motion import without_calibration

    if args.keep_calibration:
        return motion
    shown, left_out = without_calibration(figure, motion)
    if left_out:
        frames = "1 frame" if left_out == 1 else f"{left_out} frames"
        print(f"hitogata: {frames} of calibration left out (--keep-calibration brings it back)", file=sys.stderr)
    return shown


def kind_of(path: str, *others: str) -> str:
    """Ending of a motion file's name: .bvh or .npz, or one of the others."""
    kind = pathlib.Path(path).suffix.lower()
    known = (".bvh", ".npz", *others)
    if kind not in known:
        raise FileFormatError(f"{path}: {', '.join(known[:-1])} or {known[-1]} expected, got {kind or 'no ending'}")
    return kind


def up_axis(letter: str) -> Any:
    """An axis by its letter."""
    from hitogata.files.bvh import Up

    return Up[letter.upper()]


def bvh_file(path: str, args: argparse.Namespace) -> Any:
    """A .bvh file, read as the arguments say."""
    from hitogata.files import read_bvh
    from hitogata.files.bvh import PositionChannels

    mode = PositionChannels.ADD if args.add_positions else PositionChannels.REPLACE
    return read_bvh(
        pathlib.Path(path), scale=args.scale, position_scale=args.position_scale, up=up_axis(args.up),
        position_channels=mode,
    )  # fmt: skip


def figure_named(name: str, mass: float | None) -> Any:
    """A figure of the library, or of a file."""
    from hitogata import library

    path = pathlib.Path(name)
    match path.suffix.lower():
        case ".xml" | ".mjcf":
            from hitogata.files import read_mjcf

            return read_mjcf(path, repair_inertia=True)
        case ".urdf":
            from hitogata.files import read_urdf

            return read_urdf(path, free_base=True, repair_inertia=True)
        case ".bvh":
            from hitogata.files import figure_from_bvh, read_bvh

            return figure_from_bvh(read_bvh(path), mass=mass)
        case ".osim":
            from hitogata.files.osim import figure_from_osim, read_osim
            from hitogata.pictures.bones import with_bones

            return with_bones(figure_from_osim(read_osim(path)))
    known = library.FIGURES
    if name not in known:
        raise ArgumentError(f"no figure {name!r}; there are {', '.join(known)}, or files: .xml, .urdf, .bvh, .osim")
    return getattr(library, name)()


def motion_file(
    args: argparse.Namespace, *, sliders: bool = False, mass: float | None = None, otherwise: str | None = None
) -> tuple[Any, Any, Any]:
    """Figure and motion of the file `args.input`, and the .bvh file itself, if it is one.

    Args:
        args: of the command: `input`, `source`, and how to read .bvh files.
        sliders: follow joints of a .bvh file that move in their parents.
        mass: of a figure made from a .bvh file [kg].
        otherwise: whose motion an .npz file is that does not say it.
    """
    from hitogata.figure import Trajectory
    from hitogata.files import figure_from_bvh, trajectory_from_bvh

    if kind_of(args.input) == ".bvh":
        bvh = bvh_file(args.input, args)
        figure = figure_from_bvh(bvh, mass=mass, sliders=sliders)
        return figure, trajectory_from_bvh(bvh, figure), bvh
    motion = Trajectory.load(args.input)
    name = args.source or motion.figure_name or otherwise
    if not name:
        raise ArgumentError(f"{args.input}: it does not say whose motion it is: give --source")
    try:
        figure = figure_named(name, mass)
    except ArgumentError as error:
        if args.source or not motion.figure_name:
            raise
        raise ArgumentError(f"{args.input}: a motion of {name!r}: give --source, for there is {error}") from None
    motion.check(figure)
    return figure, motion, None


def evenly(figure: Any, motion: Any) -> Any:
    """The motion in even steps, as .bvh files have them; after a cut between samples, at its usual rate."""
    from hitogata.motion import resample

    steps = motion.time[1:] - motion.time[:-1]
    if not len(steps) or steps.max() - steps.min() <= 1e-4 * steps.mean():
        return motion
    return resample(figure, motion, 1 / float(sorted(steps)[len(steps) // 2]))


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Warnings go to stderr, one line each, without a place in the source."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        print(f"hitogata: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
