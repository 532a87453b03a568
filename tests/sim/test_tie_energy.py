"""Energy of springs and holds, as it is told."""

import pytest

from hitogata.figure import Pose, Sphere
from hitogata.sim import World, hold


def test_energy_of_a_hold_is_by_its_points():
    """A hold that carries nothing has no energy, wherever its points are on its links."""
    world = World()
    a, b = (world.add_body(Sphere(0.1), mass=1.0, pose=Pose((x, 0, 0)), name=f"b{x}") for x in (0, 1))
    hold((a, "b0"), (b, "b1"))
    assert world.energy().ties == pytest.approx(0.0, abs=1e-12)
