"""The live pipeline: what it answers, when it is late, and that it is the offline answer."""

import threading
import time

import numpy as np
import pytest

from hitogata.behaviour import (
    Channel,
    DatagramInlet,
    DatagramSender,
    Recorder,
    Samples,
    Stream,
    StreamKind,
    open_recording,
    play,
)
from hitogata.behaviour.live_emg import EmgChannels, LiveEmg
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_loads import PlateLoads, plates_of
from hitogata.behaviour.live_pipeline import LiveBody, LivePipeline, LiveSettings, replay
from hitogata.behaviour.live_stage import LiveStage
from hitogata.behaviour.live_steps import SmoothRates
from hitogata.behaviour.ring import Ring
from hitogata.dynamics import forward_kinematics, integrate, inverse_dynamics
from hitogata.errors import ArgumentError
from hitogata.library import virtual_human
from tests.behaviour.walker import body_of, legs, sources, sway


def test_live_answers_are_those_of_the_recording(tmp_path):
    muscles, markers = legs()
    given = sources(muscles, markers)
    body = body_of(muscles, markers, given[1])
    frames = []
    settings = LiveSettings(patience=5.0, room=500)
    with LivePipeline(body, settings, told=frames.append) as pipeline:
        # plates and EMG begin before the markers and end after them: every frame's loads come
        senders, threads = [DatagramSender(s.stream) for s in given], []

        def begin(k, seconds):
            threads.append(
                threading.Thread(target=play, args=(given[k], lambda: senders[k]), kwargs={"seconds": seconds})
            )
            threads[-1].start()
            return DatagramInlet("127.0.0.1", senders[k].port)

        with Recorder(
            str(tmp_path / "r.mcap"), inlets=[begin(1, 4.0), begin(2, 4.0)], listener=pipeline.listen
        ) as recorder:
            while not all(s.received > 100 for s in recorder.status.values()):
                time.sleep(0.02)
            recorder.add(begin(0, 1.2))
            for thread in threads:
                thread.join()
            time.sleep(0.3)
            assert pipeline.settle(20.0)
        assert recorder.status["/markers"].lost == 0
        status = {s.name: s for s in pipeline.status}
        assert [s.dropped + s.failed for s in status.values()] == [0] * 5
        assert status["muscles"].p99 >= status["angles"].p50 > 0
        assert "muscles" in str(pipeline)
        assert pipeline.newest is frames[-1]
    again = replay(open_recording(str(tmp_path / "r.mcap")), body, settings)
    assert len(again) == len(frames) > 80
    marked = [k for k, f in enumerate(frames) if f.marks]
    assert marked == []
    for live, off in zip(frames, again, strict=True):
        assert live.time == off.time
        for what in ("q", "v", "vdot", "wrenches", "tau", "emg"):
            np.testing.assert_allclose(getattr(live, what), getattr(off, what), rtol=0, atol=1e-9)
        np.testing.assert_allclose(live.muscles.activation, off.muscles.activation, rtol=0, atol=1e-9)
    # the answer itself: weights of the plates on the feet, torques of inverse dynamics, EMG followed
    last = again[-1]
    figure = muscles.body
    feet = [figure.link_index(f"foot_{s}") for s in "rl"]
    assert last.wrenches[feet, 5] == pytest.approx(
        350 + 40 * np.sin(0.5 + (last.time - frames[0].time) % 2), abs=45
    )  # fmt: skip
    expected = inverse_dynamics(figure, last.q, last.v, last.vdot, wrenches=last.wrenches)
    np.testing.assert_allclose(last.tau, expected, atol=1e-9)
    assert last.muscles.activation.max() > 0.01
    assert np.isfinite(last.emg).sum() == 4


def test_rates_are_those_of_the_motion():
    figure = virtual_human()
    times = np.arange(0, 1, 0.01)
    rate = np.zeros(figure.nv)
    rate[3:] = np.linspace(-1, 1, figure.nv - 3)
    rate[:3] = 0.7, -0.4, 0.9  # a turn at constant rate in the body
    q = np.stack([integrate(figure, figure.neutral(), rate * t) for t in times])
    for lag in (0.0, 0.06):
        step = SmoothRates(figure, lag=lag)
        found = [step(LiveFrame(float(t), 0.0, np.zeros((0, 3)), q=each)) for t, each in zip(times, q, strict=True)]
        assert found[2] is None
        last = found[-1]
        assert last.time == pytest.approx(0.99 - lag)
        np.testing.assert_allclose(last.v, rate, atol=2e-4)
        np.testing.assert_allclose(last.vdot, 0.0, atol=2e-2)
    with pytest.raises(ArgumentError, match="span"):
        SmoothRates(figure, lag=1.0)


def test_a_late_stage_takes_the_newest_and_counts():
    begun, go, answers = threading.Event(), threading.Event(), []

    def slow(frame):
        begun.set()
        go.wait(5.0)
        return frame

    stage = LiveStage("slow", slow, answers.append, room=3)
    made = [LiveFrame(float(k), time.monotonic(), np.zeros((0, 3))) for k in range(8)]
    stage.put(made[0])
    assert begun.wait(5.0)
    for frame in made[1:]:
        stage.put(frame)
    go.set()
    assert stage.settle(5.0)
    assert [f.time for f in answers] == [0.0, 7.0]
    assert (stage.status.done, stage.status.dropped) == (2, 6)
    stage.put(made[1])
    stage.close()


