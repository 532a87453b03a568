"""The same scene in MuJoCo, with its default settings and many others."""

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import mujoco
import numpy as np

from benchmarks.scenes.exact import dashpot_ratio
from benchmarks.scenes.scene import Array, Scene
from hitogata.figure import Box, JointKind, Plane, Shape
from hitogata.files import write_mjcf


@dataclass(frozen=True)
class MujocoSettings:
    """Some of MuJoCo's options; None: its default.

    Attributes:
        name: for tables.
        integrator: Euler, implicit, implicitfast, RK4 or discrete.
        solver: Newton, CG or PGS.
        elliptic: friction cones instead of pyramids.
        impratio: of friction to normal impedance.
        noslip: iterations that take slip away.
        iterations: of the solver.
        tolerance: of the solver.
        solref: of contacts: time constant [s] and damping ratio, or negative stiffness and damping.
        solimp: of contacts.
        speculative: contacts before impact.
        unsafe: time constants below 2 h are taken as they are.
    """

    name: str
    integrator: str = "Euler"
    solver: str = "Newton"
    elliptic: bool = False
    impratio: float = 1.0
    noslip: int = 0
    iterations: int = 100
    tolerance: float = 1e-8
    solref: tuple[float, float] | None = None
    solimp: tuple[float, float, float] | None = None
    speculative: bool = False
    unsafe: bool = False


mujoco.set_mju_user_warning(lambda _: None)  # of what diverges: verdicts say so

DEFAULT = MujocoSettings("default")
HARD = (0.99, 0.999, 1e-4)


def candidates(scene: Scene, h: float) -> Iterator[MujocoSettings]:
    """Settings worth trying, the most promising first; the default is the first of all."""
    yield DEFAULT
    others = {"smooth": _smooth, "bounce": _bouncing, "contact": _touching, "fast": _fast}[scene.kind]
    yield from others(scene, h)


def _smooth(_: Scene, h: float) -> Iterator[MujocoSettings]:
    for integrator in ("RK4", "implicit", "discrete", "implicitfast"):
        yield MujocoSettings(integrator, integrator)


def _touching(_: Scene, h: float) -> Iterator[MujocoSettings]:
    cone = MujocoSettings("discrete, elliptic, impratio 10", "discrete", elliptic=True, impratio=10.0)
    yield MujocoSettings("discrete", "discrete")
    yield cone
    yield replace(cone, name="discrete, elliptic, impratio 100, 5 ms", impratio=100.0, solref=(0.005, 1.0))
    yield replace(cone, name="discrete, elliptic, impratio 10, 5 ms, hard", solref=(0.005, 1.0), solimp=HARD)
    yield replace(cone, name="discrete, elliptic, 2 h, noslip", impratio=1.0, solref=(2 * h, 1.0), noslip=10)
    yield replace(cone, name="discrete, pyramids, 5 ms, hard", elliptic=False, impratio=1.0, solref=(0.005, 1.0),
                  solimp=HARD)  # fmt: skip
    yield replace(cone, name="discrete, elliptic, hard, speculative", solref=(0.005, 1.0), solimp=HARD,
                  speculative=True)  # fmt: skip
    yield MujocoSettings("implicitfast, elliptic, impratio 10", "implicitfast", elliptic=True, impratio=10.0)
    yield MujocoSettings("implicitfast, elliptic, impratio 100, 2 h, hard", "implicitfast", elliptic=True,
                         impratio=100.0, solref=(2 * h, 1.0), solimp=HARD)  # fmt: skip
    yield MujocoSettings("Euler, pyramids, 2 h, noslip", noslip=10, solref=(2 * h, 1.0))
    yield MujocoSettings("Euler, elliptic, 2 h, hard, noslip", elliptic=True, noslip=10, solref=(2 * h, 1.0),
                         solimp=HARD)  # fmt: skip
    yield MujocoSettings("RK4, elliptic, impratio 10", "RK4", elliptic=True, impratio=10.0)
    yield MujocoSettings("RK4, elliptic, impratio 100, 2 h, hard", "RK4", elliptic=True, impratio=100.0,
                         solref=(2 * h, 1.0), solimp=HARD)  # fmt: skip
    yield MujocoSettings("implicit, pyramids", "implicit")
    yield replace(cone, name="discrete, CG, elliptic, impratio 10", solver="CG")
    yield MujocoSettings("discrete, PGS, elliptic, noslip", "discrete", "PGS", elliptic=True, noslip=10)
    yield MujocoSettings("Euler, PGS, 50 iterations", solver="PGS", iterations=50)


