"""The same bits: on a second run, after save and restore, in another process, compiled anew or from the cache."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hitogata.figure import Box, Capsule, Figure, JointKind, Pose, Sphere, State
from hitogata.library import chain, human28
from hitogata.rom import ConeRegion, ConstantTwist, RangeOfMotion
from hitogata.sim import Coordinates, Settings, World

ROOT = Path(__file__).parents[2]


class Everything:
    """Two figures, ranges, contacts, springs, ropes, pulls; steps in pieces; things that come and go."""

    def __init__(self, **options) -> None:
        self.world, rng = World(**options), np.random.default_rng(11)
        world, human = self.world, human28()
        range_ = RangeOfMotion(ConeRegion((0, 0, -1), 1.2), ConstantTwist(-0.6, 0.7), bone=(0, 0, -1))
        links = [replace(k, joint=replace(k.joint, range=range_)) if k.joint.kind is JointKind.BALL else k
                 for k in human.links]  # fmt: skip
        human = Figure("ranged", tuple(links))
        world.add_ground(friction=0.7)
        world.add_ground(Box((0.3, 0.3, 0.2), pose=Pose((1.5, 0, 0.2))))
        v = np.concatenate([[2.0, 5.0, 1.0, 1.5, 0.0, 2.0], 4.0 * rng.normal(size=28)])
        self.human = world.add(human, State(human.neutral(), v), restitution=0.3)
        self.human.set_motor(150.0, 3.0)
        self.human.set_target(human.neutral(), 0.3 * rng.normal(size=34))
        bent = np.array([0.3, 0.3, 1.5, 1, 0, 0, 0, 0.2, 0.2, 0.2, 0.2])
        self.snake = world.add(chain(5, free_base=True), State(bent, np.ones(10)))
        self.snake.set_wall(1e4, 10.0)
        self.ball = world.add_body(Sphere(0.15), mass=3.0, pose=Pose((0.4, 0.1, 2.5)), restitution=0.5)
        self.spring = world.add_spring((self.human, "forearm_left"), (0.5, 0.5, 1.5), stiffness=400.0, damping=4.0)
        self.rope = world.add_rope((self.snake, "link4"), (self.human, "head"), length=0.8)
        world.add_rope((self.ball, "body"), (0, 0, 3.0), length=1.0, stiffness=1e7, damping=0.0)
        self.human.pull("head", (30.0, 0, 10.0), (0, 1.0, 0))

    def act(self, k: int) -> None:
        """What the user does before step k."""
        world = self.world
        if k == 20:
            self.box = world.add_body([Box((0.1, 0.1, 0.1)), Capsule(0.05, 0.2)], mass=2.0, pose=Pose((0.2, 0, 2.0)))
        elif k == 30:
            self.spring.move_anchor((0.0, 0.5, 1.0))
            world.add_spring((self.box, "body"), (self.snake, "link0"), stiffness=1e5, damping=1.0)
        elif k == 40:
            world.remove(self.ball)
        elif k == 50:
            self.human.pull("head")
            self.human.push(np.linspace(-3, 3, 34))
            world.remove_tie(self.rope)
        elif k == 60:
            self.human.state = State(self.human.q, 0.5 * self.human.v)

    def run(self, first: int, last: int) -> None:
        for k in range(first, last):
            self.act(k)
            self.world.step([1 / 60, 0.1, 1 / 240][k % 3])

    def digest(self) -> str:
        """Of everything a user can read."""
        members = self.world.members
        arrays = [x for m in members for x in (m.q, m.v, m.joint_forces(), m.motor_forces(), m.limit_forces())]
        arrays += [m.contact_forces() for m in members] + [tie.force for tie in self.world.ties]
        arrays += [np.concatenate([c.position, c.normal, c.force, [c.gap]]) for c in self.world.contacts()]
        return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


WORLDS = [{}, {"coordinates": Coordinates.MAXIMAL, "settings": Settings(sweeps=300)}]


@pytest.mark.parametrize("options", WORLDS, ids=["reduced", "maximal"])
def test_same_bits_on_a_second_run(options):
    digests = []
    for _ in range(2):
        scene = Everything(**options)
        scene.run(0, 80)
        digests.append(scene.digest())
    assert digests[0] == digests[1]


@pytest.mark.parametrize("options", WORLDS, ids=["reduced", "maximal"])
@pytest.mark.parametrize("middle", [0, 10, 25, 45, 65])
def test_same_bits_after_going_back(options, middle):
    """From any middle on, with much else done in between."""
    scene = Everything(**options)
    scene.run(0, middle)
    saved, end = scene.world.save(), middle + 5 - middle % 5  # nothing comes or goes between
    before = scene.digest()
    scene.run(middle + 1, end)
    digest = scene.digest()
    scene.human.push(np.full(34, 50.0))
    scene.spring.move_anchor((3.0, 3.0, 3.0))
    scene.human.set_motor(1.0, 1.0)
    scene.world.step(0.05, steps=7)
    scene.world.restore(saved)
    assert scene.digest() == before
    scene.run(middle + 1, end)
    assert scene.digest() == digest


def test_same_bits_in_a_twin():
    """A snapshot carries over to a world made in the same way."""
    one, other = Everything(), Everything()
    one.run(0, 15)
    other.world.restore(one.world.save())
    one.run(15, 20)
    other.run(15, 20)
    assert one.digest() == other.digest()


def test_same_bits_with_many_shapes():
    """From 80 shapes on pairs are found by a sweep, which remembers its order from step to step."""
    def heap() -> tuple[World, list]:
        world, rng = World(), np.random.default_rng(4)
        world.add_ground()
        at = rng.uniform(-1, 1, (100, 3)) + [0, 0, 2.0]
        return world, [world.add_body(Sphere(0.12), mass=1.0, pose=Pose(tuple(p))) for p in at]

    world, balls = heap()
    world.step(1 / 60, steps=40)
    saved = world.save()
    world.step(1 / 60, steps=40)
    end = np.concatenate([ball.q for ball in balls])
    world.restore(saved)
    world.step(1 / 60, steps=40)
    assert np.array_equal(np.concatenate([ball.q for ball in balls]), end)
    fresh, others = heap()
    fresh.restore(saved)
    fresh.step(1 / 60, steps=40)
    assert np.array_equal(np.concatenate([ball.q for ball in others]), end)


def test_contacts_without_room_do_not_change_the_bits(monkeypatch):
    """A world that makes room in the middle of its steps, also of steps in pieces."""
    ends = []
    for room in (4, 256):
        monkeypatch.setattr("hitogata.sim.world_data.CONTACT_ROOM", room)
        scene = Everything()
        scene.run(0, 80)
        ends.append(scene.digest())
    assert ends[0] == ends[1]


PROGRAM = """
from tests.sim.test_same_bits import Everything
scene = Everything()
scene.run(0, 80)
print(scene.digest())
"""


def test_same_bits_in_another_process_compiled_anew(tmp_path):
    """Once with an empty cache, then from that cache."""
    scene = Everything()
    scene.run(0, 80)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=ROOT, env=environment, check=True
        )
        assert done.stdout.split()[-1] == scene.digest()
    assert any(tmp_path.rglob("*")), "the cache was elsewhere"
