"""An impulse passes the conditions of a contact force: it presses, inside its region, within friction."""

import numpy as np
import pytest

from hitogata.dynamics import energy, mass_matrix
from hitogata.errors import ArgumentError
from hitogata.figure import Box, FigureBuilder, MassProperties, Pose, Sphere, State, joint
from hitogata.library import human28
from hitogata.loops import ContactRegion, Links, here, impact, link_rows, pin, weld
from hitogata.loops.contacts import ContactStage, ContactState, Slip

SOLE = np.array([[0.1, 0.15], [-0.1, 0.15], [-0.1, -0.15], [0.1, -0.15]])


def box():
    b = FigureBuilder("box")
    b.add("box", None, joint.free(), shapes=[Box((0.1, 0.15, 0.2))], total_mass=2.0)
    figure = b.build()
    q = figure.neutral()
    q[2] = 0.2
    links, handle = Links(figure).add(weld("box", child_point=(0, 0, -0.2)))
    return figure, links, handle, q


def corner_speeds(links, handle, q, v, points):
    u = link_rows(links, q, v).rate[links.rows_of(handle)]
    return np.array([u[2] + y * u[3] - x * u[4] for x, y in points])


def check(figure, links, regions, q, v, e):
    """All conditions, momentum and energy, of one impact."""
    after = impact(links, State(q, v), contacts=regions, restitution=dict.fromkeys(regions, e))
    rows = link_rows(links, q, v)
    change = mass_matrix(figure, q) @ (after.state.v - v)
    np.testing.assert_allclose(change, rows.jacobian.T @ after.impulses, atol=1e-10 * (1 + np.abs(change).max()))
    before = energy(figure, q, v).kinetic
    assert energy(figure, q, after.state.v).kinetic <= before * (1 + 1e-9)
    assert after.valid
    for handle, region in regions.items():
        torque, force = np.split(after.wrench(handle), 2)
        points = np.asarray(region.region)
        assert force[2] >= 0.0
        if force[2] > 1e-9:
            x, y = -torque[1] / force[2], torque[0] / force[2]
            assert abs(x) <= np.abs(points[:, 0]).max() * (1 + 1e-9)
            assert abs(y) <= np.abs(points[:, 1]).max() * (1 + 1e-9)
            assert np.hypot(*force[:2]) <= region.friction * force[2] * (1 + 1e-9)
            turn = torque[2] - (x * force[1] - y * force[0])
            assert abs(turn) <= region.friction * force[2] * np.linalg.norm(points, axis=1).max() * (1 + 1e-9)
        else:
            np.testing.assert_allclose(after.wrench(handle), 0, atol=1e-9)
        assert corner_speeds(links, handle, q, after.state.v, points).min() > -1e-4  # nothing closes
    return after


@pytest.mark.parametrize("seed", range(60))
def test_boxes(seed):
    figure, links, handle, q = box()
    rng = np.random.default_rng(seed)
    v = rng.normal(size=6) * (3, 3, 3, 2, 2, 1)
    region = ContactRegion(SOLE, float(rng.choice([0.0, 0.1, 0.5, 1.0])))
    check(figure, links, {handle: region}, q, v, float(rng.choice([0.0, 0.5, 1.0])))


@pytest.mark.parametrize("seed", range(30))
def test_a_human_on_two_feet_with_a_hand_on_a_bar(seed):
    figure = human28()
    q, rng = figure.neutral(), np.random.default_rng(seed)
    links, regions = Links(figure), {}
    for side in ("left", "right"):
        links, handle = links.add(here(figure, q, weld(f"sole_{side}")))
        regions[handle] = ContactRegion([[0.1, 0.04], [-0.1, 0.04], [-0.1, -0.04], [0.1, -0.04]], 0.6)
    if seed % 2:
        links, bar = links.add(here(figure, q, pin("grip_left")))
    v = 0.5 * rng.normal(size=figure.nv) - np.eye(figure.nv)[5]
    after = check(figure, links, regions, q, v, float(rng.choice([0.0, 0.5])))
    if seed % 2:
        assert np.abs(link_rows(links, q, after.state.v).rate[links.rows_of(bar)]).max() < 1e-8


