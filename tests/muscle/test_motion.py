"""Motions of other figures on the built-in body: outline, maps, forces of the ground, muscles in one call."""

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, difference, forward_kinematics, integrate, inverse_dynamics
from hitogata.errors import ArgumentError
from hitogata.library import virtual_human
from hitogata.library.musculoskeletal import skeleton
from hitogata.library.samples import sample_jump, sample_reach, sample_run, sample_walk
from hitogata.motion import retarget
from hitogata.muscle import (
    Outline,
    Terms,
    body_motion,
    fit_figure_map,
    fit_pose_map,
    ground_forces,
    muscles_of_motion,
    musculoskeletal,
    resting_nodes,
    rigid_tendon_forces,
    wire_geometry,
)
from hitogata.muscle.mapping import joint_turns, rank_curve, terms_of
from hitogata.muscle.motion import smoothed_motion

SKELETON = skeleton()
OUTLINE = Outline(SKELETON)
SAME = {
    "pelvis": "pelvis", "abdomen": "L1", "chest": "T1", "neck": "C3", "head": "skull",
    **{f"{link}_{side}": f"{bone}_{side[0]}" for side in ("right", "left") for link, bone in (
        ("upper_arm", "humerus"), ("forearm", "radius"), ("hand", "hand"), ("thigh", "femur"))},
}  # fmt: skip