def test_a_frame_that_fails_is_counted_and_the_next_goes_on():
    answers = []

    def step(frame):
        if frame.time == 1.0:
            raise ArgumentError("frame 1 is bad")
        return frame

    stage = LiveStage("s", step, answers.append)
    for k in range(3):
        stage.put(LiveFrame(float(k), 0.0, np.zeros((0, 3))))
    assert stage.settle(5.0)
    assert [f.time for f in answers] == [0.0, 2.0]
    assert (stage.status.failed, stage.status.said) == (1, "frame 1 is bad")
    stage.close()


def test_rings_answer_between_samples_and_know_what_is_not_there():
    ring = Ring(1, span=1.0)
    for k in range(0, 5000, 7):
        t = np.arange(k, min(k + 7, 5000)) / 1000.0
        ring.add(t, np.sin(t)[:, None])
    value, known = ring.at(4.5005)
    assert known
    assert value[0] == pytest.approx(0.5 * (np.sin(4.5) + np.sin(4.501)), abs=1e-12)
    value, known = ring.at(5.01)
    assert (value[0], known) == (np.sin(4.999), False)
    assert np.isnan(ring.at(6.0)[0][0])
    assert np.isnan(ring.at(1.0)[0][0])  # gone
    ring.add(np.array([5.5]), np.array([[1.0]]))
    assert not ring.at(5.2)[1]  # a hole
    waiting = threading.Timer(0.05, lambda: ring.add(np.array([5.51]), np.array([[2.0]])))
    waiting.start()
    value, known = ring.at(5.505, patience=5.0)
    assert known
    assert value[0] == pytest.approx(1.5)


def test_loads_go_to_the_foot_they_act_under():
    muscles, markers = legs()
    figure = muscles.body
    _, plates, _ = sources(muscles, markers, 0.2)
    loads = PlateLoads(figure, plates_of(plates.stream))
    q = sway(figure, np.zeros(1))[0]
    poses = forward_kinematics(figure, q)
    assert loads.at(0.0, poses) == (pytest.approx(np.zeros((13, 6))), ("loads late",))
    t = np.arange(100) / 500.0
    loads.listen(plates.stream, Samples(t, t, plates.values, t))
    found, marks = loads.at(0.1, poses)
    assert marks == ()
    feet = [figure.link_index(f"foot_{s}") for s in "rl"]
    assert np.flatnonzero(found.any(axis=1)).tolist() == sorted(feet)
    origin = [found[k, :3] + np.cross(poses.position[k], found[k, 3:]) for k in feet]
    wrench = plates.values[50].astype(float)
    np.testing.assert_allclose(origin, [wrench[3:6], wrench[9:12]], rtol=1e-6, atol=1e-6)
    far = plates.values.copy()
    far[:, 3:6] += np.cross([5.0, 0.0, 0.0], far[:, :3])
    other = PlateLoads(figure, plates_of(plates.stream))
    other.listen(plates.stream, Samples(t, t, far, t))
    assert other.at(0.1, poses)[1] == ("a load is nobody's",)
    assert loads.at(0.5, poses)[1] == ("loads late",)


def test_emg_is_followed_without_looking_ahead():
    stream = Stream("emg", StreamKind.EMG, 1000.0, (Channel("a", "mV"),))
    t = np.arange(3000) / 1000.0
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(3000, 1)) * np.where(t > 1.5, 1.0, 0.1)[:, None]
    channels = EmgChannels("emg", {"a": "m"}, {"a": 1.0})
    live = [LiveEmg(channels, ("other", "m")) for _ in range(2)]
    live[0].listen(stream, Samples(t, t, raw, t))
    for k in range(0, 3000, 13):
        s = slice(k, k + 13)
        live[1].listen(stream, Samples(t[s], t[s], raw[s], t[s]))
    for at in (0.7, 1.6, 2.9):
        one, other = (each.at(at)[0] for each in live)
        assert np.isnan(one[0])
        assert one[1] == other[1]
    low, high = live[0].at(1.4)[0][1], live[0].at(2.8)[0][1]
    assert high / low == pytest.approx(10.0, rel=0.6)
    assert live[0].at(3.2)[1] == ("EMG late",)
    with pytest.raises(ArgumentError, match="no muscle is called 'm'"):
        LiveEmg(channels, ("x",))
    with pytest.raises(ArgumentError, match="reference"):
        EmgChannels("emg", {"a": "m"}, {})


def test_points_without_labels_need_a_model_and_are_said():
    muscles, markers = legs()
    seen, _, _ = sources(muscles, markers, 0.1)
    points = Stream("p", StreamKind.POINTS, 100.0, seen.stream.channels)
    from hitogata.capture import MarkerIk

    with LivePipeline(LiveBody(MarkerIk(muscles.body, markers))) as pipeline:
        t = np.arange(2) / 100.0
        pipeline.listen(points, Samples(t, t, seen.values[:2], t))
        assert "need a marker model" in pipeline.said
    with pytest.raises(ArgumentError, match="very figure"):
        LiveBody(MarkerIk(virtual_human(), _marked(virtual_human())), muscles)


def _marked(figure):
    from hitogata.capture import MarkerSet

    return MarkerSet.of(figure, {f"m{k}": (figure.link_names[k], (0.0, 0.0, 0.1 * k)) for k in range(4)})
