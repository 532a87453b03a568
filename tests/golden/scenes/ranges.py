"""Limits and ranges of motion of all kinds, pressed on."""

import math

import numpy as np

from hitogata.dynamics import integrate
from hitogata.figure import Capsule, Figure, FigureBuilder, Pose, State, joint
from hitogata.library import human28
from hitogata.rom import (
    ArcLineRegion,
    BoundaryTwist,
    ConeRegion,
    ConstantTwist,
    EllipseRegion,
    FixedTwist,
    FreeTwist,
    OvalRegion,
    PlaneArc,
    PlaneLine,
    PrismTwist,
    RangeOfMotion,
    RectangleRegion,
    Region,
    SplineRegion,
    SuperellipseRegion,
    TriangleRegion,
    Twist,
)
from hitogata.sim import World
from tests.golden.scene import Running, golden, running, wave

H = 1 / 240


@golden()
def limits(nudge: float) -> Running:
    """The stiffness of walls, of hinges, sliders and universal joints whose motors push beyond them; some are hard."""
    world, builder = World(), FigureBuilder("limited")
    shape = (Capsule.between((0, 0, 0), (0, 0, -0.25), 0.03),)
    at = {"parent_frame": Pose((0, 0, -0.25))}
    builder.add("a", None, joint.hinge((0, 1, 0), range=(-0.2, 0.3)), shapes=shape, total_mass=2.0)
    builder.add("b", "a", joint.slider((0, 0, 1), range=(-0.05, 0.02), **at), shapes=shape, total_mass=1.0)
    builder.add("c", "b", joint.universal((1, 0, 0), (0, 1, 0), range=((-0.1, 0.2), (-0.3, 0.1)), **at), shapes=shape,
                total_mass=1.0)  # fmt: skip
    builder.add("d", "c", joint.hinge((1, 0, 0), range=(-0.4, -0.4), **at), shapes=shape, total_mass=0.7)
    member = world.add(builder.build(), State(np.array([0.31, 0.021, 0.21, -0.31, -0.39]), np.zeros(5)))
    member.set_motor(300.0, 3.0)
    member.set_target([1.0, 0.2, 0.6, -0.7, 0.3])
    member.set_wall(5000.0 * nudge, 30.0, ["a", "b", "c"])
    return running(world, H)


def regions() -> dict[str, tuple[Region, Twist]]:
    """One of every kind of swing, and among them every kind of twist."""
    w = np.arange(12) * math.pi / 6
    spline = SplineRegion.through(w, 0.9 + 0.25 * np.cos(w - 0.6) + 0.1 * np.cos(3 * w))
    corners = [[0.5, 0.0], [0.1, 0.5], [-0.45, 0.3], [-0.4, -0.4], [0.1, -0.5]]
    fan = TriangleRegion(corners, [(0, 1, 2), (0, 2, 3), (0, 3, 4)])
    house = ArcLineRegion([PlaneLine((-0.4, -0.4), (0.4, -0.4)), PlaneLine((0.4, -0.4), (0.4, 0.3)),
                           PlaneArc((0, 0.3), 0.4, 0, math.pi), PlaneLine((-0.4, 0.3), (-0.4, -0.4))])  # fmt: skip
    low, high = -0.3 - 0.1 * np.cos(w), 0.4 + 0.1 * np.sin(w)
    return {
        "rectangle": (RectangleRegion((-0.4, 0.5), (-0.3, 0.4)), ConstantTwist(-0.3, 0.4)),
        "oval": (OvalRegion((-0.4, 0.5), (-0.3, 0.4)), FreeTwist()),
        "ellipse": (EllipseRegion((-0.4, 0.5), (-0.3, 0.4)), FixedTwist(0.1)),
        "superellipse": (SuperellipseRegion((-0.4, 0.5), (-0.3, 0.4), 3, 5), ConstantTwist(-0.5, 0.2)),
        "arcs and lines": (house, ConstantTwist(-0.3, 0.3)),
        "cone": (ConeRegion((0.28, 0.0, 0.96), 0.8), ConstantTwist(-0.2, 0.5)),
        "triangles": (fan, PrismTwist([-0.3, -0.2, -0.4, -0.3, -0.2], [0.3, 0.5, 0.2, 0.4, 0.3])),
        "spline": (spline, BoundaryTwist(low, high)),
    }


def limb(name: str, region: Region, twist: Twist, y: float) -> Figure:
    builder, shape = FigureBuilder(name), (Capsule.between((0, 0, 0), (0.25, 0, 0), 0.04),)
    ball = joint.ball(range=RangeOfMotion(region, twist), parent_frame=Pose((0, y, 0)))
    builder.add("upper", None, ball, shapes=shape, total_mass=2.0)
    elbow = joint.hinge((0, 1, 0), range=(-1.0, 0.2), parent_frame=Pose((0.25, 0, 0)))
    builder.add("lower", "upper", elbow, shapes=shape, total_mass=1.0)
    return builder.build()


@golden()
def ranges(nudge: float) -> Running:
    """The stiffness of the motors that drive an arm against the wall of each kind of region, and of twist."""
    world = World()
    for k, (name, (region, twist)) in enumerate(regions().items()):
        figure = limb(name, region, twist, float(k))
        member = world.add(figure)
        member.set_motor(40.0 * nudge, 2.0)
        member.set_target(integrate(figure, figure.neutral(), [*wave(3, 1.4, 0.9 * k), 0.5]))
    return running(world, H)


@golden(1e-4)
def human_in_ranges(nudge: float) -> Running:
    """Gravity; a nearly limp human hangs by its pelvis, arms and legs fall into the walls of clinical ranges."""
    world, human = World(gravity=(1.0, 2.0, -9.81 * nudge)), human28(ranges=True)
    member = world.add(human)
    member.set_motor(20.0, 3.0)
    world.add_spring((member, "pelvis"), (0.0, 0.0, 1.5), stiffness=2e4, damping=200.0)
    member.pull("forearm_left", (0, 40.0, 60.0))
    return running(world, H)
