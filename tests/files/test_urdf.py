"""URDF: links and joints as Pinocchio's own parser reads them; what MuJoCo drops is told."""

import math
import struct
import warnings

import numpy as np
import pinocchio as pin
import pytest

from hitogata.errors import FileContentWarning
from hitogata.figure import Box, Capsule, Cylinder, JointKind, Sphere
from hitogata.files import read_urdf
from tests.files.comparing import close
from tests.peers import builders as b

INERTIA = '<inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0.02" iyz="-0.01"/>'


def link(name: str, inside: str = "", mass: float = 1.0, origin: str = '<origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/>'):
    return f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/>{INERTIA}</inertial>{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>{inside}</joint>"""


def robot(*parts: str) -> str:
    return '<?xml version="1.0"?>\n<robot name="robot">\n' + "\n".join(parts) + "\n</robot>\n"


ARM = robot(
    '<link name="base_link"/>',
    link("base", '<collision name="block"><geometry><box size="0.2 0.4 0.6"/></geometry></collision>', 5),
    link("upper", '<collision><geometry><sphere radius="0.1"/></geometry></collision>'),
    link("fore"),
    link("hand"),
    '<link name="tool0"/>',
    '<link name="tip"/>',
    joint("mount", "fixed", "base_link", "base"),
    joint(
        "shoulder",
        "revolute",
        "base",
        "upper",
        '<axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="30" velocity="0"/><dynamics damping="0.7"/>',
    ),
    joint("elbow", "continuous", "upper", "fore", '<axis xyz="1 0 0"/><limit effort="10" velocity="0"/>'),
    joint(
        "slide",
        "prismatic",
        "fore",
        "hand",
        '<axis xyz="0 0 1"/><limit lower="0" upper="0.2" effort="5" velocity="0"/>',
    ),
    joint("flange", "fixed", "hand", "tool0"),
    joint("end", "fixed", "tool0", "tip"),
)


def quiet(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        return read_urdf(text, **options)


def assert_same_as_pinocchio(figure, text: str, *, free_base: bool = False, tolerance: float = 1e-12) -> None:
    """Every link and frame, and the mass matrix, as Pinocchio reads the same text."""
    theirs = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if free_base else pin.buildModelFromXML(text)
    ours, mapping = b.to_pinocchio(figure)
    q, _ = b.random_state(figure, np.random.default_rng(0))
    q_ours, q_theirs = b.q_to_pin(figure, q), pin.neutral(theirs)
    order = []
    for each, name, iq, iv in zip(figure.links, figure.joint_names, figure.q_starts, figure.v_starts, strict=True):
        if each.joint.kind is JointKind.FIXED:
            continue
        peer = theirs.joints[theirs.getJointId("root_joint" if each.joint.kind is JointKind.FREE else name)]
        order += range(peer.idx_v, peer.idx_v + peer.nv)
        if (peer.nq, peer.nv) == (2, 1):  # a continuous joint, as cosine and sine
            q_theirs[peer.idx_q : peer.idx_q + 2] = math.cos(q[iq]), math.sin(q[iq])
        else:
            q_theirs[peer.idx_q : peer.idx_q + peer.nq] = q_ours[iq : iq + peer.nq]
        assert iv == len(order) - peer.nv
    data, other = ours.createData(), theirs.createData()
    pin.framesForwardKinematics(ours, data, q_ours)
    pin.framesForwardKinematics(theirs, other, q_theirs)
    for i, each in enumerate(figure.links):
        places = [(each.name, data.oMf[mapping.frames[i]])]
        places += [(f.name, data.oMf[ours.getFrameId(f"frame:{f.name}")]) for f in each.frames]
        for name, place in places:
            close(place.homogeneous, other.oMf[theirs.getFrameId(name, pin.FrameType.BODY)].homogeneous)
    M, N = (np.triu(pin.crba(m, d, x)) for m, d, x in ((ours, data, q_ours), (theirs, other, q_theirs)))
    N = (N + np.triu(N, 1).T)[np.ix_(order, order)]
    close(M + np.triu(M, 1).T - np.diag(ours.armature), N - np.diag(theirs.armature[order]), tolerance)


def test_links_and_joints(recwarn):
    figure = read_urdf(ARM)
    assert not recwarn.list
    assert figure.name == "robot"
    assert figure.link_names == ("base", "upper", "fore", "hand")
    assert figure.joint_names == ("base", "shoulder", "elbow", "slide")
    assert [f.name for f in figure.link("hand").frames] == ["tool0", "tip"]
    assert [f.name for f in figure.link("base").frames] == ["base_link"]
    shoulder, elbow, slide = (figure.link(name).joint for name in ("upper", "fore", "hand"))
    assert (shoulder.kind, shoulder.range, shoulder.effort_limit, shoulder.damping) == (
        JointKind.HINGE,
        (-1, 2),
        30,
        0.7,
    )
    assert (elbow.kind, elbow.range, elbow.effort_limit) == (JointKind.HINGE, None, 10)
    assert (slide.kind, slide.range, slide.effort_limit) == (JointKind.SLIDER, (0, 0.2), 5)
    close(shoulder.axis, [0, math.sqrt(0.5), math.sqrt(0.5)])


@pytest.mark.parametrize("free_base", [False, True])
def test_it_moves_as_in_pinocchio(free_base):
    figure = read_urdf(ARM, free_base=free_base)
    assert figure.links[0].joint.kind is (JointKind.FREE if free_base else JointKind.FIXED)
    assert_same_as_pinocchio(figure, ARM, free_base=free_base)


def test_a_file(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    assert read_urdf(path) == read_urdf(str(path)) == read_urdf(ARM)


def test_a_spherical_joint_is_a_ball():
    figure = read_urdf(robot(link("a"), link("b"), joint("j", "spherical", "a", "b")))
    assert figure.link("b").joint.kind is JointKind.BALL


def test_a_link_called_world_is_the_world():
    figure = read_urdf(robot('<link name="world"/>', link("a"), joint("j", "fixed", "world", "a")))
    assert figure.link_names == ("a",)
    close(figure.links[0].joint.parent_frame.position, [0.1, 0.2, 0.3])
    figure = read_urdf(robot('<link name="world"/>', link("a"), joint("j", "floating", "world", "a")))
    assert figure.links[0].joint.kind is JointKind.FREE
    close(figure.neutral()[:3], [0.1, 0.2, 0.3])


def test_a_massless_base_with_one_moving_child_vanishes():
    text = robot(
        '<link name="base_link"/>', link("a"), joint("j", "continuous", "base_link", "a", '<axis xyz="0 1 0"/>')
    )
    with pytest.warns(FileContentWarning, match="massless body fixed to the world 'base_link'"):
        figure = read_urdf(text)
    assert figure.link_names == ("a",)
    assert_same_as_pinocchio(figure, text)


def test_massless_links_between_joints_get_a_little_mass():
    """Human models in URDF make a ball of three hinges with empty links between."""
    text = robot(
        link("pelvis"),
        '<link name="v1"/>',
        '<link name="v2"/>',
        link("thigh"),
        joint("x", "continuous", "pelvis", "v1", '<axis xyz="1 0 0"/>'),
        joint("y", "continuous", "v1", "v2", '<axis xyz="0 1 0"/>'),
        joint("z", "continuous", "v2", "thigh", '<axis xyz="0 0 1"/>'),
    )
    with pytest.warns(FileContentWarning, match="link 'v1' moves but has no mass: it gets 1e-06 of that of 'thigh'"):
        figure = read_urdf(text)
    assert figure.joint_names == ("pelvis", "x", "y", "z")
    assert_same_as_pinocchio(figure, text, tolerance=1e-5)


def test_a_fixed_point_mass_is_added_to_its_parent():
    point = """<link name="p"><inertial><origin xyz="0 0 1"/><mass value="2"/>
      <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
    moving = joint("j", "continuous", "a", "b", '<axis xyz="1 0 0"/>')
    text = robot(link("a"), link("b"), point, moving, joint("k", "fixed", "b", "p"))
    figure = read_urdf(text)
    assert figure.link("b").mass.mass == 3
    assert figure.link("b").frames[0].name == "p"
    assert_same_as_pinocchio(figure, text)


def test_a_fixed_link_of_mass_zero_is_a_frame():
    """A placeholder with mass 0 and some inertia."""
    text = robot(link("a"), link("foot", mass=0), joint("j", "fixed", "a", "foot"))
    with pytest.warns(FileContentWarning, match="link 'foot' has mass 0"):
        figure = read_urdf(text)
    assert figure.link_names == ("a",)


def test_a_bad_inertia_can_be_repaired():
    bad = link("b").replace('izz="0.15"', 'izz="0.9"')
    text = robot(link("a"), bad, joint("j", "continuous", "a", "b", '<axis xyz="1 0 0"/>'))
    with pytest.warns(FileContentWarning, match="link 'b': its inertia is not physical"):
        figure = read_urdf(text, repair_inertia=True)
    mass = figure.link("b").mass
    small, middle, large = np.linalg.eigvalsh(mass.matrix)
    assert 0 < small <= middle <= large <= small + middle
    assert large == pytest.approx(0.9, rel=0.01)
    assert figure.link("a").mass == read_urdf(robot(link("a"))).link("a").mass  # others are left alone


def test_what_mujoco_drops_is_told():
    text = robot(
        link("a", '<visual><geometry><box size="1 1 1"/></geometry></visual>'),
        link("b"),
        link("c"),
        '<material name="blue"/>',
        '<gazebo reference="a"/>',
        '<transmission name="drive"/>',
        joint(
            "j", "revolute", "a", "b", '<limit lower="0" upper="1" effort="0" velocity="3"/><calibration rising="0"/>'
        ),
        joint("k", "continuous", "b", "c", '<mimic joint="j" multiplier="2"/><dynamics friction="0.1"/>'),
    )
    with pytest.warns(FileContentWarning) as caught:
        figure = read_urdf(text)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    for part in (
        "visual of link (read with visuals=True to keep it) 'a'",
        "material 'blue'",
        "gazebo 'a'",
        "transmission 'drive'",
        "velocity limit of joint 'j'",
        "calibration of joint 'j'",
        "mimic of joint 'k'",
        "joint frictionloss 'k'",
        "joint 'j' has effort 0: taken as no limit",
    ):
        assert part in message
    assert "equality" not in message
    assert figure.link("b").joint.effort_limit == math.inf


# ------------------------------------------------------- shapes and meshes


def shapes_of(geometry: str, tag: str = "collision", **options):
    return read_urdf(robot(link("a", f"<{tag}><geometry>{geometry}</geometry></{tag}>")), **options).link("a").shapes


def test_collision_elements_become_shapes():
    (box,) = shapes_of('<box size="0.2 0.4 0.6"/>')
    assert isinstance(box, Box)
    assert box.half_sizes == (0.1, 0.2, 0.3)
    (ball,) = shapes_of('<sphere radius="0.3"/>')
    assert isinstance(ball, Sphere)
    (tube,) = shapes_of('<capsule radius="0.1" length="0.6"/>')
    assert isinstance(tube, Capsule)
    assert (tube.radius, tube.half_length) == (0.1, 0.3)
    (can,) = shapes_of('<cylinder radius="0.1" length="0.6"/>')
    assert isinstance(can, Cylinder)
    assert (can.radius, can.half_length) == (0.1, 0.3)


def test_visuals_are_kept_on_request():
    assert len(shapes_of('<box size="1 1 1"/>', tag="visual", visuals=True)) == 1
    with pytest.warns(FileContentWarning, match="visual"):
        assert not shapes_of('<box size="1 1 1"/>', tag="visual")


def write_stl(path) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    data = b" " * 80 + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["package://pkg/meshes/part.stl", "../meshes/part.stl", "model://pkg/meshes/part.stl"])
def test_meshes_are_found(tmp_path, name):
    write_stl(tmp_path / "pkg" / "meshes" / "part.stl")
    path = tmp_path / "pkg" / "urdf" / "robot.urdf"
    path.parent.mkdir()
    mesh = f'<collision><geometry>\n<mesh filename="{name}" scale="2 2 2"/></geometry></collision>'
    path.write_text(robot(link("a", mesh)))
    (shape,) = read_urdf(path).link("a").shapes
    assert shape.volume == pytest.approx(8 / 6, rel=1e-6)
    close(np.sort(shape.pose.apply(shape.vertices).max(0)), [2, 2, 2], 1e-6)


