"""Masses from mass and stature: add up, near de Leva's for his men, whatever the figure lacks."""

import warnings

import numpy as np
import pytest

from hitogata.capture import segment_masses, with_masses
from hitogata.errors import ArgumentError
from hitogata.library import chain, human28, virtual_human
from hitogata.library.anthropometry import MASS, STATURE, TABLE


def test_near_other_tables() -> None:
    """De Leva's men had the means of the same subjects: 73.0 kg, 1.741 m."""
    found = segment_masses(MASS, STATURE)
    for name, row in TABLE.items():
        there = found["head" if name == "head and neck" else name]
        assert there / MASS == pytest.approx(row.mass, abs=0.004)


@pytest.mark.parametrize(("mass", "stature"), [(48.0, 1.55), (73.0, 1.741), (110.0, 1.95)])
def test_they_add_up_and_taller_people_have_longer_legs(mass: float, stature: float) -> None:
    for figure in (virtual_human(), human28()):
        found = with_masses(figure, mass, stature)
        assert found.mass == pytest.approx(mass)
        assert min(link.mass.mass for link in found.links) > 0
    taller = segment_masses(mass, stature + 0.1)
    assert taller["shin"] > segment_masses(mass, stature)["shin"]


def test_what_a_figure_lacks_goes_to_its_neighbour() -> None:
    found, wanted = with_masses(human28(), 73.0, 1.741), segment_masses(73.0, 1.741)
    assert found.link("forearm_left").mass.mass == pytest.approx(wanted["forearm"] + wanted["hand"])
    assert found.link("foot_right").mass.mass == pytest.approx(wanted["foot"])


def test_radii_of_gyration_stay() -> None:
    figure = virtual_human()
    found = with_masses(figure, 90.0, 1.8)
    for old, new in zip(figure.links, found.links, strict=True):
        np.testing.assert_allclose(new.mass.matrix / new.mass.mass, old.mass.matrix / old.mass.mass, rtol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ArgumentError, match="is it in m"):
        segment_masses(73.0, 174.1)
    with pytest.raises(ArgumentError, match="mass"):
        segment_masses(7.3, 1.7)
    with warnings.catch_warnings(), pytest.raises(ArgumentError, match="neither legs nor arms"):
        with_masses(chain(5), 73.0, 1.741)
