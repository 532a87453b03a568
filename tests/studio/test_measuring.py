"""What is measured and kept while the stage lives; leashes and cameras."""

import contextlib
from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.library import virtual_human
from hitogata.studio.camera import Cameras
from hitogata.studio.gauges import SERIES, Gauge, Gauges, touching
from hitogata.studio.guard import Guard
from hitogata.studio.leash import Leash
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.recorder import Recorder
from hitogata.studio.stage import Stage

H = 1 / 60


@pytest.fixture
def studio():
    """As much of a studio as measuring needs."""
    stage = Stage(virtual_human())
    studio = SimpleNamespace(
        stage=stage, mode=Physics(stage), clock=SimpleNamespace(frames=0, work=deque([0.004])), model_time=0.001,
        desk=SimpleNamespace(joint="shoulder_left", range=stage.edits["shoulder_left"].range),
        guard=Guard(lambda *_: None),
    )  # fmt: skip
    studio.gauges = Gauges(studio)
    studio.recorder = Recorder(studio)
    return studio


def run(studio, frames):
    for _ in range(frames):
        studio.mode.advance(H)
        studio.gauges.note(contacts=True)
        studio.recorder.note()
        studio.clock.frames += 1


def test_standing_feet_carry_the_weight(studio):
    studio.gauges.show({Gauge.CONTACT, Gauge.PRESSURE, Gauge.ENERGY, Gauge.MARGIN, Gauge.ANGLES, Gauge.TIME})
    run(studio, 120)
    weight = 9.81 * studio.stage.figure.mass
    found = touching(studio.mode)
    np.testing.assert_allclose(found.forces.sum(0), [0, 0, weight], atol=0.02 * weight)
    time, forces = studio.gauges.lines(Gauge.CONTACT)
    assert forces[-1, 2] == pytest.approx(weight, rel=0.02)
    assert forces[-1, 0] + forces[-1, 1] == pytest.approx(forces[-1, 2])
    assert len(time) == 120
    assert np.all(np.diff(time) > 0)
    from hitogata.dynamics import centre_of_mass

    _, pressure = studio.gauges.lines(Gauge.PRESSURE)
    below = 100 * centre_of_mass(studio.stage.figure, studio.stage.q[0])[:2]
    np.testing.assert_allclose(pressure[-1], below, atol=1.0)  # [cm]: it stands still
    _, margin = studio.gauges.lines(Gauge.MARGIN)
    assert margin[-1, 1] <= margin[-1, 0]
    for gauge in studio.gauges.shown:
        assert studio.gauges.lines(gauge)[1].shape == (120, len(SERIES[gauge][0]))


def test_joint_angles(studio):
    studio.gauges.show({Gauge.ANGLES})
    quat = np.array([np.cos(0.4), 0.0, -np.sin(0.4), 0.0])  # the arm swings forward by 0.8 rad
    studio.stage.q[0, studio.stage.figure.q_slice("shoulder_left")] = quat
    studio.mode = Posing(studio.stage)
    studio.gauges.note(contacts=False)
    swing, twist = studio.gauges.lines(Gauge.ANGLES)[1][-1]
    assert swing == pytest.approx(np.degrees(0.8))
    assert twist == pytest.approx(0.0, abs=1e-6)


def test_plots_look_back_some_seconds_only(studio):
    studio.gauges.show({Gauge.TIME})
    run(studio, 700)
    time, values = studio.gauges.lines(Gauge.TIME)
    assert len(time) == len(values) <= 481
    assert time[-1] - time[0] <= 8.0 + 1e-9
    np.testing.assert_allclose(values[-1], [1.0, 4.0])


def test_nothing_is_measured_that_is_not_shown(studio):
    run(studio, 5)
    assert studio.gauges.lines(Gauge.ENERGY)[0].size == 0


def test_recording(studio):
    with pytest.raises(ArgumentError, match="nothing was recorded"):
        studio.recorder.trajectories()
    studio.recorder.start()
    run(studio, 60)
    studio.recorder.stop()
    run(studio, 5)
    (motion,) = studio.recorder.trajectories()
    assert len(motion) == 60
    assert motion.time[-1] == pytest.approx(59 * H)
    np.testing.assert_allclose(motion.q[-1, :3], studio.recorder.states[-1][0, :3])
    (actor,) = studio.recorder.actors()
    assert [overlay.name for overlay in actor.overlays] == ["contact forces"]


def test_recording_ends_when_the_figures_change(studio):
    studio.recorder.start()
    run(studio, 3)
    studio.stage.set_count(2)
    studio.mode = Physics(studio.stage)
    studio.mode.time = 10.0
    run(studio, 1)
    assert not studio.recorder.on
    assert studio.guard.messages[-1] == "The recording ended: the figures changed"
    assert len(studio.recorder.trajectories()[0]) == 3


def test_leash_follows_smoothly():
    """63 % of the way in its lag, however time is cut."""
    coarse, fine = Leash(np.zeros(3)), Leash(np.zeros(3))
    for leash, steps in ((coarse, 1), (fine, 12)):
        leash.lead(np.array([1.0, 0.0, 0.0]))
        for _ in range(steps):
            leash.advance(0.06 / steps)
    assert coarse.place[0] == pytest.approx(1 - np.exp(-1))
    np.testing.assert_allclose(fine.place, coarse.place, atol=1e-12)


def test_cameras_go_along():
    client = SimpleNamespace(
        camera=SimpleNamespace(position=np.array([2.0, 0, 1]), look_at=np.array([0.0, 0, 1])),
        atomic=contextlib.nullcontext,
    )
    cameras = Cameras(SimpleNamespace(get_clients=lambda: {0: client}))
    assert cameras.follow
    cameras.follow = False
    cameras.advance(np.zeros(3))
    cameras.advance(np.array([0.3, 0.0, 0.0]))
    np.testing.assert_array_equal(client.camera.position, [2, 0, 1])  # it does not follow yet
    cameras.follow = True
    cameras.advance(np.array([0.8, 0.3, 0.7]))
    np.testing.assert_allclose(client.camera.position, [2.5, 0.3, 1.0])  # along the ground only
    np.testing.assert_allclose(client.camera.look_at, [0.5, 0.3, 1.0])
