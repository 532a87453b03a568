"""Pipelines: wiring, types, and results that are made again only where something has changed."""

import pytest

from hitogata.cluster import Results
from hitogata.errors import ArgumentError
from hitogata.pipeline import Pipeline, Settings, Stage, TrialFiles
from hitogata.pipeline.analysis import ANALYSIS
from hitogata.pipeline.code_version import _reached, code_version
from tests.pipeline import steps

READ = Stage("read", "tests.pipeline.steps:read", "Recording", (), (), ("trial",))
CUT = Stage("cut", "tests.pipeline.steps:cut", "Recording", ("read",), ("trial",))
SOLVE = Stage("solve", "tests.pipeline.steps:solve", "Motion", ("cut",), ("angles",))


def ran(pipeline, settings, place, cache):
    steps.RAN.clear()
    run = pipeline.run(settings, TrialFiles(str(place), "t"), cache)
    return run, list(steps.RAN)


def test_a_change_runs_what_depends_on_it(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    pipeline, cache, plain = Pipeline([READ, CUT, SOLVE]), Results(tmp_path / "cache"), Settings()
    first, did = ran(pipeline, plain, tmp_path / "a.txt", cache)
    assert did == ["read", "cut", "solve"]
    assert first.values["solve"].notes == ("one", "-inf")
    assert ran(pipeline, plain, tmp_path / "a.txt", cache)[1] == []
    assert ran(pipeline, plain.with_values("angles", {"outlier": 0.1}), tmp_path / "a.txt", cache)[1] == ["solve"]
    assert ran(pipeline, plain.with_values("trial", {"begin": 1}), tmp_path / "a.txt", cache)[1] == ["cut", "solve"]
    assert ran(pipeline, plain.with_values("muscles", {"on": False}), tmp_path / "a.txt", cache)[1] == []
    (tmp_path / "b.txt").write_text("one")  # contents count, not names
    assert ran(pipeline, plain, tmp_path / "b.txt", cache)[1] == []
    (tmp_path / "a.txt").write_text("two")
    again, did = ran(pipeline, plain, tmp_path / "a.txt", cache)
    assert did == ["read", "cut", "solve"]
    assert again.values["solve"].notes[0] == "two"


def test_contents_of_files_that_settings_name_count(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "tasks.xml").write_text("x")
    pipeline, cache = Pipeline([READ, CUT, SOLVE]), Results(tmp_path / "cache")
    settings = Settings().with_values("angles", {"tasks": str(tmp_path / "tasks.xml")})
    ran(pipeline, settings, tmp_path / "a.txt", cache)
    assert ran(pipeline, settings, tmp_path / "a.txt", cache)[1] == []
    (tmp_path / "tasks.xml").write_text("y")
    assert ran(pipeline, settings, tmp_path / "a.txt", cache)[1] == ["solve"]


def test_wiring_is_checked():
    with pytest.raises(ArgumentError, match="needs 'cut'; before it come: read"):
        Pipeline([READ, SOLVE])
    with pytest.raises(ArgumentError, match="two stages 'read'"):
        Pipeline([READ, READ])
    wrong = Pipeline([READ, Stage("wrong", "tests.pipeline.steps:wrong", "Motion", ("read",))])
    with pytest.raises(ArgumentError, match=r"takes .read. as .*Motion.*it is Recording"):
        wrong.check_types()
    ANALYSIS.check_types()


def test_code_that_a_stage_reaches():
    names = {path.name for path in _reached("hitogata.pipeline.stages.angles")}
    assert {"angles.py", "ik_kernels.py", "figures.py", "body.py"} <= names  # imports within functions too
    rooms = {path.parent.name for path in _reached("hitogata.pipeline.stages.trial")}
    assert "studio" not in rooms
    assert "muscles.py" not in {p.name for p in _reached("hitogata.pipeline.stages.label") if p.parent.name == "stages"}
    assert code_version("hitogata.pipeline.stages.angles") != code_version("hitogata.pipeline.stages.trial")
