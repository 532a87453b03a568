"""A figure that was read against what MuJoCo itself makes of the file: poses and mass matrix at random states."""

import mujoco
import numpy as np
import pinocchio as pin

from hitogata.figure import Figure
from tests.peers import builders as b


def assert_same_as_mujoco(figure: Figure, model: mujoco.MjModel, *, tolerance: float = 1e-12) -> None:
    """Every link and named frame at MuJoCo's place, and the same mass matrix, at three random states."""
    assert (figure.nq, figure.nv) == (model.nq, model.nv)
    peer, mapping = b.to_pinocchio(figure)
    data, theirs = peer.createData(), mujoco.MjData(model)
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, _ = b.random_state(figure, rng)
        theirs.qpos[:] = b.q_to_mujoco(figure, q)
        mujoco.mj_forward(model, theirs)
        q_pin = b.q_to_pin(figure, q)
        pin.framesForwardKinematics(peer, data, q_pin)
        for link, frame in zip(figure.links, mapping.frames, strict=True):
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, link.name)
            if body >= 0:  # not so a link that was put between joints
                close(data.oMf[frame].translation, theirs.xpos[body])
                close(data.oMf[frame].rotation.ravel(), theirs.xmat[body])
            for named in link.frames:
                place = data.oMf[peer.getFrameId(f"frame:{named.name}")]
                site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, named.name)
                close(place.translation, theirs.site_xpos[site] if site >= 0 else theirs.body(named.name).xpos)
        upper = np.triu(pin.crba(peer, data, q_pin))
        T = b.pin_map(figure, q)
        ours = T.T @ (upper + np.triu(upper, 1).T) @ T
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, theirs, full)
        T = b.mujoco_map(figure, q)
        close(ours, T.T @ full @ T, tolerance)


def close(a, b, tolerance: float = 1e-12) -> None:
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)
