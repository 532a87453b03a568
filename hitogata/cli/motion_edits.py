"""`hitogata motion edit`: edits in the order in which they are given."""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

from hitogata.cli.motion_files import (
    FIGURES,
    bvh_file,
    evenly,
    keeping,
    kind_of,
    motion_file,
    reading,
    shown_motion,
    warnings_in_one_line,
)
from hitogata.errors import ArgumentError

_ABOUT = """Edit a motion.  Edits are made one after the other, in the order in which they are given, and may be given
more than once; times are those of the motion as it is by then."""


class _Then(argparse.Action):
    """Puts an edit and its values at the end of the list of edits."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        namespace.edits = [*(getattr(namespace, "edits", None) or []), (str(option), values)]


def describe_edit(actions: Any) -> None:
    """Add the command's arguments."""
    edit = actions.add_parser(
        "edit", help="cut, mirror, loop, change speed, join ...", description=_ABOUT, epilog=FIGURES
    )
    edit.add_argument("input", metavar="IN", help="motion: .bvh or .npz")
    edit.add_argument("output", metavar="OUT", help="motion to write: .bvh or .npz")
    edit.add_argument("--source", metavar="FIGURE", help="whose motion an .npz file is (default: as it says)")
    edit.add_argument("--decimals", type=int, metavar="N", help="of a .bvh OUT (default: all that numbers have)")
    reading(edit)
    keeping(edit)
    edits = edit.add_argument_group("edits")

    def add(name: str, metavar: Any, help_: str, **options: Any) -> None:
        edits.add_argument(name, action=_Then, metavar=metavar, help=help_, dest="edits", **options)

    add("--cut", "FROM:TO", "keep this stretch [s]; either may be left out")
    add("--mirror", None, "left becomes right", nargs=0)
    add("--loop", "WAY", "one cycle without a seam, found where it fits best; WAY is keep (it goes on; default) or "
        "remove (it stays in place)", nargs="?", choices=("keep", "remove"), const="keep")  # fmt: skip
    add("--loop-at", "FROM:TO", "the same, from one time to another")
    add("--repeat", "N", "N cycles in a row; right after --loop or --loop-at", type=int)
    add("--resample", "RATE", "samples per second", type=float)
    add("--speed", "FACTOR", "2 is twice as fast", type=float)
    add("--warp", "OLD:NEW,...", "let what happens at old times happen at new times [s]")
    add("--move", "X,Y[,Z]", "shift [m]; write --move=-1,0 if it begins with a minus")
    add("--turn", "DEG", "turn about the vertical through the root's first place", type=float)
    add("--start", "X,Y[,DEG]", "begin at a place [m], looking in a direction (0: as the figure does at rest)")
    add("--floor", "M", "lift or lower it so that soles stand at this height (default: 0)", nargs="?", const=0.0,
        type=float)  # fmt: skip
    add("--level", None, "turn ankles by one angle each, so that soles are level where they rest", nargs=0)
    add("--clean-feet", None, "take the sliding out of feet that rest", nargs=0)
    add("--drag", ("LINK", "T:X,Y,Z"), "lead a link or frame away from its path, by X,Y,Z [m] at time T [s], smoothly "
        "from one T:X,Y,Z to the next; feet stay as they are", nargs="+")  # fmt: skip
    add("--blend", ("FILE", "SHARE"), "mix in another motion, like poses at like times, by a share of 0 ... 1", nargs=2)
    add("--join", "FILE", "another motion of the same figure after it, moved to where it ends")
    add("--fade", ("FILE", "SECONDS"), "go over into another motion, which overlaps the end of this one", nargs=2)
    add("--fade-in-phase", ("FILE", "SECONDS"), "the same, where poses of both agree best", nargs=2)
    edit.set_defaults(run=_edit, edits=[])


def _edit(args: argparse.Namespace) -> None:
    from hitogata.files import bvh_from_trajectory, write_bvh

    kind_of(args.input)
    kind = kind_of(args.output)
    with warnings_in_one_line():
        figure, motion, bvh = motion_file(args, sliders=kind == ".bvh")
        motion = shown_motion(figure, motion, args)
        work = _Work(figure, motion, args)
        for option, value in args.edits:
            work.edit(option, value)
        motion = work.motion
        if kind == ".bvh":
            motion = evenly(figure, motion)
            written = bvh_from_trajectory(motion, figure, skeleton=bvh)
            write_bvh(written, args.output, decimals=args.decimals)
        else:
            motion.save(args.output)
    span = float(motion.time[-1] - motion.time[0]) if len(motion) else 0.0
    print(f"{args.output}: {len(motion)} samples, {span:.3f} s, of {figure}")


