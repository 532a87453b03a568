"""Hands that hold a bar, and let go when they carry too much.

A hand on a bar is two springs from points of the hand to points of the bar's axis, a hand's breadth apart: the hand
stays where it is along and across the bar and cannot be twisted off it, but turns about it.  It is held as it is when
it closes: nothing pulls yet.
"""

from dataclasses import dataclass

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Shape, Sphere
from hitogata.figure.pose import FloatArray
from hitogata.sim.arguments import number
from hitogata.sim.fasteners import Fastening
from hitogata.sim.members import Member
from hitogata.sim.ties import Tie

WIDTH = 0.08
"""Of a hand: how far apart its springs are [m]."""

_AROUND, _SPACING = 0.3, 0.005
"""A bar is looked at so far to both sides of a hand, at places so far apart [m]."""


@dataclass(frozen=True, eq=False)
class Grasp(Fastening):
    """A hand on a bar; made by `grasp`.

    Attributes:
        member: whose hand it is.
        frame: of the hand: name of a link or named frame.
        bar: what it holds, in the world.
        strength: most that it carries [N]; see `load`.
        ties: its springs.
    """

    member: Member
    frame: str
    bar: Capsule
    strength: float
    ties: tuple[Tie, Tie]

    @property
    def load(self) -> float:
        """What the fingers carry: magnitudes of the springs' forces, so that twisting counts as pulling does [N]."""
        return sum(float(np.linalg.norm(tie.force)) for tie in self.ties)

    @property
    def place(self) -> FloatArray:
        """Middle of the grip on the bar's axis, in the world [m], shape (3,)."""
        a, b = (np.asarray(tie.ends[1], float) for tie in self.ties)
        result: FloatArray = (a + b) / 2
        return result

    @property
    def too_much(self) -> bool:
        """Whether it carried more than its strength in the last step."""
        return self.load > self.strength


def grasp(
    member: Member, frame: str, bar: Capsule, *, strength: float = np.inf, stiffness: float = 1e5, damping: float = 1e3,
) -> Grasp:  # fmt: skip
    """Let a hand hold a bar, where the bar's axis is nearest to it.

    Args:
        member: figure in a world.
        frame: the hand: name of a link or named frame, whose origin is the middle of the hand.
        bar: in the world; it need not be in the world's scenery.  One without length is a knob: the hand turns about
            its middle in all directions.
        strength: most that the hand carries [N]; see `Grasp.give_way`.
        stiffness: of each of its two springs [N/m].
        damping: of each [N s/m].

    Example:
        >>> from hitogata.figure import Capsule
        >>> from hitogata.library import human28
        >>> from hitogata.sim import World, grasp
        >>> world = World()
        >>> human = world.add(human28())
        >>> bar = Capsule.between((0.0, -0.8, 0.85), (0.0, 0.8, 0.85), 0.016)
        >>> hands = [grasp(human, name, bar, strength=900.0) for name in ("grip_left", "grip_right")]
        >>> world.step(1 / 60)
        >>> [hand.give_way() for hand in hands]
        [False, False]
    """
    _check(member, bar)
    strength = number(strength, "strength", infinite=True)
    link, pose = member.figure.frame(frame)
    poses = forward_kinematics(member.figure, member.q)
    rotation, position = poses.rotation[link], poses.position[link]
    middle, along = np.asarray(bar.pose.position), bar.pose.rotation[:, 2]
    half = min(WIDTH / 2, bar.half_length)
    most = bar.half_length - half
    at = np.clip((position + rotation @ pose.position - middle) @ along, -most, most)
    ties, name = list[Tie](), member.figure.link_names[link]
    for place in (middle + along * (at - half), middle + along * (at + half)):
        end = (member, name, rotation.T @ (place - position))
        ties.append(member.world.add_spring(end, place, stiffness=stiffness, damping=damping))
    return Grasp(member, frame, bar, strength, (ties[0], ties[1]))


def grasp_again(old: Grasp, member: Member) -> Grasp:
    """The same hold of the same figure in another world: springs between the same points, stretched as they are."""
    if member.figure.link_names != old.member.figure.link_names:
        raise ArgumentError(f"member: figure {member.figure.name!r} has other links than {old.member.figure.name!r}")
    a, b = (
        member.world.add_spring((member, *tie.ends[0][1:]), tie.ends[1], stiffness=tie.stiffness, damping=tie.damping)
        for tie in old.ties
    )
    return Grasp(member, old.frame, old.bar, old.strength, (a, b))


def bar_gap(member: Member, link: str, bar: Capsule) -> float:
    """How far a link is from a bar: between their surfaces [m]; 0 or less: they touch.

    Shapes are taken as the boxes about them; a link without any is its origin.
    """
    _check(member, bar)
    index = member.figure.link_index(link)
    poses = forward_kinematics(member.figure, member.q)
    rotation, position = poses.rotation[index], poses.position[index]
    middle, along = np.asarray(bar.pose.position), bar.pose.rotation[:, 2]
    near = (position - middle) @ along
    at = np.clip(near + np.arange(-_AROUND, _AROUND, _SPACING), -bar.half_length, bar.half_length)
    places = (middle + at[:, None] * along - position) @ rotation  # in the link's frame
    gaps = [_to_box(places, shape) for shape in member.figure.links[index].shapes]
    gaps = gaps or [float(np.linalg.norm(places, axis=1).min())]
    return min(gaps) - bar.radius


def _to_box(places: FloatArray, shape: Shape) -> float:
    """Least distance of places, in the link's frame, shape (n, 3), from the box about a shape; inside: 0 [m]."""
    half, middle = _box(shape)
    local = (places - shape.pose.position) @ shape.pose.rotation - middle
    return float(np.linalg.norm(np.maximum(np.abs(local) - half, 0.0), axis=1).min())


def _box(shape: Shape) -> tuple[FloatArray, FloatArray]:
    """Half sizes and middle of the box about a shape, in its frame [m]."""
    if isinstance(shape, ConvexMesh):
        low, high = shape.vertices.min(0), shape.vertices.max(0)
        return (high - low) / 2, (high + low) / 2
    if isinstance(shape, Box):
        half = np.array(shape.half_sizes)
    elif isinstance(shape, Ellipsoid):
        half = np.array(shape.half_axes)
    elif isinstance(shape, Capsule):
        half = np.array([shape.radius, shape.radius, shape.half_length + shape.radius])
    elif isinstance(shape, Cylinder):
        half = np.array([shape.radius, shape.radius, shape.half_length])
    elif isinstance(shape, Sphere):
        half = np.full(3, shape.radius)
    else:
        raise ArgumentError(f"a link that grasps cannot have a {type(shape).__name__}")
    return half, np.zeros(3)


def _check(member: Member, bar: Capsule) -> None:
    if not isinstance(member, Member):
        raise ArgumentError(f"member: expected a figure in a world, got {member!r}")
    if not isinstance(bar, Capsule):
        raise ArgumentError(f"bar: expected a Capsule, got {bar!r}")
