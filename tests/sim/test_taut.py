"""What is pulled apart: chains that carry loads, limbs drawn out of their reach; at steps that cannot follow them."""

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, energy, momentum
from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, MassProperties, Pose, State, joint
from hitogata.library import human28
from hitogata.sim import Settings, World

STEPS = [1 / 240, 1 / 60, 1 / 30, 0.1]


def loaded_chain(load: float, links: int = 8) -> Figure:
    """Links of 20 cm and 0.1 kg on ball joints, and a load below."""
    builder, size = FigureBuilder("chain"), 0.2
    mass = Capsule.between((0, 0, 0), (0, 0, -size), 0.02).mass_properties().scaled(0.1)
    for k in range(links):
        place = Pose((0, 0, -size if k else 0.0))
        builder.add(f"link{k}", f"link{k - 1}" if k else None, joint.ball(parent_frame=place), mass)
    bob = MassProperties.principal(load, (0, 0, -0.1), (0.01 * load,) * 3)
    builder.add("load", f"link{links - 1}", joint.ball(parent_frame=Pose((0, 0, -size))), bob)
    return builder.build()


def run(world: World, member, h: float, seconds: float):
    """Total energy after each step, and where the centre of mass is."""
    figure, energies, ways = member.figure, [], []
    for _ in range(round(seconds / h)):
        world.step(h)
        energies.append(member.energy().total)
        ways.append(centre_of_mass(figure, member.q)[0])
    return np.array(energies), np.array(ways)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("load", [1.0, 10.0, 100.0, 1000.0])
def test_chain_with_a_load_swings_on(load, h):
    """Its links would quiver at up to 1000 times per second; the swing must not notice."""
    figure, angle = loaded_chain(load), 0.3
    q = figure.neutral()
    q[:4] = np.cos(angle / 2), 0, np.sin(angle / 2), 0
    world = World()
    member = world.add(figure, State(q, np.zeros(figure.nv)))
    energies, ways = run(world, member, h, 10.0)
    start, lowest = (energy(figure, at, np.zeros(figure.nv)).potential for at in (q, figure.neutral()))
    share = (energies - lowest) / (start - lowest)
    assert share.max() < 1 + 0.4 * h
    assert share[-1] > (0.9 if h < 0.1 else 0.75)
    last, first = (np.abs(part).max() for part in (ways[-round(3 / h) :], ways[: round(3 / h)]))
    assert last == pytest.approx(first, rel=0.03 if h < 0.1 else 0.15)


def test_without_it_the_chain_would_fly_about():
    """Its energy is guarded; but links would rattle, fifty times as fast as they turn."""
    figure, fastest = loaded_chain(10.0), []
    for slow in (False, True):
        world = World(settings=Settings(slow_taut=slow))
        member = world.add(figure, State(figure.neutral(), 0.1 * np.random.default_rng(0).normal(size=figure.nv)))
        speeds = []
        for _ in range(180):
            world.step(1 / 60)
            speeds.append(np.abs(member.v).max())
        fastest.append(max(speeds))
    assert fastest[0] > 20 * fastest[1]


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("stiffness", [3e2, 3e3, 3e5, 1e7])
@pytest.mark.parametrize("beyond", [1.0, 3.0, 10.0])
def test_arm_drawn_out_of_its_reach_comes_to_rest_straight(beyond, stiffness, h):
    """The spring has no damper; what it does across the arm no row holds."""
    builder = FigureBuilder("arm")
    mass = MassProperties.principal(1.0, (0, 0, -0.5), (1e-3,) * 3)
    builder.add("arm", None, joint.ball(damping=0.2), mass, frames=[Frame("hand", Pose((0, 0, -0.5)))])
    world = World()
    member = world.add(builder.build(), State(np.array([np.cos(0.2), np.sin(0.2), 0, 0]), np.array([0.1, 0.2, 0.0])))
    world.add_spring((member, "hand"), (0, 0, -0.5 - beyond), stiffness=stiffness, damping=0.0)
    fastest = 0.0
    for _ in range(round(8 / h)):
        world.step(h)
        fastest = max(fastest, np.abs(member.v).max())
    assert fastest < 1.5 * max(0.5, 0.4 / h, 0.4 * np.sqrt(stiffness * 0.5 * (0.5 + beyond) / 0.25))
    assert np.abs(member.v).max() < 0.1
    assert np.abs(member.q[1:3]).max() < 0.01


@pytest.mark.parametrize("h", STEPS)
def test_hand_dragged_from_far_away(h):
    """A free human on the ground, a hand pulled at by a point 5 m off, and let go."""
    world = World()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(200.0, 20.0)
    drag = world.add_spring((human, "forearm_left"), (5.0, 0.0, 3.0), stiffness=2000.0, damping=20.0)
    fastest = 0.0
    for _ in range(round(3 / h)):
        world.step(h)
        fastest = max(fastest, np.abs(human.v).max())
    assert fastest < 60.0  # 10 kJ in 69 kg: 17 m/s, and hands on half a metre of arm
    world.remove_tie(drag)
    world.step(h, steps=round(5 / h))
    assert np.abs(human.v).max() < 2.0


@pytest.mark.parametrize("h", [1 / 240, 1 / 60])
def test_resolved_motion_is_left_alone(h):
    """Bit for bit, where steps can follow."""
    ends = []
    for slow in (False, True):
        world = World(settings=Settings(slow_taut=slow))
        world.add_ground()
        v = np.concatenate([[1.0, 3.0, 0.5, 1.0, 0.0, 3.0], 2.0 * np.random.default_rng(1).normal(size=28)])
        human = world.add(human28(), State(human28().neutral(), v))
        world.add_spring((human, "forearm_left"), (1.0, 0.0, 2.0), stiffness=300.0, damping=3.0)
        world.step(h, steps=round(0.5 / h))
        ends.append(human.q)
    assert np.array_equal(*ends)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(("stiffness", "drift"), [(1e3, 0.03), (1e4, 0.06)])
def test_momentum_of_a_figure_with_springs_between_its_links_in_flight(stiffness, drift, slow):
    """Stretched far: they draw it together, but make it neither fly nor turn; 2 s at 1/60 s."""
    figure = human28()
    v = np.concatenate([[1.0, 2.0, 0.5, 1.0, 0.0, 0.0], np.zeros(28)])
    world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(slow_taut=slow))
    human = world.add(figure, State(figure.neutral(), v))
    for a, b in (("forearm_left", "forearm_right"), ("foot_left", "foot_right"), ("head", "thigh_left")):
        world.add_spring((human, a), (human, b), stiffness=stiffness, damping=10.0)
    start = momentum(figure, human.q, v)
    for _ in range(120):
        world.step(1 / 60)
        now = momentum(figure, human.q, human.v)
        np.testing.assert_allclose(now[3:], start[3:], rtol=0, atol=1e-10 * np.linalg.norm(start[3:]))
        assert np.linalg.norm(now[:3] - start[:3]) < drift * np.linalg.norm(start[:3])
