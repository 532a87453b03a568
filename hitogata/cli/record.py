"""`hitogata record`: all devices into one file; and what is in such a file."""

import argparse
import signal
import sys
import time
from typing import Any

from hitogata.errors import ArgumentError


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("output", metavar="FILE", help=".mcap to record into; with --info or --convert, to read")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help="every stream of LSL, also those that come later (default)")
    what.add_argument("--stream", action="append", default=[], metavar="NAME", help="only this; may be given again")
    what.add_argument("--info", action="store_true", help="say what is in a recording")
    what.add_argument("--convert", metavar="FILE", help="write a recording as .mcap, .xdf, .csv, .sto, .trc or .c3d")
    parser.add_argument("--udp", action="append", default=[], metavar="HOST:PORT", help="a socket device, too")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long (default: until Ctrl-C)")
    parser.add_argument("--begin", type=float, metavar="S", help="of what is converted")
    parser.add_argument("--end", type=float, metavar="S", help="of what is converted")
    parser.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="of tables converted to (default 100)")
    parser.add_argument("--page", type=int, nargs="?", const=8765, metavar="PORT", help="a page of how it goes")
    parser.add_argument("--network", action="store_true", help="other computers' devices, and the page for them, too")
    parser.add_argument("--quiet", action="store_true", help="no status line")
    parser.set_defaults(run=_run)


def _run(arguments: Any) -> None:
    if arguments.info or arguments.convert:
        _read(arguments)
    else:
        _record(arguments)


def _read(arguments: Any) -> None:
    from hitogata.behaviour import open_recording
    from hitogata.behaviour.export import export

    recording = open_recording(arguments.output)
    if arguments.begin is not None or arguments.end is not None:
        begin = recording.begin if arguments.begin is None else arguments.begin
        recording = recording.cut(begin, recording.end if arguments.end is None else arguments.end)
    if arguments.info:
        print(recording)
        for note in recording.notes:
            print(f"  {note['time']:9.2f} s  {note.get('text', '')}")
        return
    export(recording, arguments.convert, rate=arguments.rate)
    print(f"wrote {arguments.convert}")


def _record(arguments: Any) -> None:
    from hitogata.behaviour import DatagramInlet, Recorder, allow_network, lsl_finder
    from hitogata.behaviour.status_page import StatusPage, status_line

    if arguments.network:
        allow_network()
    ended_by_signals()
    wanted = set(arguments.stream)
    inlets = [DatagramInlet(*_address(text)) for text in arguments.udp]
    find = None
    if not (arguments.udp and not arguments.all and not wanted):
        find = lsl_finder((lambda stream: stream.name in wanted) if wanted else None)

    def said(text: str) -> None:
        print(f"\r\033[K{text}" if sys.stderr.isatty() else text, file=sys.stderr, flush=True)

    with Recorder(arguments.output, inlets=inlets, find=find, said=said) as recorder:
        page = None
        if arguments.page is not None:
            page = StatusPage(recorder, "0.0.0.0" if arguments.network else "127.0.0.1", arguments.page)
            said(f"status: {page.address}" + (", for other computers too" if arguments.network else ""))
        end = None if arguments.seconds is None else time.monotonic() + arguments.seconds
        try:
            while end is None or time.monotonic() < end:
                time.sleep(0.5 if end is None else max(0.0, min(0.5, end - time.monotonic())))
                if not arguments.quiet and sys.stderr.isatty():
                    print(f"\r\033[K{status_line(recorder)}", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pass  # the way to end it
        if page is not None:
            page.close()
    for status in recorder.status.values():
        s = status
        print(f"{s.topic}: {s.written} samples written, {s.lost} lost, {s.dropped} let go, {s.jumps} restarts")
    print(f"wrote {arguments.output}")


def ended_by_signals() -> None:
    """Let Ctrl-C and SIGTERM end the command in order, also where a script started it in the background."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit():
        raise ArgumentError(f"--udp {text}: HOST:PORT expected")
    return host or "127.0.0.1", int(port)
