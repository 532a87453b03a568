"""Forces, moments and centres of pressure of force plates."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, not_negative
from hitogata.figure.values import vector as three
from hitogata.files.c3d.recording import C3d, ForcePlate, PlateType

THRESHOLD = 10.0
"""Force across a plate below which it has no centre of pressure [N]."""


@dataclass(frozen=True, eq=False)
class PlateForces:
    """What a force plate does to who stands on it, in the world's axes.

    Attributes:
        time: [s], shape (nt,).
        force: on the subject [N], shape (nt, 3).
        moment: about `point` [N m], shape (nt, 3).
        point: centre of the plate's surface [m], shape (3,).
        centre: centre of pressure on the surface [m], shape (nt, 3); NaN where the plate is not loaded.
        free_moment: moment about the centre of pressure, along the plate's normal [N m], shape (nt, 3); NaN likewise.
    """

    time: FloatArray = field(repr=False)
    force: FloatArray = field(repr=False)
    moment: FloatArray = field(repr=False)
    point: FloatArray
    centre: FloatArray = field(repr=False)
    free_moment: FloatArray = field(repr=False)

    def wrench(self, about: Any = (0.0, 0.0, 0.0)) -> FloatArray:
        """[moment about a point; force] [N m, N], shape (nt, 6); the point in the world [m]."""
        arm = self.point - np.array(three(about, "about"))
        return np.concatenate([self.moment + np.cross(arm, self.force), self.force], axis=1)


def plate_forces(
    c3d: C3d, plate: int, *, at_frames: bool = False, baseline: bool = False, threshold: float = THRESHOLD
) -> PlateForces:
    """Forces of a plate.

    With F and M of the plate about the centre of its surface, in its own axes (z down):

        centre of pressure  x = -My / Fz,  y = Mx / Fz,      free moment  T = Mz - (x Fy - y Fx)

    Args:
        c3d: the file.
        plate: index in `c3d.plates`.
        at_frames: means over the samples of each frame, at the rate of the markers; otherwise all samples.
        baseline: take off the mean of the frames that the file names as without load (FORCE_PLATFORM:ZERO).
        threshold: |Fz| below which there is no centre of pressure [N].

    Raises:
        ArgumentError: no such plate; or no baseline in the file.
    """
    if not isinstance(plate, int | np.integer) or not 0 <= plate < len(c3d.plates):
        raise ArgumentError(f"plate: expected an index below {len(c3d.plates)}, got {plate!r}")
    not_negative(threshold, "threshold")
    it = c3d.plates[plate]
    raw = c3d.analog.values[:, list(it.channels)]
    if baseline:
        if it.zero is None:
            raise ArgumentError(f"baseline: the file names no frames without load for plate {plate}")
        raw = raw - raw[it.zero[0] * c3d.samples : it.zero[1] * c3d.samples].mean(axis=0)
    if at_frames:
        wrench = _wrench(it, raw).reshape(c3d.markers.nframes, c3d.samples, 6).mean(axis=1)
        return _forces(it, wrench, c3d.markers.time, threshold)
    return _forces(it, _wrench(it, raw), c3d.analog.time, threshold)


def _forces(plate: ForcePlate, wrench: FloatArray, time: FloatArray, threshold: float) -> PlateForces:
    """Forces in the world's axes of [force; moment] in the plate's."""
    force, moment = wrench[:, :3], wrench[:, 3:]
    loaded = np.abs(force[:, 2]) >= max(threshold, 1e-12)
    across = np.where(loaded, force[:, 2], np.nan)
    place = np.stack([-moment[:, 1] / across, moment[:, 0] / across, 0 * across], axis=1)
    free = np.zeros_like(place)
    free[:, 2] = moment[:, 2] - (place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0])
    free[~np.isfinite(across)] = np.nan
    R_WP = plate.rotation
    return PlateForces(
        time, force @ R_WP.T, moment @ R_WP.T, plate.centre, plate.centre + place @ R_WP.T, free @ R_WP.T
    )  # fmt: skip


def _wrench(plate: ForcePlate, raw: FloatArray) -> FloatArray:
    """[force; moment about the centre of the surface] in the plate's axes [N, N m], shape (nt, 6)."""
    units, origin = np.array(plate.units), plate.origin
    if plate.kind is PlateType.CALIBRATED and plate.calibration is not None:
        measured = raw @ plate.calibration.T * units
    else:
        measured = raw * units
    match plate.kind:
        case PlateType.CENTRE:
            force, x, y = measured[:, :3], measured[:, 3], measured[:, 4]
            place = np.stack([x, y, 0 * x], axis=1)
            free = np.stack([0 * x, 0 * x, measured[:, 5]], axis=1)
            return np.concatenate([force, np.cross(place, force) + free], axis=1)
        case PlateType.SENSORS:
            fx12, fx34, fy14, fy23, f1, f2, f3, f4 = measured.T
            a, b = origin[0], origin[1]
            force = np.stack([fx12 + fx34, fy14 + fy23, f1 + f2 + f3 + f4], axis=1)
            moment = np.stack(
                [b * (f1 + f2 - f3 - f4), a * (f2 + f3 - f1 - f4), b * (fx34 - fx12) + a * (fy14 - fy23)], axis=1
            )
            arm = np.array([0.0, 0.0, origin[2]])
        case _:
            force, moment, arm = measured[:, :3], measured[:, 3:], origin
    return np.concatenate([force, moment - np.cross(arm, force)], axis=1)


def plate_doubts(c3d: C3d) -> list[str]:
    """Plates that press downwards, or whose centre of pressure is far away: signs or units are others."""
    found = []
    step = max(1, len(c3d.analog.time) // 2000)
    values, time = c3d.analog.values[::step], c3d.analog.time[::step]
    for k, plate in enumerate(c3d.plates):
        forces = _forces(plate, _wrench(plate, values[:, list(plate.channels)]), time, 50.0)
        loaded = np.isfinite(forces.centre).all(axis=1)
        if not loaded.any():
            continue
        up = forces.force[loaded] @ -plate.rotation[:, 2]
        if np.median(up) < 0:
            found.append(
                f"force plate {k + 1} pulls who stands on it: its channels seem to hold the force on the plate"
            )
        size = float(np.linalg.norm(plate.corners[0] - plate.corners[2]))
        away = float(np.median(np.linalg.norm(forces.centre[loaded] - plate.centre, axis=1)))
        if away > 5 * size:
            found.append(
                f"force plate {k + 1}: the centre of pressure is {away:.3g} m away from it: moments seem to be in "
                "another unit"
            )
    return found
