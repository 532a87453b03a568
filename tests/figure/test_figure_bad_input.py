"""Bad input of figures: an error that names the culprit, and nothing changed by it."""

import math

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    Figure,
    FigureBuilder,
    Frame,
    Joint,
    JointKind,
    Link,
    MassProperties,
    Plane,
    Pose,
    Sphere,
    State,
    joint,
)
from hitogata.library import chain, human28

NAN, INF = math.nan, math.inf
GOOD = MassProperties(1.0, inertia=(1, 1, 1, 0, 0, 0))
HALF = math.sqrt(0.5)


def link(name: str, parent: str | None = None, **options) -> Link:
    kind = options.pop("joint", joint.hinge())
    return Link(name, parent, kind, GOOD, **options)


def refuses(message: str, function, *args, error=FigureError, **options) -> None:
    with pytest.raises(error, match=message):
        function(*args, **options)


# ------------------------------------------------------- mass


@pytest.mark.parametrize("mass", [0, -1, NAN, INF, "heavy", None, [1], 10**400])
def test_mass(mass):
    refuses("mass", MassProperties, mass, inertia=(1, 1, 1, 0, 0, 0))
    refuses("mass", GOOD.scaled, mass)
    refuses("link 'bob'.*(mass|density)", FigureBuilder("f").add, "bob", None, joint.free(), GOOD, total_mass=1)


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ((1, 1, 2.1, 0, 0, 0), "exceed the sum"),
        ((0, 0, 1, 0, 0, 0), "exceed the sum"),
        ((-1, 1, 1, 0, 0, 0), "positive semi-definite"),
        ((-1e-6, 1, 1, 0, 0, 0), "positive semi-definite"),
        ((1, 1, 1, 1, 1, 1), "exceed the sum"),
        ((1e300, 1e300, 1e300, 0, 0, 0), r"1e\+300 kg m² is absurd for a mass of 1 kg"),
        ((1e-310, 1e-310, 1e-310, 0, 0, 0), "1e-310 kg m² is absurd for a mass of 1 kg"),
        ((1e13, 1e13, 1e13, 0, 0, 0), "absurd"),
        ((1e-19, 1e-19, 1e-19, 0, 0, 0), "or 0 for a point mass"),
        ((1, 1, 1, 0.9, 0, 0), "exceed the sum"),
        ((1, 1, 1), "shape"),
        (np.eye(3), "shape"),
        ((1, 1, NAN, 0, 0, 0), "finite"),
        ("round", "numbers"),
    ],
)
def test_inertia(inertia, message):
    refuses(f"inertia.*{message}", MassProperties, 1.0, inertia=inertia)


def test_inertia_matrix():
    refuses("inertia.*not symmetric", MassProperties.from_matrix, 1, (0, 0, 0), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])
    refuses("inertia.*finite", MassProperties.from_matrix, 1, (0, 0, 0), np.eye(3) * NAN)
    refuses("inertia.*shape", MassProperties.from_matrix, 1, (0, 0, 0), np.eye(2))
    refuses("centre of mass", MassProperties.from_matrix, 1, (0, 0), np.eye(3))
    refuses("centre of mass", MassProperties, 1, (0, 0, INF), (1, 1, 1, 0, 0, 0))
    refuses("principal axes.*norm", MassProperties.principal, 1, (0, 0, 0), (1, 1, 1), (1, 1, 0, 0))
    refuses("nothing", MassProperties.combined, [])


def test_a_flat_body_is_on_the_edge():
    """A thin plate has one moment that is the sum of the others, up to rounding."""
    turned = MassProperties.principal(1, (0, 0, 0), (1, 1, 2), (HALF, 0.5, 0.5, 0)).matrix
    assert MassProperties.from_matrix(1, (0, 0, 0), turned)


# ------------------------------------------------------- poses and quaternions


@pytest.mark.parametrize(
    "quat", [(1, 0, 0, 2e-3), (0, 0, 0, 0), (1 + 2e-6, 0, 0, 0), (1, 0, 0), (NAN, 0, 0, 0), "wxyz"]
)
def test_quaternions(quat):
    refuses("orientation of a pose", Pose, (0, 0, 0), quat)
    refuses("rest", joint.ball, rest=quat)
    refuses("rest", joint.free, rest=(0, 0, 0, *quat))


