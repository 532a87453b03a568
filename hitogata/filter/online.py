"""The filter without look-ahead: a frame in, a frame out."""

from typing import Any

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body, Work
from hitogata.filter.floor import Floor, Slope
from hitogata.filter.frame_loop import FIRST_ROUNDS
from hitogata.filter.law import ROUNDS, law_of
from hitogata.filter.online_kernels import SWING, run_online
from hitogata.filter.plan import PlanData, Planner
from hitogata.filter.runner import ROWS, FilteredFrame
from hitogata.filter.settings import FilterSettings, FrameStatus
from hitogata.filter.tables import PAST, FrameTable, OnlineMemory, ReferenceMemory, ResultMemory

NODES = (1, 1, 1, 2, 3, 4, 5, 6, 6, 6)
"""Lengths of the plan's frames, in frames of the stream at 60 a second."""
LEAST_FRAMES = 3
"""Without which accelerations are not known."""


def parabolas(h: float) -> FloatArray:
    """Least-squares parabolas through the last frames, at the newest of them.

    Differences d_i from the newest frame, at times -i h, i = 0 ... n - 1, are fitted by a + b t + c t²: rows of the
    weights of d_i in a, b and 2c, for each n, shape (PAST + 1, 3, PAST).  Until all PAST are there, 2c is noise, and
    taken as 0.
    """
    result = np.zeros((PAST + 1, 3, PAST))
    for n in range(LEAST_FRAMES, PAST + 1):
        t = -h * np.arange(n)
        result[n, :, :n] = np.linalg.pinv(np.stack([np.ones(n), t, t**2], axis=1)) * [[1.0], [1.0], [2.0]]
        if n < PAST:
            result[n, 2] = 0.0
    return result


class OnlineRunner:
    """A body that follows a motion of which nothing is known ahead.

    Args:
        body: the figure.
        floor: what it stands on.
        ground: height of the level floor on which the motion was made [m].
        h: time between frames [s].
        settings: of the filter.
    """

    def __init__(self, body: Body, floor: Floor | None, ground: float, h: float, settings: FilterSettings) -> None:
        figure, feet = body.figure, len(body.soles)
        self.body, self._floor, self._h = body, floor, h
        self.work = Work(body)
        sizes = {"nq": figure.nq, "nv": figure.nv, "feet": feet}
        result, self._fields = ResultMemory.layout(frames=1, **sizes), {}
        kept = dict(self.work.kept)
        layouts = (("reference", ReferenceMemory.layout(frames=2, **sizes)), ("online", OnlineMemory.layout(**sizes)),
                   ("result", result))  # fmt: skip
        for name, layout in layouts:
            kept[f"{name}_floats"], kept[f"{name}_ints"] = layout.new_floats(), layout.new_ints()
            self._fields[name] = layout.open(kept[f"{name}_floats"], kept[f"{name}_ints"])
        self._kept = kept
        self._online.swing[:] = SWING
        self._law = law_of(settings, h, body.weight, figure.mass)
        self.work.fields.rounds = FIRST_ROUNDS * self._law[ROUNDS]
        nodes, corners = len(NODES), 4 * feet
        frames = np.zeros((nodes, 20))
        frames[:, 0] = np.maximum(np.round(np.array(NODES) / 60.0 / h), 1.0) * h
        frames[0, 0] = h
        data = PlanData(frames, np.zeros((nodes, corners, 3)), np.zeros((nodes, corners), np.int64),
                        np.zeros((nodes, corners, 3)), np.zeros((nodes, 3 * corners)))  # fmt: skip
        planner = Planner(data, settings)
        self._plan = (data.frames, data.arms, data.active, data.normals, planner.weights, data.usual, planner.z,
                      planner.y, planner.states, planner.forces, planner.scratch, np.zeros(6))  # fmt: skip
        self._given = np.concatenate([[ground, settings.flat], np.full(feet, -1.0)])
        self._fit, self._none = parabolas(h), np.zeros(6)
        self._plane = np.tile([0.0, 0.0, ground, 0.0, 0.0, 1.0], feet)
        if isinstance(floor, Slope):
            up = floor.normal(np.zeros(2))
            self._plane = np.tile([*floor.origin, *up], feet)
        self._table = FrameTable.of(**kept)
        fields = self._fields["result"]
        self._rows: dict[str, Any] = {name: getattr(fields, name)[0] for name in ROWS if name != "status"}
        self._rows |= {name: self._rows[name].reshape(corners, 3) for name in ("forces", "corners")}
        self._status, self._touch = fields.status, self._online.touch.reshape(-1)

    @property
    def _online(self) -> Any:
        return self._fields["online"]

    def feed(
        self, q: FloatArray, time: float, down: FloatArray | None = None, push: FloatArray | None = None
    ) -> FilteredFrame | None:
        """Take a frame and make one; None for the first two.

        Args:
            q: coordinates, shape (nq,).
            time: [s].
            down: for each foot, 1: it stands, 0: it does not, < 0: to be found out; None: all of them.
            push: wrench on the root about its origin that acts besides [N m], [N], shape (6,).
        """
        given = self._given
        if down is not None:
            given = given.copy()
            given[2:] = down
        if self._floor is not None and not isinstance(self._floor, Slope):
            self._feel_floor()
        made = run_online(self._table, q, self._fit, self._plane, *self._plan, self._law,
                          self._none if push is None else push, given)  # fmt: skip
        if not made:
            return None
        found = {name: row.copy() for name, row in self._rows.items()}
        return FilteredFrame(time, active=self._touch > 0, status=FrameStatus(int(self._status[0])), **found)

    def _feel_floor(self) -> None:
        """The plane of the floor under each foot."""
        assert self._floor is not None
        places = self.work.fields.soles[:, 9:12]
        planes = self._plane.reshape(-1, 6)
        planes[:, :2] = places[:, :2]
        planes[:, 2] = self._floor.height(places[:, :2])
        planes[:, 3:] = self._floor.normal(places[:, :2])
