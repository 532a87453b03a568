"""Feet at rest: against walks whose steps are known, force plates, and what is known of human gait."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import FigureBuilder, Frame, Pose, Trajectory, joint
from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
from hitogata.library import human28, pendulum, virtual_human
from hitogata.motion import GroundMove, RestLimits, find_contacts, move_root, put_on_floor, resting_points
from hitogata.motion.foot_contacts import named_feet
from hitogata.motion.ground_height import sole_points
from tests.motion.figures import BODY, waving
from tests.motion.steps import stepping_walk
from tests.reference import reference


@pytest.mark.parametrize("turn", [0.0, 0.5])
@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_steps_that_are_known(rate, turn):
    """Every contact is found, its ends within 50 ms or two samples; these feet take off and land slowly."""
    figure = human28()
    walk, down = stepping_walk(figure, seconds=4.0, rate=rate, turn=turn)
    for side, foot in find_contacts(figure, walk).items():
        wanted = np.flatnonzero(np.diff(np.concatenate([[0], down[side], [0]])))
        assert len(foot.contacts) == len(wanted) // 2
        for contact, (first, end) in zip(foot.contacts, wanted.reshape(-1, 2), strict=True):
            assert abs(contact.start - walk.time[first]) < max(0.05, 2.1 / rate)
            assert abs(contact.end - walk.time[min(end, len(walk)) - 1]) < max(0.05, 2.1 / rate)
            assert (contact.start, contact.end) == (walk.time[contact.first], walk.time[contact.last])
        assert foot.links == (f"foot_{side}",)
        np.testing.assert_array_equal(foot.down, foot.resting.any(axis=1))


def test_wherever_it_stands():
    """Places, headings and the floor's height do not matter; a floor that is said does."""
    figure = human28()
    walk, _ = stepping_walk(figure)
    contacts = {name: foot.contacts for name, foot in find_contacts(figure, walk).items()}
    moved = move_root(figure, walk, GroundMove(1.0, (5.0, 3.0, 2.0)))
    assert {name: foot.contacts for name, foot in find_contacts(figure, moved).items()} == contacts
    assert all(not foot.contacts for foot in find_contacts(figure, moved, floor=0.0).values())
    assert {name: foot.contacts for name, foot in find_contacts(figure, moved, floor=2.0).items()} == contacts
    any_height = RestLimits(height=(np.inf, np.inf))
    assert {name: foot.contacts for name, foot in find_contacts(figure, moved, limits=any_height).items()} == contacts
    named = find_contacts(figure, walk, {"heels": ["foot_left"]})
    assert named["heels"].contacts == contacts["left"]


def test_noise_neither_makes_nor_ends_a_contact():
    time = np.arange(600) / 120
    height = np.where((time > 1) & (time < 2.5), 0.0, 0.2)
    x = np.where(time < 1, 2 * time, np.where(time < 2.5, 2.0, 2.0 + 2 * (time - 2.5)))
    places = np.stack([x, 0 * time, height], axis=1)[:, None]
    _, clean = resting_points(time, places, floor=0.0)
    assert [(c.start, c.end) for c in clean] == [pytest.approx((1.0, 2.5), abs=0.04)]
    noisy = places + np.random.default_rng(0).normal(size=places.shape) * 0.001
    noisy[240] += [0.01, 0.0, 0.0]
    _, found = resting_points(time, noisy, floor=0.0)
    assert [(c.start, c.end) for c in found] == [pytest.approx((1.0, 2.5), abs=0.04)]
    blip = places.copy()
    blip[420:426, 0] = [6.0, 0.0, 0.0]  # 50 ms on the floor
    _, found = resting_points(time, blip, floor=0.0)
    assert len(found) == 1
    _, backwards = resting_points(time, places[::-1], floor=0.0)
    assert [5 - 1 / 120 - c.end for c in backwards] == pytest.approx([c.start for c in clean])


def test_points_of_soles():
    for link in ("foot_left", "foot_right"):
        points = sole_points(human28(), [link])
        np.testing.assert_allclose([p[2] for _, p in points], -0.08, atol=1e-12)
        assert len(points) == 4
    figure = virtual_human()  # its feet are a box and a capsule
    for links in named_feet(figure).values():
        poses = forward_kinematics(figure, figure.neutral())
        points = [(figure.link_index(name), point) for name, point in sole_points(figure, links)]
        heights = [poses.position[i, 2] + poses.rotation[i, 2] @ point for i, point in points]
        np.testing.assert_allclose(heights, 0.0, atol=1e-9)
    builder = FigureBuilder("bare")
    builder.add("root", None, joint.free(), BODY, frames=[Frame("heel", Pose((0.1, 0, -0.1)))])
    assert [p.tolist() for _, p in sole_points(builder.build(), ["root"])] == [[0, 0, -0.1], [0.1, 0, -0.1]]


