"""Figure: a tree of links, frozen.  What a figure is; how it moves is said by `State` and `Trajectory`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import values
from hitogata.figure.coupled import checked_ranges
from hitogata.figure.link import Link
from hitogata.figure.mobility import check_mobility
from hitogata.figure.pose import IDENTITY, FloatArray, Pose

_ROUNDING = 1e-15
"""Quaternions whose length differs from 1 by no more than this cannot be made better by a division."""


@dataclass(frozen=True)
class Figure:
    """Links in depth-first order, each with the joint to its parent.

    Build one with `FigureBuilder`, `Figure.from_links`, a function of `hitogata.library`, or a reader of
    `hitogata.files`.  Coordinates `q` and velocities `v` follow the order of the links (see `hitogata.figure.joint`
    for what each joint contributes).

    Attributes:
        name: of the figure.
        links: depth-first: every link directly follows its parent or a sibling's subtree.
        coupled: ranges over the coordinates of several joints, `hitogata.rom.coupled.CoupledRange`; the joints of each
            lie on one way from the root outwards.
    """

    name: str
    links: tuple[Link, ...]
    coupled: tuple[Any, ...] = ()
    compiled: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What other rooms derived from this figure and keep with it (flat arrays for kernels)."""

    def __post_init__(self) -> None:
        values.name(self.name, "figure")
        object.__setattr__(self, "links", _only_links(self.links))
        _check_tree(self.links)
        object.__setattr__(self, "coupled", checked_ranges(self.coupled, self))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: what it is; what was derived from it is made anew where it is asked for."""
        return {"name": self.name, "links": self.links, "coupled": self.coupled, "compiled": {}}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Figure":
        """Itself: it cannot be changed."""
        return self

    @classmethod
    def from_links(cls, name: str, links: Iterable[Link]) -> "Figure":
        """A figure from links in any order; they are put into depth-first order, siblings as given."""
        return cls(name, _depth_first(_only_links(links)))

    def with_coupled(self, *ranges: Any) -> "Figure":
        """The same figure with these ranges over several joints, instead of those it has."""
        return Figure(self.name, self.links, ranges)

    # ------------------------------------------------------- sizes and places in q and v

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(link.joint.nq for link in self.links)

    @cached_property
    def nv(self) -> int:
        """Number of velocities: degrees of freedom, with those of the base."""
        return sum(link.joint.nv for link in self.links)

    @property
    def nlinks(self) -> int:
        """Number of links."""
        return len(self.links)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of each link's parent; -1 for the root."""
        return tuple(-1 if link.parent is None else self.link_index(link.parent) for link in self.links)

    @cached_property
    def q_starts(self) -> tuple[int, ...]:
        """First coordinate of each link's joint."""
        return tuple(np.cumsum([0, *(link.joint.nq for link in self.links)])[:-1].tolist())

    @cached_property
    def v_starts(self) -> tuple[int, ...]:
        """First velocity of each link's joint."""
        return tuple(np.cumsum([0, *(link.joint.nv for link in self.links)])[:-1].tolist())

    def q_slice(self, name: str) -> slice:
        """Where the coordinates of a joint (by its own or its link's name) stand in q."""
        i = self.joint_index(name)
        return slice(self.q_starts[i], self.q_starts[i] + self.links[i].joint.nq)

    def v_slice(self, name: str) -> slice:
        """Where the velocities of a joint (by its own or its link's name) stand in v."""
        i = self.joint_index(name)
        return slice(self.v_starts[i], self.v_starts[i] + self.links[i].joint.nv)

    # ------------------------------------------------------- names

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, in order."""
        return tuple(link.name for link in self.links)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in order; a joint without a name has its link's."""
        return tuple(link.joint.name or link.name for link in self.links)

    @cached_property
    def _indices(self) -> tuple[dict[str, int], dict[str, int], dict[str, tuple[int, Pose]]]:
        links = {name: i for i, name in enumerate(self.link_names)}
        joints = {**links, **{name: i for i, name in enumerate(self.joint_names)}}
        frames = {name: (i, IDENTITY) for name, i in links.items()}
        frames.update({f.name: (i, f.pose) for i, link in enumerate(self.links) for f in link.frames})
        return links, joints, frames

    def link_index(self, name: str) -> int:
        """Index of a link."""
        return _found(self._indices[0], name, "link", self.name)

    def joint_index(self, name: str) -> int:
        """Index of the link that a joint moves; the joint is named by its own or its link's name."""
        return _found(self._indices[1], name, "joint", self.name)

    def frame(self, name: str) -> tuple[int, Pose]:
        """(index of the link, X_BF) of a named frame; a link's name means its own frame."""
        return _found(self._indices[2], name, "frame", self.name)

    def link(self, name: str) -> Link:
        """A link by name."""
        return self.links[self.link_index(name)]

    # ------------------------------------------------------- values

    @cached_property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(link.mass.mass for link in self.links)

    def neutral(self) -> FloatArray:
        """Coordinates of the neutral pose, shape (nq,): every joint at its `rest`."""
        return self._rest.copy()

    @cached_property
    def _rest(self) -> FloatArray:
        return np.array([x for link in self.links for x in link.joint.rest or ()], dtype=np.float64)

    def normalised(self, q: values.ArrayLike) -> FloatArray:
        """Coordinates with every quaternion scaled to length 1, shape (..., nq).  Those that are, to rounding, stay."""
        array: FloatArray = np.array(values.floats(q, "q"), dtype=np.float64)
        if array.shape[-1:] != (self.nq,):
            raise ArgumentError(f"q: expected shape (..., {self.nq}) for figure {self.name!r}, got {array.shape}")
        for start in self.quat_starts:
            norm = np.linalg.norm(array[..., start : start + 4], axis=-1, keepdims=True)
            if not (norm > 0).all():
                raise ArgumentError(f"q: the quaternion at q[{start}:{start + 4}] is zero or not a number")
            array[..., start : start + 4] /= np.where(np.abs(norm - 1.0) < _ROUNDING, 1.0, norm)
        return array

    @cached_property
    def quat_starts(self) -> tuple[int, ...]:
        """First coordinate of every quaternion in q."""
        return tuple(
            start + link.joint.quat_start
            for start, link in zip(self.q_starts, self.links, strict=True)
            if link.joint.quat_start is not None
        )

    def random(self, rng: np.random.Generator, *, spread: float = 1.0) -> FloatArray:
        """Random coordinates, shape (nq,): uniform orientations, the others normal with `spread`, inside ranges."""
        q = rng.normal(size=self.nq) * spread
        for start in self.quat_starts:
            quat = rng.normal(size=4)
            q[start : start + 4] = quat / np.linalg.norm(quat)
        for start, link in zip(self.q_starts, self.links, strict=True):
            if link.joint.range is not None and link.joint.quat_start is None:
                limits = np.reshape(link.joint.range, (-1, 2))
                part = slice(start, start + link.joint.nq)
                q[part] = np.clip(q[part], limits[:, 0], limits[:, 1])
        return q

    def __str__(self) -> str:
        return f"Figure {self.name!r}: {self.nlinks} links, nq {self.nq}, nv {self.nv}, {self.mass:g} kg"


