"""Films a chessboard: each pixel is the mean over a grid of rays that meet the board's plane, then blur and noise."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from hitogata.capture.board import Board
from hitogata.capture.camera import Camera
from hitogata.capture.film import Filming, FilmSettings, Image
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray

WHITE, BLACK = 180.0, 12.0
"""Light of the squares [grey levels]."""


def film_board(
    camera: Camera, board: Board, poses: Sequence[Pose], *, settings: FilmSettings | None = None
) -> Iterator[Image]:
    """Images of a chessboard, with a white margin of one square around its own.

    Args:
        camera: with its true lens.
        board: flat, of no thickness.
        poses: X_WB, of the board's frame in the world, one for each image.
        settings: how the camera sees.
    """
    filming = Filming(camera, settings)
    for frame, pose in enumerate(poses):
        yield filming.developed(_light(filming, board, camera.pose.inverse() @ pose), frame)


def _light(filming: Filming, board: Board, pose: Pose) -> FloatArray:
    """Light of each pixel, shape (height, width), of a board at X_CB."""
    rays, count = filming.rays, filming.settings.samples
    R, p = pose.rotation, np.array(pose.position)
    light = np.zeros((rays.shape[0] - 1, rays.shape[1] - 1))
    for across, down in product((np.arange(count) + 0.5) / count, repeat=2):
        top = (1 - across) * rays[:-1, :-1] + across * rays[:-1, 1:]
        bottom = (1 - across) * rays[1:, :-1] + across * rays[1:, 1:]
        flat = (1 - down) * top + down * bottom
        ray = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (p @ R[:, 2]) / (ray @ R[:, 2])  # where the ray meets the plane z_B = 0
            met = (ray * t[..., None] - p) @ R[:, :2] / board.size
            light += np.where(t > 0, _shade(board, met[..., 0], met[..., 1]), 0.0)
    return light / count**2


def _shade(board: Board, x: FloatArray, y: FloatArray) -> FloatArray:
    """Light of places on the board, in squares from the first inner corner; none outside of the margin."""
    outside = np.maximum(np.maximum(-1 - x, x - board.columns), np.maximum(-1 - y, y - board.rows))
    black = (outside < 0) & ((np.floor(x) + np.floor(y)) % 2 == 0)
    return np.where(outside > 1, 0.0, np.where(black, BLACK, np.where(np.isfinite(outside), WHITE, 0.0)))
