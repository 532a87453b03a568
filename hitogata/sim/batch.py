"""WorldBatch: one world many times over, with states and parameters of their own, stepped side by side."""

import copy
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.constraints.springs import Tie as TieRecord
from hitogata.dynamics.dispatch import check_threads
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import State
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.arguments import STRONGEST, number, whole
from hitogata.sim.batch_arguments import chosen, per_world, states_of
from hitogata.sim.batch_arrays import Array, BatchArrays, NatureViews, make_arrays, put, skins_of
from hitogata.sim.batch_members import BatchMember, BatchTie
from hitogata.sim.blocks import DEAD, FRESH, TAKEN, Skin
from hitogata.sim.failure import in_two_threads
from hitogata.sim.layout import EARLIER
from hitogata.sim.members import Member
from hitogata.sim.parts import state_parts
from hitogata.sim.ties import AT, Tie
from hitogata.sim.world import LONGEST, World
from hitogata.sim.world_model import stretch


class BatchError(HitogataError):
    """Worlds of a batch became non-finite; `worlds` are their numbers.  They stand where they last were well, and stay
    there until they are reset; all others have taken their steps."""

    def __init__(self, message: str, worlds: Array) -> None:
        super().__init__(message)
        self.worlds = worlds


@dataclass(frozen=True)
class BatchSnapshot:
    """Everything a batch needs to go on exactly as it would have; made by `WorldBatch.save`."""

    arrays: BatchArrays
    time: Array


