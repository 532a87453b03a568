"""Pictures of ranges over several joints: slices, side by side."""

import pathlib
from typing import Any

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.coupled.chart import Kind
from hitogata.rom.coupled.range import CoupledRange
from hitogata.rom.frames import Array

COLUMNS = 5

SAMPLES = 24
"""Values of each coordinate that is looked through."""

PIXELS = 121


def plot_coupled(range_: CoupledRange, path: str | pathlib.Path, *, limits: Any = None) -> None:
    """Slices through a range: the first two coordinates as a picture, one for each of five values of the last.

    The colour is the share of the coordinates between (a twist, say) that are allowed there.  Of a swing and twist the
    picture is the disc of directions, its rim that opposite to the bone.

    Args:
        range_: with two coordinates or more.
        path: of the picture, .png or .svg.
        limits: (low, high) of each coordinate; None: of a field those of its grid, else ±1.5 about, or ±π of a twist.

    Raises:
        RangeError: one coordinate only, or limits of another number.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size, names = range_.dofs, _names(range_)
    if size < 2:
        raise RangeError(f"{range_.name}: a picture needs two coordinates or more")
    box = _limits(range_) if limits is None else np.array(limits, np.float64)
    if box.shape != (size, 2):
        raise RangeError(f"{range_.name}: limits of {size} coordinates expected, got shape {box.shape}")
    columns = COLUMNS if size > 2 else 1
    figure = Figure(figsize=(2.7 * columns + 0.8, 3.1), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    low, high = box[-1]
    values = low + (high - low) * (np.arange(columns) + 0.5) / columns
    for at, value in zip(axes, values, strict=True):
        image = at.imshow(
            _slice(range_, box, value), origin="lower", extent=(*box[0], *box[1]), vmin=0.0, vmax=1.0, cmap="YlOrBr",
            interpolation="bilinear", aspect="equal" if range_.charts[0].kind != Kind.ANGLE else "auto",
        )  # fmt: skip
        if range_.charts[0].kind == Kind.SWING_TWIST:
            turn = np.linspace(0.0, 2.0 * np.pi, 200)
            at.plot(2.0 * np.cos(turn), 2.0 * np.sin(turn), color="#888", lw=0.8)
            at.plot(0.0, 0.0, "+", color="#333", ms=6)
        at.set_xlabel(names[0], fontsize=9)
        if at is axes[0]:
            at.set_ylabel(names[1], fontsize=9)
        at.tick_params(labelsize=7)
        if size > 2:
            at.set_title(f"{names[-1]} = {value:.2f}", fontsize=9)
    between = ", ".join(names[2:-1])
    figure.colorbar(image, ax=axes, shrink=0.85, label=f"share of {between}" if between else "allowed")
    figure.suptitle(range_.name, fontsize=11)
    figure.savefig(path, dpi=110)


def _slice(range_: CoupledRange, box: Array, value: float) -> Array:
    """Share of allowed coordinates over the first two, the last at a value, shape (PIXELS, PIXELS)."""
    size = range_.dofs
    x, y = (np.linspace(float(low), float(high), PIXELS) for low, high in box[:2])
    flat = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    rng = np.random.default_rng(0)
    share = np.zeros(len(flat))
    samples = SAMPLES if size > 3 else 1
    for k in range(samples):
        rows = np.empty((len(flat), size))
        rows[:, :2] = flat
        if size > 2:
            rows[:, -1] = value
        for j in range(2, size - 1):
            part = (k + 0.5) / samples if size == 4 else rng.uniform()
            rows[:, j] = box[j, 0] + (box[j, 1] - box[j, 0]) * part
        poses, at = [], 0
        for c in range_.charts:
            poses.append(c.poses(rows[:, at : at + c.size], range_.length))
            at += c.size
        share += range_.contains(np.concatenate(poses, 1))
    if range_.charts[0].kind == Kind.SWING_TWIST:
        share[np.hypot(*flat.T) > 2.0] = 0.0
    return (share / samples).reshape(PIXELS, PIXELS)


def _limits(range_: CoupledRange) -> Array:
    axes = getattr(range_.region, "axes", None)
    if axes is not None:
        return np.array([(a.low, a.high) for a in axes])
    rows = []
    for c in range_.charts:
        turning = [(-2.1, 2.1), (-2.1, 2.1), (-np.pi, np.pi)]
        rows += turning if c.kind == Kind.SWING_TWIST else [(-3.0, 3.0)] * c.size
    return np.array(rows)


def _names(range_: CoupledRange) -> list[str]:
    out = []
    for c in range_.charts:
        parts = {Kind.SWING_TWIST: ("a", "b", "twist"), Kind.POSITION: ("x", "y", "z")}.get(c.kind, ("",))
        out += [f"{c.joint} {part}".strip() for part in parts]
    return out
