"""Force plates of every type: the same load, measured by each, gives the same force, centre and moment in the world."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning
from hitogata.files import plate_forces, read_c3d, write_c3d
from tests.files.c3d_cases import body, c3d_bytes, texts

HALF = np.array([0.2, 0.3])
"""Half the edges of the plate along its x and y [m]."""
TURN = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""R_WP: the plate's x is along our -y, its y along our -x, its z down."""
CENTRE = np.array([1.0, 0.5, 0.1])
ORIGIN = np.array([0.01, -0.02, -0.04])
MATRIX = np.eye(6) + 0.1 * np.arange(36).reshape(6, 6) / 36


def corners() -> np.ndarray:
    signs = np.array([(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0)])
    return CENTRE + (signs * (*HALF, 0)) @ TURN.T


def load(n: int = 60):
    """Force [N], centre of pressure [m] and free moment [N m] in the plate's axes."""
    t = np.linspace(0, 1, n)[:, None]
    force = np.hstack([30 * np.sin(5 * t), 40 * np.cos(4 * t), -700 - 100 * np.sin(9 * t)])
    place = np.hstack([0.1 * np.cos(3 * t), 0.2 * np.sin(2 * t), 0 * t])
    free = np.hstack([0 * t, 0 * t, 5 * np.sin(7 * t)])
    return force, place, free


def channels(kind: int):
    """What the channels of a plate show, in N, N mm and mm, and their units."""
    force, place, free = load()
    if kind == 1:
        return np.hstack([force, 1000 * place[:, :2], 1000 * free[:, 2:]]), ["N", "N", "N", "mm", "mm", "Nmm"], ORIGIN
    if kind == 3:
        a, b, height = 0.15, 0.25, -0.05
        spots = np.array([(a, b), (-a, b), (-a, -b), (a, -b)])
        moment = np.cross(place - (0, 0, -height), force) + free  # about the plane of the sensors
        rows = np.array([np.ones(4), spots[:, 1], -spots[:, 0]])
        fz = np.stack([force[:, 2], moment[:, 0], moment[:, 1]], 1) @ np.linalg.pinv(rows).T
        share = moment[:, 2] / 2
        fx = np.stack([force[:, 0] / 2 - share / (2 * b), force[:, 0] / 2 + share / (2 * b)], 1)
        fy = np.stack([force[:, 1] / 2 + share / (2 * a), force[:, 1] / 2 - share / (2 * a)], 1)
        return np.hstack([fx, fy, fz]), ["N"] * 8, np.array([a, b, height])
    moment = np.cross(place + ORIGIN, force) + free  # about the transducer, from which ORIGIN leads to the centre
    wrench = np.hstack([force, 1000 * moment])
    if kind == 4:
        return wrench @ np.linalg.inv(MATRIX).T, ["V"] * 6, ORIGIN
    return wrench, ["N"] * 3 + ["Nmm"] * 3, ORIGIN


