"""Springs and ropes in a world: the handles users hold, and their flat arrays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.springs import Tie as TieRecord
from hitogata.constraints.springs import TieInts
from hitogata.dynamics import forward_kinematics
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.dynamics.jacobians import frame_in_body
from hitogata.dynamics.joints import FREE
from hitogata.dynamics.layout import Body, JointInts
from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.arguments import number, numbers
from hitogata.sim.members import Member
from hitogata.sim.world_model import Forest, IntArray

if TYPE_CHECKING:
    from hitogata.sim.world import World
    from hitogata.sim.world_data import Arrays

End = tuple[Member, str] | tuple[Member, str, Any] | Any
"""An end of a spring or rope: (figure in the world, link or frame), the same with a point in that frame [m], or a
point of the world."""

AT = record_offsets(TieRecord)
"""Where the fields of a record stand; what begins with the impulse is known of the last step."""


HERE = object()
"""Stands for the place where an anchor is."""


def on_link(end: Any) -> bool:
    """Is this end of a spring or rope on a figure?  Otherwise it is a point of the world."""
    return isinstance(end, tuple) and len(end) in (2, 3) and isinstance(end[0], Member)


class Tie:
    """A spring or rope in a world; made by `World.add_spring` and `World.add_rope`."""

    def __init__(
        self, world: "World", ends: "tuple[End, End]", stiffness: float, damping: float, length: float | None,
        touching: bool = True, force_limit: float = np.inf,
    ) -> None:  # fmt: skip
        self._world, self._ends, self._touching, self._force_limit = world, ends, touching, force_limit
        self._stiffness, self._damping, self._length = stiffness, damping, length

    @property
    def world(self) -> "World":
        """Where it is, or was."""
        return self._world

    @property
    def ends(self) -> "tuple[End, End]":
        """Its two ends."""
        return self._ends

    @property
    def members(self) -> list[Member]:
        """The figures at its ends."""
        return [end[0] for end in self.ends if on_link(end)]

    @property
    def stiffness(self) -> float:
        """K [N/m]."""
        return self._stiffness

    @property
    def damping(self) -> float:
        """D [N s/m]."""
        return self._damping

    @property
    def length(self) -> float | None:
        """Of a rope [m]; None: a spring."""
        return self._length

    @property
    def touching(self) -> bool:
        """Whether its two links may touch each other."""
        return self._touching

    @property
    def force_limit(self) -> float:
        """Greatest force of a spring [N]; infinite: none."""
        return self._force_limit

    @property
    def _arrays(self) -> "Arrays":
        """Those of its world, if it is still there."""
        arrays = self.world.arrays
        if self not in arrays.ties.index:
            raise self._removed()
        return arrays

    def _removed(self) -> ArgumentError:
        return ArgumentError("the spring or rope was removed from the world")

    def move_anchor(self, point: Any = HERE, velocity: Any = (0.0, 0.0, 0.0)) -> None:
        """Move the end that is fixed to the world.

        With a velocity it goes on by itself, in all steps from now on, and the spring's damper is at rest where the
        link goes along with it.

        Args:
            point: where it is now [m], shape (3,); where it is, if none is given.
            velocity: how it goes on [m/s], shape (3,); a rope's anchor has none.
        """
        target = self.anchor if point is HERE else numbers(point, 3, "point").copy()
        drift = numbers(velocity, 3, "velocity").copy()
        if on_link(self.ends[1]):
            raise ArgumentError("both ends are on links: there is no anchor to move")
        if self._length is not None and drift.any():
            raise ArgumentError(f"velocity: the anchor of a rope moves from point to point only, got {velocity!r}")
        self._arrays  # noqa: B018  may refuse: nothing has changed yet
        self.world._wake([self.ends[0][0]])
        arrays = self._arrays
        arrays.ties.view(self, "point_b")[:], arrays.ties.view(self, "drift")[:] = target, drift
        self._ends = self.ends[0], target

    def set(
        self, stiffness: float | None = None, damping: float | None = None, force_limit: float | None = None
    ) -> None:
        """Another spring [N/m], damper [N s/m], greatest force of a spring [N]; None: as it is."""
        given = {"stiffness": stiffness, "damping": damping, "limit": force_limit}
        said = {name: value for name, value in given.items() if value is not None}
        new = {name: number(value, name, infinite=name == "limit") for name, value in said.items()}
        spring, damper = new.get("stiffness", self._stiffness), new.get("damping", self._damping)
        if spring + damper == 0:
            raise ArgumentError("stiffness, damping: a spring or rope needs one of them, got 0 and 0")
        if "limit" in new and self._length is not None:
            raise ArgumentError("force_limit: a rope has none")
        self._arrays  # noqa: B018  may refuse: nothing has changed yet
        self.world._wake(self.members)
        arrays = self._arrays
        for name, value in new.items():
            arrays.ties.view(self, name, 1)[0] = value
        self._stiffness, self._damping = spring, damper
        self._force_limit = new.get("limit", self._force_limit)

    @property
    def anchor(self) -> FloatArray:
        """The end that is fixed to the world, where it is now [m], shape (3,)."""
        if on_link(self.ends[1]):
            raise ArgumentError("both ends are on links: there is no anchor")
        return self._arrays.ties.view(self, "point_b").copy()

    def _look_up_anchor(self) -> None:
        """The anchor was moved by restoring: take note."""
        if not on_link(self.ends[1]):
            self._ends = self.ends[0], self._arrays.ties.view(self, "point_b").copy()

    @property
    def force(self) -> FloatArray:
        """Force on the first end, mean over the last step, world axes [N], shape (3,)."""
        return self.impulse / self._arrays.h_of(self.ends[0][0])

    @property
    def impulse(self) -> FloatArray:
        """Impulse on the first end in the last step, all its substeps, world axes [N s], shape (3,)."""
        arrays = self._arrays
        last, asleep = arrays.ties.view(self, "impulse").copy(), arrays.nap_of(self.ends[0][0]) is not None
        return last if asleep else last + arrays.ties.view(self, "earlier")

    @property
    def peak(self) -> float:
        """Greatest force in the last step, mean over one of its substeps [N]."""
        arrays, member = self._arrays, self.ends[0][0]
        last = float(np.linalg.norm(arrays.ties.view(self, "impulse"))) / arrays.piece_h_of(member)
        return last if arrays.nap_of(member) is not None else max(last, float(arrays.ties.view(self, "peak", 1)[0]))

    def _own_impulse(self) -> FloatArray:
        """Impulse in the last step in the frame of the first end's body, as its link stood in the last substep."""
        member, frame, *_ = self.ends[0]
        arrays, (link, _) = self._arrays, member.figure.frame(frame)
        model = tree_model_of(member.figure)
        turn = forward_kinematics(member.figure, arrays.q_of(member, arrays.start)).rotation[link]
        turn = turn @ model.link_poses[model.body_of_link[link]].rotation.T  # of the body
        last = turn.T @ arrays.ties.view(self, "impulse")
        own = last if arrays.nap_of(member) is not None else last + arrays.ties.view(self, "earlier_own")
        result: FloatArray = turn @ own
        return result

    @property
    def places(self) -> tuple[FloatArray, FloatArray]:
        """Its two ends in the world, before the last step [m], shape (3,) each."""
        a, b = (self._place(end)[1] for end in self.ends)
        return a, b

    def _impulses(self) -> list[tuple[int, FloatArray, FloatArray]]:
        """Body in the forest, place in the world before the last substep, and its impulse on both ends."""
        impulse = self._arrays.ties.view(self, "impulse")
        (a, at_a), (b, at_b) = (self._place(end) for end in self.ends)
        return [(a, at_a, impulse), (b, at_b, -impulse)]

    def _place(self, end: End) -> tuple[int, FloatArray]:
        """Body in the forest (-1: the world) and place in the world of an end, before the last step."""
        if not on_link(end):
            ties, h = self._arrays.ties, self._arrays.h_of(self.ends[0][0])
            return -1, ties.view(self, "point_b") - h * ties.view(self, "drift")
        (member, frame, *point), arrays = end, self._arrays
        link, pose = member.figure.frame(frame)
        poses = forward_kinematics(member.figure, arrays.q_of(member, arrays.start))
        held = pose.apply(point[0]) if point else np.asarray(pose.position)
        return arrays.span_of(member).body_of_link[link], poses.position[link] + poses.rotation[link] @ held


