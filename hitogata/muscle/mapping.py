"""Poses of an animator's figure and of the full body, mapped to each other: φ = M f(θ), θ = N g(φ).

θ and φ are the turns of the joints (rotation vectors of ball joints, angles of others), f and g their polynomial
terms, and M, N come from pairs of poses by a pseudo-inverse with as many singular values as serve poses that were not
among them (Nakamura, Yamane, Fujita & Suzuki 2005, eq. 14-15).  With the terms F (n, terms) of n poses, centred and
scaled, and F = U S Vᵀ,

    M_r = V_r S_r⁻¹ U_rᵀ Φ            r singular values, chosen by cross-validation over stretches of the motion.

Too few are coarse, too many fit the samples' own deviations (the paper's figure 14).  The roots are not part of the
polynomials: the pelvis is placed against the figure's root, and that placement is one of the outputs.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.figure.rates import turn_places
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.spatial import quat_conjugate, quat_exp, quat_log, quat_multiply, quat_to_matrix

FOLDS = 5
"""Stretches of the samples that are left out, one after the other, to choose the rank."""
RANKS = 40
"""Ranks that are tried, evenly over their logarithm."""


@dataclass(frozen=True)
class Terms:
    """Polynomial terms of joint coordinates.

    Attributes:
        degree: powers of each coordinate up to this, 1 to 4.
        products: with products of two coordinates of one joint, and of a joint and its parent's.
    """

    degree: int = 2
    products: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.degree, int) or not 1 <= self.degree <= 4:
            raise ArgumentError(f"terms: degree must be 1 to 4, got {self.degree!r}")


@dataclass(frozen=True, eq=False)
class PoseMap:
    """Coordinates of one figure from those of another.

    Attributes:
        source, target: the figures.
        terms: of the polynomial.
        coefficients: M, on scaled terms, shape (terms, outputs).
        centre, scale: of the terms, shape (terms,).
        mean: of the outputs, shape (outputs,).
        rank: number of singular values that were used.
        lengths: of the target's root path over the source's.
        curve: error of the samples and of those left out, by rank.
    """

    source: Figure
    target: Figure
    terms: Terms
    coefficients: FloatArray = field(repr=False)
    centre: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    rank: int
    lengths: float
    curve: "RankCurve | None" = field(default=None, repr=False)

    def __call__(self, q: ArrayLike) -> FloatArray:
        """Coordinates of the target, shape (nq,) or (n, nq), for those of the source."""
        given = np.asarray(q, np.float64)
        rows = np.atleast_2d(given)
        if rows.ndim != 2 or rows.shape[1] != self.source.nq:
            raise ArgumentError(f"q: {self.source.nq} coordinates of {self.source.name!r} are expected")
        if not np.isfinite(rows).all():
            raise ArgumentError(f"q: row {int(np.argwhere(~np.isfinite(rows))[0, 0])} is not finite")
        F = (terms_of(self.source, rows, self.terms) - self.centre) / self.scale
        out = _joined(self.source, self.target, rows, F @ self.coefficients + self.mean, self.lengths)
        return out[0] if given.ndim == 1 else out


@dataclass(frozen=True, eq=False)
class RankCurve:
    """Errors over the number of singular values.

    Attributes:
        ranks: shape (k,).
        trained: RMS over joint coordinates of the samples [rad], shape (k,).
        unseen: the same of samples that were left out, shape (k,).
    """

    ranks: Any
    trained: FloatArray
    unseen: FloatArray


@dataclass(frozen=True, eq=False)
class FigureMap:
    """Both ways: φ = M f(θ) to the full body, θ = N g(φ) back to the figure."""

    to_body: PoseMap
    to_figure: PoseMap


def fit_figure_map(
    figure: Figure, body: Figure, q_figure: ArrayLike, q_body: ArrayLike, *, terms: Terms | None = None,
    clips: Any = None,
) -> FigureMap:  # fmt: skip
    """Fit both maps to pairs of poses, ranks by cross-validation.

    Args:
        figure, body: the figures.
        q_figure, q_body: the same poses of both, shape (n, nq) of each.
        terms: None: squares.
        clips: number of the clip that each pose is from, shape (n,): ranks are chosen by leaving out clips; None: by
            stretches of the whole.
    """
    return FigureMap(
        fit_pose_map(figure, body, q_figure, q_body, terms=terms, clips=clips),
        fit_pose_map(body, figure, q_body, q_figure, terms=terms, clips=clips),
    )


def fit_pose_map(
    source: Figure, target: Figure, q_source: ArrayLike, q_target: ArrayLike, *, terms: Terms | None = None,
    rank: int | None = None, clips: Any = None,
) -> PoseMap:  # fmt: skip
    """Fit one map.

    Args:
        source, target: the figures.
        q_source, q_target: the same poses of both, shape (n, nq) of each, in the order of the motion.
        terms: of the polynomial.
        rank: number of singular values; None: by cross-validation.
        clips: see `fit_figure_map`.
    """
    chosen = terms or Terms()
    rows, wanted = _samples(source, q_source), _samples(target, q_target)
    if len(rows) != len(wanted):
        raise ArgumentError(f"q: as many poses of both are expected, got {len(rows)} and {len(wanted)}")
    if len(rows) < 2:
        raise ArgumentError("q: two poses or more are expected")
    lengths = _path_ratio(rows, wanted)
    F, Y = terms_of(source, rows, chosen), _relative(source, target, rows, wanted, lengths)
    if clips is not None and np.shape(clips) != (len(rows),):
        raise ArgumentError(f"clips: one number for each of {len(rows)} poses is expected")
    curve = rank_curve(F, Y, clips=clips) if rank is None and len(rows) >= 2 * FOLDS else None
    if curve is not None:
        rank = int(curve.ranks[int(np.argmin(curve.unseen))])
    fitted = _Fit.to(F, Y)
    M = fitted.coefficients(len(fitted.values) if rank is None else rank)
    used = min(len(fitted.values), rank if rank is not None else len(fitted.values))
    return PoseMap(source, target, chosen, M, fitted.centre, fitted.scale, fitted.mean, used, lengths, curve)


class _Fit:
    """The decomposition of the terms of some samples, for all ranks."""

    def __init__(self, F: FloatArray, Y: FloatArray, centre: FloatArray, scale: FloatArray, mean: FloatArray) -> None:
        self.centre, self.scale, self.mean = centre, scale, mean
        U, S, Vt = np.linalg.svd((F - centre) / scale, full_matrices=False)
        keep = max(1, int((1e-10 * S[0] < S).sum())) if S[0] > 0 else 1
        self.values, self.V, self.told = S[:keep], Vt[:keep].T, U[:, :keep].T @ (Y - mean)

    @classmethod
    def to(cls, F: FloatArray, Y: FloatArray) -> "_Fit":
        """Centred and scaled by the samples' own spread."""
        centre, mean = F.mean(axis=0), Y.mean(axis=0)
        spread = F.std(axis=0)
        scale = np.where(spread > 1e-9, np.maximum(spread, 0.02 * spread.max(initial=1e-9)), 1.0)
        return cls(F, Y, centre, scale, mean)

    def coefficients(self, rank: int) -> FloatArray:
        """M of a rank, shape (terms, outputs)."""
        r = max(1, min(rank, len(self.values)))
        result: FloatArray = (self.V[:, :r] / np.maximum(self.values[:r], 1e-300)) @ self.told[:r]
        return result