def _fast(scene: Scene, h: float) -> Iterator[MujocoSettings]:
    """Contacts before impact, with each integrator, before all others."""
    for integrator in ("discrete", "Euler", "implicitfast"):
        yield MujocoSettings(f"{integrator}, speculative", integrator, speculative=True)
        yield MujocoSettings(f"{integrator}, elliptic, 2 h, hard, speculative", integrator, elliptic=True,
                             solref=(2 * h, 1.0), solimp=HARD, speculative=True)  # fmt: skip
    yield from _touching(scene, h)


STEPS_OF_IMPACT = (4, 8, 16, 32)


def _bouncing(scene: Scene, h: float) -> Iterator[MujocoSettings]:
    """Springs and dampers whose impact lasts some steps, with the damping ratio of the coefficient of restitution.

    MuJoCo's contacts are springs of acceleration: ä = -k x - b ẋ, with k and b given by a negative solref.
    """
    if scene.restitution == 0:
        yield from _touching(scene, h)
        return
    ratio = dashpot_ratio(scene.restitution)
    for integrator in ("Euler", "RK4", "implicitfast", "discrete"):
        for steps in STEPS_OF_IMPACT:
            rate = math.pi / (steps * h) / math.sqrt(1 - ratio**2)
            yield MujocoSettings(
                f"{integrator}, impact of {steps} h", integrator, solref=(-(rate**2), -2 * ratio * rate),
                solimp=(0.9999, 0.9999, 1e-3), unsafe=True,
            )  # fmt: skip


# ------------------------------------------------------- the model


@lru_cache(maxsize=2)
def _model(scene: Scene) -> mujoco.MjModel:
    """The scene with default settings."""
    spec = mujoco.MjSpec.from_string("<mujoco><compiler angle='radian'/><worldbody/></mujoco>")
    spec.memory = 1 << 30
    for shape in scene.fixed:
        _add_fixed(spec, shape)
    for k, item in enumerate(scene.items):
        child = mujoco.MjSpec.from_string(write_mjcf(item.figure))
        for joint in child.joints:
            if joint.type != mujoco.mjtJoint.mjJNT_FREE:
                joint.damping = [item.damping, 0.0, 0.0] if np.ndim(joint.damping) else item.damping
        for geom in child.geoms:
            if not item.touching:
                geom.contype = geom.conaffinity = 0
        spec.attach(child, prefix=f"i{k}_", frame=spec.worldbody.add_frame())
    spec.option.gravity = [0.0, 0.0, -scene.gravity]
    model = spec.compile()
    model.geom_friction[:, 0] = scene.friction
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return model


def _add_fixed(spec: mujoco.MjSpec, shape: Shape) -> None:
    pose = {"pos": shape.pose.position, "quat": shape.pose.quat}
    if isinstance(shape, Plane):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[100, 100, 1], **pose)
    elif isinstance(shape, Box):
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=shape.half_sizes, **pose)
    else:
        raise TypeError(f"fixed shapes are planes and boxes, got {shape!r}")


def model_with(scene: Scene, h: float, settings: MujocoSettings) -> mujoco.MjModel:
    """The scene with these settings."""
    model = copy.copy(_model(scene))
    option = model.opt
    option.timestep = h
    option.integrator = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3, "discrete": 4}[settings.integrator]
    option.solver = {"PGS": 0, "CG": 1, "Newton": 2}[settings.solver]
    option.cone = int(settings.elliptic)
    option.impratio, option.noslip_iterations = settings.impratio, settings.noslip
    option.iterations, option.tolerance = settings.iterations, settings.tolerance
    if settings.solref is not None:
        model.geom_solref[:] = settings.solref
    if settings.solimp is not None:
        model.geom_solimp[:, :3] = settings.solimp
    if settings.speculative:
        option.enableflags |= mujoco.mjtEnableBit.mjENBL_SPECULATIVE
    if settings.unsafe:
        option.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
    return model


