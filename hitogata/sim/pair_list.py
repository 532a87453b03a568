"""The shapes of a world, and the list of pairs of them that it tests for contact, as one array of ints.

    header    is it swept, pairs, room for pairs, where rules, order and spare begin
    pairs     all pairs that may touch; with many shapes, those that a sweep finds near each other in each step
    rules, order, spare    of the sweep, see `contact.sweep_and_prune`
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hitogata.contact.collision_geometry import Wearer, coat_of, compile_coats
from hitogata.contact.shapes import ShapeTable, Surface, surfaces_of
from hitogata.contact.sweep_and_prune import spare_size
from hitogata.sim.world_model import Forest, IntArray

if TYPE_CHECKING:
    from hitogata.sim.members import Member
    from hitogata.sim.ties import Tie

SWEPT, PAIRS, ROOM, RULES, ORDER, SPACE, HEADER = range(7)
"""Places in the header, and its length."""

MANY = 80
"""From so many shapes on, pairs are found by a sweep."""


def gather_shapes(
    fixed: Sequence[Surface], members: Sequence["Member"], ties: Sequence["Tie"], forest: Forest,
    loose_body: Sequence[int] | None,
) -> ShapeTable:  # fmt: skip
    """All shapes of a world as kernels read them; those of joined, held and ignored links do not touch.

    Args:
        fixed: shapes of the world itself.
        members: figures, in the order in which they stand in the forest.
        ties: springs and ropes, of which some say that their links do not touch.
        forest: the figures side by side.
        loose_body: what stands for each of its bodies in maximal coordinates; None: the body itself.

    Raises:
        FigureError: a shape has no kernels.
    """
    wearers, ignored, count = [], [], len(fixed)
    for m, span in zip(members, forest.spans, strict=True):
        wearers.append(Wearer(m.figure, span.bodies.start, m.group, m.mask, m.friction, m.restitution))
        ignored += [(span.body_of_link[m.figure.link_index(a)], span.body_of_link[m.figure.link_index(b)])
                    for a, b in m.ignored]  # fmt: skip
        count += len(coat_of(m.figure).rows)
    of_member = dict(zip(members, forest.spans, strict=True))
    for a, b in (tie.ends for tie in held_apart(ties)):
        one, other = (of_member[end[0]].body_of_link[end[0].figure.frame(end[1])[0]] for end in (a, b))
        ignored.append((one, other))
    return compile_coats(fixed, wearers, ignored, stand_ins=loose_body, all_pairs=count < MANY)


def held_apart(ties: Sequence["Tie"]) -> list["Tie"]:
    """Springs and ropes between links that do not touch each other."""
    return [tie for tie in ties if not tie.touching and len(tie.members) == 2]


def list_surfaces(
    fixed: Sequence[Surface], members: Sequence["Member"], forest: Forest, loose_body: Sequence[int] | None
) -> list[Surface]:
    """All shapes of a world as they were given, in the same order."""
    surfaces = list(fixed)
    for k, (m, span) in enumerate(zip(members, forest.spans, strict=True)):
        surfaces += surfaces_of(m.figure, first_body=span.bodies.start, in_bodies=True, number=k, group=m.group,
                                mask=m.mask, friction=m.friction, restitution=m.restitution)  # fmt: skip
    if loose_body is None:
        return surfaces
    return [s if s.body < 0 else replace(s, body=loose_body[s.body]) for s in surfaces]


def list_pairs(shapes: ShapeTable, room: int) -> IntArray:
    """The array of a world's pairs; `room` for those of a sweep."""
    swept = shapes.count >= MANY
    pairs = np.zeros((room, 2), np.int64) if swept else np.concatenate([shapes.pairs, [[0, 0]]])
    parts: list[IntArray] = [pairs.ravel()]
    if swept:
        parts += [shapes.rules, shapes.new_sweep(), np.zeros(spare_size(shapes.count, room), np.int64)]
    starts = HEADER + np.cumsum([len(part) for part in parts])
    head = [int(swept), 0 if swept else len(shapes.pairs), len(pairs), *(starts[:3] if swept else (0, 0, 0))]
    return np.concatenate([head, *parts]).astype(np.int64)
