"""A set of virtual links on a figure: an immutable value, so that a link added or let go makes a new set."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.dynamics.model import Model, model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray, Pose
from hitogata.loops.layout import LinkMemory
from hitogata.loops.virtual_links import VirtualLink

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_numbers = itertools.count(1)


@dataclass(frozen=True)
class LinkHandle:
    """Name of a virtual link in all sets that hold it."""

    number: int
    child: str

    def __str__(self) -> str:
        return f"virtual link {self.number} on {self.child!r}"


@dataclass(frozen=True, eq=False)
class Links:
    """Virtual links on a figure.

        links = Links(figure)
        links, left = links.add(here(figure, q, grasp("palm_left", bar=(0, 1, 0))))
        links = links.remove(left)

    Coordinates of the figure never change with it.

    Attributes:
        figure: the figure.
        links: handle and virtual link, in the order of their rows: rigid ones first.
    """

    figure: Figure
    links: tuple[tuple[LinkHandle, VirtualLink], ...] = ()
    ints: IntArray = field(init=False, repr=False)
    floats: FloatArray = field(init=False, repr=False)
    rows: int = field(init=False, repr=False)
    """Rows of all links; those of rigid links stand first."""
    held: int = field(init=False, repr=False)
    """Rows of rigid links."""

    def __post_init__(self) -> None:
        if not isinstance(self.figure, Figure):
            raise ArgumentError(f"figure: expected a Figure, got {type(self.figure).__name__}")
        ordered = tuple(sorted(self.links, key=lambda pair: not pair[1].rigid))
        object.__setattr__(self, "links", ordered)
        ints, floats = _compile(self.figure, [link for _, link in ordered])
        object.__setattr__(self, "ints", ints)
        object.__setattr__(self, "floats", floats)
        layout = LinkMemory.layout_of(ints)
        object.__setattr__(self, "rows", layout.rows)
        object.__setattr__(self, "held", layout.held)

    # ------------------------------------------------------- coming and going

    def add(self, link: VirtualLink) -> tuple["Links", LinkHandle]:
        """The set with one more link, and the link's handle."""
        if not isinstance(link, VirtualLink):
            raise ArgumentError(f"link: expected a VirtualLink, got {link!r}")
        handle = LinkHandle(next(_numbers), link.child)
        return Links(self.figure, (*self.links, (handle, link))), handle

    def add_all(self, *links: VirtualLink) -> "Links":
        """The set with more links."""
        result = self
        for link in links:
            result, _ = result.add(link)
        return result

    def remove(self, handle: LinkHandle) -> "Links":
        """The set without a link."""
        index = self.index(handle)
        return Links(self.figure, self.links[:index] + self.links[index + 1 :])

    def replace(self, handle: LinkHandle, link: VirtualLink) -> "Links":
        """The set with a link changed, under the same handle."""
        index = self.index(handle)
        return Links(self.figure, (*self.links[:index], (handle, link), *self.links[index + 1 :]))

    # ------------------------------------------------------- reading

    def __len__(self) -> int:
        """Number of virtual links."""
        return len(self.links)

    def __contains__(self, handle: object) -> bool:
        """Whether it holds a link."""
        return any(handle == other for other, _ in self.links)

    def __getitem__(self, handle: LinkHandle) -> VirtualLink:
        """A virtual link by its handle."""
        return self.links[self.index(handle)][1]

    @property
    def handles(self) -> tuple[LinkHandle, ...]:
        """Handles of all links, in the order of their rows."""
        return tuple(handle for handle, _ in self.links)

    def rows_of(self, handle: LinkHandle) -> slice:
        """Where the rows of a link stand."""
        index = self.index(handle)
        first = sum(link.rows for _, link in self.links[:index])
        return slice(first, first + self.links[index][1].rows)

    def index(self, handle: LinkHandle) -> int:
        """Place of a link among all."""
        for index, (other, _) in enumerate(self.links):
            if other == handle:
                return index
        if isinstance(handle, LinkHandle):
            raise ArgumentError(f"{handle} is not in this set: it was removed, has broken, or belongs to another set")
        raise ArgumentError(f"expected the handle of a virtual link, got {handle!r}")


def links_of(links: Any) -> Links:
    """Links, or an ArgumentError."""
    if not isinstance(links, Links):
        raise ArgumentError(f"links: expected Links, got {type(links).__name__}")
    return links


def tree_of_screws(figure: Figure) -> Figure:
    """The figure; of one whose joints follow functions the tree of their screws, which has the same links."""
    if not any(link.joint.follows for link in figure.links):
        return figure
    from hitogata.figure.expansion import expansion_of  # SciPy's splines, for those who need them

    expansion = expansion_of(figure)
    assert expansion is not None
    return expansion.tree


def _compile(figure: Figure, links: list[VirtualLink]) -> tuple[IntArray, FloatArray]:
    """The flat arrays of `layout`."""
    model, first = model_of(tree_of_screws(figure)), 0
    rows, held = sum(link.rows for link in links), sum(link.rows for link in links if link.rigid)
    layout = LinkMemory.layout(total=len(links), rows=rows, held=held)
    floats, ints = layout.new_floats(), layout.new_ints()
    fields = layout.open(floats, ints)
    for k, link in enumerate(links):
        own, a, X_KC = _end(figure, model, link.child, link.child_pose)
        other, b, X_KP = (-1, -1, link.parent_pose)
        if link.parent is not None:
            other, b, X_KP = _end(figure, model, link.parent, link.parent_pose)
        if own == other:
            raise ArgumentError(
                f"a virtual link cannot hold link {figure.link_names[own]!r} to itself "
                f"(child {link.child!r}, parent {link.parent!r})"
            )
        hold = [int(not s and link.length is None) for s in link.slides]
        fields.link.set(
            k, body_a=a, body_b=b, first=first, count=link.rows, hold_x=hold[0], hold_y=hold[1], hold_z=hold[2],
            turning=link.turning.value, rod=int(link.length is not None), rigid=int(link.rigid),
        )  # fmt: skip
        fields.number.set(
            k, rot_a=X_KC.rotation, pos_a=X_KC.position, rot_b=X_KP.rotation, pos_b=X_KP.position,
            length=link.length or 0.0, compliance=link.compliance, relaxation=link.relaxation,
            force_limit=link.force_limit, torque_limit=link.torque_limit,
        )  # fmt: skip
        first += link.rows
    return ints, floats


def _end(figure: Figure, model: Model, frame: str, pose: Pose) -> tuple[int, int, Pose]:
    """Link, body, and the pose in the body's frame K, of one end."""
    index, place = figure.frame(frame)
    body = model.body_of_link[index]
    return index, body, model.link_poses[body] @ place @ pose