def _found(table: dict[str, Any], name: str, what: str, figure: str) -> Any:
    try:
        return table[name]
    except (KeyError, TypeError):
        import difflib

        near = difflib.get_close_matches(str(name), table, n=3)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else f"; there are: {', '.join(table)}"
        raise FigureError(f"figure {figure!r} has no {what} {name!r}{hint}") from None


def _only_links(links: Iterable[Link]) -> tuple[Link, ...]:
    try:
        result = tuple(links)
    except TypeError:
        raise FigureError(f"links: expected a list of Link, got {links!r}") from None
    for link in result:
        if not isinstance(link, Link):
            raise FigureError(f"links: expected only Link, got {link!r}")
    return result


def _check_tree(links: tuple[Link, ...]) -> None:
    """Names are unique, parents known, one root, depth-first order."""
    if not links:
        raise FigureError("a figure needs at least one link")
    if _depth_first(links) != links:
        raise FigureError("links are not in depth-first order: use Figure.from_links, which sorts them")
    values.unique([link.joint.name or link.name for link in links], "joint")
    values.unique([link.name for link in links] + [f.name for link in links for f in link.frames], "frame or link")
    for link in links[1:]:
        if link.joint.floating:
            what = f"link {link.name!r} hangs on {link.parent!r}"
            raise FigureError(f"{what} by a free joint: only the root may")
    check_mobility(links)


def _depth_first(links: tuple[Link, ...]) -> tuple[Link, ...]:
    values.unique([link.name for link in links], "link")  # else the walk below might not end
    names = {link.name for link in links}
    children: dict[str | None, list[Link]] = {}
    for link in links:
        if link.parent is not None and link.parent not in names:
            raise FigureError(f"link {link.name!r}: unknown parent {link.parent!r}")
        children.setdefault(link.parent, []).append(link)
    roots = children.get(None, [])
    if len(roots) > 1:
        raise FigureError(f"a figure has one root, got {len(roots)}: {', '.join(repr(r.name) for r in roots)}")
    order: list[Link] = []
    stack = list(roots)
    while stack:
        link = stack.pop()
        order.append(link)
        stack.extend(reversed(children.get(link.name, [])))
    if len(order) < len(links):
        placed = {link.name for link in order}
        left = ", ".join(repr(link.name) for link in links if link.name not in placed)
        raise FigureError(f"links form a cycle or hang on one, so no root reaches them: {left}")
    return tuple(order)
