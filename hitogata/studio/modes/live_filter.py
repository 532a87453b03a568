"""A motion that is made possible while it plays and is dragged."""

from dataclasses import dataclass

import numpy as np

from hitogata.figure import Figure, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.filter import DynamicsFilter, FilteredFrame, Floor, Mode


@dataclass(eq=False)
class LiveFilter:
    """Frames of a motion through `filter.DynamicsFilter`, online.

    Attributes:
        floor: what the figure stands on; None: what the motion has.
        stream: the filter; None: nothing has been played yet.
        frame: what came out last; None: the filter has not seen enough of the motion yet.
    """

    floor: Floor | None
    stream: DynamicsFilter | None = None
    frame: FilteredFrame | None = None

    def begin(self, figure: Figure, motion: Trajectory) -> None:
        """Begin anew: the motion goes on somewhere else, or it is another one.

        Args:
            figure: whose motion it is.
            motion: whose frames will come, evenly.
        """
        rate = np.clip((len(motion) - 1) / (motion.time[-1] - motion.time[0]), 10.0, 2000.0)
        self.frame = None
        self.stream = DynamicsFilter(figure, mode=Mode.ONLINE, floor=self.floor, rate=float(rate))

    def feed(self, q: FloatArray) -> None:
        """The next frame of the motion, shape (nq,)."""
        assert self.stream is not None
        made = self.stream.feed(q)
        self.frame = self.frame if made is None else made
