"""Cameras: where they stand and what their lens does; points to pixels, with derivatives, and pixels to rays.

The camera's frame C looks along +z, with x to the right and y down in the image (OpenCV's).  Cameras come from
`calibrate` or a file (`camera_files`), and go to the renderer, the matching and the bundle adjustment.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.lens import CAMERA_ROW, CLOSE, STEPS, Lens, distorted, distortion_slope, newton_step, unfolds
from hitogata.errors import ArgumentError
from hitogata.figure import Pose
from hitogata.figure.values import FloatArray, floats, numbers, positive

INTRINSICS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
"""Order of the numbers of a lens, in derivatives too."""


@dataclass(frozen=True)
class Camera:
    """A calibrated camera.

    Attributes:
        name: of the camera.
        size: width and height of its images [px].
        focal: fx, fy [px].
        centre: principal point cx, cy [px]; pixel (0, 0) has its centre at (0, 0).
        distortion: k1, k2, p1, p2, k3 (see `lens`).
        pose: X_WC, of the camera's frame in the world [m].
    """

    name: str
    size: tuple[int, int]
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    pose: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        what = f"camera {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            raise ArgumentError(f"camera: a name is a text that is not empty, got {self.name!r}")
        width, height = _numbers(self.size, 2, f"{what}: size")
        if width != int(width) or height != int(height) or min(width, height) < 1 or max(width, height) > 65536:
            raise ArgumentError(f"{what}: size is a width and a height in pixels, got {self.size}")
        object.__setattr__(self, "size", (int(width), int(height)))
        focal = _numbers(self.focal, 2, f"{what}: focal")
        for value in focal:
            positive(value, f"{what}: focal length", error=ArgumentError)
        object.__setattr__(self, "focal", focal)
        object.__setattr__(self, "centre", _numbers(self.centre, 2, f"{what}: centre"))
        object.__setattr__(self, "distortion", _numbers(self.distortion, 5, f"{what}: distortion (k1 k2 p1 p2 k3)"))
        if not isinstance(self.pose, Pose):
            raise ArgumentError(f"{what}: pose must be a Pose, got {self.pose!r}")

    @property
    def lens(self) -> Lens:
        """What the lens does."""
        return Lens(*self.focal, *self.centre, *self.distortion)

    @property
    def intrinsics(self) -> FloatArray:
        """The numbers of the lens, in the order of `INTRINSICS`, shape (9,)."""
        return np.array([*self.focal, *self.centre, *self.distortion])

    def with_intrinsics(self, values: FloatArray, pose: Pose) -> "Camera":
        """The same camera with another lens and pose."""
        v = [float(x) for x in values]
        return Camera(self.name, self.size, (v[0], v[1]), (v[2], v[3]), tuple(v[4:9]), pose)

    @classmethod
    def looking_at(
        cls, name: str, position: Any, target: Any, *, size: tuple[int, int] = (512, 512), angle: float = 0.9,
        distortion: Sequence[float] = (0.0,) * 5,
    ) -> "Camera":  # fmt: skip
        """A camera at a position that looks at a target, upright (z up in the world).

        Args:
            name: of the camera.
            position: [m].
            target: [m].
            size: of its images [px].
            angle: of view across the width, without distortion [rad].
            distortion: k1, k2, p1, p2, k3.
        """
        at, to = (np.array(_numbers(x, 3, f"camera {name!r}")) for x in (position, target))
        forward = to - at
        right = np.cross(forward, (0.0, 0.0, 1.0))
        if np.linalg.norm(right) < 1e-9 * max(1.0, float(np.linalg.norm(forward))):
            right = np.array([1.0, 0.0, 0.0])
        if not np.linalg.norm(forward) > 0 or not 0 < angle < math.pi:
            raise ArgumentError(f"camera {name!r}: needs a target away from it and an angle of view below π")
        z, x = forward / np.linalg.norm(forward), right / np.linalg.norm(right)
        turn = np.stack([x, np.cross(z, x), z], axis=1)
        f = size[0] / 2 / math.tan(angle / 2)
        centre = ((size[0] - 1) / 2, (size[1] - 1) / 2)
        return cls(name, size, (f, f), centre, tuple(distortion), Pose.from_matrix(turn, at))


def _numbers(value: Any, count: int, what: str) -> tuple[Any, ...]:
    try:
        return numbers(value, count, what)
    except ValueError as error:
        raise ArgumentError(str(error)) from None


def pack_cameras(cameras: Sequence[Camera]) -> FloatArray:
    """Cameras for kernels, shape (nc, CAMERA_ROW)."""
    rows = np.empty((len(cameras), CAMERA_ROW))
    for row, camera in zip(rows, cameras, strict=True):
        row[:9] = camera.intrinsics
        row[9:18] = camera.pose.rotation.T.ravel()
        row[18:] = camera.pose.position
    return rows


class Projection(NamedTuple):
    """Pixels, and their derivatives.

    Attributes:
        pixels: (u, v) [px], shape (n, 2); NaN for points behind the camera or where the lens folds.
        by_point: derivatives by the point in the world, shape (n, 2, 3).
        by_pose: by a turn of the camera about its own place (rotation vector, world axes) and by its place, (n, 2, 6).
        by_lens: by `INTRINSICS`, shape (n, 2, 9).
    """

    pixels: FloatArray
    by_point: FloatArray
    by_pose: FloatArray
    by_lens: FloatArray


def _in_camera(camera: Camera, points: Any) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """(points from the camera's place in world axes, their x, y and depth)."""
    given = floats(points, "points")
    if given.shape[-1:] != (3,):
        raise ArgumentError(f"points: expected shape (..., 3), got {given.shape}")
    arm: FloatArray = given - np.array(camera.pose.position)
    local = arm @ camera.pose.rotation
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(local[..., 2] > 0, local[..., 2], np.nan)
        return arm, local[..., 0] / depth, local[..., 1] / depth, depth


def project(camera: Camera, points: Any) -> FloatArray:
    """Pixels of points.

    Args:
        camera: that sees them.
        points: in the world [m], shape (..., 3).

    Returns:
        (u, v) [px], shape (..., 2); NaN for points behind the camera or where the lens folds.
    """
    _, x, y, _ = _in_camera(camera, points)
    lens = camera.lens
    xd, yd = distorted(lens, x, y)
    pixels: FloatArray = np.stack([lens.fx * xd + lens.cx, lens.fy * yd + lens.cy], axis=-1)
    pixels[~unfolds(lens, x, y)] = np.nan
    return pixels


def project_with_derivatives(camera: Camera, points: Any) -> Projection:
    """Pixels of points, and how they change with point, camera and lens.

    With p_C = R_CW (p − c), the camera turned by δ and moved by d:  ∂p_C/∂p = R_CW,  ∂p_C/∂δ = R_CW [p − c]×,
    ∂p_C/∂d = −R_CW.

    Args:
        camera: that sees them.
        points: in the world [m], shape (n, 3).
    """
    arm, x, y, depth = _in_camera(camera, points)
    lens = camera.lens
    xd, yd = distorted(lens, x, y)
    s = distortion_slope(lens, x, y)
    zero, one, r2 = np.zeros_like(x), np.ones_like(x), x * x + y * y
    slopes = (lens.fx * s.xx, lens.fx * s.xy, lens.fy * s.xy, lens.fy * s.yy)
    by_xy = np.stack(slopes, axis=-1).reshape(-1, 2, 2)
    xy_by_local = np.stack([np.stack([one, zero, -x], -1), np.stack([zero, one, -y], -1)], -2) / depth[:, None, None]
    by_point: FloatArray = by_xy @ xy_by_local @ camera.pose.rotation.T
    by_turn = -np.cross(arm[:, None, :], by_point)  # row j of A [a]× is −a × A_j
    by_lens = np.zeros((len(x), 2, 9))
    by_lens[:, 0, 0], by_lens[:, 1, 1], by_lens[:, 0, 2], by_lens[:, 1, 3] = xd, yd, 1.0, 1.0
    for k, (dx, dy) in enumerate((
        (x * r2, y * r2), (x * r2**2, y * r2**2), (2 * x * y, r2 + 2 * y * y), (r2 + 2 * x * x, 2 * x * y),
        (x * r2**3, y * r2**3),
    )):  # fmt: skip
        by_lens[:, 0, 4 + k], by_lens[:, 1, 4 + k] = lens.fx * dx, lens.fy * dy
    pixels = np.stack([lens.fx * xd + lens.cx, lens.fy * yd + lens.cy], axis=-1)
    pixels[~unfolds(lens, x, y)] = np.nan
    return Projection(pixels, by_point, np.concatenate([by_turn, -by_point], axis=2), by_lens)


def undistort(camera: Camera, pixels: Any) -> FloatArray:
    """Normalised coordinates (x, y) = (X/Z, Y/Z) of pixels, by Newton.

    Args:
        camera: that saw them.
        pixels: (u, v) [px], shape (..., 2).

    Returns:
        Shape (..., 2); NaN where no ray falls on the pixel (beyond a fold of the lens).
    """
    given = floats(pixels, "pixels")
    if given.shape[-1:] != (2,):
        raise ArgumentError(f"pixels: expected shape (..., 2), got {given.shape}")
    lens = camera.lens
    xd, yd = (given[..., 0] - lens.cx) / lens.fx, (given[..., 1] - lens.cy) / lens.fy
    x, y, moved = xd, yd, np.ones_like(xd)
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            x, y, moved = newton_step(lens, x, y, xd, yd)
            if not (moved > CLOSE).any():
                break
        good = (moved < 1e-20) & unfolds(lens, x, y)
    return np.where(good[..., None], np.stack([x, y], axis=-1), np.nan)


def rays(camera: Camera, pixels: Any) -> FloatArray:
    """Directions of the rays that fall on pixels, unit, in world axes, shape (..., 3), from the camera's place on."""
    flat = undistort(camera, pixels)
    local = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], axis=-1)
    turned: FloatArray = (local / np.linalg.norm(local, axis=-1, keepdims=True)) @ camera.pose.rotation.T
    return turned
