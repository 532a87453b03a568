"""The stages of an analysis: one module each, a function of the settings, the trial's files and what came before."""
