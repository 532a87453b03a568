"""`hitogata dynamics`: the forces behind a recorded motion."""

import argparse
from typing import Any


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("model", metavar="MODEL", help="OpenSim model (.osim)")
    parser.add_argument("motion", metavar="MOTION", help="coordinates over time (.mot, .sto)")
    parser.add_argument("-o", "--output", required=True, metavar="TABLE", help="generalized forces to write (.sto)")
    parser.add_argument("--loads", metavar="XML", help="external loads (ExternalLoads file beside its table)")
    parser.add_argument("--loads-table", metavar="TABLE", help="their table, if the file names none (.mot, .sto)")
    parser.add_argument("--cutoff", type=float, metavar="HZ", help="zero-phase low-pass on coordinates (default: none)")
    parser.add_argument("--window", type=float, nargs=2, metavar=("FROM", "TO"), help="times [s] (default: all)")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from hitogata.cli.motion_files import warnings_in_one_line
    from hitogata.dynamics.recorded import recorded_dynamics
    from hitogata.files import read_storage, write_storage
    from hitogata.files.osim import read_osim

    with warnings_in_one_line():
        found = recorded_dynamics(
            read_osim(args.model),
            read_storage(args.motion),
            loads=_loads(args),
            cutoff=args.cutoff,
            window=tuple(args.window) if args.window else None,
        )
        table = found.table()
        write_storage(table, args.output)
    for note in found.notes:
        print(f"note        {note}")
    print(f"model       {found.mechanism.name}: {len(found.mechanism.bodies)} bodies, {len(table.columns)} coordinates")
    print(f"rows        {len(table.time)}, {table.time[0]:g} to {table.time[-1]:g} s; {table.comments[0]}")
    for name, column in zip(table.columns, table.values.T, strict=True):
        print(f"  {name:<32} {column.min():10.3f} to {column.max():10.3f} {'N m' if name.endswith('moment') else 'N'}")
    return 0


def _loads(args: argparse.Namespace) -> Any:
    """External loads and their table, or None."""
    from hitogata.errors import ArgumentError
    from hitogata.files import read_storage
    from hitogata.files.osim import read_external_loads

    if args.loads is None:
        return None
    loads = read_external_loads(args.loads)
    path = args.loads_table or loads.datafile
    if path is None:
        raise ArgumentError(f"{args.loads}: it names no table: give --loads-table")
    return loads, read_storage(path)
