"""Friction: slopes at the limit, a block that stops, a box between two hands, a row of dominoes."""

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.scenes import exact
from benchmarks.scenes.scene import G, Item, Scene, Trace, Verdict, body
from hitogata.figure import Box, FigureBuilder, Pose, joint

FRICTION = 0.5


def scenes() -> Iterator[Scene]:
    """All of them."""
    yield slope("slope_sticks", 0.99)
    yield slope("slope_slides", 1.01)
    yield block()
    yield hands()
    yield dominoes()


def slope(name: str, share: float) -> Scene:
    """A box on a slope of which friction can hold share⁻¹ times what it must."""
    angle = math.atan(FRICTION * share)
    turn = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    normal, down = np.array([math.sin(angle), 0, math.cos(angle)]), np.array([math.cos(angle), 0, -math.sin(angle)])
    ground = Box((20.0, 2.0, 0.5), pose=Pose(tuple(-0.5 * normal), turn))
    item = body(Box((0.1, 0.1, 0.1)), 1.0, tuple(0.1 * normal), turn)
    seconds = 5.0
    true = exact.slide_down(angle, FRICTION, G, seconds)

    def judge(trace: Trace) -> Verdict:
        way = float((trace.q[0][-1, :3] - trace.q[0][0, :3]) @ down)
        if true:
            return Verdict(100 * abs(way / true - 1), f"{way:.4f} m, true {true:.4f}")
        return Verdict(1e3 * abs(way) / trace.t[-1], f"{1e3 * way:.3f} mm")

    unit, limit = ("%", 2.0) if true else ("mm/s", 0.1)
    about = "way down against t²/2 g (sin α - μ cos α)" if true else "mean speed of creep, which should be none"
    return Scene(name, (item,), judge, unit, limit, about, fixed=(ground,), friction=FRICTION, seconds=seconds)


def block() -> Scene:
    """A flat block slides until it stops."""
    speed = 3.0
    item = body(Box((0.1, 0.1, 0.05)), 1.0, (0, 0, 0.05), velocity=(speed, 0, 0))
    true = exact.stopping_distance(speed, FRICTION, G)

    def judge(trace: Trace) -> Verdict:
        way = float(trace.q[0][-1, 0])
        return Verdict(100 * abs(way / true - 1), f"{way:.4f} m, true {true:.4f}")

    return Scene("sliding_block", (item,), judge, "%", 1.0, "way until it stops against v²/(2 μ g)", friction=FRICTION,
                 seconds=2.0)  # fmt: skip


def hands() -> Scene:
    """Two plates on sliders press a box of 1 kg from both sides, a tenth harder than its weight needs."""
    force = 1.1 * G / (2 * FRICTION)
    items = [body(Box((0.05, 0.05, 0.05)), 1.0, (0, 0, 0))]
    for side in (-1, 1):
        builder = FigureBuilder("hand")
        builder.add("hand", None, joint.slider(axis=(1, 0, 0), parent_frame=Pose((side * 0.06, 0, 0))),
                    shapes=[Box((0.01, 0.04, 0.04))], total_mass=0.4)  # fmt: skip
        items.append(Item(builder.build(), np.zeros(1), np.zeros(1), push=np.array([-side * force])))

    def judge(trace: Trace) -> Verdict:
        fallen = float(trace.q[0][0, 2] - trace.q[0][-1, 2])
        return Verdict(math.inf if fallen > 0.05 else 1e3 * abs(fallen), "drops it" if fallen > 0.05 else "holds")

    return Scene("squeezed_box", tuple(items), judge, "mm", 0.5, "slip of the box in 5 s", fixed=(), friction=FRICTION,
                 seconds=5.0)  # fmt: skip


DOMINO_SPEED = 1.4933
"""Of the front [m/s], of hard dominoes in the plane at 20 µs: `tests/benchmarks/planar_dominoes.py`."""


def dominoes(count: int = 20) -> Scene:
    """A row of dominoes of 0.2 m, 80 mm apart; the first leans beyond its balance."""
    half, pitch, lean = (0.01, 0.05, 0.1), 0.08, math.radians(8)
    high = half[2] * math.cos(lean) + half[0] * math.sin(lean)
    aside = half[2] * math.sin(lean) - half[0] * math.cos(lean) + half[0]  # turned about its lower front edge
    first = body(Box(half), 0.5, (aside, 0, high), (math.cos(lean / 2), 0, math.sin(lean / 2), 0))
    items = [first, *(body(Box(half), 0.5, (pitch * k, 0, half[2])) for k in range(1, count))]

    def judge(trace: Trace) -> Verdict:
        begin, end = (first_time(trace, k, math.radians(15)) for k in (5, count - 5))
        if not math.isfinite(end):
            return Verdict(math.inf, "stops")
        speed = pitch * (count - 10) / (end - begin)
        return Verdict(100 * abs(speed / DOMINO_SPEED - 1), f"{speed:.4f} m/s")

    return Scene("dominoes", tuple(items), judge, "%", 2.0, "speed of the front against that of small steps",
                 friction=FRICTION, seconds=3.0, sample=1 / 240, useless=50.0)  # fmt: skip


def first_time(trace: Trace, item: int, angle: float) -> float:
    """When a body first leans by an angle about y [s], between samples by straight lines; infinite if never."""
    q = trace.q[item]
    lean = 2 * np.arctan2(q[:, 5], q[:, 3])
    over = np.flatnonzero(lean >= angle)
    if not len(over) or over[0] == 0:
        return math.inf
    k = over[0]
    return float(np.interp(angle, lean[k - 1 : k + 1], trace.t[k - 1 : k + 1]))
