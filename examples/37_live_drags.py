"""A child moves a grown figure: eleven markers come over the network, links of the figure follow within their ranges.

python examples/37_live_drags.py --out out/live_drags
"""

import argparse
import dataclasses
import threading
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.behaviour import DatagramInlet, DatagramSender, TrackedStream, play
from hitogata.behaviour.sources import markers_source
from hitogata.capture import LiveDrags, MarkerSet, Tracked, scaled_figure
from hitogata.files import MarkerData
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.pictures import Camera, draw_figure

LED = {"hip": "pelvis", "back": "chest", "head": "head"} | {
    f"{name}_{side}": f"{link}_{side}"
    for side in ("left", "right")
    for name, link in (("hand", "hand"), ("elbow", "forearm"), ("knee", "shin"), ("heel", "foot"))
}


def child_walks(seconds: float) -> MarkerData:
    """Markers on somebody of 70 % of the figure's size, with short arms; at times a hand is not seen."""
    figure, walk = virtual_human(), sample_walk(strides=1 + int(seconds), rate=60.0)
    factors = np.array([[0.7 * (0.9 if "arm" in name else 1.0)] * 3 for name in figure.link_names])
    markers = MarkerSet.of(figure, {name: (link, (0.0, 0.0, 0.0)) for name, link in LED.items()})
    q = np.concatenate([0.7 * walk.q[:, :3], walk.q[:, 3:]], axis=1)  # its pelvis is lower, its steps are shorter
    places = markers.positions(scaled_figure(figure, factors), q) + [2.0, 1.0, 0.0]
    places[20:35, list(LED).index("hand_left")] = np.nan
    return MarkerData(tuple(LED), walk.time, 60.0, places)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/live_drags"))
    parser.add_argument("--seconds", type=float, default=1.5)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    source = markers_source(child_walks(options.seconds), "child")
    source = dataclasses.replace(source, stream=dataclasses.replace(source.stream, numbered=True))
    sender = DatagramSender(source.stream)
    device = threading.Thread(target=play, args=(source, lambda: sender), kwargs={"seconds": options.seconds})
    device.start()
    inlet = DatagramInlet("127.0.0.1", sender.port)
    tracked, figure = TrackedStream(inlet.stream), virtual_human()

    drags = LiveDrags(figure, {name: Tracked(link) for name, link in LED.items()})
    drags.puppet.place(sample_walk(strides=1).q[0])  # the pose in which the child begins
    poses, lost, spent, calibrated = [], set[str](), 0.0, False
    while device.is_alive() or not calibrated:
        samples = inlet.receive(0.1)
        for values in () if samples is None else samples.values:
            places, turns = tracked.read(values)
            begun = time.process_time()
            if not calibrated:
                for problem in drags.calibrate(places, turns):
                    print("!", problem)
                calibrated = True
            poses.append(drags.step(1 / 60, places, turns))
            spent += time.process_time() - begun
            lost |= set(drags.lost)
    inlet.close()
    off = max(place for place, _ in drags.residuals().values())
    print(f"the figure is {drags.size:.2f} times as large; {len(poses)} frames, {1e3 * spent / len(poses):.2f} ms each")
    print(f"lost for a while: {', '.join(sorted(lost)) or 'nothing'}; within {1e3 * off:.0f} mm of its targets")

    camera, sheet = Camera(azimuth=np.radians(-60), elevation=np.radians(8)), Sheet(figsize=(11, 4))
    ax = sheet.subplots()
    for k, i in enumerate(np.linspace(0, len(poses) - 1, 6).astype(int)):
        draw_figure(ax, figure, np.array([0, 0, *poses[i][2:]]), camera=camera, shift=(0.8 * k, 0.0))
    ax.set(aspect="equal", xlim=(-0.6, 4.6), ylim=(-0.2, 2.0), title="A figure led by markers of a smaller person")
    ax.set_axis_off()
    sheet.savefig(options.out / "led.png", dpi=100)
    assert off < 0.12
    assert 1.2 < drags.size < 1.7


if __name__ == "__main__":
    main()
