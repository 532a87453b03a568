"""Strands: roots that follow, limits that hold, wind that lets them come to rest, heads they lie on."""

import math

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Box, Figure, FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import cap_of_roots, chain, human28, strand
from hitogata.sim import Coordinates, Settings, Strands, World, WorldBatch
from hitogata.sim.layout import PIECES

H = 1 / 60
RADIUS = 0.1
LEVEL = Pose()  # strands along +x
DOWN = Pose(quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))  # along -z


def head(**options) -> Figure:
    """A ball that stands still, or with `slide` moves along x and turns about z."""
    builder, ball = FigureBuilder("head"), (Sphere(RADIUS),)
    if options.get("slide"):
        builder.add("rail", None, joint.slider((1, 0, 0)), shapes=(), mass=Sphere(0.05).mass_properties().scaled(50.0))
        builder.add("head", "rail", joint.hinge((0, 0, 1)), shapes=ball, density=1000.0)
    else:
        builder.add("head", None, joint.fixed(), shapes=ball, density=1000.0)
    return builder.build()


def beyond(hair: Strands) -> float:
    """How far the worst joint is beyond its range [deg]."""
    quats = hair.q[:, 7:].reshape(-1, 4)
    found = hair.figure.links[1].joint.range.violation(quats)
    return math.degrees(max(found.swing_depth.max(), found.twist_depth.max()))


def shaken(seconds: float, *, count: int = 12) -> tuple[World, Strands, list[float]]:
    """A head that slides to and fro and turns, with hair; and how far joints were beyond their limits."""
    world = World(settings=Settings(fast_turn=0.1))
    host = world.add(head(slide=True))
    host.set_motor(2e4, 1e3)
    hair = Strands(world, host, "head", strand(), cap_of_roots(count, radius=RADIUS))
    worst = []
    for k in range(int(seconds / H)):
        t = k * H
        host.set_target([0.15 * math.sin(7 * t), 1.2 * math.sin(5 * t)])
        world.step(H)
        worst.append(beyond(hair))
    return world, hair, worst


def test_roots_follow_exactly():
    world = World()
    host = world.add(head(slide=True), State(np.zeros(2), np.array([0.7, -2.0])))
    roots = cap_of_roots(7, radius=RADIUS, centre=(0.01, 0.02, 0.03))
    hair = Strands(world, host, "head", strand(3), roots)
    host.set_motor(300.0, 5.0)
    for _ in range(40):
        world.step(H)
        pose = forward_kinematics(host.figure, host.q).matrices[1]
        rate = link_velocities(host.figure, host.q, host.v)[1]
        for member, root in zip(hair.members, roots, strict=True):
            arm = pose[:, :3] @ np.array(root.position)
            placed = forward_kinematics(hair.figure, member.q).matrices[0]
            assert np.allclose(placed[:, 3], pose[:, 3] + arm, atol=1e-14)
            assert np.allclose(placed[:, :3], pose[:, :3] @ root.rotation, atol=1e-14)
            assert np.allclose(member.v[:3], rate[:3], atol=1e-14)
            assert np.allclose(member.v[3:6], rate[3:] + np.cross(rate[:3], arm), atol=1e-14)
    assert abs(host.q[0]) > 1e-3


def test_a_strand_on_a_link_that_speeds_up_hangs_askew():
    """In a frame with acceleration a, gravity is g - a: the strand rests at the angle atan(a/g)."""
    world, a = World(), 4.0
    host = world.add(head(slide=True))
    host.push([a * host.figure.mass, 0.0])
    hair = Strands(world, host, "head", strand(1, bend=(2.5, 2.5), mass=0.01, damping=3e-3), [DOWN])
    world.step(H, steps=1200)
    assert host.v[0] == pytest.approx(a * 20, rel=1e-6)
    line = hair.lines()[0]
    assert math.atan2(line[0, 0] - line[1, 0], line[0, 2] - line[1, 2]) == pytest.approx(math.atan2(a, 9.81), abs=1e-3)


def test_limits_hold_while_the_head_is_shaken():
    _, _, worst = shaken(4.0)
    assert max(worst) < 1.0
    assert max(worst) > -1.0  # they are pressed upon


def test_hair_cuts_steps_into_two_at_the_most_and_passes_no_wall():
    """Gusts throw it at a thin wall, and shake it: it stays before the wall, and nobody pays for many substeps."""
    world, rng = World(), np.random.default_rng(3)
    world.add_ground(Box((0.005, 1.0, 1.0), pose=Pose((0.24, 0.0, 0.0))))
    hair = Strands(world, world.add(head()), "head", strand(), cap_of_roots(8, radius=RADIUS, angle=0.4))
    pieces, farthest, fastest = [], [], 0.0
    for k in range(240):
        if k % 30 == 0:
            hair.wind((20.0, 0.0, 0.0) if k % 60 == 0 else rng.normal(size=3) * 15, rate=20.0)
        world.step(H)
        pieces.append(int(world.arrays.counts[PIECES]))
        farthest.append(hair.lines()[..., 0].max())
        fastest = max(fastest, *(np.abs(member.v[6:]).max() for member in hair.members))
    assert fastest > 15.0  # it would be cut into many
    assert max(pieces) == 2
    assert max(farthest) < 0.24


