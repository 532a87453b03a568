"""A range measured with seven markers, through a C3D file, beside the range that made the motion."""

import numpy as np
import pytest

from benchmarks.measured_range import REST, overlaps, recorded
from hitogata.capture import measure_range
from hitogata.cli import main
from hitogata.errors import ArgumentError
from hitogata.files import MarkerData, read_c3d, write_c3d
from hitogata.rom import RangeOfMotion
from hitogata.rom.human import Side, shoulder

PARENT, CHILD = ("C7", "T4", "STRN"), ("E1", "E2", "E3", "E4")


def test_shoulder_from_c3d(tmp_path, capsys):
    trial, centre = recorded(shoulder(Side.LEFT), 60.0, 5)
    write_c3d(trial, tmp_path / "arm.c3d")
    found = measure_range(read_c3d(tmp_path / "arm.c3d").markers, PARENT, CHILD, rest=(0, REST), quiet=True)
    off = np.linalg.norm(found.motion.centre - centre, axis=1)
    assert np.sqrt(np.nanmean(off**2)) < 0.005
    assert overlaps(shoulder(Side.LEFT), found.fit.range)[0] > 0.9
    assert not found.problems
    out = str(tmp_path / "arm.json")
    assert main(["capture", "range", str(tmp_path / "arm.c3d"), "--parent", ",".join(PARENT), "--child",
                 ",".join(CHILD), "--rest", f"0,{REST}", "-o", out]) in (0, None)  # fmt: skip
    assert "bone 290" in capsys.readouterr().out.replace("289", "290").replace("291", "290")
    assert overlaps(RangeOfMotion.load(out), found.fit.range)[0] > 0.999


def test_what_is_wrong_is_said():
    trial, _ = recorded(shoulder(Side.LEFT), 40.0, 1)
    places = np.array(trial.positions)

    def changed(new, names=trial.labels):
        return MarkerData(names, trial.time, trial.rate, new)

    swapped = places.copy()
    swapped[800:, [3, 4]] = swapped[800:, [4, 3]]
    found = measure_range(changed(swapped), PARENT, CHILD, quiet=True)
    assert any("labels are swapped" in text or "left out: a wrong label" in text for text in found.problems)
    loose = places.copy()
    loose[:, 6] += np.linspace(0, 0.08, len(loose))[:, None]
    found = measure_range(changed(loose), PARENT, CHILD, quiet=True)
    assert found.child == CHILD[:3]
    assert "E4 moves by" in found.problems[0]
    gone = places.copy()
    gone[:, 5] = np.nan
    assert "E3 never seen" in measure_range(changed(gone), PARENT, CHILD, quiet=True).problems[0]
    with pytest.raises(ArgumentError, match="metres taken for millimetres"):
        measure_range(changed(places / 1000), PARENT, CHILD)
    large = measure_range(changed(places * 1000), PARENT, CHILD, quiet=True)
    assert any("millimetres taken for metres" in text for text in large.problems)
    with pytest.raises(ArgumentError, match="no 'X'"):
        measure_range(trial, ("C7", "T4", "X"), CHILD)
    with pytest.raises(ArgumentError, match="given for parent and child"):
        measure_range(trial, PARENT, ("C7", "E1", "E2"))
    with pytest.raises(ArgumentError, match="rest: no frame from 90 to 91 s"):
        measure_range(trial, PARENT, CHILD, rest=(90.0, 91.0))
    hidden = places.copy()
    hidden[:, 1] = np.nan
    with pytest.raises(ArgumentError, match="three are needed"):
        measure_range(changed(hidden), PARENT, CHILD)
