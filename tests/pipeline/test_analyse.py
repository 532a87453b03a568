"""The sample trial from file to page: the same as its single stages, kept, and exactly what changed done again."""

import dataclasses
import json
import re
import shutil

import numpy as np
import pytest

from hitogata.behaviour import Channel, Recording, Samples, Stream, StreamKind, Track, write_recording
from hitogata.capture import FitSettings, fit_body, solve_ik
from hitogata.cluster import FolderLock, FolderTakenError, LocalWorkers, Results
from hitogata.errors import ArgumentError, HitogataError
from hitogata.files import Axes, bvh_from_trajectory, read_storage, read_trc, write_bvh, write_storage
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.muscle import musculoskeletal_gait
from hitogata.pipeline import Settings, TrialFiles
from hitogata.pipeline.analyse import analyse, find_trials
from hitogata.pipeline.analysis import ANALYSIS
from hitogata.pipeline.labels import known_markers, landmark
from hitogata.pipeline.page import write_page
from hitogata.pipeline.sample import sample_trial
from hitogata.pipeline.stages.body import held
from hitogata.pipeline.values import Body

QUICK = Settings().with_values("body", {"frames": 6}).with_values("muscles", {"rate": 10.0})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The sample, and a file that is none, analysed by a worker."""
    folder = tmp_path_factory.mktemp("analysis")
    trials = folder / "trials"
    shutil.copytree(sample_trial().parent, trials, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (trials / "broken.trc").write_text("PathFileType\t4\nnonsense\n")
    return folder, analyse([str(trials)], str(folder / "out"), LocalWorkers(1), settings=QUICK)


def again(folder, settings=QUICK):
    return analyse([str(folder / "trials")], str(folder / "out"), LocalWorkers(1), settings=settings)


def test_a_page_a_summary_and_all_tables(run):
    folder, found = run
    out = folder / "out"
    assert list(found.records) == ["walk"]
    here = {p.name for p in (out / "trials" / "walk").iterdir()}
    assert {"index.html", "replay.html", "motion.npz", "results.npz", "torques.sto", "torques.csv", "loads.mot",
            "muscle_activation.sto", "result.json"} <= here  # fmt: skip
    assert 'href="trials/walk/index.html"' in (out / "index.html").read_text()
    assert "walk" in (out / "summary.csv").read_text()
    told = found.records["walk"]["found"]
    assert told["marker_rms_mm"] < 2.5  # noise of 1 mm in each axis
    assert told["size"] == pytest.approx(1.06, abs=0.01)
    assert told["mass"] == pytest.approx(68.0)


def test_what_fails_is_told_and_leaves_the_rest(run):
    folder, found = run
    assert list(found.failed) == ["broken"]
    error, traceback = found.failed["broken"]
    assert "broken.trc" in error
    assert "read_trc" in traceback
    text = (folder / "out" / "broken.error.txt").read_text()
    assert "hitogata analyse" in text
    assert not (folder / "out" / "trials" / "broken").exists()


def test_the_same_as_the_single_stages(run):
    folder, _found = run
    trial = read_trc(sample_trial(), axes=Axes.Y_UP_X_FORWARD)
    figure = musculoskeletal_gait(mass=68.0).body
    markers = known_markers(figure, trial.labels)
    mask = held(Body(figure, markers, None, None))
    fit = fit_body(figure, markers, trial, held=mask, mass=68.0,
                   settings=FitSettings(frames=6, axes=False, outlier=0.03))  # fmt: skip
    angles = solve_ik(fit.figure, fit.markers, trial, held=mask)
    with np.load(folder / "out" / "trials" / "walk" / "results.npz") as data:
        assert np.array_equal(data["q"], angles.q)
        assert np.array_equal(data["scales"], fit.scales)
        assert np.array_equal(data["marker_residuals"], angles.residuals, equal_nan=True)
    residual = read_storage(folder / "out" / "trials" / "walk" / "torques.sto")
    assert np.isfinite(residual.values).all()


def test_nothing_changed_nothing_done(run):
    folder, _found = run
    (folder / "trials" / "broken.trc").unlink(missing_ok=True)
    before = (folder / "out" / "trials" / "walk" / "index.html").stat().st_mtime_ns
    second = again(folder)
    assert (second.done, second.failed) == (0, {})
    assert (folder / "out" / "trials" / "walk" / "index.html").stat().st_mtime_ns == before
    assert not (folder / "out" / "broken.error.txt").exists()


def test_one_setting_runs_its_stage_and_what_follows(run):
    folder, found = run
    other = again(folder, QUICK.with_values("muscles", {"cost": "cubes"}))
    assert sorted(other.records["walk"]["seconds"]) == ["muscles"]
    back = again(folder)
    assert back.records["walk"]["seconds"] == {}
    assert back.records["walk"]["files"] == found.records["walk"]["files"]  # the same bytes


def test_a_file_that_was_lost_is_made_again(run):
    folder, _found = run
    again(folder)
    (folder / "out" / "trials" / "walk" / "torques.csv").unlink()
    mended = again(folder)
    assert mended.done == 1
    assert mended.records["walk"]["seconds"] == {}
    assert (folder / "out" / "trials" / "walk" / "torques.csv").is_file()
    assert json.loads((folder / "out" / "trials" / "walk" / "result.json").read_text())["name"] == "walk"


def test_two_runs_in_one_folder(run):
    folder, _ = run
    with FolderLock(folder / "out" / ".hitogata"), pytest.raises(FolderTakenError, match="another run works"):
        again(folder)


def test_trials_are_found_and_named(tmp_path):
    for name in ("a/walk.trc", "b/walk.trc", "b/run 2.c3d", "b/notes.txt", "b/.hidden/x.trc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert list(find_trials([str(tmp_path)])) == ["walk", "run_2", "b-walk"]
    assert list(find_trials([str(tmp_path / "*" / "walk.trc")])) == ["walk", "b-walk"]
    with pytest.raises(ArgumentError, match="no trial there"):
        find_trials([str(tmp_path / "*.mcap")])
    with pytest.raises(HitogataError, match="no such file"):
        find_trials([str(tmp_path / "c.trc")])


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("RASI", ("r", "ASI")), ("L.ASIS", ("l", "ASI")), ("Sub:LKNE", ("l", "KNE")), ("RLFC", ("r", "KNE")),
        ("LMFC", ("l", "MKNE")), ("LLMAL", ("l", "ANK")), ("RHEE", ("r", "HEE")), ("V.Sacral", ("", "SACR")),
        ("C7", None), ("*3", None), ("CLAV", None),
    ],
)  # fmt: skip
def test_labels_of_common_sets(label, known):
    assert landmark(label) == known


def test_a_motion_without_plates_gets_a_floor(tmp_path):
    """The sample walk as a BVH file: floor forces by the filter carry the body's weight on the mean."""
    figure, walk = virtual_human(), sample_walk(strides=1, rate=60.0)
    write_bvh(bvh_from_trajectory(walk, figure), tmp_path / "walk.bvh")
    trial = TrialFiles(str(tmp_path / "walk.bvh"), "walk")
    run = ANALYSIS.run(Settings().with_values("subject", {"mass": 60.0}), trial)
    assert run.values["body"].figure.mass == pytest.approx(60.0)
    assert run.values["filter"].found
    run.values["filter"].motion.save(tmp_path / "filtered.npz")
    given = ANALYSIS.run(
        Settings().with_values("filter", {"file": str(tmp_path / "filtered.npz")}).with_values("muscles", {"on": False})
        .with_values("subject", {"mass": 60.0}), trial).values  # fmt: skip
    assert np.array_equal(given["torques"].moments, run.values["torques"].moments)
    walk.save(tmp_path / "walk.npz")
    with pytest.raises(HitogataError, match=r"filter.file: .*walk.npz"):
        ANALYSIS.run(Settings().with_values("filter", {"file": str(tmp_path / "walk.npz")}), trial)
    torques = run.values["torques"]
    assert np.abs(torques.residual).max() < 1e-6 * 60 * 9.81
    assert torques.loads[:, 2].mean() == pytest.approx(60 * 9.81, rel=0.15)
    tensions = run.values["muscles"]
    assert len(tensions.tables["force"].columns) == 366
    assert tensions.solved[0] == tensions.solved[1] > 50
    write_page(tmp_path, "walk", run.values, Settings())
    assert "forces of the floor" in (tmp_path / "replay.html").read_text()


