"""C3D beside ezc3d: what it reads of our files and of others', and the forces of its plates."""

import numpy as np
import pytest

from hitogata.files import plate_forces, read_c3d, write_c3d
from tests.files.c3d_cases import DEC, INTEL, body, c3d_bytes
from tests.files.test_c3d_plates import plate_file
from tests.files.test_c3d_write import recording
from tests.reference import reference

ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed: pip install hitogata[test]")


def compare(path, *, scale=1000.0):
    """Places and analog values to the bit, up to the unit.  Residuals: ezc3d takes the byte of the cameras for them."""
    ours, theirs = read_c3d(path), ezc3d.c3d(str(path), extract_forceplat_data=bool(read_c3d(path).plates))
    data = theirs["data"]
    np.testing.assert_allclose(ours.markers.positions * scale, data["points"][:3].transpose(2, 1, 0), rtol=1e-12)
    if ours.analog.labels:
        np.testing.assert_allclose(ours.analog.values, data["analogs"][0].T, rtol=1e-12)
    assert list(ours.markers.labels) == theirs["parameters"]["POINT"]["LABELS"]["value"]
    for k in range(len(ours.plates)):
        found, want = plate_forces(ours, k, threshold=0), data["platform"][k]
        np.testing.assert_allclose(found.force, want["force"].T, atol=1e-9)
        np.testing.assert_allclose(found.centre, want["center_of_pressure"].T / 1000, atol=1e-9)
        yield found, want


def test_real_files():
    for name in ("walking2.c3d", "cmu_02_05.c3d"):
        for found, want in compare(reference("markers_c3d", name)):
            np.testing.assert_allclose(found.moment, want["moment"].T / 1000, atol=1e-9)
            np.testing.assert_allclose(found.free_moment, want["Tz"].T / 1000, atol=1e-9)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_plates(tmp_path, kind):
    for found, want in compare(plate_file(tmp_path / "plate.c3d", kind)):
        np.testing.assert_allclose(found.moment, want["moment"].T / 1000, atol=1e-9)


@pytest.mark.parametrize("integers", [False, True])
def test_files_of_ours(tmp_path, integers):
    write_c3d(recording(), tmp_path / "a.c3d", integers=integers)
    assert not list(compare(tmp_path / "a.c3d"))
    theirs = ezc3d.c3d(str(tmp_path / "a.c3d"))["parameters"]
    assert theirs["EVENT"]["LABELS"]["value"] == ["Foot Strike", "Foot Off"]
    assert theirs["ANALOG"]["UNITS"]["value"] == ["V", "mV"]


@pytest.mark.parametrize("processor", [INTEL, DEC])
@pytest.mark.parametrize("scale", [-0.1, 0.1])
def test_processors(tmp_path, processor, scale):
    data = c3d_bytes(np.rint(body() * 1000), np.zeros((20, 6)), scale=scale, processor=processor)
    (tmp_path / "a.c3d").write_bytes(data)
    assert not list(compare(tmp_path / "a.c3d"))
