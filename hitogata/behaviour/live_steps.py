"""The steps of the live pipeline: from a frame to the same with more known; each keeps what it needs of those before.

The same steps, called one after the other, are the offline answer (`live_pipeline.replay`).
"""

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.behaviour.live_emg import LiveEmg
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_loads import PlateLoads
from hitogata.behaviour.streams import Array
from hitogata.capture import Labeller, MarkerIk, MarkerModel, Wishes
from hitogata.capture.ik_start import first_pose
from hitogata.dynamics import difference, forward_kinematics, integrate, inverse_dynamics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.expansion import expansion_of
from hitogata.muscle.live import LiveForces

STAY = 1e-6
"""Weight of the last frame's coordinates, beside 1 for a marker: they count where no marker tells [m²/rad²]."""
ENOUGH = 0.7
"""Share of the set's markers from which the first pose is found."""
SPAN = 0.12
"""Rates are those of a parabola through frames of so long [s]."""
BREAK = 0.3
"""Frames further apart than this do not belong together [s]."""


class Labels:
    """Names for points: by a labeller, or by the stream's channels."""

    def __init__(self, labels: tuple[str, ...], given: tuple[str, ...] | None = None,
                 model: MarkerModel | None = None, rate: float = 100.0) -> None:  # fmt: skip
        """For a marker set.

        Args:
            labels: of the set, in order.
            given: of the points; None: they have none, and the model names them.
            model: of the markers, for points without labels.
            rate: of their frames [Hz].
        """
        self._labeller = None
        if given is None:
            if model is None:
                raise ArgumentError("points without labels need a marker model (capture.learn_markers)")
            self._labeller = Labeller(model, rate)
            given = tuple(model.labels)
        column = {label: k for k, label in enumerate(given)}
        self._columns = np.array([column.get(label, -1) for label in labels])
        if (self._columns >= 0).sum() < 3:
            raise ArgumentError(
                f"the stream's labels {', '.join(given[:6])} ... share fewer than three with the marker set's "
                f"{', '.join(labels[:6])} ..."
            )

    def __call__(self, frame: LiveFrame) -> LiveFrame:
        """See `LiveFrame.markers`."""
        points, index = frame.points, self._columns
        if self._labeller is not None:
            points = points[np.isfinite(points).all(axis=1)]
            named, _ = self._labeller(points)
            index = np.where(index >= 0, named[index], -1)
        found = np.full((len(index), 3), np.nan)
        found[index >= 0] = points[index[index >= 0]]
        return replace(frame, markers=found)


class Angles:
    """Coordinates of the figure: each frame begins at the last, and stays there where no marker tells."""

    def __init__(self, ik: MarkerIk) -> None:
        self.ik = ik
        self._wide = np.full(ik.figure.nv, STAY)
        self._q: Array | None = None

    def __call__(self, frame: LiveFrame) -> LiveFrame | None:
        """See `LiveFrame.q`; None until enough markers are seen."""
        assert frame.markers is not None
        target = frame.markers[None]
        weight: Array = np.where(np.isfinite(target).all(axis=2), 1.0, 0.0)
        if self._q is None:
            if weight.sum() < max(3, ENOUGH * weight.size):
                return None
            self._q, _ = first_pose(self.ik, target, weight, None)
        found = self.ik.frames(target, weight, self._q, Wishes(self._q, self._wide), variances=False)
        self._q = found.q[0]
        marks = frame.marks if found.status[0] == 0 else (*frame.marks, "angles not solved")
        return replace(frame, q=self._q, marks=marks)


