"""Chains and ragdolls."""

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.heap import starts, walls
from benchmarks.scenes.mujoco_run import deepest_overlap
from benchmarks.scenes.scene import GROUND, G, Item, Scene, Trace, Verdict, energy_kept, energy_of
from hitogata.figure import Box, Capsule, FigureBuilder, JointKind, Pose, Sphere, joint
from hitogata.library import chain, human28


def scenes() -> Iterator[Scene]:
    """All of them."""
    yield hung_chain()
    yield loaded_chain()
    yield ragdolls()


def hung_chain(count: int = 8) -> Scene:
    """A limp chain of ball joints, hung up, with random velocities."""
    figure = chain(count, kind=JointKind.BALL)
    q, v = figure.neutral(), 2 * np.random.default_rng(count).normal(size=figure.nv)
    item = Item(figure, q, v, touching=False)
    kinetic = float(energy_of(item, q, v)[0] - energy_of(item, q, 0 * v)[0])  # it begins at its lowest
    return Scene("hung_chain", (item,), energy_kept((item,), kinetic), "%", 1.0,
                 "greatest change of energy over 20 s, of that above rest", fixed=(), seconds=20.0,
                 kind="smooth", useless=100.0)  # fmt: skip


def loaded_chain(count: int = 10, *, link: float = 0.1, load: float = 100.0) -> Scene:
    """Ten links of 0.1 kg with 100 kg at their end, let go 30° from the vertical."""
    builder, tilt = FigureBuilder("loaded"), math.radians(30)
    for k in range(count):
        place = Pose((0, 0, -link if k else 0.0))
        builder.add(f"link{k}", f"link{k - 1}" if k else None, joint.ball(parent_frame=place),
                    shapes=[Capsule.between((0, 0, 0), (0, 0, -link), 0.01)], total_mass=0.1)  # fmt: skip
    end = joint.fixed(parent_frame=Pose((0, 0, -link)))
    builder.add("load", f"link{count - 1}", end, shapes=[Sphere(0.1)], total_mass=load)
    figure = builder.build()
    q = figure.neutral()
    q[:4] = math.cos(tilt / 2), 0, math.sin(tilt / 2), 0
    item = Item(figure, q, np.zeros(figure.nv), touching=False)
    depth = load * G * link * count * (1 - math.cos(tilt))
    return Scene("chain_1000_to_1", (item,), energy_kept((item,), depth), "%", 1.0,
                 "greatest change of energy over 10 s, of the fall", fixed=(), kind="smooth",
                 useless=100.0)  # fmt: skip


def ragdolls(count: int = 10) -> Scene:
    """Ten limp human28 fall into a pit."""
    q, half = starts(count)
    figure = human28()
    items = tuple(Item(figure, row, np.zeros(figure.nv), damping=1.0) for row in q)
    fixed = (GROUND, *(Box(size, pose=Pose(place)) for size, place in walls(half + 0.05)))

    def judge(trace: Trace) -> Verdict:
        total = sum(energy_of(item, q, v) for item, q, v in zip(items, trace.q, trace.v, strict=True))
        if np.diff(total[trace.t >= 4.0]).max(initial=0.0) > 0.05 * abs(total[0] - total[-1]):
            return Verdict(math.inf, "gains energy")
        if any((row[:, 2] < -0.2).any() for row in trace.q):
            return Verdict(math.inf, "falls through")
        overlap = 1e3 * deepest_overlap(scene, np.concatenate([row[-1] for row in trace.q]))
        return Verdict(overlap, f"{100 * (total[-1] - total[0]) / abs(total[0]):.0f} % energy")

    scene = Scene("ragdoll_heap", items, judge, "mm", 10.0, "deepest overlap of two figures or the pit after 10 s",
                  fixed=fixed)  # fmt: skip
    return scene