def plate_file(path, kind: int, *, change=None, units=None, scale=-0.1, flip=1.0):
    values, named, origin = channels(kind)
    group = {
        "USED": (2, (), [1]), "TYPE": (2, (1,), [kind]), "ZERO": (2, (2,), [1, 0]),
        "CORNERS": (4, (3, 4, 1), corners().ravel() * 1000), "ORIGIN": (4, (3, 1), origin * 1000),
        "CHANNEL": (2, (values.shape[1], 1), np.arange(values.shape[1]) + 1),
        "CAL_MATRIX": (4, (6, 6, 1), MATRIX.ravel(order="F")),
    }  # fmt: skip
    group.update(change or {})
    data = c3d_bytes(body() * 1000, np.zeros((20, 6)), flip * values, samples=3, units=units or named,
                     changes={"FORCE_PLATFORM": group}, scale=scale)  # fmt: skip
    path.write_bytes(data)
    return path


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_c3d(path)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_every_type_gives_the_same_forces(tmp_path, kind):
    c3d = read(plate_file(tmp_path / "plate.c3d", kind))
    force, place, free = load()
    found = plate_forces(c3d, 0)
    np.testing.assert_allclose(found.force, force @ TURN.T, atol=1e-3)
    np.testing.assert_allclose(found.centre, CENTRE + place @ TURN.T, atol=1e-5)
    np.testing.assert_allclose(found.free_moment, free @ TURN.T, atol=1e-3)
    np.testing.assert_allclose(found.moment, (np.cross(place, force) + free) @ TURN.T, atol=1e-3)
    np.testing.assert_allclose(found.point, CENTRE, atol=1e-6)
    assert (found.force[:, 2] > 0).all()  # it carries who stands on it
    world = CENTRE + place @ TURN.T
    want = np.hstack([np.cross(world - (1, 2, 3), force @ TURN.T) + free @ TURN.T, force @ TURN.T])
    np.testing.assert_allclose(found.wrench((1, 2, 3)), want, atol=2e-3)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_means_over_frames(tmp_path, kind):
    c3d = read(plate_file(tmp_path / "plate.c3d", kind))
    fast, slow = plate_forces(c3d, 0), plate_forces(c3d, 0, at_frames=True)
    np.testing.assert_array_equal(slow.time, c3d.markers.time)
    np.testing.assert_allclose(slow.force, fast.force.reshape(20, 3, 3).mean(1), atol=1e-9)
    np.testing.assert_allclose(slow.wrench(), fast.wrench().reshape(20, 3, 6).mean(1), atol=1e-9)
    about = slow.wrench((0, 0, 0))[:, :3] - np.cross(slow.centre, slow.force)  # only the free moment is left
    np.testing.assert_allclose(about, slow.free_moment, atol=1e-9)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("integers", [False, True])
def test_written_and_read_again(tmp_path, kind, integers):
    c3d = read(plate_file(tmp_path / "plate.c3d", kind))
    write_c3d(c3d, tmp_path / "again.c3d", integers=integers)
    a, b = plate_forces(c3d, 0), plate_forces(read(tmp_path / "again.c3d"), 0)
    np.testing.assert_allclose(b.force, a.force, atol=0.3 if integers else 1e-4)
    np.testing.assert_allclose(b.centre, a.centre, atol=1e-4 if integers else 1e-6)


def test_an_origin_written_the_other_way_round(tmp_path):
    for kind, sign in ((2, -1), (3, (1, 1, -1)), (4, -1)):
        _, _, origin = channels(kind)
        change = {"ORIGIN": (4, (3, 1), origin * sign * 1000)}
        found = plate_forces(read(plate_file(tmp_path / "plate.c3d", kind, change=change)), 0)
        np.testing.assert_allclose(found.centre, CENTRE + load()[1] @ TURN.T, atol=1e-5)


def test_a_plate_that_is_not_loaded_has_no_centre(tmp_path):
    c3d = read(plate_file(tmp_path / "plate.c3d", 2))
    found = plate_forces(c3d, 0, threshold=750)
    light = np.abs(load()[0][:, 2]) < 750
    np.testing.assert_array_equal(np.isnan(found.centre).all(axis=1), light)
    np.testing.assert_array_equal(np.isnan(found.free_moment).all(axis=1), light)
    assert np.isfinite(found.force).all()


def test_the_baseline_is_taken_off(tmp_path):
    c3d = read(plate_file(tmp_path / "plate.c3d", 2, change={"ZERO": (2, (2,), [2, 4])}))
    assert c3d.plates[0].zero == (1, 4)
    raw, less = plate_forces(c3d, 0), plate_forces(c3d, 0, baseline=True)
    np.testing.assert_allclose(less.force, raw.force - raw.force[3:12].mean(0), atol=1e-9)
    with pytest.raises(ArgumentError, match="baseline"):
        plate_forces(read(plate_file(tmp_path / "plate.c3d", 2)), 0, baseline=True)
    with pytest.raises(ArgumentError, match="plate: expected an index below 1"):
        plate_forces(c3d, 1)


