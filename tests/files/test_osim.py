"""OpenSim models: what is read, written and evaluated, on models written by hand and on the reference data."""

import re
import warnings

import numpy as np
import pytest

from hitogata.errors import FileContentWarning, FileFormatError
from hitogata.figure.mechanism import CubicSpline, followed, generalized_gravity, mechanism_motion
from hitogata.files.osim import mechanism_from_osim, read_external_loads, read_ik_tasks, read_osim, write_osim
from tests.files.osim_cases import every_joint, old_pendulum
from tests.reference import FOLDER, reference

MODELS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.osim")) if FOLDER.exists() else []


def read_text(tmp_path, text, name="model.osim"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return read_osim(path)


def test_everything_is_read(tmp_path):
    model = read_text(tmp_path, every_joint())
    assert [joint.type for joint in model.joints][:3] == ["FreeJoint", "PinJoint", "SliderJoint"]
    assert len(model.coordinates) == 28
    muscle = model.muscles[0]
    assert muscle.max_isometric_force == 700
    assert muscle.tendon_slack_length == 0.31  # from <defaults>
    assert muscle.optimal_fiber_length == 0.1  # OpenSim's own
    assert [type(point).__name__ for point in muscle.path.points] == [
        "PathPoint",
        "ConditionalPathPoint",
        "MovingPathPoint",
    ]
    assert muscle.path.points[1].socket_coordinate == "p"
    assert muscle.path.points[2].x_location == CubicSpline((0, 1, 2), (0, 1, 0))
    assert muscle.path.wraps[0].range == (1, 2)
    assert model.wrap_objects[0].frame == "/bodyset/b1"
    assert model.contact_geometry[0].radius == 0.03
    assert model.place(model.markers[0].socket_parent_frame)[0] == "b3"
    assert model.others[0][1].name == "magic"


def test_what_is_not_understood_is_listed_once(tmp_path):
    path = tmp_path / "model.osim"
    path.write_text(every_joint())
    with pytest.warns(FileContentWarning) as told:
        read_osim(path)
    assert len(told) == 1
    assert "HoverForce 'magic'" in str(told[0].message)
    assert "bone.vtp" in str(told[0].message)


def test_written_models_are_read_again_equal(tmp_path):
    model = read_text(tmp_path, every_joint())
    write_osim(model, tmp_path / "again.osim")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        assert read_osim(tmp_path / "again.osim") == model


@pytest.mark.parametrize("version", [10900, 20303, 30000])
def test_old_nesting(tmp_path, version):
    model = read_text(tmp_path, old_pendulum(version))
    assert model.name == "old_pendulum"
    assert model.geometry[0].frame == "/bodyset/rod/rod_geom_frame_1"
    rod = mechanism_from_osim(model)
    q = np.array([0.7])
    position = mechanism_motion(rod, q).position[0, 0]
    np.testing.assert_allclose(position, (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(generalized_gravity(rod, q), [[-2 * 9.80665 * 0.5 * np.sin(0.7)]], rtol=1e-14)


def test_meshes_are_found_only_beside_the_model(tmp_path):
    home = tmp_path / "model"
    (home / "Geometry").mkdir(parents=True)
    (home / "Geometry" / "bone.vtp").write_text("x")
    (tmp_path / "secret.vtp").write_text("x")
    (home / "link.vtp").symlink_to(tmp_path / "secret.vtp")
    assert dict(read_text(home, every_joint()).geometry_files) == {"bone.vtp": home / "Geometry" / "bone.vtp"}
    for name in ("../secret.vtp", str(tmp_path / "secret.vtp"), "link.vtp", "a/../../secret.vtp", "..\\secret.vtp"):
        model = read_text(home, every_joint().replace("bone.vtp", name))
        assert model.geometry_files == ()
        assert model.missing_geometry == (name,)


def test_entities_are_refused(tmp_path):
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE x [\n<!ENTITY a "aaaaaaaaaa">\n'
    bomb += "".join(f'<!ENTITY a{k} "{f"&a{k - 1 if k else str()};" * 10}">\n' for k in range(10))
    with pytest.raises(FileFormatError, match=r"bomb.osim:2: document types"):
        read_text(tmp_path, bomb + "]>\n<OpenSimDocument>&a9;</OpenSimDocument>", "bomb.osim")
    outside = '<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd"><OpenSimDocument/>'
    with pytest.raises(FileFormatError, match="document types"):
        read_text(tmp_path, outside)
    with pytest.raises(FileFormatError, match="elements deep"):
        read_text(tmp_path, "<a>" * 100000)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<mass>1.3</mass>", "<mass>heavy</mass>", r":\d+: <mass>: a number is expected, got 'heavy'"),
        ("<mass>1.3</mass>", "<mass>nan</mass>", "got 'nan'"),
        ("<mass>1.3</mass>", "", "'b1': <mass> is missing"),
        ("<mass>1.3</mass>", "<mass>-1</mass>", "'b1': mass must not be negative, got -1"),
        ("<x>-1 -0.3 0.4", "<x>-1 0.4 -0.3", "x must rise"),
        ("<PolynomialFunction><coef", "<MysteryFunction><coef", "mismatched tag"),
        ("<Constant><value>0.25</value></Constant>", "<Mystery/>", "<Mystery>: a function of an unknown type"),
        ("<coordinates>k1 k2</coordinates>", "<coordinates>k1 zz</coordinates>", "no coordinate 'zz' in this joint"),
        ("<coordinates>k1 k2</coordinates>", "<coordinates>k1</coordinates>", "of 2 coordinates is given 1"),
        ("/bodyset/b3</socket_parent>", "/bodyset/bone</socket_parent>", "no frame '/bodyset/bone'"),
        ('<Coordinate name="u2">', '<Coordinate name="u1">', "two coordinates are called 'u1'"),
        ('<Coordinate name="u2">', '<Coordinate name="p">', "duplicate coordinate 'p'"),
        ("<PinJoint", "<SpringJoint", "mismatched tag"),
        ('Version="40000"', 'Version="99999"', "documents of version 99999 are not known"),
        ("<range>-1 0.5</range>", "<range>-1</range>", "2 numbers are expected, got '-1'"),
    ],
)
def test_bad_input_is_named(tmp_path, old, new, words):
    text = every_joint()
    assert old in text
    with pytest.raises(FileFormatError, match=words) as refused:
        read_text(tmp_path, text.replace(old, new, 1))
    assert re.search(r"model\.osim:\d+", str(refused.value))


def test_loops_and_circles_are_refused(tmp_path):
    text = every_joint().replace("<dependent_coordinate_name>s<", "<dependent_coordinate_name>p<")
    with pytest.raises(ValueError, match="circle"):
        mechanism_from_osim(read_text(tmp_path, text))
    loop = '<WeldJoint name="loop"><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/b5'
    loop += "</socket_child_frame></WeldJoint>"
    again = every_joint().replace("</objects></JointSet>", f"{loop}</objects></JointSet>")
    with pytest.raises(ValueError, match="closes a loop"):
        mechanism_from_osim(read_text(tmp_path, again))


def test_two_hundred_damaged_files(tmp_path):
    """Cut, changed, swapped and doubled pieces: an error with file and line, or a model; never anything else."""
    whole, rng = every_joint().encode(), np.random.default_rng(7)
    refused = []
    for k in range(200):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 4))):
            at, size = int(rng.integers(len(data))), int(rng.integers(1, 60))
            kind = k % 5
            if kind == 0:
                del data[at:]
            elif kind == 1:
                data[at : at + 1] = bytes([int(rng.integers(256))])
            elif kind == 2:
                del data[at : at + size]
            elif kind == 3:
                data[at:at] = data[at : at + size]
            else:
                words = [m.span() for m in re.finditer(rb"[-\d.]+", bytes(data))]
                low, high = words[int(rng.integers(len(words)))]
                data[low:high] = rng.choice([b"1e400", b"nan", b"-inf", b"x", b"", b"0", b"-7", b"1e-320"])
        path = tmp_path / "damaged.osim"
        path.write_bytes(bytes(data))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FileContentWarning)
                read_osim(path)
        except FileFormatError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert [text for text in refused if not re.search(r"damaged\.osim:\d+", text)] == []


