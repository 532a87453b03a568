"""Motions through the dynamics filter, and what is known of the one that plays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, HeightField, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.filter import LEVEL, Filtered, FilteredFrame, Ground, Mode, Slope, Steps, filter_motion
from hitogata.filter import Floor as Footing
from hitogata.motion.foot_contacts import BoolArray
from hitogata.studio.modes.live_filter import LiveFilter
from hitogata.studio.modes.motion import Playing
from hitogata.studio.scenery import STEP_EDGES, STEP_RISE, Floor, floor_angle, floor_shapes

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

WARMING = 4
"""Frames of a motion after which all of the filter has run once."""


def footing(floor: Floor) -> Footing | None:
    """The ground of the stage as the filter knows it; None: level footholds where the motion has them."""
    if floor is Floor.NONE:
        return None
    if floor is Floor.FLAT:
        return LEVEL
    if floor is Floor.STEPS:
        return Steps(STEP_EDGES, STEP_RISE)
    if floor is Floor.HILLS:
        (hills,) = floor_shapes(floor)
        assert isinstance(hills, HeightField)
        return Ground(hills)
    return Slope(floor_angle(floor))


@dataclass(frozen=True, eq=False)
class Applied:
    """A motion that was filtered, and plays.

    Attributes:
        filtered: before and after.
        motion: as motion mode has it.
        floor: what it stands on.
    """

    filtered: Filtered
    motion: Trajectory
    floor: Footing | None


@dataclass(frozen=True, eq=False)
class FootForces:
    """Contact of a frame.

    Attributes:
        corners, forces: of the soles' corners that are in contact [m], [N], shapes (n, 3).
        centres, sums: centre of pressure and force of each foot that presses [m], [N], shapes (feet, 3).
    """

    corners: FloatArray
    forces: FloatArray
    centres: FloatArray
    sums: FloatArray


def foot_forces(corners: FloatArray, forces: FloatArray, active: BoolArray) -> FootForces:
    """Forces of corners, four of each foot in a row, summed foot by foot.

    The centre of pressure of a foot is Σ |f_i| p_i / Σ |f_i| over its corners p_i.

    Args:
        corners: [m], shape (4 feet, 3).
        forces: [N], shape (4 feet, 3).
        active: which corners are in contact, shape (4 feet,).
    """
    sizes = np.linalg.norm(forces, axis=1).reshape(-1, 4)
    press = sizes.sum(axis=1) > 1e-6
    shares = sizes[press] / sizes[press].sum(axis=1, keepdims=True)
    centres = np.einsum("fi,fik->fk", shares, corners.reshape(-1, 4, 3)[press])
    return FootForces(corners[active], forces[active], centres, forces.reshape(-1, 4, 3).sum(axis=1)[press])


class Filtering:
    """The dynamics filter over the motion of the stage."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self._applied: list[Applied] = []

    # ------------------------------------------------------- in threads of their own

    def run(self, mode: Mode) -> Filtered:
        """Filter the motion of now on the ground of now; then the possible motion plays."""
        figure, motion, floor = self._studio.clock.ask(self._given)
        found = filter_motion(figure, motion, mode=mode, floor=footing(floor))
        found.lack  # noqa: B018  # takes its time: not in the clock's thread
        found.measures  # noqa: B018
        self._studio.clock.ask(lambda: self._apply(found, motion, footing(floor)))
        return found

    def prepare_live(self) -> LiveFilter:
        """A filter for what plays, which has run once: nothing is left to compile."""
        figure, motion, floor = self._studio.clock.ask(self._given)
        live = LiveFilter(footing(floor))
        live.begin(figure, motion)
        for q in motion.q[:WARMING]:
            live.feed(q)
        return live

    # ------------------------------------------------------- in the clock's thread

    def _given(self) -> tuple[Figure, Trajectory, Floor]:
        mode = self._studio.mode
        if not isinstance(mode, Playing):
            raise ArgumentError("there is no motion to filter: open one in motion mode")
        now = self.now()
        return mode.stage.figure, mode.changed() if now is None else now.filtered.wanted, mode.stage.floor

    def _apply(self, found: Filtered, motion: Trajectory, floor: Footing | None) -> None:
        mode, stage = self._studio.mode, self._studio.stage
        if not isinstance(mode, Playing) or stage.figure is not found.figure:
            raise ArgumentError("the motion or the figure is another one by now: filter once more")
        self._studio.undo.note("Filter")
        mode.live = None  # it would lay the motion on the ground once more
        mode.edit(found.trajectory)
        self._applied = [*self._applied[-7:], Applied(found, mode.motion, floor)]
        self._studio.page.motion.refresh()

    def play(self, live: LiveFilter | None) -> None:
        """Let what plays go through a live filter, or no longer; a motion that was filtered is as it was before."""
        mode, now = self._studio.mode, self.now()
        if not isinstance(mode, Playing):
            return
        if live is not None and now is not None:
            self._studio.undo.note("Live filter")
            mode.edit(now.filtered.wanted)
        mode.set_live(live)

    def now(self) -> Applied | None:
        """What is known of the motion that plays, as long as it is as the filter made it."""
        mode = self._studio.mode
        if not isinstance(mode, Playing) or mode.touched:
            return None
        return next((item for item in self._applied if item.motion is mode.motion), None)

    def _frame(self) -> FilteredFrame | None:
        mode = self._studio.mode
        return mode.live.frame if isinstance(mode, Playing) and mode.live is not None else None

    def unfiltered(self) -> FloatArray | None:
        """The pose that the figure would have without the filter, over or under its own ground, shape (nq,)."""
        mode, now = self._studio.mode, self.now()
        if not isinstance(mode, Playing):
            return None
        if self._frame() is not None:
            q, floor = mode.player.q.copy(), mode.live.floor if mode.live is not None else None
        elif now is not None:
            q, floor = now.filtered.wanted.q[mode.player.index].copy(), now.floor
        else:
            return None
        if floor is not None:
            q[2] += float(floor.height(q[:2]))
        return q

    def forces(self) -> FootForces | None:
        """Contact of the frame that is shown."""
        mode, now, frame = self._studio.mode, self.now(), self._frame()
        if frame is not None:
            return foot_forces(frame.corners, frame.forces, frame.active.reshape(-1))
        if now is None or not isinstance(mode, Playing):
            return None
        rows, k = now.filtered.trajectory, mode.player.index
        return foot_forces(rows["corners"][k], rows["forces"][k], rows["active"][k].reshape(-1) > 0)

    def missing(self) -> tuple[float, float]:
        """What feet cannot give of what the frame needs: of the motion before and after; torques over 1 m [N]."""
        mode, now, frame = self._studio.mode, self.now(), self._frame()
        if frame is not None:
            return float("nan"), float(np.linalg.norm(frame.residual))
        if now is None or not isinstance(mode, Playing):
            return float("nan"), float("nan")
        k = mode.player.index
        return float(now.filtered.lack[k]), float(np.linalg.norm(now.filtered.trajectory["residual"][k]))

    def words(self) -> str:
        """What the filter says of the frame or of the motion."""
        frame, now = self._frame(), self.now()
        if frame is not None:
            return f"Live: {frame.status.name.lower().replace('_', ' ')}"
        if now is None:
            return ""
        lines = [str(now.filtered), *now.filtered.changes(4)]
        return "\n".join(f"- {line}" for line in lines)
