"""Settings of an analysis: names, values, files."""

import dataclasses
import math

import pytest

from hitogata.errors import ArgumentError, FileFormatError
from hitogata.pipeline import Settings, read_settings, settings_text
from hitogata.pipeline.settings import parsed_setting


def test_written_and_read_again(tmp_path):
    settings = Settings().with_values("subject", {"mass": 71.25}).with_values("muscles", {"cost": "cubes", "on": False})
    settings = settings.with_values("label", {"file": 'a "quoted" näme'})
    (tmp_path / "s.toml").write_text(settings_text(settings), encoding="utf-8")
    assert read_settings(tmp_path / "s.toml") == settings
    assert math.isinf(read_settings(tmp_path / "s.toml").trial.end)


def test_every_setting_says_what_it_is():
    text = settings_text(Settings())
    for section in dataclasses.fields(Settings):
        assert f"[{section.name}]" in text
    assert all("    # " in line for line in text.splitlines() if "=" in line)


def test_paths_are_counted_from_the_file(tmp_path):
    (tmp_path / "s.toml").write_text('[body]\nmodel = "models/x.osim"\n[loads]\nfile = "{folder}/{trial}_grf.mot"\n')
    read = read_settings(tmp_path / "s.toml")
    assert read.body.model == str(tmp_path / "models" / "x.osim")
    assert read.loads.file == "{folder}/{trial}_grf.mot"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[torqes]\non = true", "no stage 'torqes' (did you mean 'torques'?)"),
        ("[torques]\ncutof = 3", "stage 'torques' has no setting 'cutof' (did you mean 'cutoff'?)"),
        ("[torques]\ncutoff = 'six'", "torques.cutoff: a number is expected"),
        ("[torques]\ncutoff = -1", "0 or more is expected"),
        ("[muscles]\non = 1", "true or false is expected"),
        ("[muscles]\ncost = 'square'", "'square' (did you mean 'squares'?)"),
        ("[body]\nframes = 2.5", "a whole number is expected"),
        ("[subject]\nmass = nan", "a number is expected"),
        ("body = 3", "a section is expected"),
        ("[body", "at end of document"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(FileFormatError) as error:
        read_settings(tmp_path / "s.toml")
    assert said in str(error.value)
    assert "s.toml" in str(error.value)


def test_single_settings_from_a_command_line():
    assert parsed_setting(Settings(), "torques.cutoff=4").torques.cutoff == 4.0
    assert parsed_setting(Settings(), "muscles.on=false").muscles.on is False
    assert parsed_setting(Settings(), "body.model=x.osim").body.model == "x.osim"
    for wrong in ("torques", "torques.cutoff", "cutoff=3", "torques.cutoff=many"):
        with pytest.raises(ArgumentError):
            parsed_setting(Settings(), wrong)
