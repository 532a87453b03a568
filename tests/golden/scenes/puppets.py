"""Puppets: pins, drags, gaze, balance, postures; one and many."""

import numpy as np

from hitogata.library import human28, virtual_human
from hitogata.motion import Puppet
from hitogata.motion.puppet import Hold, Priority
from tests.golden.scene import Arrays, Running, golden, wave

DT = 1 / 60


def read_of(puppet: Puppet):
    def read() -> Arrays:
        errors = [puppet.residual(handle) for handle in puppet.handles]
        return {"q": puppet.q, "v": puppet.v, "residuals": np.array([[e.position, e.angle] for e in errors])}

    return read


@golden(1e-6)
def puppet(nudge: float) -> Running:
    """Where a hand is dragged to; feet pinned, head held, balance, gaze, a posture."""
    one = Puppet(virtual_human())
    feet = [one.pin(name) for name in ("sole_left", "sole_right")]
    hand = one.drag("palm_right")
    one.pin("palm_left", hold=Hold.POSE, weight=0.5)
    one.look_at("head", (2.0, -0.5, 1.0), priority=Priority.SECOND)
    one.balance(feet)
    one.set_posture(time=0.5)
    taken = 0

    def advance(steps: int) -> None:
        nonlocal taken
        for _ in range(steps):
            taken += 1
            one.set_target(hand, position=np.array([0.4, -0.4, 1.0]) * nudge + 0.02 * wave(3, 1.0, 0.1 * taken))
            one.step(DT, iterations=2)

    return Running(advance, read_of(one))


@golden(1e-6)
def puppets(nudge: float) -> Running:
    """Where hands of three characters are dragged to, side by side."""
    human = human28(ranges=True)
    many = Puppet(human, np.tile(human.neutral(), (3, 1)))
    for name in ("sole_left", "sole_right"):
        many.pin(name)
    hand = many.drag("grip_right")
    many.set_mobility(0.5, ["elbow_right"])
    many.set_target(hand, position=np.array([[0.5, -0.2, 1.1], [0.3, -0.5, 1.3], [0.6, 0.1, 0.9]]) * nudge)

    def advance(steps: int) -> None:
        for _ in range(steps):
            many.step(DT)

    return Running(advance, read_of(many))
