"""A body fitted to markers: sizes of the links, places of the markers on them, and the joint angles of all frames.

    min over p   F(p) = Σ_t min over q_t  Σ_m w_m ρ(|y_tm - x_m(q_t, p)|²) / σ²  +  priors of p

p: a factor for each axis of each link's frame, the offset of each marker from its place on the scaled figure, and where
asked for shifts of joint centres and turns of joint axes (`functional`).  The inner problem is marker inverse
kinematics (`ik`), solved to the end, in ranges.  At its solution dF/dp is the partial derivative alone, and the
Gauss-Newton matrix of F is the Schur complement of the coordinates of all frames,

    S = H_pp - Σ_t H_pq H_qq⁻¹ H_qp

(variable projection: Golub & Pereyra 1973; as bundle adjustment does it: Triggs et al. 2000), one small system for each
frame.  Priors: factors near the size of the whole, left near right, markers near their places; so whatever the motion
does not tell is assumed, and told as such.
"""

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture.body_mass import with_masses
from hitogata.capture.body_scale import scaled_figure
from hitogata.capture.fit_kinematics import MarkerDerivatives, marker_derivatives
from hitogata.capture.fit_prior import FitPrior, fit_prior, overall_size
from hitogata.capture.functional import FunctionalJoint, functional_links, moved_joints
from hitogata.capture.ik import (
    Frames,
    IkSettings,
    JointAngles,
    MarkerIk,
    held_mask,
    marker_weights,
    matched_trial,
    solve_ik,
)
from hitogata.capture.ik_layout import intervals
from hitogata.capture.ik_start import first_pose
from hitogata.capture.marker_set import MarkerSet
from hitogata.dynamics import forward_kinematics, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.expansion import expansion_of
from hitogata.figure.values import FloatArray, positive
from hitogata.files import MarkerData

LESSONS = 10
"""Rounds in which the spread of offsets is learned, at most."""

LEAST_OFFSET, MOST_OFFSET, LEAST_SIGMA, MOST_SIGMA = 2e-5, 0.03, 1e-4, 0.02
"""Deviations are taken to lie between these [m]."""


@dataclass(frozen=True)
class FitSettings:
    """How a body is fitted.

    Attributes:
        frames: of the trial by which sizes are found, spread over it.
        sigma: standard deviation of a marker about its place on the body, skin and noise together [m]; it and `offset`
            are learned from the trial, beginning here.
        offset: of a marker's place about that of the set on the scaled figure [m].
        scale: of the factors about the size of the whole.
        alike: of left about right.
        centre: of the centre of a functional joint about its place on the scaled figure [m].
        turn: of the axes of a functional joint about the generic ones [rad].
        axes: a factor for each axis of a link; False: one for each link.
        outlier: markers further from the body than this count less and less, in the end [m]; 0: all count alike.
        iterations: at most.
        tolerance: the fit is done when no factor, and no offset in decimetres, changes by more.
    """

    frames: int = 60
    sigma: float = 0.005
    offset: float = 0.01
    scale: float = 0.15
    alike: float = 0.02
    centre: float = 0.02
    turn: float = 0.2
    axes: bool = True
    outlier: float = 0.03
    iterations: int = 40
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        for name in ("sigma", "offset", "scale", "alike", "centre", "turn", "tolerance"):
            positive(getattr(self, name), f"FitSettings: {name}", error=ArgumentError)
        if self.frames < 1 or self.iterations < 1 or self.outlier < 0:
            raise ArgumentError("FitSettings: frames and iterations must be 1 or more, outlier 0 or more")


