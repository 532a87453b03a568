"""What holds and grasps have in common: springs that belong together, are let go together, and give way."""

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.sim.ties import Tie


class Fastening:
    """Springs that hold a link, together."""

    ties: tuple[Tie, ...]

    @property
    def holds(self) -> bool:
        """Whether its springs are in the world still."""
        return all(tie in tie.world.ties for tie in self.ties)

    @property
    def force(self) -> FloatArray:
        """On the first end, mean over the last step, world axes [N], shape (3,)."""
        result: FloatArray = np.sum([tie.force for tie in self.ties], axis=0)
        return result

    @property
    def peak(self) -> float:
        """Greatest force in the last step, mean over one of its substeps, or more [N]: its springs' peaks, added."""
        return sum(tie.peak for tie in self.ties)

    @property
    def too_much(self) -> bool:
        """Whether it carried more in the last step than it can."""
        return False

    @property
    def broken(self) -> bool:
        """Whether it holds, and carried too much in the last step; nothing changes by asking."""
        return self.holds and self.too_much

    def let_go(self) -> None:
        """Open it; nothing happens if it is open."""
        for tie in self.ties:
            if tie in tie.world.ties:
                tie.world.remove_tie(tie)

    def give_way(self) -> bool:
        """Open it if it carried too much; whether it did."""
        broken = self.broken
        if broken:
            self.let_go()
        return broken
