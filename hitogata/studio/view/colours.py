"""Colours of the page, 0...255."""

import colorsys
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Rgb = tuple[int, int, int]

FIGURES: tuple[Rgb, ...] = (
    (205, 146, 98), (104, 142, 196), (120, 168, 96), (164, 128, 192), (201, 166, 66), (96, 170, 168),
)  # fmt: skip
"""Of copies, in turn."""
LINKS: dict[str, Rgb] = {"pin": (186, 70, 84), "held": (238, 186, 88), "near": (120, 190, 90), "grasp": (70, 150, 120)}
"""Of links that are pinned, held by the mouse, held near enough to grasp the bar, and that grasp it."""
PIN: Rgb = (178, 40, 62)
LEASH: Rgb = (238, 160, 40)
ZENITH: Rgb = (176, 196, 222)
HORIZON: Rgb = (240, 243, 247)
GROUND: Rgb = (214, 219, 226)
CELLS: Rgb = (196, 202, 211)
SECTIONS: Rgb = (172, 180, 191)
BAR: Rgb = (92, 100, 112)
BLOCKS: Rgb = (150, 160, 174)
HILLS: Rgb = (168, 184, 158)
CONTACT: Rgb = (40, 150, 90)
PRESSURE: Rgb = (20, 90, 60)
JOINT: Rgb = (90, 90, 200)
REGION: Rgb = (70, 140, 220)
EDGE: Rgb = (24, 78, 150)
OUTSIDE: Rgb = (210, 50, 50)
TRAIL: Rgb = (240, 130, 30)
BONE: Rgb = (30, 40, 60)
THINGS: Rgb = (90, 130, 190)


CAMERA: Rgb = (70, 80, 96)
RAY: Rgb = (236, 180, 60)
GHOST: Rgb = (128, 138, 152)
UNLABELLED: Rgb = (128, 132, 138)
"""Of points without a label."""


def of_labels(labels: Sequence[str]) -> npt.NDArray[np.uint8]:
    """A colour for each label, neighbours in the list far apart (hues by the golden ratio), shape (n, 3)."""
    found = []
    for k, label in enumerate(labels):
        if label.startswith("*"):
            found.append(UNLABELLED)
            continue
        r, g, b = colorsys.hsv_to_rgb((0.61803398875 * k) % 1.0, 0.78, 0.86 if k % 2 else 0.66)
        found.append((round(255 * r), round(255 * g), round(255 * b)))
    return np.array(found, np.uint8).reshape(-1, 3)


def hexed(colour: Iterable[int]) -> str:
    """As pages write it."""
    return "#" + "".join(f"{int(c):02x}" for c in colour)


def of_copies(count: int) -> npt.NDArray[np.uint8]:
    """Colours of copies, shape (count, 3)."""
    return np.array([FIGURES[k % len(FIGURES)] for k in range(count)], np.uint8)
