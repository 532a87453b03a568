"""Where a motion is: moved and turned on the ground, begun elsewhere, put on the floor."""

import cmath
from dataclasses import dataclass, replace

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, Vector, floats
from hitogata.files.names import Part, figure_naming
from hitogata.motion.ground_height import STANCE, lowest
from hitogata.motion.inputs import check_free_root, check_motion, finite
from hitogata.spatial import quat_conjugate, quat_exp, quat_multiply, quat_rotate

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class GroundMove:
    """A turn about the vertical through the world's origin, then a shift: what leaves gravity alone.

    Attributes:
        angle: [rad], counter-clockwise seen from above.
        shift: [m], world axes.
    """

    angle: float = 0.0
    shift: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        shift = floats(self.shift, "shift")
        if shift.shape != (3,) or not np.isfinite(shift).all():
            raise ArgumentError(f"shift: expected three finite numbers [m], got {self.shift!r}")
        object.__setattr__(self, "angle", finite(self.angle, "angle"))
        object.__setattr__(self, "shift", tuple(shift.tolist()))

    @classmethod
    def about(cls, point: ArrayLike, angle: float, shift: ArrayLike = (0.0, 0.0, 0.0)) -> "GroundMove":
        """A turn about the vertical through a point [m], then a shift."""
        centre = floats(point, "point")
        moved = centre - quat_rotate(quat_exp(UP * angle), centre) + floats(shift, "shift")
        return cls(angle, tuple(moved.tolist()))

    def apply(self, points: ArrayLike) -> FloatArray:
        """Points after the move, shape (..., 3) [m]."""
        turned = quat_rotate(quat_exp(UP * self.angle), floats(points, "points"))
        return np.asarray(turned + self.shift, np.float64)

    def __matmul__(self, other: "GroundMove") -> "GroundMove":
        """First the other, then this one."""
        return GroundMove(self.angle + other.angle, tuple(self.apply(other.shift).tolist()))

    def inverse(self) -> "GroundMove":
        """The move back."""
        back = quat_rotate(quat_exp(-UP * self.angle), -np.array(self.shift))
        return GroundMove(-self.angle, tuple(back.tolist()))

    def part(self, share: float) -> "GroundMove":
        """A share of the move, along the arc that it makes at an even pace: part(a) @ part(b) = part(a + b)."""
        half = self.angle / 2
        ratio = share * np.sinc(share * half / np.pi) / np.sinc(half / np.pi)  # sin(share · half) / sin(half)
        flat = complex(self.shift[0], self.shift[1]) * ratio * cmath.exp(1j * (share - 1) * half)
        return GroundMove(share * self.angle, (flat.real, flat.imag, share * self.shift[2]))


def move_root(figure: Figure, trajectory: Trajectory, move: GroundMove) -> Trajectory:
    """The whole motion, moved; channels are dropped, for places and forces would no longer fit."""
    check_motion(figure, trajectory)
    check_free_root(figure, "move_root")
    q, v = trajectory.q.astype(np.float64), trajectory.v.astype(np.float64)
    turn, shift = _in_root_axes(figure, move)
    q[:, :3] = quat_rotate(turn, q[:, :3]) + shift
    q[:, 3:7] = quat_multiply(turn, q[:, 3:7])
    v[:, :3], v[:, 3:6] = quat_rotate(turn, v[:, :3]), quat_rotate(turn, v[:, 3:6])
    return replace(trajectory, q=q, v=v, channels={})


def turn_root(figure: Figure, trajectory: Trajectory, angle: float) -> Trajectory:
    """The whole motion, turned about the vertical through the root's first place [rad]; channels are dropped."""
    check_motion(figure, trajectory)
    check_free_root(figure, "turn_root")
    return move_root(figure, trajectory, GroundMove.about(root_places(figure, trajectory.q[:1])[0], angle))


