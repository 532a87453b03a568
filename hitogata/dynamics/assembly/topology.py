"""What a schedule must know of a figure: which body hangs on which, how many motions its joint has, and what is light.

*Bodies* are those of `dynamics.layout`: the links, and a massless one inside every universal joint.  Joint i hangs
body i on its parent; joint 0 hangs the whole on the world and always comes last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.dynamics.joints import BALL, FIXED, HINGE, SCREW
from hitogata.dynamics.layout import Body, JointInts
from hitogata.dynamics.model import Model, callable_model_of, model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.lanes import record_offsets

LIGHT = 1e-6
"""Share of what its joint would turn or push with its children attached, below which a body alone counts as light."""


@dataclass(frozen=True)
class Topology:
    """A tree of bodies.

    Attributes:
        parents: of each body, -1 for the root; a parent comes before its children.
        columns: motions of each joint, 0 to 6.
        light: bodies that their own joint moves (almost) freely: their children must be joined before them.
        names: of the joints.
        followers: of each joint, the coordinates that move it where these move several joints, or by functions: numbers
            from 0 on; empty: there are none.
    """

    parents: tuple[int, ...]
    columns: tuple[int, ...]
    light: tuple[bool, ...]
    names: tuple[str, ...]
    followers: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        roots = [i for i, p in enumerate(self.parents) if p < 0]
        if not self.parents:
            raise ArgumentError("parents: a schedule needs at least one body")
        if len(roots) > 1:
            shown = ", ".join(map(str, roots[:4])) + (", ..." if len(roots) > 4 else "")
            raise ArgumentError(
                f"parents: {len(roots)} bodies have no parent ({shown}), but a schedule joins one tree; "
                "plan each tree by itself, or hang them on one root"
            )
        for i, p in enumerate(self.parents):
            if not (p < i and (p >= 0 or i == 0)):
                raise ArgumentError(f"parents[{i}] is {p}: a parent must come before its children, the root first")

    def __len__(self) -> int:
        """Number of bodies."""
        return len(self.parents)

    @cached_property
    def joints_moved(self) -> tuple[int, ...]:
        """How many joints each coordinate of `followers` moves."""
        every = [c for joint in self.followers for c in joint]
        return tuple(np.bincount(every).tolist()) if every else ()

    @cached_property
    def first_share(self) -> tuple[int, ...]:
        """Number of the first coordinate of each joint, all coordinates of all joints counted."""
        return tuple(np.cumsum([0, *(map(len, self.followers) if self.followers else [0] * len(self))])[:-1].tolist())

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Of each body."""
        lists: list[list[int]] = [[] for _ in self.parents]
        for i, p in enumerate(self.parents[1:], 1):
            lists[p].append(i)
        return tuple(map(tuple, lists))

    @cached_property
    def sizes(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Bodies in each subtree."""
        sizes = np.ones(len(self), np.int64)
        for i in range(len(self) - 1, 0, -1):
            sizes[self.parents[i]] += sizes[i]
        return sizes


def tree_of(parents: Sequence[int], *, columns: Sequence[int] | None = None) -> Topology:
    """A bare tree, for plans and simulations without a figure; one motion per joint unless said otherwise.

    Args:
        parents: of each body, -1 for the root; a parent comes before its children.
        columns: motions of each joint, 0 to 6.
    """
    given = tuple(int(p) for p in parents)
    motions = (1,) * len(given) if columns is None else tuple(int(c) for c in columns)
    if len(motions) != len(given) or not all(0 <= c <= 6 for c in motions):
        raise ArgumentError(f"columns: expected {len(given)} numbers from 0 to 6")
    return Topology(given, motions, (False,) * len(given), tuple(f"joint{i}" for i in range(len(given))))


def topology_of(figure: Figure) -> Topology:
    """The tree of a figure's bodies, made once and kept with it.

    Raises:
        ArgumentError: a joint at a tip moves no mass and has no armature.
    """
    found: Topology | None = figure.compiled.get("topology")
    if found is None:
        if callable_model_of(figure).follows:
            from hitogata.dynamics.assembly.expansion import followers_of  # functions, for those who need them

            followers = followers_of(figure)
            found = _read(followers.tree, model_of(followers.tree), followers.of_joints)
        else:
            found = _read(figure, model_of(figure), ())
        figure.compiled["topology"] = found
    return found


def _read(figure: Figure, model: Model, followers: tuple[tuple[int, ...], ...]) -> Topology:
    rows, numbers = model.tables.joints, model.tables.bodies
    count = len(rows)
    ints, floats = record_offsets(JointInts), record_offsets(Body)
    parents, kinds, links = (rows[:, ints[name]] for name in ("parent", "kind", "link"))
    owner = [next(int(link) for link in links[i:] if link >= 0) for i in range(count)]
    names = tuple(figure.joint_names[k] for k in owner)
    at, gear, pos = floats["inertia"], floats["armature"], floats["pos"]
    mass, spread = numbers[:, at], numbers[:, at + 4] + numbers[:, at + 7] + numbers[:, at + 9]
    light = []
    for i in range(count):
        screw = numbers[i, floats["turn"] : floats["turn"] + 2]
        alone = _moved(int(kinds[i]), screw, numbers[i, at : at + 10]) + numbers[i, gear]
        hung = np.flatnonzero(parents == i)
        reach = float(sum(mass[c] * (numbers[c, pos : pos + 3] @ numbers[c, pos : pos + 3]) + spread[c] for c in hung))
        with_children = alone + (float(mass[hung].sum()) if kinds[i] == SCREW and screw[1] else reach)
        is_light = bool(kinds[i] in (HINGE, SCREW, BALL) and alone <= LIGHT * with_children)
        if is_light and len(hung) == 0 and not (followers and followers[i]):
            raise ArgumentError(
                f"figure {figure.name!r}: joint {names[i]!r} moves no mass: link "
                f"{figure.link_names[owner[i]]!r} needs mass (about its axis), or the joint armature"
            )
        light.append(is_light)
    motions = tuple(int(c) for c in rows[:, ints["count"]])
    return Topology(tuple(int(p) for p in parents), motions, tuple(light), names, followers)


def _moved(kind: int, screw: Any, inertia: Any) -> float:
    """Least inertia that a joint feels of its body alone, with its motions; inertia: mass, moment, rotational part."""
    if kind in (HINGE, SCREW):
        turn, slide = screw
        return float(turn * turn * inertia[9] + slide * slide * inertia[0])
    if kind == BALL:
        xx, xy, xz, yy, yz, zz = inertia[4:10]
        return float(np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0])
    return 1.0 if kind == FIXED else float(inertia[0])