class TieArrays:
    """The springs and ropes of a world as kernels read them.

    Attributes:
        index: number of each.
        numbers: a `TieRecord` of each, and one to spare, flat.
        ints: a `TieInts` of each, and one to spare, flat.
        before: the numbers before the last step; `piece`: before its last piece.
    """

    def __init__(self, ties: Sequence[Tie], arrays: "Arrays") -> None:
        self.index = {tie: k for k, tie in enumerate(ties)}
        floats, ints = [], []
        for tie in ties:
            (body_a, point_a), (body_b, point_b) = (_end_in_body(end, arrays) for end in tie.ends)
            known = [*point_a, *point_b, tie.stiffness, tie.damping, tie.length or 0.0, tie.force_limit, 0.0, 0.0, 0.0]
            floats.append(np.array([*known, *np.zeros(record_size(TieRecord) - len(known))]))
            ints.append([tie.length is not None, body_a, body_b])
        self.numbers = np.concatenate([*floats, np.zeros(record_size(TieRecord))])
        forest = arrays.forest if arrays.loose is None else arrays.loose.forest
        rows = np.zeros((len(ties) + 1, record_size(TieInts)), np.int64)
        if ties:
            rows[:-1, :3] = ints
            rows[:-1, 3:] = tied_groups(rows[:-1, 1:3], forest)
        self.ints = rows.reshape(-1)
        self.before, self.piece = self.numbers.copy(), self.numbers.copy()

    def view(self, tie: Tie, name: str, size: int = 3) -> FloatArray:
        """A vector of the record of one spring or rope, shape (3,)."""
        at = self.index[tie] * record_size(TieRecord) + AT[name]
        return self.numbers[at : at + size]

    def pulled_along(self) -> list[Member]:
        """Figures at springs whose anchors move."""
        if not self.index:
            return []
        drifts = self.numbers.reshape(-1, record_size(TieRecord))[:, AT["drift"] : AT["drift"] + 3]
        return [tie.ends[0][0] for tie, k in self.index.items() if drifts[k].any()]

    def forget_earlier(self, k: int | None = None) -> None:
        """What the earlier substeps of the last step did is told no more, of spring or rope k, or of all."""
        rows = self.numbers.reshape(-1, record_size(TieRecord))
        (rows if k is None else rows[k])[..., AT["earlier"] :] = 0.0

    def take_over(self, old: "TieArrays") -> None:
        """Those that were there keep what they know of the last step."""
        (new_rows, old_rows), at = (x.numbers.reshape(-1, record_size(TieRecord)) for x in (self, old)), AT["impulse"]
        for tie, k in self.index.items():
            if tie in old.index:
                new_rows[k, at:] = old_rows[old.index[tie], at:]
                if not on_link(tie.ends[1]):
                    for name in ("point_b", "drift"):
                        new_rows[k, AT[name] : AT[name] + 3] = old_rows[old.index[tie], AT[name] : AT[name] + 3]
        self.before, self.piece = self.numbers.copy(), self.numbers.copy()


