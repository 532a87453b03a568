"""Robots and humanoids of other packages walk after a capture."""

import sysconfig
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks.retargeting import judged
from hitogata.dynamics import forward_kinematics
from hitogata.files import read_bvh, read_mjcf, read_urdf
from hitogata.files.names import Part, Side
from hitogata.motion import retarget_bvh
from tests.motion.odd import walk_bvh
from tests.reference import reference

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")


def model(package, *names):
    """A file of a package; skips where the package is absent."""
    found = find_spec(package)
    folder = ROBOTS if package == "example_robot_data" else Path(found.origin).parent if found else None
    if folder is None or not folder.joinpath(*names).exists():
        pytest.skip(f"{package} is not installed: pip install --no-deps {package.replace('_', '-')}")
    return folder.joinpath(*names)


# feet flat to [deg], sliding by [m]; ankles of some do not turn sideways, gymnasium's humanoid has none
CASES = {
    "G1": (("example_robot_data", "g1_description", "urdf", "g1_29dof_rev_1_0.urdf"), 4.0, 0.015),
    "Talos": (("example_robot_data", "talos_data", "robots", "talos_reduced.urdf"), 3.0, 0.005),
    "Romeo": (("example_robot_data", "romeo_description", "urdf", "romeo.urdf"), 3.5, 0.005),
    "iCub": (("example_robot_data", "icub_description", "robots", "icub.urdf"), 7.0, 0.015),
    "gymnasium": (("gymnasium", "envs", "mujoco", "assets", "humanoid.xml"), 90.0, 0.05),
    "dm_control": (("dm_control", "suite", "humanoid.xml"), 9.0, 0.05),
    "dm_control CMU": (("dm_control", "suite", "humanoid_CMU.xml"), 30.0, 0.01),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", CASES)
def test_a_captured_walk(key):
    names, tilt, slide = CASES[key]
    path = model(*names)
    bvh = read_bvh(reference("bvh", "16_15.bvh"))
    bvh = replace(bvh, values=bvh.values[:120])
    read = read_mjcf if path.suffix == ".xml" else read_urdf
    figure = read(path, repair_inertia=True, **({} if path.suffix == ".xml" else {"free_base": True}))
    found = retarget_bvh(bvh, figure)
    roles = set(found.mapping.parts.values())
    assert {(part, side) for part in (Part.THIGH, Part.SHIN, Part.FOOT) for side in (Side.LEFT, Side.RIGHT)} <= roles
    verdict = judged(bvh, figure, found)
    assert verdict.away < 0.02
    assert verdict.outside < 0.1
    assert verdict.tilt < tilt
    assert verdict.slide < slide
    places = forward_kinematics(figure, found.trajectory.q).position
    hips, ankles = (
        np.mean([places[:, figure.link_index(n)] for n in found.mapping.links(part)], axis=0)
        for part in (Part.THIGH, Part.FOOT)
    )
    assert (hips[:, 2] - ankles[:, 2]).min() > 0.3 * np.ptp(places[0, :, 2])  # it stands, and goes where it looks
    way = hips[-1] - hips[0]
    left, right = (places[:, figure.link_index(found.mapping.links(Part.THIGH, s)[0])] for s in (Side.LEFT, Side.RIGHT))
    ahead = np.cross((left - right).mean(axis=0), (0, 0, 1))
    assert ahead @ way > 0.9 * np.linalg.norm(ahead) * np.linalg.norm(way)


@pytest.mark.filterwarnings("ignore")
def test_a_model_whose_y_is_up():
    """A human whose neutral pose lies on its back, seen with z up, walks upright; coordinates mean what they did."""
    figure = read_urdf(model("example_robot_data", "human_description", "robots", "human.urdf"), free_base=True)
    found = retarget_bvh(walk_bvh(), figure)
    places = forward_kinematics(figure, found.trajectory.q).position
    head = places[:, figure.link_index("middle_head")]
    feet = np.mean([places[:, figure.link_index(n)] for n in found.mapping.links(Part.FOOT)], axis=0)
    up = (head - feet) / np.linalg.norm(head - feet, axis=1, keepdims=True)
    assert up[:, 2].min() > 0.9
