"""Assembly and segments against the articulated-body recursion: all joint kinds, all shapes of trees, any order."""

import itertools
import time

import numpy as np
import pytest

from hitogata.dynamics import forward_dynamics, inverse_dynamics, joint_reactions, mass_matrix
from hitogata.dynamics.assembly import UNIT, Method, Schedule, assemble_in_order, pays, plan, topology_of
from hitogata.dynamics.assembly.plans import cut_order
from hitogata.dynamics.assembly.segment_runner import runner_for
from hitogata.dynamics.assembly.segment_sweeps import AWAKE
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import Capsule, Figure, FigureBuilder, Joint, JointKind, MassProperties, Pose
from hitogata.figure.joint import Screw
from hitogata.library import chain, human40
from tests.peers.builders import random_figure

ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


def state(figure: Figure, seed: int):
    rng = np.random.default_rng(seed)
    q = figure.random(rng, spread=0.7)
    return q, *rng.normal(size=(2, figure.nv)), rng.normal(size=(figure.nlinks, 6))


def off(found, wanted) -> float:
    """Greatest difference, relative to the greatest number."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def random_order(figure: Figure, rng: np.random.Generator) -> tuple[int, ...]:
    """Joints in any order, but for light bodies, whose children come first."""
    tree, order, seen = topology_of(figure), [], set()

    def add(joint: int) -> None:
        if joint in seen:
            return
        seen.add(joint)
        if tree.light[joint]:
            for child in tree.children[joint]:
                add(child)
        order.append(joint)

    for joint in rng.permutation(np.arange(1, len(tree))).tolist():
        add(joint)
    return tuple(order)


def branched(parents: list[int], kind: JointKind = JointKind.HINGE) -> Figure:
    """Equal capsules on a tree of any shape."""
    builder = FigureBuilder("branched")
    shape = Capsule.between((0, 0, 0), (0, 0, -0.2), 0.03)
    for i, parent in enumerate(parents):
        axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
        joint = Joint(kind, Pose((0, 0.01 * (i % 3), -0.2 if i else 0.0)), axis=axes[i % 2], axis2=axes[(i + 1) % 2])
        builder.add(f"link{i}", f"link{parent}" if i else None, joint, shape.mass_properties().scaled(1.0))
    return builder.build()


def screwed(rng: np.random.Generator, links: int) -> Figure:
    """A tree of screws and of joints of one to five screws, at any angle, with damping and armature."""
    builder = FigureBuilder("screwed")
    for i in range(links):
        turns = [(1.0, 0.0), (0.0, 1.0), (float(rng.uniform(0.3, 2)), float(rng.uniform(-0.2, 0.2)))]
        axes = rng.normal(size=(int(rng.integers(1, 6)), 3))
        motions = tuple(
            Screw(tuple(axis / np.linalg.norm(axis)), *turns[rng.integers(3)], Pose(tuple(rng.uniform(-0.1, 0.1, 3))))
            for axis in axes
        )
        gear, slow = rng.uniform(0, 0.1), rng.uniform(0, 1)
        if rng.random() < 0.3:
            hung = Joint(JointKind.SCREW, Pose((0, 0, -0.1)), axis=tuple(axes[0]), pitch=0.05, damping=slow)
        else:
            hung = Joint(JointKind.COMPOUND, Pose((0.1, 0, -0.1)), motions=motions, damping=slow, armature=gear)
        body = MassProperties(rng.uniform(0.5, 2.0), (0.05, 0.02, -0.1), (0.05, 0.06, 0.04, 0.0, 0.0, 0.0))
        builder.add(f"link{i}", f"link{max(0, i - 1 - int(rng.exponential(1)))}" if i else None, hung, body)
    return builder.build()


SHAPES = {
    "star": [-1] + [0] * 40,
    "comb": [-1] + [i - 1 if i % 2 else max(i - 2, 0) for i in range(1, 64)],
    "binary": [-1] + [(i - 1) // 2 for i in range(1, 63)],
    "long arms": [-1] + [0 if i % 30 == 1 else i - 1 for i in range(1, 91)],
}


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_of_all_kinds(seed):
    figure = random_figure(np.random.default_rng(seed), 12 + 2 * seed, root=ROOTS[seed % len(ROOTS)])
    q, v, tau, wrenches = state(figure, seed)
    wanted = forward_dynamics(figure, q, v, tau, wrenches=wrenches, method=Method.RECURSION)
    for method in (Method.SEGMENTS, Method.ASSEMBLY):
        assert off(forward_dynamics(figure, q, v, tau, wrenches=wrenches, method=method), wanted) < 1e-10
    rng = np.random.default_rng(seed)
    for _ in range(2):
        schedule = Schedule(topology_of(figure), random_order(figure, rng))
        vdot, reactions = assemble_in_order(figure, schedule, q, v, tau, wrenches=wrenches)
        assert off(vdot, wanted) < 1e-10
        assert off(reactions, joint_reactions(figure, q, v, wanted, wrenches=wrenches)) < 1e-10


@pytest.mark.parametrize("seed", range(8))
def test_joints_of_several_screws(seed):
    rng = np.random.default_rng(seed)
    figure = screwed(rng, 4 + 3 * seed)
    q, v, tau, wrenches = state(figure, seed)
    wanted = forward_dynamics(figure, q, v, tau, wrenches=wrenches, method=Method.RECURSION)
    M, held = mass_matrix(figure, q), inverse_dynamics(figure, q, v, np.zeros(figure.nv), wrenches=wrenches)
    assert off(wanted, np.linalg.solve(M, tau - held)) < 1e-9
    for method in (Method.SEGMENTS, Method.ASSEMBLY):
        assert off(forward_dynamics(figure, q, v, tau, wrenches=wrenches, method=method), wanted) < 1e-10
    schedule = Schedule(topology_of(figure), random_order(figure, rng))
    assert off(assemble_in_order(figure, schedule, q, v, tau, wrenches=wrenches)[0], wanted) < 1e-10


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [JointKind.HINGE, JointKind.BALL, JointKind.SLIDER])
def test_shapes_of_trees(shape, kind):
    figure = branched(SHAPES[shape], kind)
    q, v, tau, _ = state(figure, 1)
    wanted = forward_dynamics(figure, q, v, tau, method=Method.RECURSION)
    assert off(forward_dynamics(figure, q, v, tau, method=Method.SEGMENTS), wanted) < 1e-10
    vdot, _ = assemble_in_order(figure, plan(figure, processors=None), q, v, tau)
    assert off(vdot, wanted) < 1e-10


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 256, 1024])
def test_chains_lose_no_digits(n):
    for free in (False, True):
        figure = chain(n, free_base=free)
        q, v, tau, _ = state(figure, n)
        wanted = forward_dynamics(figure, q, v, tau, method=Method.RECURSION)
        for method in (Method.SEGMENTS, Method.ASSEMBLY):
            assert off(forward_dynamics(figure, q, v, tau, method=method), wanted) < (1e-10 if n < 1024 else 1e-9)
    if n > 2:  # pieces of one body, merged in pairs: the deepest order
        tree = topology_of(figure)
        vdot, _ = assemble_in_order(figure, Schedule(tree, tuple(cut_order(tree, 1, UNIT))), q, v, tau)
        assert off(vdot, wanted) < (1e-10 if n < 1024 else 1e-9)


def test_every_order_of_a_small_tree():
    figure = random_figure(np.random.default_rng(5), 9, root=JointKind.HINGE, fixed_links=False)
    q, v, tau, _ = state(figure, 3)
    tree, wanted, tried = topology_of(figure), forward_dynamics(figure, q, v, tau), 0
    for order in itertools.permutations(range(1, len(tree))):
        try:
            schedule = Schedule(tree, order)
        except ArgumentError:
            continue  # a light body before its children
        tried += 1
        assert off(assemble_in_order(figure, schedule, q, v, tau)[0], wanted) < 1e-11
    assert tried > 20


def test_a_body_far_heavier_than_the_next():
    """Masses from 1e-4 to 1e4 kg along a chain; light ones are recognised and not left alone."""
    builder = FigureBuilder("uneven")
    rng = np.random.default_rng(2)
    for i in range(40):
        size = 10.0 ** rng.uniform(-8, 1)
        body = MassProperties(10.0 ** rng.uniform(-4, 4), (0, 0, -0.1), (2 * size, 2 * size, size, 0, 0, 0))
        axis = rng.normal(size=3)
        builder.add(f"l{i}", f"l{i - 1}" if i else None, Joint(JointKind.HINGE, Pose((0, 0, -0.2)), axis=axis), body)
    figure = builder.build()
    q, v, tau, _ = state(figure, 1)
    wanted = forward_dynamics(figure, q, v, tau, method=Method.RECURSION)
    for method in (Method.SEGMENTS, Method.ASSEMBLY):
        assert off(forward_dynamics(figure, q, v, tau, method=method), wanted) < 1e-9


def test_threads_change_no_bit():
    """Also while a helper is awake; it sleeps when nothing comes."""
    figure = chain(600)
    q, v, tau, _ = state(figure, 0)
    runner = runner_for(figure, 2)
    alone = forward_dynamics(figure, q, v, tau, method=Method.SEGMENTS, threads=2)
    runner.run(q, v, tau, np.zeros(0), (0.0, 0.0, -9.81), np.empty(600))
    helped, until = 0, time.monotonic() + 20
    while helped < 50 and time.monotonic() < until:
        found = forward_dynamics(figure, q, v, tau, method=Method.SEGMENTS, threads=2)
        helped += int(runner.control[AWAKE] > 0)
        assert found.tobytes() == alone.tobytes()
    assert helped >= 50
    until = time.monotonic() + 20
    while runner.control[AWAKE] and time.monotonic() < until:
        time.sleep(0.01)
    assert runner.control[AWAKE] == 0


def test_auto_takes_segments_only_where_they_pay():
    assert not pays(chain(30))
    assert not pays(human40())
    assert pays(chain(512))
    for figure, method in ((chain(30), Method.RECURSION), (chain(512), Method.SEGMENTS)):
        q, v, tau, _ = state(figure, 4)
        named = forward_dynamics(figure, q, v, tau, method=method)
        assert forward_dynamics(figure, q, v, tau).tobytes() == named.tobytes()


def test_gravity_and_out():
    figure = chain(100)
    q, v, tau, _ = state(figure, 0)
    pull, out = (1.0, -2.0, 3.0), np.empty(100)
    wanted = forward_dynamics(figure, q, v, tau, gravity=pull, method=Method.RECURSION)
    for method in (Method.SEGMENTS, Method.ASSEMBLY):
        assert forward_dynamics(figure, q, v, tau, gravity=pull, method=method, out=out) is out
        assert off(out, wanted) < 1e-11


def test_bad_input():
    figure = chain(60)
    q, v, tau, wrenches = state(figure, 0)
    for method in (Method.SEGMENTS, Method.ASSEMBLY):
        with pytest.raises(ArgumentError, match="one state"):
            forward_dynamics(figure, np.array([q, q]), v, tau, method=method)
        with pytest.raises(ArgumentError, match=r"v\[3\] is nan \(joint 'link3'\)"):
            forward_dynamics(figure, q, np.where(np.arange(60) == 3, np.nan, v), tau, method=method)
        wrong = wrenches.copy()
        wrong[5, 2] = np.inf
        with pytest.raises(ArgumentError, match=r"wrenches\[5, 2\] is inf \(link 'link5'\)"):
            forward_dynamics(figure, q, v, tau, wrenches=wrong, method=method)
        with pytest.raises(ArgumentError, match="expected shape"):
            forward_dynamics(figure, q[:-1], v, tau, method=method)
    with pytest.raises(ArgumentError, match="expected a Method"):
        forward_dynamics(figure, q, v, tau, method="segments")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="not one of figure"):
        assemble_in_order(figure, plan(chain(3)), q, v)


def test_a_joint_that_moves_no_mass_is_named():
    builder = FigureBuilder("thin")
    needle = MassProperties(1.0, (0, 0, -0.1), (0.1, 0.1, 0.0, 0, 0, 0))
    builder.add("bar", None, Joint(JointKind.HINGE, axis=(1, 0, 0)), needle)
    builder.add("needle", "bar", Joint(JointKind.HINGE, axis=(0, 0, 1), name="spin"), needle)
    with pytest.raises(FigureError, match="link 'needle'"):
        builder.build()
    builder = FigureBuilder("thin")
    bar = MassProperties(1.0, (0, 0, -0.1), (0.1, 0.1, 0.1, 0, 0, 0))
    builder.add("bar", None, Joint(JointKind.HINGE, axis=(1, 0, 0)), bar)
    light = MassProperties(1.0, (0, 0, -0.1), (0.1, 0.1, 1e-9, 0, 0, 0))
    builder.add("needle", "bar", Joint(JointKind.HINGE, axis=(0, 0, 1), name="spin"), light)
    builder.add("weight", "needle", Joint(JointKind.HINGE, Pose((0.3, 0, 0)), axis=(0, 1, 0)), bar)
    tree = topology_of(builder.build())
    with pytest.raises(ArgumentError, match=r"joint 'spin' \(body 1\) would be added while nothing with mass"):
        Schedule(tree, (1, 2))
    assert plan(builder.build(), processors=None).order == (2, 1)
