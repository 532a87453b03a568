"""Ranges of several joints in the studio: made, changed, undone, saved, opened, fitted, drawn, kept to by all modes."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError, RangeError
from hitogata.figure import Trajectory
from hitogata.library import human28
from hitogata.rom.coupled import Angle, CoupledRange, Field, SwingTwist
from hitogata.rom.coupled import edits as changes
from hitogata.studio import StudioOptions
from hitogata.studio.ranges.coupled_desk import charts_of
from hitogata.studio.sources import load_figure
from hitogata.studio.view.coupled import bone_outline
from tests.sim.test_coupled_ranges import RANGES

pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A studio whose clock does not run: the tests take its frames."""
    from hitogata.studio import Studio

    studio = Studio("human28", options=StudioOptions(port=0, folder=tmp_path_factory.mktemp("out")))
    studio.ready = True
    yield studio
    studio.stop()


@pytest.fixture
def studio(opened):
    from hitogata.studio.panels.page import ModeName

    opened.drop_mode()
    opened.load(load_figure("human28"))
    opened.set_mode(ModeName.POSE)
    opened.undo.clear()
    return opened


def frames(studio, count=3):
    for _ in range(count):
        studio._frame(1 / 60)


def test_charts_of_joints():
    figure = human28()
    charts, limits = charts_of(figure, "elbow_left")
    assert charts == [Angle("elbow_left")]
    assert limits[0] == pytest.approx(figure.links[figure.joint_index("elbow_left")].joint.range)
    assert isinstance(charts_of(figure, "shoulder_left")[0][0], SwingTwist)
    with pytest.raises(ArgumentError, match="is free"):
        charts_of(figure, figure.joint_names[0])


def test_made_changed_and_undone(studio):
    desk = studio.coupled
    with pytest.raises(ArgumentError, match="make one, or open one"):
        desk.brush(0.2, True)
    studio.undo.note("New")
    desk.make(["shoulder_left", "elbow_left"])
    frames(studio)
    first = studio.stage.figure.coupled[0]
    assert first.joints == ("shoulder_left", "elbow_left")
    assert len(desk.walls()) == 8
    studio.undo._last = ("", -np.inf)
    studio.undo.note("Forbid")
    desk.brush(0.3, False)
    second = studio.stage.figure.coupled[0]
    assert isinstance(second.region, Field)
    assert not second.contains(desk.pose())
    desk.switch(False)
    assert studio.stage.figure.coupled == ()
    studio.undo.undo()
    assert studio.stage.figure.coupled[0] is first
    studio.undo.undo()
    assert studio.stage.figure.coupled == ()
    studio.undo.redo()
    assert studio.stage.figure.coupled[0] is first
    desk.remove()
    assert desk.now is None
    frames(studio)


def test_joints_that_are_not_on_one_way_are_refused(studio):
    with pytest.raises(Exception, match="not between the root and"):
        studio.coupled.make(["elbow_left", "elbow_right"])
    assert studio.stage.coupled == []
    assert studio.stage.figure.coupled == ()


def test_walls(studio):
    desk = studio.coupled
    desk.make(["shoulder_left", "elbow_left"])
    before = desk.now.range
    desk.edit(lambda r: changes.moved_wall(r, 0, 0.1))
    assert desk.now.range.region.offsets[0] == pytest.approx(before.region.offsets[0] + 0.1)
    q = studio.stage.q[0]
    q[studio.stage.figure.q_slice("elbow_left")] = -1.2 if before.contains([1, 0, 0, 0, -1.2]) else 1.2
    desk.wall_here(0, 3)
    assert len(desk.walls()) == 9
    assert desk.now.range.room(desk.pose()) == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(RangeError):
        desk.edit(lambda r: changes.grown(r, -9.0))
    assert len(desk.walls()) == 9


def test_files_and_fits(studio, monkeypatch):
    monkeypatch.setattr(studio.clock, "post", lambda what, task: task())
    desk = studio.coupled
    desk.make(["hip_left", "knee_left"])
    path = desk.save()
    loaded = CoupledRange.load(path)
    assert loaded.region == desk.now.range.region
    desk.add(loaded)
    assert desk.names == ("1: hip_left and knee_left", "2: hip_left and knee_left")
    figure, n = studio.stage.figure, 400
    q = np.tile(figure.neutral(), (n, 1))
    knees = np.linspace(0.0, 1.0, n)
    at = figure.q_slice("knee_left").start
    low, high = figure.links[figure.joint_index("knee_left")].joint.range
    q[:, at] = low + (high - low) * (0.3 + 0.4 * np.sin(9 * knees) ** 2)
    hip = figure.q_slice("hip_left")
    q[:, hip] = np.column_stack([np.cos(0.3 * knees), np.zeros(n), np.sin(0.3 * knees), np.zeros(n)])
    desk.fit(Trajectory(np.arange(n) / 60.0, q, np.zeros((n, figure.nv)), {}, figure.name))
    frames(studio)
    fitted = studio.stage.figure.coupled[1]
    assert isinstance(fitted.region, Field)
    from hitogata.figure.coupled import pose_in

    assert fitted.contains(pose_in(fitted, figure, q)).mean() > 0.95


def test_pictures(studio):
    desk = studio.coupled
    desk.make(["shoulder_left", "elbow_left"])
    for k in range(4):
        picture = ET.fromstring(desk.picture(k, (k + 1) % 4))
        assert len(list(picture)) >= 9
    frames(studio)
    assert "svg" in studio.page.coupled.section.content
    range_ = RANGES["field"]
    wide, narrow = (bone_outline(range_, range_.charts[0], np.array([1, 0, 0, 0, elbow])) for elbow in (-2.3, -0.2))
    reach = [np.arccos(np.clip(lines.reshape(-1, 3) @ (0, 0, -1.0), -1, 1)).mean() for lines in (wide, narrow)]
    assert reach[0] > reach[1] + 0.3  # the cone widens as the elbow bends
    np.testing.assert_allclose(np.linalg.norm(wide, axis=-1), 1.0, atol=1e-9)


def test_every_mode_keeps_to_them(studio):
    from hitogata.studio.panels.page import ModeName

    desk = studio.coupled
    desk.make(["shoulder_left", "elbow_left"])
    for mode in (ModeName.PHYSICS, ModeName.POSE):
        studio.set_mode(mode)
        assert studio.stage.figure.coupled
        frames(studio, 30)
        assert desk.now.range.violation(desk.pose()).depth < 0.02
    place = forward_kinematics(studio.stage.figure, studio.stage.q[0]).position
    assert np.isfinite(place).all()
