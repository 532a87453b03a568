"""`hitogata capture fit`, `ik`, `range`: labelled markers to the sizes of a body, joint angles, a joint's range."""

import argparse
import pathlib
import sys
from typing import Any

from hitogata.errors import ArgumentError, FileFormatError

AXES = {"z": "KEEP", "y": "Y_UP_X_FORWARD", "y-z": "Y_UP_Z_FORWARD", "x": "X_UP", "file": "FROM_FILE"}
"""Words of --up."""


def describe_bodies(actions: Any) -> None:
    """Add both commands."""
    fit = actions.add_parser(
        "fit", help="sizes of a body from a trial",
        description="Fit the sizes of a figure, the places of its markers and all joint angles to a labelled trial.",
    )  # fmt: skip
    _common(fit)
    fit.add_argument("-o", "--output", required=True, metavar="FILE", help="fitted figure to write: .osim")
    fit.add_argument("--angles", metavar="FILE", help="joint angles to write: .npz, or .mot, .sto of an .osim figure")
    fit.add_argument("--save-markers", metavar="FILE", help="fitted marker set to write: .toml or .json")
    fit.add_argument("--mass", type=float, metavar="KG", help="of the whole (default: as dense as before)")
    fit.add_argument("--stature", type=float, metavar="M", help="height of the person, for masses of segments")
    fit.add_argument("--functional", default="", metavar="A,B", help="links whose joints the motion places and turns")
    fit.add_argument("--frames", type=int, default=60, metavar="N", help="by which sizes are found (default 60)")
    fit.add_argument("--whole-links", action="store_true", help="one factor for each link, not one for each axis")
    fit.set_defaults(run=_fit)

    ik = actions.add_parser(
        "ik", help="joint angles from a trial", description="Joint angles of a figure from labelled markers."
    )
    _common(ik)
    ik.add_argument("-o", "--output", required=True, metavar="FILE", help="joint angles: .npz, or .mot or .sto")
    ik.add_argument("--tasks", metavar="XML", help="OpenSim's weights: an IKTaskSet file, or the setup of its tool")
    ik.add_argument("--smooth", action="store_true", help="let frames around tell what a frame tells badly")
    ik.add_argument("--filled", metavar="FILE", help="markers with gaps filled by the body to write: .c3d or .trc")
    ik.set_defaults(run=_ik)

    span = actions.add_parser(
        "range", help="range of motion of a joint from a trial",
        description="Measure the range of motion of a ball joint: three markers on the parent, four around the bone's "
                    "end, led through all that the joint can do.",
    )  # fmt: skip
    span.add_argument("trial", metavar="TRIAL", help="labelled markers: .c3d or .trc")
    span.add_argument("--parent", required=True, metavar="A,B,C", help="markers of the parent (chest, pelvis)")
    span.add_argument("--child", required=True, metavar="D,E,F,G", help="markers in a ring about the end of the bone")
    span.add_argument("--rest", metavar="FROM,TO", help="seconds in which the joint is at rest (default: at first)")
    span.add_argument("--up", choices=AXES, default="z", help="axis of the trial that is up (default z)")
    span.add_argument("--margin", type=float, default=0.0, metavar="DEG", help="reach beyond the outermost poses [deg]")
    span.add_argument("-o", "--output", required=True, metavar="RANGE", help="range file to write (.json)")
    span.add_argument("--picture", metavar="PICTURE", help="also draw the range with its poses")
    span.set_defaults(run=_range)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trial", metavar="TRIAL", help="labelled markers: .c3d or .trc")
    parser.add_argument("--figure", required=True, metavar="FIGURE", help=".osim, .bvh, .xml, .urdf, or a built-in one")
    parser.add_argument("--markers", metavar="FILE", help="marker set: .toml or .json (default: the figure's frames)")
    parser.add_argument("--up", choices=AXES, default="z", help="axis of the trial that is up (default z)")
    parser.add_argument("--outlier", type=float, metavar="MM", help="markers further off count less and less")
    parser.add_argument("--hold", action="append", default=[], metavar="NAME", help="coordinate or joint to keep")
    parser.add_argument("--report", metavar="FOLDER", help="page with residuals by marker and frame to write")


def _fit(args: argparse.Namespace) -> int:
    from hitogata.capture import FitSettings, fit_body
    from hitogata.capture.body_files import write_fitted
    from hitogata.capture.marker_files import write_marker_set
    from hitogata.cli.motion_files import warnings_in_one_line

    with warnings_in_one_line():
        _ending(args.output, ".osim")
        figure, model, markers, trial = _given(args)
        problems = _told(figure, markers, trial)
        outlier = FitSettings.outlier if args.outlier is None else args.outlier / 1000
        settings = FitSettings(frames=args.frames, axes=not args.whole_links, outlier=outlier)
        held = _held(args, figure, model)
        functional = [name.strip() for name in args.functional.split(",") if name.strip()]
        found = fit_body(
            figure, markers, trial, held=held, mass=args.mass, stature=args.stature, functional=functional,
            settings=settings, progress=_progress,
        )  # fmt: skip
        print(file=sys.stderr)
        write_fitted(found, args.output, model)
        if args.save_markers:
            write_marker_set(found.figure, found.markers, args.save_markers)
        if args.angles:
            _write_angles(found.angles, model, args.angles)
        if args.report:
            _report(args.report, found.angles, model, problems, found)
    print(found)
    return 0


