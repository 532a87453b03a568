"""The joints of a MuJoCo body.

MuJoCo moves a body by all its joints in turn, each about an anchor and axis fixed in the body:

    X_PB(q) = X_PB(ref) · Π_k motion_k(q_k - ref_k)

A Joint has X_PB(q) = X_PF · motion(q) · X_MB.  So M sits at the anchor with the body's axes, and a reference value
`ref` turns F (and, for the second axis of a universal joint, M) back by it.  A body with several joints that are
together no Joint becomes a chain of links with one joint each, whose frames coincide at the reference.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from hitogata.figure import Joint, JointKind, Pose
from hitogata.figure.pose import IDENTITY, FloatArray
from hitogata.files.contents import Contents, listed
from hitogata.spatial import quat_exp

CROSSING_TOLERANCE = 1e-6
"""How far axes may miss each other and still cross [m]."""


class _Row(NamedTuple):
    """One MuJoCo joint."""

    name: str
    kind: str  # free, ball, slide, hinge
    anchor: FloatArray
    axis: FloatArray
    ref: float
    range: tuple[float, float] | None
    damping: float
    armature: float
    effort: float


def joints_of(
    model: Any, body: int, contents: Contents, *, merge_hinges: bool, passive_springs: bool = False
) -> list[Joint]:
    """The joints of a body, one or more, with frames, range, damping, armature and effort limit.

    Two hinges alike (damping, armature, effort limit) whose axes cross become a universal joint with the same
    coordinates; with `merge_hinges`, three hinges that cross become a ball joint.  Other sets of joints are returned
    one by one: each but the last needs a link of its own, whose frame coincides with the body's at the reference.
    With `passive_springs` the caller reads their stiffness.
    """
    place = Pose(tuple(model.body_pos[body]), tuple(model.body_quat[body]))  # X_PB at the reference
    first = int(model.body_jntadr[body])
    rows = [_row(model, j, contents, passive_springs) for j in range(first, first + int(model.body_jntnum[body]))]
    kinds = [row.kind for row in rows]
    if not rows:
        return [Joint(JointKind.FIXED, place)]
    alike = len({(row.damping, row.armature, row.effort) for row in rows}) == 1
    if kinds == ["hinge", "hinge"] and alike and _crossing(rows) is not None:
        return [_universal(rows, place, contents)]
    if merge_hinges and kinds == ["hinge"] * 3 and _crossing(rows) is not None:
        return [_ball(rows, place, contents)]
    return [_single(row, place if i == 0 else IDENTITY) for i, row in enumerate(rows)]


def _row(model: Any, j: int, contents: Contents, passive_springs: bool) -> _Row:
    from mujoco import mjtJoint

    kind = mjtJoint(int(model.jnt_type[j])).name.removeprefix("mjJNT_").lower()
    body = model.body(int(model.jnt_bodyid[j])).name
    name = model.joint(j).name
    label = name or f"(a {kind} joint of {body!r})"
    dof = int(model.jnt_dofadr[j])
    limits = model.jnt_range[j]
    range_ = (float(limits[0]), float(limits[1])) if model.jnt_limited[j] else None
    if kind == "ball" and range_ is not None:
        contents.leave("ball joint range", label)
        range_ = None
    effort = math.inf
    if model.jnt_actfrclimited[j]:
        low, high = (float(x) for x in model.jnt_actfrcrange[j])
        effort = max(abs(low), abs(high))
        if low != -high:
            contents.change(
                f"joint {listed([label])}: actuator force range {low:g}..{high:g} is -{effort:g}..{effort:g}"
            )
    for what, values in (
        ("joint stiffness", 0.0 if passive_springs else model.jnt_stiffness[j]),
        ("joint stiffness", getattr(model, "jnt_stiffnesspoly", np.zeros((model.njnt, 1)))[j]),
        ("joint frictionloss", model.dof_frictionloss[dof]),
        ("nonlinear joint damping", getattr(model, "dof_dampingpoly", np.zeros((model.nv, 1)))[dof]),
        ("joint margin", model.jnt_margin[j]),
    ):
        if np.any(values):
            contents.leave(what, label)
    return _Row(
        name,
        kind,
        model.jnt_pos[j].copy(),
        model.jnt_axis[j].copy(),
        float(model.qpos0[int(model.jnt_qposadr[j])]) if kind in ("hinge", "slide") else 0.0,
        range_,
        float(model.dof_damping[dof]),
        float(model.dof_armature[dof]),
        effort,
    )


def _turn(axis: FloatArray, angle: float) -> Pose:
    return Pose(quat=tuple(quat_exp(axis * angle)))


def _single(row: _Row, place: Pose) -> Joint:
    options: Any = {
        "damping": row.damping,
        "armature": row.armature,
        "effort_limit": row.effort,
        "name": row.name,
    }
    if row.kind == "free":
        return Joint(JointKind.FREE, rest=(*place.position, *place.quat), **options)
    at = Pose(tuple(row.anchor))
    if row.kind == "ball":
        return Joint(JointKind.BALL, place @ at, at, **options)
    options |= {"axis": tuple(row.axis), "range": row.range, "rest": (row.ref,)}
    if row.kind == "hinge":
        return Joint(JointKind.HINGE, place @ at @ _turn(row.axis, -row.ref), at, **options)
    return Joint(JointKind.SLIDER, place @ at @ Pose(tuple(-row.ref * row.axis)), at, **options)


def _universal(rows: list[_Row], place: Pose, contents: Contents) -> Joint:
    one, two = rows
    at = Pose(tuple(_crossing(rows)))  # type: ignore[arg-type]
    infinite = (-math.inf, math.inf)
    limited = one.range is not None or two.range is not None
    name = _joint_name(rows)
    contents.change(f"hinges {listed([one.name, two.name])} are the universal joint {name!r}")
    return Joint(
        JointKind.UNIVERSAL,
        place @ at @ _turn(one.axis, -one.ref),
        at @ _turn(two.axis, two.ref),
        axis=tuple(one.axis),
        axis2=tuple(two.axis),
        range=(one.range or infinite, two.range or infinite) if limited else None,
        rest=(one.ref, two.ref),
        damping=one.damping,
        armature=one.armature,
        effort_limit=one.effort,
        name=name,
    )


def _ball(rows: list[_Row], place: Pose, contents: Contents) -> Joint:
    at = Pose(tuple(_crossing(rows)))  # type: ignore[arg-type]
    name = _joint_name(rows)
    contents.change(f"hinges {listed([row.name for row in rows])} are the ball joint {name!r}")
    for row in rows:
        if row.range is not None:
            contents.leave("range of merged hinge", row.name)
    return Joint(JointKind.BALL, place @ at, at, name=name, **_shared(rows, contents))


def _shared(rows: list[_Row], contents: Contents) -> Any:
    """Damping, armature and effort limit of hinges that become one joint; the mean where they differ."""
    options = {}
    for option, field in (("damping", "damping"), ("armature", "armature"), ("effort_limit", "effort")):
        values = [getattr(row, field) for row in rows]
        options[option] = values[0] if len(set(values)) == 1 else sum(values) / len(values)
        if len(set(values)) > 1:
            each = ", ".join(f"{row.name!r} {value:g}" for row, value in zip(rows, values, strict=True))
            contents.change(f"{option} of {each} is {options[option]:g} for all")
    return options


def _joint_name(rows: list[_Row]) -> str:
    """'hip' of 'hip:1', 'hip:2'; else all names, with + between."""
    stems = {row.name.rpartition(":")[0] for row in rows}
    stem = stems.pop()
    return stem if stem and not stems else "+".join(row.name for row in rows if row.name)


def _crossing(rows: list[_Row]) -> FloatArray | None:
    """The point where the axes cross, nearest to all lines: Σ (1 - aaᵀ)(x - p) = 0; None if they miss it.

    None too if they are parallel, or three in one plane.
    """
    axes = np.array([row.axis for row in rows])
    if np.linalg.svd(axes, compute_uv=False)[-1] < 0.03:  # universal joints need |cos| < 0.999
        return None
    if all(np.array_equal(row.anchor, rows[0].anchor) for row in rows):
        return rows[0].anchor
    across = [np.eye(3) - np.outer(a, a) for a in axes]
    anchors = sum(m @ r.anchor for m, r in zip(across, rows, strict=True))
    point: FloatArray = np.linalg.solve(sum(across), anchors).astype(np.float64)
    misses = [np.linalg.norm(m @ (point - r.anchor)) for m, r in zip(across, rows, strict=True)]
    return point if max(misses) < CROSSING_TOLERANCE else None
