"""Strings over the bones: colours, places in stills, what replays hold, what is refused."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.library import pendulum
from hitogata.pictures import Actor, Spindles, draw_picture, write_replay

FIGURE = pendulum()
TIME = np.linspace(0.0, 1.0, 5)


def _spindles(value: float, **options: object) -> Spindles:
    x = np.linspace(-0.3, 0.3, 6)
    line = np.stack([np.zeros(6), x, np.full(6, -0.2)], axis=1)
    at = np.broadcast_to(line, (5, 1, 6, 3))
    return Spindles("muscles", at, np.full((5, 1), value), np.array([24.0]), **options)  # type: ignore[arg-type]


def _actor(spindles: Spindles) -> Actor:
    q = np.repeat(FIGURE.neutral()[None], 5, axis=0)
    return Actor(FIGURE, Trajectory(TIME, q, np.zeros((5, FIGURE.nv))), overlays=[spindles])


def test_colours_go_from_the_first_to_the_last() -> None:
    shades = _spindles(0.0, palette=("#000000", "#ff0000")).shades(np.array([0.0, 0.5, 1.0]))
    assert shades == pytest.approx(np.array([[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]))


def test_stills_show_them_in_their_colour() -> None:
    count = []
    for value in (0.0, 1.0):
        picture = draw_picture(_actor(_spindles(value, palette=("#0000ff", "#ff0000"))), time=0.5, size=(320, 240))
        red = (picture[..., 0] > 200) & (picture[..., 2] < 60)
        blue = (picture[..., 2] > 200) & (picture[..., 0] < 60)
        count.append((int(red.sum()), int(blue.sum())))
    assert count[0][0] == 0
    assert count[0][1] > 50
    assert count[1][0] == pytest.approx(count[0][1], rel=0.05)
    assert count[1][1] == 0


def test_replays_hold_them(tmp_path) -> None:  # type: ignore[no-untyped-def]
    page = tmp_path / "strings.html"
    write_replay(page, _actor(_spindles(0.5)))
    assert '"Spindles"' in page.read_text()


def test_what_is_refused() -> None:
    good = _spindles(0.5)
    with pytest.raises(ArgumentError, match="values of shape"):
        Spindles("m", good.at, np.zeros((5, 2)), good.widths)
    with pytest.raises(ArgumentError, match="values must be finite"):
        Spindles("m", good.at, np.full((5, 1), np.nan), good.widths)
    with pytest.raises(ArgumentError, match="must be finite, shape"):
        Spindles("m", good.at[0], good.values, good.widths)
    short = Trajectory(TIME[:2], np.repeat(FIGURE.neutral()[None], 2, axis=0), np.zeros((2, FIGURE.nv)))
    with pytest.raises(ArgumentError, match="5 times, the trajectory 2"):
        Actor(FIGURE, short, overlays=[good])
