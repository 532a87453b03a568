"""The sphere of directions with the region on it, seen from a side: every pixel asks the range itself."""

from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.rom.fit_swing import sphere_grid
from hitogata.rom.frames import Array, unit, unit_rows
from hitogata.rom.plot import EDGE, INK, REST, TRAIL, TwistColour, _check, pyplot, scale_of, twist_values
from hitogata.rom.range import RangeOfMotion

LIGHT = unit(np.array([-0.45, 0.55, 0.75]))
"""Towards the lamp: right, up and out of the picture."""


def default_view(range_: RangeOfMotion) -> Array:
    """Towards the eye: the middle of the region, drawn a little to the front, the left and above."""
    p = sphere_grid(2000)
    inside = range_.swing.contains(p)
    middle = p[inside].sum(0) if inside.any() else range_.swing.boundary(64).sum(0)
    size = np.linalg.norm(middle)
    middle = middle / size if size > 1e-6 else range_.bone_axis
    return unit(middle + 0.55 * np.array([0.6, 0.35, 0.7]))


def camera(view: Array) -> Array:
    """Rows right, up, out of the picture."""
    up = np.array([0.0, 0.0, 1.0]) if abs(view[2]) < 0.98 else np.array([1.0, 0.0, 0.0])
    right = unit(np.cross(up, view))
    return np.stack([right, np.cross(view, right), view])


def plot_sphere(
    range_: RangeOfMotion,
    *,
    ax: Any = None,
    view: Any = None,
    colour: TwistColour = TwistColour.WIDTH,
    trail: Any = None,
    pixels: int = 420,
    legend: bool = True,
) -> Any:
    """The unit sphere of bone directions in the parent frame, with the region on it.

    Args:
        range_: the range.
        ax: axes to draw on; None: new ones.
        view: direction towards the eye, parent frame, unit; None: the middle of the region, a little from the front and
            above.
        colour: what the colour shows.
        trail: poses in order, wxyz, shape (n, 4).
        pixels: resolution of the sphere.
        legend: whether there is a legend below.

    Returns:
        The axes.
    """
    _check(range_, colour)
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=(6.0, 6.0), layout="constrained")
    eye = default_view(range_) if view is None else unit_rows(view, 3, "view")[0][0]
    if not 50 <= pixels <= 4000:
        raise ArgumentError(f"pixels = {pixels}: 50 to 4000 expected")
    look = camera(eye)
    ax.imshow(
        _image(range_, look, colour, pixels), extent=(-1, 1, -1, 1), origin="lower", zorder=1, interpolation="bilinear"
    )
    _graticule(ax, look)
    _boundary(ax, range_, look)
    _axes(ax, look)
    _arrow(ax, look, range_.bone_axis, REST, "bone at rest")
    if trail is not None:
        _trail(ax, range_, trail, look)
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.plot(np.cos(turn), np.sin(turn), color="#aeb5c0", lw=1.0, zorder=5)
    ax.set(xlim=(-1.38, 1.38), ylim=(-1.38, 1.38), aspect="equal")
    ax.set_axis_off()
    share = range_.swing.area / (4.0 * np.pi)
    ax.set_title(
        f"directions of the bone: {range_.swing.area:.2f} sr, {share:.1%} of the sphere",
        fontsize=9,
        color="#6b7280",
        pad=12,
    )
    if legend:
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, -0.06), ncol=3, frameon=False, fontsize=8, labelcolor=INK)
    return ax


def _image(range_: RangeOfMotion, look: Array, colour: TwistColour, pixels: int) -> Array:
    """RGBA of the shaded sphere, twice as fine and averaged."""
    n = 2 * pixels
    x, y = np.meshgrid((np.arange(n) + 0.5) / n * 2.0 - 1.0, (np.arange(n) + 0.5) / n * 2.0 - 1.0)
    r2 = x * x + y * y
    on = r2 <= 1.0
    local = np.stack([x[on], y[on], np.sqrt(1.0 - r2[on])], 1)
    p = local @ look
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    inside = range_.swing.contains(p)
    values = np.full(len(p), np.nan)
    values[inside] = twist_values(range_, p[inside], colour)
    grid = sphere_grid(3000)
    scale = scale_of(twist_values(range_, grid[range_.swing.contains(grid)], colour), colour)
    share = np.clip((np.where(np.isfinite(values), values, scale.low) - scale.low) / (scale.high - scale.low), 0.0, 1.0)
    rgb = np.where(inside[:, None], scale.cmap(share)[:, :3] * [0.97, 0.99, 1.0], np.array([0.955, 0.955, 0.95]))
    lamp = np.maximum(local @ LIGHT, 0.0)
    half = unit(LIGHT + np.array([0.0, 0.0, 1.0]))
    shine = 0.07 * np.maximum(local @ half, 0.0) ** 40
    rgb = np.clip(rgb * (0.76 + 0.27 * lamp)[:, None] + shine[:, None], 0.0, 1.0)
    out = np.zeros((n, n, 4))
    out[on, :3], out[on, 3] = rgb, 1.0
    out[..., :3] *= out[..., 3:]
    small = out.reshape(pixels, 2, pixels, 2, 4).mean((1, 3))
    small[..., :3] /= np.maximum(small[..., 3:], 1e-9)
    return np.clip(small, 0.0, 1.0)


