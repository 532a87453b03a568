"""`hitogata capture fit` and `ik` on files that the project makes itself."""

import json
import warnings

import numpy as np
import pytest

from hitogata.capture import check_trial, scaled_figure
from hitogata.capture.marker_files import read_marker_set, write_marker_set
from hitogata.cli import main
from hitogata.errors import FileFormatError
from hitogata.figure import Trajectory
from hitogata.files import LengthUnit, MarkerData, read_c3d, read_storage, write_c3d, write_trc
from hitogata.files.osim import figure_from_osim, osim_from_figure, read_osim, write_osim
from hitogata.library import virtual_human
from hitogata.library.samples import sample_reach
from tests.capture.test_body_fit import covered, moved, sizes
from tests.capture.test_ik import knee


def trial_of(figure, markers, q, rate=100.0):
    return MarkerData(markers.labels, np.arange(len(q)) / rate, rate, markers.positions(figure, q))


def test_fit_and_ik_of_a_built_in_figure(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    figure = virtual_human()
    markers, factors = covered(figure, 3), sizes(figure)
    q = sample_reach().q[::16]
    person = scaled_figure(figure, factors)
    data = trial_of(person, moved(markers, factors), q)
    write_c3d(data, tmp_path / "walk.c3d")
    write_marker_set(figure, markers, tmp_path / "set.toml")
    common = ["--figure", "virtual_human", "--markers", str(tmp_path / "set.toml")]
    out = [str(tmp_path / name) for name in ("fitted.osim", "angles.npz", "fitted.json", "report")]
    assert main(["capture", "fit", str(tmp_path / "walk.c3d"), *common, "-o", out[0], "--angles", out[1],
                 "--save-markers", out[2], "--report", out[3], "--frames", "10", "--mass", "70"]) == 0  # fmt: skip
    told = capsys.readouterr()
    assert "converged" in told.out
    assert "largest change" in told.err
    assert len(Trajectory.load(out[1])) == len(q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = figure_from_osim(read_osim(out[0]))
    assert fitted.mass == pytest.approx(70.0)
    assert read_marker_set(fitted, out[2]).labels == markers.labels
    page = (tmp_path / "report" / "index.html").read_text()
    assert all(word in page for word in ("residuals.png", "angles.png", "replay.html", markers.labels[7], "Sizes"))


def test_ik_fills_gaps_of_an_osim_figure(tmp_path, capsys):
    figure, _ = virtual_human(), None
    markers = covered(figure, 3)
    q = sample_reach().q[::16]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_osim(osim_from_figure(figure), tmp_path / "body.osim")
        model_figure = figure_from_osim(read_osim(tmp_path / "body.osim"), coordinates=True)
    write_marker_set(model_figure, markers, tmp_path / "set.json")
    data = trial_of(figure, markers, q)
    places = np.array(data.positions)
    places[4:6, 8] = np.nan
    write_trc(MarkerData(data.labels, data.time, data.rate, places, unit=LengthUnit.METRE), tmp_path / "gap.trc")
    out, filled = str(tmp_path / "angles.sto"), str(tmp_path / "filled.c3d")
    assert main(["capture", "ik", str(tmp_path / "gap.trc"), "--figure", str(tmp_path / "body.osim"), "--markers",
                 str(tmp_path / "set.json"), "-o", out, "--filled", filled]) == 0  # fmt: skip
    assert "converged" in capsys.readouterr().out
    assert len(read_storage(out).time) == len(q)
    again = read_c3d(filled).markers
    assert np.abs(again.marker(markers.labels[8])[4:6] - data.marker(markers.labels[8])[4:6]).max() < 1e-5


def test_what_is_wrong_with_a_trial_is_told():
    figure = virtual_human()
    markers = covered(figure, 3)
    q = sample_reach().q[::16]
    good = trial_of(figure, markers, q)
    assert check_trial(figure, markers, good) == ()

    def told(places, labels=good.labels, time=good.time):
        return " ".join(check_trial(figure, markers, MarkerData(labels, time, good.rate, places)))

    assert "millimetres taken for metres" in told(good.positions * 1000)
    assert "metres taken for millimetres" in told(good.positions / 1000)
    assert "mirrored" in told(good.positions * [1, -1, 1])
    swapped = [label.replace("left", "L").replace("right", "left").replace("L", "right") for label in good.labels]
    assert "left and right are swapped" in told(good.positions, swapped)
    late = good.time + np.where(np.arange(len(q)) > 5, 2.0, 0.0)
    assert "time jumps 1 times" in told(good.positions, time=late)
    leap = np.array(good.positions)
    leap[4, 7] += 1.0
    assert f"leap faster than 25 m/s: {good.labels[7]} (2)" in told(leap)
    few = np.array(good.positions)
    few[:, [0, 1, 2]] = np.nan
    few[:, 9] = np.nan
    text = told(few)
    assert "no marker on pelvis" in text
    assert "fewer than three markers on neck (2)" in text


def test_marker_sets_come_back_and_bad_ones_are_named(tmp_path):
    figure, markers = knee()
    for name in ("set.toml", "set.json"):
        write_marker_set(figure, markers, tmp_path / name)
        again = read_marker_set(figure, tmp_path / name)
        assert again.labels == markers.labels
        np.testing.assert_array_equal(again.places, markers.places)
        np.testing.assert_array_equal(again.links, markers.links)
    row = {"label": "a", "link": "shin", "place": [0, 0, 0]}
    for rows, word in (
        ([], "no markers"), ([{**row, "link": "nothing"}], "no link 'nothing'"), ([row, row], "a second 'a'"),
        ([{**row, "place": [0, 0]}], "marker 1"), ([{"label": "a"}], "label, link and place expected"),
    ):  # fmt: skip
        (tmp_path / "bad.json").write_text(json.dumps({"marker": rows}))
        with pytest.raises(FileFormatError, match=word):
            read_marker_set(figure, tmp_path / "bad.json")


@pytest.mark.parametrize(("arguments", "word"), [
    (["ik", "no.c3d", "--figure", "virtual_human", "-o", "out.npz"], "no.c3d"),
    (["ik", "no.txt", "--figure", "virtual_human", "-o", "out.npz"], "expected .c3d or .trc"),
    (["fit", "no.c3d", "--figure", "nobody", "-o", "out.osim"], "no figure 'nobody'"),
    (["fit", "no.c3d", "--figure", "virtual_human", "-o", "out.bvh"], "expected .osim"),
])  # fmt: skip
def test_bad_arguments(arguments, word, capsys):
    assert main(["capture", *arguments]) != 0
    assert word in capsys.readouterr().err
