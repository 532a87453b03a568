"""`hitogata rom`: show, fit, export, human."""

import argparse
import json
import math
import pathlib
import sys
from pathlib import Path
from typing import Any

from hitogata.errors import ArgumentError

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the commands' arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    show = actions.add_parser("show", help="draw a range", description="Draw a range: the polar plane and the sphere.")
    _range_argument(show)
    show.add_argument("-o", "--output", required=True, metavar="PICTURE", help="picture to write: .png, .svg or .pdf")
    show.add_argument(
        "--colour",
        choices=["width", "low", "high", "plain"],
        default="width",
        help="what the colour shows (default: width of twist)",
    )
    show.add_argument("--trail", metavar="CLOUD", help="poses to draw as a trail (see `hitogata rom fit --help`)")
    show.add_argument("--cloud", metavar="CLOUD", help="poses to draw as dots")
    show.add_argument("--title", default="", help="text above the picture")
    show.set_defaults(run=_show)

    fit = actions.add_parser(
        "fit",
        help="fit a range to measured poses",
        description="Fit a free-form range to measured poses, and say what it allows and forbids.",
        epilog=_CLOUDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    fit.add_argument("cloud", metavar="CLOUD", help="file of poses or markers, see below")
    fit.add_argument("-o", "--output", required=True, metavar="RANGE", help="range file to write (.json)")
    fit.add_argument(
        "--bone", default=None, help="bone at rest: x, y, z, -x, -y, -z or three numbers a,b,c (default: z)"
    )
    fit.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="DEG",
        help="reach beyond the outermost poses, negative: within [deg]",
    )
    fit.add_argument(
        "--gap", type=float, default=None, metavar="DEG", help="bays narrower than twice this are closed [deg]"
    )
    fit.add_argument(
        "--outliers", type=float, default=0.01, metavar="SHARE", help="greatest share of poses to reject (default 0.01)"
    )
    fit.add_argument(
        "--points", type=int, default=None, help="number of constraint points (default: chosen by the fit)"
    )
    fit.add_argument(
        "--twist",
        choices=["mesh", "boundary", "constant", "free"],
        default="mesh",
        help="how twist limits depend on swing",
    )
    fit.add_argument("--picture", metavar="PICTURE", help="also draw the range with its poses")
    fit.add_argument("--report", metavar="FILE", help="also write the report (.json)")
    fit.set_defaults(run=_fit)

    export = actions.add_parser(
        "export",
        help="the nearest range another engine can express",
        description="The nearest range another engine can express, with the solid angle it wrongly allows and forbids.",
    )
    _range_argument(export)
    export.add_argument(
        "--to", required=True, choices=[*_ENGINES, "cone", "ellipse", "pyramid", "euler"],
        help="an engine, whose joint is written in its own axes and units; or a form of the range",
    )  # fmt: skip
    export.add_argument(
        "--engine", choices=["physx", "jolt"], default="physx", help="whose ellipse or pyramid (default: physx)"
    )
    export.add_argument("--fixed-frame", action="store_true", help="keep the joint frame on the bone at rest")
    export.add_argument("-o", "--output", metavar="FILE", help="also write it (.json)")
    export.set_defaults(run=_export)

    human = actions.add_parser("human", help="list the library of human ranges, or write one to a file")
    human.add_argument("name", nargs="?", help="joint, as in shoulder_left; none: list all")
    human.add_argument("-o", "--output", metavar="RANGE", help="range file to write (.json)")
    human.set_defaults(run=_human)


_ENGINES = ("mujoco", "physx", "jolt", "bullet", "unity", "unreal", "godot")

_CLOUDS = """files of poses (child in parent, identity at rest; quaternions w x y z)
  .npy    array (n, 4)
  .npz    `quats` (n, 4); optional `forbidden` (m, 4) and `bone` (3,);
          or markers: `parent` (frames, 3, 3) and `child` (frames, 4, 3) [m], NaN where hidden, optional `rest` (frame)
  .csv    columns w, x, y, z, and optionally a fifth: 1 allowed, 0 forbidden; a header line may be first
"""


def _range_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="RANGE", help="range file (.json), or human:NAME from the library, as in human:hip_left"
    )


def _load(name: str) -> Any:
    from hitogata.rom import RangeOfMotion

    if name.startswith("human:"):
        return _library(name[6:])
    return RangeOfMotion.load(name)


def _library(name: str) -> Any:
    from hitogata.rom.human import human_ranges
    from hitogata.rom.range import RangeOfMotion

    ranges = {k: v for k, v in human_ranges().items() if isinstance(v.range, RangeOfMotion)}
    if name not in ranges:
        raise ArgumentError(f"no human range {name!r}; there are {', '.join(sorted(ranges))}")
    return ranges[name].range


