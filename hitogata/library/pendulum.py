"""The pendulum of Tazaki & Hasegawa (2007)."""

from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, MassProperties, Pose, Sphere, joint
from hitogata.figure.values import positive


def pendulum(*, length: float = 0.5, mass: float = 1.0) -> Figure:
    """A small ball of `mass` [kg] on a thin massless rod, `length` [m] below a hinge about y at the world's origin.

    q = 0 hangs; the frame "tip" is at the ball.  The ball's radius is 4 % of the length, so that its own inertia adds
    less than 0.1 % to that of a point.
    Source: Tazaki & Hasegawa 2007, section 4.1 (0.5 m, 1 kg at the tip).
    """
    down, radius = (0.0, 0.0, -positive(length, "pendulum: length")), 0.04 * length
    moment = 0.4 * positive(mass, "pendulum: mass") * radius**2
    builder = FigureBuilder("pendulum")
    builder.add(
        "bob", None, joint.hinge(axis=(0, 1, 0), name="pivot"), MassProperties.principal(mass, down, (moment,) * 3),
        shapes=(Capsule.between((0, 0, 0), down, radius / 5), Sphere(radius, pose=Pose(down))),
        frames=(Frame("tip", Pose(down)),),
    )  # fmt: skip
    return builder.build()
