"""Every scene does what is stored, and would not with one coefficient changed by 1e-9."""

import pytest

import tests.golden.scenes  # noqa: F401
from tests.golden.scene import GOLDENS
from tests.golden.store import differences, made, stored

SCENES = pytest.mark.parametrize("scene", GOLDENS.values(), ids=list(GOLDENS))


@SCENES
def test_scene_does_what_is_stored(scene):
    found = differences(scene, made(scene), stored(scene))
    assert not found, (
        "\n".join([scene.name, *found]) + "\nif this is meant to be: python -m tests.golden --record, and say why"
    )


@SCENES
def test_a_small_change_of_a_coefficient_is_seen(scene):
    golden = {name: array for name, array in stored(scene).items() if not name.startswith("100 ")}
    found = differences(scene, made(scene, scene.nudge, last=10), golden)
    assert found, f"{scene.name}: another coefficient, by {scene.nudge:g} of itself, is not seen"
