"""A figure, and a spring or rope, of all worlds of a batch at once."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.springs import Tie as TieRecord
from hitogata.dynamics import LinkPoses, centre_of_mass, forward_kinematics
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.dynamics.jacobians import frame_in_body
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, State
from hitogata.lanes import record_offsets, record_size
from hitogata.rom import RangeOfMotion
from hitogata.sim import batch_forces
from hitogata.sim.arguments import mass_of
from hitogata.sim.batch_arguments import chosen, per_world, ranges_for
from hitogata.sim.batch_arrays import Array, NatureViews, model_solids, put
from hitogata.sim.blocks import Skin
from hitogata.sim.layout import SOFT_MOBILITY, Motor, Pull, Solid
from hitogata.sim.parts import control_parts, joint_memory
from hitogata.sim.range_overrides import ball_joint
from hitogata.sim.ties import AT, Tie, on_link

if TYPE_CHECKING:
    from hitogata.sim.batch import WorldBatch
    from hitogata.sim.members import Member

SOLID, SKIN = record_offsets(Solid), record_offsets(Skin)


class BatchMember:
    """A figure in all worlds of a batch; made by `WorldBatch.member`.

    Values are one number for all worlds that are meant, or one each, shape (n,).  `worlds` are numbers of worlds or a
    mask; None: all.
    """

    def __init__(self, batch: "WorldBatch", member: "Member") -> None:
        self._batch, self._member, self._arrays = batch, member, batch.arrays
        self._span = batch.arrays.model.span_of(member)
        self._parts = control_parts(batch.arrays.model.forest, self._span)

    @property
    def batch(self) -> "WorldBatch":
        """Whose it is."""
        return self._batch

    @property
    def figure(self) -> Figure:
        """What it is."""
        return self._member.figure

    # ------------------------------------------------------- states

    @property
    def q(self) -> Array:
        """Coordinates, shape (count, nq): always the same array, written by each step; read only."""
        return self._batch.q[:, self._span.q]

    @property
    def v(self) -> Array:
        """Velocities, shape (count, nv): always the same array, written by each step; read only."""
        return self._batch.v[:, self._span.v]

    @property
    def state(self) -> State:
        """Coordinates and velocities, copies."""
        return State(np.array(self.q, float), np.array(self.v, float))

    # ------------------------------------------------------- what acts until changed

    @property
    def target(self) -> Array:
        """Where the motors' springs pull to, shape (count, nq), to be written; quaternions must be unit."""
        return self._arrays.control[:, self._parts.target]

    @property
    def rate(self) -> Array:
        """Rates of the targets, shape (count, nv) [rad/s], [m/s], to be written."""
        return self._arrays.control[:, self._parts.rate]

    @property
    def push(self) -> Array:
        """Generalized forces, shape (count, nv) [N m], [N], to be written."""
        return self._arrays.control[:, self._parts.push]

    def set_target(self, q: Any, rate: Any = None, worlds: Any = None) -> None:
        """The same, checked: q, shape (nq,) or (n, nq); rate, shape (nv,) or (n, nv)."""
        figure, at = self.figure, chosen(worlds, self._batch.count)
        q = per_world(q, len(at), (figure.nq,), "q")
        State(q, np.zeros((len(at), figure.nv))).check(figure)
        rates = None if rate is None else per_world(rate, len(at), (figure.nv,), "rate")
        self.target[at] = figure.normalised(q)
        if rates is not None:
            self.rate[at] = rates

    def set_motor(self, stiffness: Any, damping: Any, joints: Iterable[str] | None = None, worlds: Any = None) -> None:
        """Spring [N m/rad] and damper [N m s/rad] of some joints; None: of all but a free base."""
        self._set_motor(0, stiffness, damping, joints, worlds, hard=False)

    def set_wall(
        self, stiffness: Any, damping: Any = 0.0, joints: Iterable[str] | None = None, worlds: Any = None
    ) -> None:
        """Spring [N m/rad] and damper [N m s/rad] at the ends of some joints' ranges; an infinite spring is hard."""
        self._set_motor(2, stiffness, damping, joints, worlds, hard=True)
        at, motor = chosen(worlds, self._batch.count), self._records(self._parts.motor, record_size(Motor))
        put(motor, at, self._member._rows_of(joints), SOFT_MOBILITY, np.zeros(len(at)))

    def _set_motor(
        self, first: int, stiffness: Any, damping: Any, joints: Iterable[str] | None, worlds: Any, *, hard: bool
    ) -> None:
        at, rows = chosen(worlds, self._batch.count), self._member._rows_of(joints)
        k = per_world(stiffness, len(at), (), "stiffness", least=0.0, positive=hard, infinite=hard)
        d = per_world(damping, len(at), (), "damping", least=0.0)
        motor = self._records(self._parts.motor, record_size(Motor))
        put(motor, at, rows, first, k)
        put(motor, at, rows, first + 1, d)

    def set_effort_limit(self, limit: Any, joints: Iterable[str] | None = None, worlds: Any = None) -> None:
        """Greatest torque [N m] or force [N] of some joints' motors; None: of all; infinite: none."""
        at, rows = chosen(worlds, self._batch.count), self._member._motors_of(joints)
        limits = per_world(limit, len(at), (), "limit", least=0.0, infinite=True)
        put(self._records(self._parts.motor, record_size(Motor)), at, rows, record_offsets(Motor)["limit"], limits)

    def pull(
        self, frame: str, force: Any = (0.0, 0.0, 0.0), torque: Any = (0.0, 0.0, 0.0), *, at: Any = None,
        worlds: Any = None,
    ) -> None:  # fmt: skip
        """A force [N] and a torque [N m] on a link, world axes, shapes (3,) or (n, 3), that act until changed.

        Args:
            frame: name of a link or frame.  The force acts at its origin, or at a point in it.
            force: zero ends it.
            torque: the same.
            at: a point in the frame [m], shape (3,).
            worlds: which.
        """
        which, place = chosen(worlds, self._batch.count), None if at is None else per_world(at, 1, (3,), "at")[0]
        forces = per_world(force, len(which), (3,), "force")
        torques = per_world(torque, len(which), (3,), "torque")
        body, *point = frame_in_body(self.figure, tree_model_of(self.figure), frame, place)
        pulls = self._records(self._parts.pull, record_size(Pull))
        pulls[which, body, :3], pulls[which, body, 3:6], pulls[which, body, 6:] = forces, torques, point
        size, control = record_size(Pull), self._arrays.control
        every = control[:, -1 - size * self._arrays.model.forest.bodies : -1].reshape(len(control), -1, size)
        control[:, -1] = every[:, :, :6].any(axis=(1, 2))

    def _records(self, part: slice, size: int) -> Array:
        return self._arrays.control[:, part].reshape(self._batch.count, -1, size)

    # ------------------------------------------------------- what it is made of

    def set_mass(self, factor: Any, links: Iterable[str] | None = None, worlds: Any = None) -> None:
        """Masses and moments of inertia of some links, as multiples of the figure's own; None: of all links.

        Contacts feel the new mass too (`Settings.contact_mass`).  Functions of the figure, such as `centre_of_mass`,
        know nothing of it.
        """
        at = chosen(worlds, self._batch.count)
        factors = per_world(factor, len(at), (), "factor", positive=True)
        bodies = [self._span.body_of_link[k] for k in self._links(links)]
        nature, model = NatureViews(self._arrays), model_solids(self._arrays.model)
        for k in self._links(links):
            mass = self.figure.links[k].mass.mass
            for given in {float(factors.min()), float(factors.max())} if len(at) and mass > 0.0 else ():
                mass_of(given * mass, f"factor: {given:g} times the mass of link {self.figure.link_names[k]!r}")
        for name, size in (("mass", 1), ("central", 6), ("least", 1)):
            part = slice(SOLID[name], SOLID[name] + size)
            for body in bodies:
                nature.solids[at, body, part] = factors[:, None] * model[body, part]
        masses = nature.solids[at, self._span.bodies, SOLID["mass"]].sum(axis=1)
        put(nature.skins, at, self._shapes(None), SKIN["mass"], masses)

    def set_friction(self, friction: Any, links: Iterable[str] | None = None, worlds: Any = None) -> None:
        """Coefficient of the surfaces of some links; None: of all."""
        self._set_skin("friction", friction, links, worlds, most=np.inf)

    def set_restitution(self, restitution: Any, links: Iterable[str] | None = None, worlds: Any = None) -> None:
        """Coefficient of the surfaces of some links, 0 to 1; None: of all."""
        self._set_skin("restitution", restitution, links, worlds, most=1.0)

    def _set_skin(self, name: str, value: Any, links: Iterable[str] | None, worlds: Any, most: float) -> None:
        at, shapes = chosen(worlds, self._batch.count), self._shapes(links)
        values = per_world(value, len(at), (), name, least=0.0)
        if (values > most).any():
            raise ArgumentError(f"{name}: must be {most:g} at the most, got {values.max():g}")
        put(NatureViews(self._arrays).skins, at, shapes, SKIN[name], values)

    def set_limits(self, joint: str, low: Any, high: Any, worlds: Any = None) -> None:
        """Range of a hinge or slider [rad], [m]; infinite: none."""
        at, figure = chosen(worlds, self._batch.count), self.figure
        k = figure.joint_index(joint)
        own, bodies = figure.links[k].joint, tree_model_of(figure).driven_by(figure, k)
        if len(own.screws) != 1 and not (own.follows and own.nq == 1):
            raise ArgumentError(f"joint: {joint!r} has no interval: it is a {figure.links[k].joint.kind.value} joint")
        highs = per_world(high, len(at), (), "high", infinite=True)
        lows = -per_world(np.negative(np.asarray(low, float)), len(at), (), "low", infinite=True)
        if (lows > highs).any():
            wrong = (lows > highs).argmax()
            raise ArgumentError(f"low, high: {lows[wrong]:g} is above {highs[wrong]:g}")
        limits, body = NatureViews(self._arrays).limits, self._span.bodies.start + bodies[0]
        limits[at, body, 0], limits[at, body, 1] = lows, highs

    def ranges_of(self, joint: str, worlds: Any = None) -> list[RangeOfMotion | None]:
        """Range of motion of a ball joint in each world, or None."""
        at, k = chosen(worlds, self._batch.count), ball_joint(self.figure, joint)
        return self._arrays.ranges.of(NatureViews(self._arrays).ranges[at, self._span.body_of_link[k]])

    def set_range(self, joint: str, ranges: Any, worlds: Any = None) -> None:
        """Range of motion of a ball joint.

        A joint that is outside comes back as its wall says (`set_wall`).  What the old wall pushed with is forgotten.
        Worlds of a block (`WorldBatch.width`) that have the same range are looked after together: it costs least if
        neighbours have the same.

        Args:
            joint: its name.
            ranges: a `RangeOfMotion` or None for all these worlds, or a sequence with one for each.
            worlds: which.
        """
        arrays, at, k = self._arrays, chosen(worlds, self._batch.count), ball_joint(self.figure, joint)
        given, body = ranges_for(ranges, len(at), self.figure, joint), self._span.body_of_link[k]
        arrays.ranges.put(NatureViews(arrays).ranges, at, body, given)
        for part in joint_memory(arrays.model.forest, body):
            arrays.state[at, part] = 0.0

    def _links(self, names: Iterable[str] | None) -> list[int]:
        """Indices of links; None: of all."""
        if names is None:
            return list(range(self.figure.nlinks))
        if not isinstance(names, Iterable):
            raise ArgumentError(f"links: expected names of links of {self.figure.name!r}, got {names!r}")
        return [self.figure.link_index(name) for name in ([names] if isinstance(names, str) else names)]

    def _shapes(self, links: Iterable[str] | None) -> list[int]:
        """Numbers of the shapes of links."""
        wanted, k = set(self._links(links)), self._arrays.model.index[self._member]
        surfaces = enumerate(self._arrays.model.surfaces)
        return [i for i, surface in surfaces if surface.figure == k and surface.link in wanted]

    # ------------------------------------------------------- what there is to see

    def poses(self) -> LinkPoses:
        """Where all links are in the world, shape (count, nlinks, ...)."""
        return forward_kinematics(self.figure, np.ascontiguousarray(self.q), threads=self._batch.threads)

    def centre_of_mass(self) -> Array:
        """In the world [m], shape (count, 3), with the masses of the figure."""
        return centre_of_mass(self.figure, np.ascontiguousarray(self.q), threads=self._batch.threads)

    def contact_forces(self) -> Array:
        """Sum of the contact forces on each link in the last step, world axes [N], shape (count, nlinks, 3)."""
        return batch_forces.contact_forces(self._arrays, self._arrays.model.index[self._member], self.figure.nlinks)

    def motor_forces(self) -> Array:
        """What the motors did in the last step, shape (count, nv) [N m], [N]; never above their effort limits."""
        return batch_forces.motor_forces(self._arrays, self._member)

    def limit_forces(self) -> Array:
        """How hard the ends of ranges pushed back, shape (count, nlinks, 2) [N m], [N]; see `Member.limit_forces`."""
        return batch_forces.limit_forces(self._arrays, self._member)