@dataclass(frozen=True, eq=False)
class BodyFit:
    """A fitted body.

    Attributes:
        figure: of the fitted sizes.
        markers: at their fitted places.
        scales: factors of the links, shape (nlinks, 3).
        deviations: their standard deviations, shape (nlinks, 3).
        offsets: of the markers from their places on the scaled figure, in the link's frame [m], shape (nm, 3).
        angles: joint angles of all frames of the trial.
        assumed: links of whose sizes the motion told less than the priors did.
        converged: whether the sizes settled.
        iterations: that it took.
        seconds: spent.
        functional: joints whose centres and axes the motion told.
    """

    figure: Figure
    markers: MarkerSet
    scales: FloatArray = field(repr=False)
    deviations: FloatArray = field(repr=False)
    offsets: FloatArray = field(repr=False)
    angles: JointAngles
    assumed: tuple[str, ...]
    converged: bool
    iterations: int
    seconds: float
    functional: tuple[FunctionalJoint, ...] = ()

    def __str__(self) -> str:
        state = "converged" if self.converged else "did not converge"
        lines = [
            f"{self.figure.name}: {state} after {self.iterations} iterations, {self.seconds:.1f} s; {self.angles}",
            *(f"  {name:<20} {x:.3f} {y:.3f} {z:.3f}  ± {d.max():.3f}" for name, (x, y, z), d in zip(
                self.figure.link_names, self.scales, self.deviations, strict=True)),
            *(f"  {joint}" for joint in self.functional),
        ]  # fmt: skip
        if self.assumed:
            lines.append(f"  not told by the markers, so assumed: sizes of {', '.join(self.assumed)}")
        return "\n".join(lines)


def joint_centres(figure: Figure, q: Any) -> FloatArray:
    """Origins of the joints' frames on their links [m], shape (nlinks, 3) or (nt, nlinks, 3)."""
    poses = forward_kinematics(figure, q)
    at = np.array([link.joint.child_frame.position for link in figure.links])
    centres: FloatArray = (poses.rotation @ at[:, :, None])[..., 0] + poses.position
    return centres


def fit_body(
    figure: Figure,
    markers: MarkerSet,
    trial: MarkerData | FloatArray,
    *,
    weights: Mapping[str, float] | Any = None,
    held: Any = (),
    mass: float | None = None,
    stature: float | None = None,
    functional: Sequence[str] = (),
    settings: FitSettings | None = None,
    progress: Callable[[str], None] | None = None,
) -> BodyFit:
    """Fit a figure's sizes and its markers' places to a trial.

    Args:
        figure: generic, of any size; ranges of its joints are kept.
        markers: about where they sit on it.
        trial: labelled markers, or places in the order of the set [m], shape (nt, nm, 3).
        weights: of the markers, as in `solve_ik`.
        held: coordinates or joints that stay at their rest.
        mass: of the whole body [kg], shared out as before; None: every link keeps its density.
        stature: height of the person [m]; with it, segments have the masses of such a person (`body_mass`).
        functional: links whose joints' centres and axes the motion tells; those of others are scaled with their links.
        settings: of the fit.
        progress: is told how it goes, line by line.

    Raises:
        ArgumentError: wrong shapes, no common label, or no frame with three markers.
    """
    begun, settings = clock.perf_counter(), settings or FitSettings()
    if stature is not None:
        with_masses(figure, figure.mass if mass is None else mass, stature)  # may refuse: before anything is solved
    target, _, _, _ = matched_trial(markers, trial)
    weight = marker_weights(weights, markers.labels, target)
    chosen = _chosen_frames(weight, settings.frames)
    size = overall_size(markers, target, weight)
    links = functional_links(figure, functional)
    prior = fit_prior(figure, markers, size, settings, links)
    problem = _Problem(figure, markers, target[chosen], weight[chosen] / settings.sigma**2, held, prior)
    tell = progress or (lambda line: None)
    tell(f"{len(chosen)} frames, {len(markers.labels)} markers, size of the whole {size:.3f}")
    state, count, converged = problem.begin(size), 0, False
    for outlier in (0.0, settings.outlier) if settings.outlier else (0.0,):
        state = problem.solved(state.p, state.frames.q, outlier)
        state, used, converged = _minimised(problem, state, settings, tell)
        count += used
    learned = settings
    for _ in range(LESSONS):
        before, learned = learned, problem.lessons(state, learned)
        problem.prior = fit_prior(figure, markers, size, learned, links)
        problem.weight = problem.weight * (before.sigma / learned.sigma) ** 2
        tell(f"markers move by {learned.sigma * 1e3:.2f} mm, and sit {learned.offset * 1e3:.2f} mm off (deviations)")
        state = problem.solved(state.p, state.frames.q, state.outlier)
        state, used, converged = _minimised(problem, state, settings, tell)
        count += used
        if max(abs(np.log(learned.offset / before.offset)), abs(np.log(learned.sigma / before.sigma))) < 0.1:
            break
    scales, _, offsets = problem.prior.split(state.p)
    fitted = scaled_figure(problem.moved_figure(state.p), scales, mass=mass)
    if stature is not None:
        fitted = with_masses(fitted, fitted.mass, stature)
    placed = problem.placed(state.p)
    deviations, assumed, joints = problem.told(state)
    angles = solve_ik(
        fitted, placed, trial, weights=weights, held=held, settings=IkSettings(outlier=settings.outlier),
        start=state.frames.q[0],
    )  # fmt: skip
    return BodyFit(
        fitted, placed, scales, deviations, offsets, angles, assumed, converged, count, clock.perf_counter() - begun,
        joints,
    )


