"""Regions of all kinds, plain and adversarial, each with the oracle's outline of it."""

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from hitogata.rom import (
    ArcLineRegion,
    Bone,
    ConeRegion,
    EllipseRegion,
    EulerRegion,
    OvalRegion,
    PlaneArc,
    PlaneLine,
    QuaternionRegion,
    RectangleRegion,
    SplineRegion,
    SuperellipseRegion,
    TriangleRegion,
)
from tests.rom import oracle

PI = np.pi
STAR = [[0.6, -0.1], [0.3, 0.5], [0.05, 0.15], [-0.5, 0.6], [-0.45, -0.5], [0.1, -0.7]]
STAR_TRIANGLES = [(0, 1, 2), (2, 3, 4), (2, 4, 5), (0, 2, 5)]
REENTRANT = ([0, 0.6, 1.2, 1.8, 1.3, 1.1, 1.9, 2.7, 3.4, 4.2, 5.0, 5.7],
             [1.2, 1.0, 0.9, 0.9, 1.2, 1.7, 1.9, 1.6, 1.3, 1.1, 1.0, 1.1])


def spline_case(region):
    return region, oracle.spline(region.azimuth, region.angle, region.d_azimuth, region.d_angle, region.turns)


def through(azimuth, angle, turns=1):
    return spline_case(SplineRegion.through(azimuth, angle, turns=turns))


def random_spline(seed, n, low=40, high=140):
    draw = np.random.default_rng(seed)
    w = np.arange(n) * 2 * PI / n + draw.uniform(-0.2, 0.2, n) * 2 * PI / n
    return through(w, np.deg2rad(draw.uniform(low, high, n)))


def smooth():
    w = np.arange(12) * PI / 6
    return through(w, 1.4 + 0.5 * np.cos(w - 0.6) + 0.15 * np.cos(3 * w))


def reentrant():
    """Several angles for one azimuth (Hanaoka 2010, fig. 3.2)."""
    return through(*REENTRANT)


def pole_outside(clockwise=False):
    w = np.arange(12) * PI / 6
    turn = 1 if clockwise else -1                                # (azimuth, angle) is left-handed, seen from outside
    return through(1 + 0.8 * np.cos(turn * w), 1.3 + 0.6 * np.sin(turn * w), turns=0)


def hook():
    """A long thin mouth, 0.05 rad wide."""
    azimuth = np.array([0.0, 1.0, 2.0, 3.0, 3.05, 3.05, 3.1, 3.15, 3.15, 3.2, 4.2, 5.2])
    angle = np.array([1.2, 1.2, 1.2, 1.2, 1.0, 0.6, 0.45, 0.6, 1.0, 1.2, 1.2, 1.2])
    return through(azimuth, angle)


def triangles():
    region = TriangleRegion(STAR, STAR_TRIANGLES)
    return region, oracle.polyline([STAR[i] for i in region.loop], oracle.from_disc)


def wide_triangle():
    corners = [[0.95, 0.0], [-0.5, 0.8], [-0.5, -0.8]]
    return TriangleRegion(corners, [(0, 2, 1)]), oracle.polyline(corners, oracle.from_disc)


def arc_lines(*parts):
    segments = [PlaneLine(*x[1:]) if x[0] == "line" else PlaneArc(*x[1:]) for x in parts]
    return ArcLineRegion(segments), oracle.chain(parts)


def polygon(*corners):
    return arc_lines(*(("line", corners[k], corners[(k + 1) % len(corners)]) for k in range(len(corners))))


def notch():
    """A forbidden wedge reaching almost through the region."""
    return polygon((-1, -1), (1, -1), (1, 1), (0.05, 1), (0, -0.5), (-0.05, 1), (-1, 1))


def turned(case, seed):
    region, outline = case
    turn = Rotation.random(random_state=seed)
    return region.turned(turn.as_quat()[[3, 0, 1, 2]]), oracle.turned(outline, turn.as_matrix())


def on_z(case):
    region, outline = case
    return region.with_bone(Bone.Z), oracle.turned(outline, np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]))


def box(kind, s, t, *powers):
    regions = {"rectangle": RectangleRegion, "oval": OvalRegion, "ellipse": EllipseRegion,
               "superellipse": SuperellipseRegion}
    outlines = {"rectangle": oracle.rectangle, "oval": oracle.oval, "ellipse": oracle.superellipse,
                "superellipse": oracle.superellipse}
    return regions[kind](s, t, *powers), outlines[kind](s, t, *powers)


def tans(*degrees):
    """tan of half the Euler limits (Yamaguchi 2009, eq. 5)."""
    return np.tan(np.deg2rad(degrees))


def cone(axis, half):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return ConeRegion(axis, half), oracle.cone(axis, half)


