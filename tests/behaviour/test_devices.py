import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hitogata.behaviour import (
    Channel,
    DatagramInlet,
    DatagramSender,
    Faults,
    Recorder,
    Stream,
    StreamKind,
    align_events,
    find_pulses,
    greatest_difference,
    open_recording,
    play,
    source_of,
    with_pulses,
)  # fmt: skip
from hitogata.behaviour.sources import Source
from hitogata.errors import ArgumentError, HitogataError
from tests.behaviour.cases import stream


def sender_of(source, **more):
    return DatagramSender(source.stream, **more)


def waves(name, rate, channels=2, pulses=()):
    time = np.arange(round(rate)) / rate
    values = np.stack([np.sin(2 * np.pi * (k + 1) * time) for k in range(channels)], axis=1).astype("<f4")
    s = Stream(name, StreamKind.OTHER, rate, tuple(Channel(f"c{k}", "V") for k in range(channels)), numbered=True)
    return with_pulses(Source(s, values), pulses)


def in_threads(calls):
    import threading

    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    return threads


def test_socket_devices_are_recorded_and_what_the_network_loses_is_counted(tmp_path):
    rng = np.random.default_rng(0)
    events = (0.7, 1.4, 2.1, 2.8, 3.5)
    sources = [waves("fast", 1000.0, pulses=events), waves("slow", 60.0, pulses=events)]
    # The network loses nothing at first, so that two events are whole; then a tenth.
    senders = [sender_of(sources[0], lost=lambda: time.monotonic() > begin + 1.8 and rng.random() < 0.1)]
    senders.append(sender_of(sources[1]))
    ended = []

    def play_one(k):
        keep = senders[k]
        faults = Faults(drift=(100.0, -100.0)[k], jitter=0.005, seed=k)
        ended.append((k, play(sources[k], lambda: keep, faults, seconds=4.0, begin=begin)))

    begin = time.monotonic() + 1.0
    threads = in_threads([lambda k=k: play_one(k) for k in range(2)])
    inlets = [DatagramInlet("127.0.0.1", s.port) for s in senders]
    with Recorder(str(tmp_path / "r.mcap"), inlets=inlets) as recorder:
        for thread in threads:
            thread.join()
        time.sleep(0.3)
    played = dict(ended)
    found = open_recording(str(tmp_path / "r.mcap"))
    for k, name in enumerate(("fast", "slow")):
        track = found.track(name)
        assert len(track) + played[k].lost == played[k].sent
        assert sum(g.lost for g in track.gaps) == pytest.approx(played[k].lost, abs=40)  # the ends cannot be known
        assert recorder.status[track.topic].written == len(track)
        expected = sources[k].values[track.samples.numbers % len(sources[k].values), :2]
        assert (track.values[:, :2] == expected).all()
    assert played[0].lost > 40
    aligned, left = align_events(found, {"fast": "sync", "slow": "sync"})
    assert 2 <= len(left) <= 5  # those of the fast one with samples missing tell nothing
    assert greatest_difference(left) < 1e-3
    assert len(aligned.tracks) == 2


def test_a_device_that_begins_again_goes_on_in_its_channel(tmp_path):
    source = waves("gait", 200.0)
    first = sender_of(source)
    port = first.port
    made = [first]

    def again():
        if made:
            return made.pop()
        return sender_of(source, port=port)

    played, faults = [], Faults(restarts=(1.2,), away=0.5)
    threads = in_threads([lambda: played.append(play(source, again, faults, seconds=3.2))])
    with Recorder(str(tmp_path / "r.mcap"), inlets=[DatagramInlet("127.0.0.1", port)]) as recorder:
        threads[0].join()
        time.sleep(0.4)
    (status,) = recorder.status.values()
    assert status.jumps == 1
    (track,) = open_recording(str(tmp_path / "r.mcap")).tracks
    assert len(track.clock.segments) == 2
    assert (np.diff(track.time) > 0).all()
    true = np.array(played[0].began)[track.runs] + track.samples.raw - faults.start  # when they were taken
    assert np.diff(true).max() > 0.5
    assert np.diff(track.time).max() == pytest.approx(np.diff(true).max(), abs=0.05)
    assert len(track.gaps) == 1


def test_nobody_there_and_bad_devices():
    with pytest.raises(HitogataError, match="no device answers at"):
        DatagramInlet("127.0.0.1", 9, timeout=0.3)
    with pytest.raises(ArgumentError, match="numbered"):
        DatagramSender(stream())
    with pytest.raises(ArgumentError, match="loss"):
        Faults(loss=2.0)
    with pytest.raises(ArgumentError, match="two channels are called 'a'"):
        Stream("x", StreamKind.EMG, 1.0, (Channel("a"), Channel("a")))


def test_sources_from_tables(tmp_path):
    path = tmp_path / "emg.csv"
    path.write_text("time,soleus,gastroc\n0,1,2\n0.5,2,3\n1.0,3,4\n")
    source = source_of(str(path), StreamKind.EMG, rate=4.0)
    assert source.stream.labels == ("soleus", "gastroc")
    assert source.values[:, 0].tolist() == [1.0, 1.5, 2.0, 2.5, 3.0]
    (tmp_path / "bad.csv").write_text("time,a\n0,x\n")
    with pytest.raises(ArgumentError, match=r"bad\.csv"):
        source_of(str(tmp_path / "bad.csv"))


def test_pulses_are_found_between_samples():
    for rate in (60.0, 2000.0):
        t = np.arange(0, 5, 1 / rate)
        signal = np.exp(-0.5 * ((t - 1.2345) / 0.06) ** 2) + np.exp(-0.5 * ((t - 3.21) / 0.06) ** 2)
        assert find_pulses(t, signal) == pytest.approx([1.2345, 3.21], abs=2e-4)
    assert len(find_pulses(t, 0 * t)) == 0


def test_a_recorder_that_is_killed_leaves_a_file_that_opens(tmp_path):
    """With LSL, devices and recorder as processes: the command line as people use it."""
    pytest.importorskip("pylsl")
    out = str(tmp_path / "r.mcap")
    command = [sys.executable, "-m", "hitogata.cli"]
    csv = tmp_path / "d.csv"
    t = np.arange(0, 1, 0.01)
    csv.write_text("time,a\n" + "\n".join(f"{x:.3f},{np.sin(x):.5f}" for x in t))
    name = f"probe{os.getpid()}"
    play_it = [*command, "device", "play", str(csv), "--name", name, "--source", name, "--seconds", "60"]
    device = subprocess.Popen(play_it, stdout=subprocess.PIPE, text=True)
    try:
        device.stdout.readline()
        record = [*command, "record", out, "--stream", name, "--quiet"]
        recorder = subprocess.Popen(record, stderr=subprocess.PIPE, text=True)
        for line in recorder.stderr:
            if "recorded" in line:
                break
        time.sleep(2.5)
        killed = time.monotonic()
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
    finally:
        device.kill()
        device.wait()
    found = open_recording(out)
    (track,) = found.tracks
    assert track.stream.rate == pytest.approx(100.0)
    assert killed - track.samples.arrival[-1] < 1.0
    assert len(track) > 100
    assert "its writer was stopped" in found.problems[-1]
    assert [json.loads(json.dumps(dict(n)))["event"] for n in found.notes][:2] == ["begin", "stream"]