class WorldBatch:
    """So many worlds like one, stepped side by side in SIMD lanes, and shared over threads.

    Each world does what the single one would do, whatever its neighbours do: the same bits with any number of worlds
    and threads.  Figures, shapes, springs and ropes are those of the world given; states, targets, motors, pushes,
    masses, friction, limits, ranges of motion and gravity may differ from world to world.  Nothing can be added later.

    Arrays have one row per world.  Those to be read (`q`, `v`) are always the same arrays, written by each step; those
    to be set (`BatchMember.target`, ...) are read by each step.  No copies are made.

    Args:
        world: what each world of the batch is, and where; reduced coordinates.  It is not changed, and may be changed
            or stepped afterwards.
        count: how many.
        dtype: float64, or float32: twice as many side by side.
        threads: to share the worlds over; None: one per core.

    Attributes:
        time: of each world since it was made or reset [s], shape (count,).

    Example:
        >>> from hitogata.library import human28
        >>> from hitogata.sim import World, WorldBatch
        >>> world = World()
        >>> world.add_ground()
        >>> model = world.add(human28())
        >>> model.set_motor(2000.0, 30.0)
        >>> batch = WorldBatch(world, 16)
        >>> human = batch.member(model)
        >>> human.target[:, human.figure.q_slice("elbow_left")] = -0.5      # all rows, or (16, 1) of them
        >>> batch.step(1 / 240, steps=4)
        >>> human.q.shape, human.contact_forces().shape
        ((16, 43), (16, 13, 3))
    """

    def __init__(self, world: World, count: int, *, dtype: Any = np.float64, threads: int | None = 1) -> None:
        if not isinstance(world, World):
            raise ArgumentError(f"world: expected a World, got {world!r}")
        if world._led:
            raise ArgumentError("world: it has strands, which a batch cannot lead")
        check_threads(threads)
        try:
            kind = np.dtype(dtype)
        except TypeError:
            kind = np.dtype(object)
        if kind not in (np.float64, np.float32):
            raise ArgumentError(f"dtype: must be float64 or float32, got {dtype!r}")
        self._count, self._threads = whole(count, "count", least=1), threads
        self._model = copy.deepcopy(world)
        self._model._recordings.clear()
        self._model.arrays.tell()
        self._arrays = make_arrays(self._model.arrays, self._count, kind)
        self._of = dict(zip(world.members, self._model.members, strict=True))
        self._tie_of = dict(zip(world.ties, self._model.ties, strict=True))
        self._first = self._arrays.state[0].copy()
        self.time = np.full(self._count, world.time)
        self._busy = threading.Lock()

    def __copy__(self) -> "WorldBatch":
        """A batch of its own, as `copy.deepcopy` makes it."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: all but the lock of the thread that steps it."""
        return {name: value for name, value in self.__dict__.items() if name != "_busy"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _busy=threading.Lock())

    @property
    def count(self) -> int:
        """How many worlds there are."""
        return self._count

    @property
    def dtype(self) -> Any:
        """float64 or float32."""
        return self._arrays.dtype

    @property
    def threads(self) -> int | None:
        """To share the worlds over; None: one per core."""
        return self._threads

    @property
    def width(self) -> int:
        """How many worlds share a SIMD register."""
        return self._arrays.width.n

    @property
    def arrays(self) -> BatchArrays:
        """The numbers beneath, for kernels."""
        return self._arrays

    # ------------------------------------------------------- parts

    def member(self, member: Member) -> BatchMember:
        """A figure of the world the batch was made from, in all worlds at once."""
        own = self._of.get(member) if isinstance(member, Member) else None
        if own is None:
            raise ArgumentError(f"member: expected a figure of the world the batch was made from, got {member!r}")
        return BatchMember(self, own)

    @property
    def members(self) -> list[BatchMember]:
        """All figures and loose bodies, in their order."""
        return [BatchMember(self, own) for own in self._of.values()]

    def tie(self, tie: Tie) -> BatchTie:
        """A spring or rope of the world the batch was made from, in all worlds at once."""
        own = self._tie_of.get(tie) if isinstance(tie, Tie) else None
        if own is None:
            raise ArgumentError(f"tie: expected a spring or rope of the world the batch was made from, got {tie!r}")
        return BatchTie(self, own)

    @property
    def q(self) -> Array:
        """Coordinates of all figures, one after the other, shape (count, nq); always the same array, read only.

        Between figures stand those that follow others in function joints: `BatchMember.q` are a figure's own.
        """
        forest = self._model.arrays.forest
        return _read_only(self._arrays.state[:, forest.state.stretch("q", stretch(forest.spans).q)])

    @property
    def v(self) -> Array:
        """Velocities, likewise, shape (count, nv); always the same array, read only."""
        forest = self._model.arrays.forest
        return _read_only(self._arrays.state[:, forest.state.stretch("v", stretch(forest.spans).v)])

    @property
    def alive(self) -> Array:
        """Worlds that have not become non-finite, shape (count,), bool."""
        return self._arrays.marks[:, DEAD] == 0

    @property
    def residual(self) -> Array:
        """Greatest speed that the last sweep of the last step still mended [m/s], [rad/s], shape (count,)."""
        residual: Array = self._last[:, 1].copy()
        return residual

    @property
    def last_h(self) -> Array:
        """Length of the last step, or of its last piece [s], shape (count,); infinite where there was none."""
        h: Array = self._last[:, 0].copy()
        return h

    @property
    def _last(self) -> Array:
        """Length and residual of the last step of each world, a view."""
        return self._arrays.state[:, self._model.arrays.forest.state.part("last")]

    # ------------------------------------------------------- time

    def step(self, h: float, *, steps: int = 1, check: bool = True) -> None:
        """Move all worlds on by `steps` steps of h [s].

        Args:
            h: length of a step [s].
            steps: how many; several in one call are faster than several calls.
            check: raise BatchError if worlds became non-finite; else only `alive` tells.

        Raises:
            BatchError: worlds became non-finite in this call.
        """
        h, steps = number(h, "h", positive=True), whole(steps, "steps")
        if h > LONGEST:
            raise ArgumentError(f"h: a step is no longer than {LONGEST:g} s, got {h!r}; take several")
        if steps == 0:
            return
        if not self._busy.acquire(blocking=False):
            raise in_two_threads("step")
        try:
            before = self.alive
            self._arrays.take_steps(h, steps, self._threads)
        finally:
            self._busy.release()
        self.time += h * self._arrays.marks[:, TAKEN]
        failed = np.flatnonzero(before & ~self.alive)
        if check and len(failed):
            first = failed[0]
            more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
            raise BatchError(
                f"world {first}{more} became non-finite in the step after t = {self.time[first]:.6g} s; "
                "it stays there until it is reset", failed,
            )  # fmt: skip

    def reset(self, worlds: Any = None, state: "State | Mapping[Member, State] | None" = None) -> None:
        """Put worlds back to where the first world was, or elsewhere; contacts and their impulses are forgotten.

        Targets, motors, pushes and all other parameters stay.

        Args:
            worlds: numbers of worlds, or a mask, shape (count,); None: all.
            state: of the figure, if there is one, or of each figure that is to be elsewhere; one state for all these
                worlds, shapes (nq,) and (nv,), or one each, (n, nq) and (n, nv).
        """
        at = chosen(worlds, self._count)
        states = states_of(state, self._of, len(at))
        rows = np.tile(self._first, (len(at), 1))
        for member, (q, v) in states.items():
            parts = self._model.arrays.state_parts_of(member)
            rows[:, parts[0]], rows[:, parts[1]] = q, v
        self._arrays.state[at] = rows
        self._forget(at)
        self.time[at] = 0.0

    def _forget(self, at: Array) -> None:
        """These worlds begin anew."""
        self._arrays.forget_contacts(at)
        self._arrays.marks[at] = 0.0
        self._arrays.marks[at, FRESH] = 1.0
        for member in self._of.values():  # what joints and bodies know of the last step
            parts = state_parts(self._model.arrays.forest, self._model.arrays.span_of(member))
            for part in parts[2:]:
                self._arrays.state[at, part] = 0.0
            self._arrays.state[at, parts.told] = 1.0
        self._last[at] = np.inf, 0.0
        ties = self._arrays.ties.reshape(self._count, -1, record_size(TieRecord))
        ties[at, :, AT["impulse"] :] = 0.0

    # ------------------------------------------------------- parameters

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity of each world, shape (count, 3) [m/s²], a copy."""
        return NatureViews(self._arrays).gravity.copy()

    def set_gravity(self, gravity: Any, worlds: Any = None) -> None:
        """Acceleration of gravity [m/s²], shape (3,) or (n, 3)."""
        at = chosen(worlds, self._count)
        values = per_world(gravity, len(at), (3,), "gravity")
        size = np.linalg.norm(values, axis=1)
        if (size > STRONGEST).any():
            raise ArgumentError(f"gravity: must be {STRONGEST:g} m/s² at the most, got {values[size.argmax()]}")
        nature = NatureViews(self._arrays)
        nature.gravity[at], nature.fall[at] = values, size

    def set_ground_friction(self, friction: Any, worlds: Any = None) -> None:
        """Coefficient of all fixed shapes, a number or shape (n,)."""
        at = chosen(worlds, self._count)
        values = per_world(friction, len(at), (), "friction", least=0.0)
        fixed = [k for k, surface in enumerate(self._model.arrays.surfaces) if surface.figure < 0]
        put(NatureViews(self._arrays).skins, at, fixed, record_offsets(Skin)["friction"], values)

    # ------------------------------------------------------- save, restore, take out

    def save(self) -> BatchSnapshot:
        """Everything needed to go on from here, bit for bit."""
        return BatchSnapshot(self._arrays.copied(), self.time.copy())

    def restore(self, snapshot: BatchSnapshot) -> None:
        """Go back to a snapshot of this batch, or of one made in the same way."""
        if not isinstance(snapshot, BatchSnapshot):
            raise ArgumentError(f"snapshot: expected what `WorldBatch.save` returned, got {snapshot!r}")
        theirs, ours = snapshot.arrays, self._arrays
        if theirs.model.fingerprint() != ours.model.fingerprint():
            raise ArgumentError("snapshot: it is of worlds with other figures, shapes, springs or ropes")
        if (len(snapshot.time), theirs.dtype) != (self._count, ours.dtype):
            raise ArgumentError(
                f"snapshot: it is of {len(snapshot.time)} worlds in {theirs.dtype}, the batch has {self._count} in "
                f"{ours.dtype}"
            )
        ours.go_back(theirs)
        self.time[:] = snapshot.time

    def world(self, k: int) -> World:
        """World k as a single world that goes on from there, with all its parameters: to look at, draw or record.

        Its figures have the ranges of motion of world k.  Masses, limits, friction and gravity stay its own until
        something is added to it or removed.
        """
        k = whole(k, "k", most=self._count - 1)
        world, own = copy.deepcopy(self._model), self._arrays
        self._give_ranges(world, k)
        contacts, points = own.last_contacts(k)
        if len(contacts) > world.arrays.contact_room:
            world._arrays = world.arrays.with_room(len(contacts))
        arrays = world.arrays
        arrays.state[:], arrays.control[:], arrays.ties.numbers[:] = own.state[k], own.control[k], own.ties[k]
        arrays.put_contacts(contacts, points)
        arrays.sums[:] = 0.0
        arrays.counts[EARLIER] = 0
        arrays.ties.forget_earlier()
        self._write_nature(arrays, k)
        if own.marks[k, FRESH]:
            arrays.set_states({m: State(arrays.q_of(m).copy(), arrays.v_of(m).copy()) for m in world.members})
        arrays.unread.update(arrays.index)
        world._time = float(self.time[k])
        for tie in world.ties:
            tie._look_up_anchor()
        return world

    def _give_ranges(self, world: World, k: int) -> None:
        """The ranges of motion of world k, as far as they differ from the model's."""
        own = NatureViews(self._arrays).ranges[k]
        for member, model in zip(world.members, self._model.members, strict=True):
            bodies = self._model.arrays.span_of(model).body_of_link
            ranges = self._arrays.ranges.of(own[list(bodies)])
            balls = [j for j, link in enumerate(model.figure.links) if link.joint.is_ball]
            other = {j: ranges[j] for j in balls if ranges[j] is not model.figure.links[j].joint.range}
            if other:
                member._take_ranges(other)

    def _write_nature(self, arrays: Any, k: int) -> None:
        """The constants of world k, where a single world has them."""
        nature, own = NatureViews(self._arrays), arrays.forest.fields
        own.gravity[:], arrays.law[10] = nature.gravity[k], nature.fall[k]
        arrays.forest.solids[:], own.limit.rows[:] = nature.solids[k], nature.limits[k]
        skins_of(arrays)[:] = nature.skins[k]


def _read_only(array: Array) -> Array:
    """The same array, not to be written by users."""
    view = array.view()
    view.flags.writeable = False
    return view
