"""The stages of an analysis, in order."""

from hitogata.pipeline.stage import Pipeline, Stage

ANALYSIS = Pipeline((
    Stage("trial", "hitogata.pipeline.stages.trial:read_trial", "Recording", (), ("trial",), ("trial",)),
    Stage("label", "hitogata.pipeline.stages.label:label_trial", "Recording", ("trial",), ("label",)),
    Stage("body", "hitogata.pipeline.stages.body:body_of_trial", "Body", ("label",), ("body", "subject"), ("subject",)),
    Stage("angles", "hitogata.pipeline.stages.angles:angles_of_trial", "Motion", ("label", "body"), ("angles",)),
    Stage("loads", "hitogata.pipeline.stages.loads:loads_of_trial", "Loads", ("label", "body", "angles"), ("loads",),
          ("loads",)),
    Stage("filter", "hitogata.pipeline.stages.filter:possible_motion", "Possible", ("label", "body", "angles", "loads"),
          ("filter",)),
    Stage("torques", "hitogata.pipeline.stages.torques:torques_of_trial", "Torques",
          ("body", "angles", "loads", "filter"), ("torques", "loads")),
    Stage("muscles", "hitogata.pipeline.stages.muscles:tensions_of_trial", "Tensions",
          ("body", "angles", "torques"),
          ("muscles",)),
))  # fmt: skip
"""From a recording to the tensions of muscles."""
