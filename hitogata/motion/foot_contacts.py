"""When feet are at rest on the ground."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import ArrayLike, FloatArray, Vector, floats
from hitogata.files.names import Part, Side, figure_naming
from hitogata.motion.ground_height import STANCE, sole_points
from hitogata.motion.inputs import check_motion, finite

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True)
class RestLimits:
    """What counts as rest.

    A point rests while it is slower and lower than the loose limits, if somewhere in that time it is slower and lower
    than the strict ones: a noisy sample neither makes nor ends a contact.

    Attributes:
        speed: strict and loose [m/s].
        height: strict and loose, above where the point stands [m]; wide, for floors and captures are not quite level;
            infinite: heights do not matter (stairs).
        window: speeds are means over this time [s].
        gap: shorter breaks of a contact are closed [s].
        shortest: shorter contacts are dropped [s], but for those that the motion's beginning or end cuts off.
    """

    speed: tuple[float, float] = (0.2, 0.6)
    height: tuple[float, float] = (0.06, 0.1)
    window: float = 0.05
    gap: float = 0.06
    shortest: float = 0.1

    def __post_init__(self) -> None:
        for name in ("speed", "height"):
            try:
                strict, loose = map(float, getattr(self, name))
            except (TypeError, ValueError):
                raise ArgumentError(f"{name}: expected (strict, loose), got {getattr(self, name)!r}") from None
            if not 0 < strict <= loose:
                raise ArgumentError(f"{name}: expected 0 < strict <= loose, got {strict:g}, {loose:g}")
        for name in ("window", "gap", "shortest"):
            if finite(getattr(self, name), name) < 0:
                raise ArgumentError(f"{name}: must not be negative, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Contact:
    """A time of rest.

    Attributes:
        start: [s].
        end: [s].
        first: index of its first sample.
        last: index of its last sample.
    """

    start: float
    end: float
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot over a motion.

    Attributes:
        links: that it is made of.
        points: on its sole: link, and place in the link's frame [m].
        resting: which point is at rest when, shape (nt, npoints).
        contacts: when any of them is.
    """

    links: tuple[str, ...]
    points: tuple[tuple[str, Vector], ...]
    resting: BoolArray
    contacts: tuple[Contact, ...]

    @property
    def down(self) -> BoolArray:
        """Whether the foot is at rest, shape (nt,)."""
        result: BoolArray = np.zeros(len(self.resting), np.bool_)
        for contact in self.contacts:
            result[contact.first : contact.last + 1] = True
        return result


def find_contacts(
    figure: Figure,
    trajectory: Trajectory,
    feet: Mapping[str, Sequence[str]] | None = None,
    *,
    floor: float | None = None,
    limits: RestLimits | None = None,
) -> dict[str, Foot]:
    """Find when each foot is at rest.

    A foot rests if any point of its sole does: from the heel's strike to the toes' leaving.

    Args:
        figure: the figure.
        trajectory: its motion, of two samples or more.
        feet: links of each foot, by any name; None: "left" and "right", by the names of links.
        floor: height of the ground [m]; None: each point stands at the height below which it is for a tenth of the
            time.
        limits: what counts as rest.
    """
    check_motion(figure, trajectory, least=2)
    groups = named_feet(figure) if feet is None else feet
    result = {}
    for name, links in groups.items():
        if isinstance(links, str) or not links:
            raise ArgumentError(f"feet: {name!r} needs a list of links, got {links!r}")
        points: list[tuple[str, Vector]] = []
        for link, (x, y, z) in sole_points(figure, links):
            points.append((link, (float(x), float(y), float(z))))
        places = point_places(figure, trajectory, points)
        resting, contacts = resting_points(trajectory.time, places, floor=floor, limits=limits)
        result[name] = Foot(tuple(links), tuple(points), resting, contacts)
    return result


def with_contact(foot: Foot, time: FloatArray, start: float, end: float, stands: bool) -> Foot:
    """The same foot, said to stand from one time to another [s], with all of its points; or not to stand there.

    Args:
        foot: from `find_contacts`.
        time: of the motion [s], shape (nt,).
        start, end: of the stretch.
        stands: whether it does.
    """
    within = (time >= start - 1e-9) & (time <= end + 1e-9)
    if not start <= end or not within.any():
        raise ArgumentError(f"contact: no sample lies between {start:g} and {end:g} s")
    down = (foot.down | within) if stands else (foot.down & ~within)
    resting = foot.resting.copy()
    resting[within] = stands
    contacts = tuple(Contact(float(time[a]), float(time[b]), a, b) for a, b in runs(down))
    return Foot(foot.links, foot.points, resting, contacts)