def test_meshes_in_other_packages(tmp_path):
    write_stl(tmp_path / "elsewhere" / "pkg" / "part.stl")
    mesh = '<mesh filename="package://pkg/part.stl"/>'
    assert len(shapes_of(mesh, package_dirs=[tmp_path / "elsewhere"])) == 1
    assert len(shapes_of(mesh, package_dirs=[tmp_path / "elsewhere" / "pkg"])) == 1
    assert len(shapes_of(f'<mesh filename="file://{tmp_path}/elsewhere/pkg/part.stl"/>')) == 1


def test_meshes_that_cannot_be_read_do_not_stop_the_import(tmp_path):
    ascii_stl = tmp_path / "text.stl"
    ascii_stl.write_text("solid x\nendsolid x\n" + " " * 100)
    collada = tmp_path / "part.dae"
    collada.write_text("<COLLADA/>")
    for name, why in (("gone.stl", "not found"), (ascii_stl, "not binary STL"), (collada, "not binary STL")):
        with pytest.warns(FileContentWarning, match=f"{why}.*of a"):
            assert not shapes_of(f'<mesh filename="{name}"/>')
        with pytest.warns(FileContentWarning, match="visual"):
            assert not shapes_of(f'<mesh filename="{name}"/>', tag="visual")


def test_compiler_settings_of_the_file_are_honoured():
    bad = link("b").replace('izz="0.15"', 'izz="0.9"')
    text = robot('<mujoco><compiler balanceinertia="true"/></mujoco>', link("a"), bad,
                 joint("j", "continuous", "a", "b", '<axis xyz="1 0 0"/>'))  # fmt: skip
    assert quiet(text).nlinks == 2
