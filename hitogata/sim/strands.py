"""Strands that hang from a figure in a world: hair, tails, chains.

Each strand is a figure of its own (`library.strand`): so its mass matrix is small, and strands that touch nothing are
islands.  Its root goes where the link goes, exactly: before a step it gets the link's velocity, which its great
armature lets nothing change; after the step it is put where the link came to.  The two differ by what the link's
velocity changed in the step, h (v⁺ - v).

The link does not feel the pull of the roots by itself; `Strands.force` has it.  Contacts push both.

What is pressed on a wall that bends swings along it, as a pendulum does on its thread: with a torque T and the wall's
curvature κ, the stiffness T κ is in no spring.  A link of a gram in the wind swings faster than steps can follow, and
would never come to rest.  As with springs, a damper of θ h T κ is enough to calm it (`constraints.springs`); each joint
gets it from the torque of the last step.
"""

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.dynamics.layout import Body
from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Pose, State
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.rom import Region
from hitogata.sim.arguments import figure_of, number, whole
from hitogata.sim.coordinates import Coordinates
from hitogata.sim.layout import Carried, Motor, Pull
from hitogata.sim.members import Member
from hitogata.sim.parts import control_parts, state_parts
from hitogata.sim.world_data import Arrays
from hitogata.spatial import matrix_to_quat, quat_multiply

if TYPE_CHECKING:
    from hitogata.sim.world import World
    from hitogata.sim.world_model import IntArray

GROUP, MASK = 1 << 8, 0xFFFF & ~(1 << 8)
"""Strands belong to a group of their own, and touch all others."""

THETA = 0.65
"""θ above."""

SHARPEST = 10.0
"""Curvature of a wall's corner [1/rad]."""

HEAVIER = 1e3
"""A root is led exactly enough if its armature is at least so many times the strand's mass."""