def euler(y, z, beyond, *path):
    """A box of Euler angles, YZX; path: of (y, z) along its outline [deg]."""
    turns = 360 if path[-1][0] > 180 else 0
    corners = [*path, (path[0][0] + turns, path[0][1])]
    sides = [(p, q) for p, q in itertools.pairwise(corners) if not p[1] == q[1] == 90]
    way, n = np.deg2rad(sides), len(sides)

    def point(u):
        i, f = np.floor(u).astype(int) % n, (u - np.floor(u))[..., None]
        a, b = np.moveaxis(way[i, 0] * (1 - f) + way[i, 1] * f, -1, 0)
        return np.stack([np.cos(b) * np.cos(a), np.sin(b), -np.cos(b) * np.sin(a)], -1)
    return EulerRegion(np.deg2rad(y), np.deg2rad(z), beyond=beyond), (point, n)


def components(y, z):
    def lift(b, c):
        w = np.sqrt(1 - b * b - c * c)
        return np.stack([1 - 2 * (b * b + c * c), 2 * c * w, -2 * b * w], -1)
    corners = [(y[0], z[0]), (y[1], z[0]), (y[1], z[1]), (y[0], z[1])]
    return QuaternionRegion(y, z), oracle.polyline(corners, lift)


CASES = {
    "rectangle of the paper, fig. 12": lambda: box("rectangle", tans(-20, 10), tans(-5, 15)),
    "rectangle beyond 90 degrees, fig. 13": lambda: box("rectangle", tans(-20, 10), tans(-5, 55)),
    "rectangle, symmetric": lambda: box("rectangle", (-1, 1), (-1, 1)),
    "rectangle, a strip": lambda: box("rectangle", (-3, 5), (0.1, 0.12)),
    "rectangle, tiny": lambda: box("rectangle", (-1e-4, 1e-4), (-1e-4, 2e-4)),
    "rectangle, nearly full": lambda: box("rectangle", (-300, 200), (-250, 400)),
    "rectangle, far from the bone": lambda: box("rectangle", (2, 3), (2.5, 4)),
    "oval, tall": lambda: box("oval", (-0.36, 0.18), (-0.09, 1.43)),
    "oval, wide, beyond 90 degrees": lambda: box("oval", (-2.5, 1.9), (-0.2, 0.9)),
    "oval with two perpendiculars on one arc": lambda: box("oval", (-1.5, 1.5), (0.5, 9.0)),
    "oval, round": lambda: box("oval", (-0.5, 0.7), (-0.1, 1.1)),
    "oval, tiny": lambda: box("oval", (-2e-5, 1e-5), (0, 1e-4)),
    "ellipse of the paper, fig. 14": lambda: box("ellipse", tans(-20, 10), tans(-5, 55)),
    "ellipse, centred": lambda: box("ellipse", (-1, 1), (-0.3, 0.3)),
    "ellipse, round, off centre": lambda: box("ellipse", (0.2, 1.2), (0.1, 1.1)),
    "ellipse, needle": lambda: box("ellipse", (-2, 2), (-0.01, 0.01)),
    "ellipse, tiny": lambda: box("ellipse", (-1e-5, 1e-5), (-1e-5, 2e-5)),
    "ellipse, nearly full": lambda: box("ellipse", (-90, 80), (-300, 250)),
    "superellipse 4 4": lambda: box("superellipse", (-0.36, 0.18), (-0.09, 0.27), 4, 4),
    "superellipse 3 5": lambda: box("superellipse", (-1, 1.3), (-0.3, 1.4), 3, 5),
    "superellipse 2.5 7.1": lambda: box("superellipse", (-0.4, 0.9), (-0.5, 0.3), 2.5, 7.1),
    "superellipse 1.5 3": lambda: box("superellipse", (-0.7, 0.7), (-0.5, 1.5), 1.5, 3),
    "superellipse 1 1, a diamond": lambda: box("superellipse", (-0.7, 0.8), (-0.5, 1.5), 1, 1),
    "superellipse 12 12": lambda: box("superellipse", (-0.7, 0.8), (-0.5, 1.5), 12, 12),
    "arcs and lines, a house": lambda: arc_lines(("line", (0, 0), (1, 0)), ("line", (1, 0), (1, 1)),
                                                 ("arc", (0.5, 1), 0.5, 0, PI), ("line", (0, 1), (0, 0))),
    "arcs and lines, with a dent": lambda: arc_lines(("line", (-1, -1), (1, -1)), ("line", (1, -1), (1, 1)),
                                                     ("line", (1, 1), (0.5, 1)), ("arc", (0, 1), 0.5, 0, -PI),
                                                     ("line", (-0.5, 1), (-1, 1)), ("line", (-1, 1), (-1, -1))),
    "arcs and lines, a notch": notch,
    "arcs and lines, clockwise": lambda: polygon((0, 0), (0, 1), (1, 1), (1.2, -0.3)),
    "arcs and lines, one circle": lambda: arc_lines(("arc", (0.3, -0.2), 0.5, 0.4, 0.4 + 2 * PI)),
    "arcs and lines, a lens": lambda: arc_lines(("arc", (0, -0.6), 1.0, PI / 2 - 0.9, PI / 2 + 0.9),
                                                ("line", (-np.sin(0.9), np.cos(0.9) - 0.6),
                                                 (np.sin(0.9), np.cos(0.9) - 0.6))),
    "cone": lambda: cone((0.2, 0.5, 0.7), 1.0),
    "cone, half the sphere": lambda: cone((0, 0, 1), PI / 2),
    "cone, tiny": lambda: cone((1, 2, 3), 1e-5),
    "cone, nearly full": lambda: cone((1, -2, 3), PI - 1e-4),
    "cone through the pole of projection": lambda: cone((-0.6, 0.8, 0), np.arccos(0.6)),
    "Euler angles, fig. 4": lambda: euler((-40, 20), (-10, 30), "stop", (-40, -10), (20, -10), (20, 30), (-40, 30)),
    "Euler angles through the pole": lambda: euler(
        (-40, 20), (-10, 110), "through", (-40, -10), (20, -10), (20, 90), (140, 90), (140, 70), (200, 70), (200, 90),
        (320, 90)),
    "Euler angles with a cap": lambda: euler((-40, 20), (-10, 110), "cap", (-40, -10), (20, -10), (20, 70), (320, 70)),
    "components of the bend": lambda: components((-0.34, 0.17), (-0.09, 0.82)),
    "triangles": triangles,
    "triangle, wide": wide_triangle,
    "spline, smooth": smooth,
    "spline, re-entrant (thesis fig. 3.2)": reentrant,
    "spline, pole outside": pole_outside,
    "spline, both poles inside": lambda: pole_outside(clockwise=True),
    "spline, opposite pole": lambda: through([6.0, 5.0, 3.5, 2.5, 1.2, 0.5], [2.0, 1.7, 2.2, 1.5, 1.9, 2.1], turns=-1),
    "spline, three points": lambda: through([0, 2, 4], [0.6, 1.1, 0.9]),
    "spline, tiny": lambda: through([0, 1, 2, 3, 4, 5], [2e-4, 1e-4, 3e-4, 2e-4, 1e-4, 3e-4]),
    "spline, a long thin mouth": hook,
    "spline, random 12": lambda: random_spline(7, 12),
    "spline, random 20": lambda: random_spline(8, 20, 60, 110),
    "spline, turned": lambda: turned(random_spline(3, 9), 5),
    "ellipse on z": lambda: on_z(box("ellipse", (-0.9, 0.4), (-0.2, 1.7))),
    "oval, turned": lambda: turned(box("oval", (-0.9, 0.4), (-0.2, 1.7)), 8),
}


