"""Names for the markers of a trial, from a labelled one or from its own."""

from dataclasses import replace

from hitogata.capture import label, learn_markers
from hitogata.errors import FileFormatError
from hitogata.files import MarkerData
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.stages.trial import read_trial
from hitogata.pipeline.values import Recording


def label_trial(settings: Settings, files: TrialFiles, *, trial: Recording) -> Recording:
    """The recording with its markers labelled, or as it is."""
    said = settings.label
    if not said.on or trial.markers is None:
        return trial
    if said.file:
        reference = read_trial(settings, TrialFiles(files.named(said.file), "reference")).markers
        if reference is None:
            raise FileFormatError(f"{said.file}: a labelled trial is expected; it has no markers")
    else:
        reference = trial.markers
    named = [k for k, name in enumerate(reference.labels) if not name.startswith("*")]
    if len(named) < 3:
        raise FileFormatError(f"{said.file or files.place}: fewer than three of its markers have labels to learn from")
    known = MarkerData(tuple(reference.labels[k] for k in named), reference.time, reference.rate,
                       reference.positions[:, named], unit=reference.unit, name=reference.name)  # fmt: skip
    found = label(learn_markers(known), trial.markers)
    return replace(trial, markers=found.markers, notes=(*trial.notes, *found.problems))