class _State(NamedTuple):
    """A point of the outer search."""

    p: FloatArray
    frames: Frames
    cost: float
    outlier: float


def _minimised(
    problem: "_Problem", state: _State, settings: FitSettings, tell: Callable[[str], None]
) -> tuple[_State, int, bool]:
    """Levenberg and Marquardt's method on p; the state, steps taken, and whether it settled."""
    damping = 1e-6
    for k in range(settings.iterations):
        system = problem.linearised(state)
        while True:
            step, turn = system.step(damping)
            tried = problem.moved(state, step, turn)
            if tried.cost < state.cost or damping > 1e8:
                break
            damping = max(damping * 10, 1e-3)
            if np.abs(step * problem.prior.units).max() < settings.tolerance:
                return state, k + 1, True
        change, fall = np.abs(step * problem.prior.units).max(), state.cost - tried.cost
        if tried.cost < state.cost:
            state = tried
        damping = max(damping * 0.1, 1e-9)
        tell(f"{k + 1}: cost {state.cost:.6g}, largest change {change:.2g}")
        if change < settings.tolerance or fall < 1e-9 * state.cost:
            return state, k + 1, True
    return state, settings.iterations, False


class _System(NamedTuple):
    """Normal equations: of p after the coordinates are eliminated, and what they do in turn."""

    schur: FloatArray  # (np, np)
    down: FloatArray  # (np,)
    own: FloatArray  # H_qq⁻¹ H_qp, (nt, nv, np)
    turn: FloatArray  # H_qq⁻¹ g_q, (nt, nv)

    def step(self, damping: float) -> tuple[FloatArray, FloatArray]:
        """Changes of p and of the coordinates."""
        matrix = self.schur + damping * np.diag(np.diag(self.schur))
        step: FloatArray = np.linalg.solve(matrix, self.down).astype(np.float64)
        return step, self.turn - self.own @ step