def unit(v):
    with np.errstate(invalid="ignore"):
        return v / np.linalg.norm(v, axis=-1, keepdims=True)


def random_points(rng, n):
    return unit(rng.normal(size=(n, 3)))


def trial_points(outline, rng, n):
    """Points anywhere; near the boundary; on, near and behind its evolute; opposite to it; poles and axes.

    Returns the points, and for those made beside the boundary which side (1 left, -1 right) at which offset (0: other
    points)."""
    point, length = outline
    k = n // 20
    u = rng.uniform(0, length, k)
    e = 1e-4
    a, b, c = point(np.mod(u - e, length)), point(u), point(np.mod(u + e, length))
    left = unit(np.cross(b, c - a))
    centre = unit(np.cross(b - a, c - b))
    offset = 10 ** rng.uniform(-8.5, -1, k) * rng.choice((-1, 1), k)
    noise = lambda x, size: unit(x + size * rng.normal(size=x.shape))
    special = unit(np.concatenate([np.eye(3), -np.eye(3), [[1, 1, 1], [-1, 1e-9, 0]]]))
    beside = unit(b + left * np.tan(offset)[:, None])
    parts = [beside, centre, -centre, noise(centre, 1e-3), noise(centre, 3e-2), noise(-centre, 1e-3),
             noise(-b, 1e-2), noise(-b, 1e-5), noise(b, 1e-2), special]
    rest = random_points(rng, n - sum(map(len, parts)))
    p = np.concatenate([*parts, rest])
    lost = ~np.isfinite(p).all(1)                                # centres of straight or very small parts
    p[lost] = random_points(rng, lost.sum())
    side = np.zeros(n)
    side[:k] = offset
    return p, side
