"""All of an MJCF file that a world can use: the figure, scenery, springs and limits of joints, actuators, excludes.

An actuator of MuJoCo that acts on a hinge or slider gives, with gear g,

    τ = g clip(gain·u + b0 + b1·g·q + b2·g·q̇)        u: its control

(motor: b = 0; position: gain = kp, b1 = -kp, b2 = -kv; velocity: gain = kv, b2 = -kv; general: any).
"""

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.figure import Figure, Shape
from hitogata.files.compiled import WORLD, figure_of, mujoco_at_work
from hitogata.files.contents import Contents
from hitogata.files.geoms import shape_of
from hitogata.files.leftovers import note_elements
from hitogata.files.mjcf import open_mjcf
from hitogata.files.mjcf_limits import JointLimit, limits_of

Range = tuple[float, float]
_JOINTS = (2, 3)
"""Kinds of MuJoCo's joints that actuators and springs are read of: slide, hinge."""


@dataclass(frozen=True)
class JointSpring:
    """A passive spring in a joint.

    Attributes:
        joint: its name, as in MuJoCo.
        velocity: its place in v.
        coordinate: its place in q.
        stiffness: [N m/rad] or [N/m].
        rest: where it does not pull [rad], [m].
    """

    joint: str
    velocity: int
    coordinate: int
    stiffness: float
    rest: float


@dataclass(frozen=True)
class Actuator:
    """An actuator on a hinge or slider; see above.

    Attributes:
        name: of it.
        joint: what it moves, as in MuJoCo.
        velocity: its place in v.
        coordinate: its place in q.
        gear: torque or force on the joint per force of the actuator.
        gain: force per control.
        bias: b0, b1, b2.
        control_range: controls are clipped to it.
        force_range: forces are clipped to it.
    """

    name: str
    joint: str
    velocity: int
    coordinate: int
    gear: float
    gain: float
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control_range: Range = (-math.inf, math.inf)
    force_range: Range = (-math.inf, math.inf)

    @property
    def stiffness(self) -> float:
        """Of the spring that it is, if it is one [N m/rad]."""
        return max(-self.bias[1], 0.0) * self.gear**2

    @property
    def damping(self) -> float:
        """Of the damper that it is, if it is one [N m s/rad]."""
        return max(-self.bias[2], 0.0) * self.gear**2


@dataclass(frozen=True)
class MjcfModel:
    """What `read_mjcf_model` reads.

    Attributes:
        figure: its bodies and joints, as `read_mjcf` reads them.
        scenery: shapes fixed to the world, for `World.add_ground`.
        springs: in its joints.
        actuators: on its joints, in the order of the file.
        limits: how the limits of its hinges and sliders give way.
        ignored: pairs of links that never touch, for `World.add`: excludes of the file, and bodies that hang on each
            other, also where several joints are between them.
        gravity: [m/s²].
        timestep: MuJoCo's [s].
        left_out: what was left out or changed, all of it, as text.
    """

    figure: Figure
    scenery: tuple[Shape, ...]
    springs: tuple[JointSpring, ...]
    actuators: tuple[Actuator, ...]
    limits: tuple[JointLimit, ...]
    ignored: tuple[tuple[str, str], ...]
    gravity: tuple[float, float, float]
    timestep: float
    left_out: str


def read_mjcf_model(
    path_or_xml: str | os.PathLike[str], *, root: str | None = None, visuals: bool = False, repair_inertia: bool = False
) -> MjcfModel:
    """Read a figure from an MJCF file, with all that acts on it in a world.

    Put together: ``human = world.add(model.figure, ignored=model.ignored)``, and
    ``hitogata.sim.Actuators(human, model)``.  Arguments and errors are those of `read_mjcf`; what is left out is told
    in one FileContentWarning: actuators on tendons, sites and bodies, or with a dynamics of their own, among others.
    """
    source, contents, spec = open_mjcf(path_or_xml)
    note_elements(spec, contents, but=("actuator", "contact exclude"), options=("timestep", "gravity"))
    figure = figure_of(
        spec, source, contents, root=root, visuals=visuals, repair_inertia=repair_inertia, passive_springs=True
    )
    with mujoco_at_work(source, contents):
        model = spec.compile()
    bodies = _bodies_of(model, figure)
    dofs = {int(model.jnt_dofadr[j]) for j in range(model.njnt) if int(model.jnt_bodyid[j]) in bodies}
    adr = {int(model.jnt_qposadr[j]) for j in range(model.njnt) if int(model.jnt_bodyid[j]) in bodies}
    first_v, first_q = min(dofs, default=0), min(adr, default=0)
    scenery = _scenery(model, contents)
    result = MjcfModel(
        figure, scenery, _springs(model, bodies, first_q, first_v, contents),
        _actuators(model, bodies, first_q, first_v, contents), limits_of(model, _JOINTS, bodies, first_v, contents),
        _ignored(model, bodies, figure),
        tuple(float(x) for x in model.opt.gravity), float(model.opt.timestep), contents.full(),  # type: ignore[arg-type]
    )  # fmt: skip
    contents.warn()
    return result


