"""The filter over a stream of frames."""

from dataclasses import replace

import numpy as np

from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.filter.body import Body
from hitogata.filter.contacts import found_stands
from hitogata.filter.floor import LEVEL, Floor
from hitogata.filter.foot_plan import Foothold
from hitogata.filter.online import OnlineRunner
from hitogata.filter.prepared import Prepared, prepare
from hitogata.filter.runner import FilteredFrame, Runner
from hitogata.filter.settings import FilterSettings, FrameStatus, Mode

PAST = 0.3
"""How much of the motion that was is looked at again [s]."""
STRIDE = 0.2
"""How often the motion ahead is prepared anew, with a preview [s]."""
UNIT = 1e-12
"""Quaternions whose squared length is so near to 1 are left as they are."""
GAP = 0.5
"""Longer gaps between frames are not filled: the filter begins anew [s]."""


class DynamicsFilter:
    """Possible motion from frames as they come.

    Args:
        figure: the figure; its root is free, and it has feet.
        mode: ONLINE, or PREVIEW, which answers later by `delay`.
        floor: what it stands on.
        ground: height of the level floor on which the frames were made [m].
        rate: of the frames [1/s].
        settings: numbers of the filter.
        efforts: greatest torques of the joints [N m], shape (nv,); None: the figure's effort limits.

    Attributes:
        delay: time between a frame and its answer [s].
    """

    def __init__(
        self,
        figure: Figure,
        *,
        mode: Mode = Mode.ONLINE,
        floor: Floor | None = LEVEL,
        ground: float = 0.0,
        rate: float = 60.0,
        settings: FilterSettings | None = None,
        efforts: ArrayLike | None = None,
    ) -> None:
        if mode is Mode.RECORDING:
            raise ArgumentError("filter: a stream has no end that could be known: PREVIEW, or filter_motion for clips")
        if not 10.0 <= rate <= 2000.0:
            raise ArgumentError(f"filter: rate must lie between 10 and 2000 frames a second, got {rate!r}")
        self.body, self.mode, self.floor, self.ground = Body(figure, efforts), mode, floor, ground
        self.settings, self.h = settings or FilterSettings(), 1.0 / rate
        self._ahead = 0 if mode is Mode.ONLINE else round((self.settings.look_ahead + 0.1) / self.h)
        self.delay = self._ahead * self.h
        self._quats = np.array(figure.quat_starts, np.intp)[:, None] + np.arange(4)
        self._begin(None)

    def _begin(self, time: float | None) -> None:
        self._push: FloatArray | None = None
        self._frames: list[FloatArray] = []
        self._bad: set[int] = set()
        self._first, self._next, self._start, self._base, self._built = 0, 0, time, 0, -(10**9)
        self._runner: Runner | None = None
        self._online: OnlineRunner | None = None
        self._known: dict[str, tuple[int, Foothold]] = {}

    def feed(self, q: ArrayLike, time: float | None = None, *, push: ArrayLike | None = None) -> FilteredFrame | None:
        """Take a frame of the motion and give the next one of what comes out, or None.

        None comes while the preview fills, and for the first two frames, without which velocities are not known.

        Frames that are not finite are left out: the last good one stands in for them, and the answer says HELD.

        Args:
            q: coordinates, shape (nq,).
            time: [s]; None: one step after the last frame.
            push: wrench on the root about its origin that acts on the body in the frame that is made [N m], [N],
                shape (6,).
        """
        self._push = None if push is None else wrench_of(push)
        pose, figure = floats(q, "q"), self.body.figure
        if pose.shape != (figure.nq,):
            raise ArgumentError(
                f"filter: a frame of figure {figure.name!r} has {figure.nq} coordinates, got {pose.shape}"
            )
        count = self._first + len(self._frames)
        start = 0.0 if self._start is None else self._start
        due = start + count * self.h
        if time is not None and self._start is not None and count and time < due - 0.5 * self.h:
            raise ArgumentError(f"filter: frame at {time:g} s came after one at {due - self.h:g} s")
        if self._start is None:
            self._start = 0.0 if time is None else float(time)
        elif time is not None and time > due + GAP:
            self._begin(float(time))
        elif time is not None and time > due + 0.5 * self.h and self._frames:
            self._fill(pose, round((time - due) / self.h))
        good = bool(np.isfinite(pose).all())
        if good:
            pose = self._unit(pose)
        elif not self._frames:
            raise ArgumentError("filter: the first frame holds numbers that are not finite")
        else:
            pose = self._frames[-1].copy()
            self._bad.add(self._first + len(self._frames))
        self._frames.append(pose)
        return self._answer() if self.mode is Mode.PREVIEW else self._at_once()

    def _unit(self, pose: FloatArray) -> FloatArray:
        """A copy of a pose with unit quaternions."""
        result = np.array(pose, np.float64)
        square = np.square(result[self._quats]).sum(axis=1)
        if np.abs(square - 1.0).max(initial=0.0) < UNIT:
            return result
        return self.body.figure.normalised(result)

    def finish(self) -> list[FilteredFrame]:
        """The frames that the preview still holds; the stream is over."""
        frames: list[FilteredFrame] = []
        self._push = None
        while self._next < self._first + len(self._frames):
            frames.append(self._step())
        self._begin(None)
        return frames

    def _fill(self, pose: FloatArray, count: int) -> None:
        if not np.isfinite(pose).all():
            return
        last = self._frames[-1]
        way = difference(self.body.figure, last, self.body.figure.normalised(pose))
        for k in range(1, count + 1):
            self._bad.add(self._first + len(self._frames))
            self._frames.append(integrate(self.body.figure, last, way * (k / (count + 1))))

    def _at_once(self) -> FilteredFrame | None:
        """Online: frames that came are made, the newest is the answer."""
        if self._online is None:
            self._online = OnlineRunner(self.body, self.floor, self.ground, self.h, self.settings)
        assert self._start is not None
        frame = None
        while self._next < self._first + len(self._frames):
            pose = self._frames[self._next - self._first]
            frame = self._online.feed(pose, self._start + self._next * self.h, push=self._push)
            if frame is not None and self._next in self._bad and frame.status is FrameStatus.GOOD:
                frame = replace(frame, status=FrameStatus.HELD)
            self._bad.discard(self._next)
            self._next += 1
        del self._frames[:-1]
        self._first = self._next - 1
        return frame

    def _answer(self) -> FilteredFrame | None:
        if len(self._frames) < 3:
            return None
        if self._first + len(self._frames) - 1 - self._next < self._ahead:
            return None
        return self._step()

    def _step(self) -> FilteredFrame:
        stride = max(int(STRIDE / self.h), 1)
        if self._runner is None or self._next - self._built >= stride:
            self._prepare()
        assert self._runner is not None
        frame = self._runner.step(self._next - self._base, self._push)
        if self._next in self._bad and frame.status is FrameStatus.GOOD:
            frame = replace(frame, status=FrameStatus.HELD)
        self._next += 1
        keep = self._next - int(PAST / self.h)
        while self._first < keep - 1:
            self._frames.pop(0)
            self._bad.discard(self._first)
            self._first += 1
        return frame

    def _prepare(self) -> None:
        """Prepare what is known of the motion, from a little while ago to its last frame."""
        now, old = self._next, self._base
        q = np.array(self._frames)
        assert self._start is not None
        time: FloatArray = self._start + self.h * (self._first + np.arange(len(q), dtype=np.float64))
        motion = Trajectory(time, q, np.zeros((len(q), self.body.figure.nv)))
        stands = found_stands(self.body, motion, self.floor, self.ground)
        known = self._footholds(stands, now - self._first)
        prepared = prepare(self.body, motion, stands, self.floor, self.settings, known)
        self._remember(prepared, now)
        self._base, self._built = self._first, now
        horizon = max(round(self.settings.look_ahead / self.h), 2)
        if self._runner is None:
            self._runner = Runner(self.body, prepared, self.settings, horizon)
        else:
            self._runner.rebase(prepared, self._base - old)

    def _footholds(self, stands: dict[str, list[tuple[int, int]]], now: int) -> dict[str, Foothold]:
        """Footholds of the stands that have begun, as they were first found."""
        known = {}
        for name, spans in stands.items():
            spans[:] = [(a, b) for a, b in spans if b >= now - 2]
            if name in self._known and spans and spans[0][0] <= now:
                begun, hold = self._known[name]
                if spans[0][0] + self._first <= begun + max(int(0.05 / self.h), 2):
                    known[name] = hold
        return known

    def _remember(self, prepared: Prepared, now: int) -> None:
        """Keep the footholds of the stands that have begun, or begin before the next preparation."""
        soon = now - self._first + max(int(STRIDE / self.h), 1) + 1
        for sole, spans, holds in zip(self.body.soles, prepared.feet.stands, prepared.feet.footholds, strict=True):
            if spans and spans[0][0] <= soon:
                self._known[sole.name] = (self._first + spans[0][0], holds[0])
            else:
                self._known.pop(sole.name, None)


def wrench_of(push: ArrayLike) -> FloatArray:
    """A push, checked: [torque; force] [N m], [N]."""
    result = floats(push, "push")
    if result.shape != (6,) or not np.isfinite(result).all():
        raise ArgumentError(f"push: six finite numbers expected, torque [N m] and force [N], got {push!r}")
    return np.ascontiguousarray(result)
