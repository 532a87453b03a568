"""The outward pass of RNEA and ABA: axes, angular velocities, and the accelerations that velocity alone brings.

From the root outwards, in world axes.  Both inverse and forward dynamics begin here; linear velocities are not needed,
since dynamics is the same in every frame that moves uniformly.
"""

from hitogata.dynamics.layout import BALL, FREE, HINGE, SLIDER
from hitogata.dynamics.placing import axis_of
from hitogata.lanes import inline, kernel, sincos
from hitogata.spatial import Motion, Vec3, cross, load3, load_rotation, turned_about_z


@kernel(inline=True)
def turn(joint, body, work, works, q, v):
    """Fill rot (R_WK), base (R_WF), arm (from the parent's origin), omega and drift of one body's record."""
    if joint.parent >= 0:
        parent = works[joint.parent]
        base, arm, omega = parent.rot @ body.rot, parent.rot @ body.pos, parent.omega
    else:
        base, arm, omega = body.rot, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    work.base = base
    work.arm = arm
    iq, iv = joint.iq, joint.iv
    if joint.kind == BALL:
        work.rot = base @ load_rotation(q, iq)
        work.omega, work.drift = turning(omega, arm, base @ load3(v, iv))
    elif joint.kind == HINGE:
        sin, cos = sincos(q[iq])
        work.rot = turned_about_z(base, sin, cos)
        work.omega, work.drift = turning(omega, arm, axis_of(base) * v[iv])
    elif joint.kind == SLIDER:
        work.rot = base
        work.omega = omega
        work.arm, work.drift = sliding(omega, arm, axis_of(base), q[iq], v[iv])
    elif joint.kind == FREE:
        work.rot = base @ load_rotation(q, iq + 3)
        work.omega = base @ load3(v, iv)
        work.drift = Motion(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))
    else:
        work.rot = base
        work.omega = omega
        work.drift = swinging(omega, arm)


@inline
def turning(omega, arm, rate):
    """Angular velocity and drift of a body on a parent that turns with omega, itself turning at a rate against it."""
    return omega + rate, Motion(cross(omega, rate), cross(omega, cross(omega, arm)))


@inline
def sliding(omega, arm, axis, distance, rate):
    """Arm and drift of a body that has slid along an axis of its parent."""
    arm = arm + axis * distance
    coriolis = cross(omega, axis) * (rate * 2.0)
    return arm, Motion(Vec3(0.0, 0.0, 0.0), cross(omega, cross(omega, arm)) + coriolis)


@inline
def swinging(omega, arm):
    """Drift of a body that is fixed to its parent."""
    return Motion(Vec3(0.0, 0.0, 0.0), cross(omega, cross(omega, arm)))


@inline
def standing(gravity):
    """Standing still in gravity feels like accelerating against it."""
    return Motion(Vec3(0.0, 0.0, 0.0), gravity * -1.0)


@inline
def carried(parent, arm, drift):
    """Acceleration of a body whose joint does nothing, from its parent's."""
    return Motion(parent.ang + drift.ang, parent.lin + cross(parent.ang, arm) + drift.lin)
