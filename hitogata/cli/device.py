"""`hitogata device`: simulated devices, and what is being sent."""

import argparse
import sys
from typing import Any

from hitogata.errors import ArgumentError


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the commands' arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    play = actions.add_parser(
        "play", help="stream a recording as a device would",
        description="Stream a recording in real time, as a device would, with the faults that devices have.",
    )  # fmt: skip
    play.add_argument("file", help=".c3d, .trc, .mot, .sto, .csv; or sample:markers, :plate, :gaze, :emg, :tracker")
    play.add_argument("--kind", choices=("markers", "points", "force_plate", "emg", "angles", "gaze", "tracker"),
                      help="what of the file, or what its columns are")  # fmt: skip
    play.add_argument("--name", default="", help="of the stream (default: the file's)")
    play.add_argument("--source", default="", help="serial number of the device, the same after a restart")
    play.add_argument("--rate", type=float, default=0.0, metavar="HZ", help="of a table (default: its own)")
    play.add_argument("--up", choices=("x", "y", "z"), default="z", help="axis of the file's markers (default z)")
    play.add_argument("--seconds", type=float, metavar="S", help="how long (default: until stopped)")
    play.add_argument("--speed", type=float, default=1.0, help="recorded seconds in a second (default 1)")
    play.add_argument("--udp", type=int, metavar="PORT", help="as a socket device, instead of LSL; 0: any free port")
    play.add_argument("--drift", type=float, default=0.0, metavar="PPM", help="of its clock")
    play.add_argument("--clock-start", type=float, default=100.0, metavar="S", help="its clock at the beginning")
    play.add_argument("--jitter", type=float, default=0.0, metavar="MS", help="samples come late by up to this")
    play.add_argument("--stamp-jitter", type=float, default=0.0, metavar="MS", help="stamps are off by up to this")
    play.add_argument("--loss", type=float, default=0.0, metavar="SHARE", help="of datagrams that get lost (--udp)")
    play.add_argument("--restart", type=float, action="append", default=[], metavar="S",
                      help="end and begin again, its clock set back, after so long; may be given again")  # fmt: skip
    play.add_argument("--away", type=float, default=1.0, metavar="S", help="how long it is gone then (default 1)")
    play.add_argument("--pulse", type=float, action="append", default=[], metavar="S",
                      help="an event that all devices see, in a channel 'sync'; may be given again")  # fmt: skip
    play.add_argument("--begin", type=float, metavar="S", help="on this computer's monotonic clock (default: now)")
    play.add_argument("--seed", type=int, default=0, help="of what is random")
    play.add_argument("--network", action="store_true", help="also for other computers (default: this one alone)")
    play.set_defaults(run=_play)
    listing = actions.add_parser("list", help="what is being sent now", description="List the streams of LSL.")
    listing.add_argument("--wait", type=float, default=2.0, metavar="S", help="for answers (default 2)")
    listing.add_argument("--network", action="store_true", help="also of other computers")
    listing.set_defaults(run=_list)


def _play(arguments: Any) -> None:
    import dataclasses
    import random

    from hitogata.behaviour import DatagramSender, Faults, Outlet, StreamKind, allow_network, play, with_pulses
    from hitogata.cli.record import ended_by_signals

    ended_by_signals()
    if arguments.network:
        allow_network()
    kind = None if arguments.kind is None else StreamKind[arguments.kind.upper()]
    source = _source(arguments, kind)
    if arguments.name or arguments.source or arguments.udp is not None:
        stream = dataclasses.replace(
            source.stream, name=arguments.name or source.stream.name, source=arguments.source or source.stream.source,
            numbered=arguments.udp is not None,
        )  # fmt: skip
        source = dataclasses.replace(source, stream=stream)
    if arguments.pulse:
        source = with_pulses(source, tuple(arguments.pulse))
    faults = Faults(arguments.drift, arguments.clock_start, arguments.jitter / 1000, arguments.stamp_jitter / 1000,
                    arguments.loss, tuple(arguments.restart), arguments.away, arguments.seed)  # fmt: skip
    if arguments.loss and arguments.udp is None:
        raise ArgumentError("--loss: LSL loses nothing on a connection; datagrams do (--udp)")
    rng = random.Random(arguments.seed)
    port = arguments.udp

    def sender() -> Any:
        nonlocal port
        if port is None:
            return Outlet(source.stream)
        host = "0.0.0.0" if arguments.network else "127.0.0.1"
        made = DatagramSender(source.stream, host, port, lost=lambda: rng.random() < arguments.loss)
        port = made.port  # the same after a restart
        print(f"{source.stream.name}: udp {host}:{port}", flush=True)
        return made

    print(f"{source.stream.key}: {len(source.stream.channels)} channels, {source.stream.rate:g} Hz", flush=True)
    if arguments.network:
        print("other computers can receive it", file=sys.stderr)
    played = play(source, sender, faults, seconds=arguments.seconds, speed=arguments.speed, begin=arguments.begin)
    print(played.to_json(), flush=True)


def _source(arguments: Any, kind: Any) -> Any:
    from hitogata.behaviour import sample_source, source_of
    from hitogata.files import Axes

    if arguments.file.startswith("sample:"):
        return sample_source(arguments.file.partition(":")[2])
    axes = {"x": Axes.X_UP, "y": Axes.Y_UP_X_FORWARD, "z": Axes.KEEP}[arguments.up]
    return source_of(arguments.file, kind, name=arguments.name, rate=arguments.rate, axes=axes)


def _list(arguments: Any) -> None:
    from hitogata.behaviour import Inlet, allow_network, found_streams
    from hitogata.errors import HitogataError

    if arguments.network:
        allow_network()
    infos = found_streams(arguments.wait)
    for info in infos:
        try:
            inlet = Inlet(info, timeout=2.0)
        except HitogataError as error:
            print(error)
            continue
        s = inlet.stream
        inlet.close()
        print(f"{s.key}: {s.kind.name.lower()}, {len(s.channels)} channels, {s.rate:g} Hz, on {info.hostname()}")
    if not infos:
        print("no streams")