def tied_groups(ends: IntArray, forest: Forest) -> IntArray:
    """Groups of trees that are tied together: of each spring or rope the first one of its group, whether the group
    hangs on the world, whether one of its trees is led (`strands`), and who tells whose momentum, shape (ties, 5).

    ends: bodies, -1: the world, shape (ties, 2).
    """
    joints = forest.fields.joint.rows
    armature = forest.fields.body.rows[:, record_offsets(Body)["armature"]]
    parents, kinds = (joints[:, record_offsets(JointInts)[name]] for name in ("parent", "kind"))
    root = np.arange(forest.bodies + 1)
    root[-1] = -1  # of the world
    for i, above in enumerate(parents):
        root[i] = i if above < 0 else root[above]
    group = np.arange(forest.bodies + 1)  # the least root of each root's group
    pairs = root[ends]
    for a, b in pairs[(pairs >= 0).all(axis=1)]:
        group[group == max(group[a], group[b])] = min(group[a], group[b])
    out = np.zeros((len(ends), 5), np.int64)
    own = group[pairs.max(axis=1)]
    for t, first in enumerate(own):
        within, trees = own == first, [r for r in np.unique(root[:-1]) if group[r] == first]
        free = all(kinds[r] == FREE for r in trees) and (pairs[within] >= 0).all()
        led = any(kinds[r] == FREE and armature[r] > 0.0 for r in trees)
        out[t, :3] = np.flatnonzero(within)[0], not free, led
    for first in np.unique(own):
        within, base = np.flatnonzero(own == first), {-1} | {r for r in np.unique(root[:-1]) if kinds[r] != FREE}
        if base.isdisjoint(pairs[within].flat):
            base = {first}
        out[within, 3:] = -1
        order = _outward(within, pairs, base)[::-1]
        out[within[: len(order)], 3:] = np.array(order, np.int64).reshape(-1, 2)
    return out


def _outward(within: IntArray, pairs: IntArray, reached: set[int]) -> list[tuple[int, int]]:
    """Springs and ropes that lead from some trees (-1: the world) to all others, nearest first, and where to."""
    order: list[tuple[int, int]] = []
    going = True
    while going:
        going = False
        for t in within:
            for a, b in (pairs[t], pairs[t][::-1]):
                if a in reached and b not in reached:
                    order.append((int(t), int(b)))
                    reached, going = reached | {int(b)}, True
    return order


def _end_in_body(end: End, arrays: "Arrays") -> tuple[int, FloatArray]:
    """Body that kernels move and point in its frame; -1 and the point itself for the world."""
    if not on_link(end):
        return -1, np.asarray(end, float)
    member, frame, *point = end
    body, x, y, z = frame_in_body(member.figure, tree_model_of(member.figure), frame, point[0] if point else None)
    body += arrays.span_of(member).bodies.start
    return body if arrays.loose is None else arrays.loose.body_of[body], np.array([x, y, z])
