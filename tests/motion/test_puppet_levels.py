"""One iteration against dense matrices: every row, both levels, walls, wanted joint values, authority."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.dynamics import difference, integrate
from hitogata.figure import JointKind
from hitogata.motion import Hold, Priority, Puppet, PuppetSettings
from tests.dynamics import cases as zoo
from tests.motion import puppet_cases as cases
from tests.motion import puppet_oracle as oracle

DT = 1 / 60
QUIET = PuppetSettings(ramp=1e-6, margin=0.1)
"""Handles take hold at once."""

FIRST, SECOND = Priority.FIRST, Priority.SECOND


def moved(puppet: Puppet) -> np.ndarray:
    """Change of one step."""
    q = puppet.q
    puppet.step(DT)
    return difference(puppet.figure, q, puppet.q)


def free(figure, q, settings=QUIET) -> Puppet:
    """A puppet without speed limits."""
    puppet = Puppet(figure, q, settings=settings)
    puppet.set_speed_limit(turn=1e6, slide=1e6)
    return puppet


def mobilities(puppet: Puppet, rng, frames=None) -> np.ndarray:
    """Random ones, set; as shares of the largest of the joints that move some frames (None: of all), shape (nv,)."""
    figure, D, most = puppet.figure, np.ones(puppet.figure.nv), 0.0
    moving = set(range(figure.nlinks)) if frames is None else set()
    for frame in frames or ():
        i = figure.frame(frame)[0]
        while i >= 0:
            moving.add(i)
            i = figure.parents[i]
    for i, name in enumerate(figure.joint_names):
        value = float(rng.uniform(0.3, 2.0))
        puppet.set_mobility(value, [name])
        D[figure.v_slice(name)] = value
        if i in moving and figure.links[i].joint.nv:
            most = max(most, value)
    return D / most


def ends(figure) -> list[str]:
    """Links to hold: the last ones of three branches, or as many as move."""
    parents = set(figure.parents)
    leaves = [figure.link_names[i] for i in range(figure.nlinks) if i not in parents]
    return leaves[:3] if len(leaves) > 2 else list(figure.link_names[-3:])


def near(rng, size, spread=0.005):
    return rng.normal(size=size) * spread


def unlimited(figure, rng):
    """A pose away from all limits."""
    q = figure.random(rng, spread=0.5)
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.range is not None and link.joint.kind is not JointKind.BALL:
            q[at : at + link.joint.nq] = np.reshape(link.joint.range, (-1, 2)).mean(axis=1)
    return q


@pytest.mark.parametrize("figure", zoo.figures(), ids=zoo.named)
def test_points_and_frames_on_both_levels(figure):
    rng = np.random.default_rng(3)
    q = unlimited(figure, rng)
    puppet = free(figure, q)
    D = mobilities(puppet, rng, ends(figure))
    tasks = []
    for k, name in enumerate(ends(figure)):
        at, rot = oracle.frame_pose(figure, q, name, (0.1, 0.05, -0.02))
        target = at + near(rng, 3)
        quat = np.roll((Rotation.from_rotvec(near(rng, 3)) * Rotation.from_matrix(rot)).as_quat(), 1)
        level, weight = (FIRST, SECOND, SECOND)[k], (1.0, 0.7, 2.0)[k]
        options = {"level": level.value, "weight": weight}
        puppet.pin(name, hold=Hold.POSE if k else Hold.POSITION, point=(0.1, 0.05, -0.02), position=target,
                   orientation=quat if k else None, weight=weight, priority=level)  # fmt: skip
        tasks.append(oracle.point_task(figure, q, name, target, (0.1, 0.05, -0.02), **options))
        if k:
            tasks.append(oracle.turn_task(figure, q, name, quat, **options))
    expected = oracle.two_levels(tasks, D, QUIET.damping)
    assert np.abs(expected).max() > 1e-4
    assert np.abs(moved(puppet) - expected).max() < 1e-6 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("parts", ["drag pin gaze balance", "drag wanted", "gaze balance wanted", "all"])
def test_axes_gaze_balance_and_wanted_joint_values(parts):
    """Wanted joint values as rows of their own: one per velocity, in J_aux."""
    rng, figure = np.random.default_rng(5), cases.without_ranges(cases.human())
    q = integrate(figure, figure.neutral(), rng.normal(size=figure.nv) * 0.1)
    q[[figure.q_slice(n).start for n in ("knee_left", "knee_right")]] = 0.5, 0.7
    wanted = integrate(figure, q, rng.normal(size=figure.nv) * 0.2)
    puppet, tasks, pull = free(figure, q), [], np.zeros(figure.nv)
    parts = "drag pin gaze balance wanted" if parts == "all" else parts
    held = [name for what, name in (("drag", "grip_right"), ("pin", "sole_left"), ("gaze", "eyes")) if what in parts]
    D = mobilities(puppet, rng, None if "balance" in parts else held)
    if "drag" in parts:
        hand = oracle.frame_pose(figure, q, "grip_right")[0] + (0.01, 0.0, 0.005)
        puppet.drag("grip_right", position=hand)
        tasks.append(oracle.point_task(figure, q, "grip_right", hand, level=1))
    if "pin" in parts:
        foot = oracle.frame_pose(figure, q, "sole_left")[0] + (0.3, -0.2, 0.004)
        puppet.pin("sole_left", position=foot, axes=(0, 0, 0.8))
        tasks.append(oracle.point_task(figure, q, "sole_left", foot, axes=(0, 0, 0.8)))
    if "gaze" in parts:
        at, rot = oracle.frame_pose(figure, q, "eyes")
        seen = at + rot @ (1.0, 0.15, 0.03)
        puppet.look_at("eyes", seen, axis=(1, 0.1, 0), weight=0.5)
        tasks.append(oracle.gaze_task(figure, q, "eyes", seen, (1, 0.1, 0), weight=0.5))
    if "balance" in parts:
        corners = np.array([[-0.01, 0.03], [-0.13, 0.1], [-0.13, -0.1], [-0.02, -0.06]])
        corners += oracle.centre_of_mass(figure, q)[:2]
        puppet.balance(corners, inset=0.0, weight=3.0)
        tasks.append(oracle.balance_task(figure, q, corners, weight=3.0))
        assert 0.1 < tasks[-1].authority < 0.9
    if "wanted" in parts:
        even = "drag" in parts  # the paper's first level knows no wanted values: there, one time for all joints
        for k, name in enumerate(figure.joint_names):
            time = 0.3 if even else (0.1, 0.3, np.inf)[k % 3]
            puppet.set_posture(wanted, time=time, joints=[name])
            pull[figure.v_slice(name)] = DT / time
    missing = difference(figure, q, wanted)
    expected = oracle.two_levels(tasks, D, QUIET.damping, missing=missing, pull=pull)
    assert np.abs(moved(puppet) - expected).max() < 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_walls_come_before_both_levels(seed):
    """Joints on and near their limits; the walls' rows by differences, two quadratic programs by pivoting."""
    figure, rng = cases.human(), np.random.default_rng(seed)
    q = cases.clamped(figure, integrate(figure, figure.neutral(), rng.normal(size=figure.nv) * 1.2)[None])[0]
    puppet = free(figure, q)
    held = {"grip_right": FIRST, "grip_left": SECOND, "sole_left": SECOND, "eyes": SECOND}
    D = mobilities(puppet, rng, held)
    tasks = []
    for name, level in held.items():
        target = oracle.frame_pose(figure, q, name)[0] + near(rng, 3, 0.01)
        puppet.pin(name, position=target, priority=level)
        tasks.append(oracle.point_task(figure, q, name, target, level=level.value))
    rows, gaps = oracle.walls(figure, q, QUIET.margin)
    assert len(gaps) >= 3
    expected = oracle.two_levels_with_walls(tasks, D, QUIET.damping, rows, gaps)
    unlimited = oracle.two_levels(tasks, D, QUIET.damping)
    assert (rows @ unlimited + gaps < -1e-4).any(), "the walls would not matter"
    puppet.step(DT)
    assert np.abs(puppet.v * DT - expected).max() < 1e-5
    assert (rows @ (puppet.v * DT) + gaps > -1e-7).all()


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 50.0])
def test_only_ratios_of_mobilities_matter(factor):
    """All of them larger or smaller, also those of a hand that carries next to nothing: the same motion."""
    figure, found = cases.human(), []
    for scale in (1.0, factor):
        puppet = Puppet(figure)
        puppet.pin("sole_left", hold=Hold.POSE)
        for k, name in enumerate(figure.joint_names):
            puppet.set_mobility(scale / (1 + k), [name])
        puppet.drag("grip_right", position=(0.4, -0.3, 1.3))
        for _ in range(60):
            puppet.step(DT)
        found.append((puppet.q, puppet.solve().iterations))
    assert np.abs(found[0][0] - found[1][0]).max() < 1e-6
    assert found[0][1] == found[1][1]


