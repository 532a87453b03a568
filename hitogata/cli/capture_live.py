"""`hitogata capture serve` and `live`: cameras on the network, and the whole chain from them while they film."""

import argparse
import contextlib
import functools
import itertools
import pathlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hitogata.cli.capture_io import add_threshold, markers_of, points_kind, write_points
from hitogata.errors import ArgumentError

PORT = 7300
"""Of the first camera; the others have those that follow."""


def describe_live(actions: Any) -> None:
    """Add both commands."""
    serve = actions.add_parser(
        "serve", help="play images as cameras on the network would",
        description="Each camera plays its images and sends blobs, or whole images, to whoever connects.",
    )  # fmt: skip
    serve.add_argument("images", metavar="FOLDER", help="images of the cameras")
    _of_cameras(serve)
    serve.add_argument("--port", type=int, default=PORT, help=f"of the first camera, the others follow ({PORT})")
    serve.add_argument("--lsl", action="store_true", help="blobs as streams of LSL, instead of sockets")
    serve.add_argument("--whole", action="store_true", help="send images, not their blobs (sockets only)")
    serve.add_argument("--times", type=int, default=1, metavar="N", help="play forwards and backwards so often (1)")
    serve.add_argument("--wait", type=float, default=0.0, metavar="S", help="begin after so long (default: at once)")
    add_threshold(serve)
    serve.set_defaults(run=_serve)

    live = actions.add_parser(
        "live", help="points, labels and joint angles while the cameras film",
        description="Points, labels and, with a figure, joint angles from cameras on the network or images on disk.",
    )  # fmt: skip
    live.add_argument("source", metavar="SOURCE", help="HOST:PORT of the first camera, the others at the ports that "
                      "follow; A:P,B:Q,... of each; lsl; or a folder of images")  # fmt: skip
    _of_cameras(live)
    live.add_argument("--model", metavar="FILE", help="labelled trial from which the marker set is learned")
    live.add_argument("--figure", metavar="FIGURE", help="whose joint angles are solved: .osim, .bvh ... or built in")
    live.add_argument("--markers", metavar="FILE", help="marker set on the figure: .toml or .json")
    live.add_argument("-o", "--output", metavar="FILE", help="labelled points to write in the end: .c3d or .trc")
    live.add_argument("--send", metavar="NAME", help="also stream the markers by LSL, under this name")
    live.add_argument("--seconds", type=float, metavar="S", help="how long (default: until the cameras end, or Ctrl-C)")
    live.add_argument("--lag", type=float, default=50.0, metavar="MS", help="a camera that is later is not waited for")
    live.add_argument("--studio", action="store_true", help="show it in the studio")
    live.add_argument("--network", action="store_true", help="LSL also with other computers")
    add_threshold(live)
    live.set_defaults(run=_live)