def _bodies_of(model: Any, figure: Figure) -> dict[int, str]:
    """Bodies of the model that are links of the figure, and those fixed to them without mass: by number, names."""
    known = {name: name for name in figure.link_names}
    for link in figure.links:
        known.update({frame.name: link.name for frame in link.frames})
    found = dict[int, str]()
    for i in range(1, model.nbody):
        name = model.body(i).name or f"body{i}"
        if name in known:
            found[i] = known[name]
    return found


def _scenery(model: Any, contents: Contents) -> tuple[Shape, ...]:
    geoms = np.flatnonzero((model.geom_bodyid == WORLD) & (model.geom_contype | model.geom_conaffinity != 0))
    shapes = [shape_of(model, int(geom), model.geom(int(geom)).name, contents) for geom in geoms]
    contents.keep("geom of the world")
    return tuple(shape for shape in shapes if shape is not None)


def _springs(model: Any, bodies: dict[int, str], q: int, v: int, contents: Contents) -> tuple[JointSpring, ...]:
    found = []
    for j in np.flatnonzero(model.jnt_stiffness):
        if int(model.jnt_bodyid[j]) not in bodies:
            continue
        name = model.joint(int(j)).name or f"(no. {j})"
        if int(model.jnt_type[j]) not in _JOINTS:
            contents.leave("joint stiffness", name)
            continue
        at = int(model.jnt_qposadr[j])
        found.append(
            JointSpring(name, int(model.jnt_dofadr[j]) - v, at - q, float(model.jnt_stiffness[j]),
                        float(model.qpos_spring[at]))
        )  # fmt: skip
    return tuple(found)


def _actuators(model: Any, bodies: dict[int, str], q: int, v: int, contents: Contents) -> tuple[Actuator, ...]:
    import mujoco

    on_joint = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    plain = int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtGain.mjGAIN_FIXED)
    biases = (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
    found = []
    for k in range(model.nu):
        name = model.actuator(k).name or f"(no. {k})"
        j = int(model.actuator_trnid[k][0])
        if int(model.actuator_trntype[k]) not in on_joint:
            contents.leave("actuator that does not act on a joint", name)
        elif int(model.jnt_bodyid[j]) not in bodies:
            contents.leave("actuator of another figure", name)
        elif int(model.jnt_type[j]) not in _JOINTS:
            contents.leave("actuator of a free or ball joint", name)
        elif (int(model.actuator_dyntype[k]), int(model.actuator_gaintype[k])) != plain:
            contents.leave("actuator with a dynamics or gain of its own", name)
        elif int(model.actuator_biastype[k]) not in biases:
            contents.leave("actuator with a bias of its own", name)
        else:
            affine = int(model.actuator_biastype[k]) == biases[1]
            b0, b1, b2 = (float(x) if affine else 0.0 for x in model.actuator_biasprm[k][:3])
            found.append(
                Actuator(
                    name, model.joint(j).name or f"(no. {j})", int(model.jnt_dofadr[j]) - v,
                    int(model.jnt_qposadr[j]) - q, float(model.actuator_gear[k][0]),
                    float(model.actuator_gainprm[k][0]), (b0, b1, b2),
                    _range(model.actuator_ctrllimited[k], model.actuator_ctrlrange[k]),
                    _range(model.actuator_forcelimited[k], model.actuator_forcerange[k]),
                )
            )
    return tuple(found)


def _range(limited: Any, values: Any) -> Range:
    return (float(values[0]), float(values[1])) if limited else (-math.inf, math.inf)


def _ignored(model: Any, bodies: dict[int, str], figure: Figure) -> tuple[tuple[str, str], ...]:
    """Excludes of the file, and bodies that hang on each other."""
    pairs = [divmod(int(signature), 1 << 16) for signature in model.exclude_signature]
    welded = [int(model.body_weldid[i]) for i in range(model.nbody)]
    for i in range(1, model.nbody):
        above = welded[int(model.body_parentid[welded[i]])]
        pairs += [(i, j) for j in range(1, model.nbody) if welded[j] == above and above != WORLD and welded[i] != above]
    named = {tuple(sorted((bodies[a], bodies[b]))) for a, b in pairs if a in bodies and b in bodies}
    joined = {tuple(sorted((link.name, link.parent))) for link in figure.links if link.parent is not None}
    return tuple((a, b) for a, b in sorted(named - joined) if a != b)
