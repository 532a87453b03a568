"""Make the sample trial of `hitogata analyse sample`: markers and floor forces of a walk, with noise and gaps.

The walk of `library.samples` on the built-in legs, 6 % taller than the tables say and 68 kg.  The root's way is made
smooth; forces of the floor are what inverse dynamics leaves to the root, at a point within the foot, so that some
residual remains.

    python packaging/sample_trial.py
"""

from pathlib import Path

import numpy as np

import hitogata.pipeline.sample
from hitogata.capture import MarkerSet
from hitogata.dynamics import forward_kinematics, inverse_dynamics
from hitogata.dynamics.filters import spline_derivatives, zero_phase_lowpass
from hitogata.figure import velocities_of
from hitogata.figure.expansion import expansion_of
from hitogata.files import Axes, MarkerData, StorageTable, write_storage, write_trc
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.muscle import musculoskeletal_gait
from hitogata.pipeline.labels import MIDDLE, RIGHT
from hitogata.pipeline.stages.loads import y_up

STATURE, MASS, NOISE, GAPS = 1.741 * 1.06, 68.0, 0.001, 0.03
FOLDER = Path(hitogata.pipeline.sample.__file__).parent


def walk(figure):
    """Coordinates of the built-in legs."""
    human, motion = virtual_human(), sample_walk(strides=2)
    q = np.repeat(figure.neutral()[None], len(motion), axis=0)
    q[:, 0:3] = motion.q[:, 0:3]
    for side, name in (("r", "right"), ("l", "left")):
        at = {link: figure.q_starts[figure.link_index(f"{link}_{side}")] for link in ("femur", "tibia", "talus")}
        q[:, at["femur"] : at["femur"] + 4] = motion.q[:, human.q_slice(f"hip_{name}")]
        q[:, at["tibia"]] = np.abs(motion.q[:, human.q_slice(f"knee_{name}")][:, 0])
        ankle = motion.q[:, human.q_slice(f"ankle_{name}")]
        q[:, at["talus"]] = -2 * np.arctan2(ankle[:, 2], ankle[:, 0])
    return motion.time, q


def smooth(time, q):
    """Without what is faster than 4 Hz: harmonics of joint angles meet the floor with kinks."""
    longer, slow = zero_phase_lowpass(time, q, 4.0)
    slow = slow[np.searchsorted(longer, time[0] - 1e-9) :][: len(time)]
    for at in (3, 7, 16):
        slow[:, at : at + 4] /= np.linalg.norm(slow[:, at : at + 4], axis=1, keepdims=True)
    return slow


def soles(figure, q):
    """Heel and toe of each foot [m], shape (n, 2, 2, 3)."""
    poses = forward_kinematics(figure, q)
    ends = []
    for side in ("r", "l"):
        k = figure.link_index(f"foot_{side}")
        for at in ((-0.02, 0, -0.02), (0.2, 0, -0.02)):
            ends.append((poses.rotation[:, k] @ np.array(at)) + poses.position[:, k])
    return np.stack(ends, axis=1).reshape(-1, 2, 2, 3)


def main():
    figure = musculoskeletal_gait(stature=STATURE, mass=MASS).body
    time, q = walk(figure)
    low = soles(figure, q)[..., 2].min(axis=(1, 2))
    kernel = np.hanning(15) / np.hanning(15).sum()
    q[:, 2] -= np.convolve(np.pad(low, 7, mode="edge"), kernel, mode="valid")
    speed = np.polyfit(time, q[:, 0], 1)[0]
    stride = time[-1] / 2
    sway = np.sin(2 * np.pi * (time / stride + 0.05))
    q[:, 0], q[:, 1] = speed * time + 0.008 * np.sin(4 * np.pi * (time / stride + 0.08)), -0.025 * sway
    q = smooth(time, q)
    feet = soles(figure, q)

    plain = expansion_of(figure).plain
    v = velocities_of(plain, time, q)
    tau = np.asarray(inverse_dynamics(figure, q, v, spline_derivatives(time, v, time)[1]))
    turn = forward_kinematics(figure, q)
    force = np.einsum("nij,nj->ni", turn.rotation[:, 0], tau[:, 3:6])
    moment = np.einsum("nij,nj->ni", turn.rotation[:, 0], tau[:, :3]) + np.cross(turn.position[:, 0], force)
    centre = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / force[:, 2:]
    height = feet[..., 2].mean(axis=2)
    share = 1 / (1 + np.exp((height - height[:, ::-1]) / 0.004))
    share[share < 0.02] = 0
    share /= share.sum(axis=1, keepdims=True)
    columns, values = [], []
    for k, side in enumerate("rl"):
        heel, toe = feet[:, k, 0, :2], feet[:, k, 1, :2]
        along = toe - heel
        part = np.clip(((centre - heel) * along).sum(1) / (along**2).sum(1), 0, 1)
        point = np.pad(heel + part[:, None] * along, ((0, 0), (0, 1)))
        push = force * share[:, k : k + 1]
        for word, array in (("v", push), ("p", point * (share[:, k : k + 1] > 0))):
            columns += [f"ground_force_{side}_{word}{axis}" for axis in "xyz"]
            values.append(y_up(array))
    table = StorageTable(tuple(columns), time, np.round(np.concatenate(values, axis=1), 4), False, name="Floor forces")
    write_storage(table, FOLDER / "walk_grf.mot")

    size, rng = STATURE / 1.741, np.random.default_rng(17)
    places = {}
    for name, (bone, at) in RIGHT.items():
        for side, sign in (("r", 1), ("l", -1)):
            link = bone if bone == "pelvis" else f"{bone}_{side}"
            place = np.array(at) * [1, sign, 1] * size + rng.normal(0, 0.006, 3)
            places[side.upper() + name] = (link, place)
    for name, (bone, at) in MIDDLE.items():
        places[name] = (bone, np.array(at) * size)
    markers = MarkerSet.of(figure, places)
    seen = markers.positions(figure, q) + rng.normal(0, NOISE, (len(time), len(places), 3))
    for k in range(len(places)):
        if rng.random() < 0.5:
            begin = rng.integers(0, len(time) - 20)
            seen[begin : begin + rng.integers(5, int(GAPS * 10 * 20)), k] = np.nan
    data = MarkerData(markers.labels, time, 100.0, np.round(seen, 5), name="walk")
    write_trc(data, FOLDER / "walk.trc", axes=Axes.Y_UP_X_FORWARD)
    (FOLDER / "subject.toml").write_text(f"mass = {MASS}\nheight = {STATURE:.2f}\n")


main()
