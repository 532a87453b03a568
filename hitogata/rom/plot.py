"""Pictures of a range: the polar plane with pose, and the sphere.

`plot_range` draws both side by side.  Needs matplotlib (`pip install hitogata[plot]`); works without a display.
"""

import enum
import pathlib
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError, MissingDependencyError
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import disc_axes
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.spline import SplineRegion
from hitogata.rom.twist import ConstantTwist, FixedTwist, FreeTwist
from hitogata.spatial import quat_rotate

INK, EDGE, QUIET, TRAIL, REST = "#2b2f38", "#1f3b73", "#9aa1ad", "#d1495b", "#e08e0b"
"""Colours of text, boundary, grid, pose trail, bone at rest."""


class TwistColour(enum.Enum):
    """What the colour of a region shows: width of the twist limits, the lower or upper limit, or nothing (plain)."""

    WIDTH = "width"
    LOW = "low"
    HIGH = "high"
    PLAIN = "plain"


_LABELS = {
    TwistColour.WIDTH: "twist range [deg]",
    TwistColour.LOW: "lowest twist [deg]",
    TwistColour.HIGH: "highest twist [deg]",
}


def pyplot() -> Any:
    """matplotlib.pyplot.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError("pictures need matplotlib: pip install 'hitogata[plot]'") from None
    return plt


class Scale(NamedTuple):
    """Colour map and limits of the values shown [deg]; `same` if all are equal."""

    cmap: Any
    low: float
    high: float
    same: bool


def twist_values(range_: RangeOfMotion, p: Array, colour: TwistColour) -> Array:
    """What the colour shows at directions (n, 3) [deg]; NaN where nothing."""
    if colour is TwistColour.PLAIN or isinstance(range_.twist, FreeTwist | FixedTwist):
        return np.full(len(p), np.nan)
    low, high = (np.degrees(x) for x in range_.twist_limits(p))
    return {TwistColour.WIDTH: np.clip(high - low, 0.0, 360.0), TwistColour.LOW: low, TwistColour.HIGH: high}[colour]


def scale_of(values: Array, colour: TwistColour) -> Scale:
    """The scale of values."""
    import matplotlib as mpl
    from matplotlib.colors import LinearSegmentedColormap

    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    cmap: Any
    if colour is TwistColour.WIDTH:
        cmap = LinearSegmentedColormap.from_list("width", ["#f4f6fb", "#cfe3f1", "#8cc4dd", "#3f93c1", "#1d5f98"])
    else:
        cmap = mpl.colormaps["RdYlBu_r"]
    same = len(seen) == 0 or high - low < 0.5
    if same:
        return Scale(LinearSegmentedColormap.from_list("plain", ["#bcd9ea", "#bcd9ea"]), low - 1.0, high + 1.0, True)
    step = 10.0 if high - low > 40.0 else 5.0
    return Scale(cmap, np.floor(low / step) * step, np.ceil(high / step) * step, False)


# ---------------------------------------------------------------- the polar plane


def polar_frame(range_: RangeOfMotion) -> Array:
    """Columns x, y, z: azimuth 0.

    Azimuth 90° and θ = 0, in the parent frame.  A spline's own frame, else the bone's.
    """
    if isinstance(range_.swing, SplineRegion):
        return quat_rotate(np.array(range_.swing.quat_PR), np.eye(3)).T
    bone = range_.bone_axis
    return np.stack([*disc_axes(bone), bone], 1)


def polar_of(p: Array, frame: Array) -> tuple[Array, Array]:
    """Azimuth and angle [rad] of directions (n, 3) in a frame."""
    x = p @ frame
    return np.arctan2(x[..., 1], x[..., 0]), np.arctan2(np.hypot(x[..., 0], x[..., 1]), x[..., 2])


def plot_polar(
    range_: RangeOfMotion,
    *,
    ax: Any = None,
    colour: TwistColour = TwistColour.WIDTH,
    trail: Any = None,
    cloud: Any = None,
    points: bool = True,
    colour_bar: bool = True,
    legend: bool = True,
) -> Any:
    """The region in the plane of swing azimuth φ and swing angle θ (Hanaoka 2010, fig. 3.2 and 4.3).

    Args:
        range_: the range.
        ax: polar axes to draw on; None: new ones.
        colour: what the colour shows.
        trail: poses in order, wxyz, shape (n, 4): drawn as a line that grows darker, with the last pose marked.
        cloud: poses in no order, wxyz, shape (n, 4): drawn as dots, those not allowed in another colour.
        points: whether constraint points and tangents are drawn (splines).
        colour_bar: whether the colour is explained beside it.
        legend: whether there is a legend below.

    Returns:
        The axes.
    """
    _check(range_, colour)
    plt = pyplot()
    if ax is None:
        _, ax = plt.subplots(subplot_kw={"projection": "polar"}, figsize=(6.4, 6.0), layout="constrained")
    frame = polar_frame(range_)
    phi, theta = polar_of(range_.swing.boundary(1440), frame)
    top = min(np.pi, float(theta.max()) * 1.04 + np.radians(6.0))
    if range_.swing.contains(-frame[:, 2]):
        top = np.pi
    _fill(ax, range_, frame, top, colour, colour_bar)
    closed = np.append(np.arange(len(phi)), 0)
    ax.plot(np.unwrap(phi)[closed[:-1]], theta[closed[:-1]], color=EDGE, lw=2.0, zorder=4, label="boundary")
    ax.plot(phi[[-1, 0]], theta[[-1, 0]], color=EDGE, lw=2.0, zorder=4)
    if points and isinstance(range_.swing, SplineRegion):
        _points(ax, range_.swing)
    rest = polar_of(range_.bone_axis[None], frame)
    if rest[1][0] <= top:
        ax.plot(rest[0], rest[1], marker="+", ms=11, mew=2.2, color=REST, ls="none", zorder=6, label="bone at rest")
    _axis_labels(ax, frame, top)
    if cloud is not None:
        _cloud(ax, range_, cloud, frame)
    if trail is not None:
        _trail(ax, range_, trail, frame)
    _polish(ax, top, _everywhere(range_), legend)
    return ax


def _check(range_: Any, colour: Any) -> None:
    if not isinstance(range_, RangeOfMotion):
        raise ArgumentError(f"a RangeOfMotion expected, got {range_!r}")
    if not isinstance(colour, TwistColour):
        raise ArgumentError(f"colour = {colour!r}: a TwistColour expected")


def _fill(ax: Any, range_: RangeOfMotion, frame: Array, top: float, colour: TwistColour, colour_bar: bool) -> None:
    m, n = 361, 241
    phi, theta = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, m), np.linspace(0.0, top, n))
    p = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1).reshape(-1, 3) @ frame.T
    inside = range_.swing.contains(p)
    values = np.full(len(p), np.nan)
    values[inside] = twist_values(range_, p[inside], colour)
    scale = scale_of(values, colour)
    shown = np.where(inside, np.where(np.isfinite(values), values, scale.low), np.nan).reshape(n, m)
    mesh = ax.pcolormesh(
        phi,
        theta,
        shown,
        cmap=scale.cmap,
        vmin=scale.low,
        vmax=scale.high,
        shading="gouraud",
        zorder=1,
        rasterized=True,
    )
    if not scale.same:
        mesh.set_antialiased(True)
        if colour_bar:
            bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.72, pad=0.10, aspect=28)
            bar.set_label(_LABELS[colour], color=INK)
            bar.outline.set_visible(False)
            bar.ax.tick_params(color=QUIET, labelcolor=INK, labelsize=8)


def _points(ax: Any, region: SplineRegion) -> None:
    phi, theta = np.array(region.azimuth), np.array(region.angle)
    dphi, dtheta = np.array(region.d_azimuth), np.array(region.d_angle)
    for k in range(len(phi)):
        t = np.linspace(-0.22, 0.22, 9)
        ax.plot(phi[k] + dphi[k] * t, theta[k] + dtheta[k] * t, color="#5a6475", lw=1.1, zorder=5,
                label="tangents" if k == 0 else None)  # fmt: skip
    ax.plot(phi, theta, "o", ms=6, mfc="white", mec=EDGE, mew=1.6, zorder=7, label=f"{len(phi)} constraint points")


def _axis_labels(ax: Any, frame: Array, top: float) -> None:
    """Where the parent's axes point."""
    from matplotlib.patheffects import withStroke

    for name, axis in zip(("x", "y", "z"), np.eye(3), strict=True):
        for sign, text in ((1.0, f"+{name}"), (-1.0, f"−{name}")):
            phi, theta = polar_of((sign * axis)[None], frame)
            if theta[0] < top * 0.97:
                ax.plot(phi, theta, ".", color="#4b5563", ms=4, zorder=4.8)
                ax.annotate(
                    text,
                    (phi[0], theta[0]),
                    textcoords="offset points",
                    xytext=(5, 4),
                    fontsize=8.5,
                    color="#4b5563",
                    zorder=4.8,
                    path_effects=[withStroke(linewidth=2.2, foreground="white", alpha=0.8)],
                )


