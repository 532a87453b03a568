"""How late are joint angles, torques and muscle tensions behind the markers, and are they the offline answer?

    python -m benchmarks.behaviour_live [--seconds 30]

Three devices, each a process: the sample trial's markers at 100 Hz, two plates at 1 kHz, sixteen channels of EMG at
2 kHz; recorder and pipeline in this process, 110 muscles of the built-in legs.
"""

import argparse
import os
import pathlib
import signal
import sys
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.behaviour import Device
from benchmarks.timing import table
from hitogata.behaviour import Recorder, lsl_finder, open_recording
from hitogata.behaviour.live_emg import EmgChannels
from hitogata.behaviour.live_frame import LiveFrame
from hitogata.behaviour.live_loads import ForcePlate
from hitogata.behaviour.live_pipeline import LiveBody, LivePipeline, replay
from hitogata.capture import MarkerIk
from hitogata.files import read_storage, read_trc
from hitogata.muscle import LiveForces, musculoskeletal_gait
from hitogata.pipeline.labels import known_markers
from hitogata.pipeline.sample import sample_trial

STATURE, MASS = 1.741 * 1.06, 68.0
WINDOW = 14
"""Frames whose coordinates an answer depends on, and one more."""
SIX = ("fx", "fy", "fz", "mx", "my", "mz")


def plates_csv(path: pathlib.Path) -> None:
    """Forces of the sample trial as plates would send them: z up, moments about the world's origin."""
    grf = read_storage(sample_trial().with_name("walk_grf.mot"))
    columns, names = [grf.time], ["time"]
    for side in "rl":
        v, p = (np.stack([grf.column(f"ground_force_{side}_{what}{a}") for a in "xyz"], 1) for what in "vp")
        force, point = (np.stack([a[:, 0], -a[:, 2], a[:, 1]], 1) for a in (v, p))
        columns += [*force.T, *np.cross(point, force).T]
        names += [f"{each}_{side}" for each in SIX]
    np.savetxt(path, np.stack(columns, 1), delimiter=",", header=",".join(names), comments="")


def walker(names: str) -> LiveBody:
    """The built-in legs in the sample's size, its markers, plates and EMG."""
    muscles = musculoskeletal_gait(stature=STATURE, mass=MASS)
    figure: Any = muscles.body
    markers = known_markers(figure, read_trc(sample_trial()).labels)
    assert markers is not None
    plates = [ForcePlate(f"{names}-plates", tuple(f"{each}_{side}" for each in SIX)) for side in "rl"]  # type: ignore[arg-type]
    chosen = [m.name for m in muscles.muscles][:: len(muscles.muscles) // 16][:16]
    channels = {f"muscle{k + 1}": name for k, name in enumerate(chosen)}
    emg = EmgChannels(f"{names}-emg", channels, dict.fromkeys(channels, 0.6))
    return LiveBody(MarkerIk(figure, markers), muscles, plates, emg, markers=f"{names}-markers")


def run(seconds: float) -> None:
    """Play, record, and compare."""
    names = f"live{os.getpid()}"
    body = walker(names)
    with tempfile.TemporaryDirectory() as folder:
        csv = pathlib.Path(folder, "plates.csv")
        plates_csv(csv)
        made = [
            Device("emg", f"{names}-emg"),
            Device.of(str(csv), f"{names}-plates", "--kind", "force_plate", "--rate", "1000"),
            Device.of(str(sample_trial()), f"{names}-markers", "--kind", "markers", "--up", "y"),
        ]
        frames: list[LiveFrame] = []
        path = os.path.join(folder, "r.mcap")
        try:
            for device in made:
                device.ready()
            wanted = {device.name for device in made}
            with LivePipeline(body, told=frames.append) as pipeline:
                find = lsl_finder(lambda stream: stream.name in wanted)
                with Recorder(path, find=find, listener=pipeline.listen) as recorder:
                    while len(recorder.status) < 3 or not frames:
                        time.sleep(0.1)
                    for stage in pipeline.stages:  # what is compiled or begins
                        stage.forget()
                    time.sleep(seconds)
                    made[2].process.send_signal(signal.SIGINT)
                    time.sleep(0.5)
                    pipeline.settle()
                    status = pipeline.status
        finally:
            for device in made:
                device.kill()
        assert body.muscles is not None
        report(frames, status, replay(open_recording(path), body), LiveForces(body.muscles, body.options))


def report(frames: list[LiveFrame], status: Any, offline: list[LiveFrame], forces: LiveForces) -> None:
    """Tables."""
    load = os.getloadavg()[0]
    rows = [[s.name, s.done, s.dropped, s.failed, f"{1e3 * s.p50:.2f}", f"{1e3 * s.p99:.2f}"] for s in status]
    table(f"from a marker frame's arrival to the answer; load {load:.1f} on {os.cpu_count()} cores",
          ["stage", "frames", "dropped", "failed", "p50 ms", "p99 ms"], rows)  # fmt: skip
    live = {f.time: f for f in frames}
    there = np.array([f.time in live and not f.marks and not live[f.time].marks for f in offline])
    whole = np.convolve(there, np.ones(WINDOW), mode="full")[: len(there)] == WINDOW  # rates need those before, too
    pairs = [(live[f.time], f) for f, same in zip(offline, whole, strict=True) if same]
    marked = sum(bool(f.marks) for f in frames)

    def apart(what: Any) -> str:
        return f"{max(float(np.abs(what(a) - what(b)).max()) for a, b in pairs):.1e}"

    table(f"live beside offline: {len(pairs)} frames with the same inputs; {marked} marked live", ["", "greatest"], [
        ["coordinates [rad, m]", apart(lambda f: f.q)], ["torques [N m]", apart(lambda f: f.tau)],
        ["activations", apart(lambda f: f.muscles.activation)],
        ["activations, of all frames' coordinates and torques as they were live", f"{again(frames, forces):.1e}"],
    ])  # fmt: skip


def again(frames: list[LiveFrame], forces: LiveForces) -> float:
    """Greatest difference of activations when frames are solved again, the last one first."""
    worst = 0.0
    for f in reversed(frames):
        if f.q is None or f.v is None or f.tau is None or f.muscles is None:
            continue
        forces.forget()
        found = forces(f.q, f.v, f.tau, f.emg)
        worst = max(worst, float(np.abs(found.activation - f.muscles.activation).max()))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.behaviour_live")
    parser.add_argument("--seconds", type=float, default=6.0)
    known, _ = parser.parse_known_args(sys.argv[1:] if __name__ == "__main__" else [])
    run(known.seconds)


if __name__ == "__main__":
    main()
