import warnings

import mujoco
import numpy as np
import pytest

from hitogata import dynamics
from hitogata.figure import Box, Capsule, ConvexMesh, FigureBuilder, Frame, Pose, Sphere, joint
from hitogata.files import read_mjcf, write_mjcf
from hitogata.library import chain, human28, human40


def odd_figure():
    """All joint kinds, frames on both sides, all shapes."""
    rng = np.random.default_rng(3)

    def pose():
        quat = rng.normal(size=4)
        return Pose(tuple(rng.normal(size=3) * 0.2), tuple(quat / np.linalg.norm(quat)))

    b = FigureBuilder("odd")
    b.add("base", None, joint.hinge(axis=(1, 2, 3), parent_frame=pose(), child_frame=pose(), damping=0.3, armature=0.1,
                                    range=(-1, 2), effort_limit=30.0),
          shapes=[Box((0.1, 0.2, 0.3), pose=pose())], frames=[Frame("eye", pose())])  # fmt: skip
    b.add("slide", "base", joint.slider(axis=(0, 1, 1), parent_frame=pose(), child_frame=pose()), shapes=[Sphere(0.1)])
    b.add("cross", "slide", joint.universal((1, 0, 0), (0, 1, 0), parent_frame=pose(), range=((-1, 1), (-0.5, 0.5))),
          shapes=[Capsule.between((0, 0, 0), (0.1, 0.2, 0.3), 0.05)])  # fmt: skip
    b.add("ball", "cross", joint.ball(parent_frame=pose(), child_frame=Pose((0.1, 0.2, -0.1))),
          shapes=[ConvexMesh(rng.normal(size=(9, 3)))])  # fmt: skip
    b.add("stuck", "ball", joint.fixed(parent_frame=pose()), shapes=[Sphere(0.2)])
    return b.build()


@pytest.mark.parametrize("figure", [human28(), human40(), chain(5), odd_figure()], ids=lambda f: f.name)
def test_round_trip_keeps_the_figure(figure, tmp_path):
    path = tmp_path / "figure.xml"
    write_mjcf(figure, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = read_mjcf(path)
    assert (back.nq, back.nv, back.link_names) == (figure.nq, figure.nv, figure.link_names)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = figure.random(rng)
        np.testing.assert_allclose(
            dynamics.forward_kinematics(back, q).matrices, dynamics.forward_kinematics(figure, q).matrices, atol=1e-12
        )
        np.testing.assert_allclose(
            dynamics.mass_matrix(back, q), dynamics.mass_matrix(figure, q), rtol=1e-9, atol=1e-12
        )
    for old, new in zip(figure.links, back.links, strict=True):
        assert new.joint.damping == old.joint.damping
        assert len(new.shapes) == len(old.shapes)
        assert {f.name for f in old.frames} <= {f.name for f in new.frames}


def test_limits_are_written():
    model = mujoco.MjModel.from_xml_string(write_mjcf(odd_figure()))
    np.testing.assert_allclose(model.jnt_range[model.joint("base").id], (-1, 2))
    np.testing.assert_allclose(model.jnt_actfrcrange[model.joint("base").id], (-30, 30))
    np.testing.assert_allclose(model.jnt_range[model.joint("cross_2").id], (-0.5, 0.5))
    assert not model.jnt_limited[model.joint("slide").id]


def test_neutral_pose_of_a_free_figure_is_kept():
    model = mujoco.MjModel.from_xml_string(write_mjcf(human28()))
    np.testing.assert_allclose(model.qpos0[:7], (0, 0, 1, 1, 0, 0, 0))
