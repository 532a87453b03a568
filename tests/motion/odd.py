"""BVH files of odd structure, made from a walk with known steps: the same motion, told another way."""

from dataclasses import replace

import numpy as np

from hitogata.files import bvh_from_trajectory
from hitogata.files.bvh import Bvh, BvhJoint
from hitogata.files.bvh.skeleton import POSITIONS, ROTATIONS
from hitogata.library import human40
from tests.motion.steps import stepping_walk

MOTIONBUILDER = {
    "pelvis": "Hips", "chest": "Spine", "head": "Head", "thigh_left": "LeftUpLeg", "shin_left": "LeftLeg",
    "foot_left": "LeftFoot", "upper_arm_left": "LeftArm", "forearm_left": "LeftForeArm", "hand_left": "LeftHand",
    "thigh_right": "RightUpLeg", "shin_right": "RightLeg", "foot_right": "RightFoot", "upper_arm_right": "RightArm",
    "forearm_right": "RightForeArm", "hand_right": "RightHand",
}  # fmt: skip


def walk_bvh(**options) -> Bvh:
    """The stepping walk of human40 as a file with MotionBuilder's names."""
    figure = human40()
    motion, _ = stepping_walk(figure, **options)
    return renamed(bvh_from_trajectory(motion, figure), MOTIONBUILDER)


def renamed(bvh: Bvh, names: dict[str, str]) -> Bvh:
    return replace(bvh, joints=tuple(replace(it, name=names.get(it.name, it.name)) for it in bvh.joints))


def below_a_fixed_root(bvh: Bvh) -> Bvh:
    """A root that stands still, and the hips with all six channels below it."""
    root = BvhJoint("Reference", -1, (0.0, 0.0, 0.0), (*POSITIONS, *ROTATIONS), ())
    joints = (root, *(replace(it, parent=it.parent + 1) for it in bvh.joints))
    return replace(bvh, joints=joints, values=np.hstack([np.zeros((bvh.nframes, 6)), bvh.values]))


def without(bvh: Bvh, names: set[str]) -> Bvh:
    """The file without some joints and all behind them; their parents end where they began."""
    keep, index = [], {}
    for i, it in enumerate(bvh.joints):
        if it.name not in names and (it.parent < 0 or it.parent in index):
            index[i] = len(keep)
            keep.append(i)
    joints = []
    for i in keep:
        it = bvh.joints[i]
        lost = tuple(bvh.joints[k].offset for k, parent in enumerate(bvh.parents) if parent == i and k not in index)
        joints.append(replace(it, parent=index.get(it.parent, -1), ends=it.ends + lost))
    columns = [c for i in keep for c in range(bvh.starts[i], bvh.starts[i] + len(bvh.joints[i].channels))]
    return replace(bvh, joints=tuple(joints), values=bvh.values[:, columns])


def with_positions_everywhere(bvh: Bvh) -> Bvh:
    """Every joint has position channels, which hold its offset."""
    joints, columns = [], []
    for i, it in enumerate(bvh.joints):
        part = bvh.values[:, bvh.starts[i] : bvh.starts[i] + len(it.channels)]
        if not it.positions:
            it = replace(it, channels=(*POSITIONS, *it.channels))
            part = np.hstack([np.tile(it.offset, (bvh.nframes, 1)), part])
        joints.append(it)
        columns.append(part)
    return replace(bvh, joints=tuple(joints), values=np.hstack(columns))


def with_split(bvh: Bvh, name: str, new: str) -> Bvh:
    """A joint more, half way to a joint, which does not turn: an extra vertebra or collar bone."""
    at = bvh.index(name)
    it = bvh.joints[at]
    half = tuple(x / 2 for x in it.offset)
    extra = BvhJoint(new, it.parent, half, ROTATIONS, ())
    moved = [replace(k, parent=k.parent + (k.parent >= at)) for k in bvh.joints]
    moved[at] = replace(moved[at], parent=at, offset=half)
    column = bvh.starts[at]
    values = np.insert(bvh.values, [column] * 3, 0.0, axis=1)
    return replace(bvh, joints=(*moved[:at], extra, *moved[at:]), values=values)


def with_calibration(bvh: Bvh, pose: np.ndarray | None = None, frames: int = 1) -> Bvh:
    """The file's rest pose (or another row of values) before the motion, at the first frame's place."""
    row = np.zeros(bvh.nchannels) if pose is None else pose.copy()
    for k, channel in enumerate(bvh.joints[0].channels):
        if not channel.turns and pose is None:
            row[k] = bvh.values[0, k]
    return replace(bvh, values=np.vstack([np.tile(row, (frames, 1)), bvh.values]))

