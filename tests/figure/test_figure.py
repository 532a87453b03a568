"""Figures: order, sizes, names, neutral pose, equality."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from hitogata.figure import (
    Box,
    ConvexMesh,
    Figure,
    FigureBuilder,
    Frame,
    Joint,
    JointKind,
    Link,
    MassProperties,
    Pose,
    Sphere,
    State,
    joint,
)
from hitogata.library import chain, human28, human40

GOOD = MassProperties(1.0, inertia=(1, 1, 1, 0, 0, 0))


def all_kinds() -> Figure:
    """Links added out of order; every kind of joint."""
    builder = FigureBuilder("all")
    builder.add("e", "c", joint.universal(rest=(0.1, 0.2), range=((0, 1), (-1, 1))), GOOD)
    builder.add("d", "b", joint.slider(rest=(0.3,), name="slide"), GOOD)
    builder.add("c", "a", joint.hinge(rest=(-0.5,), range=(-1, 0)), GOOD)
    builder.add("a", None, joint.free(rest=(1, 2, 3, 0, 1, 0, 0)), GOOD, frames=[Frame("tip", Pose((0, 0, 1)))])
    builder.add("b", "a", joint.ball(rest=(0, 0, 1, 0)), GOOD)
    builder.add("f", "b", joint.fixed(), GOOD)
    return builder.build()


def test_depth_first_order():
    """Parents before children, each subtree in one piece, siblings as given."""
    figure = all_kinds()
    assert figure.link_names == ("a", "c", "e", "b", "d", "f")
    assert figure.parents == (-1, 0, 1, 0, 3, 3)
    for i in range(figure.nlinks):
        subtree = [i]
        for k in range(i + 1, figure.nlinks):
            if figure.parents[k] in subtree:
                subtree.append(k)
        assert subtree == list(range(i, i + len(subtree)))


def test_sizes_and_places():
    figure = all_kinds()
    assert (figure.nlinks, figure.nq, figure.nv, figure.mass) == (6, 7 + 1 + 2 + 4 + 1, 6 + 1 + 2 + 3 + 1, 6)
    assert figure.q_starts == (0, 7, 8, 10, 14, 15)
    assert figure.v_starts == (0, 6, 7, 9, 12, 13)
    assert figure.q_slice("b") == slice(10, 14)
    assert figure.v_slice("slide") == figure.v_slice("d") == slice(12, 13)
    assert figure.v_slice("f") == slice(13, 13)
    assert figure.quat_starts == (3, 10)
    assert str(figure) == "Figure 'all': 6 links, nq 15, nv 13, 6 kg"


def test_names():
    figure = all_kinds()
    assert figure.joint_names == ("a", "c", "e", "b", "slide", "f")
    assert figure.joint_index("slide") == figure.joint_index("d") == figure.link_index("d") == 4
    assert figure.frame("tip") == (0, Pose((0, 0, 1)))
    assert figure.frame("d") == (4, Pose())
    assert figure.link("c") is figure.links[1]


def test_neutral():
    expected = [1, 2, 3, 0, 1, 0, 0, -0.5, 0.1, 0.2, 0, 0, 1, 0, 0.3]
    figure = all_kinds()
    assert figure.neutral().tolist() == expected
    figure.neutral()[:] = 0
    assert figure.neutral().tolist() == expected  # a new array each time
    state = State.rest(figure)
    assert state.q.tolist() == expected
    assert not state.v.any()
    state.check(figure)


def test_random_coordinates():
    figure = all_kinds()
    q = np.array([figure.random(np.random.default_rng(seed)) for seed in range(50)])
    np.testing.assert_array_equal(figure.random(np.random.default_rng(7)), q[7])
    for start in figure.quat_starts:
        np.testing.assert_allclose(np.linalg.norm(q[:, start : start + 4], axis=1), 1, rtol=1e-15)
    assert q[:, 7].min() == -1
    assert q[:, 7].max() == 0
    assert q[:, 8].min() == 0
    State(q, np.zeros((50, figure.nv))).check(figure)


def test_normalised():
    figure = all_kinds()
    q = np.tile(figure.neutral(), (2, 3, 1))
    scaled = q.copy()
    for start in figure.quat_starts:
        scaled[..., start : start + 4] *= 1.7
    np.testing.assert_allclose(figure.normalised(scaled), q, rtol=1e-15)
    assert figure.normalised(list(map(int, figure.neutral().round()))).dtype == np.float64
    for k in range(200):  # once is enough, to the last bit
        once = figure.normalised(figure.random(np.random.default_rng(k)) * 1.7)
        np.testing.assert_array_equal(figure.normalised(once), once)


def test_states():
    figure = chain(3)
    state = State([0, 1, 2], [0, 0, 0])
    assert state.q.dtype == np.float64
    array = np.zeros(3, np.float32)
    assert State(array, array).q is array
    copied = state.copy()
    copied.q[0] = 5
    assert state.q[0] == 0
    state.check(figure)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.q = array


# ------------------------------------------------------- values


def test_figures_are_frozen():
    figure = human28()
    for thing, field in (
        (figure, "name"),
        (figure.links[0], "mass"),
        (figure.links[0].joint, "kind"),
        (figure.links[0].mass, "mass"),
        (figure.links[0].shapes[0], "pose"),
        (Pose(), "quat"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, field, None)
    mesh = ConvexMesh(np.eye(4, 3))
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 3


def test_arrays_given_are_copied():
    points, centre = np.eye(4, 3), np.zeros(3)
    mesh, mass = ConvexMesh(points), MassProperties(1.0, centre, (1, 1, 1, 0, 0, 0))
    points[:], centre[:] = 7, 7
    assert mesh.vertices.max() == 1
    assert mass.centre == (0, 0, 0)


def test_equal_figures_are_equal_and_hash_alike():
    assert human28() == human28()
    assert hash(human28()) == hash(human28())
    assert human28() != human40()
    assert len({human28(), human28(), human40()}) == 2
    figure = human28()
    figure.compiled["something"] = 1  # what other rooms keep is no part of what a figure is
    assert figure == human28()
    one, two = (ConvexMesh(np.eye(4, 3)), ConvexMesh(np.eye(4, 3)))
    assert one == two
    assert hash(one) == hash(two)
    assert one != ConvexMesh(2 * np.eye(4, 3))
    assert one != Sphere(1)
    assert Sphere(1) == Sphere(1.0) != Sphere(2)


@pytest.mark.parametrize("figure", [human28(), all_kinds()], ids=["human28", "all"])
def test_figures_survive_pickle_and_copy(figure):
    assert pickle.loads(pickle.dumps(figure)) == figure
    assert copy.deepcopy(figure) == figure


def test_from_links_takes_any_order():
    links = list(all_kinds().links)
    rng = np.random.default_rng(0)
    for _ in range(10):
        shuffled = [links[i] for i in rng.permutation(len(links))]
        figure = Figure.from_links("all", shuffled)
        assert {link.name for link in figure.links} == {link.name for link in links}
        assert Figure("all", figure.links) == figure


def test_joint_values():
    given = Joint(JointKind.HINGE, axis=[0, 3, 4], range=[-1, 1], damping=1, effort_limit=5)
    assert given.axis == pytest.approx((0, 0.6, 0.8))
    assert given.range == (-1.0, 1.0)
    assert (given.nq, given.nv, given.rest) == (1, 1, (0.0,))
    assert joint.universal(range=((0, 1), (-math.inf, 2))).range == ((0, 1), (-math.inf, 2))
    assert joint.free().rest == (0, 0, 0, 1, 0, 0, 0)
    simple = [kind for kind in JointKind if kind not in (JointKind.COMPOUND, JointKind.FUNCTION)]
    assert [(kind.nq, kind.nv) for kind in simple] == [(7, 6), (4, 3), (1, 1), (1, 1), (1, 1), (2, 2), (0, 0)]


def test_poses():
    a = Pose((1, 2, 3), (0.5, 0.5, 0.5, 0.5))
    b = Pose.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (4, 5, 6))
    points = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose((a @ b).apply(points), a.apply(b.apply(points)), atol=1e-14)
    np.testing.assert_allclose(a.inverse().apply(a.apply(points)), points, atol=1e-14)
    np.testing.assert_allclose(a.rotation, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)
    np.testing.assert_allclose(Pose.from_matrix(a.rotation, a.position).quat, a.quat, atol=1e-15)


def test_links_hold_what_they_are_given():
    link = Link("a", None, joint.free(), GOOD, [Box((1, 1, 1))], [Frame("x")])
    assert link.shapes == (Box((1, 1, 1)),)
    assert link.frames == (Frame("x"),)
