"""A small scene in maximal coordinates against a dense complementarity problem set up by hand, and solved directly."""

import numpy as np
import pytest

from hitogata.figure import Figure, FigureBuilder, Frame, MassProperties, Pose, State, joint
from hitogata.sim import Coordinates, Settings, World
from hitogata.solve import Problem, direct

H, G = 0.05, np.array([0.0, 0.0, -9.81])
THETA, SHARE = 0.7, 0.2
SPRING, DAMPER, TARGET, RATE, ARMATURE, FRICTION = 40.0, 1.5, 0.2, 0.7, 0.05, 0.3
WALL_K, WALL_D, LOW = 2e3, 15.0, -0.1
ROPE_K, ROPE_D, ROPE, ANCHOR = 300.0, 20.0, 1.05, np.array([-0.8, 0.3, 2.2])


def arm() -> Figure:
    """A hinge on the world with motor, rotor, friction and a limit, and a forearm on a ball joint."""
    builder = FigureBuilder("arm")
    upper = MassProperties.principal(2.0, (0.1, 0.05, -0.2), (0.03, 0.02, 0.01))
    lower = MassProperties.principal(1.0, (0, 0.02, -0.15), (0.008, 0.01, 0.004))
    hinge = joint.hinge(
        axis=(0, 1, 0), range=(LOW, 2.0), parent_frame=Pose((0, 0, 2)), armature=ARMATURE, damping=FRICTION
    )
    builder.add("upper", None, hinge, upper)
    builder.add(
        "lower", "upper", joint.ball(parent_frame=Pose((0, 0, -0.4))), lower, frames=[Frame("tip", Pose((0, 0, -0.3)))]
    )
    return builder.build()


def about_y(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def skew(r: np.ndarray) -> np.ndarray:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def wall(gap: float, k: float, d: float) -> tuple[float, float]:
    """Softness and bias of a compliant one-sided row."""
    return 1 / (H * (d + H * k)), k * gap / (d + H * k)


def damper_of(k: float, d: float) -> float:
    return max(d + (2 * THETA - 1) * H * k, THETA * H * k)


def by_hand(angle: float, speed: float, masses: tuple[MassProperties, MassProperties]):
    """Velocities [ω; v of the centre] of both bodies, and impulses of all rows."""
    turn = about_y(angle)  # of both links: the ball joint is straight
    root, elbow = np.array([0, 0, 2.0]), np.array([0, 0, 2.0]) + turn @ [0, 0, -0.4]
    tip, axis = elbow + turn @ [0, 0, -0.3], np.array([0.0, 1, 0])
    centres = [p + turn @ m.centre for p, m in zip((root, elbow), masses, strict=True)]
    mass, start = np.zeros((12, 12)), np.zeros(12)
    for k, m in enumerate(masses):
        inertia, spin = turn @ m.matrix @ turn.T, axis * speed
        ang, lin = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        mass[ang, ang], mass[lin, lin] = inertia, m.mass * np.eye(3)
        # ω without torque for a step: one Newton step of I ω⁺ + h ω⁺ × I ω⁺ = I ω, from ω
        tangent = inertia + H * (skew(spin) @ inertia - skew(inertia @ spin))
        start[ang] = spin - np.linalg.solve(tangent, H * np.cross(spin, inertia @ spin))
        start[lin] = np.cross(spin, centres[k] - root) + H * G

    def at(body: int, point: np.ndarray) -> np.ndarray:
        """Rows: velocity of a point of a body."""
        rows = np.zeros((3, 12))
        rows[:, 6 * body : 6 * body + 3], rows[:, 6 * body + 3 : 6 * body + 6] = -skew(point - centres[body]), np.eye(3)
        return rows

    def turning(body: int, direction) -> np.ndarray:
        row = np.zeros((1, 12))
        row[0, 6 * body : 6 * body + 3] = direction
        return row

    stiff = H * damper_of(SPRING, DAMPER + FRICTION) + ARMATURE
    pull = H * SPRING * (angle - TARGET) - ARMATURE * speed
    pull -= H * (damper_of(SPRING, DAMPER + FRICTION) - FRICTION) * RATE
    wall_soft, wall_bias = wall(angle - LOW, WALL_K, WALL_D)
    reach = tip - ANCHOR
    inward = -reach / np.linalg.norm(reach)
    rope_damper = ROPE_D + H * ROPE_K
    rope_bias = (ROPE - np.linalg.norm(reach)) * ROPE_K / rope_damper
    jacobian = np.concatenate([
        at(0, root), turning(0, [1, 0, 0]), turning(0, [0, 0, 1]),                  # the hinge
        at(1, elbow) - at(0, elbow),                                                # the ball joint
        turning(0, axis),                                                           # its motor, friction and rotor
        turning(0, axis),                                                           # its limit
        inward[None] @ at(1, tip),                                                  # the rope
    ])  # fmt: skip
    soft = np.array([*[0.0] * 8, 1 / stiff, wall_soft, 1 / (H * rope_damper)])
    bias = np.array([*[0.0] * 8, pull / stiff, wall_bias, rope_bias])
    reply = np.linalg.solve(mass, jacobian.T)
    low = np.array([*[-np.inf] * 9, 0.0, 0.0])
    solution = direct(Problem(jacobian @ reply + np.diag(soft), jacobian @ start + bias, low, np.inf))
    assert solution.converged
    return start + reply @ solution.lam, solution.lam


@pytest.mark.parametrize(("angle", "speed"), [(-0.15, -4.0), (0.3, 0.4)])
def test_arm_with_motor_rotor_limit_and_rope(angle, speed):
    figure = arm()
    velocity, impulse = by_hand(angle, speed, (figure.links[0].mass, figure.links[1].mass))
    settings = Settings(
        sweeps=20000, tolerance=1e-14, theta=THETA, joint_correction=SHARE, keep_energy=False, longest_fast_step=np.inf
    )
    world = World(settings=settings, coordinates=Coordinates.MAXIMAL)
    start = State(np.array([angle, 1.0, 0, 0, 0]), np.array([speed, 0, 0, 0]))
    member = world.add(figure, start)
    member.set_motor(SPRING, DAMPER, ["upper"])
    member.set_wall(WALL_K, WALL_D)
    member.set_target([TARGET, 1, 0, 0, 0], [RATE, 0, 0, 0])
    rope = world.add_rope((member, "tip"), ANCHOR, length=ROPE, stiffness=ROPE_K, damping=ROPE_D)
    world.step(H)
    turn = about_y(angle)
    assert (impulse[9] > 0) == (angle < 0)
    assert impulse[10] > 0
    assert member.v[0] == pytest.approx(velocity[1], abs=1e-9)
    np.testing.assert_allclose(turn @ member.v[1:], velocity[6:9] - velocity[:3], atol=1e-9)
    forces = member.joint_forces() * H
    np.testing.assert_allclose(forces[0, 3:], impulse[:3], atol=1e-9)
    torque = [impulse[3], impulse[8] + impulse[9], impulse[4]]
    np.testing.assert_allclose(forces[0, :3], torque, atol=1e-9)
    np.testing.assert_allclose(forces[1], [0, 0, 0, *impulse[5:8]], atol=1e-9)
    assert np.linalg.norm(rope.force) * H == pytest.approx(impulse[10], abs=1e-9)
    assert member.limit_forces()[0, 0] * H == pytest.approx(impulse[9], abs=1e-9)
