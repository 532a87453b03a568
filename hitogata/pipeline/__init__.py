"""From a recording to a report: stages with kept results, the same over one trial or many.

This room is light until it works: what a run needs to see that nothing has changed does not load numpy.
`docs/pipeline.md` is the guide.
"""

from hitogata.pipeline.settings import Settings, read_settings, settings_text
from hitogata.pipeline.stage import Pipeline, Run, Stage, TrialFiles

__all__ = ["Pipeline", "Run", "Settings", "Stage", "TrialFiles", "read_settings", "settings_text"]
