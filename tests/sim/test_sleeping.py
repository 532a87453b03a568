"""Sleep: who rests takes no steps, is read as in its last one, and wakes before anything happens to it."""

import copy
import math
from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, FigureBuilder, Pose, Sphere, State, joint
from hitogata.library import strand
from hitogata.sim import ContactMethod, Coordinates, Member, Settings, Strands, World, WorldBatch

H, AFTER = 1 / 60, 0.3
METHODS = list(ContactMethod)


def world_with(sleeps: bool = True, **options) -> World:
    """An empty world with a ground."""
    friction = options.pop("friction", 0.8)
    world = World(settings=Settings(sleep_after=AFTER if sleeps else math.inf, **options))
    world.add_ground(friction=friction)
    return world


def stack(world: World, x: float = 0.0, boxes: int = 3, **options) -> list[Member]:
    """Boxes of 4 kg, one above the other, a little above where they come to rest."""
    return [
        world.add_body(Box((0.1, 0.1, 0.1)), density=500.0, pose=Pose((x, 0.01 * k, 0.1 + 0.2 * k)), **options)
        for k in range(boxes)
    ]


def arm() -> FigureBuilder:
    """Two links that hang from the world; the second one lies on the end of its range, if it is limp."""
    builder = FigureBuilder("arm")
    builder.add("upper", None, joint.hinge((0, 1, 0), parent_frame=Pose((0, 3, 1.5))), shapes=(Capsule(0.05, 0.3),),
                total_mass=2.0)  # fmt: skip
    turned = joint.hinge((0, 1, 0), range=(0.5, 1.0), parent_frame=Pose((0, 0, -0.4)))
    builder.add("lower", "upper", turned, shapes=(Capsule(0.05, 0.3),), total_mass=1.0)
    return builder


class Everything:
    """A stack, a figure with motors at its limits, on a spring and pulled, a body on a rope."""

    def __init__(self, sleeps: bool = True, **options) -> None:
        self.world = world = world_with(sleeps, **options)
        self.boxes = stack(world)
        self.arm = world.add(arm().build())
        self.arm.set_motor(20.0, 10.0)
        self.arm.pull("lower", (1.0, 0.0, 2.0))
        self.spring = world.add_spring((self.arm, "lower"), (0.3, 3.0, 0.6), stiffness=40.0, damping=20.0)
        self.bob = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((-2, 0, 1.0)))
        self.rope = world.add_rope((self.bob, "body"), (-2, 0, 2.0), length=1.0)

    @property
    def all(self) -> list[Member]:
        return self.world.members

    def until_asleep(self) -> int:
        """Steps until everybody sleeps."""
        for k in range(1, 600):
            self.world.step(H)
            if len(self.world.asleep) == len(self.world.members):
                return k
        raise AssertionError(f"still awake: {set(self.world.members) - set(self.world.asleep)}")


def readings(scene: Everything) -> list[np.ndarray]:
    """All that is to be read of a scene."""
    values = [scene.spring.force, scene.rope.force]
    for m in scene.all:
        values += [m.contact_forces(), m.joint_forces(), m.motor_forces(), m.limit_forces()]
    contacts = sorted(scene.world.contacts(), key=lambda c: tuple(c.position))
    values += [np.concatenate([c.position, c.normal, c.force, [c.gap]]) for c in contacts]
    return values


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


# ------------------------------------------------------- asleep


