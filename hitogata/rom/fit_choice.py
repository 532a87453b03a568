"""Which model of twist limits fits labelled poses, by cross-validation (Stone 1974).

Models: one interval (`IntervalFit`) with a finer or a coarser mesh, and an interval with a gap (`GapFit`).  Every model
is fitted to four fifths of the poses and asked for the others; the one that tells fewest of them wrong is fitted to
all.  One fifth is left out after the other until `ENOUGH` poses were asked for, or one model is surely better than the
other (a race, Maron and Moore 1994).  Sure: of the poses that only one of two models tells wrong, each would have half
if they were equally good, and the difference a standard deviation of the square root of their number (McNemar 1947).
"""

from dataclasses import replace

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.fit_gapped import GapFit
from hitogata.rom.fit_interval import IntervalFit
from hitogata.rom.fit_report import Progress
from hitogata.rom.fit_steps import Fit, Options, Samples, TwistForm, usual_spacing
from hitogata.rom.frames import Array

FINER, COARSER = 1.5, 2.25
"""Meshes of one interval: times `usual_spacing`, at most `WIDEST`."""

WIDEST = 0.9

FEWEST = 400
"""Poses that are needed to choose at all; with fewer it is one interval."""

FOLDS = 5

ENOUGH, MOST = 1200, 20_000
"""Poses asked for, and poses that the choice is made with, if there are more."""

SURELY = 3.0
"""Standard deviations."""


def labelled_fit(s: Samples, options: Options, say: Progress) -> Fit:
    """The fit, not yet run, of the model that suits the poses best."""
    if options.form is not TwistForm.MESH:
        return IntervalFit(s, options, say)
    few = s.some(slice(None, None, max(1, -(-len(s.p) // MOST))))
    race = Race(few, replace(options, margin=0.0), say)
    factor: float | None = FINER
    if len(s.p) >= FEWEST:
        if race.better(FINER, None):
            factor = None
        elif options.spacing is None and race.better(FINER, COARSER):
            factor = COARSER
    return model_of(factor, s, options, say)


def model_of(factor: float | None, s: Samples, options: Options, say: Progress) -> Fit:
    """One interval with a mesh by a factor, or the model with gaps (None); a spacing that is given is kept."""
    if factor is None:
        return GapFit(s, options, say)
    return IntervalFit(s, replace(options, spacing=options.spacing or min(factor * usual_spacing(s), WIDEST)), say)


class Race:
    """Models (see `model_of`) and which of the poses left out they told wrong, fifth by fifth."""

    def __init__(self, s: Samples, options: Options, say: Progress) -> None:
        self.s, self.options, self.say = s, options, say
        self.wrong: dict[tuple[float | None, int], Array] = {}

    def better(self, first: float | None, second: float | None) -> bool:
        """Whether the second model tells fewer poses wrong than the first."""
        a, b = np.zeros(0, bool), np.zeros(0, bool)
        for fold in range(FOLDS):
            a, b = (np.append(x, self.missed(model, fold)) for x, model in ((a, first), (b, second)))
            if len(a) >= ENOUGH or surely_differ(a, b):
                break
        return bool(b.sum() < a.sum())

    def missed(self, model: float | None, fold: int) -> Array:
        """Which of the poses of a fifth a model tells wrong that was fitted to the others; all, if it cannot be."""
        if (model, fold) not in self.wrong:
            self.say("choosing a model", 0.02)
            out = np.arange(len(self.s.p)) % FOLDS == fold
            truth = self.s.allowed[out]
            try:
                fitted = model_of(model, self.s.some(~out), self.options, Progress(True)).run()
                self.wrong[model, fold] = fitted.contains(self.s.quats[out]) != truth
            except RangeError:
                self.wrong[model, fold] = np.ones_like(truth)
        return self.wrong[model, fold]


def surely_differ(a: Array, b: Array) -> bool:
    """Whether the numbers of mistakes, on the same poses, differ by more than chance would make them."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return abs(only_a - only_b) > SURELY * np.sqrt(only_a + only_b)