def _poses(count: int, seed: int, size: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    figure = OUTLINE.figure
    turns = size * rng.normal(size=(count, figure.nv))
    turns[:, :6] = 0.0
    q = integrate(figure, np.repeat(figure.neutral()[None], count, axis=0), turns)
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.nq == 1:
            q[:, at] = np.clip(np.abs(q[:, at]), *link.joint.range)
    return q


def test_bones_stand_as_the_outline_does() -> None:
    q = _poses(5, 0)
    ours = forward_kinematics(SKELETON, OUTLINE.expand(q)).rotation
    theirs = forward_kinematics(OUTLINE.figure, q).rotation
    for link, bone in SAME.items():
        a, b = theirs[:, OUTLINE.figure.link_index(link)], ours[:, SKELETON.link_index(bone)]
        assert a == pytest.approx(b, abs=1e-12), link


def test_shoulder_blades_go_up_with_the_arm() -> None:
    """Two to one (Inman 1944), and nothing while the arm hangs."""
    figure = OUTLINE.figure
    raised = []
    for angle in (0.0, 0.2, 1.0, 2.0):
        q = np.array(figure.neutral())
        q[figure.q_slice("upper_arm_right")] = [np.cos(angle / 2), -np.sin(angle / 2), 0.0, 0.0]
        blade = OUTLINE.expand(q)[SKELETON.q_slice("scapula_r")]
        raised.append(2.0 * np.arccos(min(1.0, abs(blade[0]))))
    assert raised[0] == pytest.approx(0.0, abs=1e-9)
    assert raised[1] < 0.02
    assert raised[3] - raised[2] == pytest.approx(1 / 3, abs=0.03)


def _pairs(motion: object) -> tuple[np.ndarray, np.ndarray]:
    figure = virtual_human()
    found = retarget(motion, figure, OUTLINE.figure, feet=False, keep_calibration=True)  # type: ignore[arg-type]
    return motion.q, OUTLINE.expand(found.trajectory.q)  # type: ignore[attr-defined]


def test_maps_of_unseen_motion() -> None:
    """Trained on a walk, a jump and a reach; the run was never seen."""
    figure = virtual_human()
    known = [
        _pairs(motion) for motion in (sample_walk(strides=1), sample_jump(), sample_reach(), sample_run(strides=1))
    ]
    a, b = (np.concatenate([pair[k][::3] for pair in known]) for k in (0, 1))
    clips = np.concatenate([np.full(len(pair[0][::3]), k) for k, pair in enumerate(known)])
    maps = fit_figure_map(figure, SKELETON, a, b, clips=clips)
    start, end = sample_walk(strides=1).q[40], sample_jump().q[80]
    rows = integrate(figure, start, difference(figure, start, end) * 0.5)[None]
    wanted = _pairs(type(sample_walk())(np.zeros(1), rows, np.zeros((1, figure.nv)), figure_name=figure.name))
    for found, expected, at in ((maps.to_body, wanted[1], wanted[0]), (maps.to_figure, wanted[0], wanted[1])):
        off = joint_turns(found.target, found(at)) - joint_turns(found.target, expected)
        assert np.degrees(np.sqrt((off**2).mean())) < 3.0
        assert found(at[0]).shape == (found.target.nq,)
    there = maps.to_body(a)
    places = [forward_kinematics(SKELETON, q).position[:, SKELETON.link_index("hand_l")] for q in (there, b)]
    assert np.linalg.norm(places[0] - places[1], axis=1).max() < 0.03  # the root is carried along


def test_polynomials_are_found_again() -> None:
    """What is a polynomial of degree 2 is found to rounding, and no more terms are taken than it has."""
    q = _poses(400, 1)
    F = terms_of(OUTLINE.figure, q, Terms(2))
    M = np.random.default_rng(2).normal(size=(F.shape[1], 12))
    curve = rank_curve(F, np.concatenate([np.zeros((400, 6)), F @ M], axis=1))
    assert curve.unseen[-1] < 1e-9
    assert (np.diff(curve.trained) <= 1e-12).all()


def test_too_many_singular_values_fit_the_samples_alone() -> None:
    """The paper's figure 14: motions of few degrees of freedom, measured with errors of a degree."""
    rng, figure = np.random.default_rng(3), OUTLINE.figure
    together = 0.3 * rng.normal(size=(5, figure.nv - 6))
    M = rng.normal(size=(5, 8)) * 0.3

    def samples(count: int) -> tuple[np.ndarray, np.ndarray]:
        z = rng.normal(size=(count, 5))
        turns = np.zeros((count, figure.nv))
        turns[:, 6:] = z @ together + 0.02 * rng.normal(size=(count, figure.nv - 6))
        q = integrate(figure, np.repeat(figure.neutral()[None], count, axis=0), turns)
        told = z @ M + 0.02 * rng.normal(size=(count, 8))
        return terms_of(figure, q, Terms(2)), np.concatenate([np.zeros((count, 6)), told], axis=1)

    F, Y = samples(60)
    curve = rank_curve(F, Y, unseen=samples(300))
    best = int(curve.unseen.argmin())
    assert 0 < best < len(curve.ranks) - 1
    assert curve.trained[-1] < 0.1 * curve.trained[best]
    assert curve.unseen[-1] > 1.3 * curve.unseen[best]
    blind = rank_curve(F, Y)  # by cross-validation, without the others
    chosen = int(blind.ranks[int(blind.unseen.argmin())])
    at = int(np.abs(curve.ranks - chosen).argmin())
    assert curve.unseen[at] < 1.3 * curve.unseen[best]


def test_maps_refuse() -> None:
    q = _poses(12, 6)
    full = OUTLINE.expand(q)
    with pytest.raises(ArgumentError, match="as many poses of both"):
        fit_pose_map(OUTLINE.figure, SKELETON, q, full[:5])
    with pytest.raises(ArgumentError, match="row 3 is not finite"):
        fit_pose_map(OUTLINE.figure, SKELETON, np.where(np.arange(12)[:, None] == 3, np.nan, q), full)
    with pytest.raises(ArgumentError, match="degree must be 1 to 4"):
        Terms(5)
    found = fit_pose_map(OUTLINE.figure, SKELETON, q, full, rank=3)
    with pytest.raises(ArgumentError, match="coordinates of"):
        found(np.zeros(7))


def _still(figure: object, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return q[None], np.zeros((1, figure.nv)), np.zeros((1, figure.nv))  # type: ignore[attr-defined]


def test_the_ground_carries_who_stands() -> None:
    q = np.array(SKELETON.neutral())
    sole = 0.0
    found = ground_forces(SKELETON, *_still(SKELETON, q), floor=sole)
    assert found.forces.sum(axis=1)[0] == pytest.approx([0.0, 0.0, 9.81 * 73.0], abs=1.0)
    assert np.abs(found.residual).max() < 1.0
    pressure = (found.points[0] * found.forces[0, :, 2:]).sum(axis=0) / found.forces[0, :, 2].sum()
    assert pressure[:2] == pytest.approx(centre_of_mass(SKELETON, q)[:2], abs=2e-3)
    # and with the wrenches on the feet nothing is left for the root
    tau = inverse_dynamics(SKELETON, *_still(SKELETON, q), wrenches=found.wrenches)
    assert tau[0, :6] == pytest.approx(found.residual[0], abs=1e-6)


def test_the_ground_pulls_nobody_and_holds_no_more_than_friction() -> None:
    motion = body_motion(sample_jump(), SKELETON, figure=virtual_human())
    found = ground_forces(SKELETON, motion.q, motion.v, motion.vdot)
    assert (found.forces[..., 2] >= -1e-9).all()
    across = np.linalg.norm(found.forces[..., :2], axis=2)
    assert (across <= 0.8 * np.sqrt(2) * found.forces[..., 2] + 1e-6).all()
    carried = found.forces.sum(axis=1)[:, 2] / (9.81 * 73.0)
    assert carried[motion.time < 0.2] == pytest.approx(1.0, abs=0.1)
    assert carried[(motion.time > 1.35) & (motion.time < 1.5)].max() < 0.15  # in the air


def test_nodes_come_to_rest() -> None:
    body = musculoskeletal()
    rng = np.random.default_rng(7)
    turns = np.zeros((3, body.body.nv))
    turns[:, 57:83] = 0.02 * rng.normal(size=(3, 26))
    q = integrate(body.body, np.repeat(np.array(body.body.neutral())[None], 3, axis=0), turns)
    places = resting_nodes(body, q, tone=0.05)
    geometry = wire_geometry(body, q, nodes=places)
    pull = rigid_tendon_forces(body, geometry.lengths).at(0.05)
    assert np.abs(np.einsum("nw,nwk->nk", pull, geometry.node_jacobian[:, :366])).max() < 0.05
    assert np.linalg.norm(places - np.array(body.nodes[0].place), axis=-1).max() < 0.05


def test_a_walk_goes_to_tensions_in_one_call() -> None:
    seen = []
    found = muscles_of_motion(sample_walk(strides=1), figure=virtual_human(), progress=lambda k, n: seen.append((k, n)))
    solution = found.solution
    n = len(found.motion.time)
    assert solution.force.shape == (n, 366)
    assert solution.good.all()
    assert np.nanmax(solution.optimality) < 1e-9
    assert seen[-1] == (n, n)
    knee = solution.coordinates.index("knee_r")
    assert np.median(np.abs(solution.reserves[:, knee])) < 0.05 * np.median(np.abs(solution.moments[:, knee]))
    assert found.ground is not None
    np.testing.assert_allclose(found.contact[:, 0], found.ground.residual, rtol=0, atol=1e-8)
    figure, hip = found.motion.figure, found.motion.figure.link_index("femur_r")
    assert np.median(np.linalg.norm(found.contact[:, hip, 3:], axis=1)) > 9.81 * figure.mass


def test_motions_that_are_refused() -> None:
    walk = sample_walk(strides=1)
    with pytest.raises(ArgumentError, match="whose trajectory"):
        muscles_of_motion(walk)
    q = np.repeat(np.array(SKELETON.neutral())[None], 20, axis=0)
    q[4, 10] = np.nan
    with pytest.raises(ArgumentError, match="frame 4 is not finite"):
        smoothed_motion(SKELETON, np.arange(20) / 100, q, 6.0)