def _line(ax: Any, look: Array, p: Array, front: dict[str, Any], back: dict[str, Any] | None) -> None:
    """A curve on the sphere: its near parts, and its far parts if `back`."""
    x = p @ look.T
    for near, style in ((True, front), (False, back)):
        shown = (x[:, 2] >= 0.0) == near
        if style is not None and shown.any():
            ax.plot(np.where(shown, x[:, 0], np.nan), np.where(shown, x[:, 1], np.nan), **style)


def _graticule(ax: Any, look: Array) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 241)
    thin = {"color": "#6b7280", "lw": 0.5, "alpha": 0.35, "zorder": 2}
    for deg in (-60, -30, 0, 30, 60):
        h = np.sin(np.radians(deg))
        r = np.cos(np.radians(deg))
        _line(ax, look, np.stack([r * np.cos(turn), r * np.sin(turn), np.full_like(turn, h)], 1), thin, None)
    for deg in range(0, 180, 30):
        c, s = np.cos(np.radians(deg)), np.sin(np.radians(deg))
        _line(ax, look, np.stack([c * np.cos(turn), s * np.cos(turn), np.sin(turn)], 1), thin, None)


def _boundary(ax: Any, range_: RangeOfMotion, look: Array) -> None:
    p = range_.swing.boundary(1200)
    p = np.concatenate([p, p[:1]])
    _line(
        ax,
        look,
        p,
        {"color": EDGE, "lw": 2.2, "zorder": 4, "label": "boundary"},
        {"color": EDGE, "lw": 1.1, "ls": (0, (3, 2)), "alpha": 0.55, "zorder": 3, "label": "behind"},
    )
    knots = range_.swing.knots @ look.T
    near = knots[:, 2] > 0.0
    ax.plot(knots[near, 0], knots[near, 1], "o", ms=4.5, mfc="white", mec=EDGE, mew=1.3, zorder=5)


def _axes(ax: Any, look: Array) -> None:
    """The parent's axes, from the sphere outwards."""
    for name, axis in zip("xyz", np.eye(3), strict=True):
        a = look @ axis
        behind = a[2] < 0.0
        start = a[:2] / max(float(np.linalg.norm(a[:2])), 1e-9) if behind and np.linalg.norm(a[:2]) > 0.02 else a[:2]
        if behind:
            start = np.where(np.linalg.norm(1.28 * a[:2]) > 1.0, start, 1.28 * a[:2])
        stop = 1.28 * a[:2]
        alpha = 0.35 if behind else 1.0
        if np.linalg.norm(stop - start) > 1e-3:
            ax.annotate(
                "",
                stop,
                start,
                arrowprops={"arrowstyle": "-|>", "color": "#59606d", "lw": 1.2, "alpha": alpha},
                zorder=6,
            )
            ax.text(
                *(stop * 1.06 + 0.02), name, fontsize=10.5, color=INK, ha="center", va="center", alpha=alpha, zorder=6
            )


def _arrow(ax: Any, look: Array, direction: Array, colour: str, label: str) -> None:
    a = look @ direction
    if a[2] >= 0.0:
        ax.plot(a[:1], a[1:2], marker="+", ms=12, mew=2.4, color=colour, ls="none", zorder=7, label=label)
    else:
        ax.plot(
            a[:1],
            a[1:2],
            marker="+",
            ms=9,
            mew=1.4,
            color=colour,
            alpha=0.45,
            ls="none",
            zorder=3,
            label=f"{label} (behind)",
        )


def _trail(ax: Any, range_: RangeOfMotion, trail: Any, look: Array) -> None:
    p, _ = range_.swing_twist(np.atleast_2d(np.asarray(trail, np.float64)))
    _line(
        ax,
        look,
        p,
        {"color": TRAIL, "lw": 1.7, "zorder": 6, "label": "pose and its trail"},
        {"color": TRAIL, "lw": 0.9, "alpha": 0.35, "zorder": 3},
    )
    last = look @ p[-1]
    ax.plot(
        last[:1], last[1:2], "o", ms=8, color=TRAIL, mec="white", mew=1.2, alpha=1.0 if last[2] >= 0 else 0.4, zorder=8
    )
