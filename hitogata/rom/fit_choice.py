"""Which model of twist limits fits labelled poses, by cross-validation (Stone 1974).

Models: one interval (`IntervalFit`), and an interval with a gap on a finer mesh (`GapFit`).  Each is fitted to four
fifths of the poses and asked for the others.  One fifth is left out after the other until `ENOUGH` poses were asked
for, or the models surely differ (a race, Maron and Moore 1994).  Of the poses that only one of two models tells wrong,
each would have half if they were equally good, and the difference a standard deviation of the square root of their
number (McNemar 1947).  Three are sure; the gap, which costs more numbers, must be better by half of one (as in the
one-standard-error rule, Breiman et al. 1984, 3.4.3).

Mostly the gap need not be fitted to decide: local planes (`fit_local`), which know nothing of intervals and cost
little, come close to what it can do.  If they are no better than one interval, one interval it is; if they are surely
better, the gap is needed.
"""

import enum
from dataclasses import replace

import numpy as np

from hitogata.errors import RangeError
from hitogata.rom.fit_gapped import GapFit
from hitogata.rom.fit_interval import IntervalFit
from hitogata.rom.fit_local import LocalPlanes
from hitogata.rom.fit_report import Progress
from hitogata.rom.fit_steps import Fit, Options, Samples, TwistForm
from hitogata.rom.frames import Array
from hitogata.rom.range import RangeOfMotion

FEWEST = 400
"""Poses that are needed to choose at all; with fewer it is one interval."""

FOLDS = 5

ENOUGH, MOST = 2000, 20_000
"""Poses asked for, and poses that the choice is made with, if there are more."""

LIKELY, SURELY = 0.5, 3.0
"""Standard deviations."""


class Model(enum.Enum):
    """What may be fitted; PLANES are only compared with."""

    INTERVAL = "one interval"
    GAP = "an interval with a gap"
    PLANES = "local planes"


def labelled_range(s: Samples, options: Options, say: Progress) -> tuple[RangeOfMotion, float]:
    """The range of the model that suits the poses best, and the distance of its boundary from the level line."""
    model = chosen(s, options, say) if options.form is TwistForm.MESH else Model.INTERVAL
    fit = model_of(model, s, options, say)
    try:
        return fit.run(), fit.stray
    except RangeError:
        if model is Model.INTERVAL:
            raise
    fit = model_of(Model.INTERVAL, s, options, say)  # its boundary is drawn otherwise
    return fit.run(), fit.stray


def chosen(s: Samples, options: Options, say: Progress) -> Model:
    """The model that suits the poses best."""
    if len(s.p) < FEWEST:
        return Model.INTERVAL
    few = s.some(slice(None, None, max(1, -(-len(s.p) // MOST))))
    race = Race(few, replace(options, margin=0.0), say)
    gain = race.gain(Model.INTERVAL, Model.PLANES)
    if 0.0 < gain <= SURELY:
        gain = race.gain(Model.INTERVAL, Model.GAP)
    return Model.GAP if gain > LIKELY else Model.INTERVAL


def model_of(model: Model, s: Samples, options: Options, say: Progress) -> Fit:
    """The fit of a model, not yet run."""
    return (GapFit if model is Model.GAP else IntervalFit)(s, options, say)


class Race:
    """Models, and which of the poses left out they told wrong, fifth by fifth."""

    def __init__(self, s: Samples, options: Options, say: Progress) -> None:
        self.s, self.options, self.say = s, options, say
        self.wrong: dict[tuple[Model, int], Array] = {}

    def gain(self, first: Model, second: Model) -> float:
        """How many fewer poses the second model tells wrong than the first, in standard deviations."""
        a, b = np.zeros(0, bool), np.zeros(0, bool)
        for fold in range(FOLDS):
            a, b = (np.append(x, self.missed(model, fold)) for x, model in ((a, first), (b, second)))
            if len(a) >= ENOUGH or abs(fewer(a, b)) > SURELY:
                break
        return fewer(a, b)

    def missed(self, model: Model, fold: int) -> Array:
        """Which poses of a fifth a model tells wrong that was fitted to the others; all, if it cannot be fitted."""
        if (model, fold) not in self.wrong:
            self.say("choosing a model", 0.02)
            out = np.arange(len(self.s.p)) % FOLDS == fold
            try:
                told = self.told(model, self.s.some(~out), self.s.quats[out])
                self.wrong[model, fold] = told != self.s.allowed[out]
            except RangeError:
                self.wrong[model, fold] = np.ones(int(out.sum()), bool)
        return self.wrong[model, fold]

    def told(self, model: Model, s: Samples, quats: Array) -> Array:
        """What a model that is fitted to poses says of others (wxyz), booleans, shape (k,)."""
        if model is Model.PLANES:
            planes = LocalPlanes(s.quats, s.allowed)
            return planes.scores(quats, planes.best_count()) > 0.0
        return np.asarray(model_of(model, s, self.options, Progress(True)).run().contains(quats))


def fewer(a: Array, b: Array) -> float:
    """By how many standard deviations mistakes b are fewer than mistakes a, on the same poses; booleans, shape (k,)."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return (only_a - only_b) / float(np.sqrt(max(only_a + only_b, 1)))