def test_nothing_drifts_in_a_steady_wind():
    """Pressed on oval limits by wind from aside, strands come to rest and stay (Yamaguchi 2009: an ellipse slides)."""
    world = World()
    host = world.add(head())
    hair = Strands(world, host, "head", strand(), cap_of_roots(6, radius=RADIUS))
    hair.wind((6.0, 3.0, 1.0))
    world.step(H, steps=600)
    before = hair.lines()
    pressed = sum((member.limit_forces() > 0).sum() for member in hair.members)
    assert pressed > 10
    moved = 0.0
    for _ in range(20):
        world.step(H, steps=60)
        moved = max(moved, float(np.abs(hair.lines() - before).max()))
    assert moved < 1e-5
    assert max(np.abs(member.v).max() for member in hair.members) < 1e-5
    assert beyond(hair) < 0.1


@pytest.mark.parametrize("wind", [(0.0, 6.0, 2.0), (0.0, 2.0, 7.0), (-3.0, 5.0, -5.0), (1.0, -0.3, 6.0)])
def test_wind_blows_a_link_to_the_best_place_within_its_oval(wind):
    """At rest on its wall, a single link points as far along the force as its range lets it."""
    world = World(gravity=(0, 0, 0))
    figure = strand(1, bend=(0.9, 0.4), damping=1e-2)
    hair = Strands(world, world.add(head()), "head", figure, [LEVEL])
    hair.wind(wind)
    world.step(H, steps=900)
    line = hair.lines()[0]
    bone = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    edge = figure.links[1].joint.range.swing.boundary(20_000)
    best = edge[np.argmax(edge @ np.array(wind))]
    assert math.degrees(math.acos(min(1.0, float(bone @ best)))) < 0.1


def test_wind_and_weight_balance():
    """Hanging still: tan(angle) = rate · wind / g."""
    world, rate, speed = World(), 3.0, 2.0
    hair = Strands(world, world.add(head()), "head", strand(1, bend=(2.5, 2.5), damping=3e-3), [DOWN])
    hair.wind((speed, 0.0, 0.0), rate)
    world.step(H, steps=900)
    line = hair.lines()[0]
    angle = math.atan2(line[1, 0] - line[0, 0], line[0, 2] - line[1, 2])
    assert angle == pytest.approx(math.atan2(rate * speed, 9.81), abs=1e-4)
    hair.wind((0, 0, 0), 0.0)
    world.step(H, steps=900)
    assert abs(hair.lines()[0, 1, 0]) < 1e-4


def test_wind_faster_than_steps_can_follow_stays_calm():
    world = World()
    hair = Strands(world, world.add(head()), "head", strand(), cap_of_roots(3, radius=RADIUS))
    hair.wind(np.tile([[1.0, 0.0, 0.0]], (3, 1)), 1e5)
    world.step(H, steps=200)
    assert max(np.abs(member.v).max() for member in hair.members) < 5.0


def test_roots_feel_the_weight():
    world = World()
    hair = Strands(world, world.add(head()), "head", strand(4, mass=0.02),
                   [Pose((0, 0, -0.2), DOWN.quat), Pose((0.05, 0, -0.2), DOWN.quat)])  # fmt: skip
    world.step(H, steps=600)
    weight = 2 * hair.figure.mass * 9.81
    assert np.allclose(hair.force, [0, weight * 0.025, 0, 0, 0, -weight], atol=1e-5)


def test_strands_lie_on_the_head():
    world = World()
    figure = strand(bend=(0.6, 0.6))
    hair = Strands(world, world.add(head()), "head", figure, cap_of_roots(10, radius=RADIUS + 0.005, angle=0.6))
    world.step(H, steps=300)
    lines = hair.lines()[:, 2:]
    nearest = np.linalg.norm(lines, axis=-1).min(1)
    assert (nearest > RADIUS + 0.005 - 1e-3).all()
    assert len(world.contacts()) >= 10
    assert (lines[:, -1, 2] < 0).all()


def test_strands_do_not_touch_each_other():
    world = World()
    roots = [Pose((0.001 * k, 0, -0.2), DOWN.quat) for k in range(3)]
    Strands(world, world.add(head()), "head", strand(), roots)
    world.step(H, steps=30)
    assert not world.contacts()


def test_the_same_bits_again():
    ends = []
    for _ in range(2):
        world, hair, _ = shaken(0.5, count=5)
        ends.append(hair.q)
    assert np.array_equal(*ends)
    saved = world.save()
    hair.wind((3.0, 0, 0))
    world.step(H, steps=20)
    end = hair.q
    hair.wind((-3.0, 0, 0))
    world.step(H, steps=7)
    world.restore(saved)
    assert np.array_equal(hair.q, ends[0])
    hair.wind((3.0, 0, 0))
    for _ in range(20):
        world.step(H)
    assert np.array_equal(hair.q, end)


