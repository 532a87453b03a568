"""The table of links of a motion that was carried over: others are chosen, refused ones wait to be filled in."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.files import write_bvh
from hitogata.studio import StudioOptions
from tests.motion.odd import renamed, walk_bvh

pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """A studio whose clock does not run: what is posted is done at once."""
    from hitogata.studio import Studio

    studio = Studio("human28", options=StudioOptions(port=0, folder=tmp_path_factory.mktemp("out")))
    studio.ready = True
    studio.post = lambda what, task: task()
    yield studio
    studio.stop()


def content(bvh, folder):
    write_bvh(bvh, folder / "walk.bvh")
    return (folder / "walk.bvh").read_bytes()


def test_table_of_links(studio, tmp_path):
    table, figure = studio.page.motion.pairs, studio.stage.figure
    walk = walk_bvh(seconds=1.0)
    studio.page.motion._open("walk.bvh", content(walk, tmp_path))
    assert table.folder.visible
    assert {name: row.value for name, row in table.rows.items()} == dict(studio.carried_now().pairs)
    first, part = studio.motion, figure.q_slice("elbow_left")
    table.rows["forearm_left"].value = "–"
    table._carry(None)
    assert "forearm_left" not in studio.carried_now().pairs
    assert table.rows["forearm_left"].value == "–"
    assert np.ptp(studio.motion.q[:, part]) < 1e-9 < np.ptp(first.q[:, part])
    second = studio.motion
    table.rows["forearm_left"].value = "RightForeArm"
    with pytest.raises(ArgumentError, match="both follow 'RightForeArm'"):
        table._carry(None)
    assert studio.motion is second
    strange = renamed(walk, {name: f"j{k}" for k, name in enumerate(walk.names)} | {"LeftArm": "neck_1"})
    studio.page.motion._open("walk.bvh", content(strange, tmp_path))
    assert studio.motion is second  # the work before is kept
    assert "cannot be right" in studio.guard.messages[-1]
    assert {row.value for row in table.rows.values()} == {"–"}
    with pytest.raises(ArgumentError, match="at least one"):
        table._carry(None)
    names = dict(zip(walk.names, strange.names, strict=True))
    for name, row in table.rows.items():
        other = {"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "forearm": "ForeArm"}.get(name.rsplit("_", 1)[0])
        if other:
            row.value = names[name.rsplit("_", 1)[1].capitalize() + other]
    table.rows["pelvis"].value = names["Hips"]
    table._carry(None)
    assert studio.motion is not second
    assert studio.carried_now().pairs["shin_left"] == names["LeftLeg"]
