"""A laboratory without a laboratory: film a wand and a figure; from pixels to points, labels and joint angles.

python examples/35_motion_capture.py --out out/motion_capture
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hitogata import capture
from hitogata.capture import Camera, LFrame, Wand
from hitogata.dynamics import difference
from hitogata.files import write_c3d
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk

RATE, FRAMES = 120.0, 24


def rig() -> list[Camera]:
    """Six cameras in a ring, with distortion: the truth, which only the film knows."""
    angles = 2 * np.pi * np.arange(6) / 6 + 0.2
    places = [(3.5 * np.cos(a), 3.5 * np.sin(a), 2.2 + 0.3 * (k % 2)) for k, a in enumerate(angles)]
    lens = (-0.12, 0.03, 5e-4, -7e-4, 0)
    return [Camera.looking_at(f"camera{k}", at, (0, 0, 0.9), distortion=lens) for k, at in enumerate(places)]


def waved(wand: Wand, count: int) -> np.ndarray:
    """The wand's markers on a way through the room, shape (count, 3, 3)."""
    t = np.linspace(0, 1, count)
    middle = np.stack([np.sin(22 * t), np.cos(16 * t + 0.5), 1 + 0.7 * np.sin(35 * t)], axis=1)
    way = np.stack([np.cos(27 * t) * np.cos(12 * t), np.sin(27 * t) * np.cos(12 * t), np.sin(12 * t)], axis=1)
    return middle[:, None] + np.array(wand.marks)[None, :, None] * way[:, None]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/motion_capture"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    true, wand, frame = rig(), Wand(), LFrame()
    guesses = [Camera(c.name, c.size, (520, 520), (255.5, 255.5)) for c in true]
    film = capture.film_points(true, waved(wand, 80), radius=0.0095)
    seen = capture.observe(guesses, (capture.find_blobs(images) for images in film), wand)
    film = capture.film_points(true, frame.points[None], radius=0.0095)
    floor = capture.observe(guesses, (capture.find_blobs(images) for images in film), frame)
    found = capture.calibrate(guesses, seen, wand, frame_pixels=floor, l_frame=frame)
    print(found)
    capture.write_cameras(found.cameras, out / "cameras.toml")

    human = virtual_human()
    markers = capture.spread_markers(human, 41, radius=0.0095)
    q = sample_walk(strides=1, rate=RATE).q[:FRAMES]
    images = list(capture.film_figure(true, human, q, markers))
    points = capture.reconstruct(found.cameras, (capture.find_blobs(each) for each in images), RATE)
    print(points.markers)
    labelled = capture.label(capture.model_of(human, markers, bend=0.3), points.markers)
    write_c3d(labelled.markers, out / "walk.c3d")

    angles = capture.solve_ik(human, markers, labelled.markers)
    told = np.isfinite(angles.deviations)
    turned = np.degrees(np.sqrt(np.square(difference(human, angles.q, q)[told]).mean()))
    print(f"{angles}; angles to {turned:.2f}°, {told.mean():.0%} of them told by markers")

    truth = markers.positions(human, q)
    gaps = np.linalg.norm(labelled.markers.positions[:, : len(markers.labels)] - truth, axis=2)
    given = np.isfinite(gaps)
    right = gaps[given] < 0.02
    error = np.sqrt(np.square(gaps[given][right]).mean())
    print(f"{given.mean():.1%} of the labels given, {right.mean():.2%} of them right, to {1000 * error:.2f} mm")

    _, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
    axes[0].imshow(np.minimum(images[0][0].astype(float) * 3, 255), cmap="gray")
    blobs = capture.find_blobs(images[0])[0]
    axes[0].scatter(*blobs.centres.T, s=60, facecolors="none", edgecolors="tab:orange")
    axes[0].set(xlim=(130, 380), ylim=(400, 100), title=f"{found.cameras[0].name}: {len(blobs)} blobs")
    at = labelled.markers.positions[0, : len(markers.labels)]
    axes[1].scatter(at[:, 1], at[:, 2], c=markers.links, cmap="tab20", s=20)
    axes[1].scatter(truth[0, :, 1], truth[0, :, 2], s=60, facecolors="none", edgecolors="grey")
    axes[1].set(aspect="equal", title="labelled points (colour: link), truth (rings)", xlabel="y [m]", ylabel="z [m]")
    plt.savefig(out / "capture.png", dpi=90)
    assert found.rms < 0.2
    assert error < 0.001
    assert right.mean() > 0.98
    assert turned < 1.0


if __name__ == "__main__":
    main()
