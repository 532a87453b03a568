"""Ranges of motion, edited: what can be done to a region, and the polar editor that does it."""