def rank_curve(F: FloatArray, Y: FloatArray, ranks: Any = None, *, unseen: Any = None, clips: Any = None) -> RankCurve:
    """Errors over the number of singular values, of samples and of others.

    Args:
        F: terms, shape (n, terms).
        Y: outputs, shape (n, outputs), in the order of the motion.
        ranks: to try; None: from 1 to all.
        unseen: terms and outputs of other poses; None: parts of the samples, left out one after the other.
        clips: number of the clip of each sample: the parts; None, or one clip alone: `FOLDS` stretches.
    """
    whole = _Fit.to(F, Y)
    most = len(whole.values)
    named = np.zeros(len(F)) if clips is None else np.asarray(clips)
    parts = [np.flatnonzero(named == each) for each in np.unique(named)]
    if len(parts) == 1:
        parts = np.array_split(np.arange(len(F)), FOLDS)
    if ranks is None:
        if unseen is None:
            most = min(most, len(F) - max(len(part) for part in parts))
        ranks = np.unique(np.geomspace(1, max(most, 1), RANKS).round().astype(int))
    trained = _errors(whole, F, Y, ranks)
    if unseen is not None:
        return RankCurve(np.asarray(ranks), np.sqrt(trained), np.sqrt(_errors(whole, unseen[0], unseen[1], ranks)))
    squares = np.zeros(len(ranks))
    for part in parts:
        kept = np.setdiff1d(np.arange(len(F)), part)
        squares += len(part) * _errors(_Fit.to(F[kept], Y[kept]), F[part], Y[part], ranks)
    return RankCurve(np.asarray(ranks), np.sqrt(trained), np.sqrt(squares / len(F)))


def _errors(fit: _Fit, F: FloatArray, Y: FloatArray, ranks: Any) -> FloatArray:
    """Mean squares over outputs, the root's placement left out, for each rank."""
    scores = ((F - fit.centre) / fit.scale) @ fit.V / np.maximum(fit.values, 1e-300)
    errors, found, at = [], np.repeat(fit.mean[None], len(F), axis=0), 0
    for rank in ranks:
        end = min(int(rank), len(fit.values))
        found = found + scores[:, at:end] @ fit.told[at:end]
        at = max(at, end)
        errors.append(float(((found - Y)[:, 6:] ** 2).mean()))
    return np.array(errors)


