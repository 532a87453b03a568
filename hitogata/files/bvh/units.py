"""The unit of a BVH file: the format does not say it, the size of the skeleton does."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hitogata.files.bvh.skeleton import Bvh, BvhJoint, Up
from hitogata.files.names import Naming, Part, Side

UNITS = {"cm": 0.01, "m": 1.0, "mm": 0.001, "inch": 0.0254, "CMU unit": 0.0254 / 0.45}
"""Lengths of the units in use [m]; the Carnegie Mellon motions are in inches times 0.45."""

LEG = 0.83
"""From hip to ankle, of an adult [m]."""

SIZE = 1.4
"""Largest extent of a figure that is not known to be human [m]."""

CLEAR = 1.45
"""A guess is clear if the leg it gives is off by less than this factor."""


class Guess(NamedTuple):
    """A unit, and how sure it is."""

    scale: float
    clear: bool
    text: str


def leg_length(joints: Sequence[BvhJoint], naming: Naming) -> float | None:
    """From hip to ankle along the bones, mean of both sides, in the file's unit; None if the names are not known."""
    index = {joint.name: i for i, joint in enumerate(joints)}
    lengths = []
    for side in (Side.LEFT, Side.RIGHT):
        hip, ankle = naming.first(Part.THIGH, side), naming.first(Part.FOOT, side)
        if hip is None or ankle is None:
            return None
        length, at = 0.0, index[ankle]
        while at != index[hip]:
            length += math.hypot(*joints[at].offset)
            at = joints[at].parent
            if at < 0:
                return None
        lengths.append(length)
    mean = sum(lengths) / 2
    return mean if mean > 0 else None


def guess_unit(joints: Sequence[BvhJoint], naming: Naming) -> Guess:
    """The unit in which legs are as long as an adult's; of other skeletons, the one that makes them about a metre."""
    leg = leg_length(joints, naming)
    size = leg or _extent(joints)
    if size <= 0:
        return Guess(UNITS["cm"], False, "cm (the skeleton has no size to guess it from)")
    target = LEG if leg else SIZE
    name = min(UNITS, key=lambda unit: abs(math.log(size * UNITS[unit] / target)))
    found = size * UNITS[name]
    clear = leg is not None and 1 / CLEAR < found / target < CLEAR
    what = "from hip to ankle" if leg else "in its largest extent"
    return Guess(UNITS[name], clear, f"{name} ({UNITS[name]:g} m), which makes the skeleton {found:.2f} m {what}")


def doubts(bvh: Bvh, naming: Naming, line: int) -> list[str]:
    """What looks as if it were in another unit than the format's or the rest of the file; frames begin in `line`."""
    found = []
    turning = [bvh.starts[i] + k for i, joint in enumerate(bvh.joints) for k, c in enumerate(joint.channels) if c.turns]
    largest = float(np.abs(bvh.values[:, turning]).max(initial=0.0))
    if bvh.nframes > 1 and len(turning) >= 9 and 0.3 < largest <= 2 * math.pi:
        found.append(f"no rotation exceeds {largest:.2f}: BVH has degrees, these (line {line} on) look like radians")
    leg = leg_length(bvh.joints, naming)
    root = bvh.joints[0]
    if leg and len(root.positions) == 3 and bvh.nframes:
        height = float(np.median(bvh.translations(0)[:, bvh.up.value]))
        if abs(height) > 20 * leg or 1e-6 * leg < abs(height) < leg / 30:
            found.append(f"the root is {height:.3g} units high (line {line} on), but a leg is {leg:.3g} units long: "
                         "positions and offsets look as if they were in different units; say that of the positions "
                         f"with position_scale={_unit_of_positions(abs(height), leg * bvh.scale)}")  # fmt: skip
        upright = _standing_axis(bvh, naming)
        if upright is not None and upright is not bvh.up:
            found.append(f"the figure mostly stands along {upright.name.lower()}: is it up=Up.{upright.name}?")
    return found


def _unit_of_positions(height: float, leg: float) -> str:
    """The unit in which a root is about a leg [m] above the ground, if there is one."""
    name = min(UNITS, key=lambda unit: abs(math.log(height * UNITS[unit] / leg)))
    return f"{UNITS[name]:g}" if 1 / CLEAR < height * UNITS[name] / leg < CLEAR else ""


def _standing_axis(bvh: Bvh, naming: Naming) -> Up | None:
    """The axis from the feet to the head, mean over some frames; None if it is not clear."""
    from hitogata.files.bvh.poses import bvh_poses

    head = naming.first(Part.HEAD)
    feet = [naming.first(Part.FOOT, side) for side in (Side.LEFT, Side.RIGHT)]
    if head is None or None in feet:
        return None
    some = bvh_poses(bvh, slice(None, None, max(1, bvh.nframes // 50))).position
    ends = [some[:, bvh.index(name)] for name in (head, *feet) if name is not None]
    mean = (ends[0] - (ends[1] + ends[2]) / 2).mean(axis=0)
    share = np.abs(mean) / max(float(np.linalg.norm(mean)), 1e-30)
    axis = int(share.argmax())
    return Up(bvh.up.order[axis]) if share[axis] > 0.9 else None


def _extent(joints: Sequence[BvhJoint]) -> float:
    """Largest extent of the skeleton at rest, along an axis of the file."""
    places = np.zeros((len(joints), 3))
    ends = []
    for i, joint in enumerate(joints):
        if joint.parent >= 0:
            places[i] = places[joint.parent] + joint.offset
        ends += [places[i] + end for end in joint.ends]
    every = np.concatenate([places, np.reshape(ends, (-1, 3))])
    return float(np.ptp(every, axis=0).max())
