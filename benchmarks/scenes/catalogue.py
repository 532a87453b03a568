"""All scenes by name."""

from functools import cache

from benchmarks.scenes import bouncing, linked, sliding, spinning, stacking, tunnelling
from benchmarks.scenes.scene import Scene

STEPS = (1 / 1000, 1 / 240, 1 / 60, 1 / 30)


@cache
def catalogue() -> dict[str, Scene]:
    """Every scene."""
    rooms = (stacking, sliding, spinning, bouncing, linked, tunnelling)
    return {scene.name: scene for room in rooms for scene in room.scenes()}
