"""Two devices with clocks of their own, recorded together: force plates and a tracker, over UDP.

Real devices are processes on other computers; here they are two threads that send over the network all the same.
"""

import argparse
import pathlib
import threading
import time

from hitogata.behaviour import (
    DatagramInlet,
    DatagramSender,
    Faults,
    Recorder,
    align_events,
    greatest_difference,
    open_recording,
    play,
    sample_source,
    with_pulses,
)  # fmt: skip

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="out/behaviour")
parser.add_argument("--seconds", type=float, default=4.0)
options = parser.parse_args()
out = pathlib.Path(options.out) / "walk.mcap"
out.parent.mkdir(parents=True, exist_ok=True)
out.unlink(missing_ok=True)

claps = tuple(0.6 + 0.7 * k for k in range(int(options.seconds)))
senders, threads = [], []
for name, drift in (("plate", 100.0), ("tracker", -100.0)):
    source = with_pulses(sample_source(name, numbered=True), claps)
    sender = DatagramSender(source.stream)
    faults = Faults(drift=drift, jitter=0.005)
    senders.append(sender)
    threads.append(threading.Thread(target=play, args=(source, lambda s=sender: s, faults),
                                    kwargs={"seconds": options.seconds}))  # fmt: skip

for thread in threads:
    thread.start()
with Recorder(str(out), inlets=[DatagramInlet("127.0.0.1", s.port) for s in senders], said=print):
    for thread in threads:
        thread.join()
    time.sleep(0.3)

recording = open_recording(str(out))
print(recording)
recording, left = align_events(recording, {t.topic: "sync" for t in recording.tracks})
print(f"{len(left)} claps; after them the streams agree to {1e3 * greatest_difference(left):.3f} ms")
