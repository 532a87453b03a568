"""Joint angles of a figure as a table, as a laboratory reads them.

Hinges and other joints of single coordinates have these.  Turns of ball joints are told by three angles about the
axes of the rest pose (x forward, y to the left, z up): the first turn is about an axis of the parent, the last about
the long axis of the child, the second about the axis square to both (Grood & Suntay 1983, J. Biomech. Eng. 105:136).
The first axis is

    y  where the child stands upright or hangs: flexion, adduction (or bending to the side), rotation;
    x  where it points to a side (an arm of a T pose): rotation x, z, y;
    y  where it points forward (a foot): rotation y, z, x.

The root is told by its place and by yaw, list and tilt, in this order, so that the way one walks does not change list
and tilt (Baker 2001, Hum. Mov. Sci. 20:655).
"""

import re
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, Joint, JointKind
from hitogata.figure.values import FloatArray
from hitogata.files import StorageTable

SEQUENCES = {2: "YXZ", 1: "XZY", 0: "YZX"}
"""Axes of the turns of ball joints, by the axis that the child lies along at rest."""


@dataclass(frozen=True)
class AngleRange:
    """Of a coordinate that is an angle: the ends that its joint has [°]."""

    name: str
    low: float
    high: float


def joint_angle_table(figure: Figure, time: FloatArray, q: FloatArray) -> StorageTable:
    """Joint angles over time [°]; places of the root and slides [m].

    Args:
        figure: whose they are.
        time: [s], shape (n,).
        q: its coordinates, shape (n, nq).
    """
    moving, rest = forward_kinematics(figure, q), forward_kinematics(figure, figure.neutral())
    columns: dict[str, FloatArray] = {}
    for k, link in enumerate(figure.links):
        joint, start = link.joint, figure.q_starts[k]
        if joint.kind is JointKind.FREE:
            columns |= _root(joint.name, moving.position[:, k], moving.rotation[:, k] @ rest.rotation[k].T)
        elif joint.kind is JointKind.BALL:
            parent = figure.parents[k]
            world = (np.eye(3), np.eye(3)) if parent < 0 else (moving.rotation[:, parent], rest.rotation[parent])
            now = np.swapaxes(world[0], -1, -2) @ moving.rotation[:, k]
            still = world[1].T @ rest.rotation[k]
            columns |= _ball(joint.name, world[1] @ now @ still.T @ world[1].T, *_at_rest(figure, k))
        else:
            for i, (name, turns) in enumerate(_coordinates(joint)):
                columns[name] = np.rad2deg(q[:, start + i]) if turns else q[:, start + i]
    values = np.stack(list(columns.values()), axis=1)
    return StorageTable(tuple(columns), time, values, True, name="Joint angles")


def angle_ranges(figure: Figure) -> list[AngleRange]:
    """Ranges of the figure's single angles; those of ball joints are no interval."""
    found = []
    for joint in (link.joint for link in figure.links):
        if joint.kind in (JointKind.FREE, JointKind.BALL) or joint.range is None:
            continue
        spans = np.rad2deg(np.array(joint.range, dtype=np.float64).reshape(-1, 2))
        found += [
            AngleRange(name, float(low), float(high))
            for (name, turns), (low, high) in zip(_coordinates(joint), spans, strict=True)
            if turns and np.isfinite(high - low)
        ]
    return found


def _coordinates(joint: Joint) -> list[tuple[str, bool]]:
    """Names of single coordinates, and whether they are angles."""
    if joint.kind is JointKind.FUNCTION:
        turning = {name for step in joint.steps if step.turn for name in step.coordinates}
        return [(name, name in turning) for name in joint.coordinates]
    names = [joint.name] if joint.nq == 1 else [f"{joint.name}[{i}]" for i in range(joint.nq)]
    if joint.kind is JointKind.COMPOUND:
        return [(name, screw.turn != 0.0) for name, screw in zip(names, joint.motions, strict=True)]
    return [(name, joint.kind is not JointKind.SLIDER) for name in names]


def _root(name: str, place: FloatArray, turn: FloatArray) -> dict[str, FloatArray]:
    yaw, roll, tilt = _angles("ZXY", turn)
    said = {f"{name}_{axis}": place[:, i] for i, axis in enumerate(("tx", "ty", "tz"))}
    return said | {f"{name}_tilt": tilt, f"{name}_list": roll, f"{name}_yaw": yaw}


def _at_rest(figure: Figure, k: int) -> tuple[FloatArray, float]:
    """Which way a link lies in the rest pose (to the joints it carries, or its centre of mass), and its y there [m]."""
    poses = forward_kinematics(figure, figure.neutral())
    below = [poses.position[j] for j, parent in enumerate(figure.parents) if parent == k]
    far = [at for at in below if np.linalg.norm(at - poses.position[k]) > 1e-6]
    if far:
        end: FloatArray = np.mean(far, axis=0)
    else:
        end = poses.position[k] + poses.rotation[k] @ np.asarray(figure.links[k].mass.centre)
    return end - poses.position[k], float(poses.position[k, 1])


def _ball(name: str, turn: FloatArray, along: FloatArray, side: float) -> dict[str, FloatArray]:
    name = re.sub(r"^femur_([rl])_joint$", r"hip_\1", name)  # the built-in body calls joints by their links
    axis = int(np.argmax(np.abs(along)))
    first, second, third = _angles(SEQUENCES[axis], turn)
    if axis != 2:
        letters = SEQUENCES[axis].lower()
        return dict(zip((f"{name}_{c}" for c in letters), (first, second, third), strict=True))
    flexion = first if along[2] > 0 else -first  # the far end goes forward
    if abs(side) < 1e-3:
        return {f"{name}_flexion": flexion, f"{name}_bending": second, f"{name}_rotation": third}
    inward = 1.0 if (side < 0) == (along[2] < 0) else -1.0  # the far end goes to the middle
    return {f"{name}_flexion": flexion, f"{name}_adduction": inward * second,
            f"{name}_rotation": third if side < 0 else -third}  # fmt: skip


def _angles(sequence: str, turn: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Turns about moving axes, one after the other, without jumps [°]."""
    found = Rotation.from_matrix(turn).as_euler(sequence)
    a, b, c = (np.rad2deg(np.unwrap(column)) for column in found.T)
    return a, b, c
