"""Muscles that grow with their body."""

import numpy as np
import pytest

from hitogata.capture import scaled_figure
from hitogata.errors import FigureError
from hitogata.muscle import musculoskeletal_gait, wire_geometry
from hitogata.muscle.scaled import scaled_muscles


def test_all_factors_alike_scale_all_lengths():
    """Similar bodies have similar paths: lengths times k in every pose, moment arms too; fibres keep their strain."""
    muscles, k = musculoskeletal_gait(), 1.17
    figure = scaled_figure(muscles.body, np.full((muscles.body.nlinks, 3), k))
    grown = scaled_muscles(muscles, figure, {name: np.full(3, k) for name in figure.link_names})
    q = muscles.body.neutral()
    q[[11, 20]] = 0.7
    before, after = wire_geometry(muscles, q), wire_geometry(grown, q)
    assert after.lengths == pytest.approx(k * before.lengths, rel=1e-9)
    assert after.jacobian[..., 6:] == pytest.approx(k * before.jacobian[..., 6:], rel=1e-6, abs=1e-9)
    for a, b in zip(muscles.muscles, grown.muscles, strict=True):
        assert b.fibre_length == pytest.approx(k * a.fibre_length)
        assert b.slack_length == pytest.approx(k * a.slack_length)
        assert b.max_force == a.max_force


def test_only_what_lies_on_the_body_grows():
    muscles = musculoskeletal_gait()
    factors = np.ones((muscles.body.nlinks, 3))
    k = muscles.body.link_index("tibia_r")
    factors[k] = 1.2, 1.2, 1.2
    grown = scaled_muscles(muscles, scaled_figure(muscles.body, factors), {"tibia_r": factors[k]})
    before = wire_geometry(muscles, muscles.body.neutral()).lengths.ravel()
    after = wire_geometry(grown, grown.body.neutral()).lengths.ravel()
    longer = {muscles.wires[i].name for i in np.flatnonzero(after > before * 1.001)}
    assert "soleus_r" in longer
    assert not any(name.endswith("_l") for name in longer)
    assert "gluteus_medius_anterior_r" not in longer


def test_factors_are_checked():
    muscles = musculoskeletal_gait()
    with pytest.raises(FigureError, match="femur_r"):
        scaled_muscles(muscles, muscles.body, {"femur_r": np.array([1.0, -1.0, 1.0])})