def _cloud(ax: Any, range_: RangeOfMotion, cloud: Any, frame: Array) -> None:
    p, _ = range_.swing_twist(np.asarray(cloud, np.float64))
    phi, theta = polar_of(p, frame)
    ok = range_.contains(cloud)
    size = float(np.clip(6000.0 / max(len(p), 1), 1.0, 12.0))
    ax.scatter(
        phi[ok],
        theta[ok],
        s=size,
        color="#27405f",
        alpha=0.45,
        lw=0,
        zorder=4.5,
        label=f"{int(ok.sum())} poses allowed",
    )
    if (~ok).any():
        ax.scatter(
            phi[~ok],
            theta[~ok],
            s=size + 3,
            color=TRAIL,
            alpha=0.9,
            lw=0,
            zorder=4.6,
            label=f"{int((~ok).sum())} poses not",
        )


def _trail(ax: Any, range_: RangeOfMotion, trail: Any, frame: Array) -> None:
    from matplotlib.collections import LineCollection

    p, _ = range_.swing_twist(np.atleast_2d(np.asarray(trail, np.float64)))
    phi, theta = polar_of(p, frame)
    phi = np.unwrap(phi)
    pieces = np.stack([np.stack([phi[:-1], theta[:-1]], 1), np.stack([phi[1:], theta[1:]], 1)], 1)
    fade = np.linspace(0.25, 1.0, max(len(pieces), 1))
    ax.add_collection(LineCollection(list(pieces), colors=[(0.82, 0.29, 0.36, a) for a in fade], lw=1.8, zorder=8))
    ax.plot(phi[-1:], theta[-1:], "o", ms=8, color=TRAIL, mec="white", mew=1.2, zorder=9, label="pose and its trail")


