"""Worlds over a product of values: the table is that of single worlds, however it is cut."""

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.errors import FileFormatError
from hitogata.figure import State
from hitogata.library import human28
from hitogata.pipeline.sweep import COLUMNS, MEASURES, Sweep, SweepWork, read_sweep, simulate
from hitogata.sim import World

SWEEP = Sweep(seconds=0.1, stiffness=(300, 2000), friction=(0.3, 0.8), seeds=2, worlds=8)


def table(sweep, rows):
    import io

    return np.load(io.BytesIO(simulate(SweepWork(sweep, tuple(rows)))))


def test_a_row_is_a_single_world():
    rows = list(SWEEP.rows())
    found = table(SWEEP, rows)
    assert found.shape == (8, len(MEASURES))
    stiffness, damping, friction, _, seed = rows[7]
    world, figure = World(), human28()
    world.add_ground()
    model = world.add(figure, friction=friction)
    model.set_motor(stiffness, damping)
    first = np.array(model.q)
    turn = np.random.default_rng(seed).uniform(0, 2 * np.pi)
    v = np.zeros(figure.nv)
    v[3], v[4] = SWEEP.push * np.cos(turn), SWEEP.push * np.sin(turn)
    model.state = State(first, v)
    for _ in range(24):
        world.step(1 / 240)
    measures = dict(zip(MEASURES, found[7], strict=True))
    assert measures["height"] == pytest.approx(model.q[2] / first[2], abs=1e-6)
    assert measures["distance"] == pytest.approx(np.linalg.norm(model.q[:2] - first[:2]), abs=1e-6)
    assert measures["finite"] == 1
    again = np.concatenate([table(SWEEP, rows[:4]), table(SWEEP, rows[4:])])
    assert np.array_equal(found, again, equal_nan=True)


def test_a_table_from_the_command_line(tmp_path):
    (tmp_path / "s.toml").write_text("seconds = 0.02\nfriction = [0.3, 0.8]\nseeds = 2\nworlds = 2\n")
    assert main(["sweep", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out"), "--workers", "1"]) == 0
    with np.load(tmp_path / "out" / "table.npz") as data:
        assert tuple(data) == (*COLUMNS, *MEASURES)
        assert data["friction"].tolist() == [0.3, 0.3, 0.8, 0.8]
        assert data["seed"].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("frictoin = [1]", "did you mean 'friction'"), ("seeds = 0", "above 0"), ("friction = []", "friction"),
        ("stiffness = [-1]", "0 or more"), ("step = [0.1, 0.2]", "a number"), ("[", "s.toml"),
    ],
)  # fmt: skip
def test_wrong_sweeps_are_named(tmp_path, text, said, capsys):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(FileFormatError) as error:
        read_sweep(tmp_path / "s.toml")
    assert said in str(error.value)
    assert main(["sweep", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")]) == 2
    (tmp_path / "ok.toml").write_text('figure = "human82"')
    assert main(["sweep", str(tmp_path / "ok.toml"), "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