def test_a_quaternion_within_tolerance_is_normalised():
    quat = np.array(Pose(quat=(1 + 9e-7, 0, 0, 0)).quat)
    assert np.linalg.norm(quat) == 1
    assert joint.ball(rest=(1 - 9e-7, 0, 0, 0)).rest == (1, 0, 0, 0)


@pytest.mark.parametrize("matrix", [np.eye(3) * 2, np.diag([1, 1, -1]), np.zeros((3, 3)), np.eye(4), np.eye(3) * NAN])
def test_rotation_matrices(matrix):
    refuses("rotation matrix", Pose.from_matrix, matrix)


def test_positions_and_points():
    refuses("position of a pose", Pose, (0, 0))
    refuses("position of a pose", Pose.from_matrix, np.eye(3), 3)
    refuses("points.*shape", Pose().apply, [1, 2], error=ArgumentError)
    refuses("points", Pose().apply, "here", error=ArgumentError)


# ------------------------------------------------------- joints


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axis": (0, 0, 0)}, "'knee': axis"),
        ({"axis": (0, 1)}, "'knee': axis"),
        ({"axis": (0, 1, NAN)}, "'knee': axis"),
        ({"range": (1, -1)}, "'knee': range"),
        ({"range": (NAN, 1)}, "'knee': range"),
        ({"range": 3}, "'knee': range"),
        ({"damping": -1}, "'knee': damping"),
        ({"damping": NAN}, "'knee': damping"),
        ({"armature": -0.1}, "'knee': armature"),
        ({"effort_limit": -1}, "'knee': effort_limit"),
        ({"effort_limit": NAN}, "'knee': effort_limit"),
        ({"rest": (0, 0)}, "'knee': rest"),
        ({"rest": (INF,)}, "'knee': rest"),
        ({"parent_frame": (0, 0, 0)}, "'knee': parent_frame"),
        ({"child_frame": np.eye(4)}, "'knee': child_frame"),
    ],
)
def test_joint_values(options, message):
    refuses(message, joint.hinge, name="knee", **options)


def test_joint_kinds():
    refuses("kind must be a JointKind, got 'hinge'", Joint, "hinge")
    refuses("name must be a string", joint.hinge, name=3)
    refuses("parallel", joint.universal, (0, 0, 1), (0, 0, -2))
    refuses("two \\(low, high\\)", joint.universal, range=3)
    refuses("first range", joint.universal, range=(0, 1))
    refuses("second range", joint.universal, range=((0, 1), (1, 0)))
    refuses("RangeOfMotion", joint.ball, range=(0, 1))
    refuses("has no range", joint.free, range=(0, 1))
    refuses("has no range", joint.fixed, range=(0, 1))


# ------------------------------------------------------- shapes


@pytest.mark.parametrize("size", [0, -1, NAN, INF, "big", None, (1, 2)])
def test_sizes(size):
    refuses("radius of a sphere", Sphere, size)
    refuses("radius of a capsule", Capsule, size, 1)
    refuses("half size y of a box|half_sizes of a box", Box, (1, size, 1))
    if size != 0:
        refuses("half_length of a capsule", Capsule, 1, size)


