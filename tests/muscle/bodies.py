"""An arm with every kind of point and surface, as a mechanism and as a figure."""

from dataclasses import replace

import numpy as np

from hitogata.figure import FigureBuilder, MassProperties, Pose, joint
from hitogata.figure.mechanism import JointStep, Linear, Mechanism, MechanismBody, MechanismJoint, Polynomial
from hitogata.muscle import (
    ConditionalPoint,
    Ligament,
    MovingPoint,
    Muscle,
    MuscleSet,
    Node,
    Path,
    PathPoint,
    Surface,
    SurfaceKind,
    Tendon,
    Wrap,
    wire_geometry,
)

K = SurfaceKind
ELBOW = Pose((0, 0, -0.3), (0.7071067811865476, 0.7071067811865476, 0, 0))
"""A frame at the elbow with z along its axis."""


def arm_mechanism():
    """Shoulder of three turns, elbow of one, forearm that slides."""
    turns = [JointStep(True, axis, Linear(), (name,)) for axis, name in zip(np.eye(3).tolist(), "abc", strict=True)]
    bend, slide = JointStep(True, (0, 1, 0), Linear(), ("e",)), JointStep(False, (0, 0, 1), Linear(), ("s",))
    joints = [
        MechanismJoint("shoulder", None, "upper", ("a", "b", "c"), tuple(turns), Pose((0.1, 0.0, 0.3))),
        MechanismJoint("elbow", "upper", "fore", ("e",), (bend,), Pose((0, 0, -0.3))),
        MechanismJoint("slide", "fore", "hand", ("s",), (slide,), Pose((0, 0, -0.3))),
    ]
    return Mechanism.of("arm", [MechanismBody(name, 1.0) for name in ("upper", "fore", "hand")], joints)


def arm_figure():
    """A ball shoulder and a hinge elbow."""
    builder = FigureBuilder("arm")
    mass = MassProperties(1.0, inertia=(1, 1, 1, 0, 0, 0))
    builder.add("trunk", None, joint.free(), mass)
    builder.add("upper", "trunk", joint.ball(parent_frame=Pose((0.1, 0.0, 0.3))), mass)
    builder.add("fore", "upper", joint.hinge((0, 1, 0), parent_frame=Pose((0, 0, -0.3))), mass)
    return builder.build()


def wires(fore="fore", base=None):
    """Surfaces, and wires around each of them and through every kind of point."""
    surfaces = (
        Surface("ball", K.SPHERE, "upper", (0.03,), Pose((0.0, 0.0, -0.3))),
        Surface("pulley", K.CYLINDER, "upper", (0.025, 0.4), ELBOW),
        Surface("egg", K.ELLIPSOID, "upper", (0.03, 0.05, 0.04), Pose((0.0, 0.01, -0.05))),
        Surface("ring", K.TORUS, "upper", (0.01, 0.06), Pose((0.0, 0.0, -0.15))),
        Surface("sided", K.CYLINDER, "upper", (0.02, 0.4), ELBOW, "-x"),
        Surface("sphere site", K.SITED_SPHERE, "upper", (0.03,), Pose((0.0, 0.0, -0.3)), site=(0.05, 0.0, 0.0)),
        Surface("tube site", K.SITED_CYLINDER, "upper", (0.02,), ELBOW, site=(0.05, 0.0, 0.0)),
    )  # fmt: skip
    up, low = PathPoint("upper", (-0.02, 0.01, -0.2)), PathPoint(fore, (-0.02, -0.012, -0.1))
    shoulder, through = PathPoint(base, (0.12, 0.02, 0.42)), PathPoint(base, (0.19, 0.0, 0.32))
    middle = PathPoint("upper", (0.0, 0.0, -0.13))
    chain = [
        Muscle(name, Path((up, low), (Wrap(name),))) for name in ("ball", "pulley", "sided", "sphere site", "tube site")
    ]
    chain += [
        Muscle("egg", Path((shoulder, PathPoint("upper", (0.035, -0.03, -0.14))), (Wrap("egg"),))),
        Muscle("ring", Path((through, PathPoint("upper", (0.07, 0.01, -0.24))), (Wrap("ring"),))),
        Muscle("both", Path((shoulder, middle, low), (Wrap("egg", 0, 1), Wrap("pulley", 1, 2)))),
        Ligament("band", Path((shoulder, low)), slack_length=0.3),
    ]  # fmt: skip
    return tuple(chain), surfaces


def mechanism_set():
    """All of it on the mechanism, with moving and conditional points and a branch."""
    chain, surfaces = wires()
    moving = MovingPoint(
        "fore", (Polynomial((0.02, 0.0, -0.03)), Linear((0.01, 0.0)), Linear((0.02, -0.05))), ("e", "e", "s")
    )
    bend = ConditionalPoint("upper", (0.04, 0.0, -0.25), "e", (0.0, 2.0))
    up = PathPoint("upper", (0.02, 0.0, -0.1))
    node = PathPoint("fork", (0.0, 0.0, 0.0))
    more = (
        Muscle("moving", Path((up, bend, moving, PathPoint("hand", (0.0, 0.01, 0.02))))),
        Muscle("long head", Path((PathPoint(None, (0.05, 0.02, 0.35)), node))),
        Muscle("short head", Path((up, node))),
        Tendon("common", Path((node, PathPoint("hand", (0.0, 0.0, -0.05))))),
    )
    plain = MuscleSet("arm", arm_mechanism(), chain + more, surfaces, (Node("fork", "fore", (0.01, 0.0, -0.1)),))
    return fitted(plain, [0.1, 0.1, 0.0, 0.8, 0.0])


def fitted(muscles, q):
    """Fibres near their optimum at q."""
    lengths = wire_geometry(muscles, q).lengths
    tuned = [
        replace(wire, fibre_length=0.6 * length, slack_length=0.4 * length) if isinstance(wire, Muscle)
        else replace(wire, slack_length=length)
        for wire, length in zip(muscles.wires, lengths, strict=True)
    ]  # fmt: skip
    return replace(muscles, wires=tuple(tuned))


def figure_set():
    """Wires on the figure."""
    chain, surfaces = wires(base="trunk")
    return MuscleSet("arm", arm_figure(), chain, surfaces)
