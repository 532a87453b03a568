"""The film's light against closed forms and brute force; blobs against where the film's markers are."""

import numpy as np
import pytest

from hitogata.capture.blobs import BlobFinder, BlobSettings
from hitogata.capture.camera import Camera, project
from hitogata.capture.film import Filming, FilmSettings, film_figure
from hitogata.capture.marker_set import MarkerSet, spread_markers
from hitogata.capture.occluders import occluders_of
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Ellipsoid, FigureBuilder, Pose, Shape, joint
from hitogata.library import virtual_human

CAMERA = Camera.looking_at("a", (3.5, 0.3, 2.0), (0, 0, 1), angle=0.9, distortion=(-0.12, 0.03, 5e-4, -7e-4, 0))
CLEAN = FilmSettings(read_noise=0, shot_noise=0, background=0, body=0, samples=16)


def test_light_of_a_ball() -> None:
    """Area π (f r / z)², mean brightness 0.6 + 0.4 · 2/3 on the axis."""
    camera = Camera.looking_at("a", (3, 0, 1), (0, 0, 1))
    image = Filming(camera, CLEAN).image([[0.0, 0.0, 1.0]], 0.05)
    light = CLEAN.brightness * (0.6 + 0.4 * 2 / 3) * np.pi * (camera.focal[0] * 0.05) ** 2 / (9 - 0.05**2)
    assert image.sum() == pytest.approx(light, rel=0.005)


def test_blobs_are_where_the_markers_are() -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform((-0.5, -1, 0.2), (0.5, 1, 1.8), (60, 3))
    pixels = project(CAMERA, points)
    alone = (np.linalg.norm(pixels[:, None] - pixels, axis=2) + 99 * np.eye(60)).min(axis=1) > 9
    found = BlobFinder()(Filming(CAMERA).image(points, 0.0095))
    gaps = np.linalg.norm(found.centres[:, None] - pixels[None, alone], axis=2).min(axis=0)
    assert alone.sum() > 30
    assert np.sqrt((gaps**2).mean()) < 0.04  # 0.027 px in all, with noise
    assert gaps.max() < 0.12


def test_merged_blobs_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    filming, finder, errors = Filming(CAMERA), BlobFinder(), []
    across = CAMERA.pose.rotation[:, :2]
    for k in range(30):
        middle, angle = rng.uniform((-0.3, -0.8, 0.4), (0.3, 0.8, 1.6)), rng.uniform(0, np.pi)
        off = across @ (np.cos(angle), np.sin(angle)) * 0.0125 * rng.uniform(0.5, 0.9)
        pair = np.array([middle - off, middle + off])
        found = finder(filming.image(pair, 0.0125, frame=k))
        assert len(found) == 2
        gaps = np.linalg.norm(found.centres[:, None] - project(CAMERA, pair), axis=2)
        errors += [gaps.min(axis=0)]
    assert np.sqrt(np.square(errors).mean()) < 0.2


def test_components_are_those_of_a_flood_fill() -> None:
    from scipy.ndimage import label

    rng = np.random.default_rng(1)
    for width, threshold in ((64, 100), (37, 200), (11, 20)):
        image = (rng.random((40, width)) * rng.integers(0, 256, (40, width))).astype(np.uint8)
        settings = BlobSettings(threshold=threshold, smallest=1, elongation=1e9, edges=True)
        found = BlobFinder(settings)(image)
        marks, count = label(image > threshold, np.ones((3, 3)))
        assert len(found) == count
        weight = np.where(image > threshold, image.astype(float) - threshold, 0)
        for axis, grid in enumerate(np.meshgrid(np.arange(width), np.arange(40))):
            sums = [(weight * grid)[marks == k].sum() / weight[marks == k].sum() for k in range(1, count + 1)]
            assert np.allclose(np.sort(sums), np.sort(found.centres[:, axis]), rtol=0, atol=1e-9)


def test_bodies_hide_markers() -> None:
    """Markers behind shapes are dark and the others shine, by many points on the way; those near an outline aside."""
    turn = Pose((0, 0.3, 1.2), (0.8, 0.36, -0.48, 0.0))
    shapes = (Capsule(0.1, 0.2, pose=Pose((0, -0.4, 1))), Box((0.2, 0.1, 0.15), pose=turn), Ellipsoid((0.1, 0.2, 0.3)))
    builder = FigureBuilder("shapes")
    builder.add("a", None, joint.fixed(), shapes=shapes)
    figure = builder.build()
    rows = occluders_of(figure).rows(forward_kinematics(figure, figure.neutral()), CAMERA.pose)
    ends = np.random.default_rng(2).uniform((-1.5, -0.8, -0.6), (-0.3, 0.4, 1.4), (150, 3))
    at = np.array(CAMERA.pose.position)
    way = at + np.linspace(0.3, 1, 1000)[:, None, None] * (ends - at)
    met = lambda grown: np.any([_inside(shape, way, grown).any(axis=0) for shape in shapes], axis=0)
    behind, near = met(-0.01), met(0.015)
    filming = Filming(CAMERA, CLEAN)
    shines = np.array([filming.image(end, 0.006, occluders=rows).any() for end in ends])
    assert behind.sum() > 20
    assert not shines[behind].any()
    assert shines[~near].all()


def _inside(shape: Shape, points: np.ndarray, grown: float) -> np.ndarray:
    p = (points - np.array(shape.pose.position)) @ shape.pose.rotation
    if isinstance(shape, Capsule):
        p[..., 2] -= np.clip(p[..., 2], -shape.half_length, shape.half_length)
        return np.linalg.norm(p, axis=-1) < shape.radius + grown
    if isinstance(shape, Box):
        return (np.abs(p) < np.array(shape.half_sizes) + grown).all(axis=-1)
    return np.linalg.norm(p / (np.array(shape.half_axes) + grown), axis=-1) < 1


def test_film_is_the_same_every_time_and_hides_far_markers() -> None:
    human = virtual_human()
    markers = spread_markers(human, 41)
    assert len(markers.labels) == 41
    q = np.stack([human.neutral()] * 2)
    first, second = (np.array([images[0] for images in film_figure([CAMERA], human, q, markers)]) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first[0], first[1])  # another frame, other noise
    assert 12 < len(BlobFinder()(first[0])) < 35  # some 41 markers, about half on the other side


def test_bad_input_is_named() -> None:
    with pytest.raises(ArgumentError, match="uint8"):
        BlobFinder()(np.zeros((4, 4)))
    with pytest.raises(ArgumentError, match="threshold"):
        BlobSettings(threshold=300)
    with pytest.raises(ArgumentError, match="duplicate label 'a'"):
        MarkerSet(("a", "a"), [0, 0], np.zeros((2, 3)))
    bright = BlobFinder(BlobSettings(smallest=1))(np.tile(np.array([0, 255], dtype=np.uint8), (512, 256)))
    assert bright.overflow