@pytest.mark.parametrize("name", ["02_01.bvh", "16_15.bvh"])
def test_captured_walks(name):
    """A foot stands for about 60 % of a stride; the other one lands before it leaves."""
    figure = figure_from_bvh(bvh := read_bvh(reference("bvh", name)))
    walk = trajectory_from_bvh(bvh, figure)
    feet = find_contacts(figure, walk)
    assert set(feet) == {"left", "right"}
    assert (feet["left"].down | feet["right"].down)[10:].all()
    for foot in feet.values():
        assert len(foot.contacts) >= 2
        for a, b in zip(foot.contacts[1:-1], foot.contacts[2:], strict=True):
            assert 0.55 < (a.end - a.start) / (b.start - a.start) < 0.68


def test_force_plates():
    """Markers of a walk on a treadmill, in the belt's frame, against the forces under each foot (more than 20 N)."""
    folder = reference("gait10dof18musc")
    lines = (folder / "subject01_walk.trc").read_text().splitlines()
    names = [word for word in lines[3].split("\t")[2:] if word]
    rows = [line.split("\t") for line in lines[5:] if line.split("\t")[0].strip().isdigit()]
    markers = np.array([[float(x) for x in row if x.strip()] for row in rows])[:, 2:].reshape(len(rows), -1, 3)
    places = np.stack([markers[..., 0], -markers[..., 2], markers[..., 1]], axis=-1) / 1000
    places = places[:144]  # a foot lands in the last frames
    forces = np.loadtxt(folder / "subject01_walk_grf.mot", skiprows=7)
    time = np.arange(len(places)) / 60
    loads = {"R": np.interp(time, forces[:, 0], forces[:, 2]), "L": np.interp(time, forces[:, 0], forces[:, 8])}
    middle = places[:, names.index("R.Midfoot.Lat"), 0]
    belt = np.median(np.gradient(middle, time)[loads["R"] > 600])
    places[..., 0] -= belt * time[:, None]
    for side, load in loads.items():
        points = places[:, [names.index(f"{side}.{part}") for part in ("Heel", "Toe.Tip")]]
        _, contacts = resting_points(time, points)
        found = np.zeros(len(time), bool)
        for contact in contacts:
            found[contact.first : contact.last + 1] = True
        wanted = load > 20
        edges = [np.flatnonzero(np.diff(mask.astype(int))) for mask in (found, wanted)]
        assert len(edges[0]) == len(edges[1]) == (4 if side == "R" else 3)
        assert np.abs(time[edges[0]] - time[edges[1]]).max() < 0.036  # two frames


def test_bad_input():
    figure = human28()
    walk, _ = stepping_walk(figure, seconds=0.5)
    with pytest.raises(ArgumentError, match="no feet are known by the names of figure 'pendulum'"):
        find_contacts(pendulum(), waving(pendulum()))
    with pytest.raises(FigureError, match="no link 'paw'"):
        find_contacts(figure, walk, {"left": ["paw"]})
    with pytest.raises(ArgumentError, match="needs a list of links"):
        find_contacts(figure, walk, {"left": "foot_left"})
    with pytest.raises(ArgumentError, match="2 samples or more"):
        find_contacts(figure, Trajectory([0.0], walk.q[:1], walk.v[:1]))
    with pytest.raises(ArgumentError, match="floor: must be finite"):
        find_contacts(figure, walk, floor=np.nan)
    with pytest.raises(ArgumentError, match="strict <= loose"):
        RestLimits(speed=(0.5, 0.2))
    with pytest.raises(ArgumentError, match="expected \\(strict, loose\\)"):
        RestLimits(height=0.1)
    with pytest.raises(ArgumentError, match="strictly rising"):
        resting_points([0.0, 0.0], np.zeros((2, 1, 3)))
    with pytest.raises(ArgumentError, match="gap"):
        RestLimits(gap=-1.0)
    with pytest.raises(ArgumentError, match="places: every number must be finite"):
        resting_points([0.0, 1.0], np.full((2, 1, 3), np.nan))
    with pytest.raises(ArgumentError, match="places: expected shape"):
        resting_points([0.0, 1.0], np.zeros((3, 1, 3)))
    assert put_on_floor(figure, walk).figure_name == "human28"