def kept(folder, settings):
    """The sample analysed again with what the run has kept."""
    cache = Results(str(folder / "out" / ".hitogata" / "cache"))
    return ANALYSIS.run(settings, TrialFiles(str(folder / "trials" / "walk.trc"), "walk"), cache).values


def test_torques_and_muscles_given_from_files(run, tmp_path):
    folder, _found = run
    own, here = kept(folder, QUICK), folder / "out" / "trials" / "walk"
    given = QUICK.with_values("torques", {"file": str(here / "torques.sto")})
    found = kept(folder, given)
    torques, rate = found["torques"], own["torques"]
    assert np.abs(torques.moments - rate.moments).max() < 1e-6 * np.abs(rate.moments).max()
    assert np.isnan(torques.residual).all()
    ours = own["muscles"].tables["force"].values
    assert np.abs(found["muscles"].tables["force"].values - ours).max() < 1e-3 * ours.max()
    half = read_storage(here / "torques.sto")
    write_storage(dataclasses.replace(half, values=half.values / 2), tmp_path / "half.sto")
    less = kept(folder, QUICK.with_values("torques", {"file": str(tmp_path / "half.sto")}))
    assert less["torques"].moments == pytest.approx(torques.moments / 2)

    given = QUICK.with_values("muscles", {"file": str(here / "muscle_force.sto")})
    found = kept(folder, given)
    assert found["muscles"].tables["force"].values == pytest.approx(ours, rel=1e-6, abs=1e-6)
    assert found["muscles"].busiest[0][:3] == pytest.approx(own["muscles"].busiest[0][:3])
    write_page(tmp_path, "walk", found, given)
    assert "force [N] of every muscle" in (tmp_path / "index.html").read_text()


