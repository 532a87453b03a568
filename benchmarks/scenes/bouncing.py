"""Impacts: balls that bounce, Newton's cradle, an elastic gas."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from benchmarks.scenes import exact
from benchmarks.scenes.scene import G, Item, Scene, Trace, Verdict, body, energy_kept
from hitogata.figure import Box, FigureBuilder, Pose, Sphere, joint


def scenes() -> Iterator[Scene]:
    """All of them."""
    for e in (0.0, 0.5, 1.0):
        yield ball(e)
    yield cradle()
    yield gas()


def ball(e: float, *, drop: float = 1.0, radius: float = 0.1) -> Scene:
    """A ball falls from 1 m."""
    count = {0.0: 1, 0.5: 2}.get(e, 4)
    times, heights = exact.bounce_times(drop, e, G, count + 1), exact.bounce_heights(drop, e, count)

    def judge(trace: Trace) -> Verdict:
        z = trace.q[0][:, 2] - radius
        if e == 0:
            highest = z[trace.t > times[0] + 0.1].max()
            return Verdict(100 * max(0.0, highest) / drop, f"rises {1e3 * highest:.1f} mm")
        found = []
        for begin, end in itertools.pairwise(times):
            middle = np.abs(trace.t - (begin + end) / 2) < max(0.3 * (end - begin), 2 * trace.h)
            found.append(z[middle].max())
        worst = 100 * float(np.abs(found - heights).max()) / drop
        return Verdict(worst, "rises " + ", ".join(f"{f:.3f}" for f in found))

    item = body(Sphere(radius), 1.0, (0, 0, drop + radius))
    return Scene(f"bounce_e{e:g}", (item,), judge, "%", 0.5, "heights of flights against h e²ⁿ, of the drop",
                 friction=0.0, restitution=e, seconds=4.0, sample=1 / 240, kind="bounce")  # fmt: skip


def cradle() -> Scene:
    """Five balls on strings of 0.5 m, 0.1 mm apart; the first comes from 40°, the last must go there alone."""
    radius, long, start, gap = 0.05, 0.5, math.radians(40), 1e-4
    items = []
    for k in range(5):
        builder = FigureBuilder(f"ball{k}")
        place = Pose(((2 * radius + gap) * k, 0, 1.0))
        builder.add(f"ball{k}", None, joint.hinge(axis=(0, 1, 0), parent_frame=place),
                    shapes=[Sphere(radius, pose=Pose((0, 0, -long)))], total_mass=1.0)  # fmt: skip
        items.append(Item(builder.build(), np.array([0.0 if k else start]), np.zeros(1)))
    # of a physical pendulum, to the fourth order of its amplitude
    small = 2 * math.pi * math.sqrt((long**2 + 0.4 * radius**2) / (G * long))
    period = small * (1 + start**2 / 16 + 11 * start**4 / 3072)

    def judge(trace: Trace) -> Verdict:
        angle = np.concatenate(trace.q, axis=1)
        between = np.abs(trace.t - period / 2) < period / 8
        last = -angle[between, 4].min()
        others = np.abs(angle[between, :4]).max()
        error = max(abs(last - start), others) / start
        return Verdict(100 * float(error), f"last {math.degrees(last):.1f}°, others {math.degrees(others):.1f}°")

    return Scene("newtons_cradle", tuple(items), judge, "%", 2.0,
                 "swing of the last ball and rest of the others, of 40°", fixed=(), friction=0.0, restitution=1.0,
                 seconds=1.2, sample=1 / 240, kind="bounce")  # fmt: skip


def gas(*, half: float = 0.6, radius: float = 0.05) -> Scene:
    """48 balls fly about in a box without weight."""
    rng, items = np.random.default_rng(0), []
    for x, y, z in itertools.product(range(4), range(4), range(3)):
        place = (np.array([x, y, z]) - (1.5, 1.5, 1.0)) * 0.28 + rng.uniform(-0.05, 0.05, 3)
        items.append(body(Sphere(radius), 1.0, tuple(place), velocity=tuple(rng.normal(scale=2.0, size=3))))
    fixed = []
    for axis, side in itertools.product(range(3), (-1, 1)):
        size, place = np.full(3, half + 0.2), np.zeros(3)
        size[axis], place[axis] = 0.1, side * (half + 0.1)
        fixed.append(Box(tuple(size), pose=Pose(tuple(place))))
    total = sum(0.5 * float(item.v[3:] @ item.v[3:]) for item in items)
    weightless = energy_kept(tuple(items), total)

    def judge(trace: Trace) -> Verdict:
        flat = [q.copy() for q in trace.q]
        for q in flat:
            q[:, :3] = 0.0  # potential energy counts no weight here
        return weightless(Trace(trace.t, flat, trace.v, trace.h))

    return Scene("elastic_gas", tuple(items), judge, "%", 1.0, "greatest change of energy over 10 s",
                 fixed=tuple(fixed), friction=0.0, restitution=1.0, gravity=0.0, kind="bounce",
                 useless=100.0)  # fmt: skip
