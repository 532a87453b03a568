"""The papers' failures, reproduced, and what the exact answer does instead."""

import numpy as np

from hitogata.rom import EllipseRegion, OvalRegion, RectangleRegion, SuperellipseRegion
from hitogata.rom.papers import clamp_in_plane, pull_to_centre
from tests.rom import cases, oracle

FIG13 = (np.tan(np.deg2rad((-20, 10))), np.tan(np.deg2rad((-5, 55))))


def test_rectangle_clamped_in_the_plane_goes_round_the_back():
    """Yamaguchi 2009, fig. 27: past the pole of projection the other side is taken for the nearer."""
    region = RectangleRegion(*FIG13)
    w = np.deg2rad(190)
    p = np.array([np.cos(w), np.sin(w), 0])                               # 80 degrees above the upper limit of 110
    cheap, exact = clamp_in_plane(region, p), region.nearest(p)
    assert oracle.angle(exact, p) < np.deg2rad(80)
    assert oracle.angle(cheap, p) > np.deg2rad(150)
    assert cheap[1] < 0 < exact[1]


def test_rectangle_clamped_in_the_plane_is_near_enough_for_small_ones():
    region = RectangleRegion((-0.05, 0.03), (-0.02, 0.04))
    p = cases.unit(region.boundary(400) + 0.01 * np.random.default_rng(0).normal(size=(400, 3)))
    assert oracle.angle(clamp_in_plane(region, p), region.nearest(p)).max() < 1e-3
    assert region.contains(clamp_in_plane(region, p)).all()
    assert (region.nearest(p)[region.contains(p)] == p[region.contains(p)]).all()


def settle(correct, start, pull, steps):
    """Pull steadily, correct, and again (Yamaguchi 2009, fig. 29)."""
    p = start
    for _ in range(steps):
        p = correct(cases.unit(p + 0.02 * pull))
    return p


def test_ellipse_drifts_under_a_steady_pull_and_the_exact_one_stays():
    region = EllipseRegion((-0.9, 0.4), (-0.2, 0.35))
    down = cases.unit(np.array([0.3, -1.0, 0.4]))
    b = region.boundary(200_000)
    lowest = b[np.argmax(b @ down)]
    cheap = settle(lambda p: pull_to_centre(region, p), lowest, down, 3000)
    exact = settle(region.nearest, lowest, down, 3000)
    assert oracle.angle(exact, lowest) < 1e-4
    assert oracle.angle(cheap, lowest) > 0.05
    assert cheap @ down < exact @ down - 1e-3                              # it has even climbed
    # from elsewhere the exact one comes down to the same place
    assert oracle.angle(settle(region.nearest, region.at(2.0), down, 3000), lowest) < 1e-4


def test_pull_to_centre_is_exact_for_a_circle_about_the_bone_only():
    p = cases.random_points(np.random.default_rng(1), 2000)
    circle = EllipseRegion((-0.5, 0.5), (-0.5, 0.5))
    assert oracle.angle(pull_to_centre(circle, p), circle.nearest(p)).max() < 1e-7
    box = SuperellipseRegion((-0.5, 0.5), (-0.5, 0.5), 4, 4)
    assert oracle.angle(pull_to_centre(box, p), box.nearest(p)).max() > 0.02
    other = SuperellipseRegion((-0.5, 0.7), (-0.5, 0.2), 3, 5)
    q = pull_to_centre(other, p)
    assert other.contains(q).all()
    assert np.abs(other.distance(q)[~other.contains(p)]).max() < 1e-10


def paper_rectangle(s, t, p):
    """Nearest point of a rectangle by the paper's own formulas (Yamaguchi 2009, eq. 11 to 13), for p outside."""
    sp, tp = -p[2] / (p[0] + 1), p[1] / (p[0] + 1)
    found = [oracle.on_sphere(np.array(a), np.array(b)) for a in s for b in t]

    def side(fixed, low, high, a, b, swap):
        if b == 0:
            foot, ok = 0.0, low <= 0 <= high
        else:
            centre = (a * a + b * b - 2 * fixed * a - 1) / (2 * b)
            radius = np.sqrt(fixed**2 + centre**2 + 1)
            foot = centre + (radius if b > 0 else -radius)
            ok = low <= foot <= high
        if ok:
            a, b = (foot, fixed) if swap else (fixed, foot)
            found.append(oracle.on_sphere(np.array(a), np.array(b)))
    for k in s:
        side(k, *t, sp, tp, False)
    for k in t:
        side(k, *s, tp, sp, True)
    found = np.array(found)
    return found[np.argmin(oracle.angle(found, p))]


def test_rectangle_by_the_papers_exact_formulas():
    region = RectangleRegion(*FIG13)
    p = cases.random_points(np.random.default_rng(2), 500)
    p = p[~region.contains(p)]
    paper = np.array([paper_rectangle(*FIG13, x) for x in p])
    assert np.abs(oracle.angle(paper, p) - oracle.angle(region.nearest(p), p)).max() < 1e-9


def test_two_perpendiculars_on_one_arc():
    """A half circle of the plane may fill more than half a circle of the sphere (Yamaguchi 2009, 4.5)."""
    region = OvalRegion((-1.5, 1.5), (0.5, 9.0))
    assert region.pieces.rows[:, 13].max() > np.pi / 2                     # half the angle of an arc about its axis


def test_several_angles_for_one_azimuth():
    """The shape that the thesis's first spline could not have (Hanaoka 2010, fig. 3.2)."""
    region = cases.reentrant()[0]
    angle = np.linspace(0.01, 3.1, 400)
    azimuth = 1.45
    x, y = np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth)
    inside = region.contains(np.stack([x, y, np.cos(angle)], 1))
    assert np.count_nonzero(np.diff(inside.astype(int))) == 3             # in, out, in, out
