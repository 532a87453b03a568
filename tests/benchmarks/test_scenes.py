"""The harness: the same scene in both engines, and how cells are compared."""

import math

import numpy as np
import pytest

from benchmarks.scenes import sliding, spinning
from benchmarks.scenes.catalogue import catalogue
from benchmarks.scenes.cells import Cell, best_of, counted, no_worse
from benchmarks.scenes.command import with_mujoco
from benchmarks.scenes.measure import Result, measured, traced
from benchmarks.scenes.mujoco_run import MujocoRun, candidates, deepest_overlap
from benchmarks.scenes.scene import Scene, Trace, Verdict, body, standing
from benchmarks.scenes.worlds import WorldRun
from hitogata.figure import Box
from tests.benchmarks.planar_dominoes import lean_times


def test_catalogue():
    scenes = catalogue()
    assert len(scenes) >= 25
    assert all(scene.about and scene.limit >= 0 for scene in scenes.values())


@pytest.mark.parametrize("name", list(catalogue()))
def test_nothing_overlaps_at_the_start_and_masses_are_the_same(name):
    scene = catalogue()[name]
    q = np.concatenate([item.q for item in scene.items])
    assert deepest_overlap(scene, q) < 1e-6
    run = MujocoRun(scene, 1e-3)
    mass = sum(link.mass.mass for item in scene.items for link in item.figure.links)
    assert run.model.body_mass.sum() == pytest.approx(mass)


@pytest.mark.parametrize("name", ["tennis_racket", "heavy_top", "hung_chain", "newtons_cradle"])
def test_both_engines_begin_alike(name):
    """Velocities converted there and back, and the first millisecond."""
    scene = catalogue()[name]
    runs = WorldRun(scene, 1e-5), MujocoRun(scene, 1e-5)
    starts = [run.told(*(part[None] for part in run.state())) for run in runs]
    for part in range(2):
        np.testing.assert_allclose(starts[0][part], starts[1][part], atol=1e-12)
    for run in runs:
        run.advance(100)
    ends = [run.told(*(part[None] for part in run.state())) for run in runs]
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=2e-5)
    assert np.abs(ends[0][0] - starts[0][0]).max() > (1e-3 if name != "newtons_cradle" else 0)


def test_standing():
    still = body(Box((0.1, 0.1, 0.1)), 1.0, (0, 0, 0.1))
    t = np.linspace(0, 2, 21)

    def trace(shift, speed):
        q, v = np.tile(still.q, (21, 1)), np.zeros((21, 6))
        q[-1, 0] += shift
        v[:, 3] = speed
        return Trace(t, [q], [v], 0.1)

    judge = standing(0.2)
    assert judge(trace(0.001, 0.0)) == Verdict(pytest.approx(1.0), "stands")
    assert judge(trace(0.001, 0.02)) == Verdict(pytest.approx(21.0), "restless")
    assert judge(trace(0.11, 0.0)) == Verdict(math.inf, "falls")


def test_who_gives_up_has_failed():
    scene = catalogue()["bounce_e1"]
    flat = Trace(np.zeros(1), [scene.items[0].q[None]], [scene.items[0].v[None]], 0.1, finite=False)
    assert scene.verdict(flat) == Verdict(math.inf, "diverges")


def test_crossings():
    t = np.linspace(0, 10, 1001)
    np.testing.assert_allclose(spinning.crossings(t, np.cos(t)), np.pi * np.array([0.5, 1.5, 2.5]), atol=1e-5)


def fast_scene() -> Scene:
    return Scene("fall", (body(Box((0.1, 0.1, 0.1)), 1.0, (0, 0, 10.0)),),
                 lambda trace: Verdict(abs(10 - trace.q[0][-1, 2] - 9.81 / 2 * trace.t[-1] ** 2)), "m", 0.1, "fall",
                 seconds=1.0)  # fmt: skip