def test_given_files_that_do_not_fit_are_told(run, tmp_path):
    folder, _found = run
    here = folder / "out" / "trials" / "walk"
    gap = read_storage(here / "torques.sto")
    values = np.array(gap.values)
    values[3, 7] = np.nan
    write_storage(dataclasses.replace(gap, values=values), tmp_path / "gap.sto")
    late = dataclasses.replace(gap, time=gap.time + 100.0)
    write_storage(late, tmp_path / "late.sto")
    for stage, file, said in (
        ("torques", tmp_path / "gap.sto", gap.columns[7]),
        ("torques", tmp_path / "late.sto", "frames of the motion"),
        ("torques", here / "muscle_force.sto", "it has no column"),
        ("torques", here / "motion.npz", "a table is expected"),
        ("muscles", here / "torques.sto", "is a muscle of the body"),
    ):
        with pytest.raises(HitogataError, match=f"{stage}.file: .*{re.escape(said)}"):
            kept(folder, QUICK.with_values(stage, {"file": str(file)}))
    for stage in ("filter", "torques", "muscles"):
        with pytest.raises(HitogataError, match=f"{stage}.file: .*nowhere.sto: no such file"):
            again(folder, QUICK.with_values(stage, {"file": "nowhere.sto"}))


@pytest.mark.parametrize("ending", [".mcap", ".xdf"])
def test_a_recording_is_analysed_as_its_source(run, tmp_path, ending):
    pytest.importorskip({".mcap": "mcap", ".xdf": "pyxdf"}[ending])
    folder, _found = run
    own = kept(folder, QUICK)
    trial = read_trc(sample_trial(), axes=Axes.Y_UP_X_FORWARD)
    channels = [Channel(f"{label}.{axis}", "m") for label in trial.labels for axis in "xyz"]
    stream = Stream("markers", StreamKind.MARKERS, trial.rate, tuple(channels), dtype="<f8")
    stamps = 50.0 + trial.time
    samples = Samples(stamps, stamps, trial.positions.reshape(len(stamps), -1))
    forces = read_storage(sample_trial().with_name("walk_grf.mot"))
    columns = tuple(Channel(name, "") for name in forces.columns)
    rate = (len(forces.time) - 1) / (forces.time[-1] - forces.time[0])
    plates = Stream("plates", StreamKind.FORCE_PLATE, rate, columns, dtype="<f8")
    pushes = Samples(50.0 + forces.time, 50.0 + forces.time, forces.values)
    tracks = (Track(stream, "markers", samples), Track(plates, "plates", pushes))
    write_recording(Recording(tracks), str(tmp_path / f"walk{ending}"))
    shutil.copy(sample_trial().with_name("subject.toml"), tmp_path)
    found = ANALYSIS.run(QUICK, TrialFiles(str(tmp_path / f"walk{ending}"), "walk")).values
    assert np.array_equal(found["label"].markers.positions, own["label"].markers.positions, equal_nan=True)
    assert found["angles"].time == pytest.approx(own["angles"].time, abs=1e-9)
    assert found["body"].fit.scales == pytest.approx(own["body"].fit.scales, abs=1e-9)
    assert np.abs(found["torques"].moments - own["torques"].moments).max() < 1e-4
    names = [row[0] for row in own["muscles"].busiest]
    assert [row[0] for row in found["muscles"].busiest] == names
