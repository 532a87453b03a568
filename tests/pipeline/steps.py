"""Small stages for tests of the pipeline: values of the analysis' types, and a list of what ran."""

from pathlib import Path

from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.values import Motion, Recording

RAN = []


def read(settings: Settings, trial: TrialFiles) -> Recording:
    RAN.append("read")
    return Recording(notes=(Path(trial.place).read_text(),))


def cut(settings: Settings, trial: TrialFiles, *, read: Recording) -> Recording:
    RAN.append("cut")
    return Recording(notes=(*read.notes, str(settings.trial.begin)))


def solve(settings: Settings, trial: TrialFiles, *, cut: Recording) -> Motion | None:
    RAN.append("solve")
    return None if not settings.angles.on else Motion(None, None, notes=cut.notes)


def wrong(settings: Settings, trial: TrialFiles, *, read: Motion) -> Motion | None:
    return read
