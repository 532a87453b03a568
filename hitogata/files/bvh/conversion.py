"""The same motion in another unit and with another axis up."""

from dataclasses import replace

import numpy as np

from hitogata.files.bvh.skeleton import Bvh, Channel, Up, positive


def converted_bvh(bvh: Bvh, *, scale: float | None = None, up: Up | None = None) -> Bvh:
    """A BVH file with other numbers for the same poses; angles are the same, about axes with other names.

    Args:
        bvh: the file.
        scale: length of the new unit [m]; None: as it was.
        up: axis that points up; None: as it was.
    """
    scale = bvh.scale if scale is None else positive(scale, "scale")
    up = bvh.up if up is None else up
    factor = bvh.scale / scale
    axes = [up.order[bvh.up.ours(axis)] for axis in range(3)]  # the new axis each old one becomes
    order = np.argsort(axes)

    def moved(vector: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = (np.array(vector)[order] * factor).tolist()
        return x, y, z

    def renamed(channel: Channel) -> Channel:
        return Channel("XYZ"[axes[channel.axis]] + channel.value[1:])

    joints = tuple(
        replace(it, offset=moved(it.offset), channels=tuple(map(renamed, it.channels)), ends=tuple(map(moved, it.ends)))
        for it in bvh.joints
    )
    shifts = [not channel.turns for it in bvh.joints for channel in it.channels]
    values = bvh.values * np.where(shifts, factor, 1.0)
    return replace(bvh, joints=joints, values=values, scale=scale, up=up, scale_guessed=False)