@pytest.mark.parametrize("method", METHODS)
def test_who_sleeps_stands_still_and_is_read_as_in_its_last_step(method):
    """The oracle is a world without sleep: until all sleep, and in the last step, it has the same bits."""
    scene, twin = Everything(contacts=method), Everything(False, contacts=method)
    noted: dict[int, list[np.ndarray]] = {}
    for _ in range(600):
        scene.world.step(H)
        twin.world.step(H)
        for k, (m, other) in enumerate(zip(scene.all, twin.all, strict=True)):
            if m.asleep and k not in noted:
                np.testing.assert_array_equal(m.q, other.q)
                assert not m.v.any()
                noted[k] = [other.q, other.contact_forces(), other.joint_forces(), other.motor_forces(),
                            other.limit_forces()]  # fmt: skip
            if k in noted:
                now = [m.q, m.contact_forces(), m.joint_forces(), m.motor_forces(), m.limit_forces()]
                assert same(now, noted[k])
        if len(noted) == len(scene.all):
            break
    assert len(noted) == len(scene.all)
    assert np.abs(noted[3][4]).max() > 0.1  # the arm lies on its limit
    before, state = readings(scene), scene.world.arrays.state.copy()
    scene.world.step(1 / 100, steps=50)  # another length of step changes nothing either
    assert same(readings(scene), before)
    np.testing.assert_array_equal(scene.world.arrays.state, state)
    weight = sum(m.figure.mass for m in scene.boxes) * 9.81
    assert sum(c.force[2] for c in scene.world.contacts() if None in (c.a, c.b)) == pytest.approx(weight, rel=1e-3)
    assert scene.rope.force[2] == pytest.approx(9.81, rel=1e-3)


def test_patches_of_who_sleeps_are_those_of_its_last_step():
    scene, twin = Everything(contacts=ContactMethod.STATES), Everything(False, contacts=ContactMethod.STATES)
    while not scene.boxes[0].asleep:
        scene.world.step(H)
        twin.world.step(H)

    def patches(world):
        return sorted((tuple(p.place), tuple(p.wrench), p.state, p.slip) for p in world.contact_patches())

    expected = patches(twin.world)
    assert len(expected) == 3
    assert patches(scene.world) == expected
    scene.world.step(H, steps=10)
    assert patches(scene.world) == expected


def test_time_goes_on_and_recordings_note_it():
    scene = Everything()
    scene.until_asleep()
    begin, q = scene.world.time, scene.boxes[2].q
    with scene.world.record(contacts=True) as recording:
        scene.world.step(H, steps=5)
    noted = recording.trajectory(scene.boxes[2])
    assert noted.time[-1] == pytest.approx(begin + 5 * H)
    assert (noted.q == q).all()
    assert not noted.v.any()
    np.testing.assert_array_equal(noted.channels["contact_force"][-1], scene.boxes[2].contact_forces())


def test_sleep_is_off_unless_asked_for():
    world = World()
    world.add_ground()
    stack(world)
    world.step(H, steps=200)
    assert world.asleep == []
    assert not world.members[0].asleep
    world.members[0].wake()  # does nothing


# ------------------------------------------------------- islands


def test_an_island_sleeps_as_one():
    """Boxes apart by less than the margin of contacts are neighbours: neither wakes the other for ever."""
    world = world_with()
    near = [stack(world, 0.0, 1)[0], stack(world, 0.21, 1)[0]]
    far = stack(world, 5.0, 1)[0]
    world.step(H, steps=30)
    assert world.asleep == [*near, far]
    near[0].push([0, 0, 0, 0.1, 0, 0])
    world.step(H)
    assert world.asleep == [far]
    world.step(H, steps=30)
    assert world.asleep == [*near, far]


def test_who_moves_keeps_its_island_awake():
    world = world_with()
    boxes = stack(world, 5.0)
    limp = world.add(arm().build(), State([1.0, 0.7], [0.0, 0.0]))  # swings on and on
    tie = world.add_rope((boxes[2], "body"), (limp, "lower"), length=50.0)
    world.step(H, steps=120)
    assert world.asleep == []
    world.remove_tie(tie)
    world.step(H, steps=120)
    assert world.asleep == boxes


def test_moving_targets_never_sleep():
    world = world_with()
    still, moved, led = (world.add(arm().build()) for _ in range(3))
    for m in (still, moved, led):
        m.set_motor(300.0, 30.0)
    led.set_target(led.q, [1e-4, 0.0])
    for k in range(120):
        moved.set_target([1e-6 * k, 0.7])
        world.step(H)
    assert world.asleep == []  # they hang in one place: one island
    world.remove(moved)
    world.remove(led)
    world.step(H, steps=60)
    assert world.asleep == [still]


