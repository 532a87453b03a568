"""Muscles that drive: tensions as elsewhere, activations as their equation, muscles against fine steps."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.dynamics import bias, difference, frame_position, integrate, mass_matrix
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, FigureBuilder, MassProperties, joint
from hitogata.muscle import (
    ForceOptions,
    LiveForces,
    Muscle,
    MuscleDrive,
    MuscleSet,
    Path,
    PathPoint,
    activation_rate,
    ligament_forces,
    musculoskeletal,
    musculoskeletal_arm,
    rigid_tendon_forces,
    wire_geometry,
)
from hitogata.muscle.bodies import skeleton_of
from hitogata.sim import World, WorldBatch

ARM = musculoskeletal_arm()
H = 1 / 240


def _in_world(muscles: MuscleSet, **options: float) -> tuple[World, MuscleDrive]:
    world = World()
    return world, MuscleDrive(muscles, world.add(muscles.body, mask=0), **options)


def test_pulls_as_lengths_and_speeds_say() -> None:
    _, drive = _in_world(ARM)
    rng = np.random.default_rng(2)
    q = integrate(ARM.body, ARM.body.neutral(), 0.2 * rng.normal(size=ARM.body.nv))
    v = rng.normal(size=ARM.body.nv)
    drive._member.state = replace(drive._member.state, q=q, v=v)
    drive.activation = rng.uniform(0.1, 1.0, 59)
    drive.act(rng.uniform(size=59), H)
    geometry = wire_geometry(ARM, q)
    speeds = geometry.lengthening_speeds(drive._member.v)
    able = rigid_tendon_forces(ARM, geometry.lengths, speeds)
    expected = np.concatenate([able.at(drive.activation), ligament_forces(ARM, geometry.lengths, speeds)])
    assert drive.tension == pytest.approx(expected, rel=1e-5, abs=2e-3)  # curves are tables: 4096 entries
    # the push is -Jᵀ of the tensions, and of what they gain as they go on for a step
    d = 1e-6
    ahead, behind = (
        np.concatenate([rigid_tendon_forces(ARM, at, speeds).at(drive.activation), ligament_forces(ARM, at, speeds)])
        for at in (geometry.lengths + d, geometry.lengths - d)
    )
    gained = H * np.maximum((ahead - behind) / (2 * d), 0.0) * speeds
    push = -geometry.jacobian.T @ (expected + gained)
    assert drive._push[0] == pytest.approx(push, abs=0.02)


def test_dampers_are_enough() -> None:
    """D - Jᵀ b J, with b found by differences of tensions, has no negative eigenvalue."""
    _, drive = _in_world(ARM)
    drive.activation = np.full(59, 0.7)
    member = drive._member
    drive.act(np.full(59, 0.7), H)
    D = np.diag(drive._damping[0])
    geometry = wire_geometry(ARM, member.q)

    def pull(speeds: np.ndarray) -> np.ndarray:
        return rigid_tendon_forces(ARM, geometry.lengths, speeds).at(drive.activation)

    speed = 1e-4
    rising = (pull(np.full(len(ARM.wires), speed)) - pull(np.full(len(ARM.wires), -speed))) / (2 * speed)
    J = geometry.jacobian[:59]
    assert np.linalg.eigvalsh(D - J.T @ (rising[:, None] * J)).min() > -1e-6
    assert rising.min() >= 0


def test_activations_follow_their_equation() -> None:
    _, drive = _in_world(ARM)
    drive.activation = np.full(59, 0.3)
    u = np.linspace(0.0, 1.0, 59)
    a = np.full(59, 0.3)
    for _ in range(2000):
        a += 1e-4 * activation_rate(ARM, a, u)
    for _ in range(200):
        drive.act(u, 1e-3)
    assert drive.activation == pytest.approx(a, abs=5e-4)
    for h in (1e-3, 0.1):
        wanted = drive.activation + 0.001
        drive.act(drive.excitation_for(wanted, h), h)
        inside = (wanted > 0.05) & (wanted < 0.95)
        assert drive.activation[inside] == pytest.approx(wanted[inside], abs=1e-9)


def _block() -> MuscleSet:
    builder = FigureBuilder("block")
    mass = MassProperties.principal(2.0, (0, 0, 0), (0.01, 0.01, 0.01))
    builder.add("block", None, joint.slider((1.0, 0.0, 0.0)), mass)
    ends = Path((PathPoint(None, (-0.3, 0.0, 0.0)), PathPoint("block", (0.0, 0.0, 0.0))))
    other = Path((PathPoint(None, (0.3, 0.0, 0.0)), PathPoint("block", (0.0, 0.0, 0.0))))
    options = {"max_force": 300.0, "fibre_length": 0.1, "slack_length": 0.2, "rigid_tendon": True}
    return MuscleSet("block", builder.build(), (Muscle("left", ends, **options), Muscle("right", other, **options)))  # type: ignore[arg-type]


def _fine(muscles: MuscleSet, u: np.ndarray) -> float:
    """Where the block is after 0.4 s, by steps of 50 microseconds."""
    x, v, a, fine = 0.0, 0.0, np.full(2, 0.01), 5e-5
    for _ in range(8000):
        a += fine * activation_rate(muscles, a, u)
        f = rigid_tendon_forces(muscles, np.array([0.3 + x, 0.3 - x]), np.array([v, -v])).at(a)
        v += fine * (f[1] - f[0]) / 2.0
        x += fine * v
    return x


def test_a_block_between_two_muscles() -> None:
    """Beside much finer steps: the error falls with h, and 1/30 s is still stable."""
    muscles, u = _block(), np.array([0.2, 0.6])
    x = _fine(muscles, u)
    assert x > 0.02
    for h, error in ((1 / 1000, 2e-4), (1 / 240, 1e-3), (1 / 30, 8e-3)):
        world = World(gravity=(0.0, 0.0, 0.0))
        drive = MuscleDrive(muscles, world.add(muscles.body))
        for _ in range(round(0.4 / h)):
            drive.act(u, h)
            world.step(h)
        assert drive._member.q[0] == pytest.approx(x, abs=error)


def test_the_body_stands_falls_and_lies() -> None:
    """Ten seconds at 1/240 s with a little tone: it goes down, and nothing is ever without bounds."""
    body = musculoskeletal()  # its knees follow functions
    world = World()
    world.add_ground()
    human = world.add(body.body)
    drive = MuscleDrive(body, human, damping=0.5)
    height, fastest = human.q[2], 0.0
    for k in range(2400):
        drive.act(np.full(366, 0.02), H)
        world.step(H)
        if k == 24:
            assert human.q[2] > 0.9 * height  # falls, and is not thrown
        if k > 240:
            fastest = max(fastest, float(np.abs(human.v).max()))
    assert np.isfinite(human.q).all()
    assert 0.0 < human.q[2] < 0.4
    assert fastest < 100.0
    assert np.abs(human.v[:6]).max() < 2.0


def test_no_bones_touch_in_the_neutral_pose() -> None:
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add(musculoskeletal().body)
    world.step(1e-4)
    assert all(contact.gap > 1e-3 for contact in world.contacts())


def test_an_arm_lifts_two_kilograms() -> None:
    """Excitations by the QP in closed loop: computed torques of a posture in which the hand is at its target."""
    hand = ARM.body.links[-1]
    load, grip = 2.0, np.array([0.03, -0.01, -0.09])
    whole = hand.mass.mass + load
    centre = (hand.mass.mass * np.array(hand.mass.centre) + load * grip) / whole
    heavy = replace(hand, mass=MassProperties.principal(whole, centre.tolist(), [0.004] * 3))
    arm = replace(ARM, body=Figure("loaded_arm", (*ARM.body.links[:-1], heavy)))
    figure, places = arm.body, skeleton_of(arm.body).values
    rest, goal = np.array(figure.neutral()), np.array(figure.neutral())
    goal[places["elbow_r"]], goal[places["forearm_r"]] = 1.5, 1.0
    goal[figure.q_slice("humerus_r")] = [np.cos(0.175), 0.0, -np.sin(0.175), 0.0]
    target = frame_position(figure, goal, "hand_r")
    world, drive = _in_world(arm, damping=0.2)
    live, member, fast = LiveForces(arm, ForceOptions(with_supports=False)), drive._member, 12.0
    missed = []
    for k in range(720):
        part = min(1.0, k / 240)
        wanted = integrate(figure, rest, difference(figure, rest, goal) * part * part * (3 - 2 * part))
        asked = fast**2 * difference(figure, member.q, wanted) - 2 * fast * member.v
        found = live(member.q, member.v, mass_matrix(figure, member.q) @ asked + bias(figure, member.q, member.v))
        drive.act(drive.excitation_for(found.activation, H), H)
        world.step(H)
        missed.append(float(np.linalg.norm(frame_position(figure, member.q, "hand_r") - target)))
    assert target[2] - frame_position(figure, rest, "hand_r")[2] > 0.35
    assert max(missed[-120:]) < 0.03


def test_worlds_of_a_batch_are_as_single_ones() -> None:
    world = World()
    member = world.add(ARM.body, mask=0)
    batch = WorldBatch(world, 3)
    single, many = MuscleDrive(ARM, member), MuscleDrive(ARM, batch.member(member))
    u = np.random.default_rng(0).uniform(0, 0.3, (3, 59))
    for _ in range(5):
        single.act(u[1], H)
        world.step(H)
        many.act(u, H)
        batch.step(H)
    assert batch.member(member).q[1] == pytest.approx(member.q, abs=1e-9)
    assert many.activation[1] == pytest.approx(single.activation, abs=1e-12)
    assert np.abs(batch.member(member).q[0] - member.q).max() > 1e-4


def test_what_is_refused() -> None:
    world, drive = _in_world(ARM)
    before = drive.activation.copy()
    with pytest.raises(ArgumentError, match="59 finite numbers"):
        drive.act(np.zeros(58), H)
    with pytest.raises(ArgumentError, match="59 finite numbers"):
        drive.act(np.full(59, np.nan), H)
    with pytest.raises(ArgumentError, match="h must be positive"):
        drive.act(np.zeros(59), 0.0)
    with pytest.raises(ArgumentError, match="finite"):
        drive.activation = np.full(59, np.nan)
    assert (drive.activation == before).all()
    with pytest.raises(ArgumentError, match="are not on 'block'"):
        MuscleDrive(ARM, world.add(_block().body))
    with pytest.raises(ArgumentError, match="0 or more"):
        MuscleDrive(ARM, drive._member, damping=-1.0)