def _bone(text: str | None) -> Any:
    if text is None:
        return None
    sign, axis = (-1.0, text[1:]) if text.startswith("-") and text[1:] in _AXES else (1.0, text)
    if axis in _AXES:
        return tuple(sign * v for v in _AXES[axis])
    try:
        v = [float(x) for x in text.split(",")]
        size = math.sqrt(sum(x * x for x in v))
        if len(v) != 3 or not size > 0.0:
            raise ValueError
    except ValueError:
        raise ArgumentError(f"--bone {text}: x, y, z, -x, -y, -z or three numbers a,b,c expected") from None
    return tuple(x / size for x in v)


def _show(args: argparse.Namespace) -> None:
    from hitogata.cli.clouds import read_cloud
    from hitogata.rom.coupled import CoupledRange, plot_coupled
    from hitogata.rom.plot import TwistColour, plot_range

    if _of_several_joints(args.file):
        coupled = CoupledRange.load(args.file)
        plot_coupled(coupled, args.output)
        print(f"{args.output}: {coupled.name}, of {', '.join(coupled.joints)}")
        return
    range_ = _load(args.file)
    poses = {k: read_cloud(v).quats for k, v in (("trail", args.trail), ("cloud", args.cloud)) if v is not None}
    plot_range(range_, args.output, title=args.title, colour=TwistColour(args.colour), **poses)
    print(f"{args.output}: {type(range_.swing).__name__}, {range_.swing.area:.3f} sr")


def _of_several_joints(name: str) -> bool:
    """Whether a file holds a coupled range; what is no file is told by who loads it."""
    try:
        return '"charts"' in Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


def _fit(args: argparse.Namespace) -> None:
    from hitogata.cli.clouds import read_cloud
    from hitogata.rom.fit import TwistForm, fit_range

    cloud = read_cloud(args.cloud)
    bone = _bone(args.bone) or cloud.bone or _AXES["z"]
    if cloud.note:
        print(cloud.note)
    options = {
        "margin": math.radians(args.margin),
        "outliers": args.outliers,
        "points": args.points,
        "twist": TwistForm(args.twist),
    }
    if args.gap is not None:
        options["gap"] = math.radians(args.gap)
    fitted = fit_range(cloud.quats, forbidden=cloud.forbidden, bone=bone, **options)
    fitted.range.save(args.output)
    print(fitted.report)
    if args.report:
        pathlib.Path(args.report).write_text(json.dumps(fitted.report.to_dict(), indent=1) + "\n", encoding="utf-8")
    if args.picture:
        from hitogata.rom.plot import plot_range

        shown = cloud.quats[:: max(1, len(cloud.quats) // 2000)]
        plot_range(fitted.range, args.picture, title=pathlib.Path(args.cloud).name, cloud=shown)
    print(f"{args.output}: written")


def _export(args: argparse.Namespace) -> None:
    from hitogata.rom.export import Target, export_range
    from hitogata.rom.export_forms import Measure

    if args.to in _ENGINES:
        from hitogata.rom.engines import Engine, export_to_engine

        joint = export_to_engine(_load(args.file), Engine(args.to), centred=not args.fixed_frame)
        print(joint)
        if hasattr(joint.export.form, "xml"):
            print(f"MJCF        {joint.export.form.xml()}")
        if args.output:
            pathlib.Path(args.output).write_text(json.dumps(joint.to_dict(), indent=1) + "\n", encoding="utf-8")
        return
    target = Target(args.to)
    measure = None
    if target is Target.ELLIPSE:
        measure = Measure.SINE if args.engine == "jolt" else Measure.QUARTER
    elif target is Target.PYRAMID:
        measure = Measure.TANGENT if args.engine == "jolt" else Measure.QUARTER
    found = export_range(_load(args.file), target, measure=measure, centred=not args.fixed_frame)
    print(found)
    if hasattr(found.form, "xml"):
        print(f"MJCF        {found.form.xml()}")
    if args.output:
        pathlib.Path(args.output).write_text(json.dumps(found.to_dict(), indent=1) + "\n", encoding="utf-8")


def _human(args: argparse.Namespace) -> None:
    from hitogata.rom.human import human_ranges
    from hitogata.rom.range import RangeOfMotion

    ranges = human_ranges()
    if args.name is None:
        for name, r in sorted(ranges.items()):
            size = f"{r.range.swing.area:.2f} sr" if isinstance(r.range, RangeOfMotion) else "hinge"
            print(f"{name:<16}{size:<10}{r.frame}")
        print(f"source: {next(iter(ranges.values())).source}", file=sys.stderr)
        return
    range_ = _library(args.name)
    if args.output:
        range_.save(args.output)
        print(f"{args.output}: written")
    else:
        print(json.dumps(ranges[args.name].to_dict(), indent=1))
