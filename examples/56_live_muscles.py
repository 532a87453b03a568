"""Live: markers → joint angles → torques → muscle tensions, from two simulated devices; and the same offline.

    python examples/56_live_muscles.py
"""

import argparse
import threading
import time
from pathlib import Path

import numpy as np

from hitogata.behaviour import (
    Channel,
    DatagramInlet,
    DatagramSender,
    Recorder,
    Stream,
    StreamKind,
    open_recording,
    play,
)
from hitogata.behaviour.live_loads import plates_of
from hitogata.behaviour.live_pipeline import LiveBody, LivePipeline, LiveSettings, replay
from hitogata.behaviour.sources import Source
from hitogata.capture import MarkerIk, MarkerSet
from hitogata.dynamics import forward_kinematics, integrate
from hitogata.muscle import musculoskeletal_gait

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--out", default="out", help="folder of the recording")
arguments = parser.parse_args()

muscles = musculoskeletal_gait()
legs = muscles.body
markers = MarkerSet.of(legs, {
    f"{link.name}{k}": (link.name, point)
    for link in legs.links if not link.name.startswith(("patella", "toes", "talus"))
    for k, point in enumerate(((0.05, 0.0, 0.02), (-0.03, 0.05, -0.05), (0.0, -0.06, 0.04)))
})  # fmt: skip

# A device that sees the markers of legs that sway, and one with a plate under each foot.
t = np.arange(200) / 100.0
sway = 0.05 * np.sin(np.pi * t[:, None] + np.arange(legs.nv))
poses = forward_kinematics(legs, np.stack([integrate(legs, legs.neutral(), v) for v in sway]))
places = np.einsum("tmij,mj->tmi", poses.rotation[:, markers.links], markers.places) + poses.position[:, markers.links]
names = [Channel(f"{label}.{axis}", "m") for label in markers.labels for axis in "xyz"]
seen = Source(Stream("markers", StreamKind.MARKERS, 100.0, tuple(names), numbered=True),
              places.reshape(len(t), -1).astype("<f4"))  # fmt: skip
columns, channels = [], []
for side in "rl":
    foot = poses.position[:, legs.link_index(f"foot_{side}")].mean(axis=0)
    force = np.tile([0.0, 0.0, 350.0], (1000, 1))
    columns += [force, np.cross([foot[0], foot[1], 0.0], force)]
    channels += [Channel(f"{x}_{side}", "N" if x[0] == "f" else "Nm") for x in ("fx", "fy", "fz", "mx", "my", "mz")]
pushed = Source(Stream("plates", StreamKind.FORCE_PLATE, 500.0, tuple(channels), numbered=True),
                np.concatenate(columns, axis=1).astype("<f4"))  # fmt: skip

body = LiveBody(MarkerIk(legs, markers), muscles, plates_of(pushed.stream))
senders = [DatagramSender(s.stream) for s in (pushed, seen)]
players = [threading.Thread(target=play, args=(source, lambda sender=sender: sender), kwargs={"seconds": 2.0})
           for source, sender in zip((pushed, seen), senders, strict=True)]  # fmt: skip
folder = Path(arguments.out)
folder.mkdir(parents=True, exist_ok=True)
path = folder / f"live-{time.strftime('%H%M%S')}.mcap"
with LivePipeline(body, LiveSettings(patience=0.05)) as pipeline:
    for player in players:
        player.start()
    inlets = [DatagramInlet("127.0.0.1", sender.port) for sender in senders]
    with Recorder(str(path), inlets=inlets, listener=pipeline.listen):
        for player in players:
            player.join()
        time.sleep(0.2)
        pipeline.settle()
    print(pipeline)  # of each stage the median and the 99th percentile of the time since the markers came
    newest = pipeline.newest
frames = replay(open_recording(str(path)), body)
busiest = np.argsort(-newest.muscles.force)[:3]
for k in busiest:
    print(f"{muscles.muscles[k].name}: {newest.muscles.force[k]:.0f} N")
print(f"the same offline: {len(frames)} frames")
print(f"wrote {path}")
