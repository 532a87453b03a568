"""Where the markers of common sets sit on the built-in body: bones and places, right side; the left mirrors them.

Places are about where the bony landmarks of the names lie on `library.musculoskeletal` (x forward, y left, z up in each
bone's frame; 1.741 m); the fit moves them.  Names are those of Plug-in Gait, Helen Hayes, Cleveland Clinic, CMU and
Rajagopal's model.  Clusters ("RTH1") have no place that a name could tell: they are put on their segment's middle, in
rough places, and the fit has to move them.
"""

import re
from collections.abc import Sequence

import numpy as np

from hitogata.capture import MarkerSet
from hitogata.errors import ArgumentError
from hitogata.figure import Figure

RIGHT: dict[str, tuple[str, tuple[float, float, float]]] = {
    "ASI": ("pelvis", (0.010, -0.125, 0.010)),
    "PSI": ("pelvis", (-0.150, -0.048, 0.030)),
    "ILC": ("pelvis", (-0.045, -0.140, 0.080)),
    "GTR": ("femur", (-0.005, -0.090, 0.000)),
    "THI": ("femur", (0.020, -0.095, -0.230)),
    "KNE": ("femur", (0.000, -0.055, -0.410)),
    "MKNE": ("femur", (0.000, 0.055, -0.410)),
    "TIB": ("tibia", (0.020, -0.060, -0.200)),
    "ANK": ("tibia", (0.000, -0.045, -0.400)),
    "MANK": ("tibia", (0.010, 0.040, -0.390)),
    "HEE": ("foot", (-0.010, 0.000, 0.030)),
    "TOE": ("foot", (0.170, 0.010, 0.045)),
    "MT1": ("foot", (0.175, 0.045, 0.025)),
    "MT5": ("foot", (0.135, -0.050, 0.015)),
}
"""Landmarks by their short names: bone, and place on the right one [m]."""

MIDDLE: dict[str, tuple[str, tuple[float, float, float]]] = {"SACR": ("pelvis", (-0.155, 0.0, 0.030))}
"""Landmarks of the midline."""

WORDS = {
    "ASI": ("ASI", "ASIS", "FWT"), "PSI": ("PSI", "PSIS", "BWT"), "ILC": ("ILC", "ILIAC", "ICR"),
    "GTR": ("GTR", "GT", "TROCH", "GTROC"), "THI": ("THI", "THIGH"), "KNE": ("KNE", "LFC", "KNEE", "LEK", "KNEELAT"),
    "MKNE": ("MKNE", "MFC", "MEK", "KNEEMED"), "TIB": ("TIB", "SHANK", "SHN"),
    "ANK": ("ANK", "LMAL", "ANKLE", "ANKLELAT"), "MANK": ("MANK", "MMAL", "MED", "ANKLEMED"),
    "HEE": ("HEE", "HEEL", "CAL", "CALC"), "TOE": ("TOE", "MT2", "TOETIP"), "MT1": ("MT1", "TOEMED"),
    "MT5": ("MT5", "TOELAT"), "SACR": ("SACR", "VSACRAL", "SACRAL", "SAC"),
}  # fmt: skip
"""Names by which sets call them, without side and punctuation."""


def landmark(label: str) -> tuple[str, str] | None:
    """Side ("r", "l" or "") and landmark of a marker's label; None: not known."""
    plain = re.sub(r"[^A-Z0-9]", "", label.rpartition(":")[2].upper())
    for name in MIDDLE:
        if plain in WORDS[name]:
            return "", name
    for side, letter in (("r", "R"), ("l", "L")):
        for rest in (plain.removeprefix(letter) if plain.startswith(letter) else None,
                     plain.removesuffix(letter) if plain.endswith(letter) else None,
                     plain.removeprefix("RIGHT" if side == "r" else "LEFT")):  # fmt: skip
            if rest is None or rest == plain:
                continue
            for name, words in WORDS.items():
                if rest in words and name in RIGHT:
                    return side, name
    return None


def known_markers(figure: Figure, labels: Sequence[str]) -> MarkerSet:
    """The markers among these labels whose places are known, on the built-in body.

    Raises:
        ArgumentError: fewer than six.
    """
    places: dict[str, tuple[str, tuple[float, float, float]]] = {}
    taken: set[tuple[str, str]] = set()
    for label in labels:
        found = landmark(label)
        if found is None or found in taken:
            continue
        taken.add(found)
        side, name = found
        bone, at = RIGHT[name] if side else MIDDLE[name]
        x, y, z = at
        link = bone if bone == "pelvis" else f"{bone}_{side}"
        places[label] = (link, (x, -y if side == "l" else y, z))
    if len(places) < 6:
        raise ArgumentError(
            f"of {len(labels)} markers {len(places)} have labels that are known ({', '.join(places) or 'none'}); the "
            f"built-in body needs six: ASIS, PSIS, knees, ankles, heels ...; labels are {', '.join(labels[:12])}; "
            "give a model with these markers: --model x.osim"
        )
    return MarkerSet.of(figure, {label: (link, np.array(at)) for label, (link, at) in places.items()})
