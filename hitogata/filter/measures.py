"""How good a filtered motion is: physics by an independent way, contact conditions, ranges, closeness."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from hitogata.dynamics import difference, forward_kinematics, inverse_dynamics
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.filter.body import GRAVITY
from hitogata.filter.ranges import beyond, joint_ranges
from hitogata.filter.reference import Demand
from hitogata.filter.settings import FrameStatus
from hitogata.filter.soles import find_soles
from hitogata.motion.foot_contacts import BoolArray, runs


@dataclass(frozen=True, eq=False)
class Measures:
    """Numbers of a filtered motion.

    Attributes:
        residual: largest force [body weights] or torque [body weights x metres] missing at the root, by inverse
            dynamics of the motion with the contact forces told.
        residual_before: what the wanted motion, on its footholds, would need beyond the best that its feet could give;
            root mean square of torque (over a metre) and force together [body weights].
        joints_deg: angles of joints off the wanted motion, root mean square [deg]; joints_most_deg: at most.
        root_mm, root_deg: place and orientation of the root off it, root mean square.
        slide_mm: how far a corner in contact is from where it stands, at the most [mm].
        cone: corner forces outside their friction cones, or pulling.
        range_deg: how far a joint is beyond its range, at the most [deg].
        fallen_at: when the body first was far from the motion [s]; None: never.
        frames: of each status, by name.
    """

    residual: float
    residual_before: float
    joints_deg: float
    joints_most_deg: float
    root_mm: float
    root_deg: float
    slide_mm: float
    cone: int
    range_deg: float
    fallen_at: float | None
    frames: Mapping[str, int]

    def __str__(self) -> str:
        fell = "never falls" if self.fallen_at is None else f"falls at {self.fallen_at:.2f} s"
        return (
            f"joints {self.joints_deg:.1f} deg rms ({self.joints_most_deg:.0f} at most), root {self.root_mm:.0f} mm "
            f"and {self.root_deg:.1f} deg rms off; {fell}; residual {self.residual:.0e} of body weight "
            f"(before {self.residual_before:.2f}); feet that stand move {self.slide_mm:.1f} mm; "
            f"{self.cone} forces outside their cones; ranges kept to {self.range_deg:.0e} deg"
        )


def link_wrenches(figure: Figure, motion: Trajectory) -> FloatArray:
    """The contact forces of a filtered motion as wrenches on the links, as `inverse_dynamics` takes them."""
    poses = forward_kinematics(figure, motion.q)
    wrenches = np.zeros((len(motion), figure.nlinks, 6))
    for f, sole in enumerate(find_soles(figure)):
        part = slice(4 * f, 4 * f + 4)
        force, at = motion["forces"][:, part], motion["corners"][:, part] - poses.position[:, sole.link, None]
        wrenches[:, sole.link, :3] += np.cross(at, force).sum(axis=1)
        wrenches[:, sole.link, 3:] += force.sum(axis=1)
    return wrenches


def measure(
    figure: Figure, motion: Trajectory, wanted: Trajectory, *, friction: float, normals: FloatArray | None = None,
    before: float = 0.0,
) -> Measures:  # fmt: skip
    """Measure a filtered motion.

    Args:
        figure: the figure.
        motion: with the channels of the filter.
        wanted: the motion that it should be close to, at the same times.
        friction: of the floor.
        normals: of the floor at each corner, shape (n, corners, 3); None: upwards.
        before: residual of the wanted motion, from `lacking`.
    """
    weight = GRAVITY * figure.mass
    missing = inverse_dynamics(figure, motion.q, motion.v, motion["vdot"], wrenches=link_wrenches(figure, motion))
    off = difference(figure, wanted.q, motion.q)
    up = np.broadcast_to([0.0, 0.0, 1.0], motion["forces"].shape) if normals is None else normals
    along = (motion["forces"] * up).sum(axis=-1)
    across = np.linalg.norm(motion["forces"] - along[..., None] * up, axis=-1)
    bad = (along < -1e-9 * weight) | (across > friction * along + 1e-7 * weight)
    status = motion["status"]
    far = np.flatnonzero((status == FrameStatus.FAR) | (status == FrameStatus.RESTARTED))
    return Measures(
        float(np.abs(missing[:, :6]).max()) / weight,
        before,
        _deg(off[:, 6:]),
        float(np.degrees(np.abs(off[:, 6:]).max(initial=0.0))),
        1e3 * float(np.sqrt((off[:, 3:6] ** 2).sum(axis=1).mean())),
        float(np.degrees(np.sqrt((off[:, :3] ** 2).sum(axis=1).mean()))),
        1e3 * _slide(motion),
        int(bad.sum()),
        float(np.degrees(beyond(joint_ranges(figure), motion.q).max())),
        float(motion.time[far[0]]) if len(far) else None,
        {item.name: int((status == item).sum()) for item in FrameStatus if (status == item).any()},
    )


def _deg(angles: FloatArray) -> float:
    return float(np.degrees(np.sqrt((angles**2).mean()))) if angles.size else 0.0


def _slide(motion: Trajectory) -> float:
    """How far corners are from the mean of where they are while in contact, at the most [m]."""
    worst = 0.0
    corners, active = motion["corners"], motion["active"]
    for c in range(corners.shape[1]):
        for first, last in runs(active[:, c]):
            places = corners[first : last + 1, c]
            worst = max(worst, float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()))
    return worst


def lacking(demand: Demand, corners: FloatArray, active: BoolArray, normals: FloatArray, friction: float) -> FloatArray:
    """What feet cannot give of what a motion needs: size of [torque about the centre of mass over 1 m; force] [N].

    Forces are within pyramids inside the friction cones (non-negative least squares).

    Args:
        demand: of the motion, n frames.
        corners, active, normals: of the soles, shapes (n, nc, 3), (n, nc), (n, nc, 3).
        friction: of the floor.

    Returns:
        Shape (n,).
    """
    result = np.empty(len(corners))
    for k in range(len(corners)):
        need = np.concatenate([demand.torque[k], demand.force[k]])
        at, up = corners[k][active[k]] - demand.com[k], normals[k][active[k]]
        if not len(at):
            result[k] = np.linalg.norm(need)
            continue
        side = np.cross(up, [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        other = np.cross(up, side)
        rays = np.concatenate([up + friction * sign * way for way in (side, other) for sign in (1.0, -1.0)])
        arms = np.tile(at, (4, 1))
        result[k] = nnls(np.concatenate([np.cross(arms, rays), rays], axis=1).T, need)[1]
    return result
