"""`hitogata muscles`: the muscle forces behind a recorded motion."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from hitogata.muscle import MuscleSet, MuscleSolution

COSTS = {"squares": "SQUARES", "cubes": "CUBES", "volume": "VOLUME", "force": "FORCE", "greatest": "GREATEST"}


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("motion", metavar="MOTION", help="coordinates over time (.mot, .sto), or a .bvh file")
    parser.add_argument(
        "--model", metavar="MODEL", help="OpenSim model with muscles (.osim); a .bvh file needs none: it goes to the "
        "built-in body of 366 muscles",
    )  # fmt: skip
    parser.add_argument("--stature", type=float, metavar="M", help="of the built-in body (default: 1.741)")
    parser.add_argument("--mass", type=float, metavar="KG", help="of the built-in body (default: 73)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="folder for the page and its tables")
    parser.add_argument("--loads", metavar="XML", help="external loads (ExternalLoads file beside its table)")
    parser.add_argument("--loads-table", metavar="TABLE", help="their table, if the file names none (.mot, .sto)")
    parser.add_argument("--cutoff", type=float, default=6.0, metavar="HZ", help="low-pass on coordinates (default: 6)")
    parser.add_argument("--window", type=float, nargs=2, metavar=("FROM", "TO"), help="times [s] (default: all)")
    parser.add_argument("--cost", choices=sorted(COSTS), default="squares", help="what is least (default: squares)")
    parser.add_argument("--reserve", type=float, default=1.0, help="cost of reserves per (N m)² (default: 1)")
    parser.add_argument("--smooth", type=float, default=0.0, help="cost of changes from frame to frame (default: none)")
    parser.add_argument("--elastic-tendons", action="store_true", help="tendons give as they pull (default: rigid)")
    parser.add_argument("--emg", metavar="TABLE", help="activations to follow, columns named as muscles (.sto, .mot)")
    parser.add_argument("--threads", type=int, default=1, help="to share frames over (default: 1)")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    if args.motion.lower().endswith(".bvh") and args.model is None:
        return _run_bvh(args)
    import numpy as np

    from hitogata.cli.dynamics import _loads
    from hitogata.cli.motion_files import warnings_in_one_line
    from hitogata.dynamics.recorded import recorded_dynamics
    from hitogata.errors import ArgumentError
    from hitogata.files import read_storage
    from hitogata.files.osim import read_osim
    from hitogata.muscle import Cost, ForceOptions, muscle_forces, muscles_from_osim, recorded_contact_forces
    from hitogata.muscle.report import write_muscle_report

    if args.model is None:
        raise ArgumentError(f"{args.motion}: say whose coordinates they are: --model MODEL.osim")
    with warnings_in_one_line():
        model = read_osim(args.model)
        muscles = muscles_from_osim(model)
        if not muscles.muscles:
            raise ArgumentError(f"{args.model}: the model has no muscles")
        window = tuple(args.window) if args.window else None
        cutoff = args.cutoff if args.cutoff > 0 else None
        motion = recorded_dynamics(model, read_storage(args.motion), loads=_loads(args), cutoff=cutoff, window=window)
        emg = {}
        if args.emg:
            table = read_storage(args.emg)
            if motion.time[0] < table.time[0] - 1e-6 or motion.time[-1] > table.time[-1] + 1e-6:
                raise ArgumentError(
                    f"{args.emg}: it has {table.time[0]:g} to {table.time[-1]:g} s, not all of the motion"
                )
            emg = {name: np.interp(motion.time, table.time, table.column(name)) for name in table.columns}
    options = ForceOptions(
        Cost[COSTS[args.cost]], args.reserve, emg=emg, smooth=args.smooth, elastic_tendons=args.elastic_tendons
    )
    found = muscle_forces(
        muscles, motion.q, motion.qd, motion.free_forces, options=options, times=motion.time, threads=args.threads,
        progress=_progress,
    )  # fmt: skip
    page = write_muscle_report(args.output, found, motion, recorded_contact_forces(found, motion))
    _tell(muscles, found, motion.notes, page)
    return 0


def _run_bvh(args: argparse.Namespace) -> int:
    """A motion of any human figure on the built-in body."""
    from hitogata.cli.motion_files import warnings_in_one_line
    from hitogata.errors import ArgumentError
    from hitogata.files import read_bvh
    from hitogata.muscle import Cost, ForceOptions, muscles_of_motion, musculoskeletal
    from hitogata.muscle.report import write_muscle_report

    for name in ("loads", "loads_table", "emg", "window"):
        if getattr(args, name):
            raise ArgumentError(f"--{name.replace('_', '-')} goes with a recording of an OpenSim model, not with a BVH")
    with warnings_in_one_line():
        muscles = musculoskeletal(args.stature, args.mass)
        options = ForceOptions(
            Cost[COSTS[args.cost]], args.reserve, smooth=args.smooth, settle_nodes=True,
            elastic_tendons=args.elastic_tendons,
        )  # fmt: skip
        cutoff = args.cutoff if args.cutoff > 0 else None
        found = muscles_of_motion(
            read_bvh(args.motion), muscles, cutoff=cutoff, options=options, threads=args.threads, progress=_progress
        )
    page = write_muscle_report(args.output, found.solution, found.motion, found.contact)
    _tell(muscles, found.solution, (), page)
    return 0


def _tell(muscles: "MuscleSet", found: "MuscleSolution", notes: tuple[str, ...], page: "Path") -> None:
    """What was found, in short."""
    import numpy as np

    print(f"model       {muscles}")
    print(
        f"frames      {int(found.good.sum())} of {len(found.good)} solved; optimality {np.nanmax(found.optimality):.1e}"
    )
    for note in (*notes, *found.notes):
        print(f"note        {note}")
    print("busiest     mean [N]   most [N]   most active")
    for name, mean, most, active in found.busiest():
        print(f"  {name:<20} {mean:8.1f} {most:10.1f} {active:10.2f}")
    worst = np.nanmax(np.abs(found.reserves), axis=0)
    for name, reserve in sorted(zip(found.coordinates, worst, strict=True), key=lambda pair: -pair[1])[:5]:
        print(f"reserve     {name:<20} {reserve:8.3f}")
    print(f"page        {page}")


def _progress(done: int, total: int) -> None:
    """Frames done, on one line of stderr, where someone looks."""
    if sys.stderr.isatty():
        print(f"\r{done}/{total} frames", end="\n" if done == total else "", file=sys.stderr, flush=True)
