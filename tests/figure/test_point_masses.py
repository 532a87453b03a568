"""Point masses and rods: which joints take them, what the errors say, and absurd masses."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hitogata.dynamics import mass_matrix
from hitogata.errors import FigureError
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, joint

POINT = MassProperties.point(2.0, (0.1, 0.0, -0.7))
AT_ORIGIN = MassProperties.point(0.5)
ROD = MassProperties.principal(1.0, (0, 0, -0.5), (1 / 12, 1 / 12, 0.0))
BODY = MassProperties.principal(1.0, (0, 0, -0.3), (0.02, 0.03, 0.02))


def single(a_joint, mass):
    builder = FigureBuilder("one")
    builder.add("bob", None, a_joint, mass)
    return builder.build()


def test_point_and_rod():
    assert POINT.moments.tolist() == [0, 0, 0]
    assert not POINT.definite
    assert not ROD.definite
    assert BODY.definite
    turned = ROD.placed(Pose((0.3, 0.2, 0.1), (0.5, 0.5, 0.5, 0.5)))
    np.testing.assert_allclose(turned.moments, [0, 1 / 12, 1 / 12], atol=1e-15)
    pair = MassProperties.combined([MassProperties.point(1.0, (0, 0, 1)), MassProperties.point(3.0, (0, 0, -1))])
    np.testing.assert_allclose(pair.matrix, np.diag([3.0, 3.0, 0.0]), atol=1e-15)


@pytest.mark.parametrize(
    ("a_joint", "mass"),
    [
        (joint.hinge(axis=(0, 1, 0)), POINT),
        (joint.hinge(axis=(0, 1, 0)), ROD),
        (joint.slider(axis=(1, 0, 0)), AT_ORIGIN),
        (joint.slider(axis=(1, 0, 0)), ROD),
        (joint.fixed(), AT_ORIGIN),
        (joint.ball(armature=1e-3), POINT),
        (joint.hinge(axis=(0, 1, 0), armature=1e-3), AT_ORIGIN),
        (joint.universal((1, 0, 0), (0, 1, 0), range=((-3, 3), (-1.0, 1.0))), ROD),
    ],
)
def test_joints_that_need_no_more(a_joint, mass):
    figure = single(a_joint, mass)
    if figure.nv:
        assert np.linalg.eigvalsh(mass_matrix(figure, figure.neutral()))[0] > 1e-4


@pytest.mark.parametrize(
    ("a_joint", "mass", "words"),
    [
        (
            joint.free(),
            POINT,
            "link 'bob': it has no inertia .*its free joint turns it about every axis.*three sliders",
        ),
        (joint.ball(), POINT, "link 'bob'.*ball joint turns it about the line from the joint.*armature.*hinge"),
        (joint.ball(), ROD, "no inertia about its long axis.*ball joint"),
        (joint.hinge(axis=(0.1, 0, -0.7)), POINT, "hinge joint turns it about an axis through its mass.*off the axis"),
        (joint.hinge(axis=(0, 0, 1)), ROD, "hinge joint turns it about an axis through its mass"),
        (joint.hinge(), AT_ORIGIN, "give the link inertia, or the joint an armature"),
        (joint.universal((1, 0, 0), (0, 1, 0)), ROD, "at -90° about the second axis.*limit the second angle"),
        (joint.universal((1, 0, 0), (0, 1, 0), range=((-3, 3), (0.0, 2.0))), ROD, "at 90° about the second axis"),
        (joint.universal((1, 0, 0), (0, 0, 1), range=((-3, 3), (0.1, 0.2))), ROD, "at 6° about the second axis"),
        (joint.universal((1, 0, 0), (0, 1, 0)), AT_ORIGIN, "about its own mass"),
    ],
)
def test_joints_that_need_inertia_say_what_to_do(a_joint, mass, words):
    with pytest.raises(FigureError, match=words):
        single(a_joint, mass)


def test_fixed_links_share_their_inertia():
    """A point mass at the end of a ball pendulum's arm, which is a body."""
    builder = FigureBuilder("arm")
    builder.add("arm", None, joint.ball(), BODY)
    builder.add("weight", "arm", joint.fixed(parent_frame=Pose((0, 0, -1))), MassProperties.point(4.0))
    assert builder.build().nv == 3
    builder = FigureBuilder("tripod")  # four points, fixed to each other, are a body
    builder.add("root", None, joint.free(), MassProperties.point(1.0))
    for k, at in enumerate(np.eye(3)):
        builder.add(f"p{k}", "root", joint.fixed(parent_frame=Pose(tuple(at))), MassProperties.point(1.0))
    figure = builder.build()
    assert np.linalg.eigvalsh(mass_matrix(figure, figure.neutral()))[0] > 0.1
    builder = FigureBuilder("line")  # points in a line are not
    builder.add("root", None, joint.free(), MassProperties.point(1.0))
    builder.add("end", "root", joint.fixed(parent_frame=Pose((0, 0, 1))), MassProperties.point(1.0))
    with pytest.raises(FigureError, match=r"'root'.*long axis"):
        builder.build()


