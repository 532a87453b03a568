"""Assembly of figures whose joints follow functions, against their dense equations: random trees, random orders."""

import numpy as np
import pytest

from hitogata.dynamics import Method, forward_dynamics, joint_reactions
from hitogata.dynamics.assembly import CostModel, Schedule, assemble_in_order, plan, topology_of
from hitogata.dynamics.assembly.program import write_program
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure, FigureBuilder, JointKind, MassProperties, Pose, joint
from hitogata.figure.joint import Joint
from hitogata.figure.mechanism import JointStep, Linear, MultivariatePolynomial, Polynomial, Scaled, Sine
from tests.dynamics.test_assembly import off, random_order, state
from tests.dynamics.test_function_joints import leg


def random_pose(rng: np.random.Generator) -> Pose:
    quat = rng.normal(size=4)
    return Pose(tuple(rng.uniform(-0.3, 0.3, 3)), tuple(quat / np.linalg.norm(quat)))


def random_function(rng: np.random.Generator, arguments: int):
    if arguments == 1:
        a, b, c = rng.normal(size=3)
        return (Linear((a, b)), Polynomial((0.3 * a, b, 0.2 * c)), Scaled(Sine(), a))[rng.integers(3)]
    terms = rng.normal(size=sum(i + j <= 2 for i in range(3) for j in range(3)))
    return MultivariatePolynomial(tuple(terms), 2, 2)


def following(rng: np.random.Generator, links: int) -> Figure:
    """A tree of which every other joint follows its own coordinates and those of other joints, hinges' too."""
    builder, known = FigureBuilder("following"), []
    for i in range(links):
        parent = f"link{max(0, i - 1 - int(rng.exponential(1.0)))}" if i else None
        own = tuple(f"c{i}_{k}" for k in range(rng.integers(0, 3)))
        steps = []
        for k in range(int(rng.integers(1, 5))):
            axis = rng.normal(size=3)
            names = [*own[k % len(own) : k % len(own) + 1]] if own else []
            if known and (not names or rng.random() < 0.4):
                names.append(str(rng.choice([x for x in known if x not in names])))
            if names:
                function = random_function(rng, len(names))
                steps.append(JointStep(bool(rng.integers(2)), tuple(axis / np.linalg.norm(axis)), function,
                                       tuple(names), tuple(rng.uniform(-0.1, 0.1, 3))))  # fmt: skip
        gear, slow = rng.uniform(0.02, 0.2), rng.uniform(0.1, 1.0)
        if i and steps and rng.random() < 0.5:
            hung = joint.function(own, tuple(steps), name=f"joint{i}", armature=gear, damping=slow)
            known += own
        elif i == 0 or rng.random() < 0.6:
            kind = (JointKind.FREE, JointKind.FIXED, JointKind.BALL)[rng.integers(3)] if i == 0 else JointKind.HINGE
            axis = tuple(rng.normal(size=3))
            free = kind in (JointKind.FREE, JointKind.FIXED)
            hung = Joint(kind, random_pose(rng), random_pose(rng), axis=axis, name=f"joint{i}",
                         armature=0.0 if free else gear, damping=0.0 if free else slow)  # fmt: skip
            known += [f"joint{i}"] if kind is JointKind.HINGE else []
        else:
            hung = Joint(JointKind.BALL, random_pose(rng), name=f"joint{i}")
        mass, spread = rng.uniform(0.5, 2.0), rng.uniform(0.03, 0.06, 3)
        builder.add(f"link{i}", parent, hung, MassProperties.principal(mass, rng.uniform(-0.1, 0.1, 3), spread))
    return builder.build()


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    figure = following(rng, 6 + seed)
    for own in range(2):
        q, v, tau, wrenches = state(figure, 10 * seed + own)
        given = {"wrenches": wrenches, "gravity": (1.0, -2.0, 3.0)}
        wanted = forward_dynamics(figure, q, v, tau, method=Method.RECURSION, **given)
        found = forward_dynamics(figure, q, v, tau, **given)
        assert off(found, wanted) < 1e-10
        assert found.tobytes() == forward_dynamics(figure, q, v, tau, method=Method.ASSEMBLY, **given).tobytes()
        reactions = joint_reactions(figure, q, v, wanted, **given)
        orders = [plan(figure, processors=None, costs=CostModel(message=0.0))]
        orders += [Schedule(topology_of(figure), random_order(figure, rng)) for _ in range(2)]
        for schedule in orders:
            vdot, carried = assemble_in_order(figure, schedule, q, v, tau, **given)
            assert off(vdot, wanted) < 1e-10
            assert off(carried, reactions) < 1e-10


def test_there_are_coordinates_that_move_joints_far_apart():
    """Else the test above would say little."""
    counts = [max(topology_of(following(np.random.default_rng(s), 6 + s)).joints_moved, default=0) for s in range(12)]
    assert sum(c > 2 for c in counts) >= 8


def test_interfaces_are_those_of_the_plan():
    """What costs are counted with is what the program lays out."""
    for seed in range(6):
        figure, rng = following(np.random.default_rng(seed), 14), np.random.default_rng(seed)
        bodies = len(topology_of(figure))
        ends = [tuple(map(int, rng.choice(bodies, 2, replace=False))) for _ in range(3)] if seed % 2 else []
        schedule = Schedule(topology_of(figure), random_order(figure, rng), tuple(ends))
        sizes = write_program(schedule.tree, schedule.order, schedule.ends).sizes
        assert sizes[-1] == 0
        nodes = schedule.nodes
        for k in range(len(schedule) - 1):
            if nodes.upper[k] >= 0:
                assert nodes.above[k] == sizes[nodes.upper[k]] - 6


def test_bad_input():
    figure = leg()
    q, v, tau, _ = state(figure, 0)
    with pytest.raises(ArgumentError, match="segments do not take; use ASSEMBLY"):
        forward_dynamics(figure, q, v, tau, method=Method.SEGMENTS)
    with pytest.raises(ArgumentError, match=r"v\[3\] is nan \(joint 'tibiofemoral'\)"):
        forward_dynamics(figure, q, np.where(np.arange(5) == 3, np.nan, v), tau)
    builder = FigureBuilder("stuck")
    still = JointStep(True, (0.0, 0.0, 1.0), Polynomial((1.0, 0.0, 0.0)), ("turn",))  # q²: no slope at 0
    body = MassProperties.principal(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01))
    builder.add("body", None, joint.function(("turn",), (still,), name="turn"), body)
    stuck = builder.build()
    with pytest.raises(HitogataError, match="singular in this pose"):
        forward_dynamics(stuck, [0.0], [1.0])
    assert np.isfinite(forward_dynamics(stuck, [0.5], [1.0])).all()