class _Work:
    """A motion, edited step by step."""

    def __init__(self, figure: Any, motion: Any, args: argparse.Namespace) -> None:
        self.figure, self.motion, self.args = figure, motion, args
        self.loop: Any = None

    def edit(self, option: str, value: Any) -> None:
        """Make one edit; an error names it."""
        name = option.removeprefix("--").replace("-", "_")
        do: Callable[[Any], Any] = getattr(self, f"_{name}")
        loop, self.loop = self.loop, None
        try:
            self.motion = self._repeat(value, loop) if name == "repeat" else do(value)
        except ArgumentError as error:
            raise ArgumentError(f"{option}: {error}") from None
        print(f"{option[2:]:<14} {len(self.motion)} samples, {self.motion.time[0]:g} to {self.motion.time[-1]:g} s")

    def _cut(self, value: str) -> Any:
        from hitogata.motion import cut

        return cut(self.figure, self.motion, *_stretch(value))

    def _mirror(self, _: Any) -> Any:
        from hitogata.motion import mirror

        return mirror(self.figure, self.motion)

    def _loop(self, value: str) -> Any:
        from hitogata.motion import Drift, make_loop

        self.loop = make_loop(self.figure, self.motion, drift=Drift(value or "keep"))
        found = self.loop.points
        print(f"loop           from {found.start:.3f} to {found.end:.3f} s, ends {1000 * found.distance:.0f} mm apart")
        return self.loop.trajectory

    def _loop_at(self, value: str) -> Any:
        from hitogata.motion import make_loop

        start, end = _stretch(value)
        ends = self.motion.time[0] if start is None else start, self.motion.time[-1] if end is None else end
        self.loop = make_loop(self.figure, self.motion, ends)
        return self.loop.trajectory

    def _repeat(self, value: int, loop: Any = None) -> Any:
        from hitogata.motion import repeat

        if loop is None:
            raise ArgumentError("it must come right after --loop or --loop-at")
        return repeat(self.figure, loop, value)

    def _resample(self, value: float) -> Any:
        from hitogata.motion import resample

        return resample(self.figure, self.motion, value)

    def _speed(self, value: float) -> Any:
        from hitogata.motion import change_speed

        return change_speed(self.figure, self.motion, value)

    def _warp(self, value: str) -> Any:
        from hitogata.motion import warp

        pairs = [_numbers(pair, ":", (2,)) for pair in value.split(",")]
        return warp(self.figure, self.motion, [(old, new) for old, new in pairs])

    def _move(self, value: str) -> Any:
        from hitogata.motion import GroundMove, move_root

        x, y, z = [*_numbers(value, ",", (2, 3)), 0.0][:3]
        return move_root(self.figure, self.motion, GroundMove(shift=(x, y, z)))

    def _turn(self, value: float) -> Any:
        from hitogata.motion import turn_root

        return turn_root(self.figure, self.motion, math.radians(value))

    def _start(self, value: str) -> Any:
        from hitogata.motion import start_at

        x, y, *heading = _numbers(value, ",", (2, 3))
        return start_at(self.figure, self.motion, (x, y), math.radians(heading[0]) if heading else None)

    def _floor(self, value: float | None) -> Any:
        from hitogata.motion import put_on_floor

        return put_on_floor(self.figure, self.motion, floor=value or 0.0)

    def _level(self, _: Any) -> Any:
        from hitogata.motion import level_feet

        return level_feet(self.figure, self.motion).trajectory

    def _clean_feet(self, _: Any) -> Any:
        from hitogata.motion import clean_feet

        cleaned = clean_feet(self.figure, self.motion)
        print(cleaned)
        return cleaned.trajectory

    def _drag(self, value: Sequence[str]) -> Any:
        import numpy as np
        from scipy.interpolate import PchipInterpolator

        from hitogata.dynamics import frame_position
        from hitogata.motion import drag_along

        frame, *keys = value
        if not keys:
            raise ArgumentError("expected LINK and one T:X,Y,Z at least")
        times, shifts = [], []
        for key in keys:
            time, _, shift = key.partition(":")
            times += _numbers(time, ",", (1,))
            shifts.append(_numbers(shift, ",", (3,)))
        if not (np.diff(times) > 0).all():
            raise ArgumentError(f"times must rise, got {times}")
        path = frame_position(self.figure, self.motion.q, frame)
        if len(times) > 1:
            path = path + PchipInterpolator(times, shifts)(np.clip(self.motion.time, times[0], times[-1]))
        else:
            path = path + shifts[0]
        played = drag_along(self.figure, self.motion, {frame: path})
        print(f"drag           of {frame}: links and feet off by {1000 * played.missed.max():.1f} mm at most")
        return played.trajectory

    def _blend(self, value: Sequence[str]) -> Any:
        from hitogata.motion import blend

        (share,) = _numbers(value[1], ",", (1,))
        return blend(self.figure, self.motion, self._other(value[0]), share, match=True)

    def _join(self, value: str) -> Any:
        from hitogata.motion import join

        return join(self.figure, [self.motion, self._other(value)], align=True)

    def _fade(self, value: Sequence[str], in_phase: bool = False) -> Any:
        from hitogata.motion import cross_fade

        (seconds,) = _numbers(value[1], ",", (1,))
        return cross_fade(self.figure, self.motion, self._other(value[0]), seconds, match=in_phase)

    def _fade_in_phase(self, value: Sequence[str]) -> Any:
        return self._fade(value, in_phase=True)

    def _other(self, path: str) -> Any:
        """Another motion of the same figure."""
        from dataclasses import replace

        from hitogata.figure import Trajectory
        from hitogata.files import trajectory_from_bvh

        if kind_of(path) == ".npz":
            return Trajectory.load(path)
        found = trajectory_from_bvh(bvh_file(path, self.args), self.figure)
        return replace(found, figure_name=self.motion.figure_name)


def _stretch(text: str) -> tuple[float | None, float | None]:
    """FROM:TO, either of which may be missing."""
    ends = text.split(":")
    if len(ends) != 2:
        raise ArgumentError(f"expected FROM:TO in seconds, got {text!r}")
    first, last = (_numbers(end, ",", (1,))[0] if end.strip() else None for end in ends)
    return first, last


def _numbers(text: str, separator: str, counts: tuple[int, ...]) -> list[float]:
    try:
        numbers = [float(word) for word in text.split(separator)]
    except ValueError:
        numbers = []
    if len(numbers) not in counts:
        many = " or ".join(map(str, counts))
        raise ArgumentError(f"expected {many} numbers with {separator!r} between, got {text!r}")
    return numbers
