"""The projection paper's comparisons drawn: its figures 4 to 7, 9, 12 to 15, 31 and 32 (Yamaguchi 2009).

The paper says what ranges figures 5, 6 and 7 mean (y from −40° to 20°, z from −10° to 110°, beyond the pole), and that
they are awkward; our copy has no pictures.  So they are drawn as the three ways there are (`hitogata.rom.Beyond`).
Below the pictures: sizes, how far each is from even (share of the sphere's circle of the same area), how far the usual
correction of each kind moves directions that are not allowed, beside the nearest, and the angles of grids.

Writes out/projection_figures.png.
"""

import pathlib

import numpy as np

from benchmarks.timing import table
from hitogata.rom import Beyond, EllipseRegion, EulerRegion, OvalRegion, QuaternionRegion, RectangleRegion
from hitogata.rom.euler import bend_direction, clamp_angles, clamp_components, euler_direction
from hitogata.rom.outline import to_sphere
from hitogata.rom.papers import clamp_in_plane, pull_to_centre

OUT = pathlib.Path("out") / "projection_figures.png"
NARROW, WIDE = (np.deg2rad((-40, 20)), np.deg2rad((-10, 30))), (np.deg2rad((-40, 20)), np.deg2rad((-10, 110)))


def regions():
    """By figure of the paper."""
    narrow, wide = ([np.tan(side / 2) for side in box] for box in (NARROW, WIDE))
    components = [np.sin(side / 2) for side in WIDE]
    return {
        "4: Euler, narrow": EulerRegion(*NARROW),
        "5: Euler, through the pole": EulerRegion(*WIDE, beyond=Beyond.THROUGH),
        "6: Euler, up to the pole": EulerRegion(*WIDE, beyond=Beyond.STOP),
        "7: Euler, with a cap": EulerRegion(*WIDE, beyond=Beyond.CAP),
        "12: plane, narrow": RectangleRegion(*narrow),
        "13: plane, rectangle": RectangleRegion(*wide),
        "14: plane, ellipse": EllipseRegion(*wide),
        "15: plane, oval": OvalRegion(*wide),
        "q_y, q_z: narrow": QuaternionRegion(*(np.sin(side / 2) for side in NARROW)),
        "q_y, q_z: wide": QuaternionRegion(*components),
    }


def correction(region, p):
    """How far the usual correction moves directions, or None."""
    if isinstance(region, EulerRegion):
        return None if region.passed else clamp_angles(region, p)
    if isinstance(region, QuaternionRegion):
        return clamp_components(region, p)
    if isinstance(region, RectangleRegion):
        return clamp_in_plane(region, p)
    return pull_to_centre(region, p) if isinstance(region, EllipseRegion) else None


def angle(a, b):
    """Between unit vectors."""
    return 2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))


def report(chosen):
    """Sizes and corrections."""
    rng = np.random.default_rng(0)
    p = rng.normal(size=(20_000, 3))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    rows = []
    for name, region in chosen.items():
        b = region.boundary(20_000)
        length = angle(b, np.roll(b, -1, 0)).sum()
        round_ = np.sqrt(region.area * (4 * np.pi - region.area)) / length
        out = p[~region.contains(p)]
        moved, least = correction(region, out), angle(region.nearest(out), out)
        more = "-" if moved is None else f"{np.rad2deg((angle(moved, out) - least).max()):.0f}"
        rows.append([name, f"{region.area:.3f}", f"{round_:.2f}", f"{np.rad2deg(least.max()):.0f}", more])
    head = ["figure", "area [sr]", "even (circle 1)", "nearest moves at most [deg]", "usual moves more, up to [deg]"]
    table("regions", head, rows)


def grids():
    """Lines of each grid on the sphere: two families of curves (n, 3), from a map of two parameters."""
    half, quarter = np.deg2rad(np.arange(-85, 86, 5)), np.deg2rad(np.arange(-180, 181, 10))

    def plane(a, b):
        return to_sphere(np.tan(a), np.tan(b))

    def components(a, b):
        y, z = np.sin(a / 2), np.sin(b / 2)
        return np.where((y * y + z * z <= 1.0)[..., None], bend_direction(np.stack([y, z], -1)), np.nan)

    def angles(a, b):
        return euler_direction(EulerRegion(*NARROW).order, a, b)
    return {
        "2: Euler angles": (angles, quarter, np.deg2rad(np.arange(-80, 81, 10)), np.pi, np.pi / 2),
        "9: stereographic plane": (plane, half, half, np.deg2rad(89), np.deg2rad(89)),
        "31: q_y, q_z": (components, quarter, quarter, np.pi, np.pi),
    }


