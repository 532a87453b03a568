"""A range of motion over the coordinates of one or several joints."""

import json
import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import RangeError
from hitogata.lanes import X1, X4, aligned_zeros
from hitogata.rom.coupled import entries
from hitogata.rom.coupled.chart import Angle, Chart, Kind
from hitogata.rom.coupled.layout import CHART, FACES, FIELD, HEAD, SCRATCH
from hitogata.rom.coupled.regions import MOST, ChartRegion
from hitogata.rom.frames import Array
from hitogata.spatial import quat_multiply

HELD = 1e-9
"""A pose that is beyond its wall by less is held by it [rad]."""

STEPS = 60
"""Of the search for an allowed pose, at the most."""

WAY = 0.05
"""A way is followed in steps of at most so much [rad]."""


class CoupledViolation(NamedTuple):
    """Where poses stand to their range; depths > 0 are outside.

    Attributes:
        depth: beyond the nearest wall, in terms of motion [rad] (lengths in units of `length`), shape (n,).
        axis: velocities, of all joints together, that lessen it: d(depth)/dt = −axis · v, shape (n, dofs).
        passed: with memory, whether a pose that is allowed was reached through a forbidden part, shape (n,).
        held: with memory, where the joints are held, shape (n, nq).
    """

    depth: Any
    axis: Array
    passed: Any = None
    held: Any = None


