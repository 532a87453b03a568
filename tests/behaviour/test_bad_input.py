"""What devices do wrong: it is named on the page and in the file, and the others go on."""

import dataclasses
import json
import os
import shutil
import subprocess
import threading
import time
import urllib.request

import numpy as np
import pytest

from hitogata.behaviour import Channel, DatagramInlet, DatagramSender, Recorder, Samples, open_recording, play
from hitogata.behaviour.sources import Source
from hitogata.behaviour.status_page import StatusPage
from tests.behaviour.cases import stream


class Inlet:
    """Sends sines of 100 Hz, with stamps as a function of the true time has them."""

    def __init__(self, described, stamp, *, rate=100.0):
        self.stream, self._stamp, self._rate = described, stamp, rate
        self._began, self._sent = time.monotonic(), 0

    def receive(self, timeout=0.2):
        time.sleep(0.02)
        due = int((time.monotonic() - self._began) * self._rate)
        k = np.arange(self._sent, due)
        if not len(k):
            return None
        self._sent = due
        values = np.sin(k[:, None] / 10.0 + np.arange(len(self.stream.channels))).astype("<f4")
        return Samples(
            np.array([self._stamp(i / self._rate) for i in k], float), np.full(len(k), time.monotonic()), values
        )

    def round_trip(self, timeout=2.0):
        return None

    def close(self):
        pass


def test_bad_devices_are_named_and_the_others_go_on(tmp_path):
    path = str(tmp_path / "r.mcap")
    unknown = dataclasses.replace(stream("furlongs"), channels=(Channel("a", "furlong"), Channel("b", "m")))
    inlets = [
        Inlet(stream("good"), lambda t: 50.0 + t), Inlet(stream("nan"), lambda t: np.nan),
        Inlet(stream("zero"), lambda t: 0.0), Inlet(stream("some"), lambda t: np.nan if 1 < t < 2 else 9.0 + t),
        Inlet(stream("liar", rate=200.0), lambda t: 50.0 + t), Inlet(stream("back"), lambda t: 70.0 - t),
        Inlet(stream("twin", source="1"), lambda t: 50.0 + t), Inlet(stream("twin", source="2"), lambda t: 60.0 + t),
        Inlet(unknown, lambda t: 50.0 + t),
    ]  # fmt: skip
    with Recorder(path, inlets=inlets) as recorder:
        page = StatusPage(recorder, port=0)
        time.sleep(5.8)
        with urllib.request.urlopen(f"{page.address}status.json") as answer:
            shown = json.load(answer)
        page.close()
    found = open_recording(path)
    named = {
        "nan: samples without a time stamp", "zero: samples without a time", "some: samples without a time stamp",
        "liar: promises 200 Hz, sends", "back: its clock runs backwards", "twin [2]: two devices of one name; as /twin",
        "furlongs: unknown units furlong",
    }  # fmt: skip
    for notes in ([text for _, text in shown["notes"]], [str(n["text"]) for n in found.notes]):
        assert {n for n in named if not any(text.startswith(n) for text in notes)} == set()
        assert not any("good" in text and "recorded" not in text for text in notes)
        assert len([text for text in notes if "back" in text]) < 6
    origin = found.tracks[0].origin
    for track in found.tracks:
        assert len(track) > 400
        assert np.isfinite(track.time).all()
        late = track.samples.arrival - origin - track.time
        assert -0.01 < late.min() < 0.1, track.topic  # on a busy computer others come later
    raw = found.track("some").samples.raw
    assert np.isnan(raw).sum() == pytest.approx(99, abs=3)  # raw stamps stay as they came
    assert (found.track("zero").samples.raw == 0).all()
    assert (np.diff(found.track("back").samples.raw) < 0).all()


def test_channels_that_change_begin_another_stream(tmp_path):
    def source(channels):
        k = np.arange(100)
        return Source(
            stream("s", channels=channels, numbered=True), np.sin(k[:, None] + np.arange(channels)).astype("<f4")
        )

    path, first = str(tmp_path / "r.mcap"), DatagramSender(source(3).stream)
    port = first.port

    def played():
        play(source(3), lambda: first, seconds=1.5)
        play(source(4), lambda: DatagramSender(source(4).stream, port=port), seconds=3.0)

    thread = threading.Thread(target=played)
    thread.start()
    with Recorder(path, inlets=[DatagramInlet("127.0.0.1", port), Inlet(stream("good"), lambda t: t)]) as recorder:
        thread.join()
        time.sleep(0.2)
        assert any("its channels changed, 3 before, 4 now; it goes on as /s/2" in text for _, text in recorder.told)
    found = open_recording(path)
    assert [len(t.stream.channels) for t in found.tracks if t.stream.name == "s"] == [3, 4]
    assert all(len(t) > 50 for t in found.tracks)
    assert any(n["event"] == "channels" for n in found.notes)


@pytest.mark.skipif(os.name != "posix" or (hasattr(os, "geteuid") and os.geteuid() != 0), reason="mounts need root")
def test_a_full_disk_is_said_and_survived(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("no file system of 256 kB can be mounted here")
    try:
        path = str(disk / "r.mcap")
        (disk / "other").write_bytes(b"x" * 150_000)
        fat = Inlet(stream("fat", rate=2000.0, channels=16), lambda t: 5.0 + t, rate=2000.0)
        with Recorder(path, inlets=[fat]) as recorder:
            end = time.monotonic() + 20.0
            while not recorder.disk and time.monotonic() < end:
                time.sleep(0.05)
            assert "space" in recorder.disk
            held = len(open_recording(path).track("fat"))  # what was written opens meanwhile
            (disk / "other").unlink()
            while recorder.disk and time.monotonic() < end:
                time.sleep(0.05)
            assert recorder.disk == ""
            status = recorder.status["/fat"]
        found = open_recording(path)
        assert status.dropped == 0
        assert len(found.track("fat")) == status.received > held > 0
        texts = [str(n["text"]) for n in found.notes]
        assert any("samples wait in memory" in text for text in texts)
        assert "the disk takes data again" in texts
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_a_disk_that_stands_still_is_said_and_memory_stays_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("hitogata.behaviour.recorder.SLOW", 0.2)
    path, go_on = str(tmp_path / "r.mcap"), threading.Event()
    fat = Inlet(stream("fat", rate=2000.0, channels=16), lambda t: 5.0 + t, rate=2000.0)
    with Recorder(path, inlets=[fat], most_waiting=100_000) as recorder:
        end = time.monotonic() + 20.0
        while not recorder.status["/fat"].written and time.monotonic() < end:
            time.sleep(0.05)
        commit = recorder._writer.commit
        recorder._writer.commit = lambda: (go_on.wait(20.0), commit())
        while not recorder.status["/fat"].dropped and time.monotonic() < end:
            time.sleep(0.05)
        assert recorder.disk
        assert recorder.waiting < 150_000
        go_on.set()
        while recorder.disk and time.monotonic() < end:
            time.sleep(0.05)
        assert recorder.disk == ""
        status = recorder.status["/fat"]
    found = open_recording(path)
    assert len(found.track("fat")) == status.received - status.dropped
    texts = [str(n["text"]) for n in found.notes]
    assert any("the disk is slow" in text for text in texts)
    assert any("samples let go" in text for text in texts)
    assert "the disk takes data again" in texts
