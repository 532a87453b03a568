"""Things that should stand: stacks, pyramid, wall, card houses, an arch."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from benchmarks.scenes.scene import Item, Scene, body, standing
from hitogata.figure import Box, ConvexMesh

HALF = 0.1
EDGE = 2 * HALF
CUBE = Box((HALF, HALF, HALF))
DRIFT = "drift of the body that moved most"


def scenes() -> Iterator[Scene]:
    """All of them."""
    for count, mass in itertools.product((5, 10, 20), (0.1, 1.0, 10.0)):
        items = [body(CUBE, mass, (0, 0, HALF + EDGE * k)) for k in range(count)]
        yield _standing(f"stack_{count}_{mass:g}kg", items, EDGE, seconds=20.0)
    for name, masses in (("heavy_on_light", (1.0, 1000.0)), ("light_on_heavy", (1000.0, 1.0))):
        yield _standing(name, [body(CUBE, m, (0, 0, HALF + EDGE * k)) for k, m in enumerate(masses)], EDGE)
    yield _standing("pyramid_55", pyramid(10), EDGE)
    yield _standing("wall_52", wall(10, 5), EDGE)
    for storeys in (2, 3, 4):
        yield _standing(f"cards_{storeys}", card_house(storeys), 0.06, limit=1.0)
    yield _standing("arch_11", arch(11), 0.25)


def _standing(name: str, items: list[Item], size: float, *, seconds: float = 10.0, limit: float = 5.0) -> Scene:
    return Scene(name, tuple(items), standing(size), "mm", limit, DRIFT, seconds=seconds)


def pyramid(base: int) -> list[Item]:
    """Rows of cubes of 1 kg, each one shorter than the row below and shifted by half a cube."""
    gap = 0.01
    return [
        body(CUBE, 1.0, ((EDGE + gap) * (k - (base - 1 - row) / 2), 0, HALF + EDGE * row))
        for row in range(base) for k in range(base - row)
    ]  # fmt: skip


def wall(width: int, height: int) -> list[Item]:
    """Courses of bricks of 2 kg in running bond, every second one with half bricks at its ends."""
    half = (0.1, 0.05, 0.04)
    pitch, items = 2.01 * half[0], []
    for row in range(height):
        z = half[2] * (2 * row + 1)
        inner = width - row % 2
        items += [body(Box(half), 2.0, (pitch * (k - (inner - 1) / 2), 0, z)) for k in range(inner)]
        if row % 2:
            short = Box((half[0] / 2, half[1], half[2]))
            items += [body(short, 1.0, (side * pitch * (width / 2 - 0.25), 0, z)) for side in (-1, 1)]
    return items


def card_house(storeys: int, *, length: float = 0.1, thick: float = 0.001, tilt: float = math.pi / 10) -> list[Item]:
    """Pairs of leaning cards of 2 g, and on each storey one long card that carries the next."""
    half = (thick / 2, 0.03, length / 2)
    high = half[2] * math.cos(tilt) + half[0] * math.sin(tilt)
    aside = half[2] * math.sin(tilt) + half[0] * math.cos(tilt)
    pitch, items, floor = 4 * aside + 0.001, [], 0.0
    for storey in range(storeys):
        tents = storeys - storey
        for k, side in itertools.product(range(tents), (-1, 1)):
            turn = (math.cos(tilt / 2), 0.0, -side * math.sin(tilt / 2), 0.0)
            items.append(body(Box(half), 0.002, (pitch * (k - (tents - 1) / 2) + side * aside, 0, floor + high), turn))
        floor += 2 * high
        if tents > 1:
            long = (pitch * (tents - 1) + 0.02) / 2
            items.append(body(Box((long, 0.03, thick / 2)), 0.002 * 2 * long / length, (0, 0, floor + thick / 2)))
            floor += thick
    return items


def arch(count: int, *, inner: float = 1.0, outer: float = 1.25, half_depth: float = 0.15) -> list[Item]:
    """A half circle of wedges, 2000 kg/m³, on the ground; it stands if it is thicker than 0.107 of its mean radius
    (Heyman 1969), here 0.22."""
    items = []
    for k in range(count):
        angles = math.pi * np.array([k, k + 1]) / count
        corners = np.array([(r * math.cos(a), y, r * math.sin(a)) for a in angles for r in (inner, outer)
                            for y in (-half_depth, half_depth)])  # fmt: skip
        middle = ConvexMesh(corners).centre()
        wedge = ConvexMesh(corners - middle)
        items.append(body(wedge, 2000.0 * wedge.volume, tuple(middle)))
    return items