@pytest.mark.parametrize(
    ("change", "units", "told"),
    [
        ({"TYPE": (2, (1,), [9])}, None, "force plate 1 is of type 9, and left out"),
        ({"CHANNEL": (2, (6, 1), [1, 2, 3, 4, 5, 99])}, None, r"its channels are \[1, 2, 3, 4, 5, 99\] of 6"),
        ({"CORNERS": (4, (3, 4, 1), [0.0] * 12)}, None, "left out: it has no four corners"),
        ({"ORIGIN": (4, (3, 0), [])}, None, "left out: it has no origin"),
        ({}, ["V"] * 6, "channel 'A0' is in 'V', not in a unit of a force: not calibrated"),
        ({"USED": (2, (), [3])}, None, "USED is 3, but TYPE has 1"),
        ({"CORNERS": (4, (3, 4, 1), corners().ravel())}, None, "has edges of 0.0004 to 0.0006 m"),
        ({}, ["N", "N", "N", "Nm", "Nm", "Nm"], "centre of pressure is .* m away from it: moments seem"),
    ],
)
def test_plates_that_cannot_be_are_named(tmp_path, change, units, told):
    plate_file(tmp_path / "plate.c3d", 2, change=change, units=units)
    with pytest.warns(FileContentWarning, match=told):
        c3d = read_c3d(tmp_path / "plate.c3d")
    assert len(c3d.plates) == ("left out" not in str(c3d.warnings))
    assert c3d.markers.nframes == 20


def test_a_matrix_is_needed(tmp_path):
    plate_file(tmp_path / "plate.c3d", 4, change={"CAL_MATRIX": (4, (6, 6, 0), [])})
    with pytest.warns(FileContentWarning, match="no calibration matrix"):
        assert not read_c3d(tmp_path / "plate.c3d").plates


def test_the_sign_of_forces_is_told(tmp_path):
    plate_file(tmp_path / "plate.c3d", 2, flip=-1)
    with pytest.warns(FileContentWarning, match="pulls who stands on it"):
        read_c3d(tmp_path / "plate.c3d")


def test_channels_without_units(tmp_path):
    plate_file(tmp_path / "plate.c3d", 2, units=[""] * 6)
    with pytest.warns(FileContentWarning, match="A0, A1, A2, A3, A4, A5 have no unit: N, N mm and mm are taken"):
        c3d = read_c3d(tmp_path / "plate.c3d")
    np.testing.assert_allclose(plate_forces(c3d, 0).centre, CENTRE + load()[1] @ TURN.T, atol=1e-5)
    write_c3d(c3d, tmp_path / "again.c3d")
    assert read(tmp_path / "again.c3d").analog.units == ("N", "N", "N", "Nmm", "Nmm", "Nmm")


@pytest.mark.parametrize("unit", ["Nm", "N.m", "N*m", "N m", "N-m", "Newton-meters", "[Nm]"])
def test_names_of_moments(tmp_path, unit):
    values = {"UNITS": texts(["N"] * 3 + [unit] * 3, 16)}
    path = plate_file(tmp_path / "plate.c3d", 2)
    assert path.stat().st_size
    data = c3d_bytes(body() * 1000, np.zeros((20, 6)), channels(2)[0] * ([1] * 3 + [1e-3] * 3), samples=3, changes={
        "ANALOG": values, "FORCE_PLATFORM": {
            "USED": (2, (), [1]), "TYPE": (2, (1,), [2]), "CORNERS": (4, (3, 4, 1), corners().ravel() * 1000),
            "ORIGIN": (4, (3, 1), ORIGIN * 1000), "CHANNEL": (2, (6, 1), np.arange(6) + 1)}})  # fmt: skip
    path.write_bytes(data)
    np.testing.assert_allclose(plate_forces(read(path), 0).centre, CENTRE + load()[1] @ TURN.T, atol=1e-5)


def test_plates_are_checked(tmp_path):
    plate = read(plate_file(tmp_path / "plate.c3d", 2)).plates[0]
    for change, told in (({"kind": 2}, "PlateType"), ({"corners": np.zeros((3, 3))}, r"shape \(4, 3\)"),
                         ({"channels": (1, 2)}, "6 channels"), ({"origin": (0, 0, np.nan)}, "finite")):  # fmt: skip
        with pytest.raises(ArgumentError, match=told):
            replace(plate, **change)
