"""Ranges of motion in inverse kinematics: the same object as in simulation, and bones that slide along its wall."""

import numpy as np
import pytest

from hitogata.figure import JointKind, State
from hitogata.motion import Puppet
from hitogata.rom import Bone, BoundaryTwist, ConeRegion, ConstantTwist, RangeOfMotion, SplineRegion
from hitogata.rom.human import Side, shoulder
from hitogata.sim import World
from hitogata.spatial import quat_rotate
from tests.motion import puppet_cases as cases

DT = 1 / 60
DOWN = np.array([0.0, 0.0, -1.0])


def bone(q) -> np.ndarray:
    return quat_rotate(np.asarray(q)[..., :4], DOWN)


def spline() -> RangeOfMotion:
    """A free-form region about the hanging arm, twist between -0.6 and 0.6 at its boundary."""
    w = np.arange(10) * np.pi / 5
    region = SplineRegion.through(w, 0.8 + 0.25 * np.cos(2 * w) + 0.1 * np.sin(3 * w)).with_bone(Bone.Z)
    return RangeOfMotion(region.turned((0.0, 1.0, 0.0, 0.0)), BoundaryTwist([-0.6] * 10, [0.6] * 10), bone=DOWN)


RANGES = {
    "cone": lambda: RangeOfMotion(ConeRegion(DOWN, 0.7), ConstantTwist(-0.5, 0.5), bone=DOWN),
    "spline": spline,
    "clinical shoulder": lambda: shoulder(Side.LEFT),
}


def single(range_):
    """One link on a ball joint."""
    figure = cases.arm(range_, elbow=(0.0, 0.0))
    return figure, ("upper", (0.0, 0.0, -0.3))


@pytest.mark.parametrize("name", RANGES)
def test_a_bone_pulled_out_rests_at_the_nearest_allowed_direction(name):
    """The link's end is dragged to places beyond the wall; the oracle is the region's own nearest direction."""
    range_ = RANGES[name]()
    figure, (link, tip) = single(range_)
    rng = np.random.default_rng(2)
    way = rng.normal(size=(400, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    room = range_.swing.distance(way)
    way = way[(room < -0.1) & (room > -0.8) & (way[:, 2] < 0.8)][:40]  # twist means little where a bone points back
    puppet = Puppet(figure, np.tile(figure.neutral(), (len(way), 1)))
    puppet.drag(link, point=tip, position=way * 0.3)
    for _ in range(600):
        puppet.step(DT)
    nearest, found = range_.swing.nearest(way), bone(puppet.q)
    assert cases.beyond(figure, puppet.q).max() < 1e-6
    assert np.abs(range_.swing.distance(found)).max() < 1e-4
    wall = range_.swing.boundary(40000)
    for there, here in zip(way, found, strict=True):  # along the wall, nothing pulls it any more
        k = int((wall @ here).argmax())
        along = wall[(k + 4) % len(wall)] - wall[k - 4]
        assert abs((there - here) @ along) < 1e-3 * np.linalg.norm(along)
    if name != "clinical shoulder":  # whose wall is long, and has other places that are nearest around them
        assert np.arccos(np.clip(np.sum(nearest * found, axis=1), -1, 1)).max() < 2e-3


def test_the_bone_slides_along_the_wall():
    """A target that circles beyond the wall leads the bone round it: always on the wall, never through it or off it."""
    range_ = spline()
    figure, (link, tip) = single(range_)
    puppet = Puppet(figure)
    hand = puppet.drag(link, point=tip)
    off, last, steps = [], puppet.q, []
    for k in range(600):
        w = 2 * np.pi * k / 300
        target = 0.3 * np.array([np.sin(1.5) * np.cos(w), np.sin(1.5) * np.sin(w), -np.cos(1.5)])
        puppet.set_target(hand, position=target)
        puppet.step(DT)
        if k > 60:
            off.append(float(range_.swing.distance(bone(puppet.q))))
            steps.append(float(cases.turns(figure, last, puppet.q).max()))
        last = puppet.q
        assert cases.beyond(figure, puppet.q).max() < 1e-6
    assert np.max(np.abs(off)) < 5e-3
    assert max(steps) < np.radians(5)
    assert min(steps[100:]) > np.radians(0.1), "it does not stick"


def test_simulation_holds_the_same_wall():
    """The same range object under physics: a spring pulls the arm's end to the same place, without gravity."""
    range_ = spline()
    figure, (link, tip) = single(range_)
    target = 0.3 * np.array([0.75, 0.5, -0.43])
    puppet = Puppet(figure)
    puppet.drag(link, point=tip, position=target)
    for _ in range(600):
        puppet.step(DT)
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add(figure, State.rest(figure))
    assert body.figure.links[0].joint.range is range_ is puppet.figure.links[0].joint.range
    body.set_motor(0.0, 0.3)
    world.add_spring((body, "lower"), target, stiffness=300.0, damping=10.0)
    world.step(1 / 240, steps=6000)
    assert np.degrees(np.arccos(bone(body.q) @ bone(puppet.q))) < 0.1
    assert abs(range_.swing.distance(bone(puppet.q))) < 1e-4


def test_twist_walls_hold():
    """A forearm bent at right angles, its hand pulled round: the upper arm turns about itself as far as it may."""
    range_ = RangeOfMotion(ConeRegion(DOWN, 0.05), ConstantTwist(-0.4, 0.9), bone=DOWN)
    figure = cases.arm(range_, elbow=(-np.pi / 2, -np.pi / 2))
    q = figure.neutral()
    q[4] = -np.pi / 2
    for side in (1.0, -1.0):
        puppet = Puppet(figure, q)
        puppet.drag("lower", point=(0, 0, -0.3), position=(-0.3, 0.3 * side, -0.3))
        for _ in range(300):
            puppet.step(DT)
        twist = float(range_.swing_twist(puppet.q[:4])[1])
        assert min(abs(twist + 0.4), abs(twist - 0.9)) < 1e-3
        assert cases.beyond(figure, puppet.q).max() < 1e-6


def test_a_twist_does_not_turn_over():
    """An arm led over the head, close to where its bone points backwards: the shoulder keeps to its speed limit."""
    figure = cases.human()
    puppet = Puppet(figure)
    for name in ("sole_left", "sole_right"):
        puppet.pin(name)
    hand = puppet.drag("grip_right")
    at = np.array([0.0, -0.24, 1.6])
    for k in range(400):
        w = k / 30
        puppet.set_target(hand, position=at + (0.45 * np.sin(w), 0.25 * np.cos(1.7 * w), 0.3))
        before = puppet.q
        puppet.step(DT)
        assert cases.turns(figure, before, puppet.q).max() <= 5.0 * DT
        assert cases.beyond(figure, puppet.q).max() < 1e-6


def test_hinges_and_universal_joints_keep_their_intervals():
    from tests.dynamics import cases as zoo

    rng = np.random.default_rng(0)
    for figure in zoo.figures():
        puppet = Puppet(cases.clamp_intervals(figure), cases.inside(figure, rng))
        moving = [n for n in puppet.figure.link_names if puppet.figure.link(n).joint.kind is not JointKind.FIXED]
        handle = puppet.drag(moving[-1])
        for _ in range(40):
            puppet.set_target(handle, position=rng.normal(size=3) * 2)
            puppet.step(DT)
            assert cases.beyond(puppet.figure, puppet.q).max() < 1e-9
