"""Covariance of the joint angles of a frame, from the markers' noise.

    C = σ² (Jᵀ W J)⁻¹        J: places of the markers by the velocities that are free,  σ: of a coordinate of a marker

as nonlinear least squares have it.  Its diagonal is what `JointAngles.deviations` says; beside it stands how errors of
neighbouring joints go together: a hip that is told 1° too far with a knee that is told 1° too little, say.
"""

from typing import Any

import numpy as np

from hitogata.capture.fit_kinematics import marker_derivatives
from hitogata.capture.ik import JointAngles
from hitogata.figure.values import FloatArray

LOOSE = 1e-9
"""Of the largest diagonal element, added: as the solver has it."""


def joint_covariance(angles: JointAngles, frames: Any = None) -> FloatArray:
    """Covariance of the velocities' coordinates [rad², m², rad m], shape (nt, nv, nv).

    Coordinates that were held, or stand at the end of their range, have none (0); those that no marker told have an
    infinite variance, and nothing is known of what goes with them (NaN).

    Args:
        angles: of a trial.
        frames: which; None: all.
    """
    rows = np.arange(len(angles.q)) if frames is None else np.atleast_1d(np.asarray(frames))
    figure, markers = angles.figure, angles.markers
    ones, none = np.ones((figure.nlinks, 3)), np.zeros((len(markers.labels), 3))
    by_v = marker_derivatives(figure, markers, ones, none, angles.q[rows]).by_v
    root = np.sqrt(angles.weights[rows])[:, :, None, None]
    J = (by_v * root).reshape(len(rows), -1, figure.nv)
    found = np.zeros((len(rows), figure.nv, figure.nv))
    for t, row in enumerate(rows):
        free = np.flatnonzero((angles.deviations[row] > 0) & np.any(J[t] != 0, axis=0))
        H = J[t][:, free].T @ J[t][:, free]
        H[np.diag_indices_from(H)] += LOOSE * H.diagonal().max(initial=1e-300)
        found[t][np.ix_(free, free)] = angles.sigma**2 * np.linalg.inv(H)
        untold = np.isinf(angles.deviations[row])
        found[t][untold] = found[t][:, untold] = np.nan
        found[t][untold, untold] = np.inf
    return found
