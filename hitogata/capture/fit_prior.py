"""What is assumed of a body's sizes and its markers' places before any marker is seen; the parameters of the fit."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.capture.functional import freedom
from hitogata.capture.marker_set import MarkerSet
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray
from hitogata.files.names import Side, left_right_pairs, side_and_word

if TYPE_CHECKING:
    from hitogata.capture.body_fit import FitSettings

LEAST, MOST = 0.3, 3.0
"""Of factors."""

APART = 0.03
"""Markers of one link that are nearer than this tell nothing of its size [m]."""


TOGETHER = {"ulna": "forearm", "radius": "forearm", "femur": "thigh", "patella": "thigh"}
"""Links that grow together, by their names without a side."""


@dataclass(frozen=True, eq=False)
class FitPrior:
    """Parameters p: factors of the links, changes of functional joints, then offsets of the markers [m]; normal priors.

    Attributes:
        share: factors of all links and axes from the first parameters, shape (3 nlinks, ns).
        matrix: inverse covariance of p, shape (np, np).
        mean: of p, shape (np,).
        scale_sigma: standard deviation of factors.
        units: multiplied by these, changes of p are comparable, shape (np,).
        functional: links whose joints may change.
        changing: which of their shifts and turns may, shape (n, 6), bool.
    """

    share: FloatArray
    matrix: FloatArray
    mean: FloatArray
    scale_sigma: float
    units: FloatArray
    functional: tuple[int, ...]
    changing: Any

    @property
    def factors(self) -> int:
        """How many parameters are factors."""
        return self.share.shape[1]

    @property
    def dense(self) -> int:
        """How many are not offsets of markers."""
        return self.factors + int(self.changing.sum())

    def split(self, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Factors (nlinks, 3), changes of joints (n, 6) and offsets (nm, 3)."""
        changes = self.of_joints(p)
        return (self.share @ p[: self.factors]).reshape(-1, 3), changes, p[self.dense :].reshape(-1, 3)

    def of_joints(self, p: FloatArray) -> FloatArray:
        """What belongs to shifts and turns of joints, 0 where these may not change, shape (n, 6)."""
        found = np.zeros(self.changing.shape)
        found[self.changing] = p[self.factors : self.dense]
        return found

    def start(self, size: float) -> FloatArray:
        """All links of one size, no offsets."""
        p = np.zeros(len(self.mean))
        p[: self.factors] = size
        return p

    def bounded(self, p: FloatArray) -> FloatArray:
        """Factors within what is possible."""
        p = p.copy()
        p[: self.factors] = np.clip(p[: self.factors], LEAST, MOST)
        return p

    def cost(self, p: FloatArray) -> float:
        """(p - mean)ᵀ matrix (p - mean)."""
        return float((p - self.mean) @ self.matrix @ (p - self.mean))

    def normal(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Its part of the normal equations."""
        return self.matrix, -self.matrix @ (p - self.mean)

    def deviations(self, covariance: FloatArray) -> FloatArray:
        """Standard deviations of the factors, shape (nlinks, 3)."""
        own = covariance[: self.factors, : self.factors]
        return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", self.share, own, self.share), 0.0)).reshape(-1, 3)


def fit_prior(
    figure: Figure, markers: MarkerSet, size: float, settings: "FitSettings", functional: tuple[int, ...] = ()
) -> FitPrior:
    """Priors of a figure: factors about the size of the whole, left as right, joints and markers at their places."""
    nm = len(markers.labels)
    share: FloatArray = np.kron(_together(figure), np.eye(3) if settings.axes else np.ones((3, 1))).astype(np.float64)
    ns = share.shape[1]
    rows = [share / settings.scale / (1.0 if settings.axes else np.sqrt(3.0))]
    rows.append(_mirrored(figure) @ share / settings.alike)
    weight = np.concatenate(rows)
    changing = freedom(figure, functional) > 0
    deviations = np.where(np.arange(6) < 3, settings.centre, settings.turn) * np.ones(changing.shape)
    dense = ns + int(changing.sum())
    matrix = np.zeros((dense + 3 * nm, dense + 3 * nm))
    matrix[:ns, :ns] = weight.T @ weight
    matrix[ns:dense, ns:dense] = np.diag(1.0 / deviations[changing] ** 2)
    matrix[dense:, dense:] = np.eye(3 * nm) / settings.offset**2
    mean = np.zeros(len(matrix))
    mean[:ns] = size
    of_joints = np.where(np.arange(6) < 3, 10.0, 1.0) * np.ones(changing.shape)
    units = np.concatenate([np.ones(ns), of_joints[changing], np.full(3 * nm, 10.0)])
    return FitPrior(share, matrix, mean, settings.scale, units, functional, changing)


def _together(figure: Figure) -> FloatArray:
    """Links that share their factors, those of one limb part: rows links, columns groups."""
    groups: dict[tuple[Side, str], int] = {}
    column = []
    for k, name in enumerate(figure.link_names):
        side, word = side_and_word(name)
        key = (side, TOGETHER[word]) if word in TOGETHER else (Side.MIDDLE, str(k))
        column.append(groups.setdefault(key, len(groups)))
    return np.eye(len(groups))[column]


def _mirrored(figure: Figure) -> FloatArray:
    """Rows that vanish if both sides are alike: factors of right links less those of left ones, about the mirror."""
    pairs, rows = left_right_pairs(figure.link_names), []
    turns = np.asarray(forward_kinematics(figure, figure.neutral()).rotation)
    mirror = np.diag([1.0, -1.0, 1.0])
    for left, right in pairs.items():
        a, b = figure.link_index(left), figure.link_index(right)
        matched = (turns[b].T @ mirror @ turns[a]) ** 2  # how much of the left's axis is in the right's
        for k in range(3):
            row = np.zeros((figure.nlinks, 3))
            row[b, k] = 1.0
            row[a] -= matched[k]
            rows.append(row.ravel())
    return np.array(rows).reshape(-1, 3 * figure.nlinks)


def overall_size(markers: MarkerSet, target: FloatArray, weight: FloatArray) -> float:
    """The size of the whole, by distances between markers of one link: the median of their ratios, 1 if there are none.

    Args:
        markers: on a figure of size 1.
        target: places [m], shape (nt, nm, 3).
        weight: 0 where hidden, shape (nt, nm).
    """
    ratios, lengths = [], []
    for k in sorted(set(markers.links.tolist())):
        own = np.flatnonzero(markers.links == k)
        for i, a in enumerate(own):
            for b in own[i + 1 :]:
                length = float(np.linalg.norm(markers.places[a] - markers.places[b]))
                both = (weight[:, a] > 0) & (weight[:, b] > 0)
                if length > APART and both.any():
                    ratios.append(float(np.median(np.linalg.norm(target[both, a] - target[both, b], axis=1))) / length)
                    lengths.append(length)
    if not ratios:
        return 1.0
    order = np.argsort(ratios)
    half = np.cumsum(np.array(lengths)[order])
    return float(np.clip(np.array(ratios)[order][int(np.searchsorted(half, half[-1] / 2))], 0.5, 2.0))
