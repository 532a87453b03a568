"""Motion columns beside Jacobians: carried to a frame's origin, those above the frame are its Jacobian."""

import numpy as np
import pytest

from hitogata.dynamics import forward_kinematics, jacobian, motion_columns
from tests.figure.test_figure import all_kinds


@pytest.mark.parametrize("count", [0, 3])
def test_columns_are_jacobians_about_the_worlds_origin(count):
    figure, rng = all_kinds(), np.random.default_rng(0)
    q = np.tile(figure.neutral(), (max(count, 1), 1))
    for name in ("d", "c", "e"):
        part = figure.q_slice(name)
        q[:, part] += rng.uniform(0, 0.3, (len(q), part.stop - part.start))
    q = q if count else q[0]
    columns, poses = motion_columns(figure, q), forward_kinematics(figure, q)
    for k, name in enumerate(figure.link_names):
        J = np.moveaxis(jacobian(figure, q, name), -2, -1)
        above = (J != 0).any(axis=-1)
        moved = columns.copy()
        moved[..., 3:] += np.cross(columns[..., :3], poses.position[..., k, :][..., None, :])
        np.testing.assert_allclose(np.where(above[..., None], moved, 0.0), J, rtol=0, atol=1e-14)
