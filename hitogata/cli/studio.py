"""`hitogata studio`: the page in which a figure lives."""

import argparse
import sys
from pathlib import Path
from typing import Any

EPILOG = "FIGURE is a built-in figure (virtual_human, human28, bear ...) or a file: .xml (MJCF), .urdf, .bvh, .osim"


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("figure", nargs="?", default="virtual_human", metavar="FIGURE", help="default: virtual_human")
    parser.add_argument("--motion", metavar="FILE", help="a motion to play: .bvh (carried over to the figure) or .npz")
    parser.add_argument("--capture", metavar="FILE", help="markers to look at and mend: .c3d or .trc")
    parser.add_argument("--marker-set", metavar="FILE", help="of the figure: .toml or .json; the body is fitted")
    parser.add_argument("--cameras", metavar="FILE", help="calibrated cameras of the markers: .toml or .json")
    parser.add_argument("--port", type=int, default=8080, help="of the page (default: 8080; taken: the next free one)")
    parser.add_argument("--editor-port", type=int, default=0, metavar="PORT",
                        help="of the frame with the polar editor (default: any free one)")  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine alone)")
    parser.add_argument("--out", default="out/studio", metavar="FOLDER", help="where files are written")
    parser.add_argument("--no-shadows", action="store_true", help="faster on slow machines")
    parser.add_argument("--open", action="store_true", help="also open the page in a browser")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Open the studio until it is interrupted."""
    from hitogata.studio import Studio, StudioOptions

    options = StudioOptions(
        host=args.host, port=args.port, editor_port=args.editor_port, folder=Path(args.out), shadows=not args.no_shadows
    )
    if not options.loopback:
        print(f"hitogata: warning: --host {args.host}: everyone who can reach this machine there can use the studio, "
              "upload files to it and write to its folder", file=sys.stderr)  # fmt: skip
    with Studio(args.figure, motion=args.motion, options=options) as studio:
        if args.port and not studio.address.endswith(f":{args.port}"):
            print(f"Port {args.port} is taken.")
        if args.capture:
            studio.post("The trial", lambda: _show_capture(studio, args))
        print(f"The studio is open at  {studio.address}   (Ctrl-C ends it)", flush=True)
        if args.open:
            import webbrowser

            webbrowser.open(studio.address)
        studio.wait()
    return 0


def _show_capture(studio: Any, args: argparse.Namespace) -> None:
    """A trial, the body fitted into it if a marker set is given."""
    import dataclasses

    from hitogata.capture.marker_files import read_marker_set
    from hitogata.studio.capture_trial import load_cameras, load_trial

    trial, said = load_trial(args.capture)
    if args.cameras:
        trial = dataclasses.replace(trial, cameras=load_cameras(args.cameras))
    if args.marker_set:
        figure = studio.stage.figure
        trial, _ = dataclasses.replace(trial, marker_set=read_marker_set(figure, args.marker_set)).fitted(figure)
    studio.show_trial(trial, said)