def joint_turns(figure: Figure, q: FloatArray) -> FloatArray:
    """Rotation vectors and values of the joints behind the root [rad, m], shape (n, nv - 6)."""
    rows = np.atleast_2d(q)
    out = np.empty((len(rows), figure.nv))
    quats, turns = turn_places(figure)
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        if link.joint.quat_start is None:
            out[:, iv : iv + link.joint.nv] = rows[:, iq : iq + link.joint.nv]
        elif link.joint.nv > 3:
            out[:, iv + 3 : iv + 6] = rows[:, iq : iq + 3]
    if len(quats):
        unit = rows[:, quats]
        out[:, turns] = quat_log(unit * np.where(unit[..., :1] < 0, -1.0, 1.0))
    return out[:, 6:]


def terms_of(figure: Figure, q: FloatArray, terms: Terms) -> FloatArray:
    """f(θ): the polynomial terms of poses, shape (n, terms); none for what is constant."""
    x = joint_turns(figure, q)
    parts = [x**power for power in range(1, terms.degree + 1)]
    if terms.products and terms.degree > 1:
        a, b = _pairs(figure)
        parts.append(x[:, a] * x[:, b])
    return np.concatenate(parts, axis=1)


def _pairs(figure: Figure) -> tuple[Any, Any]:
    """Pairs of different coordinates of one joint, and of a joint and the next above it that moves."""
    own = [list(range(v - 6, v - 6 + link.joint.nv)) for v, link in zip(figure.v_starts, figure.links, strict=True)]
    first, second = [], []
    for k, mine in enumerate(own):
        if k == 0:
            continue
        above = figure.parents[k]
        while above > 0 and not own[above]:
            above = figure.parents[above]
        for i, a in enumerate(mine):
            others = mine[i + 1 :] + (own[above] if above > 0 else [])
            first += [a] * len(others)
            second += others
    return np.array(first, np.intp), np.array(second, np.intp)


def _samples(figure: Figure, q: ArrayLike) -> FloatArray:
    rows = np.asarray(q, np.float64)
    if rows.ndim != 2 or rows.shape[1] != figure.nq:
        raise ArgumentError(f"q: shape (n, {figure.nq}) is expected for {figure.name!r}, got {rows.shape}")
    if not figure.links[0].joint.floating:
        raise ArgumentError(f"{figure.name!r}: a figure with a free root is expected")
    if not np.isfinite(rows).all():
        raise ArgumentError(f"q: row {int(np.argwhere(~np.isfinite(rows))[0, 0])} is not finite")
    return rows


def _path_ratio(source: FloatArray, target: FloatArray) -> float:
    """Of the ways that the roots went; 1 if they stood still."""
    far = [np.linalg.norm(np.diff(rows[:, :2], axis=0), axis=1).sum() for rows in (source, target)]
    return float(far[1] / far[0]) if far[0] > 0.05 * len(source) ** 0.5 and far[1] > 0 else 1.0


def _relative(source: Figure, target: Figure, p: FloatArray, q: FloatArray, lengths: float) -> FloatArray:
    """The target's root seen from the source's (turn, place), and its joints, shape (n, nv)."""
    turn = quat_log(quat_multiply(quat_conjugate(p[:, 3:7]), q[:, 3:7]))
    away = np.einsum("nji,nj->ni", quat_to_matrix(p[:, 3:7]), q[:, :3] - lengths * p[:, :3])
    return np.concatenate([turn, away, joint_turns(target, q)], axis=1)


def _joined(source: Figure, target: Figure, p: FloatArray, found: FloatArray, lengths: float) -> FloatArray:
    """Coordinates of the target for outputs of the polynomial: the reverse of `_relative`."""
    out = np.repeat(np.array(target.neutral())[None], len(p), axis=0)
    for link, iq, iv in zip(target.links, target.q_starts, target.v_starts, strict=True):
        joint, at = link.joint, slice(iq, iq + link.joint.nq)
        if iv == 0 and joint.floating:
            continue
        if joint.quat_start is None:
            low, high = _limits(joint, joint.nq)
            out[:, at] = np.clip(found[:, iv : iv + joint.nv], low, high)
        else:
            out[:, at] = quat_exp(found[:, iv : iv + 3])
    out[:, 3:7] = quat_multiply(p[:, 3:7], quat_exp(found[:, :3]))
    out[:, :3] = lengths * p[:, :3] + np.einsum("nij,nj->ni", quat_to_matrix(p[:, 3:7]), found[:, 3:6])
    return out


def _limits(joint: Any, count: int) -> tuple[FloatArray, FloatArray]:
    """Ranges of joints without quaternions, unbounded without."""
    if joint.range is None or not isinstance(joint.range, tuple):
        return np.full(count, -np.inf), np.full(count, np.inf)
    low, high = np.array(joint.range, np.float64).reshape(-1, 2).T
    return low, high