class Strands:
    """Strands that grow from a link of a figure in a world, in still air until `wind` says otherwise.

    Args:
        world: where; in reduced coordinates.
        member: the figure they grow from.
        link: name of its link or frame that carries the roots.
        figure: each strand; its root link has a free joint with a great armature (`library.strand`).
        roots: where the roots are in that frame; strands point along their x axes at first.
        friction: coefficient of the strands' surface.
        group: bits: the groups they belong to.
        mask: bits: the groups they may touch; by default all but their own.

    Raises:
        ArgumentError: names the argument; the world is as it was.

    Example:
        >>> from hitogata.library import cap_of_roots, human28, strand
        >>> from hitogata.sim import Strands, World
        >>> world = World()
        >>> human = world.add(human28())
        >>> hair = Strands(world, human, "head", strand(12), cap_of_roots(60, radius=0.1, centre=(0, 0, 0.1)))
        >>> hair.wind((3.0, 0.0, 0.0))
        >>> world.step(1 / 60)
    """

    def __init__(
        self, world: "World", member: Member, link: str, figure: Figure, roots: Iterable[Pose], *,
        friction: float = 0.3, group: int = GROUP, mask: int = MASK,
    ) -> None:  # fmt: skip
        if world.coordinates is not Coordinates.REDUCED:
            raise ArgumentError("world: strands need a world in reduced coordinates")
        world._check_own(member, "member")
        self._world, self._host, self._figure = world, member, _led_by_root(figure_of(figure))
        self._link, frame = member.figure.frame(link)
        poses = _poses(roots)
        placed = [frame @ pose for pose in poses]
        self._roots = np.array([pose.position for pose in placed])
        self._turns = np.array([pose.quat for pose in placed])
        self._armature = self._figure.links[0].joint.armature
        self._curved = _curvatures(self._figure)
        self._arrays: Arrays | None = None
        self._wind, self._rate, self._motor = np.zeros((1, 1, 3)), 0.0, (0.0, 0.0)
        friction, group, mask = number(friction, "friction"), whole(group, "group"), whole(mask, "mask")
        q = np.tile(self._figure.neutral(), (len(poses), 1))
        q[:, :3], q[:, 3:7], rates = self._where()
        v = np.zeros((len(poses), self._figure.nv))
        v[:, :6] = rates
        self._members = [
            world.add(self._figure, State(*pair), friction=friction, group=group, mask=mask)
            for pair in zip(q, v, strict=True)
        ]  # fmt: skip
        self._told, self._pulls = rates, np.zeros((len(poses), 6))
        world._led.append(self)

    @property
    def world(self) -> "World":
        """Where they are, or were."""
        return self._world

    @property
    def figure(self) -> Figure:
        """What each of them is."""
        return self._figure

    @property
    def members(self) -> list[Member]:
        """The strands as figures of the world, in the order of their roots; a copy."""
        return list(self._members)

    @property
    def q(self) -> FloatArray:
        """Coordinates of all strands, shape (n, nq), a copy."""
        return np.array([member.q for member in self._members]).reshape(-1, self._figure.nq)

    def wind(self, velocity: Any, rate: float = 5.0) -> None:
        """Air that moves past the strands: every link feels the force m · rate · (wind - its own velocity).

        A strand that falls freely in still air comes to the speed g/rate.  Forces are those at the beginning of a step;
        a rate above 1/h counts as 1/h.  They take the place of what `Member.pull` said of the strands.

        Args:
            velocity: of the air, world axes [m/s], shape (3,), or of each strand, (n, 3), or of each link after the
                root, (n, links, 3).
            rate: at which strands take on the velocity of the air [1/s]; 0: no air.
        """
        rate = number(rate, "rate")
        links = len(self._figure.links) - 1
        try:
            wind = np.array(velocity, float)
            wind = wind[:, None, :] if wind.ndim == 2 else wind
            np.broadcast_to(wind, (len(self._members), links, 3))
        except (TypeError, ValueError, OverflowError):
            wind = np.full(3, np.nan)
        if not np.isfinite(wind).all() or wind.shape[-1] != 3:
            raise ArgumentError(f"velocity: expected (3,), (strands, 3) or (strands, {links}, 3) finite numbers, "
                                f"got {velocity!r}")  # fmt: skip
        self._wind, self._rate = wind, rate
        self._host.wake()
        if rate == 0:
            arrays = self._laid_out()
            arrays.control[self._pull] = 0.0
            arrays.note_pulls()

    def set_motor(self, stiffness: float, damping: float) -> None:
        """Spring [N m/rad] and damper [N m s/rad] in all joints of all strands, towards the shape they began with.

        The same as `Member.set_motor`, whose damping would not last.
        """
        self._motor = number(stiffness, "stiffness"), number(damping, "damping")
        for member in self._members:
            member.set_motor(*self._motor)

    @property
    def force(self) -> FloatArray:
        """What the roots did to the link in the last step: torque about its origin, force; world axes [N m], [N].

        Shape (6,).  To let the figure feel it in the next one: ``member.pull(link, force[3:], force[:3])``; strands
        must weigh much less than the figure then.
        """
        torque, force = self._pulls[:, :3], self._pulls[:, 3:]
        at = self._where()[0] - self._origin()
        total = np.concatenate([(torque + np.cross(at, force)).sum(0), force.sum(0)])
        return np.asarray(total, float)

    def lines(self) -> FloatArray:
        """Origins of the links after the root, and the tips (frame `tip`), world [m], shape (n, links + 1, 3)."""
        poses = forward_kinematics(self._figure, self.q)
        link, pose = self._figure.frame("tip")
        tips = poses.rotation[:, link] @ pose.position + poses.position[:, link]
        return np.concatenate([poses.position[:, 1:], tips[:, None]], axis=1)

    def remove(self) -> None:
        """Take all of them out of the world."""
        for member in self.members:
            self._world.remove(member)

    # ------------------------------------------------------- what the world calls

    def lead(self, h: float) -> None:
        """Before a step of h [s]: roots where the link is, with its velocity; wind."""
        arrays = self._laid_out()
        if self._host.asleep:
            self._told = np.zeros_like(self._told)
            return
        self._put(arrays)
        pressed = (arrays.state[self._pressed] * self._curved).sum(-1)
        arrays.control[self._damper] = self._motor[1] + pressed * (THETA * h / arrays.last_h)
        if self._rate > 0:
            centre = arrays.state[self._carried]
            share = self._mass * min(self._rate, 1.0 / h)
            arrays.control[self._pull] = share * (self._wind - centre)
            arrays.control[arrays.forest.control.part("pulled")] = 1.0

    def follow(self, h: float) -> None:
        """After a step of h [s]: what the roots felt; then they are put where the link came to."""
        arrays = self._laid_out()
        if self._host.asleep:
            return
        self._pulls = (arrays.state[self._mean] - self._told) * (self._armature / h)
        self._put(arrays)

    def together(self) -> list[Member]:
        """The figure they grow from, and all strands."""
        return [self._host, *self._members]

    def leaving_with(self, member: Member) -> set[Member]:
        """A figure leaves the world: all strands go with the one they grow from."""
        gone = set(self._members) if member is self._host else {member}.intersection(self._members)
        left = [k for k, own in enumerate(self._members) if own not in gone]
        if len(left) < len(self._members):
            self._members = [self._members[k] for k in left]
            self._roots, self._turns = self._roots[left], self._turns[left]
            self._told, self._pulls, self._arrays = self._told[left], self._pulls[left], None
            if len(self._wind) > 1:
                self._wind = self._wind[left]
        if not left and self in self._world._led:
            self._world._led.remove(self)
        return gone

    # ------------------------------------------------------- where things are

    def _origin(self) -> FloatArray:
        return forward_kinematics(self._host.figure, self._host.q).position[self._link]

    def _where(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Positions, orientations and velocities of the roots, if they are where the link is."""
        figure, q, v = self._host.figure, self._host.q, self._host.v
        pose = forward_kinematics(figure, q).matrices[self._link]
        rate = link_velocities(figure, q, v)[self._link]
        arms = self._roots @ pose[:, :3].T
        rates = np.empty((len(arms), 6))
        rates[:, :3], rates[:, 3:] = rate[:3], rate[3:] + np.cross(rate[:3], arms)
        turns: FloatArray = quat_multiply(matrix_to_quat(pose[:, :3]), self._turns).astype(np.float64, copy=False)
        return pose[:, 3] + arms, turns, rates

    def _put(self, arrays: Arrays) -> None:
        """Write places and velocities of the roots."""
        at, turns, self._told = self._where()
        arrays.state[self._q[:, :3]], arrays.state[self._q[:, 3:]] = at, turns
        arrays.state[self._v] = arrays.state[self._mean] = self._told

    def _laid_out(self) -> Arrays:
        """The arrays of the world, with the places known where strands stand in them."""
        arrays = self._world.arrays
        if arrays is self._arrays:
            return arrays
        spans = [arrays.span_of(member) for member in self._members]
        parts = [state_parts(arrays.forest, span) for span in spans]
        self._q = np.array([part.q.start for part in parts])[:, None] + np.arange(7)
        self._v = np.array([part.v.start for part in parts])[:, None] + np.arange(6)
        self._mean = np.array([part.mean.start for part in parts])[:, None] + np.arange(6)
        bodies = np.arange(1, spans[0].bodies.stop - spans[0].bodies.start)
        self._carried = _places([part.carried.start for part in parts], bodies, record_size(Carried))
        self._pressed = _places([part.limit_impulse.start for part in parts], bodies, 2)[..., :2]
        controls = [control_parts(arrays.forest, span) for span in spans]
        self._pull = _places([part.pull.start for part in controls], bodies, record_size(Pull))
        motors = _places([part.motor.start for part in controls], bodies, record_size(Motor))
        self._damper = motors[..., record_offsets(Motor)["damping"]]
        rows = model_of(self._figure).tables.bodies[1:]
        at = record_offsets(Body)["inertia"]
        self._mass = rows[:, at, None]
        arrays.control[self._pull + record_offsets(Pull)["point"]] = rows[:, at + 1 : at + 4] / self._mass
        self._arrays = arrays
        return arrays


def _places(starts: list[int], bodies: "IntArray", size: int) -> "IntArray":
    """Where the first three numbers of each body's record stand, shape (strands, bodies, 3)."""
    return np.array(starts)[:, None, None] + size * bodies[:, None] + np.arange(3)


def _curvatures(figure: Figure) -> FloatArray:
    """Greatest curvature of each joint's walls, of swing and of twist, in the order of the bodies after the root."""
    found = np.zeros((len(model_of(figure).link_poses), 2))
    for link, body in zip(figure.links, model_of(figure).body_of_link, strict=True):
        if link.joint.is_ball and link.joint.range is not None:
            found[body] = _curvature(link.joint.range.swing), 1.0
    return found[1:]


@functools.lru_cache(maxsize=64)
def _curvature(region: Region) -> float:
    """Greatest curvature of a region's boundary on the sphere, towards its inside [1/rad]."""
    p = region.boundary(720)
    ahead, back = np.roll(p, -1, 0) - p, p - np.roll(p, 1, 0)
    way = np.linalg.norm(ahead, axis=1) + np.linalg.norm(back, axis=1)
    keep = way > 1e-9
    turn = np.einsum("ij,ij->i", p, np.cross(back, ahead)) / (
        np.linalg.norm(ahead, axis=1) * np.linalg.norm(back, axis=1) + 1e-18
    )
    return float(np.clip(2.0 * np.max(turn[keep] / way[keep]), 0.0, SHARPEST))


def _led_by_root(figure: Figure) -> Figure:
    root = figure.links[0].joint
    if not root.floating or root.armature < HEAVIER * figure.mass:
        raise ArgumentError(
            f"figure: the root of {figure.name!r} cannot be led: it needs a free joint with an armature of "
            f"{HEAVIER:g} times its mass or more, as `library.strand` has"
        )
    if len(figure.links) < 2:
        raise ArgumentError(f"figure: {figure.name!r} has nothing but a root")
    return figure


def _poses(roots: Any) -> list[Pose]:
    poses = list(roots) if isinstance(roots, Iterable) else []
    if not poses or not all(isinstance(pose, Pose) for pose in poses):
        raise ArgumentError(f"roots: expected poses, at least one, got {roots!r}")
    return poses
