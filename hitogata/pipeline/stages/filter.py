"""A motion without measured forces made possible: with forces of the floor, by the dynamics filter."""

import numpy as np

from hitogata.errors import HitogataError
from hitogata.figure import Trajectory, velocities_of
from hitogata.filter import Mode, filter_motion
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.given import given_motion
from hitogata.pipeline.values import Body, Loads, Motion, Possible, Recording

CHANNELS = {"tau": 2, "residual": 2, "forces": 3, "corners": 3}
"""Of a filtered motion, and their axes."""


def possible_motion(
    settings: Settings, files: TrialFiles, *, label: Recording, body: Body, angles: Motion | None, loads: Loads | None
) -> Possible | None:
    """The motion of a skeleton as it can be; None: not wanted, forces are measured, or it is a model's."""
    said = settings.filter
    if not said.on or angles is None or loads is not None or label.motion is None:
        return None
    if said.file:
        given = given_motion(files, "filter.file", said.file, body.figure, CHANNELS)
        return Possible(given, given["forces"].sum(axis=1), True, ("the motion as it can be was given from a file",))
    v = velocities_of(body.figure, angles.time, angles.q)
    motion = Trajectory(angles.time, angles.q, v, figure_name=body.figure.name)
    try:
        found = filter_motion(body.figure, motion, mode=Mode[said.mode.upper()])
    except HitogataError as error:
        return Possible(motion, np.zeros((len(motion), 3)), False, (f"not filtered: {error}",))
    notes = [f"made possible by the dynamics filter ({said.mode}): {found.measures}", *found.changes(3)]
    return Possible(found.trajectory, found.trajectory["forces"].sum(axis=1), True, tuple(notes))