class SmoothRates:
    """Coordinates, velocities and accelerations of parabolas through the last frames, without looking ahead.

    Differences d_i = q_i ⊖ q_r from the frame nearest to the time that is answered for are fitted, by least squares,
    with a + b s + c s², s = t_i - t: q = q_r ⊕ a, v = b, v̇ = 2 c (a is small there, so that d's rate is v).
    """

    def __init__(self, figure: Figure, *, span: float = SPAN, lag: float = 0.0) -> None:
        """For a figure.

        Args:
            figure: its.
            span: how long frames count [s]: longer is smoother, and rounds off more.
            lag: the time answered for is so long before the newest frame [s]; half the span has no delay of phase.
        """
        if not (0.0 < span <= 1.0 and 0.0 <= lag <= span):
            raise ArgumentError(f"rates: a span up to 1 s and a lag up to the span are expected, got {span!r}, {lag!r}")
        base = expansion_of(figure)
        self._figure = figure if base is None else base.plain
        self.span, self.lag = span, lag
        self._past: deque[tuple[float, Array]] = deque()

    def __call__(self, frame: LiveFrame) -> LiveFrame | None:
        """See `LiveFrame.v`; None for the first frames."""
        assert frame.q is not None
        past = self._past
        if past and not 0.0 < frame.time - past[-1][0] <= BREAK:
            past.clear()
        past.append((frame.time, frame.q))
        while past[-1][0] - past[0][0] > self.span + 1e-9:
            past.popleft()
        if len(past) < 4 or past[-1][0] - past[0][0] < 0.5 * self.span:
            return None
        at = frame.time - self.lag
        s = np.array([t for t, _ in past]) - at
        q = np.array([each for _, each in past])
        near = q[int(np.abs(s).argmin())]
        d = difference(self._figure, np.broadcast_to(near, q.shape), q)
        a, b, c = np.linalg.lstsq(np.stack([np.ones_like(s), s, s * s], axis=1), d, rcond=None)[0]
        return replace(frame, time=at, q=integrate(self._figure, near, a), v=b, vdot=2.0 * c)


class Filtered:
    """Motion that the figure's physics can make (`hitogata.filter.DynamicsFilter`), in the place of `SmoothRates`."""

    def __init__(self, dynamics_filter: Any) -> None:
        self._filter = dynamics_filter
        self._begin: float | None = None

    def __call__(self, frame: LiveFrame) -> LiveFrame | None:
        """See `LiveFrame.v`; None while the filter's preview fills."""
        if self._begin is None:
            self._begin = frame.time
        found = self._filter.feed(frame.q, frame.time - self._begin)
        if found is None:
            return None
        good = str(getattr(found.status, "name", found.status)) == "GOOD"
        marks = frame.marks if good else (*frame.marks, f"filter: {found.status.name.lower()}")
        return replace(frame, time=found.time + self._begin, q=found.q, v=found.v, vdot=found.vdot, marks=marks)


class Torques:
    """Forces on the velocities behind the motion and the measured forces (inverse dynamics)."""

    def __init__(self, figure: Figure, loads: PlateLoads | None = None, *, patience: float = 0.0) -> None:
        """For a figure.

        Args:
            figure: its.
            loads: of plates; None: none are measured, and what the floor gives is left to the root.
            patience: how long to wait for loads that are not there yet [s].
        """
        self.figure, self.loads, self._patience = figure, loads, patience

    def __call__(self, frame: LiveFrame) -> LiveFrame:
        """See `LiveFrame.tau`."""
        wrenches, marks = np.zeros((self.figure.nlinks, 6)), frame.marks
        if self.loads is not None:
            wrenches, said = self.loads.at(frame.time, forward_kinematics(self.figure, frame.q), self._patience)
            marks = (*marks, *said)
        tau = np.asarray(inverse_dynamics(self.figure, frame.q, frame.v, frame.vdot, wrenches=wrenches))
        return replace(frame, wrenches=wrenches, tau=tau, marks=marks)


class Tensions:
    """Muscles that make the torques, and follow what EMG there is."""

    def __init__(self, forces: LiveForces, emg: LiveEmg | None = None, *, patience: float = 0.0) -> None:
        """Of a set.

        Args:
            forces: of its muscles.
            emg: activations that are measured.
            patience: how long to wait for those that are not there yet [s].
        """
        self.forces, self._emg, self._patience = forces, emg, patience

    def __call__(self, frame: LiveFrame) -> LiveFrame:
        """See `LiveFrame.muscles`."""
        assert frame.q is not None
        assert frame.v is not None
        assert frame.tau is not None
        emg, marks = None, frame.marks
        if self._emg is not None:
            emg, said = self._emg.at(frame.time, self._patience)
            marks = (*marks, *said)
        self.forces.forget()  # 0.02 ms more, and the same answer offline, whatever frames were dropped before
        found = self.forces(frame.q, frame.v, frame.tau, emg)
        return replace(frame, emg=emg, muscles=found, marks=marks)
