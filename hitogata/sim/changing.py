"""What stays when things come and go, and all arrays of a world are laid out anew.

A figure takes along its part of the state and of the control.  Contact points of the last step stay, with their
impulses, where both their shapes do; under the new numbers of these.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.constraints.limits import Watch
from hitogata.contact.layout import PAIR, Contact
from hitogata.contact.shapes import Surface
from hitogata.lanes import record_offsets, record_size
from hitogata.sim.forest import Forest, IntArray, Span
from hitogata.sim.layout import Carried, Motor, Pull, Strain

if TYPE_CHECKING:
    from hitogata.sim.members import Member


def state_parts(forest: Forest, span: Span, start: int = 0) -> list[slice]:
    """Where one figure's numbers stand in a state that begins at `start`: q, v, and what belongs to its bodies."""
    end = start + forest.nq + forest.nv
    parts = [_shifted(span.q, start), _shifted(span.v, start + forest.nq)]
    for size in (record_size(Carried), record_size(Watch), 2, 3, record_size(Strain)):
        parts.append(_shifted(span.bodies, end, size))
        end += size * forest.bodies
    return parts


def control_parts(forest: Forest, index: int) -> list[slice]:
    """Where one figure's numbers stand in the control: targets, rates, pushes, motors, pulls."""
    span, nq, nv = forest.spans[index], forest.nq, forest.nv
    motor = nq + 2 * nv
    pull = motor + record_size(Motor) * forest.bodies
    return [
        span.q, _shifted(span.v, nq), _shifted(span.v, nq + nv), _shifted(span.bodies, motor, record_size(Motor)),
        _shifted(span.bodies, pull, record_size(Pull)),
    ]  # fmt: skip


def _shifted(part: slice, by: int, size: int = 1) -> slice:
    return slice(by + size * part.start, by + size * part.stop)


def renumbered(
    contacts: IntArray, old: Sequence[Surface], old_members: Sequence["Member"], new: Sequence[Surface],
    new_members: Sequence["Member"],
) -> tuple[IntArray, IntArray]:  # fmt: skip
    """Contacts under the numbers their shapes have now, and which of them are left.

    Shapes keep their order, so contacts stay sorted.
    """
    place = {key: i for i, key in enumerate(_keys(new, new_members))}
    number = np.array([place.get(key, -1) for key in _keys(old, old_members)], np.int64)
    at, result = record_offsets(Contact), contacts.copy()
    a, b = number[contacts[:, at["a"]]], number[contacts[:, at["b"]]]
    left = np.flatnonzero((a >= 0) & (b >= 0))
    result, a, b = result[left], a[left], b[left]
    bodies = np.array([surface.body for surface in new], np.int64)
    result[:, at["pair"]] = np.minimum(a, b) * PAIR + np.maximum(a, b)
    for name, shapes in (("a", a), ("b", b)):
        result[:, at[name]], result[:, at[f"body_{name}"]] = shapes, bodies[shapes]
    return result, left


def _keys(surfaces: Sequence[Surface], members: Sequence["Member"]) -> list[tuple[Any, int]]:
    """What tells shapes apart: whose they are, and which of its shapes."""
    seen: dict[Any, int] = {}
    keys = []
    for surface in surfaces:
        owner = members[surface.figure] if surface.figure >= 0 else None
        seen[owner] = seen.get(owner, -1) + 1
        keys.append((owner, seen[owner]))
    return keys
