"""The outward pass of RNEA and ABA: axes, angular velocities, and the accelerations that velocity alone brings.

From the root outwards, in world axes.  Both inverse and forward dynamics begin here; linear velocities are not needed,
since dynamics is the same in every frame that moves uniformly.
"""

from hitogata.dynamics.joints import driven, slid, turned
from hitogata.dynamics.world_kinematics import at_rest
from hitogata.lanes import inline, kernel
from hitogata.spatial import Motion, Vec3, cross


@kernel(inline=True)
def turn(joint, body, work, works, q, v):
    """Fill rot (R_WK), base (R_WF), arm (from the parent's origin), omega and drift of one body's record."""
    if joint.parent >= 0:
        parent = works[joint.parent]
        base, arm, omega = parent.rot @ body.rot, parent.rot @ body.pos, parent.omega
    else:
        base, arm, omega = body.rot, Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    work.base = base
    work.rot = turned(joint, body, base, q)
    rate = driven(joint, body, work, v, at_rest())
    work.omega = omega + rate.ang
    if joint.slides == 1:
        arm = arm + slid(joint, body, base, q)
        work.drift = sliding(omega, arm, rate)
    else:
        work.drift = swinging(omega, arm, rate)
    work.arm = arm


@inline
def swinging(omega, arm, rate):
    """Drift of a body on a parent that turns with omega, itself turning at a rate against it."""
    return Motion(cross(omega, rate.ang), cross(omega, cross(omega, arm)))


@inline
def sliding(omega, arm, rate):
    """The same of a body that slides as well."""
    return Motion(cross(omega, rate.ang), cross(omega, cross(omega, arm)) + cross(omega, rate.lin) * 2.0)


@inline
def standing(gravity):
    """Standing still in gravity feels like accelerating against it."""
    return Motion(Vec3(0.0, 0.0, 0.0), gravity * -1.0)


@inline
def carried(parent, arm, drift):
    """Acceleration of a body whose joint does nothing, from its parent's."""
    return Motion(parent.ang + drift.ang, parent.lin + cross(parent.ang, arm) + drift.lin)
