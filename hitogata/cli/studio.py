"""`hitogata studio`: the page in which a figure lives."""

import argparse
import sys
from pathlib import Path

EPILOG = "FIGURE is a built-in figure (virtual_human, human28, bear ...) or a file: .xml (MJCF), .urdf, .bvh"


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    parser.add_argument("figure", nargs="?", default="virtual_human", metavar="FIGURE", help="default: virtual_human")
    parser.add_argument("--motion", metavar="FILE", help="a motion to play: .bvh (carried over to the figure) or .npz")
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
        print(f"The studio is open at  {studio.address}   (Ctrl-C ends it)", flush=True)
        if args.open:
            import webbrowser

            webbrowser.open(studio.address)
        studio.wait()
    return 0
