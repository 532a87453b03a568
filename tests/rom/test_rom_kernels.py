"""Kernels: every one at every width and in both precisions, and called from other kernels without allocation."""

import numpy as np
import pytest

from hitogata.lanes import X1, X4, X8, X16, Floats, Ints, aligned_zeros, entry, lanes, pack, tail, unpack
from hitogata.rom import contact, memory, poses
from hitogata.rom.range_layout import concatenated
from hitogata.rom.violation import range_violation
from hitogata.spatial import load_quaternion
from tests.rom import cases
from tests.rom.poses import random_quats
from tests.rom.test_rom_range import RANGES

REGIONS = ("rectangle beyond 90 degrees, fig. 13", "ellipse, centred", "spline, re-entrant (thesis fig. 3.2)",
           "triangles")
SOME = ("spline", "rectangle", "triangles", "both poles")


def both(rows, k, entry_, flat, flat32, *more):
    """Results at two widths or more in float64, and in float32."""
    full = entry_ in (contact.contact_rows, poses.violation_rows)
    exact = [contact.run(entry_, rows, k, *more, flat, width=w) for w in ((X1, X4, X8) if full else (X1, X4))]
    single = [contact.run(entry_, rows.astype(np.float32), k, *(m.astype(np.float32) for m in more), flat32, width=w)
              for w in ((X8, X16) if full else (X8,))]
    return exact, single


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize(("rows", "k"), [("contains_rows", 1), ("distance_rows", 1), ("nearest_rows", 3),
                                         ("contact_rows", 7)])
def test_regions_at_all_widths(name, rows, k):
    region = cases.CASES[name]()[0]
    p = cases.random_points(np.random.default_rng(0), 2003)                # not a multiple of any width
    exact, single = both(p, k, getattr(contact, rows), region.flat, region.flat32)
    for other in exact[1:]:
        assert np.abs(other - exact[0]).max() < 1e-12
    clear = np.abs(region.distance(p)) > 1e-5
    columns = 1 if rows == "contact_rows" else k                           # feet and rows jump where two are as near
    for other in single:
        error = np.abs(other - exact[0])[clear][:, :columns]
        assert np.isfinite(other).all()
        assert (np.sort(error.max(1))[:-8] < 2e-5).all()


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize(("module", "rows", "k"), [(poses, "violation_rows", 8), (poses, "inside_rows", 1),
                                                   (poses, "clamp_rows", 4), (memory, "violation_from_rows", 13)])
def test_ranges_at_all_widths(name, module, rows, k):
    rom = RANGES[name]
    q = random_quats(1003, 1)
    inside = random_quats(20_000, 2)
    inside = inside[rom.violation(inside).swing_depth < -0.02]
    more = [np.resize(inside, (1003, 4))] if module is memory else []
    exact, single = both(q, k, getattr(module, rows), rom.flat, rom.flat32, *more)
    for other in exact[1:]:
        assert np.quantile(np.abs(other - exact[0]).max(1), 0.995) < 1e-9
        assert np.abs(other[:, 0] - exact[0][:, 0]).max() < 1e-9
    for other in single:
        assert np.isfinite(other).all()
        assert np.quantile(np.abs(other - exact[0]).max(1), 0.95) < 1e-3
        assert np.quantile(np.abs(other[:, 0] - exact[0][:, 0]), 0.99) < 1e-5


@pytest.mark.parametrize("name", SOME)
def test_limits_at_all_widths(name):
    rom = RANGES[name]
    p = cases.random_points(np.random.default_rng(1), 1003)
    p = p[rom.swing.distance(p) > 0.01]
    exact, single = both(p, 8, poses.limit_rows, rom.flat, rom.flat32)
    for other in exact[1:]:
        assert np.abs(other[:, :2] - exact[0][:, :2]).max() < 1e-11
    for other in single:
        assert np.abs(other[:, :2] - exact[0][:, :2]).max() < 1e-3


@entry(figures=Floats(2), table=Floats(1), starts=Ints(1), out=Floats(2, write=True), work=Floats(2, write=True))
def figures_rows(figures, table, starts, out, work, width):
    q, r = lanes(work, width, 0), lanes(work, width, 1)
    for first in range(0, figures.shape[0], q.width):
        pack(figures, first, q)
        for k in range(starts.shape[0]):
            v = range_violation(load_quaternion(q, 4 * k), tail(lanes(table, X1), starts[k]))
            r[k] = v.swing_depth
        unpack(r, out, first)


@pytest.mark.parametrize("width", [X1, X4])
def test_many_ranges_in_one_array(width):
    """Joints of a figure: their ranges one after another, found by their starts."""
    roms = [RANGES[name] for name in SOME]
    table, starts = concatenated([rom.flat for rom in roms])
    q = np.stack([random_quats(37, k) for k in range(len(roms))], 1)
    out, work = np.empty((37, len(roms))), aligned_zeros((2, 32 * width.n))
    figures_rows(q.reshape(37, -1), table, starts, out, work, width)
    for k, rom in enumerate(roms):
        assert np.abs(out[:, k] - rom.violation(q[:, k]).swing_depth).max() < 1e-12
