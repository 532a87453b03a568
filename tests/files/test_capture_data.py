"""Capture files of other programs: all open, come back as they were, and force plates agree with OpenSim's."""

import warnings

import numpy as np
import pytest

from hitogata.files import (
    LengthUnit,
    plate_forces,
    read_c3d,
    read_storage,
    read_trc,
    write_c3d,
    write_storage,
    write_trc,
)
from tests.reference import FOLDER, reference

TABLES = sorted(str(path.relative_to(FOLDER)) for kind in ("mot", "sto") for path in FOLDER.rglob(f"*.{kind}"))
MARKERS = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.trc"))
RECORDINGS = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.c3d"))


@pytest.mark.parametrize("name", TABLES or ["opensim_id/subject01_walk1_ik.mot"])
def test_tables(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read_storage(reference(*name.split("/")))
        write_storage(table, tmp_path / "again.sto")
        again = read_storage(tmp_path / "again.sto")
    assert len(table.time) > 1
    assert len(table.columns) > 1
    assert again.columns == table.columns
    assert again.in_degrees == table.in_degrees
    np.testing.assert_array_equal(again.time, table.time)
    np.testing.assert_array_equal(again.values, table.values)


@pytest.mark.parametrize("name", MARKERS or ["opensim_ik/subject01_synthetic_marker_data.trc"])
def test_markers(name, tmp_path, recwarn):
    markers = read_trc(reference(*name.split("/")))
    assert not recwarn.list
    assert 1.0 < np.nanmax(markers.positions[..., 1]) < 2.2  # y is up, in metres
    write_trc(markers, tmp_path / "again.trc")
    again = read_trc(tmp_path / "again.trc")
    np.testing.assert_allclose(again.positions, markers.positions, rtol=3e-16)
    np.testing.assert_array_equal(again.time, markers.time)
    assert again.labels == markers.labels


def test_misplaced_labels():
    """The labels of this file do not stand above their columns."""
    markers = read_trc(reference("opensim_ik", "subject01_synthetic_marker_data.trc"))
    assert markers.labels[:4] == ("Sternum", "R.Acromium", "L.Acromium", "Top.Head")
    assert len(markers.labels) == 31
    assert (markers.marker("Top.Head")[:, 1] > markers.marker("Sternum")[:, 1]).all()


@pytest.mark.parametrize("name", RECORDINGS or ["markers_c3d/walking2.c3d"])
def test_recordings(name, tmp_path, recwarn):
    c3d = read_c3d(reference(*name.split("/")))
    assert not recwarn.list
    write_c3d(c3d, tmp_path / "again.c3d")
    again = read_c3d(tmp_path / "again.c3d")
    np.testing.assert_array_equal(again.markers.positions, c3d.markers.positions)
    np.testing.assert_array_equal(again.markers.residuals, c3d.markers.residuals)
    np.testing.assert_array_equal(again.analog.values, c3d.analog.values)
    assert again.markers.labels == c3d.markers.labels
    write_c3d(again, tmp_path / "third.c3d")
    assert (tmp_path / "third.c3d").read_bytes() == (tmp_path / "again.c3d").read_bytes()


def test_what_is_in_them():
    cmu = read_c3d(reference("markers_c3d", "cmu_02_05.c3d")).markers
    assert (len(cmu.labels), cmu.nframes, cmu.rate, cmu.unit) == (41, 1854, 120, LengthUnit.MILLIMETRE)
    walk = read_c3d(reference("markers_c3d", "walking2.c3d"))
    assert (len(walk.markers.labels), walk.markers.nframes, walk.samples, len(walk.plates)) == (44, 1249, 8, 2)
    assert 0.3 < walk.markers.seen.mean() < 0.7


def test_force_plates_agree_with_opensim():
    """Forces [N], points [mm] and moments [N mm] of the reference have eight decimals; it has every 100th sample."""
    c3d = read_c3d(reference("markers_c3d", "walking2.c3d"))
    table = read_storage(reference("markers_c3d", "std_walking2_grfs.sto"))
    at = np.rint(table.time * c3d.analog.rate).astype(int)
    for k in (0, 1):
        force, point, moment = (
            np.stack([table.column(f"{letter}{k + 1}_{axis}") for axis in (1, 2, 3)], axis=1) for letter in "fpm"
        )
        found = plate_forces(c3d, k)
        np.testing.assert_allclose(found.force[at], force, rtol=0, atol=5.1e-9)
        np.testing.assert_allclose(found.moment[at], moment / 1000, rtol=0, atol=5.1e-12)
        np.testing.assert_allclose(np.broadcast_to(found.point, point.shape), point / 1000, rtol=0, atol=5.1e-12)
        assert 500 < np.abs(found.force[:, 2]).max() < 1200
        slow = plate_forces(c3d, k, at_frames=True, threshold=200)
        loaded = np.isfinite(slow.centre).all(axis=1)
        low, high = c3d.plates[k].corners.min(0), c3d.plates[k].corners.max(0)
        assert (slow.centre[loaded, :2] > low[:2] - 0.05).all()  # a foot on both belts is felt by both plates
        assert (slow.centre[loaded, :2] < high[:2] + 0.05).all()