# ------------------------------------------------------- waking


def set_state(s):
    s.boxes[1].state = State(s.boxes[1].q, s.boxes[1].v)


def write_state(s):
    s.world.arrays.v_of(s.boxes[1])[3] = 1e-3


def write_target(s):
    s.world.arrays.controls_of(s.arm).target[1] += 1e-9


WAYS = {
    "wake": (lambda s: s.boxes[1].wake(), "boxes"),
    "state": (set_state, "boxes"),
    "state in place": (write_state, "boxes"),
    "push": (lambda s: s.boxes[1].push([0, 0, 0, 0, 0, 1e-9]), "boxes"),
    "pull": (lambda s: s.boxes[1].pull("body", (1e-9, 0, 0)), "boxes"),
    "target": (lambda s: s.arm.set_target([0.1, 0.7]), "arm"),
    "target in place": (write_target, "arm"),
    "rate": (lambda s: s.arm.set_target(s.arm.figure.neutral(), [1e-9, 0]), "arm"),
    "motor": (lambda s: s.arm.set_motor(20.0, 10.1, ["lower"]), "arm"),
    "wall": (lambda s: s.arm.set_wall(1e4), "arm"),
    "spring comes": (lambda s: s.world.add_spring((s.arm, "upper"), (0, 0, 0), stiffness=1.0, damping=0.0), "arm"),
    "spring goes": (lambda s: s.world.remove_tie(s.spring), "arm"),
    "anchor": (lambda s: s.spring.move_anchor((0.3, 3.0, 0.61)), "arm"),
    "neighbour goes": (lambda s: s.world.remove(s.boxes[0]), "boxes"),
    "body comes": (lambda s: s.world.add_body(Sphere(0.05), mass=0.1, pose=Pose((0, 0, 0.66))), "boxes"),
    "ground comes": (lambda s: s.world.add_ground(Box((0.1, 0.1, 0.1), pose=Pose((9, 9, 0)))), "all"),
    "nothing": (lambda s: s.arm.set_motor(20.0, 10.0), "none"),
    "body comes far away": (lambda s: s.world.add_body(Sphere(0.1), mass=1.0, pose=Pose((9, 9, 9))), "none"),
    "body comes that touches none": (
        lambda s: s.world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 0.5)), group=2, mask=2), "none"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def asleep() -> Everything:
    scene = Everything()
    scene.until_asleep()
    return scene


@pytest.mark.parametrize("way", WAYS)
def test_what_wakes(asleep, way):
    """Each wakes its own island, and no other."""
    scene = copy.deepcopy(asleep)
    act, whom = WAYS[way]
    woken = {"boxes": scene.boxes, "arm": [scene.arm], "all": scene.all, "none": []}[whom]
    others = [m for m in scene.all if m not in woken]
    act(scene)
    scene.world.step(H)
    assert not any(m.asleep for m in woken if m in scene.world.members)
    assert all(m.asleep for m in others)
    scene.world.step(H, steps=90)
    if way in ("wake", "state", "state in place", "push", "pull", "target in place", "wall", "ground comes"):
        assert all(m.asleep for m in woken)  # again


def test_who_wakes_begins_where_it_lay():
    """A step after waking moves no more than one before falling asleep; forces go on, also at another step."""
    scene = Everything()
    scene.until_asleep()
    before = {m: (m.q, m.contact_forces()) for m in scene.boxes}
    scene.boxes[0].wake()
    for m in scene.boxes:
        assert not m.v.any()
        np.testing.assert_allclose(m.contact_forces(), before[m][1], rtol=1e-12)
    scene.world.step(1 / 100)
    for m in scene.boxes:
        np.testing.assert_allclose(m.q, before[m][0], atol=1e-5)
        np.testing.assert_allclose(m.contact_forces(), before[m][1], atol=0.5)  # of 118 N


# ------------------------------------------------------- a hit


