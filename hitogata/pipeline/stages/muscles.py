"""Tensions of the muscles that make the torques."""

import numpy as np

from hitogata.muscle import Cost, ForceOptions, muscle_forces
from hitogata.muscle.report import muscle_tables
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.values import Body, Tensions, Torques


def tensions_of_trial(settings: Settings, files: TrialFiles, *, body: Body, torques: Torques | None) -> Tensions | None:
    """Activations and forces; None: not wanted, no muscles, or no torques."""
    said = settings.muscles
    if not said.on or torques is None or body.muscles is None or not body.muscles.muscles:
        return None
    if not np.any(torques.loads):
        return None  # torques of legs without a floor are nobody's
    rows = np.arange(len(torques.time))
    if said.rate > 0 and len(rows) > 1:
        rate = 1.0 / float(np.median(np.diff(torques.time)))
        rows = rows[:: max(1, round(rate / said.rate))]
    options = ForceOptions(Cost[said.cost.upper()], said.reserve, smooth=said.smooth)
    found = muscle_forces(body.muscles, torques.q[rows], torques.v[rows], torques.moments[rows], options=options)
    good = found.good
    reserves = [
        (name, float(np.abs(reserve[good]).max(initial=0.0)), float(np.abs(moment[good]).max(initial=0.0)))
        for name, reserve, moment in zip(found.coordinates, found.reserves.T, found.moments.T, strict=True)
    ]
    worst = float(np.nanmax(found.optimality)) if good.any() else float("nan")
    return Tensions(
        muscle_tables(found, torques.time[rows]), found.busiest(10), reserves, (int(good.sum()), len(good)), worst,
        found.notes,
    )  # fmt: skip
