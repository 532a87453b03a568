"""A joint's range of motion measured with markers (Hanaoka 2010, ch. 4): labelled markers of a trial in, a range out.

Three markers or more on the parent (the chest), four around the end of the bone (the elbow).  The joint's centre, the
bone and its twist come from `rom.joint_from_markers`, the range around the poses from `rom.fit_range`; here labels are
looked up, markers that do not sit still on their segment are found, and what looks wrong is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData
from hitogata.rom import JointMotion, Known, RangeFit, joint_from_markers

LOOSE = 0.006
"""A marker whose distances to the others of its segment change by more does not sit still [m], standard deviation."""

BONES = (0.1, 0.6)
"""Lengths of upper arms and thighs [m]; others are doubted."""

SMALLEST = 0.02
"""All markers together are larger than this [m]."""

FEW = 0.5
"""Share of frames whose pose is known, below which it is said."""


@dataclass(frozen=True, eq=False)
class MeasuredRange:
    """A range of motion from a trial.

    Attributes:
        motion: of the joint in every frame.
        fit: the range, and what it allows of the poses.
        parent: labels of the parent's markers that were used.
        child: the same of the child's.
        problems: what looks wrong, in sentences.
    """

    motion: JointMotion
    fit: RangeFit
    parent: tuple[str, ...]
    child: tuple[str, ...]
    problems: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return "\n".join([str(self.motion), str(self.fit.report), *(f"! {problem}" for problem in self.problems)])


def measure_range(
    trial: MarkerData, parent: Sequence[str], child: Sequence[str], *, rest: tuple[float, float] | None = None,
    **options: Any,
) -> MeasuredRange:  # fmt: skip
    """The range of motion of a ball joint from a trial in which it is led through all that it can do.

    Args:
        trial: labelled markers; any of them may be hidden at any time.
        parent: labels of three markers or more on the parent's segment.
        child: labels of three or more around the end of the bone, in a ring; four in the thesis.
        rest: times between which the joint is at rest [s]; poses are told from there; None: the first frame in which
            both segments are seen.
        options: of `rom.fit_range`: margin, gap, outliers, points, twist, spacing, quiet.

    Raises:
        ArgumentError: labels that are not in the trial, or fewer than three markers of a segment that are ever seen.
        RangeError: no range can be drawn around the poses.
    """
    problems: list[str] = []
    labels = [_used(trial, names, what, problems) for names, what in ((parent, "parent"), (child, "child"))]
    both = set(labels[0]) & set(labels[1])
    if both:
        raise ArgumentError(f"{', '.join(sorted(both))}: given for parent and child")
    places = [np.stack([trial.marker(label) for label in names], axis=1) for names in labels]
    _check_size(np.concatenate(places, axis=1))
    motion = joint_from_markers(*places, rest=None if rest is None else _rest_frames(trial, places, rest))
    problems += _doubts(motion)
    fit = motion.fit(**options)
    return MeasuredRange(motion, fit, labels[0], labels[1], tuple(problems))


def _check_size(x: FloatArray) -> None:
    """Refuse markers that lie so close together that their unit must be wrong; too large ones are told by the bone."""
    size = float(np.nanmedian(np.nanmax(x, axis=1) - np.nanmin(x, axis=1)))
    if size < SMALLEST:
        raise ArgumentError(
            f"the markers lie {size * 1e3:.2g} mm apart: metres taken for millimetres? Read the file with another unit="
        )


def _used(trial: MarkerData, names: Sequence[str], what: str, problems: list[str]) -> tuple[str, ...]:
    """Labels of markers that are seen and sit still; the others are told."""
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ArgumentError(f"{what}: {', '.join(twice)} given twice")
    seen = [name for name in names if np.isfinite(trial.marker(name)).all(axis=1).any()]
    hidden = [name for name in names if name not in seen]
    if hidden:
        problems.append(f"{what}: {', '.join(hidden)} never seen, left out")
    while len(seen) > 3:
        worst, change = _loosest(np.stack([trial.marker(name) for name in seen], axis=1))
        if change <= LOOSE:
            break
        problems.append(f"{what}: {seen[worst]} moves by {change * 1e3:.0f} mm beside the others, left out: a wrong "
                        "label, or it came off")  # fmt: skip
        del seen[worst]
    if len(seen) < 3:
        raise ArgumentError(
            f"{what}: {len(seen)} of the markers {', '.join(names)} are ever seen; three are needed to know how it lies"
        )
    _, change = _loosest(np.stack([trial.marker(name) for name in seen], axis=1))
    if change > LOOSE:
        problems.append(f"{what}: markers {', '.join(seen)} move by {change * 1e3:.0f} mm beside each other: they do "
                        "not sit on one segment, or labels are swapped")  # fmt: skip
    return tuple(seen)


def _loosest(x: FloatArray) -> tuple[int, float]:
    """The marker whose distances to the others change most, and by how much (the median over the others) [m]."""
    nm = x.shape[1]
    change = np.full((nm, nm), np.nan)
    for i in range(nm):
        for j in range(nm):
            both = np.isfinite(x[:, [i, j], 0]).all(axis=1)
            if i != j and both.sum() > 1:
                change[i, j] = float(np.linalg.norm(x[both, i] - x[both, j], axis=1).std())
    known = np.isfinite(change).any(axis=1)
    typical = np.array([np.nanmedian(row) if ok else 0.0 for row, ok in zip(change, known, strict=True)])
    worst = int(typical.argmax())
    return worst, float(typical[worst])


def _rest_frames(trial: MarkerData, places: list[FloatArray], rest: tuple[float, float]) -> Any:
    """Frames of the time of rest in which both segments show three markers."""
    start, end = rest
    full = np.min([np.isfinite(x[..., 0]).sum(axis=1) for x in places], axis=0) >= 3
    frames = np.flatnonzero((trial.time >= start - 1e-9) & (trial.time <= end + 1e-9) & full)
    if not len(frames):
        raise ArgumentError(
            f"rest: no frame from {start:g} to {end:g} s shows three markers of both segments; the trial goes from "
            f"{trial.time[0]:g} to {trial.time[-1]:g} s"
        )
    return frames


def _doubts(motion: JointMotion) -> list[str]:
    found = []
    low, high = BONES
    if not low <= motion.length <= high:
        unit = ", metres taken for millimetres?" if motion.length < 0.01 else ""
        unit = ", millimetres taken for metres?" if motion.length > 30.0 else unit
        found.append(f"the bone is {motion.length:.4g} m long{unit or ': other markers, or not this joint?'}")
    if motion.centre_error > 0.02:
        found.append(
            f"the joint's centre is known to {motion.centre_error * 1e3:.0f} mm only: skin that slides, a centre that "
            "moves (a shoulder blade), or wrong labels"
        )
    known = float((motion.known > Known.HIDDEN).mean())
    if known < FEW:
        found.append(f"the pose is known in {known:.0%} of the frames only")
    return found
