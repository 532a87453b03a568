"""Planar mechanisms with closed loops, in three dimensions."""

import numpy as np

from hitogata.figure import Figure, FigureBuilder, MassProperties, Pose, State, joint
from hitogata.loops import LinkHandle, Links, Turning, closed, hinge, pin, rod, slide

GROUND, CRANK, COUPLER, ROCKER = 0.5, 0.2, 0.5, 0.4


def bar(length: float, mass: float) -> MassProperties:
    """A thin bar along x."""
    moment = mass * length**2 / 12
    return MassProperties.principal(mass, (length / 2, 0, 0), (moment / 50, moment, moment))


def four_bar(closing=hinge, *, cut_at_coupler: bool = False) -> tuple[Figure, Links, LinkHandle, State]:
    """Crank, coupler and rocker on the ground, in the plane y = 0; cut at the rocker's ground, or at the coupler."""
    y = {"axis": (0, 1, 0)}
    b = FigureBuilder("four bar")
    b.add("ground", None, joint.fixed(), MassProperties.principal(1, (0, 0, 0), (1, 1, 1)))
    b.add("crank", "ground", joint.hinge(**y), bar(CRANK, 1.0))
    b.add("coupler", "crank", joint.hinge(**y, parent_frame=Pose((CRANK, 0, 0))), bar(COUPLER, 2.0))
    if cut_at_coupler:
        b.add("rocker", "ground", joint.hinge(**y, parent_frame=Pose((GROUND, 0, 0)), child_frame=Pose((ROCKER, 0, 0))),
              bar(ROCKER, 1.5))  # fmt: skip
        figure = b.build()
        link, guess = hinge("coupler", "rocker", **y, child_point=(COUPLER, 0, 0)), [-1.2, 0.8, 1.5]
    else:
        b.add("rocker", "coupler", joint.hinge(**y, parent_frame=Pose((COUPLER, 0, 0))), bar(ROCKER, 1.5))
        figure = b.build()
        own = y if closing is hinge else {}
        link = closing("rocker", child_point=(ROCKER, 0, 0), parent_point=(GROUND, 0, 0), **own)
        guess = [-1.2, 0.8, 2.0]
    links, handle = Links(figure).add(link)
    return figure, links, handle, closed(links, State(np.array(guess), np.array([4.0, 0, 0])))


def slider_crank() -> tuple[Figure, Links, State]:
    """A crank of 0.15 m, a rod of 0.4 m, its end on the x axis."""
    b = FigureBuilder("slider crank")
    b.add("crank", None, joint.hinge(axis=(0, 1, 0)), bar(0.15, 1.0))
    b.add("rod", "crank", joint.hinge(axis=(0, 1, 0), parent_frame=Pose((0.15, 0, 0))), bar(0.4, 0.8))
    figure = b.build()
    links, _ = Links(figure).add(slide("rod", axis=(1, 0, 0), child_point=(0.4, 0, 0), turning=Turning.FREE))
    return figure, links, closed(links, State(np.array([-0.6, 0.9]), np.array([3.0, 0.0])))


# Andrews' squeezing mechanism: seven bodies, three loops (Schiehlen 1990; Hairer & Wanner 1996, VII.7).
A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
STIFFNESS, REST, DRIVE = 4530.0, 0.07785, 0.033
ANGLES = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885884, 0.487364979543842550,
          -0.222668390165885884, 1.23054744454982119)  # fmt: skip
AFTER = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
         0.5347301163226948, 1.048080741042263)  # fmt: skip
"""β, Θ, γ, Φ, δ, Ω, ε at the start, and after 0.03 s (reference solution of the literature)."""

NAMES = ("k1", "k2", "k3", "k4", "k5", "k6", "k7")


def squeezer() -> tuple[Figure, Links, np.ndarray]:
    """The mechanism in the plane z = 0, its spring as a compliant rod, and its first pose."""
    b = FigureBuilder("squeezer")
    b.add("ground", None, joint.fixed(), MassProperties.principal(1, (0, 0, 0), (1, 1, 1)))
    for name, parent, at, mass, centre, moment in (
        ("k1", "ground", (0, 0, 0), 0.04325, (0.00092, 0, 0), 2.194e-6),
        ("k2", "k1", (0.007, 0, 0), 0.00365, (-0.0115, 0, 0), 4.410e-7),
        ("k3", "ground", B, 0.02373, (0.01043, -0.01874, 0), 5.255e-6),
        ("k5", "ground", A, 0.07050, (0.02308, 0.00916, 0), 1.169e-5),
        ("k4", "k5", (0.04, 0, 0), 0.00706, (0, -(0.02 - 0.01421), 0), 5.667e-7),
        ("k7", "ground", A, 0.05498, (-0.00449, -0.01228, 0), 1.912e-5),
        ("k6", "k7", (0, -0.04, 0), 0.00706, (0.02 - 0.01421, 0, 0), 5.667e-7),
    ):
        turn = joint.hinge(axis=(0, 0, 1), parent_frame=Pose(at))
        b.add(name, parent, turn, MassProperties.principal(mass, centre, (moment, moment, moment)))
    figure = b.build()
    tip = (-0.028, 0, 0)
    links = Links(figure).add_all(
        pin("k3", "k2", child_point=(0, -0.035, 0), parent_point=tip),
        pin("k4", "k2", child_point=(0, -0.02, 0), parent_point=tip),
        pin("k6", "k2", child_point=(0.02, 0, 0), parent_point=tip),
        rod("k3", length=REST, child_point=(0.02, -0.018, 0), parent_point=C, compliance=1 / STIFFNESS),
    )
    q = np.zeros(figure.nq)
    for name, angle in zip(NAMES, ANGLES, strict=True):
        q[figure.q_slice(name)] = angle
    return figure, links, q




def parallelogram(closing=pin, *, short: float = 0.3, long: float = 0.5) -> tuple[Figure, Links, LinkHandle]:
    """Crank and rocker of one length, coupler as long as the ground; with all in line it could go on crossed."""
    y = {"axis": (0, 1, 0)}
    b = FigureBuilder("parallelogram")
    b.add("crank", None, joint.hinge(**y), bar(short, 1.0))
    b.add("coupler", "crank", joint.hinge(**y, parent_frame=Pose((short, 0, 0))), bar(long, 2.0))
    b.add("rocker", "coupler", joint.hinge(**y, parent_frame=Pose((long, 0, 0))), bar(short, 1.5))
    figure, own = b.build(), y if closing is hinge else {}
    links, handle = Links(figure).add(
        closing("rocker", child_point=(short, 0, 0), parent_point=(long, 0, 0), **own)
    )
    return figure, links, handle


def parallel(angle: float, rate: float) -> State:
    """A state of the parallelogram: crank at an angle, the coupler along the ground."""
    return State(np.array([angle, -angle, angle + np.pi]), np.array([rate, -rate, rate]))