def _of_cameras(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cameras", required=True, metavar="FILE", help="the cameras: .toml or .json")
    parser.add_argument("--rate", type=float, required=True, metavar="HZ", help="frames per second")


# ------------------------------------------------------- cameras


def _serve(args: argparse.Namespace) -> int:
    from hitogata.behaviour import CameraOutlet
    from hitogata.capture import CameraServer, find_blobs, read_cameras
    from hitogata.capture.images import images_of

    if args.lsl and args.whole:
        raise ArgumentError("--whole: images go through sockets only, not through LSL")
    if not args.rate > 0 or args.times < 1:
        raise ArgumentError("--rate and --times must be positive")
    cameras = read_cameras(args.cameras)
    for camera in cameras:
        find_blobs([next(images_of(args.images, camera))])  # that there are images is told here; and compiled once
    together = threading.Barrier(len(cameras))
    ends: list[Any] = [
        CameraOutlet(camera.name, args.rate) if args.lsl else CameraServer(port=args.port + k)
        for k, camera in enumerate(cameras)
    ]
    threads = [threading.Thread(target=_play, args=(args, camera, end, together), daemon=True)
               for camera, end in zip(cameras, ends, strict=True)]  # fmt: skip
    for thread in threads:
        thread.start()
    print(f"{len(cameras)} cameras: {'LSL' if args.lsl else f'127.0.0.1:{args.port} and on'}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        for thread in threads:
            thread.join()
    lost = sum(getattr(end, "lost", 0) for end in ends)
    print(f"ended; {lost} frames were not sent: the receiver was too slow")
    return 0


def _play(args: argparse.Namespace, camera: Any, end: Any, together: threading.Barrier) -> None:
    """What a camera does: all begin together, when the last is connected."""
    from hitogata.capture import BlobSettings, serve_camera

    film = _played(args, camera)
    while not end.receivers:
        time.sleep(0.01)
    together.wait()
    begin = time.monotonic() + args.wait
    serve_camera(film, end, args.rate, settings=BlobSettings(threshold=args.threshold), whole=args.whole, begin=begin)
    end.close()


def _played(args: argparse.Namespace, camera: Any) -> Iterable[Any]:
    """The images; more than once, forwards and backwards, so that nothing leaps."""
    from hitogata.capture.images import images_of

    if args.times == 1:
        return images_of(args.images, camera)
    film = list(images_of(args.images, camera))
    return itertools.chain(film, *(film[1:] if k % 2 == 0 else film[-2::-1] for k in range(1, args.times)))


# ------------------------------------------------------- the chain


def _live(args: argparse.Namespace) -> int:
    from hitogata.behaviour import allow_network
    from hitogata.capture import BlobSettings, CameraProcesses, LiveChain, MarkerIk, marker_data, read_cameras
    from hitogata.cli.motion_files import figure_named

    if args.network:
        allow_network()
    if args.output:
        points_kind(args.output)
    cameras = read_cameras(args.cameras)
    figure = figure_named(args.figure, None) if args.figure else None
    markers, model = _marker_sets(args, figure)
    ik = MarkerIk(figure, markers) if figure is not None and markers is not None else None
    chain = LiveChain(cameras, model, args.rate, ik)
    on_disk = pathlib.Path(args.source).is_dir()
    lag = None if on_disk else args.lag / 1000
    settings, names = BlobSettings(threshold=args.threshold), [camera.name for camera in cameras]
    with CameraProcesses(list(_sources(args, cameras)), settings, lag=lag, names=names, threads=not on_disk) as live:
        take = _Take(args, chain, live)
        try:
            if args.studio:
                _shown(take, figure, markers)
            else:
                for _ in take.frames():
                    pass
        except KeyboardInterrupt:
            pass
    print(file=sys.stderr)
    for problem in live.problems:
        print(f"hitogata: {problem}", file=sys.stderr)
    if not take.kept:
        raise ArgumentError(f"{args.source}: no frame has come")
    print(f"{len(take.kept)} frames, {take.pace:.0f} frames/s, {live.incomplete} without a camera")
    data = marker_data(take.kept, model.labels, args.rate)
    print(data)
    if args.output:
        write_points(data, args.output)
    return 0


class _Take:
    """Frames that come, are kept, sent and told."""

    def __init__(self, args: argparse.Namespace, chain: Any, live: Any) -> None:
        self.args, self.chain, self.live = args, chain, live
        self.kept: list[Any] = []
        self.begun = self.last = 0.0
        self._send = _sender(args, chain.model.labels)

    @property
    def pace(self) -> float:
        """Frames per second."""
        return (len(self.kept) - 1) / max(self.last - self.begun, 1e-6)

    def frames(self) -> Iterator[Any]:
        """Until the cameras end, too many are lost, or time is over."""
        from hitogata.capture import CameraLostError

        told = 0.0
        try:
            for frame in self.chain.frames(self.live):
                self.last = time.monotonic()
                self.begun = self.begun or self.last
                self.kept.append(frame)
                self._send(frame)
                if self.last - told > 1.0:
                    told = self.last
                    self._tell(frame)
                yield frame
                if self.args.seconds and self.last - self.begun > self.args.seconds:
                    return
        except CameraLostError:
            return  # which, and why, is in the problems

    def _tell(self, frame: Any) -> None:
        given, all_ = int((frame.labels >= 0).sum()), len(frame.labels)
        line = f"{frame.time:8.2f} s   {self.pace:4.0f} frames/s  {len(frame.points):3d} points   {given}/{all_} labels"
        print(f"\r{line}   {self.live.incomplete} without a camera", end="", file=sys.stderr, flush=True)


def _shown(take: _Take, figure: Any, markers: Any) -> None:
    """The frames in the studio, until they end."""
    from hitogata.studio import LiveFeed, Studio

    feed = LiveFeed(take.chain.model.labels, take.args.rate, figure, markers, take.chain.cameras)
    with Studio(take.args.figure or "virtual_human") as studio:
        print(f"The studio is open at  {studio.address}", flush=True)
        studio.watch_capture(feed, take.frames())
        while feed.ended is None:
            time.sleep(0.1)
        if take.kept:
            studio.post("The trial", studio.stop_capture)
        print("The cameras have ended; Ctrl-C ends the studio too.", flush=True)
        studio.wait()


def _marker_sets(args: argparse.Namespace, figure: Any) -> tuple[Any, Any]:
    """The set on the figure, or None, and what is known of how its markers lie."""
    from hitogata.capture import learn_markers, markers_on, model_of
    from hitogata.capture.marker_files import read_marker_set

    if args.markers and figure is None:
        raise ArgumentError("--markers: they sit on a figure (--figure)")
    known = learn_markers(markers_of(args.model)) if args.model else None
    if figure is None:
        if known is None:
            raise ArgumentError("labels need --model (a labelled trial), or --figure and its markers")
        return None, known
    markers = read_marker_set(figure, args.markers) if args.markers else None
    if markers is None:
        if known is None:
            raise ArgumentError(f"--figure {args.figure}: where its markers sit is not known: --markers or --model")
        markers = markers_on(figure, known.labels)
    return markers, known or model_of(figure, markers)


def _sources(args: argparse.Namespace, cameras: Any) -> Iterator[Callable[[], Iterable[Any]]]:
    """What each camera's process reads."""
    from hitogata.behaviour import frames_of_stream
    from hitogata.capture import frames_from
    from hitogata.capture.images import images_of

    if args.source == "lsl":
        yield from (functools.partial(frames_of_stream, camera.name) for camera in cameras)
        return
    if pathlib.Path(args.source).is_dir():
        yield from (functools.partial(images_of, args.source, camera) for camera in cameras)
        return
    places = [_place(text) for text in args.source.split(",")]
    if len(places) == 1:
        host, port = places[0]
        places = [(host, port + k) for k in range(len(cameras))]
    if len(places) != len(cameras):
        raise ArgumentError(f"{args.source}: {len(places)} places, but {len(cameras)} cameras in {args.cameras}")
    yield from (functools.partial(frames_from, host, port) for host, port in places)


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.strip().rpartition(":")
    if not host or not port.isdigit():
        raise ArgumentError(f"{text}: expected HOST:PORT, lsl, or a folder of images")
    return host, int(port)


def _sender(args: argparse.Namespace, labels: Any) -> Callable[[Any], None]:
    """Sends the markers of a frame."""
    if not args.send:
        return lambda frame: None
    import numpy as np

    from hitogata.behaviour import Channel, Outlet, Stream, StreamKind

    channels = tuple(Channel(f"{label}.{axis}", "m") for label in labels for axis in "xyz")
    outlet = Outlet(Stream(args.send, StreamKind.MARKERS, args.rate, channels, source=f"hitogata {args.send}"))
    return lambda frame: outlet.send(frame.markers.reshape(1, -1).astype("f4"), np.array([time.monotonic()]))