def struck(sleeps: bool, method: ContactMethod) -> tuple[World, list[Member], Member]:
    """A stack on ice at rest, and a ball on its way."""
    world = world_with(sleeps, contacts=method, friction=0.0)
    boxes = stack(world, boxes=2)
    world.step(H, steps=60)
    ball = world.add_body(Sphere(0.1), mass=3.0, pose=Pose((-0.9, 0, 0.3)))
    ball.state = State(ball.q, [0, 0, 0, 4.0, 0, 0.8])
    return world, boxes, ball


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_that_hits_a_sleeping_stack(method):
    """Nothing is lost to who sleeps: momentum along the ice stays; and all go on as if nobody had slept."""
    world, boxes, ball = struck(True, method)
    other, twins, _ = struck(False, method)
    assert world.asleep == boxes
    awake_at = None
    for k in range(30):
        world.step(H)
        other.step(H)
        assert sum(m.figure.mass * m.v[3] for m in world.members) == pytest.approx(12.0, abs=1e-9)
        if awake_at is None and not world.asleep:
            awake_at = k
            assert ball.v[3] == 4.0 or boxes[1].v.any()
    assert awake_at is not None
    assert abs(boxes[1].v[3]) > 0.5
    for a, b in zip(world.members, other.members, strict=True):
        np.testing.assert_allclose(a.q, b.q, atol=1e-4)
    assert twins[1].v[3] == pytest.approx(boxes[1].v[3], abs=1e-3)


@pytest.mark.parametrize("speed", [10.0, 300.0])
def test_nobody_passes_through_who_sleeps(speed):
    """Also a body that comes from afar within one step."""
    world = world_with()
    box, *_ = stack(world, boxes=1)
    world.step(H, steps=40)
    assert box.asleep
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((-2.0, 0, 0.1)))
    ball.state = State(ball.q, [0, 0, 0, speed, 0, 0])
    world.step(H, steps=math.ceil(4.0 / speed / H))
    assert box.q[0] > 0.01
    assert ball.q[0] < box.q[0]


# ------------------------------------------------------- the same bits


class Busy:
    """Stacks that sleep and are hit one after the other, an arm whose target jumps now and then."""

    def __init__(self, bystanders: bool = False, method: ContactMethod = ContactMethod.SWEEPS) -> None:
        self.world = world = world_with(contacts=method)
        self.stacks = [stack(world, 0.6 * k, 2) for k in range(3)]
        self.arm = world.add(arm().build())
        self.arm.set_motor(50.0, 10.0)
        self.ball = world.add_body(Sphere(0.1), mass=2.0, pose=Pose((-2.0, 0, 0.1)))
        self.watched = world.members
        if bystanders:
            stack(world, 50.0, 2)

    def act(self, k: int) -> None:
        if k == 50:
            self.ball.state = State(self.ball.q, [0, 0, 0, 5.0, 0, 0])
        if k % 40 == 30:
            self.arm.set_target([0.1 * math.sin(k), 0.7])
        if k == 100:
            self.stacks[0][0].wake()

    def run(self, first: int, last: int) -> list[bytes]:
        states = []
        for k in range(first, last):
            self.act(k)
            self.world.step(H)
            states.append(b"".join(m.q.tobytes() + m.v.tobytes() + bytes([m.asleep]) for m in self.watched))
        return states


STEPS = 150


@pytest.fixture(scope="module", params=METHODS)
def busy(request) -> tuple[ContactMethod, list[bytes], list[int]]:
    scene = Busy(method=request.param)
    states, counts = [], []
    for k in range(STEPS):
        states += scene.run(k, k + 1)
        counts.append(len(scene.world.asleep))
    assert counts[0] == 0
    assert len(set(counts)) >= 4  # they come and go
    return request.param, states, counts


def test_a_second_run_has_the_same_bits(busy):
    assert Busy(method=busy[0]).run(0, STEPS) == busy[1]


def test_bystanders_asleep_change_nothing(busy):
    assert Busy(True, busy[0]).run(0, STEPS) == busy[1]