def start_at(
    figure: Figure, trajectory: Trajectory, position: ArrayLike = (0.0, 0.0), heading: float | None = 0.0
) -> Trajectory:
    """The motion, begun at a place and looking in a direction.

    Args:
        figure: the figure.
        trajectory: its motion.
        position: of the root in the first sample, x and y [m].
        heading: of the root in the first sample (`headings`) [rad]; None: as it is.
    """
    check_motion(figure, trajectory)
    check_free_root(figure, "start_at")
    place = floats(position, "position")
    if place.shape != (2,) or not np.isfinite(place).all():
        raise ArgumentError(f"position: expected x and y [m], got {position!r}")
    angle = 0.0 if heading is None else finite(heading, "heading") - float(headings(figure, trajectory.q[:1])[0])
    now = root_places(figure, trajectory.q[:1])[0]
    return move_root(figure, trajectory, GroundMove.about(now, angle, (*(place - now[:2]), 0.0)))


def put_on_floor(figure: Figure, trajectory: Trajectory, *, floor: float = 0.0) -> Trajectory:
    """The motion, lifted or lowered as a whole, so that the soles stand on a floor at this height [m].

    The soles' height is that below which they are for a tenth of the time: feet stand for more of a motion than that,
    and a single deep sample does not matter.  Without known feet, the lowest link counts.
    """
    check_motion(figure, trajectory)
    check_free_root(figure, "put_on_floor")
    roles = figure_naming(figure).roles
    feet = [name for name, (part, _) in roles.items() if part in (Part.FOOT, Part.TOES)]
    heights = lowest(figure, trajectory.q, feet or figure.link_names)
    assert heights is not None
    up = finite(floor, "floor") - float(np.percentile(heights, STANCE))
    return move_root(figure, trajectory, GroundMove(shift=(0.0, 0.0, up)))


def headings(figure: Figure, q: FloatArray) -> FloatArray:
    """Turn of the root about the vertical, against its neutral pose [rad], shape (n,), without jumps.

    It is the twist about the vertical of the rotation from the neutral to the present orientation.  Upside down it is
    not known.
    """
    check_free_root(figure, "headings")
    base = np.array(figure.links[0].joint.parent_frame.quat)
    rest = figure.neutral()[3:7]
    turn = quat_multiply(quat_multiply(base, quat_multiply(q[:, 3:7], quat_conjugate(rest))), quat_conjugate(base))
    angles: FloatArray = np.unwrap(np.mod(2 * np.arctan2(turn[:, 3], turn[:, 0]) + np.pi, 2 * np.pi) - np.pi)
    return angles


def root_places(figure: Figure, q: FloatArray) -> FloatArray:
    """Where the root's joint is in the world [m], shape (n, 3)."""
    return figure.links[0].joint.parent_frame.apply(q[:, :3])


def moved_samples(figure: Figure, q: FloatArray, moves: list[GroundMove]) -> FloatArray:
    """Coordinates, shape (n, nq), each moved by its own."""
    result = q.copy()
    pairs = [_in_root_axes(figure, move) for move in moves]
    turns, shifts = np.array([turn for turn, _ in pairs]), np.array([shift for _, shift in pairs])
    result[:, :3] = quat_rotate(turns, q[:, :3]) + shifts
    result[:, 3:7] = quat_multiply(turns, q[:, 3:7])
    return result


def _in_root_axes(figure: Figure, move: GroundMove) -> tuple[FloatArray, FloatArray]:
    """The move as quaternion and shift in the frame F of the root's joint: X_FW G X_WF."""
    frame = figure.links[0].joint.parent_frame
    base, origin = np.array(frame.quat), np.array(frame.position)
    turn = quat_multiply(quat_conjugate(base), quat_multiply(quat_exp(UP * move.angle), base))
    shift = quat_rotate(quat_conjugate(base), move.apply(origin) - origin)
    return np.asarray(turn, np.float64), np.asarray(shift, np.float64)


def turned_rates(figure: Figure, v: FloatArray, move: GroundMove) -> FloatArray:
    """Velocities, or changes of poses, shape (n, nv), turned with a move."""
    turn, _ = _in_root_axes(figure, move)
    result = v.copy()
    result[:, :3], result[:, 3:6] = quat_rotate(turn, v[:, :3]), quat_rotate(turn, v[:, 3:6])
    return result