class MujocoRun:
    """MuJoCo that moves on."""

    def __init__(self, scene: Scene, h: float, settings: MujocoSettings = DEFAULT) -> None:
        self.model = model_with(scene, h, settings)
        self.data = mujoco.MjData(self.model)
        self.scene = scene
        self.rules = list(_rules(scene))
        q, v = (np.concatenate([getattr(item, name) for item in scene.items])[None] for name in ("q", "v"))
        self.data.qpos[:] = q[0]
        self.data.qvel[:] = self._turned(q, v, back=True)[0]
        pushes = [np.zeros(item.figure.nv) if item.push is None else item.push for item in scene.items]
        self.data.qfrc_applied[:] = np.concatenate(pushes)

    def advance(self, steps: int) -> float:
        """Processor time of so many steps [s]; NaN if it gave up."""
        begin = time.process_time()
        try:
            mujoco.mj_step(self.model, self.data, steps)
        except mujoco.FatalError:  # more contacts than memory
            return float("nan")
        return time.process_time() - begin

    def state(self) -> tuple[Array, Array]:
        """qpos and qvel."""
        return self.data.qpos.copy(), self.data.qvel.copy()

    def told(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Samples in hitogata's conventions, shapes (n, nq) and (n, nv)."""
        return q, self._turned(q, v)

    def _turned(self, q: Array, v: Array, back: bool = False) -> Array:
        """Velocities: MuJoCo's are linear, then angular in the body; ours angular, then linear, both in the world."""
        result = v.copy()
        for kind, at_q, at_v in self.rules:
            free = kind is JointKind.FREE
            quat = q[:, at_q + 3 : at_q + 7] if free else q[:, at_q : at_q + 4]
            angular = at_v if back or not free else at_v + 3
            turned = rotate(quat, v[:, angular : angular + 3], back)
            if not free:
                result[:, at_v : at_v + 3] = turned
            elif back:
                result[:, at_v : at_v + 3], result[:, at_v + 3 : at_v + 6] = v[:, at_v + 3 : at_v + 6], turned
            else:
                result[:, at_v : at_v + 3], result[:, at_v + 3 : at_v + 6] = turned, v[:, at_v : at_v + 3]
        return result


def _rules(scene: Scene) -> Iterator[tuple[JointKind, int, int]]:
    at_q = at_v = 0
    for item in scene.items:
        for link in item.figure.links:
            kind = link.joint.kind
            if kind in (JointKind.FREE, JointKind.BALL):
                frames = (link.joint.parent_frame, link.joint.child_frame)
                if any(tuple(frame.quat) != (1.0, 0.0, 0.0, 0.0) for frame in frames):
                    raise ValueError(f"link {link.name!r}: its joint's frames are turned; velocities are not converted")
                yield kind, at_q, at_v
            at_q, at_v = at_q + link.joint.nq, at_v + link.joint.nv


def rotate(quat: Array, vector: Array, back: bool = False) -> Array:
    """Vectors turned by quaternions wxyz, shapes (n, 4) and (n, 3); back: by the inverse."""
    w, u = quat[:, :1], -quat[:, 1:] if back else quat[:, 1:]
    cross = 2 * np.cross(u, vector)
    return vector + w * cross + np.cross(u, cross)


def deepest_overlap(scene: Scene, q: Array) -> float:
    """Of different items, or an item and the ground, by MuJoCo's collision detection [m]."""
    model = model_with(scene, 1e-3, DEFAULT)
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    roots = model.body_rootid[model.geom_bodyid[data.contact.geom]]
    apart = roots[:, 0] != roots[:, 1]
    return float(-min(data.contact.dist[apart], default=0.0))
