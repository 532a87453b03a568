"""`hitogata motion`: info, convert, edit, contacts."""

import argparse
import math
from typing import Any

from hitogata.cli.capture_files import KINDS, capture_lines
from hitogata.cli.motion_edits import describe_edit
from hitogata.cli.motion_files import (
    FIGURES,
    bvh_file,
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
    """Add the commands' arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    info = actions.add_parser(
        "info",
        help="what is in a motion or capture file",
        description="Say what is in a motion (.bvh, .npz of hitogata) or capture file (.c3d, .trc, .mot, .sto).",
    )
    info.add_argument("file", metavar="FILE", help=".bvh, .npz, .c3d, .trc, .mot or .sto")
    reading(info)
    info.add_argument("--joints", action="store_true", help="also list joints, markers, channels or columns")
    info.set_defaults(run=_info)

    convert = actions.add_parser(
        "convert",
        help="from .bvh to .npz and back, to another unit, or to another figure",
        description="Convert a motion: .bvh to a trajectory (.npz) and back, to another unit, rate or figure.",
        epilog=FIGURES,
    )
    convert.add_argument("input", metavar="IN", help="motion: .bvh or .npz")
    convert.add_argument("output", metavar="OUT", help="motion to write: .bvh, .npz, or .glb (glTF, for game engines)")
    convert.add_argument(
        "--figure",
        metavar="FIGURE",
        help="carry the motion over to this figure (default: the skeleton of the file)",
    )
    convert.add_argument("--source", metavar="FIGURE", help="whose motion an .npz file is (default: as it says)")
    reading(convert)
    convert.add_argument("--fps", type=float, metavar="RATE", help="frames per second of OUT (default: those of IN)")
    convert.add_argument(
        "--out-scale", type=float, metavar="M", help="unit of a .bvh OUT [m] (default: that of IN, or 0.01)"
    )
    convert.add_argument("--out-up", choices="xyz", help="axis of a .bvh OUT that is up (default: that of IN, or y)")
    convert.add_argument("--decimals", type=int, metavar="N", help="of a .bvh OUT (default: all that numbers have)")
    convert.add_argument("--mass", type=float, metavar="KG", help="of a figure made from a .bvh file")
    convert.add_argument("--keep-size", action="store_true", help="with --figure: do not scale the path by the legs")
    convert.add_argument("--reference", type=int, metavar="FRAME", help="with --figure: frame that stands as it does")
    convert.add_argument("--no-floor", action="store_true", help="with --figure: do not put the soles on the floor")
    convert.add_argument("--no-feet", action="store_true", help="with --figure: do not level and hold feet that stand")
    convert.add_argument("--no-ranges", action="store_true", help="with --figure: let ball joints leave their ranges")
    convert.add_argument(
        "--map", metavar="FILE", help="with --figure: lines 'link of FIGURE = link of IN', - for none; others are found"
    )
    keeping(convert)
    convert.set_defaults(run=_convert)

    describe_edit(actions)

    contacts = actions.add_parser(
        "contacts",
        help="when feet are at rest",
        description="Say when each foot of a motion is at rest on the ground.",
        epilog=FIGURES,
    )
    contacts.add_argument("input", metavar="FILE", help="motion: .bvh or .npz")
    contacts.add_argument("--source", metavar="FIGURE", help="whose motion an .npz file is (default: as it says)")
    reading(contacts)
    keeping(contacts)
    contacts.add_argument("--floor", type=float, metavar="M", help="height of the ground (default: where feet stand)")
    contacts.set_defaults(run=_contacts)


def _info(args: argparse.Namespace) -> None:
    kind = kind_of(args.file, *KINDS)
    with warnings_in_one_line():
        if kind in KINDS:
            lines = capture_lines(args.file, kind, names=args.joints)
        else:
            lines = _bvh_lines(args) if kind == ".bvh" else _trajectory_lines(args.file)
    print("\n".join(lines))


def _bvh_lines(args: argparse.Namespace) -> list[str]:
    from hitogata.files.bvh import bvh_poses
    from hitogata.files.names import naming_of

    bvh = bvh_file(args.file, args)
    naming = naming_of(bvh.names)
    lines = [
        f"skeleton    {len(bvh.joints)} joints, {sum(len(it.ends) for it in bvh.joints)} end sites, "
        f"{bvh.nchannels} channels",
        f"names       {naming.scheme or 'unknown'}: {len(naming.roles)} of {len(bvh.joints)} joints known",
        f"motion      {bvh.nframes} frames at {1 / bvh.frame_time:.4g} per second, {bvh.duration:.3f} s",
        f"unit        {bvh.scale:g} m{', guessed' if bvh.scale_guessed else ''}; {bvh.up.name.lower()} is up",
    ]
    if bvh.nframes:
        some = bvh_poses(bvh, slice(None, None, max(1, bvh.nframes // 200))).position
        tall = some[0].max(axis=0) - some[0].min(axis=0)
        path = some[:, 0].max(axis=0) - some[:, 0].min(axis=0)
        lines += [f"first pose  {_metres(tall)} (forward, left, up)", f"root moves  {_metres(path)}"]
    if args.joints:
        for it in bvh.joints:
            depth, at = 0, it
            while at.parent >= 0:
                depth, at = depth + 1, bvh.joints[at.parent]
            role = naming.roles.get(it.name)
            part = " ".join(x for x in (role[1].value, role[0].value) if x) if role else ""
            lines.append(f"  {'  ' * depth + it.name:<32} {' '.join(c.value for c in it.channels):<70} {part}".rstrip())
    return lines


def _metres(vector: Any) -> str:
    return " x ".join(f"{x:.2f}" for x in vector) + " m"


def _trajectory_lines(path: str) -> list[str]:
    from hitogata.figure import Trajectory

    motion = Trajectory.load(path)
    span = float(motion.time[-1] - motion.time[0]) if len(motion) else 0.0
    lines = [
        f"figure      {motion.figure_name or 'not said'}: nq {motion.q.shape[1]}, nv {motion.v.shape[1]}",
        f"motion      {len(motion)} samples, {span:.3f} s",
    ]
    return lines + [f"channel     {name} {array.shape}" for name, array in motion.channels.items()]


def _contacts(args: argparse.Namespace) -> None:
    from hitogata.motion import find_contacts

    with warnings_in_one_line():
        figure, motion, _ = motion_file(args)
        motion = shown_motion(figure, motion, args)
        for name, foot in find_contacts(figure, motion, floor=args.floor).items():
            share = 100 * foot.down.mean()
            print(f"{name:<8} {len(foot.contacts)} contacts, {share:.0f} % of the time; links {', '.join(foot.links)}")
            for contact in foot.contacts:
                print(f"    {contact.start:8.3f} to {contact.end:8.3f} s")


def _convert(args: argparse.Namespace) -> None:
    kinds = kind_of(args.input), kind_of(args.output, ".glb")
    if args.fps is not None and not 0 < args.fps < math.inf:
        raise ArgumentError(f"--fps {args.fps}: must be positive and finite")
    with warnings_in_one_line():
        if kinds == (".bvh", ".bvh") and args.figure is None:
            text = _rewrite(args)
        else:
            text = _carry(args, kinds)
    print(text)


def _rewrite(args: argparse.Namespace) -> str:
    """A .bvh file in another unit or at another rate."""
    from hitogata.files import bvh_from_trajectory, figure_from_bvh, trajectory_from_bvh, write_bvh
    from hitogata.files.bvh import converted_bvh

    bvh = bvh_file(args.input, args)
    bvh = converted_bvh(bvh, scale=args.out_scale, up=up_axis(args.out_up) if args.out_up else None)
    if args.fps is not None:
        figure = figure_from_bvh(bvh, sliders=True)
        motion = _at_rate(figure, trajectory_from_bvh(bvh, figure), args.fps)
        bvh = bvh_from_trajectory(motion, figure, skeleton=bvh)
    write_bvh(bvh, args.output, decimals=args.decimals)
    return f"{args.output}: {bvh}"


def _at_rate(figure: Any, motion: Any, rate: float | None) -> Any:
    """The motion at a rate [1/s]; None, or a single pose: as it is."""
    from hitogata.motion import resample

    return motion if rate is None or len(motion) < 2 else resample(figure, motion, rate)


def _carry(args: argparse.Namespace, kinds: tuple[str, str]) -> str:
    """A motion of one figure, perhaps carried over to another."""
    from hitogata.files import bvh_from_trajectory, write_bvh, write_gltf
    from hitogata.motion import read_map, retarget

    lines: list[str] = []
    figure, motion, bvh = motion_file(args, sliders=args.figure is not None, mass=args.mass, otherwise=args.figure)
    name = "" if bvh is not None else args.source or motion.figure_name or args.figure
    if args.map is not None and args.figure in (None, name):
        raise ArgumentError("--map: it says which link of --figure follows which, but there is no other figure")
    if args.figure not in (None, name):
        target = figure_named(args.figure, args.mass)
        floor = None if args.no_floor else 0.0
        table = read_map(args.map, figure, target) if args.map is not None else None
        found = retarget(
            motion, figure, target, mapping=table, keep_size=args.keep_size, reference=args.reference, floor=floor,
            feet=not args.no_feet, ranges=not args.no_ranges, keep_calibration=args.keep_calibration,
        )  # fmt: skip
        lines.append(str(found))
        figure, motion = target, found.trajectory
    else:
        motion = shown_motion(figure, motion, args)
    motion = _at_rate(figure, motion, args.fps)
    if kinds[1] == ".glb":
        write_gltf(figure, motion, args.output)
        return "\n".join([*lines, f"{args.output}: {figure.nlinks} joints, {len(motion)} samples"])
    if kinds[1] == ".bvh":
        up = up_axis(args.out_up) if args.out_up else bvh.up if bvh is not None else up_axis("y")
        scale = args.out_scale if args.out_scale is not None else bvh.scale if bvh is not None else 0.01
        written = bvh_from_trajectory(evenly(figure, motion), figure, scale=scale, up=up)
        write_bvh(written, args.output, decimals=args.decimals)
        lines.append(f"{args.output}: {written}")
    else:
        motion.save(args.output)
        lines.append(f"{args.output}: {len(motion)} samples of {figure}")
    return "\n".join(lines)
