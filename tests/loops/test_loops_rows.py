"""Rows of virtual links against finite differences."""

import numpy as np
import pytest

from hitogata.dynamics import integrate
from hitogata.loops import Links, link_rows
from tests.loops.cases import ROOTS, kinds, random_loops
from tests.peers.builders import random_figure

H = 1e-5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fixed", [False, True], ids=["two links", "link and world"])
def test_every_row_against_finite_differences(seed, fixed):
    """Off the manifold too: values there are far from zero."""
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, 16, root=ROOTS[seed])
    q, v = figure.random(rng, spread=0.7), rng.normal(size=figure.nv)
    links = Links(figure).add_all(*kinds(rng, figure.link_names[-1], None if fixed else figure.link_names[4]))
    rows = link_rows(links, q, v)
    assert np.abs(rows.value).max() > 0.1

    def value(change):
        return link_rows(links, integrate(figure, q, change)).value

    numeric = np.array([(value(H * e) - value(-H * e)) / (2 * H) for e in np.eye(figure.nv)]).T
    np.testing.assert_allclose(rows.jacobian, numeric, atol=2e-8)
    np.testing.assert_allclose(rows.rate, rows.jacobian @ v, atol=1e-12)
    # with v constant along q ⊞ t v, the rate's rate is Ḣ v
    rate = [link_rows(links, integrate(figure, q, s * H * v), v).rate for s in (1, -1)]
    np.testing.assert_allclose(rows.bias, (rate[0] - rate[1]) / (2 * H), atol=2e-7 * (1 + np.abs(rows.bias).max()))


@pytest.mark.parametrize("seed", range(4))
def test_links_made_here_hold(seed):
    _, links, q, _ = random_loops(seed)
    np.testing.assert_allclose(link_rows(links, q).value, 0.0, atol=1e-12)


def test_a_batch_is_its_states():
    figure, links, _, v = random_loops(3)
    rng = np.random.default_rng(1)
    many = np.array([figure.random(rng) for _ in range(5)])
    together = link_rows(links, many, v, threads=2)
    for k in range(5):
        alone = link_rows(links, many[k], v)
        for name in ("value", "jacobian", "rate", "bias"):
            np.testing.assert_array_equal(getattr(together, name)[k], getattr(alone, name))
