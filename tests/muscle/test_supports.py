"""Supports: the scapula on the ribs, bad input."""

import numpy as np
import pytest

from hitogata.dynamics import inverse_dynamics
from hitogata.errors import FigureError
from hitogata.muscle import (
    ForceOptions,
    Path,
    PathPoint,
    Support,
    muscle_forces,
    musculoskeletal,
    tendon_tensions,
)
from hitogata.muscle.bodies import skeleton_of

BODY = musculoskeletal()


def test_scapulae_are_pushed_off_the_ribs() -> None:
    """Supports never pull, count among what makes the moments, and spare reserves where arms are held out."""
    figure = BODY.body
    q = np.array(figure.neutral())
    for side, turn in (("r", -0.6), ("l", 0.6)):
        q[figure.q_slice(f"humerus_{side}")] = [np.cos(turn / 2), np.sin(turn / 2), 0.0, 0.0]
    v = np.zeros((1, figure.nv))
    asked = inverse_dynamics(figure, q[None], v, v)
    found = muscle_forces(BODY, q[None], v, asked)
    plain = muscle_forces(BODY, q[None], v, asked, options=ForceOptions(with_supports=False))
    pushes = found.ligament[0, : len(BODY.supports)]
    assert pushes.max() <= 0.0
    assert pushes.min() < -50.0
    assert (plain.ligament[0, : len(BODY.supports)] == 0.0).all()
    own = found.ligament[0] - tendon_tensions(BODY, found.force)[0]  # tendons of heads do what their muscles do
    made = -found.geometry.jacobian[0].T @ np.concatenate([found.force[0], own])
    names = skeleton_of(figure).coordinates
    rows = [names.index(name) for name in found.coordinates if name in names]
    np.testing.assert_allclose(made[rows] + found.reserves[0, : len(rows)], asked[0, rows], atol=1e-8)
    girdle = [k for k, name in enumerate(found.coordinates) if name.startswith(("clavicle", "scapula"))]
    assert np.abs(found.reserves[0, girdle]).max() < 0.3 * np.abs(plain.reserves[0, girdle]).max()
    bent = Path((PathPoint("T3", (0, 0, 0)), PathPoint("T4", (0, 0, 0)), PathPoint("scapula_r", (0, 0, 0))))
    with pytest.raises(FigureError, match="one straight line"):
        Support("bent", bent)