def test_shapes():
    refuses("half_sizes of a box", Box, (1, 1))
    refuses("start of a capsule", Capsule.between, (0, 0), (0, 0, 1), 0.1)
    refuses("at least 4 points, got 3", ConvexMesh, np.eye(3))
    refuses("one plane", ConvexMesh, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    refuses("finite", ConvexMesh, np.eye(4, 3) * NAN)
    refuses("shape", ConvexMesh, np.zeros((5, 2)))
    refuses("sphere: pose", Sphere, 1, pose=(0, 0, 0))
    refuses("box: name", Box, (1, 1, 1), name=7)
    refuses("density", Sphere(1).mass_properties, -3)
    refuses("Plane has no volume", Plane().mass_properties)


# ------------------------------------------------------- links, names, trees


def test_links():
    refuses("link: a name", link, "")
    refuses("link: a name", link, None)
    refuses("link 'bob': parent", link, "bob", 3)
    refuses("link 'bob': joint", Link, "bob", None, "hinge", GOOD)
    refuses("link 'bob': mass", Link, "bob", None, joint.free(), 3.0)
    refuses("link 'bob': not a Shape", link, "bob", shapes=["sphere"])
    refuses("link 'bob': shapes must be a list", link, "bob", shapes=3)
    refuses("link 'bob': not a Frame", link, "bob", frames=["tip"])
    refuses("frame: a name", Frame, " ")
    refuses("frame 'tip': pose", Frame, "tip", (0, 0, 0))


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([], "at least one link"),
        ([link("a"), link("a", "a")], "duplicate link 'a'"),
        ([link("a", joint=joint.hinge(name="j")), link("b", "a", joint=joint.hinge(name="j"))], "duplicate joint 'j'"),
        ([link("a", joint=joint.hinge(name="b")), link("b", "a")], "duplicate joint 'b'"),
        ([link("a", frames=[Frame("a")])], "duplicate frame or link 'a'"),
        ([link("a", frames=[Frame("x"), Frame("x")])], "duplicate frame or link 'x'"),
        ([link("a"), link("b", "c")], "link 'b': unknown parent 'c'"),
        ([link("a"), link("b")], "one root, got 2: 'a', 'b'"),
        ([link("a", "b"), link("b", "a")], "cycle.*'a', 'b'"),
        ([link("a"), link("b", "c"), link("c", "b"), link("d", "c")], "cycle.*'b', 'c', 'd'"),
        ([link("a", "a")], "cycle.*'a'"),
        ([link("a"), link("b", "a", joint=joint.free())], "'b'.*'a'.*only the root"),
        (["a"], "expected only Link, got 'a'"),
        (3, "expected a list of Link"),
    ],
)
def test_trees(links, message):
    refuses(message, Figure.from_links, "figure", links)


def test_order():
    refuses("depth-first", Figure, "f", (link("b", "a"), link("a")))
    refuses("depth-first", Figure, "f", (link("a"), link("b", "a"), link("c", "a"), link("d", "b")))
    refuses("figure: a name", Figure, "", (link("a"),))


@pytest.mark.parametrize("ask", ["link", "link_index", "joint_index", "frame", "q_slice", "v_slice"])
@pytest.mark.parametrize("name", ["knee", None, 3, ["pelvis"]])
def test_unknown_names(ask, name):
    with pytest.raises(FigureError) as caught:
        getattr(human28(), ask)(name)
    assert repr(name) in str(caught.value)
    assert "'human28'" in str(caught.value)


def test_near_names_are_suggested():
    refuses("did you mean 'thigh_left'", human28().link, "tigh_left")
    refuses("there are: link0, link1", chain(2).link, "xyz")


# ------------------------------------------------------- the builder


def build(builder: FigureBuilder) -> Figure:
    return builder.build()


def test_a_refused_link_leaves_no_trace():
    builder = FigureBuilder("f")
    builder.add("root", None, joint.free(), GOOD, frames=[Frame("eye")])
    builder.add("arm", "root", joint.hinge(name="shoulder"), GOOD)
    before = builder.build()
    add = builder.add
    refuses("duplicate link 'arm'", add, "arm", "root", joint.hinge(), GOOD)
    refuses("duplicate joint 'shoulder'", add, "leg", "root", joint.hinge(name="shoulder"), GOOD)
    refuses("duplicate frame or link 'eye'", add, "eye", "root", joint.hinge(), GOOD)
    refuses("duplicate frame or link 'arm'", add, "leg", "root", joint.hinge(), GOOD, frames=[Frame("arm")])
    refuses("duplicate frame or link 'x'", add, "leg", "root", joint.hinge(), GOOD, frames=[Frame("x"), Frame("x")])
    refuses("'leg' has no parent.*'root'", add, "leg", None, joint.hinge(), GOOD)
    refuses("'leg' hangs on itself", add, "leg", "leg", joint.hinge(), GOOD)
    refuses("'leg'.*only the root", add, "leg", "arm", joint.free(), GOOD)
    refuses("link 'leg': no mass properties", add, "leg", "root", joint.hinge())
    refuses("link 'leg'.*not both", add, "leg", "root", joint.hinge(), shapes=[Sphere(1)], density=1, total_mass=1)
    refuses("link 'leg': density", add, "leg", "root", joint.hinge(), shapes=[Sphere(1)], density=-1)
    refuses("link 'leg': mass", add, "leg", "root", joint.hinge(), shapes=[Sphere(1)], total_mass=0)
    refuses("link 'leg': a Plane has no volume", add, "leg", "root", joint.hinge(), shapes=[Plane()])
    refuses("link 'leg': joint", add, "leg", "root", "hinge", GOOD)
    refuses("link 'leg': mass", add, "leg", "root", joint.hinge(), 3)
    refuses("'nose'.*'head'", builder.add_frame, "head", "nose")
    refuses("duplicate frame or link 'eye'", builder.add_frame, "arm", "eye")
    refuses("duplicate frame or link 'root'", builder.add_frame, "arm", "root")
    refuses("frame 'nose': pose", builder.add_frame, "arm", "nose", 3)
    assert builder.build() == before
    builder.add("leg", "root", joint.hinge(), GOOD)
    builder.add_frame("leg", "toe", Pose((0, 0, 1)))
    assert builder.build().link_names == ("root", "arm", "leg")


