"""Where figures come into a world, and states changed in parts."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hitogata.dynamics import integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind, State
from hitogata.figure.pose import FloatArray
from hitogata.sim.arguments import number, numbers
from hitogata.spatial import quat_multiply, quat_rotate


def placed(figure: Figure, state: State, at: Any, facing: Any) -> State:
    """A state turned about the vertical through the world's origin by `facing`, then moved by `at`.

    Built-in humans stand on the origin and look along x, so `at` is where they stand and `facing` where they look.

    Args:
        figure: with a free root.
        state: turned and moved.
        at: (x, y) or (x, y, z) [m]; None: not moved.
        facing: angle from x towards y [rad]; None: not turned.
    """
    if at is None and facing is None:
        return state
    if figure.links[0].joint.kind is not JointKind.FREE or figure.links[0].joint.parent_frame.position != (0, 0, 0):
        raise ArgumentError(
            f"at, facing: figure {figure.name!r} has no free root in the world's axes; its first joint says where it is"
        )
    move, turn = np.zeros(3), 0.0
    if at is not None:
        count = np.size(at) if np.size(at) in (2, 3) else 3
        move[:count] = numbers(at, count, "at")
    if facing is not None:
        turn = numbers([facing], 1, "facing")[0]
    about_z = np.array([math.cos(turn / 2), 0.0, 0.0, math.sin(turn / 2)])
    q, v = np.array(state.q, float), np.array(state.v, float)
    q[:3] = quat_rotate(about_z, q[:3]) + move
    q[3:7] = quat_multiply(about_z, q[3:7])
    v[:3], v[3:6] = quat_rotate(about_z, v[:3]), quat_rotate(about_z, v[3:6])
    return State(q, v)


def with_root(
    figure: Figure, state: State, position: Any, quat: Any, velocity: Any, angular_velocity: Any
) -> State:
    """A state whose free root is elsewhere, or moves otherwise; None: as it is."""
    if figure.links[0].joint.kind is not JointKind.FREE:
        raise ArgumentError(f"figure {figure.name!r} has no free root: set its joints")
    q, v = np.array(state.q, float), np.array(state.v, float)
    given = (q, slice(0, 3), position, "position"), (v, slice(3, 6), velocity, "velocity")
    for array, part, values, name in (*given, (v, slice(0, 3), angular_velocity, "angular_velocity")):
        if values is not None:
            array[part] = numbers(values, 3, name)
    if quat is not None:
        wanted = numbers(quat, 4, "quat")
        length = number(float(np.linalg.norm(wanted)), "quat: its length", positive=True)
        q[3:7] = wanted / length
    return State(q, v)


def with_joint(figure: Figure, state: State, joint: str, values: Any, rates: Any) -> State:
    """A state with other coordinates, or velocities, of one joint.

    Of a ball joint the coordinates are a quaternion, or three numbers: a rotation vector from its zero.
    """
    k = figure.joint_index(joint)
    kind, part, rows = figure.links[k].joint.kind, figure.q_slice(joint), figure.v_slice(joint)
    q, v = np.array(state.q, float), np.array(state.v, float)
    if kind is JointKind.FREE:
        raise ArgumentError(f"joint: {joint!r} is the free root: use set_root")
    if values is not None:
        if kind is JointKind.BALL and np.shape(values) == (3,):
            zero, turn = figure.neutral(), np.zeros(figure.nv)
            zero[part], turn[rows] = (1.0, 0.0, 0.0, 0.0), numbers(values, 3, f"joint {joint!r}")
            q[part] = integrate(figure, zero, turn)[part]
        else:
            q[part] = numbers(np.atleast_1d(values), part.stop - part.start, f"joint {joint!r}")
            if kind is JointKind.BALL:
                q[part] /= number(float(np.linalg.norm(q[part])), f"joint {joint!r}: length", positive=True)
    if rates is not None:
        v[rows] = numbers(np.atleast_1d(rates), rows.stop - rows.start, f"joint {joint!r}: rate")
    return State(q, v)


def with_joints(figure: Figure, state: State, joints: Mapping[str, Any]) -> State:
    """A state with other coordinates of several joints."""
    for joint, values in joints.items():
        state = with_joint(figure, state, joint, values, None)
    return state


def coordinates(figure: Figure, values: Any) -> FloatArray:
    """All coordinates, with quaternions of length 1."""
    q: FloatArray = figure.normalised(numbers(values, figure.nq, "q"))
    return q
