"""Eight hours of five devices through the recorder, as fast as it takes them: memory, and how true the clocks are.

    python -m benchmarks.behaviour_hours [--hours 8]

Devices are simulated in this process, without a network: their samples come in simulated time, chunks of 10 ms each
0.2 to 5.2 ms late, by clocks that drift.  The recorder, its live clocks and its file are real.
"""

import argparse
import os
import resource
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np

from benchmarks.timing import table
from hitogata.behaviour import Recorder, Samples, Stream, fit_clock, sample_source

DRIFTS = {"markers": 100.0, "plate": -100.0, "gaze": 60.0, "emg": -60.0, "tracker": 87.0}
"""Of the devices' clocks [ppm]."""
BLOCK, CHUNK = 0.5, 0.01
"""Simulated seconds that an inlet gives at once, and that a device sends at once."""
WAITING = 4 << 20
"""Devices pause while so much waits for the disk [bytes]."""
BEGIN = 1000.0
"""Simulated time at the beginning [s]."""


class Simulated:
    """An inlet whose samples come in simulated time."""

    recorder: Recorder

    def __init__(self, kind: str, length: float, seed: int) -> None:
        source = sample_source(kind)
        self.stream: Stream = source.stream
        self.values = source.values
        self.drift = 1e-6 * DRIFTS[kind]
        self.block = round(BLOCK * self.stream.rate)
        self.chunk = max(1, round(CHUNK * self.stream.rate))
        self.count = round(length * self.stream.rate)
        self.rng = np.random.default_rng(seed)
        self.sent = 0
        self.last = 0.0
        self.over = threading.Event()

    def true(self, raw: Any) -> Any:
        """When samples with these stamps were taken."""
        return BEGIN + (raw - 5.0) / (1.0 + self.drift)

    def receive(self, timeout: float) -> Samples | None:
        """The next samples."""
        if self.sent >= self.count:
            self.over.set()
            time.sleep(timeout)
            return None
        while self.recorder.waiting > WAITING:
            time.sleep(0.01)
        k = np.arange(self.sent, self.sent + self.block)
        raw = 5.0 + k / self.stream.rate
        true = self.true(raw)
        ends = true[np.minimum(np.arange(len(k)) // self.chunk * self.chunk + self.chunk - 1, len(k) - 1)]
        late = np.repeat(self.rng.uniform(2e-4, 5.2e-3, -(-len(k) // self.chunk)), self.chunk)[: len(k)]
        arrival = np.maximum.accumulate(np.maximum(ends + late, self.last))
        self.sent, self.last = self.sent + len(k), float(arrival[-1])
        return Samples(raw, arrival, self.values[k % len(self.values)])

    def round_trip(self, timeout: float) -> None:
        """None."""

    def close(self) -> None:
        """Nothing."""


class Heard:
    """What live stamps are off, and of each block its first stamp and arrival."""

    def __init__(self, inlet: Simulated, blocks: int) -> None:
        self.inlet, self.at = inlet, 0
        self.off = np.full(blocks, np.nan, np.float32)
        self.pairs = np.empty((blocks, 2))

    def take(self, samples: Samples) -> None:
        assert samples.local is not None
        self.off[self.at] = np.abs(samples.local - self.inlet.true(samples.raw)).max()
        k = int((samples.arrival - samples.raw).argmin())
        self.pairs[self.at] = samples.raw[k], samples.arrival[k]
        self.at += 1


def run(hours: float) -> None:
    """Record, and watch memory."""
    length = 3600.0 * hours
    inlets = {kind: Simulated(kind, length, k) for k, kind in enumerate(DRIFTS)}
    heard = {inlet.stream.key: Heard(inlet, round(length / BLOCK) + 1) for inlet in inlets.values()}
    for each in heard.values():  # what this benchmark itself takes is there from the beginning
        each.off[:], each.pairs[:] = np.nan, 0.0
    sizes: list[tuple[float, float]] = []
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.mcap")
        with Recorder(path, listener=lambda stream, samples: heard[stream.key].take(samples)) as recorder:
            for inlet in inlets.values():
                inlet.recorder = recorder
                recorder.add(inlet)
            while not all(inlet.over.is_set() for inlet in inlets.values()):
                time.sleep(0.5)
                sizes.append((min(i.sent / i.count for i in inlets.values()), memory()))
            status = dict(recorder.status)
        took, size = time.perf_counter() - begun, os.path.getsize(path)
    early = max(mb for share, mb in sizes if share <= max(0.02, sizes[0][0]))
    print(f"{hours:g} h in {took:.0f} s; {size / 1e9:.2f} GB; memory [MB] after 2 %: {early:.0f}, greatest later: "
          f"{max(mb for _, mb in sizes):.0f}, at the end: {sizes[-1][1]:.0f}")  # fmt: skip
    rows = []
    for kind, inlet in inlets.items():
        own, state = heard[inlet.stream.key], status[f"/{inlet.stream.name}"]
        off, pairs = 1e3 * own.off[: own.at], own.pairs[: own.at]
        eighth = len(off) // 8
        whole = fit_clock(pairs[:, 0], pairs[:, 1]).local(pairs[:, 0]) - inlet.true(pairs[:, 0])
        rows.append([kind, inlet.sent, inlet.sent - state.written, state.jumps,
                     f"{off[round(60 / BLOCK) :].max():.3f}", f"{np.median(off[eighth : 2 * eighth]):.3f}",
                     f"{np.median(off[-eighth:]):.3f}", f"{1e3 * np.abs(whole).max():.3f}"])  # fmt: skip
    table(f"{hours:g} hours, drifts of {', '.join(f'{d:+g}' for d in DRIFTS.values())} ppm, samples 0.2 to 5.2 ms late",
          ["stream", "samples", "not in the file", "false restarts", "live: greatest error after 1 min [ms]",
           "median, 2nd eighth", "median, last eighth", "afterwards: greatest [ms]"], rows)  # fmt: skip


def memory() -> float:
    """Of this process now [MB]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / (1 << 20)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.behaviour_hours")
    parser.add_argument("--hours", type=float, default=0.1)
    known, _ = parser.parse_known_args(sys.argv[1:] if __name__ == "__main__" else [])
    run(known.hours)


if __name__ == "__main__":
    main()
