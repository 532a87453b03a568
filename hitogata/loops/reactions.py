"""What virtual links do to the figure's own links and joints, and what compliant ones have stored."""

from typing import Any

import numpy as np

from hitogata.dynamics import GRAVITY, forward_kinematics
from hitogata.dynamics import joint_reactions as tree_reactions
from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Pose
from hitogata.loops.forward import Held, constrained_dynamics
from hitogata.loops.link_set import Links, links_of
from hitogata.loops.row_values import link_rows


def link_wrenches(links: Links, q: Any, held: Held) -> Array:
    """What virtual links do to the links of the figure.

    Args:
        links: the virtual links, with their figure.
        q: coordinates, shape (nq,) or (n, nq).
        held: their forces there, as from `constrained_dynamics`.

    Returns:
        [torque; force] on each link of the figure, about its origin in world axes, as `wrenches` of `inverse_dynamics`,
        shape (nlinks, 6) or (n, nlinks, 6) [N m, N].
    """
    figure = links_of(links).figure
    if not isinstance(held, Held) or held.links is not links:
        raise ArgumentError("held: expected what constrained_dynamics gave for these links")
    poses = forward_kinematics(figure, q)
    out = np.zeros((*poses.position.shape[:-1], 6))
    if held.wrenches.shape[:-2] != out.shape[:-2]:
        raise ArgumentError(f"held: expected the forces of {len(out)} states, got shape {held.wrenches.shape[:-2]}")
    for k, (_, link) in enumerate(links.links):
        a, own = figure.frame(link.child)
        place = poses.position[..., a, :] + poses.rotation[..., a, :, :] @ np.array((own @ link.child_pose).position)
        b, axes = _parent_axes(links, link.parent, link.parent_pose, poses)
        torque, force = (np.einsum("...ij,...j->...i", axes, held.wrenches[..., k, part])
                         for part in (slice(0, 3), slice(3, 6)))  # fmt: skip
        for index, sign in ((a, 1.0), (b, -1.0)):
            if index >= 0:
                arm = place - poses.position[..., index, :]
                out[..., index, :3] += sign * (torque + np.cross(arm, force))
                out[..., index, 3:] += sign * force
    return out


def _parent_axes(links: Links, parent: str | None, pose: Pose, poses: Any) -> tuple[int, Array]:
    """Index of the parent's link, -1: the world; and R_WP."""
    if parent is None:
        return -1, pose.rotation
    index, own = links.figure.frame(parent)
    axes: Array = poses.rotation[..., index, :, :] @ (own @ pose).rotation
    return index, axes


def joint_reactions(
    links: Links,
    q: Any,
    v: Any,
    tau: Any = None,
    *,
    wrenches: Any = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> Array:
    """The whole wrench each joint of the figure transmits while virtual links hold it.

    Of loops that hold more than they need, forces that no motion tells share the load as in `constrained_dynamics`.

    Args:
        links: the virtual links, with their figure.
        q: coordinates, shape (nq,) or (n, nq), such as those of a trajectory.
        v: velocities, shape (nv,) or (n, nv).
        tau: generalized forces [N m], [N], shape (nv,) or (n, nv); None: none.
        wrenches: external [torque; force] on each link, as for `forward_dynamics`.
        gravity: acceleration of gravity, world axes [m/s²].

    Returns:
        [torque; force] on each link [N m, N], world axes, torque about the origin of the joint's frame on the link, as
        of `dynamics.joint_reactions`, shape (nlinks, 6) or (n, nlinks, 6).
    """
    held = constrained_dynamics(links, q, v, tau, wrenches=wrenches, gravity=gravity)
    where = np.broadcast_to(q, (*held.vdot.shape[:-1], links.figure.nq))
    total = link_wrenches(links, where, held)
    if wrenches is not None:
        total = total + np.asarray(wrenches, np.float64)
    return tree_reactions(links.figure, where, v, held.vdot, wrenches=total, gravity=gravity)


def link_energy(links: Links, q: Any) -> Array:
    """Energy stored in virtual links: of a compliant one, Σ value²/(2 compliance) over its rows; of a rigid one, none.

    Args:
        links: the virtual links, with their figure.
        q: coordinates, shape (nq,) or (n, nq).

    Returns:
        Of every link [J], in the order of `links.handles`, shape (links,) or (n, links).
    """
    value = link_rows(links, q).value
    out = np.zeros((*value.shape[:-1], len(links)))
    for k, (handle, link) in enumerate(links.links):
        if not link.rigid:
            out[..., k] = (value[..., links.rows_of(handle)] ** 2).sum(axis=-1) / (2.0 * link.compliance)
    return out