def test_authority_grows_evenly():
    """Half way through its ramp, a pin whose A is 0.3 m² would do half of what it is asked for."""
    figure = cases.without_ranges(cases.human())
    puppet = free(figure, figure.neutral(), PuppetSettings(ramp=4 * DT, damping=1e-9, error_damping=1e-9))
    start = cases.point_of(figure, puppet.q, *cases.HAND)
    puppet.pin(cases.HAND[0], point=cases.HAND[1], position=start + (0.0, 0.001, 0.0), axes=(0, 1, 0))
    row = oracle.point_task(figure, puppet.q, cases.HAND[0], start, cases.HAND[1]).J[1]
    left = [0.001]
    for share in (0.25, 0.5, 0.75, 1.0):
        puppet.step(DT)
        left.append(0.001 - (cases.point_of(figure, puppet.q, *cases.HAND) - start)[1])
        done = row @ row / (row @ row + 0.3 * (1 - share) / share)
        assert left[-1] == pytest.approx(left[-2] * (1 - done), rel=5e-3, abs=1e-8)


def test_level_two_does_not_disturb_level_one():
    """A pin that pulls against a drag with a thousand times its weight moves it by nothing."""
    figure = cases.without_ranges(cases.human())
    puppet = free(figure, figure.neutral())
    hand = puppet.drag(cases.HAND[0], point=cases.HAND[1])
    puppet.pin("grip_right", position=(2.0, 0.0, 1.0), weight=1000.0)
    for _ in range(30):
        puppet.step(DT)
    assert puppet.residual(hand).position < 1e-6
