"""Does a recording of several devices lose nothing, lie on one clock, and open whatever was killed?

    python -m benchmarks.behaviour devices [--minutes 10]     five devices, each a process: samples lost, alignment
    python -m benchmarks.behaviour chaos [--kills 200]        recorder and devices killed at random moments
    python -m benchmarks.behaviour restarts [--seconds 120]   events after devices began again, datagrams lost
    python -m benchmarks.behaviour damage [--files 10000]     MCAP and XDF files with bytes changed or cut off

Without a word: each for a short while.  `benchmarks.behaviour_hours`: eight hours.
"""

import argparse
import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.timing import table
from hitogata.behaviour import (
    Recording,
    Samples,
    Track,
    align_events,
    find_pulses,
    greatest_difference,
    open_recording,
    shared_events,
    write_recording,
)
from hitogata.errors import HitogataError

KINDS = ("markers", "plate", "gaze", "emg", "tracker")
DRIFTS = (100.0, -100.0, 60.0, -60.0, 20.0)
JITTER = 5.0
AHEAD = 100.0
"""Devices are started so long before they play: on a busy computer they and the recorder take a while [s]."""
COMMAND = (sys.executable, "-m", "hitogata.cli")


class Device:
    """A simulated device in a process of its own."""

    def __init__(self, kind: str, name: str, *options: str) -> None:
        self._start(f"sample:{kind}", name, *options)

    @classmethod
    def of(cls, file: str, name: str, *options: str) -> "Device":
        """One that plays a file."""
        made = cls.__new__(cls)
        made._start(file, name, *options)
        return made

    def _start(self, file: str, name: str, *options: str) -> None:
        self.name = name
        command = [*COMMAND, "device", "play", file, "--name", name, "--source", name, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._socket, self.address = "--udp" in options, ""

    def ready(self) -> "Device":
        """Wait until it can be recorded."""
        assert self.process.stdout is not None
        if not self.process.stdout.readline():
            raise HitogataError(f"{self.name}: the device did not start")
        self.address = self.process.stdout.readline().split()[-1] if self._socket else ""
        return self

    def ended(self, seconds: float) -> dict[str, Any]:
        """What it sent; waits for so long."""
        out, _ = self.process.communicate(timeout=seconds)
        answer: dict[str, Any] = json.loads(out.strip().splitlines()[-1])
        return answer

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def five(names: str, seconds: float, events: list[float], begin: float) -> list[Device]:
    """The five devices around the sample walk."""
    pulses = [word for at in events for word in ("--pulse", str(at))]
    made = [
        Device(kind, f"{names}-{kind}", "--drift", str(drift), "--jitter", str(JITTER), "--seconds", str(seconds),
               "--begin", str(begin), "--clock-start", str(100.0 + 37 * k), "--seed", str(k), *pulses)
        for k, (kind, drift) in enumerate(zip(KINDS, DRIFTS, strict=True))
    ]  # fmt: skip
    return [device.ready() for device in made]


# ------------------------------------------------------- ten minutes


def devices(minutes: float) -> None:
    """Samples lost, and how far events that all saw lie apart, beside pyxdf on the same data."""
    seconds, names = 60.0 * minutes, f"bench{os.getpid()}"
    events = list(np.arange(5.0, seconds - 4.0, max(10.0, seconds / 40)))
    made = five(names, seconds, events, time.monotonic() + AHEAD)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.mcap")
        chosen = [word for d in made for word in ("--stream", d.name)]
        record = [*COMMAND, "record", path, *chosen, "--quiet"]
        recorder = subprocess.Popen(record, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            played = [d.ended(seconds + 2 * AHEAD) for d in made]
            time.sleep(2.0)
            recorder.send_signal(signal.SIGINT)
            recorder.wait(60)
        finally:
            recorder.kill()
            for device in made:
                device.kill()
        found = open_recording(path)
        xdf = os.path.join(folder, "r.xdf")
        write_recording(dataclasses.replace(found, tracks=tuple(as_lab_recorder(t) for t in found.tracks)), xdf)
        rows = []
        for device, p in zip(made, played, strict=True):
            track = found.track(device.name)
            rows.append([device.name.partition("-")[2], p["sent"], p["sent"] - len(track), str(track.clock)])
        table(f"five devices, {minutes:g} minutes", ["device", "sent", "lost", "clock"], rows)
        alignment(found, xdf, [d.name for d in made])


class LabTrack(Track):
    """A stream as LabRecorder writes it: offsets are those of LSL's round trips."""

    @functools.cached_property
    def local(self) -> Any:
        when, offset = self.round_trips.T
        return self.samples.raw + np.interp(self.samples.arrival, when, offset)


def as_lab_recorder(track: Track) -> LabTrack:
    return LabTrack(**{f.name: getattr(track, f.name) for f in dataclasses.fields(Track)})


def alignment(found: Recording, xdf: str, names: list[str]) -> None:
    """Greatest difference between any two streams at any event."""
    times = {n: find_pulses(found.track(n).time, found.track(n).channel("sync")) for n in names}
    count = min(map(len, times.values()))
    ours = np.stack([times[n][:count] for n in names], axis=1)
    _, left = align_events(found, dict.fromkeys(names, "sync"))
    theirs = xdf_events(xdf, names)
    rows = [
        ["ours, by arrivals alone", f"{1e3 * greatest_difference(ours):.3f}", spread(ours), later(ours)],
        ["ours, events aligned", f"{1e3 * greatest_difference(left):.3f}", spread(left), later(left)],
        ["pyxdf", f"{1e3 * greatest_difference(theirs):.3f}", spread(theirs), later(theirs)],
    ]
    table(f"{count} events seen by all: greatest difference between two streams [ms]",
          ["", "as it is", "less medians of all", "less those of the first two, at the others"], rows)  # fmt: skip


def spread(times: Any) -> str:
    """The same when each stream's median shift is taken off [ms]: what drift leaves."""
    off = times - np.nanmedian(times, axis=1, keepdims=True)
    return f"{1e3 * greatest_difference(off - np.nanmedian(off, axis=0)):.3f}"


def later(times: Any) -> str:
    """At all events but the first two, when each stream's shift at these two is taken off [ms]."""
    off = times - np.nanmedian(times, axis=1, keepdims=True)
    return f"{1e3 * greatest_difference(off[2:] - off[:2].mean(axis=0)):.3f}"


def xdf_events(path: str, names: list[str]) -> Any:
    """Times of the same events by pyxdf's own synchronisation and smoothing."""
    import pyxdf

    streams, _ = pyxdf.load_xdf(path, synchronize_clocks=True, dejitter_timestamps=True)
    times = []
    for name in names:
        stream = next(s for s in streams if s["info"]["name"][0] == name)
        times.append(find_pulses(np.asarray(stream["time_stamps"]), np.asarray(stream["time_series"])[:, -1]))
    count = min(map(len, times))
    return np.stack([t[:count] for t in times], axis=1)


# ------------------------------------------------------- kills


def chaos(kills: int, seconds: float = 2.5) -> None:
    """Recorders and devices killed at random moments: each file must open, and have lost a second at the most."""
    rng = random.Random(1)
    names = f"chaos{os.getpid()}"
    losses, gaps, failed, steps = [], 0, [], []
    lossy = ("--udp", "0", "--loss", "0.1", "--drift", "80", "--jitter", "5", "--seed", "3")
    keep = [Device("gaze", f"{names}-gaze", "--drift", "-100"), Device("plate", f"{names}-plate", *lossy)]
    keep = [device.ready() for device in keep]
    victim = Device("tracker", f"{names}-tracker").ready()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(kills):
            path = os.path.join(folder, f"{k}.mcap")
            record = [*COMMAND, "record", path, "--stream", keep[0].name, "--stream", victim.name,
                      "--udp", keep[1].address, "--quiet"]  # fmt: skip
            recorder = subprocess.Popen(record, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            assert recorder.stderr is not None
            for line in recorder.stderr:
                if f"{keep[0].name} [" in line and "recorded" in line:
                    break
            time.sleep(rng.uniform(0.0, seconds))
            if rng.random() < 0.3:  # a device, too, some time before
                victim.kill()
                time.sleep(rng.uniform(0.0, 0.5))
                victim = Device("tracker", f"{names}-tracker").ready()
            killed = time.monotonic()
            recorder.kill()
            recorder.wait()
            try:
                found = open_recording(path)
            except HitogataError as error:
                failed.append(str(error))
                continue
            track = next((t for t in found.tracks if t.stream.name == keep[0].name and len(t)), None)
            if track is not None:
                losses.append(killed - float(track.samples.arrival[-1]))
                steps.append(1e3 * float(np.abs(np.diff(track.time) - 1.0 / track.stream.rate).max(initial=0.0)))
            gaps += sum(len(t.gaps) for t in found.tracks)
            os.remove(path)
    for device in [*keep, victim]:
        device.kill()
    table(f"{kills} recorders killed at random moments, of datagrams a tenth lost, devices killed and started again",
          ["", "number"], [
              ["files that do not open", len(failed)], ["greatest loss at a kill [s]", f"{max(losses):.2f}"],
              ["gaps marked", gaps], ["greatest unevenness of time within a recording [ms]", f"{max(steps):.2f}"],
          ])  # fmt: skip
    for text in failed[:5]:
        print("  ", text)


# ------------------------------------------------------- restarts

RESTARTS = {"gaze": (0.3, 0.7), "tracker": (0.45,), "plate": (0.6,), "emg": ()}
"""When devices end and begin again, their clocks set back, as shares of the time; the plate is a socket device."""


def restarts(seconds: float) -> None:
    """Do events still fall together after devices began again, a tenth of the datagrams lost?"""
    names, begin = f"again{os.getpid()}", time.monotonic() + AHEAD
    events = np.arange(3.0, seconds - 2.0, 1.5)
    made = []
    for k, (kind, shares) in enumerate(RESTARTS.items()):
        words = [word for at in events for word in ("--pulse", f"{at:.3f}")]
        words += [word for share in shares for word in ("--restart", f"{share * seconds:.3f}")]
        words += ["--udp", "0", "--loss", "0.1"] if kind == "plate" else []
        made.append(Device(kind, f"{names}-{kind}", "--drift", str(DRIFTS[k]), "--jitter", str(JITTER), "--seconds",
                           str(seconds), "--begin", str(begin), "--clock-start", str(100.0 + 37 * k), "--seed", str(k),
                           *words))  # fmt: skip
    made = [device.ready() for device in made]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.mcap")
        record = [*COMMAND, "record", path, "--quiet"]
        record += [w for d in made for w in (("--udp", d.address) if d.address else ("--stream", d.name))]
        recorder = subprocess.Popen(record, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for device in made:
                device.ended(seconds + 2 * AHEAD)
            time.sleep(1.0)
            recorder.send_signal(signal.SIGINT)
            recorder.wait(60)
        finally:
            recorder.kill()
            for device in made:
                device.kill()
        found = open_recording(path)
    report_restarts(found, [d.name for d in made], len(events))


def report_restarts(found: Recording, names: list[str], count: int) -> None:
    """Tables: what was found of each device, and how far events lie apart."""
    times = {n: find_pulses(found.track(n).time, found.track(n).channel("sync")) for n in names}
    _, bare = shared_events(times)
    _, left = align_events(found, dict.fromkeys(names, "sync"))
    rows = []
    for name, (kind, shares) in zip(names, RESTARTS.items(), strict=True):
        track = found.track(name)
        away = sum(g.end - g.begin > 0.9 for g in track.gaps)
        rows.append([kind, len(shares), len(track.clock.segments) - 1, away, len(track.gaps), len(times[name])])
    table(f"{count} events; devices end and come back a second later with clocks set back",
          ["device", "restarts", "found", "gaps of a second", "gaps", "events seen"], rows)  # fmt: skip
    off = bare - np.nanmedian(bare, axis=1, keepdims=True)
    table("greatest difference between any two streams at any event [ms]", ["by arrivals", "by events"], [
        [f"{1e3 * greatest_difference(off):.3f}", f"{1e3 * greatest_difference(left):.3f}"],
    ])  # fmt: skip


# ------------------------------------------------------- damage


def damage(files: int) -> None:
    """Files with bytes changed, taken out or cut off: an error of ours, or what could be saved."""
    from hitogata.behaviour import Recorder, Stream, StreamKind
    from hitogata.behaviour.streams import Channel

    rng = np.random.default_rng(0)
    stream = Stream("s", StreamKind.OTHER, 100.0, tuple(Channel(f"c{k}", "m") for k in range(3)))
    counts = {"opened": 0, "opened in part": 0, "refused": 0, "crashed": 0}
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        good = os.path.join(folder, "good.mcap")
        with Recorder(good) as recorder:
            recorder.add(_Played(stream))
            time.sleep(1.5)
        write_recording(open_recording(good), os.path.join(folder, "good.xdf"))
        for suffix in (".mcap", ".xdf"):
            whole = np.frombuffer(pathlib.Path(folder, f"good{suffix}").read_bytes(), np.uint8)
            for _ in range(files // 2):
                path = pathlib.Path(folder, f"bad{suffix}")
                path.write_bytes(damaged(whole, rng).tobytes())
                begin = time.perf_counter()
                try:
                    found = open_recording(str(path))
                    for track in found.tracks:
                        assert len(track.time) == len(track)
                    counts["opened in part" if found.problems else "opened"] += 1
                except HitogataError:
                    counts["refused"] += 1
                except Exception as error:
                    counts["crashed"] += 1
                    print(f"  {suffix}: {type(error).__name__}: {error}")
                slowest = max(slowest, time.perf_counter() - begin)
    table(f"{files} damaged files, MCAP and XDF", list(counts), [[str(n) for n in counts.values()]])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  slowest {slowest:.2f} s; memory at most {most:.0f} MB")


class _Played:
    """An inlet that plays waves."""

    def __init__(self, stream: Any) -> None:
        self.stream, self._sent = stream, 0

    def receive(self, timeout: float = 0.2) -> Samples:
        time.sleep(0.1)
        k = np.arange(self._sent, self._sent + 10)
        self._sent += 10
        return Samples(k / 100.0, np.full(10, time.monotonic()), np.sin(k[:, None] * [0.1, 0.2, 0.3]).astype("<f4"))

    def round_trip(self, timeout: float = 2.0) -> None:
        return None

    def close(self) -> None:
        pass


def damaged(whole: Any, rng: Any) -> Any:
    """Bytes changed, taken out, doubled, or the end cut off."""
    data = whole.copy()
    for _ in range(rng.integers(1, 6)):
        at, length = rng.integers(0, max(len(data), 1)), int(rng.integers(1, 64))
        kind = rng.integers(0, 5)
        if kind == 0:
            data[at : at + length] = rng.integers(0, 256, len(data[at : at + length]))
        elif kind == 1:
            data = np.delete(data, np.s_[at : at + length])
        elif kind == 2:
            data = np.insert(data, at, data[at : at + length])
        elif kind == 3:
            data = data[: max(at, 1)]
        else:
            data[at : at + 8] = 255
    return data


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.behaviour")
    parser.add_argument("what", nargs="?", choices=("devices", "chaos", "restarts", "damage"))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--files", type=int, default=10000)
    known, _ = parser.parse_known_args(sys.argv[1:] if __name__ == "__main__" else [])
    if known.what is None:
        devices(0.7)
        chaos(5)
        restarts(20.0)
        damage(200)
        return
    {"devices": lambda: devices(known.minutes), "chaos": lambda: chaos(known.kills),
     "restarts": lambda: restarts(known.seconds), "damage": lambda: damage(known.files)}[known.what]()  # fmt: skip


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
