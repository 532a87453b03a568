"""The lens: pinhole with distortion, Brown-Conrady in OpenCV's convention, from a ray to a pixel and back.

With normalised coordinates x = X/Z, y = Y/Z of a point in the camera's frame and r² = x² + y² (Brown 1966, "Decentering
distortion of lenses"):

    g  = 1 + k1 r² + k2 r⁴ + k3 r⁶
    x' = x g + 2 p1 x y + p2 (r² + 2 x²)
    y' = y g + p1 (r² + 2 y²) + 2 p2 x y
    u  = fx x' + cx,   v = fy y' + cy

Pixel (0, 0) has its centre at u = v = 0.  The helpers run in kernels on numbers, and in Python on numpy arrays.
"""

import numpy as np

from hitogata.lanes import inline, kernel, record, struct
from hitogata.spatial import Mat3, Vec3


@struct
class Lens:
    """Focal lengths and principal point [px], distortion."""

    fx: float
    fy: float
    cx: float
    cy: float
    k1: float
    k2: float
    p1: float
    p2: float
    k3: float


@record
class CameraRow:
    """A camera in kernels: its lens, R_CW and p_WC [m]."""

    lens: Lens
    rot: Mat3
    pos: Vec3


CAMERA_ROW = 21
"""Numbers of a `CameraRow`."""


@struct
class Slope:
    """Derivatives of (x', y') by (x, y); symmetric: both mixed ones are `xy`."""

    xx: float
    xy: float
    yy: float


@inline
def distorted(lens, x, y):
    """(x', y') of normalised coordinates."""
    r2 = x * x + y * y
    g = 1.0 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3))
    xd = x * g + 2.0 * lens.p1 * x * y + lens.p2 * (r2 + 2.0 * x * x)
    yd = y * g + lens.p1 * (r2 + 2.0 * y * y) + 2.0 * lens.p2 * x * y
    return xd, yd


@inline
def distortion_slope(lens, x, y):
    """Derivatives of `distorted`."""
    r2 = x * x + y * y
    g = 1.0 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3))
    d = 2.0 * (lens.k1 + r2 * (2.0 * lens.k2 + r2 * (3.0 * lens.k3)))
    xx = g + x * x * d + 2.0 * lens.p1 * y + 6.0 * lens.p2 * x
    xy = x * y * d + 2.0 * lens.p1 * x + 2.0 * lens.p2 * y
    yy = g + y * y * d + 6.0 * lens.p1 * y + 2.0 * lens.p2 * x
    return Slope(xx, xy, yy)


@inline
def newton_step(lens, x, y, xd, yd):
    """Newton's step towards (x, y) whose distorted coordinates are (xd, yd): the new x and y, and how far it went."""
    at_x, at_y = distorted(lens, x, y)
    s = distortion_slope(lens, x, y)
    ex, ey = at_x - xd, at_y - yd
    scale = 1.0 / (s.xx * s.yy - s.xy * s.xy)
    dx, dy = (s.yy * ex - s.xy * ey) * scale, (s.xx * ey - s.xy * ex) * scale
    return x - dx, y - dy, dx * dx + dy * dy


STEPS = 30
"""Of Newton at most; five are usual."""

CLOSE = 1e-28
"""A step this short (squared) is the last."""


@kernel
def undistorted(lens, u, v):
    """Normalised coordinates (x, y) of a pixel, and whether Newton arrived at a place where the lens does not fold."""
    xd, yd = (u - lens.cx) / lens.fx, (v - lens.cy) / lens.fy
    x, y, moved = xd, yd, 1.0
    for _ in range(STEPS):
        x, y, moved = newton_step(lens, x, y, xd, yd)
        if moved < CLOSE:
            break
    s = distortion_slope(lens, x, y)
    return x, y, moved < 1e-20 and s.xx > 0.0 and s.xx * s.yy > s.xy * s.xy


@kernel
def pixel_of(camera, point):
    """(u, v) of a point in the world [px], and its depth in front of the camera [m]; no pixel where depth ≤ 0."""
    p = camera.rot @ (point - camera.pos)
    x, y = p.x / p.z, p.y / p.z
    lens = camera.lens
    xd, yd = distorted(lens, x, y)
    return lens.fx * xd + lens.cx, lens.fy * yd + lens.cy, p.z


@kernel
def pixel_slopes(camera, point):
    """Pixel and its derivatives by the point: (u, v, ∂u/∂point, ∂v/∂point)."""
    p = camera.rot @ (point - camera.pos)
    lens = camera.lens
    down = 1.0 / p.z
    x, y = p.x * down, p.y * down
    xd, yd = distorted(lens, x, y)
    s = distortion_slope(lens, x, y)
    by_x, by_y = Vec3(down, 0.0, -x * down), Vec3(0.0, down, -y * down)
    du = camera.rot.T @ ((by_x * s.xx + by_y * s.xy) * lens.fx)
    dv = camera.rot.T @ ((by_x * s.xy + by_y * s.yy) * lens.fy)
    return lens.fx * xd + lens.cx, lens.fy * yd + lens.cy, du, dv


def unfolds(lens: Lens, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where the lens maps one to one, shape of x: no fold of the distortion lies between the axis and the point.

    Along a ray from the axis the radial part r g(r) must rise all the way.  Its slope 1 + 3 k1 r² + 5 k2 r⁴ + 7 k3 r⁶
    is followed to its first zero.
    """
    roots = np.roots([7 * lens.k3, 5 * lens.k2, 3 * lens.k1, 1.0])
    real = roots.real[(abs(roots.imag) < 1e-12) & (roots.real > 0)]
    return x * x + y * y < (real.min() if len(real) else np.inf)
