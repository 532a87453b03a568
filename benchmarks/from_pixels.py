"""From pixels to joint angles: eight 512² cameras, 41 markers on a walking figure, calibrated by a filmed wand.

The chain sees images only; the truth is the figure's.  Reprojection, errors of points, F1 of labels and errors of
joint angles; frames per second of the chain after the blobs, of one process from images in memory (as from files), and
live: a process for each camera.  The marker set is learned from another second of the walk (`--learn`), or from the
figure (`model_of`).  `--bvh FILE`: a recorded motion instead of the project's walk, carried over to virtual_human; with
`--own`, on its own skeleton.
"""

import argparse
import functools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from hitogata import capture
from hitogata.capture import Camera, CameraProcesses, LFrame, LiveChain, MarkerIk, Wand
from hitogata.capture.ik_report import velocity_names
from hitogata.dynamics import difference
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk

RATE, FRAMES, LEARN, ROUNDS = 252.0, 252, 126, 3


def rig():
    """Eight cameras in a ring, each with a lens of its own."""
    rng, found = np.random.default_rng(0), []
    for k in range(8):
        a = 2 * np.pi * k / 8 + 0.2
        at = (3.5 * np.cos(a), 3.5 * np.sin(a), 2.2 + 0.3 * (k % 2))
        camera = Camera.looking_at(f"c{k}", at, (0, 0, 0.9), angle=0.9, distortion=(-0.12, 0.03, 5e-4, -7e-4, 0))
        off = np.array([*[rng.normal(0, 12)] * 2, *rng.normal(0, 4, 2), *rng.normal(0, 0.01, 2), 0, 0, 0])
        found.append(camera.with_intrinsics(camera.intrinsics + off, camera.pose))
    return found


def waved(wand, count):
    t = np.linspace(0, 1, count)
    middle = np.stack([np.sin(22 * t), np.cos(16 * t + 0.5), 1 + 0.7 * np.sin(35 * t)], axis=1)
    way = np.stack([np.cos(27 * t) * np.cos(12 * t), np.sin(27 * t) * np.cos(12 * t), np.sin(12 * t)], axis=1)
    return middle[:, None] + np.array(wand.marks)[None, :, None] * way[:, None]


def calibrated(true):
    """The cameras as the wand's images tell them, and the report."""
    wand, frame = Wand(), LFrame()
    guesses = [Camera(c.name, c.size, (530, 530), (255.5, 255.5)) for c in true]
    film = capture.film_points(true, waved(wand, 150), radius=0.0095)
    seen = capture.observe(guesses, (capture.find_blobs(images) for images in film), wand)
    film = capture.film_points(true, frame.points[None], radius=0.0095)
    floor = capture.observe(guesses, (capture.find_blobs(images) for images in film), frame)
    return capture.calibrate(guesses, seen, wand, frame_pixels=floor, l_frame=frame)