@dataclass(eq=False)
class _Problem:
    """The frames by which sizes are found."""

    figure: Figure
    markers: MarkerSet
    target: FloatArray
    weight: FloatArray
    held: Any
    prior: FitPrior

    def __post_init__(self) -> None:
        base = expansion_of(self.figure)
        self.plain = self.figure if base is None else base.plain
        self.like: MarkerIk | None = None

    def moved_figure(self, p: FloatArray) -> Figure:
        """The figure of size 1, its functional joints where they are now."""
        return moved_joints(self.figure, self.prior.functional, self.prior.of_joints(p))

    def placed(self, p: FloatArray) -> MarkerSet:
        """The markers at their places on the scaled figure."""
        scales, _, offsets = self.prior.split(p)
        places = scales[self.markers.links] * self.markers.places + offsets
        return MarkerSet(self.markers.labels, self.markers.links, places, self.markers.radius)

    def solver(self, p: FloatArray, outlier: float) -> MarkerIk:
        """Inverse kinematics of the scaled figure."""
        scales, _, _ = self.prior.split(p)
        self.like = MarkerIk(
            scaled_figure(self.moved_figure(p), scales), self.placed(p), held=self.held,
            settings=IkSettings(outlier=outlier, tolerance=1e-9), like=self.like,
        )  # fmt: skip
        return self.like

    def begin(self, size: float) -> _State:
        """The figure of the size of the whole in all frames, one after the other."""
        p = self.prior.start(size)
        solver = self.solver(p, 0.0)
        q, first = first_pose(solver, self.target, self.weight, None)
        ahead = solver.frames(self.target[first:], self.weight[first:], q, variances=False)
        back = solver.frames(self.target[:first][::-1], self.weight[:first][::-1], q, variances=False)
        start = np.concatenate([back.q[::-1], ahead.q])
        return self.solved(p, start, 0.0)

    def solved(self, p: FloatArray, start: FloatArray, outlier: float) -> _State:
        """The inner problem at p."""
        frames = self.solver(p, outlier).frames(self.target, self.weight, start, variances=False)
        return _State(p, frames, float(frames.cost.sum()) + self.prior.cost(p), outlier)

    def moved(self, state: _State, step: FloatArray, turn: FloatArray) -> _State:
        """The inner problem a step further, begun where the coordinates lead."""
        p = self.prior.bounded(state.p + step)
        start = np.asarray(integrate(self.plain, state.frames.q, np.clip(turn, -0.5, 0.5)))
        return self.solved(p, start, state.outlier)

    def linearised(self, state: _State) -> _System:
        """Normal equations at a solution of the inner problem."""
        scales, changes, offsets = self.prior.split(state.p)
        functional = dict(zip(self.prior.functional, changes, strict=True))
        now = self.moved_figure(state.p)
        found = marker_derivatives(now, self.markers, scales, offsets, state.frames.q, functional)
        miss = np.where(self.weight[..., None] > 0, np.nan_to_num(self.target) - found.places, 0.0)
        weight = self.weight
        if state.outlier > 0:
            weight = weight / (1.0 + (miss**2).sum(axis=2) / state.outlier**2) ** 2
        return self._eliminated(found, miss, weight, state)

    def _eliminated(self, found: MarkerDerivatives, miss: FloatArray, weight: FloatArray, state: _State) -> _System:
        """Of offsets, H_dd is diagonal, and each marker meets its own three only."""
        n, nm = weight.shape
        root = np.sqrt(weight)[:, :, None, None]
        by_q = self._free(state.frames.q)[:, None, None, :] * found.by_v * root  # (n, nm, 3, nv)
        sizes = found.by_scale.reshape(n, nm, 3, -1) @ self.prior.share
        by_s = np.concatenate([sizes, found.by_change[..., self.prior.changing.ravel()]], axis=3) * root
        by_d, left = found.rotation * root, miss * root[..., 0]
        flat_q, flat_s = by_q.reshape(n, 3 * nm, -1), by_s.reshape(n, 3 * nm, -1)
        turned = np.ascontiguousarray(flat_q.transpose(0, 2, 1))
        H_qq = turned @ flat_q
        loose = 1e-9 * np.einsum("nii->ni", H_qq).max(axis=1) + 1e-300
        H_qq[:, np.arange(H_qq.shape[1]), np.arange(H_qq.shape[1])] += loose[:, None]
        H_qd = np.einsum("nmcv,nmcd->nvmd", by_q, by_d, optimize=True).reshape(n, -1, 3 * nm)
        H_qp = np.concatenate([turned @ flat_s, H_qd], axis=2)
        g_q = turned @ left.reshape(n, 3 * nm, 1)
        both = np.linalg.solve(H_qq, np.concatenate([H_qp, g_q], axis=2))
        own, turn = np.ascontiguousarray(both[:, :, :-1]), both[:, :, -1]
        ns, tall = self.prior.dense, by_s.reshape(n * nm * 3, -1)
        schur = -(H_qp.reshape(-1, H_qp.shape[2]).T @ own.reshape(-1, H_qp.shape[2]))
        schur[:ns, :ns] += tall.T @ tall
        H_sd = np.einsum("nmcs,nmcd->smd", by_s, by_d, optimize=True).reshape(ns, -1)
        schur[:ns, ns:] += H_sd
        schur[ns:, :ns] += H_sd.T
        schur[np.arange(ns, len(schur)), np.arange(ns, len(schur))] += np.repeat(weight.sum(axis=0), 3)
        g_p = np.concatenate([tall.T @ left.ravel(), np.einsum("nmcd,nmc->md", by_d, left).ravel()])
        matrix, pull = self.prior.normal(state.p)
        return _System(schur + matrix, g_p - np.einsum("nqp,nq->p", H_qp, turn) + pull, own, turn)

    def _free(self, q: FloatArray) -> FloatArray:
        """1 where a velocity may change: not held, and not at the end of its interval, shape (nt, nv)."""
        low, high, place = intervals(self.figure)
        value = q[:, np.maximum(place, 0)]
        ends = (place >= 0) & ((value <= low) | (value >= high))
        return np.where(ends | held_mask(self.figure, self.held), 0.0, 1.0)

    def lessons(self, state: _State, settings: FitSettings) -> FitSettings:
        """Deviations by which the trial is likeliest (MacKay 1992): of offsets, Σ d² over the number of those that it
        tells; of markers, what is left of them."""
        variance = np.diag(np.linalg.inv(self.linearised(state).schur))[self.prior.dense :]
        told = float((1.0 - variance / settings.offset**2).clip(0.0, 1.0).sum())
        _, _, offsets = self.prior.split(state.p)
        offset = float(np.clip(np.sqrt((offsets**2).sum() / max(told, 1.0)), LEAST_OFFSET, MOST_OFFSET))
        seen = 3 * int((self.weight > 0).sum())
        freedom = max(seen - int(self._free(state.frames.q).sum()) - len(state.p), seen // 10)
        left = max(float(state.frames.cost.sum()), 0.0) * settings.sigma**2 / freedom
        return replace(settings, offset=offset, sigma=float(np.clip(np.sqrt(left), LEAST_SIGMA, MOST_SIGMA)))

    def told(self, state: _State) -> tuple[FloatArray, tuple[str, ...], tuple[FunctionalJoint, ...]]:
        """Standard deviations of the factors, links of which the priors told more than the markers, and joints that
        the motion told."""
        covariance = np.linalg.inv(self.linearised(state).schur).astype(np.float64)
        prior, names = self.prior, self.figure.link_names
        deviations = prior.deviations(covariance)
        weak: Any = (deviations > 0.5 * prior.scale_sigma).any(axis=1)
        scales, changes, _ = prior.split(state.p)
        spread = prior.of_joints(np.sqrt(np.diag(covariance)))
        joints = []
        for k, change, off in zip(prior.functional, changes, spread, strict=True):
            factors = scales[self.figure.parents[k]]
            off[:3] *= factors
            joints.append(FunctionalJoint(names[k], factors * change[:3], change[3:], off))
        return deviations, tuple(name for name, w in zip(names, weak, strict=True) if w), tuple(joints)


def _chosen_frames(weight: FloatArray, count: int) -> Any:
    """Frames that show nearly as much as the best, spread evenly."""
    seen = (weight > 0).sum(axis=1)
    good = np.flatnonzero(seen >= max(3, 0.7 * seen.max()))
    if not len(good):
        raise ArgumentError("trial: no frame shows three markers of the set")
    return good[np.unique(np.linspace(0, len(good) - 1, min(count, len(good))).astype(int))]
