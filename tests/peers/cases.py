"""Figures at random states beside their Pinocchio and MuJoCo models, for the tests that compare the three."""

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
import pinocchio as pin

from hitogata.figure import Figure, JointKind
from hitogata.library import human28, human40
from tests.peers import builders as b

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED  # at the frame's origin, in world axes
ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


def random_trees() -> list[Figure]:
    """20 trees of 3 to 60 DOF, each kind of root in turn."""
    sizes = np.linspace(3, 60, 20).astype(int)
    roots = [ROOTS[i % len(ROOTS)] for i in range(len(sizes))]
    sizes[0] = JointKind.FREE.nv  # the smallest is a single floating body
    return [
        b.random_figure(np.random.default_rng(seed), int(dofs), root=root)
        for seed, (dofs, root) in enumerate(zip(sizes, roots, strict=True))
    ]


def close(ours, theirs, tolerance=1e-10):
    """Agreement relative to the largest entry of the array.

    Entries that all vanish (rates of a Jacobian of hinges, say) have no size of their own: figures have metres,
    kilograms and radians per second of about 1, and nothing is asked to be better than 1e-10 of 0.1.
    """
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    error, scale = np.abs(ours - theirs).max(initial=0.0), max(0.1, np.abs(theirs).max(initial=0.0))
    assert error <= tolerance * scale, f"off by {error / scale:.1e} of the largest entry, {scale:.3g}"


@dataclass(repr=False)
class Case:
    """One figure at one state, and both peers there."""

    figure: Figure

    def __post_init__(self):
        f, rng = self.figure, np.random.default_rng(1000 + self.figure.nv)
        self.q, self.v = b.random_state(f, rng)
        self.vdot, self.tau = rng.normal(size=f.nv), rng.normal(size=f.nv) * 10
        self.wrenches = rng.normal(size=(f.nlinks, 6)) * 10
        self.damping = b.damping_vector(f)

    @property
    def frames(self) -> list[str]:
        """Names of all frames: links, and those fixed to them."""
        return [*self.figure.link_names, *(frame.name for link in self.figure.links for frame in link.frames)]

    # ------------------------------------------------------- Pinocchio

    @cached_property
    def _pin(self):
        model, mapping = b.to_pinocchio(self.figure)
        return model, mapping, model.createData()

    @property
    def pin_state(self):
        """Model, fresh data, and Pinocchio's q, v, vdot."""
        f, (model, _, data) = self.figure, self._pin
        return (model, data, b.q_to_pin(f, self.q), b.v_to_pin(f, self.q, self.v),
                b.vdot_to_pin(f, self.q, self.v, self.vdot))  # fmt: skip

    def pin_frame(self, name: str) -> int:
        """Id of a frame of ours in Pinocchio's model."""
        kind = "link" if name in self.figure.link_names else "frame"
        return self._pin[0].getFrameId(f"{kind}:{name}")

    def pin_wrenches(self):
        """External forces on Pinocchio's joints, in their frames; `forwardKinematics` has been called."""
        model, mapping, data = self._pin
        pin.updateFramePlacements(model, data)
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(model.njoints)])
        for joint, frame, (*torque, fx, fy, fz) in zip(mapping.joints, mapping.frames, self.wrenches, strict=True):
            force = np.array([fx, fy, fz])
            about_origin = pin.Force(force, torque + np.cross(data.oMf[frame].translation, force))
            forces[joint] = forces[joint] + data.oMi[joint].actInv(about_origin)
        return forces

    # ------------------------------------------------------- MuJoCo

    @cached_property
    def _mujoco(self):
        model = mujoco.MjModel.from_xml_string(b.to_mjcf(self.figure))
        return model, mujoco.MjData(model)

    @property
    def mujoco_state(self):
        """Model, and data with positions and velocities computed and no forces."""
        f, (model, data) = self.figure, self._mujoco
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = b.q_to_mujoco(f, self.q), b.v_to_mujoco(f, self.q, self.v)
        mujoco.mj_forward(model, data)
        return model, data

    def push_mujoco(self, data) -> None:
        """Put our wrenches, which are about links' origins, on MuJoCo's bodies, where they are about their centres."""
        torque, force = self.wrenches[:, :3], self.wrenches[:, 3:]
        data.xfrc_applied[1:, :3] = force
        data.xfrc_applied[1:, 3:] = torque + np.cross(data.xpos[1:] - data.xipos[1:], force)


FIGURES = [human28(), human40(), *random_trees()]
"""What the peers are asked about."""

CASES = [Case(figure) for figure in FIGURES]
IDS = [f"{f.name}-{f.links[0].joint.kind.value}" for f in FIGURES]