def point_places(figure: Figure, trajectory: Trajectory, points: Sequence[tuple[str, Vector]]) -> FloatArray:
    """Where points of links (name, and place in the link's frame) are in the world [m], shape (nt, npoints, 3)."""
    poses = forward_kinematics(figure, trajectory.q)
    places = []
    for link, point in points:
        i = figure.link_index(link)
        places.append(poses.position[:, i] + poses.rotation[:, i] @ np.array(point))
    return np.stack(places, axis=1)


def named_feet(figure: Figure) -> dict[str, tuple[str, ...]]:
    """Links of the left and the right foot, found by their names."""
    naming = figure_naming(figure)
    feet = {}
    for side in (Side.LEFT, Side.RIGHT):
        links = tuple(naming.named(Part.FOOT, side) + naming.named(Part.TOES, side))
        if links:
            feet[side.value] = links
    if not feet:
        raise ArgumentError(f"feet: no feet are known by the names of figure {figure.name!r}: give the links of each")
    return feet


def resting_points(
    time: ArrayLike, places: ArrayLike, *, floor: float | None = None, limits: RestLimits | None = None
) -> tuple[BoolArray, tuple[Contact, ...]]:
    """When points of one foot rest; they may be markers of a capture.

    Args:
        time: [s], shape (nt,), strictly rising.
        places: [m], shape (nt, npoints, 3).
        floor: height of the ground [m]; None: that of each point, see `find_contacts`.
        limits: what counts as rest.

    Returns:
        Which point rests when, shape (nt, npoints), and the times when any does.
    """
    t, x, law = floats(time, "time"), floats(places, "places"), limits or RestLimits()
    if t.ndim != 1 or not (np.diff(t) > 0).all():
        raise ArgumentError("time: must be a list of strictly rising times")
    if x.ndim != 3 or x.shape != (len(t), x.shape[1], 3) or len(t) < 2:
        raise ArgumentError(f"places: expected shape ({len(t)}, npoints, 3) with two samples or more, got {x.shape}")
    if not np.isfinite(x).all():
        raise ArgumentError("places: every number must be finite")
    speed, height = rest_speeds(t, x, law.window), stand_heights(x, floor)
    strict, loose = ((speed < law.speed[k]) & (height < law.height[k]) for k in (0, 1))
    resting: BoolArray = np.stack([_with_core(loose[:, k], strict[:, k]) for k in range(x.shape[1])], axis=1)
    merged: list[tuple[int, int]] = []
    for first, last in runs(np.any(resting, axis=1)):
        if merged and t[first] - t[merged[-1][1]] < law.gap:
            merged[-1] = merged[-1][0], last
        else:
            merged.append((first, last))
    contacts = (Contact(float(t[a]), float(t[b]), a, b) for a, b in merged)
    ends = (0, len(t) - 1)
    return resting, tuple(c for c in contacts if c.end - c.start >= law.shortest or c.first in ends or c.last in ends)


def rest_speeds(time: FloatArray, places: FloatArray, window: float) -> FloatArray:
    """Speeds of points, as means over a time [m/s], shape (nt, npoints)."""
    half = max(window / 2, 0.51 * float(np.diff(time).max()))
    early, late = np.maximum(time - half, time[0]), np.minimum(time + half, time[-1])
    columns = places.reshape(len(time), -1).T
    moved = np.stack([np.interp(late, time, x) - np.interp(early, time, x) for x in columns], axis=1)
    speeds: FloatArray = np.linalg.norm(moved.reshape(places.shape), axis=2) / (late - early)[:, None]
    return speeds


def stand_heights(places: FloatArray, floor: float | None = None) -> FloatArray:
    """Heights of points above the floor, or each above where it stands [m], shape (nt, npoints)."""
    ground = np.percentile(places[..., 2], STANCE, axis=0) if floor is None else finite(floor, "floor")
    heights: FloatArray = places[..., 2] - ground
    return heights


def _with_core(loose: BoolArray, strict: BoolArray) -> BoolArray:
    """Runs of `loose` that hold at least one sample of `strict`."""
    result: BoolArray = np.zeros_like(loose)
    for first, last in runs(loose):
        result[first : last + 1] = strict[first : last + 1].any()
    return result


def runs(mask: Any) -> list[tuple[int, int]]:
    """First and last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
