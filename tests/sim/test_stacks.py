"""What stands on each other stays where it is.  Oracles: how deep it sinks in, in closed form; a dense solve."""

import math

import numpy as np
import pytest

from hitogata.figure import Box, Pose, State
from hitogata.sim import Member, Settings, World
from hitogata.solve import Disc, Problem, friction_newton

G, HALF, MU = 9.81, 0.1, 0.8


def stack(world: World, masses: list[float]) -> list[Member]:
    """Boxes above each other, the first on the ground."""
    world.add_ground()
    box = Box((HALF, HALF, HALF))
    return [world.add_body(box, mass=m, pose=Pose((0, 0, HALF + 2 * HALF * k))) for k, m in enumerate(masses)]


def sinking(masses: list[float], settings: Settings) -> list[float]:
    """How far each box comes down: at every face below it four points carry what is above (see `contacts.hardened`)."""
    total, result = 0.0, []
    for k, mass in enumerate(masses):
        lighter = mass if k == 0 else min(masses[k - 1], mass)
        stiffness, depth = settings.contact_stiffness * lighter / settings.contact_mass, settings.contact_depth
        x = sum(masses[k:]) * G / 4 / (stiffness * depth)  # force by that of a spring this deep
        total += depth * (x if x < 1.0 else math.sqrt(2.0 * x - 1.0))
        result.append(total)
    return result


@pytest.mark.parametrize(
    ("masses", "h"),
    [
        ([1.0] * 10, 1 / 60),
        ([0.1] * 5, 1 / 60),
        ([0.1] * 20, 1 / 30),
        ([10.0] * 20, 1 / 60),
        ([1.0, 1000.0], 1 / 60),
        ([1.0, 1000.0], 1 / 240),
        ([1.0, 1000.0], 1 / 30),
        ([1000.0, 1.0], 1 / 60),
        ([1.0, 10.0, 100.0, 1000.0], 1 / 60),
    ],
)
def test_stacks_stand(masses, h):
    world = World()
    boxes = stack(world, masses)
    world.step(h, steps=round(6.0 / h))
    for k, (box, sunk) in enumerate(zip(boxes, sinking(masses, world.settings), strict=True)):
        np.testing.assert_allclose(box.q[:2], 0.0, atol=1e-4, err_msg=f"box {k}")
        assert HALF + 2 * HALF * k - box.q[2] == pytest.approx(sunk, rel=1e-2), f"box {k}"
        assert np.abs(box.v).max() < 2e-3
    assert world.residual <= world.settings.tolerance


@pytest.mark.parametrize("order", [[4, 1, 7, 0, 9, 3, 8, 2, 6, 5]])
def test_the_order_in_which_boxes_come_does_not_matter(order):
    world = World()
    world.add_ground()
    box = Box((HALF, HALF, HALF))
    boxes = {k: world.add_body(box, mass=1.0, pose=Pose((0, 0, HALF + 2 * HALF * k))) for k in order}
    world.step(1 / 60, steps=300)
    top = boxes[9]
    np.testing.assert_allclose(top.q[:2], 0.0, atol=1e-4)
    assert 1.9 - top.q[2] == pytest.approx(sinking([1.0] * 10, world.settings)[9], rel=1e-2)


def test_leaning_cards_stand():
    cos, sin = math.cos(math.radians(9)), math.sin(math.radians(9))
    world = World()
    world.add_ground()
    card, poses = Box((0.0005, 0.03, 0.05)), [Pose((k * 0.0159276, 0, 0.0477), (cos, 0, -k * sin, 0)) for k in (-1, 1)]
    cards = [world.add_body(card, mass=0.002, pose=pose) for pose in poses]
    before = [card.q.copy() for card in cards]
    world.step(1 / 60, steps=300)
    for card, q in zip(cards, before, strict=True):
        assert np.linalg.norm(card.q[:3] - q[:3]) < 2e-4


def test_work_is_counted():
    world = World(settings=Settings(sweeps=2))
    boxes = stack(world, [1.0] * 10)
    boxes[0].state = State(boxes[0].q, np.array([0, 0, 0, 1.0, 0, 0]))
    world.step(1 / 60, steps=5)
    tally = world.solver_tally
    assert 5 <= tally.sweeps <= 5 * 4 * 2
    assert tally.unfinished > 0
    assert world.residual > world.settings.tolerance
    enough = World()
    stack(enough, [1.0] * 10)
    enough.step(1 / 60, steps=60)
    assert enough.solver_tally.newton > 0
    assert enough.solver_tally.unfinished == 0
    enough.add_body(Box((HALF, HALF, HALF)), mass=1.0, pose=Pose((5, 0, HALF)))
    enough.step(1 / 60)
    assert enough.solver_tally.sweeps > 60  # goes on where things come and go


@pytest.mark.parametrize("push", [(0.0, 0.0), (0.6, 0.0), (2.5, 1.0)])
def test_a_step_is_that_of_a_dense_solve(push):
    """Velocities after a step of a stack whose third box is pushed, so that it sticks, or slides: to 1e-6."""
    h, n = 1 / 60, 5
    world = World(settings=Settings(keep_energy=False, slow_taut=False, tolerance=1e-9, sweeps=400))  # to the end
    boxes = stack(world, [1.0] * n)
    world.step(h, steps=120)
    for box in boxes:
        v = np.zeros(6)
        if box is boxes[2]:
            v[3:5] = push
        box.state = State(box.q, v)
    velocity = np.concatenate([box.v for box in boxes])
    places = [box.q[:3].copy() for box in boxes]
    turns = [_rotation(box.q[3:7]) for box in boxes]
    world.step(h)
    velocity[5::6] -= G * h
    inverse = np.zeros((6 * n, 6 * n))
    for k in range(n):
        central = 1.0 / (2.0 / 3.0 * HALF**2)
        inverse[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = turns[k] @ (central * np.eye(3)) @ turns[k].T
        inverse[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.eye(3)
    jacobian, soft, bias, discs = [], [], [], []
    s = world.settings
    for c in world.contacts():
        x = max(-c.gap / s.contact_depth, 1.0)
        k, d = s.contact_stiffness * x, s.contact_damping * x
        gap = c.gap if x == 1.0 else -s.contact_depth * (x * x + 1) / (2 * x)
        normal, row = c.normal, len(bias)
        side = np.cross(normal, [1.0, 0.0, 0.0])
        side /= np.linalg.norm(side)
        for axis in (normal, side, np.cross(normal, side)):
            line = np.zeros(6 * n)
            for who, sign in ((c.a, 1.0), (c.b, -1.0)):
                if who is not None:
                    i = boxes.index(who[0])
                    line[6 * i : 6 * i + 3] += sign * np.cross(c.position - places[i], axis)
                    line[6 * i + 3 : 6 * i + 6] += sign * axis
            jacobian.append(line)
        soft += [1.0 / (h * (d + h * k)), 0.0, 0.0]
        bias += [gap / h if gap > 0.0 else k * gap / (d + h * k), 0.0, 0.0]  # a gap may be used up, and no more
        discs.append(Disc(row, row + 1, row + 2, MU))
    rows = np.array(jacobian)
    matrix = rows @ inverse @ rows.T + np.diag(soft)
    found = friction_newton(Problem(matrix, rows @ velocity + bias, discs=tuple(discs)), tolerance=1e-10)
    expected = velocity + inverse @ rows.T @ found.lam
    np.testing.assert_allclose(np.concatenate([box.v for box in boxes]), expected, rtol=0, atol=1e-6)


def _rotation(q):
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
