"""Virtual links, closed loops, impact, contact of a stage, walking."""

import numpy as np

from examples.walking import walk
from hitogata.dynamics import energy
from hitogata.figure import State
from hitogata.library import human28
from hitogata.loops import Links, closed, constrained_dynamics, grasp, here, impact, link_rows, move, pin, rod
from hitogata.loops.contacts import ContactStage
from hitogata.loops.follower import Follower
from hitogata.loops.servo import servo
from tests.golden.scene import Arrays, Running, golden, wave
from tests.loops.mechanisms import four_bar, squeezer


def marching(links: Links, state: State, h: float, gravity: tuple[float, float, float], tau: object = None) -> Running:
    """A figure with virtual links."""
    now = state

    def advance(steps: int) -> None:
        nonlocal now
        now = move(links, now, h, tau, steps=steps, gravity=gravity).state

    def read() -> Arrays:
        found = constrained_dynamics(links, now.q, now.v, tau, gravity=gravity)
        rows, hit = link_rows(links, now.q, now.v), impact(links, now)
        return {
            "q": now.q, "v": now.v, "vdot": found.vdot, "forces": found.forces, "jacobian": rows.jacobian,
            "after impact": hit.state.v, "energy": np.array([energy(links.figure, now.q, now.v).total]),
        }  # fmt: skip

    return Running(advance, read)


@golden()
def four_bars(nudge: float) -> Running:
    """Gravity, on a crank, a coupler and a rocker."""
    _, links, _, state = four_bar()
    return marching(links, state, 2e-3, (0, 0, -9.81 * nudge))


@golden(1e-6)
def squeezing(nudge: float) -> Running:
    """The drive of Andrews' mechanism: three loops and a compliant rod."""
    figure, links, q = squeezer()
    tau = np.zeros(figure.nv)
    tau[0] = 0.033 * nudge
    return marching(links, closed(links, State(q, np.zeros(figure.nv))), 1e-4, (0, 0, 0), tau)


@golden()
def hanging(nudge: float) -> Running:
    """Gravity, on a human held by both hands and an elastic rod."""
    figure = human28()
    q = figure.neutral()
    links = Links(figure).add_all(
        here(figure, q, grasp("grip_left", bar=(0, 1, 0))),
        here(figure, q, pin("grip_right")),
        rod("foot_left", "foot_right", length=0.3, compliance=1e-4),
    )
    tau = -0.1 * wave(figure.nv)
    tau[:6] = 0
    return marching(links, closed(links, State(q, 0.3 * wave(figure.nv))), 1e-3, (0, 0, -9.81 * nudge), tau)


@golden(1e-6)
def stage(nudge: float) -> Running:
    """The stiffness of a human's springs, that lands on its feet: contact by hypothesis and validity."""
    figure, h = human28(), 1 / 240
    springs = servo(figure, 800.0 * nudge, 20.0, h)
    own, q = ContactStage(figure), figure.neutral()
    start = q.copy()
    start[2] += 0.02
    last = own.step(State(start, 0.1 * wave(figure.nv)), h, springs=springs, target=q)
    first = True

    def advance(steps: int) -> None:
        nonlocal last, first
        for _ in range(steps - first):
            last = own.step(last.state, h, springs=springs, target=q)
        first = False

    def read() -> Arrays:
        forces = np.array([c.force for c in last.contacts]).reshape(-1, 3)
        return {"q": last.state.q, "v": last.state.v, "force": forces.sum(axis=0), "contacts": np.array(len(forces))}

    return Running(advance, read)


@golden(1e-5)
def walking(nudge: float) -> Running:
    """A push at the chest of a human that follows a walk, by its own torques."""
    follower, force = Follower(ContactStage(human28(), friction=0.8), walk(1.5), 1 / 480), np.zeros(3)
    push = np.zeros((follower.figure.nlinks, 6))
    push[follower.figure.link_index("chest"), 3:] = 0.0, 15.0 * nudge, 5.0

    def advance(steps: int) -> None:
        for _ in range(steps):
            step = follower.step(wrenches=push)
            force[:] = np.array([c.force for c in step.contacts]).reshape(-1, 3).sum(axis=0)

    def read() -> Arrays:
        return {"q": follower.state.q, "v": follower.state.v, "force": force.copy(), "shift": follower.shift}

    return Running(advance, read)
