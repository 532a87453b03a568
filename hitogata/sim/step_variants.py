"""The compiled variants of the step, and which of them a world takes.

A variant is compiled when the first world asks for it.  Primitives (planes, spheres, capsules, boxes) have their own:
what knows all shapes takes more time, also where there are none of the others.

                     primitives           all shapes
    sweeps           take_steps           take_shaped_steps
    states           take_stated_steps    take_shaped_stated_steps
    maximal          take_maximal_steps   take_shaped_maximal_steps
    side by side     take_block_steps     take_shaped_block_steps

Those that know all shapes in reduced coordinates can be measured: they take the places of times as their last argument.
"""

from enum import Enum
from typing import Any

from hitogata.sim.blocks import take_block_steps
from hitogata.sim.states.step_contact_modes import take_shaped_stated_steps, take_stated_steps
from hitogata.sim.step_all_shapes import take_shaped_block_steps, take_shaped_maximal_steps, take_shaped_steps
from hitogata.sim.step_entries import take_steps
from hitogata.sim.step_maximal import take_maximal_steps


class Steps(Enum):
    """How steps are taken."""

    SWEEPS = "sweeps"
    STATES = "states"
    MAXIMAL = "maximal"
    SIDE_BY_SIDE = "side by side"


VARIANTS: dict[Steps, tuple[Any, Any]] = {
    Steps.SWEEPS: (take_steps, take_shaped_steps),
    Steps.STATES: (take_stated_steps, take_shaped_stated_steps),
    Steps.MAXIMAL: (take_maximal_steps, take_shaped_maximal_steps),
    Steps.SIDE_BY_SIDE: (take_block_steps, take_shaped_block_steps),
}
"""Of each, for primitives and for all shapes."""
