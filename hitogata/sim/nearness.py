"""Who may come near whom within a step: boxes around shapes, as the broad phase has them, and around whole figures."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitogata.constraints.islands import join, root_of
from hitogata.contact.bounds import grown, place_shapes
from hitogata.contact.layout import PLANE, Contact, ShapePlace, Shapes, open_shapes
from hitogata.contact.narrowphase import boxes_meet
from hitogata.contact.sweep_and_prune import Swept
from hitogata.lanes import X1, entry, inline, kernel, lanes, maximum, minimum, record_size, records
from hitogata.sim.body_state import place
from hitogata.sim.layout import open_law, open_scene, open_state, open_world
from hitogata.sim.point_rows import reach_out
from hitogata.sim.world_model import IntArray
from hitogata.spatial import Vec3

if TYPE_CHECKING:
    from hitogata.sim.world_data import Arrays

NOWHERE = 1e300
"""A figure without shapes has a box from here to minus here [m]."""


class Boxes:
    """Boxes of a world's figures, from their state.

    Attributes:
        first: shape where each figure begins, and where the last one ends.
        numbers: a box of each shape, then one of each figure, flat.
    """

    def __init__(self, arrays: "Arrays") -> None:
        figures = arrays.shapes.column("figure")
        self.first: IntArray = np.searchsorted(figures, np.arange(len(arrays.index) + 1)).astype(np.int64)
        self.numbers = np.zeros((len(figures) + len(arrays.index) + 1) * record_size(Swept))
        self._places = np.zeros((len(figures) + 1) * record_size(ShapePlace))
        spans, self._arrays = arrays.forest.spans, arrays
        self._owner = np.repeat(np.arange(len(spans)), [s.bodies.stop - s.bodies.start for s in spans])

    def look(self, h: float) -> None:
        """Boxes that reach as far as anything may come within h [s]; 0: as far as contacts are looked for."""
        arrays, forest, shapes = self._arrays, self._arrays.forest, self._arrays.shapes
        box_figures(
            forest.ints, forest.floats, arrays.state, arrays.law, shapes.ints, shapes.floats, arrays.work, self.first,
            self._places, self.numbers, h,
        )  # fmt: skip

    def near(self, others: "Boxes", which: IntArray, more: float) -> IntArray:
        """Those of some other figures, by their numbers, whose boxes, larger by `more` [m], meet any of these."""
        found = np.zeros(len(which), np.int64)
        find_near(
            self.numbers, self._arrays.shapes.ints, self._arrays.shapes.floats, self.first, others.numbers,
            others._arrays.shapes.ints, others._arrays.shapes.floats, others.first, which, more, found,
        )  # fmt: skip
        return which[found > 0]

    def islands(self, joined: "list[tuple[int, int]]") -> IntArray:
        """For each figure, the first one of its island: who is near each other, touches, or is joined."""
        arrays, above = self._arrays, np.arange(len(self._arrays.index) + 1)
        contacts, pairs = arrays.last_contacts()[0], np.array(joined, np.int64).reshape(-1, 2)
        join_near(
            self.numbers, arrays.shapes.ints, arrays.shapes.floats, self.first, contacts.ravel(), len(contacts),
            self._owner, pairs, above,
        )  # fmt: skip
        return above[:-1]


class Boxed(NamedTuple):
    """Views of boxes and shapes inside kernels."""

    box: records  # type: ignore[valid-type]
    first: lanes  # type: ignore[valid-type]
    shapes: Shapes


@kernel
def open_boxes(numbers, shape_ints, shape_floats, first):
    """Views of the boxes of figures."""
    return Boxed(records(numbers, Swept, X1), lanes(first, X1), open_shapes(shape_ints, shape_floats))


@entry
def box_figures(ints, floats, state, law, shape_ints, shape_floats, work, first, places, numbers, h):
    """Write the boxes of all shapes, and around them those of all figures."""
    world = open_world(ints, floats)
    scene, views, laws = open_scene(world, work), open_state(world, state), open_law(law, h, 1.0, 1.0, law[10], law[14])
    boxed, spots = open_boxes(numbers, shape_ints, shape_floats, first), records(places, ShapePlace, X1)
    place(scene, world.solid, views)
    place_shapes(boxed.shapes, scene.placed, spots, laws.contact_margin)
    reach_out(scene, world.solid, boxed.shapes, spots, laws)
    for k in range(first.shape[0] - 1):
        whole = boxed.box[boxed.shapes.total + k]
        whole.low, whole.high = Vec3(NOWHERE, NOWHERE, NOWHERE), Vec3(-NOWHERE, -NOWHERE, -NOWHERE)
        for s in range(boxed.first[k], boxed.first[k + 1]):
            box = boxed.box[s]
            box.low, box.high = spots[s].low, spots[s].high
            if boxed.shapes.ints[s].kind == PLANE:  # it has no box: it is near everything
                box.low, box.high = Vec3(-NOWHERE, -NOWHERE, -NOWHERE), Vec3(NOWHERE, NOWHERE, NOWHERE)
            whole.low, whole.high = around_both(whole.low, whole.high, box.low, box.high)


@inline
def around_both(low_a, high_a, low_b, high_b):
    """The box around two boxes."""
    low = Vec3(minimum(low_a.x, low_b.x), minimum(low_a.y, low_b.y), minimum(low_a.z, low_b.z))
    return low, Vec3(maximum(high_a.x, high_b.x), maximum(high_a.y, high_b.y), maximum(high_a.z, high_b.z))


@entry
def find_near(ours, our_ints, our_floats, our_first, theirs, their_ints, their_floats, their_first, which, more, found):
    """found[n] = 1 where any of our figures is near figure which[n] of theirs."""
    a, b = open_boxes(ours, our_ints, our_floats, our_first), open_boxes(theirs, their_ints, their_floats, their_first)
    for n in range(which.shape[0]):
        for i in range(our_first.shape[0] - 1):
            if found[n] == 0 and figures_near(a, i, b, which[n], more):
                found[n] = 1


@kernel
def figures_near(a, i, b, j, more):
    """Do boxes of two figures' shapes meet that may touch?"""
    if not near(a.box[a.shapes.total + i], b.box[b.shapes.total + j], more):
        return False
    for s in range(a.first[i], a.first[i + 1]):
        for t in range(b.first[j], b.first[j + 1]):
            one, other = a.shapes.ints[s], b.shapes.ints[t]
            if (one.group & other.mask) != 0 and (other.group & one.mask) != 0 and near(a.box[s], b.box[t], more):
                return True
    return False


@kernel
def near(a, b, more):
    """Do two boxes meet, one of them larger by `more`?"""
    low, high = grown(b.low, b.high, more)
    return boxes_meet(a.low, a.high, low, high)


@entry
def join_near(numbers, shape_ints, shape_floats, first, contacts, count, owner, joined, above):
    """Join figures that are near each other, have points of contact in common, or are named as joined."""
    boxed, figures = open_boxes(numbers, shape_ints, shape_floats, first), first.shape[0] - 1
    roots = lanes(above, X1)
    for n in range(joined.shape[0]):
        join(roots, joined[n, 0], joined[n, 1])
    points = records(contacts, Contact, X1)
    for n in range(count):
        if points[n].body_a >= 0 and points[n].body_b >= 0:
            join(roots, owner[points[n].body_a], owner[points[n].body_b])
    for j in range(figures):
        for i in range(j):
            if root_of(roots, i) != root_of(roots, j) and figures_near(boxed, i, boxed, j, 0.0):
                join(roots, i, j)
    for k in range(figures):
        roots[k] = root_of(roots, k)