@dataclass(frozen=True)
class CoupledRange:
    """One range over the coordinates of one or several joints of a figure.

    Poses q are rows of the joints' coordinates in the order of the charts: a number of an `Angle`, a quaternion wxyz
    of a `SwingTwist`, three numbers of a `Position`.  Velocities likewise: 1, 3 (angular, in the parent's axes) and 3.

    Attributes:
        charts: the coordinates.
        region: which of them are allowed.
        length: what length counts as much as an angle of one radian [m].
        name: for messages and pictures.
    """

    charts: tuple[Chart, ...]
    region: ChartRegion
    length: float = 1.0
    name: str = "coupled range"

    def __post_init__(self) -> None:
        charts: Any = (self.charts,) if isinstance(self.charts, Chart) else tuple(self.charts)
        object.__setattr__(self, "charts", charts)
        for chart in charts:
            if not isinstance(chart, Chart):
                raise RangeError(f"{self.name}: charts: expected only Angle, SwingTwist and Position, got {chart!r}")
        keys = [(c.joint, c.kind, getattr(c, "index", 0)) for c in charts]
        for k, key in enumerate(keys):
            if key in keys[:k]:
                raise RangeError(f"{self.name}: the same coordinate of joint {key[0]!r} twice")
        if not isinstance(self.region, ChartRegion):
            raise RangeError(f"{self.name}: region: a Polytope, box(…), Field or star(…) expected, got {self.region!r}")
        size = sum(c.size for c in charts)
        if not 1 <= size <= MOST or size != self.region.size:
            raise RangeError(f"{self.name}: the charts have {size} coordinates (1 to {MOST}), the region "
                             f"{self.region.size}")  # fmt: skip
        if not (np.isfinite(self.length) and self.length > 0.0):
            raise RangeError(f"{self.name}: length = {self.length}: more than 0 expected")

    # ------------------------------------------------------- sizes

    @property
    def nq(self) -> int:
        """Numbers of a pose."""
        return sum(c.nq for c in self.charts)

    @property
    def dofs(self) -> int:
        """Velocities, as many as coordinates of the chart."""
        return sum(c.size for c in self.charts)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, each once."""
        return tuple(dict.fromkeys(c.joint for c in self.charts))

    def pose(self, *parts: Any) -> Array:
        """Rows of q from the coordinates of each joint, each (nq of it,) or (n, nq of it)."""
        if len(parts) != len(self.charts):
            raise RangeError(f"{self.name}: coordinates of {len(self.charts)} charts expected, got {len(parts)}")
        rows = [np.reshape(np.asarray(p, np.float64), (-1, c.nq)) for p, c in zip(parts, self.charts, strict=True)]
        n = max(map(len, rows))
        return np.concatenate([np.broadcast_to(r, (n, r.shape[1])) for r in rows], 1)

    # ------------------------------------------------------- questions

    def coordinates(self, q: Any) -> Array:
        """Coordinates of the chart, shape (n, dofs)."""
        rows, _ = self._rows(q)
        parts, at = [], 0
        for c in self.charts:
            parts.append(c.coordinates(rows[:, at : at + c.nq], self.length))
            at += c.nq
        return np.concatenate(parts, 1)

    def room(self, q: Any) -> Any:
        """Room to the nearest wall, > 0 inside, in terms of motion [rad]."""
        return -self.violation(q).depth

    def contains(self, q: Any) -> Any:
        """Whether poses lie within the range; walls belong to it."""
        inside = np.asarray(self.violation(q).depth) <= HELD
        return bool(inside) if inside.ndim == 0 else inside

    def violation(self, q: Any) -> CoupledViolation:
        """Depth beyond the nearest wall, and its axis.

        Args:
            q: poses, shape (nq,) or (n, nq).
        """
        rows, alone = self._rows(q)
        out = self._run(rows)
        if alone:
            return CoupledViolation(float(-out[0, 0]), out[0, 1:])
        return CoupledViolation(-out[:, 0], np.ascontiguousarray(out[:, 1:]))

    def nearest(self, q: Any) -> Array:
        """Allowed poses near to poses: those that are allowed as they are, the others brought back.

        Each step is the least motion that mends what all walls lack to first order, so the end is the nearest on walls
        that bend little, not in general.

        Raises:
            RangeError: a pose from which no allowed one was found.
        """
        rows, alone = self._rows(q)
        given, rows = rows.copy(), rows.copy()
        todo = np.arange(len(rows))
        for _ in range(STEPS):
            walls = self._walls(rows[todo])
            beyond = walls[:, :, 0].min(1) < -HELD
            todo, walls = todo[beyond], walls[beyond]
            if not len(todo):
                break
            rows[todo] = self.moved(rows[todo], np.array([self._least(w[:, 1:], -w[:, 0]) for w in walls]))
        else:
            raise RangeError(f"{self.name}: no allowed pose found near {given[todo[0]].tolist()}")
        return rows[0] if alone else rows

    def _least(self, rows: Array, depths: Array) -> Array:
        """The least motion (lengths in units of `length`) with rows · motion ≥ depths (Lawson & Hanson 1974, 23.4)."""
        from scipy.optimize import nnls

        metric, wanted = self._metric, np.where(depths > HELD, depths + 0.1 * HELD, depths)
        rows = rows / metric
        if len(rows) == 1:
            motion: Array = rows[0] * (wanted[0] / max(float(rows[0] @ rows[0]), 1e-12)) / metric
            return motion
        push, _ = nnls(np.vstack([rows.T, wanted]), np.append(np.zeros(len(metric)), 1.0), maxiter=300)
        left = np.append(rows.T @ push, wanted @ push - 1.0)
        if left[-1] > -1e-12:                                # nothing fulfils them all: the deepest
            k = int(np.argmax(depths))
            return self._least(rows[k : k + 1] * metric, depths[k : k + 1])
        motion = -left[:-1] / left[-1] / metric
        return motion

    @cached_property
    def _metric(self) -> Array:
        """What each velocity counts, shape (dofs,)."""
        return np.repeat([self._scale(c) for c in self.charts], [c.size for c in self.charts])

    def moved(self, q: Array, motion: Array) -> Array:
        """Poses (n, nq) after a motion (n, dofs), each joint about fixed axes."""
        out, iq, at = q.copy(), 0, 0
        for c in self.charts:
            part = motion[:, at : at + c.size]
            if c.kind == Kind.SWING_TWIST:
                angle = np.linalg.norm(part, axis=1, keepdims=True)
                turn = np.concatenate([np.cos(angle / 2.0), part * 0.5 * np.sinc(angle / (2.0 * np.pi))], 1)
                out[:, iq : iq + 4] = quat_multiply(turn, q[:, iq : iq + 4])
            else:
                out[:, iq : iq + c.nq] += part
            iq, at = iq + c.nq, at + c.size
        return out

    def violation_from(self, last: Any, q: Any) -> CoupledViolation:
        """Violation with memory of where the joints were held (Hanaoka 2010, 3.3).

        The way from `last` to `q` is followed, all joints together: where it first leaves the range the joints are
        held, also if the pose is allowed again.  Depth is the way back, in terms of motion; the axis leads along it.

        Args:
            last: pose at the last step, as it was held, shape (nq,) or (n, nq).
            q: pose now, same shape.
        """
        rows, alone = self._rows(q)
        before, _ = self._rows(last)
        if before.shape != rows.shape:
            raise RangeError(f"{self.name}: last: shape {rows.shape} expected, as of q, got {before.shape}")
        before = self.nearest(before)
        motion = self._between(before, rows)
        metric = self._metric
        count = max(2, int(np.ceil(np.linalg.norm(motion * metric, axis=1).max(initial=0.0) / WAY)))
        share = np.ones(len(rows))
        for k in range(count, 0, -1):
            share = np.where(self._run(self.moved(before, motion * (k / count)))[:, 0] < -HELD, k / count, share)
        plain = self.violation(rows)
        leaves = (share < 1.0) | (plain.depth > HELD)
        low, high = share - 1.0 / count, share
        for _ in range(40):
            middle = (low + high) / 2.0
            out = self._run(self.moved(before, motion * middle[:, None]))[:, 0] < 0.0
            low, high = np.where(out, low, middle), np.where(out, middle, high)
        exit_ = self.moved(before, motion * low[:, None])
        slid = self.nearest(rows)                     # along the wall, if that stays near where the way left
        near = np.linalg.norm(self._between(exit_, slid) * metric, axis=1) <= 2.0 * np.linalg.norm(
            self._between(exit_, rows) * metric, axis=1)  # fmt: skip
        inside = plain.depth <= HELD
        held = np.where(leaves[:, None], np.where((inside | ~near)[:, None], exit_, slid), rows)
        back = self._between(rows, held) * metric
        depth = np.linalg.norm(back, axis=1)
        axis = np.where(leaves[:, None], back / np.maximum(depth, 1e-300)[:, None] * metric, plain.axis)
        depth = np.where(leaves, depth, plain.depth)
        passed = leaves & inside
        if alone:
            return CoupledViolation(float(depth[0]), axis[0], bool(passed[0]), held[0])
        return CoupledViolation(depth, axis, passed, held)

    def _between(self, a: Array, b: Array) -> Array:
        """The motion (n, dofs) from poses to poses, the short way."""
        parts, iq = [], 0
        for c in self.charts:
            p, r = a[:, iq : iq + c.nq], b[:, iq : iq + c.nq]
            if c.kind == Kind.SWING_TWIST:
                turn = quat_multiply(r, p * np.array([1.0, -1.0, -1.0, -1.0]))
                turn = turn * np.where(turn[:, :1] < 0.0, -1.0, 1.0)
                size = np.linalg.norm(turn[:, 1:], axis=1, keepdims=True)
                parts.append(turn[:, 1:] * (2.0 * np.arctan2(size, turn[:, :1]) / np.maximum(size, 1e-300)))
            else:
                parts.append(r - p)
            iq += c.nq
        return np.concatenate(parts, 1)

    # ------------------------------------------------------- kernels

    def _scale(self, chart: Chart) -> float:
        lengths = chart.kind == Kind.POSITION or (isinstance(chart, Angle) and chart.metres)
        return 1.0 / self.length if lengths else 1.0

    def _rows(self, q: Any) -> tuple[Array, bool]:
        rows = np.asarray(q, np.float64)
        alone = rows.ndim == 1
        rows = np.atleast_2d(rows)
        if rows.ndim != 2 or rows.shape[1] != self.nq or not np.isfinite(rows).all():
            raise RangeError(f"{self.name}: q: finite numbers of shape ({self.nq},) or (n, {self.nq}) expected, got "
                             f"shape {np.shape(q)}")  # fmt: skip
        at = 0
        for c in self.charts:
            if c.kind == Kind.SWING_TWIST:
                length = np.linalg.norm(rows[:, at : at + 4], axis=1)
                if not (np.abs(length - 1.0) < 1e-6).all():
                    raise RangeError(f"{self.name}: the quaternion of joint {c.joint!r} is not of length 1")
            at += c.nq
        return np.ascontiguousarray(rows), alone

    def _run(self, rows: Array) -> Array:
        width = X1 if len(rows) < 8 else X4
        work = aligned_zeros((4, max(SCRATCH, 16) * width.n))
        out = np.empty((len(rows), 1 + self.dofs))
        entries.room_rows(np.ascontiguousarray(rows), self.flat, out, work, width)
        return out

    def _walls(self, rows: Array) -> Array:
        """Room and row of every wall, shape (n, walls, 1 + dofs)."""
        width, walls = X1 if len(rows) < 8 else X4, self.region.walls
        work = aligned_zeros((3, max(SCRATCH, walls * (1 + self.dofs), self.nq) * width.n))
        out = np.empty((len(rows), walls * (1 + self.dofs)))
        entries.wall_rows(np.ascontiguousarray(rows), self.flat, out, work, width)
        return out.reshape(len(rows), walls, 1 + self.dofs)

    def flat_at(self, places: Sequence[tuple[int, int]]) -> Array:
        """The range for kernels, its charts' first number of q and first velocity at these places."""
        rows = []
        for c, (iq, place) in zip(self.charts, places, strict=True):
            rows.append([float(c.kind), float(iq), float(place), self._scale(c), *c.frame])
        begin, region = HEAD + CHART * len(rows), self.region.flat
        kind = FACES if self.region.polytope else FIELD
        head = [kind, len(rows), self.dofs, self.region.walls, self.dofs, begin, begin + len(region), 1.0 / self.length]
        return np.concatenate([np.array(head, np.float64), np.ravel(rows), region])

    @cached_property
    def flat(self) -> Array:
        """The range for kernels, of poses as rows of q."""
        iq = np.cumsum([0, *(c.nq for c in self.charts)])
        at = np.cumsum([0, *(c.size for c in self.charts)])
        return self.flat_at(list(zip(iq[:-1].tolist(), at[:-1].tolist(), strict=True)))

    # ------------------------------------------------------- files

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, lists and text, for JSON."""
        charts = [c.to_dict() for c in self.charts]
        return {"name": self.name, "length": self.length, "charts": charts, "region": self.region.to_dict()}

    @staticmethod
    def from_dict(data: Any) -> "CoupledRange":
        """The range that `to_dict` wrote."""
        fields = {"name", "length", "charts", "region"}
        if not isinstance(data, dict) or not {"charts", "region"} <= set(data) <= fields:
            found = sorted(data) if isinstance(data, dict) else data
            raise RangeError(f"a coupled range has fields name, length, charts and region; got {found!r}")
        charts: Iterable[Any] = data["charts"]
        return CoupledRange(tuple(Chart.from_dict(c) for c in charts), ChartRegion.from_dict(data["region"]),
                            float(data.get("length", 1.0)), str(data.get("name", "coupled range")))  # fmt: skip

    def save(self, path: str | pathlib.Path) -> None:
        """Write a JSON file."""
        pathlib.Path(path).write_text(json.dumps(self.to_dict()) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: str | pathlib.Path) -> "CoupledRange":
        """Read a JSON file.

        Raises:
            RangeError: the file holds no such range; the message names it.
        """
        try:
            return CoupledRange.from_dict(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise RangeError(f"{path}: not JSON ({error})") from None
        except RangeError as error:
            raise RangeError(f"{path}: {error}") from None