def _everywhere(range_: RangeOfMotion) -> str:
    """Twist limits that are the same everywhere, in words."""
    twist = range_.twist
    if isinstance(twist, ConstantTwist):
        return f"; twist {np.degrees(twist.low):.0f}° to {np.degrees(twist.high):.0f}°"
    if isinstance(twist, FixedTwist):
        return f"; twist fixed at {np.degrees(twist.angle):.0f}°"
    return "; twist free" if isinstance(twist, FreeTwist) else ""


def _polish(ax: Any, top: float, twist: str, legend: bool) -> None:
    from matplotlib.patheffects import withStroke

    ax.set_ylim(0.0, top)
    step = 10.0 if top < np.radians(60.0) else 30.0
    ticks = np.arange(step, np.degrees(top) + 1e-6, step)
    ax.set_yticks(np.radians(ticks), [f"{t:.0f}°" for t in ticks], fontsize=8, color="#4b5563")
    ax.set_rlabel_position(202.5)
    for label in ax.get_yticklabels():
        label.set_path_effects([withStroke(linewidth=2.0, foreground="white", alpha=0.75)])
    ax.set_xticks(np.radians(np.arange(0, 360, 45)), [f"{a}°" for a in range(0, 360, 45)], fontsize=8.5, color=INK)
    ax.grid(color="#c9ced6", lw=0.6, alpha=0.9)
    ax.spines["polar"].set_color("#c9ced6")
    ax.set_facecolor("#fbfcfe")
    ax.set_axisbelow(False)
    ax.set_title("azimuth φ round, swing angle θ outward" + twist, fontsize=9, color="#6b7280", pad=12)
    if legend:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.06), ncol=3, frameon=False, fontsize=8, labelcolor=INK)


# ---------------------------------------------------------------- both


def plot_range(
    range_: RangeOfMotion,
    path: str | pathlib.Path | None = None,
    *,
    title: str = "",
    colour: TwistColour = TwistColour.WIDTH,
    trail: Any = None,
    cloud: Any = None,
    view: Any = None,
) -> Any:
    """The polar plane and the sphere, side by side.

    Args:
        range_: the range.
        path: picture file to write (.png, .svg, .pdf); None: none.
        title: above both.
        colour: what the colour shows.
        trail, cloud: poses, see `plot_polar`.
        view: direction from which the sphere is seen, see `plot_sphere`.

    Returns:
        The figure.
    """
    from hitogata.rom.plot_globe import plot_sphere

    _check(range_, colour)
    pyplot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.4, 6.3), facecolor="white")
    figure.set_layout_engine("constrained", h_pad=0.09)
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(1, 2, width_ratios=[1.12, 1.0])
    plot_polar(range_, ax=figure.add_subplot(grid[0, 0], projection="polar"), colour=colour, trail=trail, cloud=cloud)
    plot_sphere(range_, ax=figure.add_subplot(grid[0, 1]), colour=colour, trail=trail, view=view)
    if title:
        figure.suptitle(title, fontsize=13, color=INK, fontweight="bold")
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except ValueError as error:
            raise ArgumentError(f"{path}: {error}") from None
    return figure
