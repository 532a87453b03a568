"""Labels against those of a recorded trial and of figures: shuffled, with gaps and ghosts."""

import numpy as np
import pytest

from hitogata.capture.asymmetry import asymmetry, suggest_move
from hitogata.capture.labelling import Labeller, label
from hitogata.capture.marker_model import learn_markers
from hitogata.capture.marker_set import MarkerSet, spread_markers
from hitogata.dynamics import integrate
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData, read_c3d
from hitogata.library import virtual_human
from tests.reference import reference


def spoiled(places: np.ndarray, gaps: float, ghosts: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places in any order, with gaps in runs and ghosts about the body; which label each is, or -1; which remain."""
    rng, (nt, nm, _) = np.random.default_rng(seed), places.shape
    kept = places.copy()
    while np.isnan(kept[..., 0]).mean() < gaps:
        start = rng.integers(nt)
        kept[start : start + rng.integers(5, 60), rng.integers(nm)] = np.nan
    low, high = np.nanmin(places, axis=1)[:, None] - 0.1, np.nanmax(places, axis=1)[:, None] + 0.1
    false = rng.uniform(low, high, (nt, 6, 3))
    false[rng.random((nt, 6)) > ghosts * nm / 6] = np.nan
    every = np.concatenate([kept, false], axis=1)
    order = np.array([rng.permutation(nm + 6) for _ in range(nt)])
    truth = np.where(order < nm, order, -1)
    return np.take_along_axis(every, order[..., None], axis=1), truth, np.isfinite(kept[..., 0])


def score(model, places: np.ndarray, rate: float, gaps: float, ghosts: float, seed: int = 0) -> float:
    """F1 of the labels."""
    mixed, truth, there = spoiled(places, gaps, ghosts, seed)
    names = tuple(f"*{k + 1}" for k in range(mixed.shape[1]))
    found = label(model, MarkerData(names, np.arange(len(mixed)) / rate, rate, mixed))
    given = np.where(found.points >= 0, np.take_along_axis(truth, np.maximum(found.points, 0), axis=1), -2)
    right = (given == np.arange(places.shape[1])).sum()
    return 2 * right / ((found.points >= 0).sum() + there.sum())


def walk(human, count: int = 240) -> np.ndarray:
    """Poses of a human who swings all limbs at 120 Hz."""
    rng, t = np.random.default_rng(0), np.arange(count) / 120
    way = rng.normal(0, 0.4, human.nv)
    way[:3], way[3:6] = (0, 0, 0.6), (0.3, 0.2, 0)
    phase = rng.uniform(0, 6, human.nv)
    start = np.repeat(human.neutral()[None], count, axis=0)
    return np.array(integrate(human, start, np.sin(5 * t[:, None] + phase) * way))


def test_recorded_trial() -> None:
    """Learned from the first quarter, labelled as a whole."""
    markers = read_c3d(reference("markers_c3d", "cmu_02_05.c3d")).markers
    places = np.array(markers.positions)
    model = learn_markers(places[:460], markers.labels)
    assert score(model, places, 120, 0.0, 0.0) >= 0.999
    assert score(model, places, 120, 0.05, 0.05) >= 0.99
    assert score(learn_markers(places[:200], markers.labels), places, 120, 0.1, 0.1) >= 0.99


def test_figure_with_gaps_and_ghosts() -> None:
    human = virtual_human()
    markers = spread_markers(human, 41)
    places = markers.positions(human, walk(human))
    model = learn_markers(places[::7], markers.labels)
    assert score(model, places, 120, 0.0, 0.0) >= 0.999
    assert score(model, places, 120, 0.05, 0.05, seed=3) >= 0.99
    live, right = Labeller(model, 120), 0
    for frame in places[:60]:
        order = np.random.default_rng(1).permutation(41)
        found, sure = live(frame[order])
        right += (order[found] == np.arange(41)).sum()
        assert (sure[found >= 0] > 0).all()
    assert live.searches == 1
    assert right == 60 * 41


def test_swapped_labels_are_mended() -> None:
    """A start with two labels exchanged: found by their neighbours."""
    human = virtual_human()
    markers = spread_markers(human, 41)
    places = markers.positions(human, walk(human))
    model = learn_markers(places[::7], markers.labels)
    live = Labeller(model, 120)
    live(places[0])
    jump = places[1].copy()
    jump[[3, 20]] = jump[[20, 3]]  # from here on the points' order says otherwise, but not their places
    found, _ = live(jump)
    assert found[3] == 20
    assert found[20] == 3


def test_time_jumps_are_found_and_labels_searched_anew() -> None:
    """A second is missing while the person turned and walked on: nothing can be followed over it."""
    human = virtual_human()
    markers = spread_markers(human, 41)
    places = markers.positions(human, walk(human))
    model = learn_markers(places[::7], markers.labels)
    cut = np.concatenate([places[:90], places[170:] @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + [0.8, 0.2, 0]])
    names = tuple(f"*{k + 1}" for k in range(41))
    found = label(model, MarkerData(names, np.arange(len(cut)) / 120, 120, cut[:, ::-1]))
    assert (found.points[:, ::-1] == np.arange(41)).mean() > 0.995
    assert "leap at once 1 times" in found.problems[0]


def test_what_cannot_be_labelled_is_said() -> None:
    human = virtual_human()
    markers = spread_markers(human, 30)
    model = learn_markers(markers.positions(human, walk(human, 60)), markers.labels)
    noise = np.random.default_rng(0).uniform(-5, 5, (20, 30, 3))
    found = label(model, MarkerData(tuple(f"*{k}" for k in range(30)), np.arange(20) / 100, 100, noise))
    assert (found.points < 0).all()
    assert "no frame shows the marker set" in found.problems[0]
    assert "seen   0.0 %" in found.report()
    with pytest.raises(ArgumentError, match="four markers"):
        learn_markers(np.zeros((5, 3, 3)))
    hidden = markers.positions(human, walk(human, 20))
    hidden[:, 4] = np.nan
    with pytest.raises(ArgumentError, match=markers.labels[4]):
        learn_markers(hidden, markers.labels)


def test_asymmetry() -> None:
    human = virtual_human()
    arms = {side: [("upper", f"upper_arm_{side}", (0.05, 0, -0.1)), ("lower", f"forearm_{side}", (0.045, 0, -0.05)),
                   ("wrist", f"forearm_{side}", (0, 0.04, -0.2))] for side in ("left", "right")}  # fmt: skip
    places = {f"{name}_{side}": (link, at) for side, each in arms.items() for name, link, at in each}
    places["breast"], places["back"] = ("chest", (0.1, 0, 0.05)), ("chest", (-0.1, 0, 0.05))
    same = MarkerSet.of(human, places)
    weak = asymmetry(learn_markers(same.positions(human, human.neutral())[None], same.labels))
    assert weak.score < 1.5
    better, moved, score = suggest_move(human, same)
    assert moved in {name for pair in weak.exchange for name in pair}
    assert score.score > weak.score
    assert np.abs(better.places - same.places).max() <= 0.04