@pytest.mark.parametrize("engine", [WorldRun, MujocoRun])
def test_a_fall_is_measured(engine):
    scene = fast_scene()
    result = measured(lambda: engine(scene, 0.01), scene, 0.01)
    assert result.error < 0.05 + 1e-9  # g t h/2 of a first-order step
    assert 0 < result.micros < 1e4
    trace, times = traced(engine(scene, 0.01), scene, 0.01, 100)
    assert len(trace.t) == len(times) + 1
    assert trace.t[-1] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("name", ["stack_5_1kg", "bounce_e0.5", "heavy_top", "rods_10"])
def test_mujocos_settings_are_all_taken(name):
    scene = catalogue()[name]
    names = []
    for settings in candidates(scene, 1 / 60):
        assert math.isfinite(MujocoRun(scene, 1 / 60, settings).advance(1))
        names.append(settings.name)
    assert names[0] == "default"
    assert len(set(names)) == len(names)


def test_cells():
    given = {"slow": (0.1, 9.0), "quick": (0.4, 3.0), "bad": (2.0, 1.0), "worse": (math.inf, 0.5)}
    slow, quick, bad, worse = (Result(error, "", micros, name) for name, (error, micros) in given.items())
    assert best_of((slow, quick, bad, worse), limit=0.5) is quick
    assert best_of((slow, quick, bad, worse), limit=0.05) is slow
    assert no_worse(quick, slow, 0.5)
    assert not no_worse(quick, slow, 0.05)
    assert not no_worse(worse, bad, 0.5)
    assert no_worse(worse, worse, 0.5)
    cells = [Cell("a", 1 / 60, "mm", 0.5, ours, (slow, quick, bad, worse)) for ours in (quick, bad, slow)]
    count = counted(cells)
    assert (count.cells, count.good, count.faster, count.faster_equal) == (3, 2, 2, 2)
    assert [line.split(":")[0] for line in count.worse] == ["a at 1/60"]
    assert [Cell.from_json(cell.as_json()) for cell in cells] == cells


def test_large_errors_are_failures():
    scene = catalogue()["heavy_top"]
    assert scene.within(2.0, "ends at 23°") == (2.0, "ends at 23°")
    assert scene.within(120.0, "ends at 140°") == (math.inf, "off by 120 deg")
    assert scene.within(math.inf, "diverges") == (math.inf, "diverges")
    far, near = Result(120.0, "", 1.0), Result(0.5, "", 2.0)
    cell = Cell("heavy_top", 1 / 60, "", 9.0, far, (far, near)).judged(scene)
    assert (cell.ours.error, cell.best.error, cell.limit, cell.unit) == (math.inf, 0.5, 1.0, "deg")
    assert cell.states is None


def test_speed_of_dominoes():
    """A row of hard dominoes in the plane: 1.4923 m/s at 1 ms, 1.4932 at 100 µs, 1.4933 at 20 µs."""
    times = lean_times(20, 1e-3, 3.0, 0.5, 0.08, np.array([0.01, 0.1]), math.radians(8), math.radians(15))
    assert 0.08 * 10 / (times[15] - times[5]) == pytest.approx(sliding.DOMINO_SPEED, rel=2e-3)


def test_settings_that_did_best_come_first_when_time_is_short():
    scene = fast_scene()
    every, left_out = with_mujoco(scene, 1 / 30, 1e9, quick=False)
    assert left_out == 0
    told = [Result(0.0 if r.settings == every[-1].settings else 1.0, "", 1.0, r.settings) for r in every]
    few, left_out = with_mujoco(scene, 1 / 30, 0.0, quick=False, longer=told)
    assert [r.settings for r in few][:2] == ["default", every[-1].settings]
    assert left_out == len(every) - 3
    again, left_out = with_mujoco(scene, 1 / 30, 1e9, quick=False, known=few)
    assert again[:3] == few
    assert {r.settings for r in again} == {r.settings for r in every}
    assert left_out == 0
