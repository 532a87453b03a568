"""Built-in figures."""

from hitogata.library.bear import bear
from hitogata.library.chain import chain
from hitogata.library.human import human28, human40
from hitogata.library.pendulum import pendulum
from hitogata.library.strand import cap_of_roots, strand
from hitogata.library.upper_body import upper_body
from hitogata.library.virtual_human import virtual_human

FIGURES = ("bear", "human28", "human40", "pendulum", "upper_body", "virtual_human")
"""Figures that need no arguments."""

__all__ = [
    "FIGURES",
    "bear",
    "cap_of_roots",
    "chain",
    "human28",
    "human40",
    "pendulum",
    "strand",
    "upper_body",
    "virtual_human",
]
