"""`hitogata schedule`: what it prints and draws."""

import pytest

from hitogata.cli import main
from hitogata.cli.schedule import held_ends
from hitogata.dynamics.assembly import UNIT, plan, simulate
from hitogata.library import chain, human40
from hitogata.pictures.schedules import draw_schedule, tree_places
from tests.dynamics.test_function_joints import leg


def test_prints_tree_and_timeline(capsys, tmp_path):
    path = tmp_path / "schedule.png"
    options = ["--processors", "8", "--message", "0", "--hold", "palm_left", "-o", str(path)]
    assert main(["schedule", "human40", *options]) == 0
    text = capsys.readouterr().out
    assert "human40: 15 joints" in text
    assert "6 rows of loops" in text
    assert "base (closes a loop)" in text
    assert "wrist_left" in text
    assert "###" in text
    assert "===" in text
    assert path.stat().st_size > 10_000


def test_a_loop_between_links_and_a_chain(capsys):
    assert main(["schedule", "human40", "--hold", "palm_left:palm_right"]) == 0
    assert "(closes a loop)" in capsys.readouterr().out
    assert main(["schedule", "chain300", "--unlimited"]) == 0
    assert "any number of processors" in capsys.readouterr().out


def test_a_leg_whose_joints_follow_functions():
    figure = leg()
    ends = held_ends(figure, ["foot", "patella:shin"])
    assert len(ends) == 12
    assert plan(figure, ends=ends).nodes.closed.sum() == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["human40", "--processors", "0"], "processors: must be 1 or more"),
        (["nobody"], "no figure 'nobody'"),
        (["human40", "--hold", "tail"], "tail"),
        (["human40", "--hold", "palm_left:palm_left"], "cannot be held to itself"),
    ],
)
def test_bad_input(capsys, arguments, said):
    assert main(["schedule", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_drawn_trees_have_a_place_for_every_joint():
    for figure in (human40(), chain(8)):
        line = simulate(plan(figure, processors=None, costs=UNIT))
        places = tree_places(line)
        assert len({tuple(p) for p in places.tolist()}) == len(line.schedule)
        assert sorted(places[:, 0]) == list(range(len(line.schedule)))  # no two above each other
        assert places[:, 1].max() == line.schedule.depth - 1
        assert len(draw_schedule(line).axes) == 2