def test_strands_come_and_go():
    world = World()
    host, other = world.add(head()), world.add_body(Sphere(0.1), mass=1.0, pose=Pose((3, 0, 0)))
    hair = Strands(world, host, "head", strand(3), cap_of_roots(4, radius=RADIUS))
    hair.wind(np.ones((4, 1, 3)))
    world.step(H, steps=5)
    second, third = hair.members[1:3]
    world.remove(second)
    world.step(H, steps=5)
    assert second not in hair.members
    assert third in hair.members
    assert len(hair.q) == 3
    assert np.isfinite(hair.force).all()
    tail = Strands(world, other, "body", strand(3), [Pose((0.1, 0, 0))])
    world.step(H, steps=5)
    assert tail.lines()[0, 0, 2] == pytest.approx(other.q[2], abs=1e-12)
    world.remove(host)
    assert not hair.members
    world.step(H, steps=5)
    assert set(world.members) == {other, *tail.members}
    tail.remove()
    world.step(H, steps=5)
    assert world.members == [other]


def test_what_records_sees_where_the_roots_are():
    world = World()
    host = world.add(head(slide=True), State(np.zeros(2), np.array([1.0, 0.0])))
    hair = Strands(world, host, "head", strand(2), [LEVEL])
    with world.record() as recording:
        world.step(H, steps=10)
    roots = recording.trajectory(hair.members[0]).q[:, 0]
    assert np.allclose(roots, recording.trajectory(host).q[:, 0], atol=1e-14)


LOOSE = chain(3, free_base=True)
BAD = {
    "another world": (lambda w, m: Strands(w, World().add(head()), "head", strand(), [LEVEL]), "member"),
    "no such link": (lambda w, m: Strands(w, m, "tail", strand(), [LEVEL]), "tail"),
    "root not led": (lambda w, m: Strands(w, m, "head", LOOSE, [LEVEL]), "armature"),
    "no figure": (lambda w, m: Strands(w, m, "head", "hair", [LEVEL]), "figure"),
    "no roots": (lambda w, m: Strands(w, m, "head", strand(), []), "roots"),
    "roots that are no poses": (lambda w, m: Strands(w, m, "head", strand(), [(0, 0, 0)]), "roots"),
    "friction": (lambda w, m: Strands(w, m, "head", strand(), [LEVEL], friction=-1), "friction"),
    "mask": (lambda w, m: Strands(w, m, "head", strand(), [LEVEL], mask=1 << 20), "mask"),
    "wind": (lambda w, m: Strands(w, m, "head", strand(), [LEVEL]).wind((1, math.nan, 0)), "velocity"),
    "wind of another shape": (lambda w, m: Strands(w, m, "head", strand(), [LEVEL]).wind(np.ones((2, 3))), "velocity"),
    "rate": (lambda w, m: Strands(w, m, "head", strand(), [LEVEL]).wind((1, 0, 0), -2), "rate"),
    "links": (lambda w, m: strand(0), "links"),
    "bend": (lambda w, m: strand(bend=0.3), "bend"),
    "bend backwards": (lambda w, m: strand(bend=((0.2, -0.2), 0.1)), "bend"),
    "twist": (lambda w, m: strand(twist=4.0), "twist"),
    "length": (lambda w, m: strand(length=math.inf), "length"),
    "damping": (lambda w, m: strand(damping=-1.0), "damping"),
    "roots of a cap": (lambda w, m: cap_of_roots(5, radius=0.1, angle=4.0), "angle"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input(what):
    world = World()
    host = world.add(head())
    call, word = BAD[what]
    with pytest.raises(HitogataError, match=word):
        call(world, host)
    world.step(H)
    assert len(world.members) == (2 if what.startswith(("wind", "rate")) else 1)


def test_worlds_that_cannot_lead():
    world = World(coordinates=Coordinates.MAXIMAL)
    with pytest.raises(ArgumentError, match="reduced"):
        Strands(world, world.add(human28()), "head", strand(), [LEVEL])
    world = World()
    Strands(world, world.add(human28()), "head", strand(), [LEVEL])
    with pytest.raises(ArgumentError, match="strands"):
        WorldBatch(world, 2)


def test_roots_of_a_cap():
    roots = cap_of_roots(200, radius=0.1, centre=(1, 2, 3), axis=(0, 1, 1), angle=1.0)
    out = np.array([root.position for root in roots]) - (1, 2, 3)
    assert np.allclose(np.linalg.norm(out, axis=1), 0.1)
    assert np.allclose(out / 0.1, [root.rotation[:, 0] for root in roots])
    assert np.allclose([root.rotation[2, 1] for root in roots], 0.0)
    cos = out @ np.array([0, 1, 1]) / (0.1 * math.sqrt(2))
    assert cos.min() > math.cos(1.0)
    assert np.mean(cos) == pytest.approx((1 + math.cos(1.0)) / 2, abs=1e-3)  # even: height is spread evenly
    apart = np.linalg.norm(out[:, None] - out, axis=-1) + np.eye(200)
    assert apart.min() > 0.5 * math.sqrt(2 * math.pi * 0.01 * (1 - math.cos(1.0)) / 200)
