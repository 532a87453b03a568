"""What the studio's capture mode shows: markers of a trial, cameras and what they see, the body fitted into them."""

import dataclasses
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hitogata.capture import (
    BodyFit,
    Camera,
    FitSettings,
    IkSettings,
    JointAngles,
    LiveFrame,
    MarkerSet,
    check_trial,
    fit_body,
    label,
    learn_markers,
    marker_data,
    markers_on,
    project,
    read_cameras,
    solve_ik,
)
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.files import Axes, MarkerData, read_c3d, read_trc, write_c3d

TRIAL_FILES, SET_FILES, CAMERA_FILES = (".c3d", ".trc"), (".toml", ".json"), (".toml", ".json")

OUTLIER = 0.03
"""Markers farther from the body count less and less [m]: a wrong label does not bend it."""


class Sighting(NamedTuple):
    """What cameras saw in a frame: points [m], shape (n, 3), and by whom, shape (n, nc), bool."""

    points: FloatArray
    seen_by: Any


@dataclass(frozen=True, eq=False)
class CaptureTrial:
    """A trial.

    Attributes:
        markers: with labels, and points without.
        marker_set: where the labels sit on the figure; None: not known.
        angles: of the figure, frame by frame; None: no body is fitted.
        cameras: that took it; empty: not known.
        sightings: of the frames; None: which camera saw which point is not known.
        problems: what looks wrong, in sentences.
    """

    markers: MarkerData
    marker_set: MarkerSet | None = None
    angles: JointAngles | None = None
    cameras: tuple[Camera, ...] = ()
    sightings: tuple[Sighting, ...] | None = None
    problems: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.markers.nframes < 1 or not self.markers.labels:
            raise ArgumentError(f"{self.markers.name}: no frames or no markers to show")

    @property
    def figure(self) -> Figure | None:
        """That was fitted."""
        return None if self.angles is None else self.angles.figure

    def with_markers(self, markers: MarkerData) -> "CaptureTrial":
        """Other labels; the body is fitted into them again."""
        changed = dataclasses.replace(self, markers=markers)
        return changed if self.angles is None else changed.posed(self.angles.figure)

    def posed(self, figure: Figure) -> "CaptureTrial":
        """Joint angles of a figure of the person's size."""
        markers = self._set_on(figure)
        problems = check_trial(figure, markers, self.markers)
        angles = solve_ik(figure, markers, self.markers, settings=IkSettings(outlier=OUTLIER))
        return dataclasses.replace(self, angles=angles, marker_set=markers, problems=problems)

    def fitted(self, figure: Figure, progress: Any = None) -> tuple["CaptureTrial", BodyFit]:
        """The figure in the person's sizes, and its joint angles."""
        markers = self._set_on(figure)
        problems = check_trial(figure, markers, self.markers)
        found = fit_body(figure, markers, self.markers, settings=FitSettings(frames=30), progress=progress)
        if found.assumed:
            problems = (*problems, f"sizes of {', '.join(found.assumed)} are assumed: no marker tells them")
        return dataclasses.replace(self, angles=found.angles, marker_set=found.markers, problems=problems), found

    def labelled_anew(self) -> "CaptureTrial":
        """Labels found by what the trial itself knows of its marker set."""
        return self.with_markers(label(learn_markers(self.markers), self.markers).markers)

    def _set_on(self, figure: Figure) -> MarkerSet:
        own = self.marker_set
        if own is not None and (not len(own.links) or int(np.max(own.links)) < figure.nlinks):
            return own
        try:
            return markers_on(figure, self.markers.labels)
        except HitogataError:
            raise ArgumentError(
                "where the markers sit on the figure is not known: open a marker set (.toml, .json)"
            ) from None

    def rays(self, frame: int, chosen: str | None = None) -> FloatArray:
        """Lines from cameras to the points that they see [m], shape (n, 2, 3).

        Where it is not known who saw what: to the chosen marker, from all cameras in whose image it is.
        """
        if not self.cameras:
            return np.zeros((0, 2, 3))
        eyes = np.array([camera.pose.position for camera in self.cameras])
        if self.sightings is not None:
            points, seen_by = self.sightings[frame]
            n, c = np.nonzero(np.asarray(seen_by))
            return np.stack([eyes[c], np.asarray(points)[n]], axis=1).reshape(-1, 2, 3)
        if chosen is None or chosen not in self.markers.labels:
            return np.zeros((0, 2, 3))
        at = self.markers.marker(chosen)[frame]
        lines = []
        for camera, eye in zip(self.cameras, eyes, strict=True):
            pixel = project(camera, at[None])[0] if np.isfinite(at).all() else np.full(2, np.nan)
            if np.isfinite(pixel).all() and (pixel >= 0).all() and (pixel < camera.size).all():
                lines.append([eye, at])
        return np.array(lines).reshape(-1, 2, 3)

    def written(self) -> bytes:
        """As a C3D file."""
        with tempfile.TemporaryDirectory(prefix="hitogata-") as folder:
            path = Path(folder) / "trial.c3d"
            write_c3d(self.markers, path)
            return path.read_bytes()


def load_trial(path: str | Path, axes: Axes = Axes.KEEP) -> tuple[CaptureTrial, tuple[str, ...]]:
    """A trial of a file, and what its reader warned of."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in TRIAL_FILES:
        raise FileFormatError(f"{path.name}: .c3d or .trc expected, got {kind or 'no ending'}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        markers = read_c3d(path, axes=axes).markers if kind == ".c3d" else read_trc(path, axes=axes)
    return CaptureTrial(markers), tuple(dict.fromkeys(str(w.message) for w in caught))


def load_cameras(path: str | Path) -> tuple[Camera, ...]:
    """Calibrated cameras of a file."""
    return tuple(read_cameras(path))


def trial_of(
    frames: Sequence[LiveFrame], labels: Sequence[str], rate: float, *, figure: Figure | None = None,
    marker_set: MarkerSet | None = None, cameras: Sequence[Camera] = (),
) -> CaptureTrial:  # fmt: skip
    """Frames that came live, as a trial.

    Args:
        frames: one after the other.
        labels: of the marker set.
        rate: frames per second [Hz].
        figure: whose joint angles they have.
        marker_set: on it.
        cameras: that saw them.
    """
    markers = marker_data(frames, labels, rate)
    trial = CaptureTrial(
        markers, marker_set, None, tuple(cameras), tuple(Sighting(f.points, f.seen_by) for f in frames)
    )
    known = figure is not None and marker_set is not None
    return trial.posed(figure) if known and figure is not None else trial