def test_saved_and_restored_at_any_moment_it_goes_on_with_the_same_bits(busy):
    """Into a world just made; and copies go on too.  Saving itself changes nothing."""
    method, states, counts = busy
    changes = [k for k in range(1, STEPS) if counts[k] != counts[k - 1]]
    moments = sorted({k + d for k in changes for d in (0, 1)} & set(range(STEPS - 1)))
    scene = Busy(method=method)
    for k in range(STEPS - 1):
        assert scene.run(k, k + 1) == states[k : k + 1]
        if k in moments:
            scene.act(k + 1)  # not yet taken note of when saved
            fresh, copied = Busy(method=method), copy.deepcopy(scene)
            fresh.world.restore(scene.world.save())
            if k + 1 not in (50, 100):
                for other in (fresh, copied):
                    assert other.run(k + 1, k + 6) == states[k + 1 : k + 6]
            assert len(fresh.world.contacts()) == len(copied.world.contacts())
    assert len(moments) >= 6


def test_forces_come_back_with_a_snapshot(asleep):
    scene = Everything()
    scene.world.restore(asleep.world.save())
    assert scene.world.asleep == scene.world.members
    assert same(readings(scene), readings(asleep))


def test_a_broken_snapshot_is_refused(asleep):
    good = asleep.world.save()
    (_, nap), *_ = good.sleep.naps
    for bad in (replace(good.sleep, rest=good.sleep.rest[1:]), replace(good.sleep, naps=((99, nap),))):
        with pytest.raises(ArgumentError, match="sleep"):
            asleep.world.restore(replace(good, sleep=bad))


def test_a_world_without_sleep_takes_a_snapshot_of_sleepers(asleep):
    other = Everything(False)
    other.world.restore(asleep.world.save())
    assert other.world.asleep == []
    other.world.step(H)


# ------------------------------------------------------- strands, batches, errors


def test_hair_sleeps_with_its_head():
    builder = FigureBuilder("head")
    builder.add("head", None, joint.slider((1, 0, 0)), shapes=(Sphere(0.1),), density=1000.0)
    world = World(settings=Settings(sleep_after=AFTER))
    host = world.add(builder.build())
    host.set_motor(1e4, 1e3)
    down = Pose((0, 0, -0.12), quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))
    hair = Strands(world, host, "head", strand(3), [down])
    hair.set_motor(0.0, 1e-3)
    hair.wind((0, 0, 0), 5.0)
    for _ in range(900):
        world.step(H)
        if host.asleep:
            break
    assert world.asleep == world.members
    q, force = hair.q, hair.force
    world.step(H, steps=20)
    np.testing.assert_array_equal(hair.q, q)
    np.testing.assert_array_equal(hair.force, force)
    assert force[5] == pytest.approx(-9.81 * hair.figure.mass, rel=0.05)
    host.set_target([0.3])
    world.step(H)
    assert world.asleep == []
    world.step(H, steps=30)
    assert hair.q[0, 0] == pytest.approx(host.q[0], abs=1e-12)
    hair.wind((3.0, 0, 0))
    world.step(H, steps=30)
    assert world.asleep == []


def test_worlds_of_a_batch_do_not_sleep(asleep):
    """They do what a world without sleep does; as single worlds they fall asleep again."""
    batch, twin = WorldBatch(asleep.world, 2), Everything(False)
    twin.world.restore(asleep.world.save())
    batch.step(H, steps=20)
    twin.world.step(H, steps=20)
    single = batch.world(1)
    for m, other in zip(single.members, twin.all, strict=True):
        np.testing.assert_allclose(m.q, other.q, rtol=0, atol=1e-6)
    single.step(H, steps=60)
    assert single.asleep == single.members


def test_what_cannot_sleep_is_refused():
    with pytest.raises(ArgumentError, match="islands"):
        Settings(sleep_after=1.0, islands=False)
    with pytest.raises(ArgumentError, match="reduced"):
        World(settings=Settings(sleep_after=1.0), coordinates=Coordinates.MAXIMAL)
    for bad in ({"sleep_after": 0.0}, {"sleep_after": math.nan}, {"sleep_speed": -1.0}, {"sleep_speed": math.inf}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            Settings(**bad)