def test_small_masses_between_hinges():
    """Two hinges that cross, or that are parallel and apart, with a point between them, carry a body."""
    for axis, place, good in (
        ((0, 1, 0), (0, 0, 0), True),
        ((1, 0, 0), (0, 0, -0.2), True),
        ((1, 0, 0), (0.3, 0, 0), False),
    ):
        builder = FigureBuilder("cardan")
        builder.add("between", None, joint.hinge(axis=(1, 0, 0)), AT_ORIGIN)
        builder.add("body", "between", joint.hinge(axis=axis, parent_frame=Pose(place)), BODY)
        if good:
            figure, rng = builder.build(), np.random.default_rng(0)
            assert min(np.linalg.eigvalsh(mass_matrix(figure, rng.uniform(-4, 4, 2)))[0] for _ in range(300)) > 1e-5
        else:
            with pytest.raises(FigureError, match="'between'"):
                builder.build()


def random_masses(rng):
    kind, at = rng.integers(4), rng.choice([-0.4, 0.0, 0.3], 3)
    if kind == 0:
        return MassProperties.point(rng.uniform(0.5, 2), at)
    if kind == 1:
        along = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        return MassProperties.from_matrix(1.0, at, 0.05 * (np.eye(3) - np.outer(along[0], along[0])))
    return MassProperties.principal(rng.uniform(0.5, 2), at, (0.02, 0.03, 0.04))


def random_joint(rng):
    axes = np.eye(3)[rng.permutation(3)]
    frames = {
        "parent_frame": Pose(tuple(rng.choice([-0.3, 0.0, 0.3], 3))),
        "child_frame": Pose(tuple(rng.choice([0.0, 0.3], 3))),
    }
    kind = rng.integers(5)
    if kind == 0:
        return joint.ball(**frames)
    if kind == 1:
        return joint.slider(axis=axes[0], **frames)
    if kind == 2:
        limits = ((-3.0, 3.0), tuple(np.sort(rng.uniform(-3.0, 3.0, 2)))) if rng.integers(2) else None
        return joint.universal(axes[0], axes[1], range=limits, **frames)
    return joint.hinge(axis=axes[0], **frames)


def least_inertia(figure, rng):
    """Smallest eigenvalue of M over poses within the limits, by a search from many starts."""
    low, high = np.full(figure.nq, -4.0), np.full(figure.nq, 4.0)
    for link, start in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.range is not None:
            low[start : start + 2], high[start : start + 2] = np.transpose(link.joint.range)

    def least(q):
        return np.linalg.eigvalsh(mass_matrix(figure, figure.normalised(np.clip(q, low, high))))[0]

    starts = np.clip(rng.normal(size=(12, figure.nq)) * 1.5, low, high)
    return min(minimize(least, q, method="Nelder-Mead", options={"maxfev": 400, "fatol": 1e-12}).fun for q in starts)


def test_against_a_search_for_singular_poses():
    """What is accepted has a regular mass matrix in every pose; of single links, what is refused has not in some."""
    rng = np.random.default_rng(4)
    accepted = refused = 0
    for k in range(160):
        builder = FigureBuilder("random")
        masses = [random_masses(rng) for _ in range(1 + k % 2)]
        joints = [random_joint(rng) for _ in masses]
        for i, (a_joint, mass) in enumerate(zip(joints, masses, strict=True)):
            builder.add(f"b{i}", f"b{i - 1}" if i else None, a_joint, mass)
        if all(mass.definite for mass in masses):
            continue
        try:
            figure = builder.build()
        except FigureError:
            if len(masses) == 1:  # build it with a weight that counts for nothing
                refused += 1
                light = MassProperties.from_matrix(
                    masses[0].mass, masses[0].centre, masses[0].matrix + 1e-9 * np.eye(3)
                )
                assert least_inertia(single(joints[0], light), rng) < 2e-8
            continue
        accepted += 1
        assert least_inertia(figure, rng) > 1e-6
    assert accepted > 30
    assert refused >= 8


@pytest.mark.parametrize("mass", [1e300, 1e-300, 5e-324, 1e31, 1e-31])
def test_absurd_masses(mass):
    with pytest.raises(FigureError, match=r"mass: .* kg is absurd; 1e-30 to 1e\+30 kg expected"):
        MassProperties(mass, inertia=(mass, mass, mass, 0, 0, 0))
    builder = FigureBuilder("f")
    with pytest.raises(FigureError, match=r"link 'bob'.*absurd"):
        builder.add("bob", None, joint.free(), shapes=[Box((0.5, 0.5, 0.5))], total_mass=mass)


def test_absurd_centres():
    with pytest.raises(FigureError, match=r"centre of mass.*absurd"):
        MassProperties.point(1.0, (0, 1e200, 0))
