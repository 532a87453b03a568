"""Joint angles from labelled markers: inverse kinematics of a trial for any figure, with what is known of every angle.

A trial of labelled markers, a figure and a marker set go in; coordinates, residuals of every marker and frame, and
standard deviations come out.  Coordinates that no marker tells in some frames are filled from the frames around, and so
are the markers that hang on them: gaps are closed by the body.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.capture.ik_kernels import solve_frames
from hitogata.capture.ik_layout import CompiledIk, IkOptions, IkTable, TrialTable, compile_ik
from hitogata.capture.ik_start import first_pose
from hitogata.capture.marker_set import MarkerSet
from hitogata.dynamics import difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.expansion import expansion_of
from hitogata.figure.values import FloatArray, floats, not_negative, positive
from hitogata.files import MarkerData

UNKNOWN = 1e200
"""Variances above this: no marker tells."""


FAINT = 3e-8
"""Weight of coordinates that are filled, beside all markers: enough where no marker tells, nothing elsewhere."""


@dataclass(frozen=True)
class IkSettings:
    """How frames are solved.

    Attributes:
        tolerance: a frame is done when no coordinate changes by more [rad, m].
        iterations: at most, for a frame.
        outlier: markers further from the body than this count less and less [m]; 0: all count alike.
        predict: a frame begins where the last two lead, not at the last one.
        fill: coordinates that no marker tells are filled from the frames around.
    """

    tolerance: float = 1e-7
    iterations: int = 100
    outlier: float = 0.0
    predict: bool = True
    fill: bool = True

    def __post_init__(self) -> None:
        positive(self.tolerance, "IkSettings: tolerance", error=ArgumentError)
        not_negative(self.outlier, "IkSettings: outlier")
        if not isinstance(self.iterations, int) or self.iterations < 1:
            raise ArgumentError(f"IkSettings: iterations must be 1 or more, got {self.iterations!r}")


@dataclass(frozen=True, eq=False)
class Wishes:
    """Coordinates that are wanted besides markers, as OpenSim's coordinate tasks.

    Attributes:
        q: wanted coordinates, shape (nq,) or (nt, nq).
        weights: of each velocity's coordinate [m²/rad², 1 beside the markers' weights], shape (nv,) or (nt, nv).
    """

    q: Any
    weights: Any


@dataclass(frozen=True, eq=False)
class JointAngles:
    """Coordinates of a figure in every frame, and how well they are known.

    Attributes:
        figure: it.
        markers: on it.
        time: of the frames [s], shape (nt,).
        q: coordinates, shape (nt, nq).
        places: of the model's markers [m], shape (nt, nm, 3): also of those that were hidden.
        residuals: distance of each marker from its place on the body [m], shape (nt, nm); NaN where hidden.
        deviations: standard deviations of the velocities' coordinates [rad, m], shape (nt, nv); infinite where no
            marker told: the frames around filled it, or it keeps the start if no marker of the set hangs on it; 0
            where it was held or stands at the end of its range.
        converged: which frames were solved, shape (nt,), bool.
        iterations: of each frame, shape (nt,).
        sigma: standard deviation of one coordinate of a marker of weight 1 [m], from the residuals.
        filled: which velocities of which frames were filled, shape (nt, nv), bool.
        weights: of the markers, those of outliers lessened; 0 where hidden, shape (nt, nm).
        absent: labels of the set that the trial does not have.
        unused: labels of the trial that the set does not have.
    """

    figure: Figure
    markers: MarkerSet
    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    places: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    deviations: FloatArray = field(repr=False)
    converged: Any = field(repr=False)
    iterations: Any = field(repr=False)
    sigma: float
    filled: Any = field(repr=False)
    weights: FloatArray = field(repr=False)
    absent: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def rms(self) -> float:
        """Root of the mean square of all residuals [m]; NaN if nothing was seen."""
        return _rms(self.residuals)

    @property
    def marker_rms(self) -> dict[str, float]:
        """The same of each marker [m]; NaN if it was never seen."""
        return {label: _rms(self.residuals[:, k]) for k, label in enumerate(self.markers.labels)}

    @property
    def trajectory(self) -> Trajectory:
        """The motion; velocities are those that lead to the next frame, at the end from the one before."""
        base = expansion_of(self.figure)
        plain = self.figure if base is None else base.plain
        v = np.zeros((len(self.q), self.figure.nv))
        if len(self.q) > 1:
            v[:-1] = difference(plain, self.q[:-1], self.q[1:]) / np.diff(self.time)[:, None]
            v[-1] = v[-2]
        return Trajectory(self.time, self.q, v, figure_name=self.figure.name)

    def __str__(self) -> str:
        good = int(self.converged.sum())
        return (
            f"{len(self.q)} frames, {good} converged, {self.iterations.mean():.1f} iterations each; markers to "
            f"{self.rms * 1e3:.2f} mm rms, worst {_worst(self.residuals) * 1e3:.1f} mm"
        )


def _rms(x: FloatArray) -> float:
    seen = x[np.isfinite(x)]
    return float(np.sqrt((seen**2).mean())) if seen.size else float("nan")


def _worst(x: FloatArray) -> float:
    return float(np.nanmax(x)) if np.isfinite(x).any() else float("nan")


def markers_on(figure: Figure, labels: Any = None) -> MarkerSet:
    """The figure's frames as markers: those with these labels, or all (OpenSim's markers become frames)."""
    known = {frame.name: (link.name, frame.pose.position) for link in figure.links for frame in link.frames}
    names = tuple(known) if labels is None else tuple(label for label in labels if label in known)
    if not names:
        raise ArgumentError(f"figure {figure.name!r} has none of these frames to take for markers: {labels!r}")
    return MarkerSet.of(figure, {name: known[name] for name in names})


class MarkerIk:
    """Marker inverse kinematics of a figure, compiled once, for one trial after another or live.

    Args:
        figure: any.
        markers: on it.
        held: names of coordinates (of function and compound joints by `figure.expansion.coordinate_places`) or joints
            that stay where the start has them; or a mask, shape (nv,).
        settings: of the solver.
        like: of the same figure in other sizes; what does not depend on these is used again.
    """

    def __init__(
        self, figure: Figure, markers: MarkerSet, *, held: Any = (), settings: IkSettings | None = None,
        like: "MarkerIk | None" = None,
    ) -> None:  # fmt: skip
        self.figure, self.markers, self.settings = figure, markers, settings or IkSettings()
        self.held = held_mask(figure, held)
        plain = None if like is None else like._arrays.plain
        self._arrays: CompiledIk = compile_ik(figure, markers, self.held, plain)
        given = self._arrays
        options = IkOptions.layout()
        self._options = options.new_floats()
        opened = options.open(self._options)
        opened.tolerance[...], opened.iterations[...] = self.settings.tolerance, self.settings.iterations
        self._outlier, opened.predict[...] = opened.outlier, self.settings.predict
        self._outlier[...] = self.settings.outlier
        self._table = IkTable.of(
            ints=given.ints, floats=given.floats, tree_ints=given.tree.ints, tree_floats=given.tree.floats,
            plain_ints=given.plain.ints, plain_floats=given.plain.floats, options=self._options,
        )  # fmt: skip

    @property
    def free(self) -> Any:
        """Velocities that are unknowns, shape (n,)."""
        return self._arrays.free

    @contextmanager
    def scale_of_outliers(self, scale: float) -> Iterator[None]:
        """Another scale of outliers for a while [m]; 0: all markers count alike."""
        self._outlier[...] = scale
        try:
            yield
        finally:
            self._outlier[...] = self.settings.outlier

    def frames(
        self, target: FloatArray, weight: FloatArray, start: FloatArray, wishes: Wishes | None = None, *,
        variances: bool = True,
    ) -> "Frames":  # fmt: skip
        """Solve frames as they stand: nothing is filled.

        Args:
            target: places of the markers [m], shape (nt, nm, 3).
            weight: 0 where hidden, shape (nt, nm).
            start: coordinates to begin at: shape (nq,), then each frame begins at the last; or (nt, nq).
            wishes: coordinates that are wanted.
            variances: whether they are asked for.
        """
        n, figure = len(target), self.figure
        q, places = np.empty((n, figure.nq)), np.empty(target.shape)
        variance, summary = np.zeros((n if variances else 0, figure.nv)), np.empty((n, 3))
        wish: tuple[FloatArray, FloatArray] = np.zeros((0, figure.nq)), np.zeros((0, figure.nv))
        if wishes is not None:
            wanted = rows_of(wishes.q, n, figure.nq, "wishes: q")
            wish = wanted, rows_of(wishes.weights, n, figure.nv, "wishes: weights")
        arrays = {
            "start": rows_of(start, 1 if np.ndim(start) == 1 else n, figure.nq, "start"), "target": target,
            "weight": weight, "wish": wish[0], "wish_weight": wish[1], "q": q, "places": places,
            "variance": variance, "summary": summary,
        }  # fmt: skip
        flat = {name: np.ascontiguousarray(array, np.float64).reshape(-1) for name, array in arrays.items()}
        solve_frames(self._table, TrialTable.of(**flat))
        return Frames(q, places, variance, summary[:, 0].astype(int), summary[:, 1].astype(int), summary[:, 2])


@dataclass(frozen=True, eq=False)
class Frames:
    """What kernels found.

    Attributes:
        q: coordinates, shape (nt, nq).
        places: of the model's markers [m], shape (nt, nm, 3).
        variance: of velocities for unit variance of a marker of weight 1, shape (nt, nv).
        status: `ik_kernels.CONVERGED`, `LIMIT` or `BLIND`, shape (nt,).
        iterations: shape (nt,).
        cost: shape (nt,).
    """

    q: FloatArray
    places: FloatArray
    variance: FloatArray
    status: Any
    iterations: Any
    cost: FloatArray


def solve_ik(
    figure: Figure,
    markers: MarkerSet,
    trial: MarkerData | FloatArray,
    *,
    weights: Mapping[str, float] | Any = None,
    held: Any = (),
    start: Any = None,
    wishes: Wishes | None = None,
    settings: IkSettings | None = None,
) -> JointAngles:
    """Joint angles of a trial.

    Args:
        figure: any; ranges of its joints are kept.
        markers: where they sit on it.
        trial: labelled markers, by label; or places in the order of the set [m], shape (nt, nm, 3), NaN where hidden.
        weights: of the markers: by label (others 1), or shape (nm,) or (nt, nm).
        held: coordinates or joints that stay at the start.
        start: coordinates to begin at, shape (nq,); None: found from the first frame with enough markers.
        wishes: coordinates that are wanted.
        settings: of the solver.

    Raises:
        ArgumentError: wrong shapes, no common label, or no frame with three markers.
    """
    solver = MarkerIk(figure, markers, held=held, settings=settings)
    target, time, absent, unused = matched_trial(markers, trial)
    weight = marker_weights(weights, markers.labels, target)
    begin, first = first_pose(solver, target, weight, start)
    found = _both_ways(solver, target, weight, begin, first, wishes)
    filled = (found.variance > UNKNOWN) & np.isin(np.arange(figure.nv), solver.free)
    if solver.settings.fill and filled.any() and len(target) > 1:
        wanted = _fill(figure, found.q, filled, time)
        scale = FAINT * max(float(weight.sum(axis=1).max()), 1e-300)
        asked = Wishes(wanted, filled * scale)
        if wishes is not None:
            old = rows_of(wishes.weights, len(target), figure.nv, "wishes: weights")
            asked = Wishes(
                _mixed(figure, wanted, rows_of(wishes.q, len(target), figure.nq, "wishes: q"), old > 0),
                np.where(old > 0, old, asked.weights),
            )
        again = solver.frames(target, weight, wanted, asked)
        found = Frames(again.q, again.places, found.variance, again.status, again.iterations, again.cost)
    seen = weight > 0
    residuals = np.where(seen, np.linalg.norm(np.nan_to_num(target) - found.places, axis=2), np.nan)
    freedom = max(1, 3 * int(seen.sum()) - int((~filled[:, solver.free]).sum()))
    sigma = float(np.sqrt((weight * np.nan_to_num(residuals) ** 2).sum() / freedom))
    deviations = np.where(filled, np.inf, np.sqrt(np.minimum(found.variance, UNKNOWN)) * sigma)
    deviations[:, ~solver.held & ~np.isin(np.arange(figure.nv), solver.free)] = np.inf  # no marker hangs on them
    return JointAngles(
        figure, markers, time, found.q, found.places, residuals, deviations, found.status == 0, found.iterations,
        sigma, filled, _lessened(weight, residuals, solver.settings.outlier), absent, unused,
    )  # fmt: skip


def _lessened(weight: FloatArray, residuals: FloatArray, outlier: float) -> FloatArray:
    """Weights by which markers count in the end (Geman and McClure 1987)."""
    return weight / (1.0 + np.nan_to_num(residuals / outlier) ** 2) ** 2 if outlier > 0 else weight


def _both_ways(
    solver: MarkerIk, target: FloatArray, weight: FloatArray, begin: FloatArray, first: int, wishes: Wishes | None
) -> Frames:
    """Frames after the first that was solved, forwards; those before it, backwards."""
    def part(rows: Any) -> Frames:
        asked = None
        if wishes is not None:
            n, figure = len(target), solver.figure
            asked = Wishes(rows_of(wishes.q, n, figure.nq, "wishes: q")[rows],
                           rows_of(wishes.weights, n, figure.nv, "wishes: weights")[rows])  # fmt: skip
        return solver.frames(target[rows], weight[rows], begin, asked)

    ahead = part(slice(first, None))
    if first == 0:
        return ahead
    back = part(slice(first - 1, None, -1))
    both = [np.concatenate([getattr(back, name)[::-1], getattr(ahead, name)]) for name in Frames.__annotations__]
    return Frames(*both)


def matched_trial(
    markers: MarkerSet, trial: MarkerData | FloatArray
) -> tuple[FloatArray, FloatArray, tuple[str, ...], tuple[str, ...]]:
    """Places in the order of the set (NaN where there are none), times, labels without and beyond the set."""
    if not isinstance(trial, MarkerData):
        target = floats(trial, "trial").astype(np.float64)
        if target.ndim != 3 or target.shape[1:] != (len(markers.labels), 3):
            raise ArgumentError(f"trial: expected places of shape (nt, {len(markers.labels)}, 3), got {target.shape}")
        return target, np.arange(len(target), dtype=np.float64), (), ()
    column = {label: k for k, label in enumerate(trial.labels)}
    common = [label for label in markers.labels if label in column]
    if len(common) < 3:
        raise ArgumentError(
            f"trial {trial.name!r} shares {len(common)} labels with the marker set; it has "
            f"{', '.join(trial.labels[:8])} ..., the set {', '.join(markers.labels[:8])} ...; rename them, or label "
            "the trial by this set"
        )
    target = np.full((trial.nframes, len(markers.labels), 3), np.nan)
    for k, label in enumerate(markers.labels):
        if label in column:
            target[:, k] = trial.positions[:, column[label]]
    absent = tuple(label for label in markers.labels if label not in column)
    named = {label for label, own in zip(trial.labels, trial.labelled, strict=True) if own}
    return target, np.asarray(trial.time), absent, tuple(sorted(named - set(markers.labels)))


def marker_weights(weights: Any, labels: tuple[str, ...], target: FloatArray) -> FloatArray:
    """Weights of all frames, 0 where a marker is hidden, shape (nt, nm)."""
    if weights is None:
        row: Any = np.ones(len(labels))
    elif isinstance(weights, Mapping):
        row = np.array([float(weights.get(label, 1.0)) for label in labels])
        for label in weights:
            if label not in labels:
                raise ArgumentError(f"weights: no marker {label!r} in the set")
    else:
        row = floats(weights, "weights").astype(np.float64)
    if row.shape not in ((len(labels),), target.shape[:2]) or not (np.isfinite(row) & (row >= 0)).all():
        raise ArgumentError(f"weights: {len(labels)} finite numbers of 0 or more expected, got {row!r}")
    return np.where(np.isfinite(target).all(axis=2), row, 0.0)


def held_mask(figure: Figure, held: Any) -> Any:
    """Names of joints or coordinates as a mask over velocities, shape (nv,)."""
    mask = np.zeros(figure.nv, bool)
    if isinstance(held, np.ndarray) and held.dtype == bool:
        if held.shape != mask.shape:
            raise ArgumentError(f"held: a mask of shape {mask.shape} expected, got {held.shape}")
        return held
    named = {name: iv + k for link, iv in zip(figure.links, figure.v_starts, strict=True)
             for k, name in enumerate(link.joint.coordinates)}  # fmt: skip
    for name in held:
        if name in named:
            mask[named[name]] = True
        else:
            mask[figure.v_slice(name)] = True
    return mask


def _fill(figure: Figure, q: FloatArray, filled: Any, time: FloatArray) -> FloatArray:
    """Coordinates that no marker told, straight between the frames around that did, at constant rate."""
    base = expansion_of(figure)
    plain = figure if base is None else base.plain
    result, groups = q.copy(), _groups(plain)
    for v, c in groups:
        lost = filled[:, v].any(axis=1)
        if not lost.any():
            continue
        known = np.flatnonzero(~lost)
        if not len(known):
            result[:, c] = figure.neutral()[c]
            continue
        after = np.searchsorted(known, np.flatnonzero(lost))
        left, right = known[np.maximum(after - 1, 0)], known[np.minimum(after, len(known) - 1)]
        left = np.where(after == 0, right, left)
        rows = np.flatnonzero(lost)
        span = np.where(right > left, time[right] - time[left], 1.0)
        share = np.clip((time[rows] - time[left]) / np.where(span > 0, span, 1.0), 0.0, 1.0)
        change = np.zeros((len(rows), plain.nv))
        change[:, v] = difference(plain, result[left], result[right])[:, v]
        result[rows[:, None], c] = integrate(plain, result[left], change * share[:, None])[:, c]
    return result


def _groups(plain: Figure) -> list[tuple[Any, Any]]:
    """Velocities and coordinates that belong together: of a ball joint all three, of others one by one."""
    found: list[tuple[Any, Any]] = []
    for link, iq, iv in zip(plain.links, plain.q_starts, plain.v_starts, strict=True):
        joint = link.joint
        if joint.quat_start is None:
            found += [(np.array([iv + k]), np.array([iq + k])) for k in range(joint.nv)]
        else:
            at = iq + joint.quat_start
            found.append((np.arange(iv, iv + 3), np.arange(at, at + 4)))
            found += [(np.array([iv + 3 + k]), np.array([iq + k])) for k in range(joint.nv - 3)]
    return found


def _mixed(figure: Figure, filled: FloatArray, wanted: FloatArray, own: Any) -> FloatArray:
    """Wanted coordinates where there are wishes, else those that were filled."""
    base = expansion_of(figure)
    result = filled.copy()
    for v, c in _groups(figure if base is None else base.plain):
        rows = np.flatnonzero(own[:, v].any(axis=1))
        result[rows[:, None], c] = wanted[rows[:, None], c]
    return result


def rows_of(value: Any, n: int, width: int, what: str) -> FloatArray:
    """One row for all frames, or one for each, as one for each, shape (n, width)."""
    array = floats(value, what).astype(np.float64)
    if array.shape not in ((width,), (n, width)):
        raise ArgumentError(f"{what}: expected shape ({width},) or ({n}, {width}), got {array.shape}")
    return np.ascontiguousarray(np.broadcast_to(array, (n, width)))