@pytest.mark.parametrize("name", MODELS)
def test_reference_models_open_and_come_back(tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        model = read_osim(reference(name))
        write_osim(model, tmp_path / "again.osim")
        assert read_osim(tmp_path / "again.osim") == model
    mechanism = mechanism_from_osim(model)
    q, _, _ = followed(mechanism, [model.coordinate(c).default_value for c in mechanism.coordinates])
    assert np.isfinite(mechanism_motion(mechanism, q).position).all()


def test_loads_and_tasks(tmp_path):
    path = tmp_path / "loads.xml"
    text = (
        '<OpenSimDocument Version="40000"><ExternalLoads><objects><ExternalForce name="right">'
        "<applied_to_body>/bodyset/foot</applied_to_body><force_identifier>f_v</force_identifier>"
        "<point_identifier>f_p</point_identifier></ExternalForce></objects><datafile>PLATE</datafile>"
        "</ExternalLoads></OpenSimDocument>"
    )
    path.write_text(text.replace("PLATE", "plate.mot"))
    loads = read_external_loads(path)
    assert loads.forces[0].applied_to_body == "foot"
    assert loads.datafile == tmp_path / "plate.mot"
    path.write_text(text.replace("PLATE", "../../etc/passwd"))
    with pytest.raises(FileFormatError, match="leads out of the file's folder"):
        read_external_loads(path)
    path.write_text(
        '<IKTaskSet><objects><IKMarkerTask name="a"><weight>2</weight></IKMarkerTask>'
        '<IKCoordinateTask name="q"><weight>1</weight></IKCoordinateTask></objects></IKTaskSet>'
    )
    assert [task.weight for task in read_ik_tasks(path)] == [2, 1]
