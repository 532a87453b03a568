"""`hitogata capture`: calibrate, track, label; the rest stands in `capture_bodies` and `capture_live`."""

import argparse
import dataclasses
import re
from typing import Any

from hitogata.cli.capture_bodies import describe_bodies
from hitogata.cli.capture_io import add_threshold, counted, markers_of, read_points, write_points
from hitogata.cli.capture_live import describe_live
from hitogata.errors import ArgumentError

_FOLDERS = """\
A folder of images has one entry for each camera, named after it: a folder of pictures, a .npy stack (uint8, frames x
height x width), or a video."""


def describe(parser: argparse.ArgumentParser) -> None:
    """Add the commands' arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    form = argparse.RawDescriptionHelpFormatter

    calibrate = actions.add_parser(
        "calibrate", help="cameras from images of a wand, or lenses from a chessboard", epilog=_FOLDERS,
        formatter_class=form,
        description="Calibrate cameras from images of a waved wand and an L-frame on the floor; or with --board their "
        "lenses, from images of a chessboard.",
    )  # fmt: skip
    calibrate.add_argument("wand", metavar="FOLDER", help="images of the wand, or of the board")
    calibrate.add_argument("--cameras", required=True, metavar="FILE", help="names, sizes, focal lengths, about right")
    calibrate.add_argument("-o", "--output", required=True, metavar="FILE", help="cameras to write: .toml or .json")
    calibrate.add_argument("--frame", metavar="FOLDER", help="images of the L-frame (default: none)")
    calibrate.add_argument("--marks", default="0,180,500", metavar="MM", help="markers on the wand (default 0,180,500)")
    calibrate.add_argument(
        "--l-frame", default="200,600,350", metavar="MM",
        help="markers of the L-frame: two along x, one along y (default 200,600,350)",
    )  # fmt: skip
    calibrate.add_argument(
        "--board", metavar="COLUMNSxROWS:MM", help="a chessboard: inner corners along both sides, size of its squares"
    )  # fmt: skip
    add_threshold(calibrate)
    calibrate.set_defaults(run=_calibrate)

    track = actions.add_parser(
        "track", help="points from images", epilog=_FOLDERS, formatter_class=form,
        description="Find markers in the images of calibrated cameras, and follow them.",
    )  # fmt: skip
    track.add_argument("images", metavar="FOLDER", help="images of the cameras")
    track.add_argument("--cameras", required=True, metavar="FILE", help="calibrated cameras")
    track.add_argument("--rate", type=float, required=True, metavar="HZ", help="frames per second")
    track.add_argument("-o", "--output", required=True, metavar="FILE", help="points to write: .c3d or .trc")
    add_threshold(track)
    track.set_defaults(run=_track)

    label = actions.add_parser(
        "label", help="names for points, or better ones",
        description="Label points by what is known of the marker set; also mends files with wrong labels.",
    )  # fmt: skip
    label.add_argument("points", metavar="FILE", help=".c3d or .trc, with or without labels")
    label.add_argument("-o", "--output", required=True, metavar="FILE", help="labelled points to write: .c3d or .trc")
    label.add_argument("--model", metavar="FILE", help="a labelled trial or pose of the same set (default: the file)")
    label.add_argument("--report", action="store_true", help="say what became of every label")
    label.set_defaults(run=_label)
    describe_bodies(actions)
    describe_live(actions)


def _millimetres(text: str, count: int, what: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) / 1000 for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != count:
        raise ArgumentError(f"{what}: expected {count} numbers in mm with commas between, got {text!r}")
    return numbers


def _calibrate(arguments: Any) -> None:
    from hitogata.capture import BlobSettings, LFrame, Wand, calibrate, observe, read_cameras, write_cameras
    from hitogata.capture.images import blobs_of

    if arguments.board:
        _calibrate_lenses(arguments)
        return
    wand = Wand(_millimetres(arguments.marks, 3, "--marks"))
    near, far, aside = _millimetres(arguments.l_frame, 3, "--l-frame")
    l_frame, settings = LFrame((near, far), aside), BlobSettings(threshold=arguments.threshold)
    cameras = read_cameras(arguments.cameras)
    seen = observe(cameras, counted(blobs_of(arguments.wand, cameras, settings), "wand"), wand)
    floor = observe(cameras, blobs_of(arguments.frame, cameras, settings), l_frame) if arguments.frame else None
    found = calibrate(cameras, seen, wand, frame_pixels=floor, l_frame=l_frame)
    write_cameras(found.cameras, arguments.output)
    print(found)


def _calibrate_lenses(arguments: Any) -> None:
    from hitogata.capture import Board, calibrate_lenses, observe_board, read_cameras, write_cameras
    from hitogata.capture.images import images_of

    if arguments.frame:
        raise ArgumentError("--frame goes with a wand: a board tells lenses, not where the cameras stand")
    parts = re.fullmatch(r"(\d+)[xX](\d+):([\d.]+)", arguments.board)
    if not parts:
        raise ArgumentError(f"--board: expected COLUMNSxROWS:MM, as 9x6:25, got {arguments.board!r}")
    (size,) = _millimetres(parts[3], 1, "--board")
    board, cameras = Board(int(parts[1]), int(parts[2]), size), read_cameras(arguments.cameras)
    seen = [observe_board(board, counted(images_of(arguments.wand, camera), camera.name)) for camera in cameras]
    found = calibrate_lenses(cameras, seen, board)
    if not any(report.rms >= 0 for report in found.reports):
        raise ArgumentError(f"no lens could be calibrated: {'; '.join(found.problems)}")
    write_cameras(found.cameras, arguments.output)
    print(found)


def _track(arguments: Any) -> None:
    from hitogata.capture import BlobSettings, read_cameras, reconstruct
    from hitogata.capture.images import blobs_of

    cameras = read_cameras(arguments.cameras)
    blobs = blobs_of(arguments.images, cameras, BlobSettings(threshold=arguments.threshold))
    found = reconstruct(cameras, counted(blobs, "points"), arguments.rate)
    write_points(found.markers, arguments.output)
    print(found.markers)


def _label(arguments: Any) -> None:
    from hitogata.capture import label, label_by_pose, learn_markers, repair_labels
    from hitogata.capture.marker_model import is_still

    whole = read_points(arguments.points)
    markers = getattr(whole, "markers", whole)
    if arguments.model is None:
        mended = repair_labels(markers)
        found, report = mended.labelled, mended.report()
    else:
        known = markers_of(arguments.model)
        still = is_still(known.positions[:, known.labelled])
        found = label_by_pose(known, markers).labelled if still else label(learn_markers(known), markers)
        report = found.report()
    if whole is not markers and arguments.output.lower().endswith(".c3d"):
        write_points(dataclasses.replace(whole, markers=found.markers), arguments.output)
    else:
        write_points(found.markers, arguments.output)
    changed = _changed(markers, found)
    print(f"{found.markers}\n{changed} labels changed; searched without history in {found.searches} frames")
    if arguments.report or found.problems:
        print(report)


def _changed(before: Any, found: Any) -> int:
    """Frames and labels that had a point before and have another one now."""
    columns = {label: k for k, label in enumerate(before.labels)}
    pairs = [(m, columns[label]) for m, label in enumerate(found.markers.labels) if label in columns]
    here = [(m, k) for m, k in pairs if m < found.points.shape[1]]
    return int(sum((before.seen[:, k] & (found.points[:, m] != k)).sum() for m, k in here))
