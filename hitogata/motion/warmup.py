"""What `hitogata warmup` compiles of this room."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hitogata.library import human28
from hitogata.motion.puppet import Puppet


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """Frames and solves of one character, and of many."""
    q = human28().neutral()
    yield "motion: pin and drag of one", partial(_drag, q)
    yield "motion: pin and drag of many", partial(_drag, np.tile(q, (8, 1)))


def _drag(q: object) -> None:
    puppet = Puppet(human28(), q)
    puppet.drag("grip_right")
    puppet.step(1 / 60)