def walk(bvh, own=False):
    """Figure and coordinates at the cameras' rate, its middle over the origin: frames to learn from, frames to film."""
    if bvh:
        from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
        from hitogata.motion import resample, retarget_bvh

        read = read_bvh(bvh)
        figure = figure_from_bvh(read) if own else virtual_human()
        moved = trajectory_from_bvh(read, figure) if own else retarget_bvh(read, figure).trajectory
        q = resample(figure, moved, RATE).q
    else:
        figure, q = virtual_human(), sample_walk(strides=3, rate=RATE).q
    middle = len(q) // 2
    learn, film = q[middle - FRAMES // 2 - LEARN : middle - FRAMES // 2], q[middle - FRAMES // 2 :][:FRAMES]
    shift = np.zeros(q.shape[1])
    shift[:2] = film[:, :2].mean(axis=0)
    return figure, learn - shift, film - shift


def images_of(path, camera):
    """What a camera's process reads: the film forwards and backwards, some times."""
    film = np.load(path, mmap_mode="r")[:, camera]
    way = [*range(FRAMES), *range(FRAMES - 2, 0, -1)] * ROUNDS
    for k in way:
        yield np.array(film[k])


def main():
    """Print the tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--bvh")
    options.add_argument("--own", action="store_true", help="the motion on its own skeleton")
    options.add_argument("--live", action="store_true", help="also a process for each camera")
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "from_pixels"])
    true = rig()
    begun = time.perf_counter()
    calibration = calibrated(true)
    print(f"calibration: {calibration.rms:.3f} px, wand {calibration.wand_rms * 1e3:.2f} mm, "
          f"{time.perf_counter() - begun:.0f} s with filming")  # fmt: skip
    figure, learn, q = walk(asked.bvh, asked.own)
    markers = capture.spread_markers(figure, 41, radius=0.0095)
    truth = markers.positions(figure, q)
    model = capture.learn_markers(markers.positions(figure, learn), markers.labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "film.npy")
        film = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=(FRAMES, 8, 512, 512))
        for k, images in enumerate(capture.film_figure(true, figure, q, markers)):
            film[k] = images
        film.flush()
        rows = []
        for name, known in (("learned", model), ("model_of", capture.model_of(figure, markers))):
            row, told = offline(calibration.cameras, film, known, figure, markers, q, truth)
            rows.append([name, *row])
        head = ["marker set", "points rms [mm]", "F1", "angles rms [deg]", "worst joint rms", "root [mm]", "frames/s"]
        table("from images in turn: points, tracks, labels, gaps, joint angles", head, rows)
        chain = LiveChain(calibration.cameras, model, RATE, MarkerIk(figure, markers))
        finder, spent, found = capture.BlobFinder(), [], []
        for images in film:
            start = time.process_time()
            blobs = [finder(image) for image in images]
            middle = time.process_time()
            found.append(chain(blobs))
            spent.append([middle - start, time.process_time() - middle])
        blob, rest = np.median(spent, axis=0)
        posed = [k for k, frame in enumerate(found) if frame.q is not None]
        off = difference(figure, np.array([found[k].q for k in posed]), q[posed]) * told[posed]
        turns = np.degrees(np.sqrt((off[:, 6:] ** 2).sum() / told[posed][:, 6:].sum()))
        print(f"\nlive chain, one process: blobs {blob * 1e3:.2f} ms, the rest {rest * 1e3:.2f} ms, together "
              f"{1 / (blob + rest):.0f} frames/s; angles {turns:.3f} deg rms "
              f"in {len(posed)} frames")  # fmt: skip
        if asked.live:
            live(path, calibration.cameras, model, figure, markers)


def offline(cameras, film, model, figure, markers, q, truth):
    """Errors of the chain for a trial."""
    start = time.process_time()
    points = capture.reconstruct(cameras, (capture.find_blobs(images) for images in film), RATE)
    labelled = capture.label(model, points.markers)
    angles = capture.solve_ik(figure, markers, labelled.markers)
    spent = time.process_time() - start
    nm = len(markers.labels)
    gap = np.linalg.norm(labelled.markers.positions[:, :nm] - truth, axis=2)
    given = np.isfinite(gap)
    right = given & (gap < 0.02)
    nearest = np.array([np.linalg.norm(p.positions[:, None] - t, axis=2).min(axis=1).tolist() if len(p) else []
                        for p, t in zip(points.points, truth, strict=True)], dtype=object)  # fmt: skip
    there = np.concatenate([np.array(each, float) for each in nearest])
    visible = np.array([[(np.linalg.norm(p.positions - m, axis=1) < 0.02).any() for m in t]
                        for p, t in zip(points.points, truth, strict=True)])  # fmt: skip
    f1 = 2 * right.sum() / (given.sum() + visible.sum())
    off = difference(figure, angles.q, q)
    turns = np.array(["turn" in name or " " not in name for name in velocity_names(figure)])
    turns[3:6] = False
    told = np.isfinite(angles.deviations)                            # coordinates that no marker tells do not count
    each = np.degrees(np.sqrt((off**2 * told).sum(axis=0) / np.maximum(told.sum(axis=0), 1)))[turns]
    share = told[:, turns].mean()
    whole = np.degrees(np.sqrt((off**2 * told)[:, turns].sum() / max(told[:, turns].sum(), 1)))
    root = np.sqrt((off[:, 3:6] ** 2).sum(axis=1).mean()) * 1e3
    names = np.array(velocity_names(figure))[turns]
    row = [f"{np.sqrt((there[there < 0.05] ** 2).mean()) * 1e3:.3f} ({(there > 0.05).sum()} ghosts)", f"{f1:.5f}",
            f"{whole:.3f} ({share:.0%} told)", f"{each.max():.2f} {names[each.argmax()]}", f"{root:.2f}",
           f"{len(q) / spent:.0f}"]  # fmt: skip
    return row, told


def live(path, cameras, model, figure, markers):
    """A process for each camera; frames per second of the whole."""
    chain = LiveChain(cameras, model, RATE, MarkerIk(figure, markers))
    with CameraProcesses([functools.partial(images_of, path, k) for k in range(8)], patience=300.0) as source:
        begun, given = None, []
        for frame in chain.frames(source):
            given.append(int((frame.labels >= 0).sum()))
            if len(given) == 60:
                begun = time.perf_counter()
        rate = (len(given) - 60) / (time.perf_counter() - begun)
        print(f"live, 8 processes and this one: {rate:.0f} frames/s over {len(given)} frames, "
              f"{np.mean(given):.1f} labels in a frame")  # fmt: skip


if __name__ == "__main__":
    main()
