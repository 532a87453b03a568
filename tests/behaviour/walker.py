"""Legs that sway on two plates, with markers, forces and EMG."""

import functools

import numpy as np

from hitogata.behaviour import Channel, Stream, StreamKind
from hitogata.behaviour.live_emg import EmgChannels
from hitogata.behaviour.live_loads import plates_of
from hitogata.behaviour.live_pipeline import LiveBody
from hitogata.behaviour.sources import Source
from hitogata.capture import MarkerIk, MarkerSet
from hitogata.dynamics import forward_kinematics, integrate
from hitogata.muscle import musculoskeletal_gait

RATE = 100.0


def sway(figure, time):
    """Coordinates and what their rates are: every velocity its own sine."""
    v = np.zeros((len(time), figure.nv))
    for k in range(figure.nv):
        v[:, k] = (0.02 if k < 6 else 0.1) * np.sin(2 * np.pi * (0.5 * time + 0.13 * k))
    return np.stack([integrate(figure, figure.neutral(), each) for each in v])


@functools.cache
def legs():
    muscles = musculoskeletal_gait()
    figure = muscles.body
    places = {}
    for link in figure.links:
        if not link.name.startswith(("patella", "toes", "talus")):
            for j, point in enumerate(((0.05, 0.0, 0.02), (-0.03, 0.05, -0.05), (0.0, -0.06, 0.04))):
                places[f"{link.name}{j}"] = (link.name, point)
    markers = MarkerSet.of(figure, places)
    return muscles, markers


def sources(muscles, markers, seconds=2.0):
    figure = muscles.body
    time = np.arange(round(seconds * RATE)) / RATE
    poses = forward_kinematics(figure, sway(figure, time))
    links = np.asarray(markers.links)
    places = np.einsum("tmij,mj->tmi", poses.rotation[:, links], markers.places) + poses.position[:, links]
    channels = tuple(Channel(f"{label}.{axis}", "m") for label in markers.labels for axis in "xyz")
    seen = Source(Stream("markers", StreamKind.MARKERS, RATE, channels, numbered=True),
                  places.reshape(len(time), -1).astype("<f4"))  # fmt: skip
    fast = np.arange(round(seconds * 500)) / 500.0
    columns, names = [], []
    for side in "rl":
        foot = poses.position[:, figure.link_index(f"foot_{side}")].mean(axis=0)
        force = np.stack([0 * fast, 0 * fast, 350.0 + 40.0 * np.sin(fast)], axis=1)
        columns += [force, np.cross([foot[0], foot[1], 0.0], force)]
        names += [(f"{each}_{side}", "N" if each[0] == "f" else "Nm") for each in ("fx", "fy", "fz", "mx", "my", "mz")]
    plates = Source(Stream("plates", StreamKind.FORCE_PLATE, 500.0, tuple(Channel(*n) for n in names), numbered=True),
                    np.concatenate(columns, axis=1).astype("<f4"))  # fmt: skip
    rng = np.random.default_rng(0)
    emg = Source(Stream("emg", StreamKind.EMG, 1000.0, tuple(Channel(f"e{k}", "mV") for k in range(4)), numbered=True),
                 rng.normal(size=(round(seconds * 1000), 4)).astype("<f4"))  # fmt: skip
    return seen, plates, emg


def body_of(muscles, markers, plates):
    names = [m.name for m in muscles.muscles][:4]
    channels = {f"e{k}": name for k, name in enumerate(names)}
    emg = EmgChannels("emg", channels, dict.fromkeys(channels, 5.0))
    return LiveBody(MarkerIk(muscles.body, markers), muscles, plates_of(plates.stream), emg)