def _ik(args: argparse.Namespace) -> int:
    from hitogata.capture import IkSettings, osim_ik, smooth_angles, solve_ik
    from hitogata.cli.motion_files import warnings_in_one_line
    from hitogata.files.osim import read_ik_tasks

    with warnings_in_one_line():
        figure, model, markers, trial = _given(args)
        problems = _told(figure, markers, trial)
        settings = IkSettings(outlier=(args.outlier or 0.0) / 1000)
        if args.tasks:
            if model is None or args.hold or args.markers:
                raise ArgumentError("--tasks goes with an .osim figure and its own markers, without --hold")
            found = osim_ik(model, trial, read_ik_tasks(args.tasks), settings=settings).angles
        else:
            found = solve_ik(figure, markers, trial, held=_held(args, figure, model), settings=settings)
        found = smooth_angles(found, trial) if args.smooth else found
        _write_angles(found, model, args.output)
        if args.filled:
            _write_filled(found, trial, args.filled)
        if args.report:
            _report(args.report, found, model, problems, None)
    print(found)
    if found.filled.any():
        print(f"{int(found.filled.any(axis=1).sum())} frames with coordinates that no marker told, filled from others")
    return 0


def _range(args: argparse.Namespace) -> int:
    import math

    from hitogata.capture import measure_range
    from hitogata.cli.motion_files import warnings_in_one_line

    rest = None
    if args.rest is not None:
        try:
            start, end = (float(part) for part in args.rest.split(","))
        except ValueError:
            raise ArgumentError(f"--rest: two times in seconds with a comma between, got {args.rest!r}") from None
        rest = start, end
    parent, child = ([name.strip() for name in text.split(",") if name.strip()] for text in (args.parent, args.child))
    with warnings_in_one_line():
        _ending(args.output, ".json")
        found = measure_range(_trial(args), parent, child, rest=rest, margin=math.radians(args.margin))
        found.fit.range.save(args.output)
        if args.picture:
            from hitogata.rom.plot import plot_range

            poses = found.motion.quat[found.motion.sure]
            shown = poses[:: max(1, len(poses) // 2000)]
            plot_range(found.fit.range, args.picture, title=pathlib.Path(args.trial).name, cloud=shown)
    print(found)
    return 0


def _trial(args: argparse.Namespace) -> Any:
    """The trial, its axes turned."""
    from hitogata.files import Axes, read_c3d, read_trc

    axes = Axes[AXES[args.up]]
    if _ending(args.trial, ".c3d", ".trc") == ".c3d":
        return read_c3d(args.trial, axes=axes).markers
    return read_trc(args.trial, axes=axes)


def _given(args: argparse.Namespace) -> tuple[Any, Any, Any, Any]:
    """Figure, its OpenSim model or None, markers and trial."""
    from hitogata.capture import markers_on
    from hitogata.capture.marker_files import read_marker_set
    from hitogata.cli.motion_files import figure_named
    from hitogata.files.osim import figure_from_osim, read_osim

    model = None
    if pathlib.Path(args.figure).suffix.lower() == ".osim":
        model = read_osim(args.figure)
        figure = figure_from_osim(model, coordinates=True)
    else:
        figure = figure_named(args.figure, None)
    trial = _trial(args)
    markers = read_marker_set(figure, args.markers) if args.markers else markers_on(figure, trial.labels)
    return figure, model, markers, trial


def _told(figure: Any, markers: Any, trial: Any) -> tuple[str, ...]:
    """Problems of the trial, said on stderr."""
    from hitogata.capture import check_trial

    problems = check_trial(figure, markers, trial)
    for line in problems:
        print(f"hitogata: {line}", file=sys.stderr)
    return problems


def _held(args: argparse.Namespace, figure: Any, model: Any) -> Any:
    """What is asked to be held, and what the model locks."""
    import numpy as np

    from hitogata.capture.ik import held_mask
    from hitogata.files.osim import coordinate_names

    mask = held_mask(figure, args.hold)
    if model is not None:
        mask = mask | np.array([model.coordinate(name).locked for name in coordinate_names(model, figure)])
    return mask


def _progress(line: str) -> None:
    print(f"\r{line[:100]:<100}", end="", file=sys.stderr, flush=True)


def _write_angles(angles: Any, model: Any, path: str) -> None:
    from hitogata.capture.osim_ik import coordinate_table
    from hitogata.files import write_storage

    if _ending(path, ".npz", ".mot", ".sto") == ".npz":
        angles.trajectory.save(path)
        return
    if model is None:
        raise ArgumentError(f"{path}: tables of coordinates are of .osim figures; write .npz")
    write_storage(coordinate_table(model, angles), path)


def _write_filled(angles: Any, trial: Any, path: str) -> None:
    from hitogata.capture import fill_gaps
    from hitogata.files import write_c3d, write_trc

    data = fill_gaps(angles, trial)
    if _ending(path, ".c3d", ".trc") == ".trc":
        write_trc(data, path)
    else:
        write_c3d(data, path)


def _report(folder: str, angles: Any, model: Any, problems: Any, fit: Any) -> None:
    from hitogata.capture.ik_report import write_ik_report
    from hitogata.files.osim import coordinate_names

    names = None if model is None else coordinate_names(model, angles.figure)
    print(f"report      {write_ik_report(folder, angles, fit=fit, problems=problems, names=names)}")


def _ending(path: str, *known: str) -> str:
    kind = pathlib.Path(path).suffix.lower()
    if kind not in known:
        raise FileFormatError(f"{path}: expected {' or '.join(known)}, got {kind or 'no ending'}")
    return kind
