"""Terrain: ground given by heights on a grid."""

from dataclasses import dataclass

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.pose import FloatArray
from hitogata.figure.shapes import Shape
from hitogata.figure.values import array, numbers, positive


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """Heights over a rectangle about the shape's origin; solid below, free above.  For slopes and terrain.

    Between four neighbours the ground is two triangles, cut from the corner of low x, low y to that of high x, high y.
    Beyond the border there is nothing.

    Attributes:
        heights: over a grid, the first row at low y, the first column at low x, shape (rows, columns) [m], read-only.
        half_sizes: half the extent along (x, y) [m].
    """

    heights: FloatArray
    half_sizes: tuple[float, float]

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            given = np.array(self.heights, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        bad = np.argwhere(~np.isfinite(given))
        if given.ndim == 2 and len(bad):
            row, column = (int(k) for k in bad[0])
            raise FigureError(f"heights of a height field: row {row}, column {column} is {given[row, column]}")
        heights = array(self.heights, (None, None), "heights of a height field")
        if min(heights.shape) < 2:
            raise FigureError(f"heights of a height field: expected at least 2 rows and 2 columns, got {heights.shape}")
        x, y = numbers(self.half_sizes, 2, "half_sizes of a height field")
        for axis, size in zip("xy", (x, y), strict=True):
            positive(size, f"half size {axis} of a height field")
        heights.setflags(write=False)
        object.__setattr__(self, "heights", heights)
        object.__setattr__(self, "half_sizes", (x, y))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HeightField)
            and (self.pose, self.name, self.half_sizes) == (other.pose, other.name, other.half_sizes)
            and np.array_equal(self.heights, other.heights)
        )

    def __hash__(self) -> int:
        return hash((self.pose, self.name, self.half_sizes, self.heights.tobytes()))

    @property
    def vertices(self) -> FloatArray:
        """Corners, row by row, shape (rows * columns, 3) [m]."""
        rows, columns = self.heights.shape
        x, y = np.linspace(-1, 1, columns) * self.half_sizes[0], np.linspace(-1, 1, rows) * self.half_sizes[1]
        across, along = np.meshgrid(x, y)
        return np.stack([across.ravel(), along.ravel(), self.heights.ravel()], axis=1)

    @property
    def faces(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Corners of each triangle, counter-clockwise from above, shape (n, 3)."""
        rows, columns = self.heights.shape
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        right, up, both = corner + 1, corner + columns, corner + columns + 1
        return np.stack([corner, right, both, corner, both, up], axis=1).reshape(-1, 3)

    @property
    def bounding_radius(self) -> float:
        """From the origin to the farthest corner [m]."""
        return float(np.linalg.norm(self.vertices, axis=1).max())