def crossing_angles():
    """Least angle at which the lines of a grid cross, on the side of the pole of projection (x < 0)."""
    rows = []
    for name, (curve, first, second, _, _) in grids().items():
        a, b = np.meshgrid(first[1:-1] + 1e-3, second[1:-1] + 2e-3)
        h = 1e-5
        d = [curve(a + h * i, b + h * j) - curve(a - h * i, b - h * j) for i, j in ((1, 0), (0, 1))]
        d = [x / np.linalg.norm(x, axis=-1, keepdims=True) for x in d]
        sin = np.linalg.norm(np.cross(*d), axis=-1)[curve(a, b)[..., 0] < 0]
        sin = sin[np.isfinite(sin)]
        rows.append([name, f"{np.rad2deg(np.arcsin(np.clip(sin.min(), 0, 1))):.1f}",
                     f"{np.rad2deg(np.arcsin(np.clip(np.median(sin), 0, 1))):.1f}"])
    table("grids, behind the parent (x < 0)", ["grid", "least angle of crossing [deg]", "median"], rows)


def draw(chosen):
    """All regions from one side, and the grids from before and behind."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(15, 9.6))
    grid = figure.add_gridspec(3, 30)
    axes = [figure.add_subplot(grid[k // 5, 6 * (k % 5):6 * (k % 5) + 6]) for k in range(10)]
    for at, (name, region) in zip(axes, chosen.items(), strict=True):
        shade(at, region, looking((0.6, 0.75, 0.3)), name)
    for k, (name, curves) in enumerate(grids().items()):
        for j, way in enumerate(((1.0, 0.35, 0.3), (-1.0, 0.15, 0.1))):
            at = figure.add_subplot(grid[2, 10 * k + 5 * j:10 * k + 5 * j + 5])
            lines(at, curves, looking(way), name if j == 0 else "from behind" + (" (32)" if k else ""))
            axes.append(at)
    for at in axes:
        at.axis("off")
    figure.suptitle("Limits of bending, y from −40° to 20°, z from −10° to 110° (narrow: to 30°)", y=0.99)
    figure.tight_layout()
    OUT.parent.mkdir(exist_ok=True)
    figure.savefig(OUT, dpi=75)
    plt.close(figure)


def looking(way):
    """Rotation from the paper's axes (x bone, y up) to a picture's: right, up, to the viewer."""
    w = np.array(way) / np.linalg.norm(way)
    right = np.cross((0.0, 0.0, -1.0) if abs(w[1]) > 0.85 else (0.0, 1.0, 0.0), w)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(w, right), w])


def shade(at, region, look, name):
    """A region on the sphere, pixel by pixel, with its corners."""
    n = 361
    x, y = np.meshgrid(np.linspace(-1.02, 1.02, n), np.linspace(-1.02, 1.02, n))
    on = x * x + y * y < 1.0
    z = np.sqrt(np.where(on, 1.0 - x * x - y * y, 0.0))
    p = np.stack([x, y, z], -1)[on] @ look
    picture = np.ones((n, n, 3))
    light = 0.72 + 0.28 * z[on]
    colour = np.where(region.contains(p / np.linalg.norm(p, axis=1, keepdims=True))[:, None],
                      (0.93, 0.62, 0.35), (0.88, 0.89, 0.92))
    picture[on] = colour * light[:, None]
    at.imshow(picture, origin="lower", extent=(-1.02, 1.02, -1.02, 1.02), interpolation="bilinear")
    path(at, region.boundary(2000), look, "#a04000", 1.6)
    for v, mark in zip(np.eye(3), "xyz", strict=True):
        r, u, d = look @ v
        if d > -0.2:
            at.text(1.12 * r, 1.12 * u + 0.02, mark, color="#444", ha="center", va="center", fontsize=9)
            at.plot(r, u, "o", color="#444", ms=3)
    finish(at, name)


def lines(at, grid, look, name):
    """A grid's lines in front."""
    curve, first, second, most_a, most_b = grid
    fine_a, fine_b = np.linspace(-most_a, most_a, 721), np.linspace(-most_b, most_b, 721)
    turn = np.linspace(0, 2 * np.pi, 200)
    at.fill(np.cos(turn), np.sin(turn), color="#eef0f4")
    for b in second:
        path(at, curve(fine_a, np.full_like(fine_a, b)), look, "#2a6fb0", 0.6)
    for a in first:
        path(at, curve(np.full_like(fine_b, a), fine_b), look, "#b0452a", 0.6)
    finish(at, name)


def path(at, p, look, colour, width):
    """Part of a curve that is in front."""
    r, u, d = (p @ look.T).T
    front = d > 0.0
    at.plot(np.where(front, r, np.nan), np.where(front, u, np.nan), color=colour, lw=width)


def finish(at, name):
    """Frame of a picture."""
    turn = np.linspace(0, 2 * np.pi, 300)
    at.plot(np.cos(turn), np.sin(turn), color="#777", lw=0.8)
    at.set_aspect("equal")
    at.set_xlim(-1.2, 1.2)
    at.set_ylim(-1.2, 1.2)
    at.set_title(name, fontsize=10)


def main():
    """Print the tables, write the picture."""
    chosen = regions()
    report(chosen)
    crossing_angles()
    draw(chosen)
    print(f"wrote {OUT}")


if __name__ == "__main__":
    main()