class BatchTie:
    """A spring or rope in all worlds of a batch; made by `WorldBatch.tie`."""

    def __init__(self, batch: "WorldBatch", tie: Tie) -> None:
        self._batch, self._tie, self._arrays = batch, tie, batch.arrays
        self._first = batch.arrays.model.ties.index[tie] * record_size(TieRecord)

    def _part(self, name: str, size: int = 1) -> Array:
        at = self._first + AT[name]
        return self._arrays.ties[:, at : at + size]

    @property
    def force(self) -> Array:
        """On the first end, mean over the last step, world axes [N], shape (count, 3)."""
        return (self._part("impulse", 3) + self._part("earlier", 3)) / self._arrays.step_h[:, None]

    @property
    def anchor(self) -> Array:
        """The end that is fixed to the world [m], shape (count, 3), to be written."""
        if on_link(self._tie.ends[1]):
            raise ArgumentError("both ends are on links: there is no anchor")
        return self._part("point_b", 3)

    def set(
        self, stiffness: Any = None, damping: Any = None, length: Any = None, force_limit: Any = None,
        worlds: Any = None,
    ) -> None:  # fmt: skip
        """Its spring [N/m], damper [N s/m], length of a rope [m], greatest force of a spring [N]; None: as they are."""
        at = chosen(worlds, self._batch.count)
        if length is not None and self._tie.length is None:
            raise ArgumentError("length: a spring has none")
        if force_limit is not None and self._tie.length is not None:
            raise ArgumentError("force_limit: a rope has none")
        given = {"stiffness": stiffness, "damping": damping, "length": length}
        checked = {name: per_world(value, len(at), (), name, least=0.0, positive=name == "length")
                   for name, value in given.items() if value is not None}  # fmt: skip
        if force_limit is not None:
            checked["limit"] = per_world(force_limit, len(at), (), "force_limit", least=0.0, infinite=True)
        spring, damper = (checked.get(name, self._part(name)[at, 0]) for name in ("stiffness", "damping"))
        if (spring + damper == 0).any():
            raise ArgumentError("stiffness, damping: a spring or rope needs one of them, got 0 and 0")
        for name, values in checked.items():
            self._part(name)[at, 0] = values
