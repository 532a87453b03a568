"""What `hitogata warmup` compiles of this room."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hitogata.dynamics import Method
from hitogata.figure import State
from hitogata.library import human28
from hitogata.loops.assembly import closed
from hitogata.loops.contacts import ContactStage
from hitogata.loops.contacts.trials import Trials
from hitogata.loops.forward import constrained_dynamics
from hitogata.loops.impact import impact
from hitogata.loops.link_set import Links
from hitogata.loops.row_values import link_rows
from hitogata.loops.servo import servo
from hitogata.loops.simulation import move
from hitogata.loops.virtual_links import here, pin


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """Virtual links of one figure and of many, and a contact step."""
    figure = human28()
    state = State(figure.neutral(), np.zeros(figure.nv))
    links, _ = Links(figure).add(here(figure, state.q, pin("grip_left")))
    yield "loops: forces of virtual links", lambda: constrained_dynamics(links, state.q, state.v)
    yield "loops: the same of a batch", lambda: constrained_dynamics(links, state.q[None], state.v[None])
    by_assembly = partial(constrained_dynamics, method=Method.ASSEMBLY)
    yield "loops: the same by assembly", lambda: by_assembly(links, state.q, state.v)
    yield "loops: rows of virtual links", lambda: link_rows(links, state.q)
    yield "loops: moving on", lambda: move(links, state, 1e-3)
    yield "loops: closing", lambda: closed(links, state)
    yield "loops: impact", lambda: impact(links, state)
    yield "loops: contact states", lambda: ContactStage(figure).step(state, 1e-3)
    trials = Trials(ContactStage(figure), servo(figure, 1.0, 1.0, 1e-3), 1.0)
    goal, start = np.concatenate([state.q, state.v])[None], trials.start(state)
    yield "loops: runs with targets", lambda: trials.run(goal, start, np.zeros((1, 2, figure.nv)))