def test_what_parts_is_let_go_and_what_lands_flat_stops():
    _, links, handle, q = box()
    regions = {handle: ContactRegion(SOLE, 0.5)}
    up = impact(links, State(q, np.array([0, 0, 0, 1.0, 0, 2.0])), contacts=regions)
    assert up.contacts[handle].state is ContactState.NONE
    np.testing.assert_array_equal(up.impulses, 0)
    pulled = impact(links, State(q, np.array([0, 0, 0, 1.0, 0, 2.0])))  # without the condition it would be held
    assert pulled.wrench(handle)[5] < 0
    flat = impact(links, State(q, np.array([0, 0, 0, 0, 0, -2.0])), contacts=regions)
    np.testing.assert_allclose(flat.wrench(handle), [0, 0, 0, 0, 0, 4.0], atol=1e-12)
    assert flat.contacts[handle] == (ContactState.SURFACE, Slip.STICK)
    bounced = impact(links, State(q, np.array([0, 0, 0, 0, 0, -2.0])), contacts=regions, restitution=0.5)
    assert bounced.state.v[5] == pytest.approx(1.0, abs=1e-12)


def test_a_sliding_ball_against_the_closed_form():
    """A ball that comes down sliding: friction μ p until it rolls (Routh); u⁺ = u - 7/2 μ p/m, or 5/7 u."""
    b = FigureBuilder("ball")
    b.add("ball", None, joint.free(), shapes=[Sphere(0.1)], total_mass=2.0)
    figure = b.build()
    q = figure.neutral()
    q[2] = 0.1
    links, handle = Links(figure).add(weld("ball", child_point=(0, 0, -0.1)))
    for mu, along in ((0.1, 3.0 - 0.1 * 2.0), (2.0, 5 / 7 * 3.0)):
        after = impact(links, State(q, np.array([0, 0, 0, 3.0, 0, -2.0])), contacts={handle: ContactRegion([0, 0], mu)})
        np.testing.assert_allclose(after.state.v[3:], [along, 0, 0], atol=1e-9)
        assert after.contacts[handle].state is ContactState.POINT


def test_an_impact_breaks_a_grip_that_its_force_would():
    """A box lands at 3 m/s with a load of 1 kg tied to it: over the step the tie carries m (3/h + g)."""
    b = FigureBuilder("box")
    b.add("box", None, joint.free(), shapes=[Box((0.1, 0.1, 0.1))], total_mass=2.0)
    b.add("load", "box", joint.slider(axis=(0, 0, 1), parent_frame=Pose((0, 0, 0.3))),
          MassProperties.principal(1.0, (0, 0, 0), (0.01, 0.01, 0.01)))  # fmt: skip
    figure, h = b.build(), 1e-3
    q = figure.neutral()
    q[2] = 0.1 + 1e-5
    landing = State(q, np.eye(figure.nv)[5] * -3.0)
    for limit in (np.inf, 100.0):
        links, handle = Links(figure).add(here(figure, q, weld("load", "box", force_limit=limit)))
        step = ContactStage(links).step(landing, h)
        assert step.impact_steps == 1
        assert [broken for broken, _ in step.broken] == ([handle] if limit == 100.0 else [])
        if limit > 100.0:
            np.testing.assert_allclose(step.wrench(handle)[5], 1.0 * (3.0 / h + 9.81), rtol=1e-9)


def test_bad_regions_are_named():
    figure, links, handle, q = box()
    links, point = links.add(here(figure, q, pin("box")))
    state = State(q, np.zeros(6))
    for contacts, match in (
        ({point: ContactRegion(SOLE, 0.5)}, "must hold all six motions"),
        ({handle: ContactRegion(np.zeros((0, 2)), 0.5)}, "region of virtual link"),
        ({handle: ContactRegion([[0, np.nan]], 0.5)}, "region of virtual link"),
        ({handle: ContactRegion(SOLE, -1.0)}, "friction of virtual link"),
        ({handle: SOLE}, "expected a ContactRegion"),
    ):
        with pytest.raises(ArgumentError, match=match):
            impact(links, state, contacts=contacts)
