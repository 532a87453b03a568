"""Goldens: scenes of every kind, whose arrays after 1, 10 and 100 steps are stored, and what may change in them."""