def test_a_missing_parent_can_be_added_later():
    builder = FigureBuilder("f")
    builder.add("hand", "arm", joint.hinge(), GOOD)
    refuses("link 'hand': unknown parent 'arm'", build, builder)
    builder.add("arm", None, joint.hinge(), GOOD)
    assert builder.build().link_names == ("arm", "hand")


def test_builder_names():
    refuses("figure: a name", FigureBuilder, "")
    refuses("at least one link", build, FigureBuilder("empty"))


# ------------------------------------------------------- states


@pytest.mark.parametrize(
    ("q", "v", "message"),
    [
        (np.zeros(3), np.zeros((1, 3)), "q \\(3,\\) and v \\(1, 3\\)"),
        (np.zeros((2, 3)), np.zeros((3, 3)), "must be"),
        (0.0, 0.0, "must be"),
        (np.zeros((1, 1, 3)), np.zeros((1, 1, 3)), "must be"),
        (["a", "b"], np.zeros(2), "q: expected an array of numbers, got dtype"),
        (np.zeros(2), [[1], [2, 3]], "v: expected an array of numbers, got rows"),
        (np.zeros(2), np.zeros(2, complex), "v: expected an array of numbers, got dtype complex"),
        (np.zeros(2), None, "v: expected an array of numbers"),
    ],
)
def test_states(q, v, message):
    refuses(message, State, q, v, error=ArgumentError)


def test_states_of_a_figure():
    figure = human28()
    rest = State.rest(figure)
    rest.check(figure)
    State(np.tile(rest.q, (5, 1)), np.tile(rest.v, (5, 1))).check(figure)
    refuses("q has shape \\(42,\\)", State(rest.q[1:], rest.v).check, figure, error=ArgumentError)
    refuses("v has shape \\(35,\\)", State(rest.q, np.zeros(35)).check, figure, error=ArgumentError)
    bad = rest.copy()
    bad.v[3] = NAN
    refuses("v\\[3\\] is nan", bad.check, figure, error=ArgumentError)
    bad = rest.copy()
    bad.q[figure.q_slice("neck")] *= 1 + 2e-6
    refuses("quaternion of joint 'neck'", bad.check, figure, error=ArgumentError)
    bad = State(np.tile(rest.q, (3, 1)), np.tile(rest.v, (3, 1)))
    bad.q[2, 1] = INF
    refuses("q\\[2, 1\\] is inf", bad.check, figure, error=ArgumentError)


def test_normalised():
    figure = human28()
    refuses("shape", figure.normalised, np.zeros(3), error=ArgumentError)
    refuses("quaternion at q\\[3:7\\]", figure.normalised, np.zeros(figure.nq), error=ArgumentError)
    refuses("q: expected an array of numbers", figure.normalised, "rest", error=ArgumentError)


# ------------------------------------------------------- library


def test_chains():
    for n in (0, -1, 2.5, NAN, "two", None):
        refuses("chain: n must be", chain, n)
    for kind in (JointKind.FREE, JointKind.FIXED, "hinge", None):
        refuses("chain: ", chain, 3, kind=kind)
    refuses("chain: length", chain, 3, length=0)
    refuses("chain: mass", chain, 3, mass=-1)
