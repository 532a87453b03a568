"""Chessboards: flat patterns of known size, whose corners OpenCV finds in images; they tell a camera's lens.

The board's frame has its origin at the first inner corner, x along the columns, y along the rows, z = 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.capture.relative_poses import opencv
from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, positive


@dataclass(frozen=True)
class Board:
    """A chessboard.

    Attributes:
        columns, rows: inner corners, where four squares meet, along x and y.
        size: edge of a square [m].
    """

    columns: int
    rows: int
    size: float

    def __post_init__(self) -> None:
        for name in ("columns", "rows"):
            value = getattr(self, name)
            if not isinstance(value, int) or not 3 <= value <= 100:
                raise ArgumentError(f"board: {name} of inner corners must be from 3 to 100, got {value!r}")
        object.__setattr__(self, "size", positive(self.size, "board: size of a square", error=ArgumentError))

    @property
    def points(self) -> FloatArray:
        """The inner corners [m], row by row, shape (columns * rows, 3)."""
        x, y = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        return self.size * np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(np.float64)


def find_corners(board: Board, image: Any) -> FloatArray:
    """Pixels of a board's inner corners, shape (n, 2), in the order of `Board.points`; NaN if it is not seen whole.

    OpenCV finds them, and refines each where gradients around it are square to the arm (Foerstner and Guelch 1987).
    Which end of the board comes first is not told by a pattern that looks the same upside down.

    Args:
        board: that is looked for.
        image: grey, uint8, shape (height, width).
    """
    cv2 = opencv()
    grid = (board.columns, board.rows)
    flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK
    good, corners = cv2.findChessboardCorners(np.ascontiguousarray(image), grid, flags=flags)
    if not good:
        return np.full((board.columns * board.rows, 2), np.nan)
    places = corners.reshape(board.rows, board.columns, 2)
    apart = min(float(np.linalg.norm(np.diff(places, axis=k), axis=2).min()) for k in (0, 1))
    reach = int(np.clip(apart / 3, 2, 11))  # no other corner comes into the window
    until = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-4)
    found = cv2.cornerSubPix(np.ascontiguousarray(image), corners, (reach, reach), (-1, -1), until)
    return np.asarray(found, dtype=np.float64).reshape(-1, 2)


def observe_board(board: Board, images: Iterable[Any]) -> FloatArray:
    """Corners in all images of a camera, shape (nt, n, 2); NaN where the board is not seen whole."""
    found = [find_corners(board, image) for image in images]
    return np.array(found).reshape(-1, board.columns * board.rows, 2)
