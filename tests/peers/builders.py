"""Any Figure as a Pinocchio or MuJoCo model, and exact converters between hitogata's q, v, vdot, tau and theirs.

Nothing here uses hitogata's own rotations or dynamics: poses go through scipy, so that the peers stay independent.

    v_peer    = T(q) v                      T = pin_map(figure, q) or mujoco_map(figure, q), shape (nv, nv)
    vdot_peer = T(q) vdot + Tdot v          vdot_to_pin, vdot_to_mujoco
    tau       = T(q)ᵀ tau_peer              (the same power)
    M         = T(q)ᵀ M_peer T(q)           bias = Tᵀ (bias_peer + M_peer Tdot v)

| joint     | hitogata v                       | Pinocchio                       | MuJoCo                              |
|-----------|----------------------------------|---------------------------------|-------------------------------------|
| free      | [ω, velocity of M's origin] in F | [velocity, ω] of M, in M        | [velocity of B in world, ω in B]    |
| ball      | ω in F                           | ω in M                          | ω in B                              |
| universal | two rates                        | two revolutes, massless between | two hinges in one body              |

Both peers add `armature` to their own mass matrix.  MuJoCo applies `damping` (qfrc_passive); Pinocchio has none.
Armature and damping of a free joint are refused where the peers mean something else by them.
"""

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

from hitogata.figure import (
    Box,
    Capsule,
    Figure,
    Frame,
    Joint,
    JointKind,
    Link,
    MassProperties,
    Plane,
    Pose,
    Shape,
    Sphere,
)

GRAVITY = (0.0, 0.0, -9.81)
MAX_PIN_DOF = 100


def _rot(quat) -> np.ndarray:
    """R of a quaternion wxyz."""
    return Rotation.from_quat(quat, scalar_first=True).as_matrix()


def _quat(rot) -> np.ndarray:
    """Quaternion wxyz of R."""
    return Rotation.from_matrix(rot).as_quat(scalar_first=True)


def _mat(pose: Pose) -> np.ndarray:
    """A pose as a 4 x 4 matrix."""
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = _rot(pose.quat), pose.position
    return x


def _inv(x: np.ndarray) -> np.ndarray:
    y = np.eye(4)
    y[:3, :3], y[:3, 3] = x[:3, :3].T, -x[:3, :3].T @ x[:3, 3]
    return y


def _blocks(figure: Figure):
    """(joint, slice of q, slice of v) of every link."""
    for link, iq, iv in zip(figure.links, figure.q_starts, figure.v_starts, strict=True):
        yield link.joint, slice(iq, iq + link.joint.nq), slice(iv, iv + link.joint.nv)


# ------------------------------------------------------- Pinocchio


@dataclass(frozen=True)
class PinMapping:
    """Where links are in the Pinocchio model.

    Attributes:
        frames: id of the Pinocchio frame that is each link's own frame B, in the figure's order.
        joints: id of the Pinocchio joint that each link is fixed to (0 = universe), in the figure's order.
    """

    frames: tuple[int, ...]
    joints: tuple[int, ...]


def to_pinocchio(figure: Figure, *, gravity=GRAVITY) -> tuple[pin.Model, PinMapping]:
    """The figure as a Pinocchio model; every link's frame and named frames are frames of the model.

    v and tau are in the figure's order, joint by joint; see `q_to_pin` and `pin_map` for their parts.
    """
    if figure.nv > MAX_PIN_DOF:
        raise ValueError(f"{figure.nv} DOF: Pinocchio's memory grows as nv³, do not build it above {MAX_PIN_DOF}")
    model = pin.Model()
    model.name = figure.name
    model.gravity.linear = np.array(gravity, float)
    joints: list[int] = []
    frames: list[int] = []
    places: list[np.ndarray] = []  # X_JB: the link's frame in its Pinocchio joint's frame
    armature: list[float] = []
    for link, name, parent in zip(figure.links, figure.joint_names, figure.parents, strict=True):
        joint = link.joint
        if joint.kind is JointKind.FREE and joint.armature:
            raise ValueError(f"{name}: Pinocchio adds a free joint's armature in body axes, hitogata in the world's")
        above, place = (joints[parent], places[parent]) if parent >= 0 else (0, np.eye(4))
        place = place @ _mat(joint.parent_frame)
        own = above
        for suffix, part in _pin_joints(joint):  # none if fixed: the link becomes part of the parent's joint
            own = model.addJoint(own, part, pin.SE3(place), name + suffix)
            place = np.eye(4)
        place = place @ _inv(_mat(joint.child_frame))
        armature += [joint.armature] * joint.nv
        m = link.mass
        model.appendBodyToJoint(own, pin.Inertia(m.mass, np.array(m.centre), m.matrix), pin.SE3(place))
        frames.append(model.addFrame(pin.Frame(f"link:{link.name}", own, 0, pin.SE3(place), pin.FrameType.OP_FRAME)))
        for frame in link.frames:
            x = pin.SE3(place @ _mat(frame.pose))
            model.addFrame(pin.Frame(f"frame:{frame.name}", own, 0, x, pin.FrameType.OP_FRAME))
        joints.append(own)
        places.append(place)
    model.armature = np.array(armature)
    return model, PinMapping(tuple(frames), tuple(joints))


def _pin_joints(joint: Joint):
    axis, axis2 = np.array(joint.axis), np.array(joint.axis2)
    match joint.kind:
        case JointKind.FREE:
            return [("", pin.JointModelFreeFlyer())]
        case JointKind.BALL:
            return [("", pin.JointModelSpherical())]
        case JointKind.HINGE:
            return [("", pin.JointModelRevoluteUnaligned(axis))]
        case JointKind.SLIDER:
            return [("", pin.JointModelPrismaticUnaligned(axis))]
        case JointKind.UNIVERSAL:
            return [(":1", pin.JointModelRevoluteUnaligned(axis)), (":2", pin.JointModelRevoluteUnaligned(axis2))]
    return []


def q_to_pin(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Pinocchio's coordinates: quaternions xyzw; shape (nq,)."""
    out = np.array(q, float)
    for start in figure.quat_starts:
        out[start : start + 4] = np.roll(q[start : start + 4], -1)
    return out


def q_from_pin(figure: Figure, q_pin: np.ndarray) -> np.ndarray:
    """Hitogata's coordinates of Pinocchio's, shape (nq,)."""
    out = np.array(q_pin, float)
    for start in figure.quat_starts:
        out[start : start + 4] = np.roll(q_pin[start : start + 4], 1)
    return out


def pin_map(figure: Figure, q: np.ndarray) -> np.ndarray:
    """T(q) with v_pin = T v, shape (nv, nv)."""
    T = np.eye(figure.nv)
    for joint, sq, sv in _blocks(figure):
        if joint.kind is JointKind.BALL:
            T[sv, sv] = _rot(q[sq]).T
        elif joint.kind is JointKind.FREE:
            R, zero = _rot(q[sq][3:]), np.zeros((3, 3))
            T[sv, sv] = np.block([[zero, R.T], [R.T, zero]])
    return T


def pin_map_rate(figure: Figure, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Tdot v, shape (nv,): only the free joint's linear part, d/dt(Rᵀ) u = -Rᵀ (ω × u)."""
    out = np.zeros(figure.nv)
    for joint, sq, sv in _blocks(figure):
        if joint.kind is JointKind.FREE:
            omega, u = v[sv][:3], v[sv][3:]
            out[sv.start : sv.start + 3] = -_rot(q[sq][3:]).T @ np.cross(omega, u)
    return out


def v_to_pin(figure: Figure, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Pinocchio's velocities, shape (nv,)."""
    return pin_map(figure, q) @ v


def v_from_pin(figure: Figure, q: np.ndarray, v_pin: np.ndarray) -> np.ndarray:
    """Hitogata's velocities of Pinocchio's; q is hitogata's."""
    return np.linalg.solve(pin_map(figure, q), v_pin)


def vdot_to_pin(figure: Figure, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> np.ndarray:
    """Pinocchio's accelerations, shape (nv,)."""
    return pin_map(figure, q) @ vdot + pin_map_rate(figure, q, v)


def vdot_from_pin(figure: Figure, q: np.ndarray, v: np.ndarray, vdot_pin: np.ndarray) -> np.ndarray:
    """Hitogata's accelerations of Pinocchio's; q and v are hitogata's."""
    return np.linalg.solve(pin_map(figure, q), vdot_pin - pin_map_rate(figure, q, v))


def tau_to_pin(figure: Figure, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Pinocchio's joint efforts, shape (nv,)."""
    return np.linalg.solve(pin_map(figure, q).T, tau)


def tau_from_pin(figure: Figure, q: np.ndarray, tau_pin: np.ndarray) -> np.ndarray:
    """Hitogata's joint efforts of Pinocchio's; q is hitogata's."""
    return pin_map(figure, q).T @ tau_pin


# ------------------------------------------------------- MuJoCo


def to_mjcf(figure: Figure, *, gravity=GRAVITY, limits: bool = False, shapes: bool = False) -> str:
    """The figure as MJCF text; bodies are named like links, their frames are the links' frames.

    Contacts and constraints are disabled.  Joints are in the figure's order, so q and v have its sizes and order.

    Args:
        figure: any figure.
        gravity: [m/s²], shape (3,).
        limits: write joint ranges (they act only where constraints are enabled).
        shapes: write shapes as geoms without mass.
    """
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(figure.parents):
        children.setdefault(parent, []).append(i)
    lines = [
        f"<mujoco model={quoteattr(figure.name)}>",
        '  <compiler angle="radian" autolimits="false" fusestatic="false" inertiafromgeom="false"/>',
        f'  <option gravity="{_text(gravity)}"><flag contact="disable" constraint="disable" energy="enable"/></option>',
    ]
    meshes = [
        f'    <mesh name="mesh{i}_{k}" vertex="{_text(np.ravel(shape.vertices))}"/>'
        for i, link in enumerate(figure.links)
        for k, shape in enumerate(link.shapes)
        if shapes and hasattr(shape, "vertices")
    ]
    if meshes:
        lines += ["  <asset>", *meshes, "  </asset>"]
    lines.append("  <worldbody>")
    # without recursion: chains may be deeper than Python's stack
    stack: list[int | str] = list(reversed(children.get(-1, [])))
    depth = 2
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            depth -= 1
            lines.append("  " * depth + item)
            continue
        lines += ["  " * depth + line for line in _body_lines(figure, item, limits, shapes)]
        depth += 1
        stack += ["</body>", *reversed(children.get(item, []))]
    lines += ["  </worldbody>", "</mujoco>"]
    return "\n".join(lines) + "\n"


def _text(numbers) -> str:
    """Numbers with every digit they have."""
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def _place(x: np.ndarray) -> str:
    return f'pos="{_text(x[:3, 3])}" quat="{_text(_quat(x[:3, :3]))}"'


def _body_lines(figure: Figure, i: int, limits: bool, shapes: bool) -> list[str]:
    """<body> and its contents, without children and </body>."""
    link, joint, name = figure.links[i], figure.links[i].joint, figure.joint_names[i]
    X_BM = _mat(joint.child_frame)
    lines = [f"<body name={quoteattr(link.name)} {_place(_mat(joint.parent_frame) @ _inv(X_BM))}>"]
    moments, axes = np.linalg.eigh(link.mass.matrix)
    axes[:, 2] *= np.linalg.det(axes)
    lines.append(
        f'  <inertial mass="{_text(link.mass.mass)}" pos="{_text(link.mass.centre)}" '
        f'quat="{_text(_quat(axes))}" diaginertia="{_text(moments)}"/>'
    )
    if joint.kind is JointKind.FREE and (joint.damping or joint.armature) and np.any(X_BM[:3, 3]):
        raise ValueError(f"{name}: MuJoCo's free joint is at the body's origin, so no damping or armature away from it")
    values = f'damping="{_text(joint.damping)}" armature="{_text(joint.armature)}"'
    at = f'pos="{_text(X_BM[:3, 3])}"'
    axis, axis2 = (f'axis="{_text(X_BM[:3, :3] @ a)}"' for a in (joint.axis, joint.axis2))
    one = two = ""
    if limits and joint.range is not None and joint.kind is not JointKind.BALL:
        pair = np.reshape(joint.range, (-1, 2))
        one, two = (f' limited="true" range="{_text(r)}"' for r in (pair[0], pair[-1]))
    parts = {
        JointKind.FREE: [("", 'type="free"')],
        JointKind.BALL: [("", f'type="ball" {at}')],
        JointKind.HINGE: [("", f'type="hinge" {at} {axis}{one}')],
        JointKind.SLIDER: [("", f'type="slide" {at} {axis}{one}')],
        JointKind.UNIVERSAL: [(":1", f'type="hinge" {at} {axis}{one}'), (":2", f'type="hinge" {at} {axis2}{two}')],
        JointKind.FIXED: [],
    }[joint.kind]
    lines += [f"  <joint name={quoteattr(name + suffix)} {rest} {values}/>" for suffix, rest in parts]
    lines += [f"  <site name={quoteattr(frame.name)} {_place(_mat(frame.pose))}/>" for frame in link.frames]
    if shapes:
        lines += [f"  {_geom(shape, f'mesh{i}_{k}')}" for k, shape in enumerate(link.shapes)]
    return lines


def _geom(shape: Shape, mesh: str) -> str:
    match shape:
        case Sphere():
            what = f'type="sphere" size="{_text(shape.radius)}"'
        case Capsule():
            what = f'type="capsule" size="{_text([shape.radius, shape.half_length])}"'
        case Box():
            what = f'type="box" size="{_text(shape.half_sizes)}"'
        case Plane():
            what = 'type="plane" size="1 1 0.1"'
        case _:
            what = f'type="mesh" mesh="{mesh}"'
    name = f"name={quoteattr(shape.name)} " if shape.name else ""
    return f'<geom {name}{what} {_place(_mat(shape.pose))} mass="0"/>'


def q_to_mujoco(figure: Figure, q: np.ndarray) -> np.ndarray:
    """MuJoCo's qpos, shape (nq,): a free joint gives the pose of B in the world, a ball joint turns about B's axes."""
    out = np.array(q, float)
    for joint, sq, _ in _blocks(figure):
        X_BM = _mat(joint.child_frame)
        if joint.kind is JointKind.BALL:
            out[sq] = _quat(X_BM[:3, :3] @ _rot(q[sq]) @ X_BM[:3, :3].T)
        elif joint.kind is JointKind.FREE:
            X_WB = _mat(joint.parent_frame) @ _free_pose(q[sq]) @ _inv(X_BM)
            out[sq] = [*X_WB[:3, 3], *_quat(X_WB[:3, :3])]
    return out


def q_from_mujoco(figure: Figure, qpos: np.ndarray) -> np.ndarray:
    """Hitogata's coordinates of MuJoCo's, shape (nq,)."""
    out = np.array(qpos, float)
    for joint, sq, _ in _blocks(figure):
        X_BM = _mat(joint.child_frame)
        if joint.kind is JointKind.BALL:
            out[sq] = _quat(X_BM[:3, :3].T @ _rot(qpos[sq]) @ X_BM[:3, :3])
        elif joint.kind is JointKind.FREE:
            X_FM = _inv(_mat(joint.parent_frame)) @ _free_pose(qpos[sq]) @ X_BM
            out[sq] = [*X_FM[:3, 3], *_quat(X_FM[:3, :3])]
    return out


def _free_pose(q: np.ndarray) -> np.ndarray:
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = _rot(q[3:]), q[:3]
    return x


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def mujoco_map(figure: Figure, q: np.ndarray) -> np.ndarray:
    """T(q) with qvel = T v, shape (nv, nv)."""
    T = np.eye(figure.nv)
    for joint, sq, sv in _blocks(figure):
        R_BM = _rot(joint.child_frame.quat)
        if joint.kind is JointKind.BALL:
            T[sv, sv] = R_BM @ _rot(q[sq]).T
        elif joint.kind is JointKind.FREE:
            R_WF, R_FM = _rot(joint.parent_frame.quat), _rot(q[sq][3:])
            arm = R_FM @ _inv(_mat(joint.child_frame))[:3, 3]  # from M's origin to B's, in F
            T[sv, sv] = np.block([[-R_WF @ _skew(arm), R_WF], [R_BM @ R_FM.T, np.zeros((3, 3))]])
    return T


def mujoco_map_rate(figure: Figure, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Tdot v, shape (nv,): B's origin swings around M's, ω × (ω × arm)."""
    out = np.zeros(figure.nv)
    for joint, sq, sv in _blocks(figure):
        if joint.kind is JointKind.FREE:
            arm = _rot(q[sq][3:]) @ _inv(_mat(joint.child_frame))[:3, 3]
            omega = v[sv][:3]
            out[sv.start : sv.start + 3] = _rot(joint.parent_frame.quat) @ np.cross(omega, np.cross(omega, arm))
    return out


def v_to_mujoco(figure: Figure, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """MuJoCo's qvel, shape (nv,)."""
    return mujoco_map(figure, q) @ v


def v_from_mujoco(figure: Figure, q: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Hitogata's velocities of MuJoCo's; q is hitogata's."""
    return np.linalg.solve(mujoco_map(figure, q), qvel)


def vdot_to_mujoco(figure: Figure, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> np.ndarray:
    """MuJoCo's qacc, shape (nv,)."""
    return mujoco_map(figure, q) @ vdot + mujoco_map_rate(figure, q, v)


def vdot_from_mujoco(figure: Figure, q: np.ndarray, v: np.ndarray, qacc: np.ndarray) -> np.ndarray:
    """Hitogata's accelerations of MuJoCo's; q and v are hitogata's."""
    return np.linalg.solve(mujoco_map(figure, q), qacc - mujoco_map_rate(figure, q, v))


def tau_to_mujoco(figure: Figure, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """MuJoCo's qfrc, shape (nv,)."""
    return np.linalg.solve(mujoco_map(figure, q).T, tau)


def tau_from_mujoco(figure: Figure, q: np.ndarray, qfrc: np.ndarray) -> np.ndarray:
    """Hitogata's joint efforts of MuJoCo's; q is hitogata's."""
    return mujoco_map(figure, q).T @ qfrc


def damping_vector(figure: Figure) -> np.ndarray:
    """Damping of every velocity, shape (nv,): the passive effort is -damping * v (Pinocchio has no such thing)."""
    return np.array([link.joint.damping for link in figure.links for _ in range(link.joint.nv)])


# ------------------------------------------------------- random figures


def _random_pose(rng: np.random.Generator, spread: float) -> Pose:
    quat = rng.normal(size=4)
    return Pose(tuple(rng.normal(size=3) * spread), tuple(quat / np.linalg.norm(quat)))


def _random_mass(rng: np.random.Generator) -> MassProperties:
    """A box of random size, density and place: always physical."""
    half = rng.uniform(0.05, 0.3, 3)
    mass = rng.uniform(0.5, 5.0)
    pose = _random_pose(rng, 0.2)
    return Box(tuple(half), pose=pose).mass_properties().scaled(mass)


def random_figure(
    rng: np.random.Generator, dofs: int, *, root: JointKind | None = None, fixed_links: bool = True
) -> Figure:
    """A random tree with nv = `dofs`, of all joint kinds, with random frames, axes and inertias.

    A third of the joints has damping, a third armature (never a free joint).

    Args:
        rng: source of all choices.
        dofs: nv of the figure, 1 or more.
        root: kind of the root joint; None: free, fixed, ball or hinge by chance (free and ball only if `dofs` allows).
        fixed_links: also hang some links on fixed joints.
    """
    if root is None:
        fitting = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE]
        fitting = [kind for kind in fitting if kind.nv <= dofs]
        root = fitting[rng.integers(len(fitting))]
    kinds = [JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]
    kinds += [JointKind.FIXED] if fixed_links else []
    links: list[Link] = []
    left = dofs
    while left > 0 or not links:
        i = len(links)
        if i == 0:
            kind = root
        else:
            fitting = [kind for kind in kinds if kind.nv <= left]
            kind = fitting[rng.integers(len(fitting))]
        left -= kind.nv
        if left < 0:
            raise ValueError(f"a {root.value} root needs {root.nv} dofs, got {dofs}")
        axis, axis2 = rng.normal(size=3), rng.normal(size=3)
        while abs(axis @ axis2) > 0.9 * np.linalg.norm(axis) * np.linalg.norm(axis2):
            axis2 = rng.normal(size=3)
        free = kind is JointKind.FREE
        joint = Joint(
            kind,
            _random_pose(rng, 0.3),
            _random_pose(rng, 0.2),
            axis=tuple(axis),
            axis2=tuple(axis2),
            damping=0.0 if free or rng.random() > 1 / 3 else rng.uniform(0.1, 2.0),
            armature=0.0 if free or rng.random() > 1 / 3 else rng.uniform(0.01, 0.2),
            name=f"joint{i}",
        )
        # mostly the newest links as parents: deep trees with branches
        parent = None if i == 0 else f"link{max(0, i - 1 - int(rng.exponential(1.5)))}"
        frames = (Frame(f"frame{i}", _random_pose(rng, 0.2)),) if rng.random() < 0.3 else ()
        links.append(Link(f"link{i}", parent, joint, _random_mass(rng), frames=frames))
    return Figure.from_links(f"random{dofs}", links)


def random_state(figure: Figure, rng: np.random.Generator, *, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) with random orientations and normal coordinates and velocities."""
    return figure.random(rng, spread=spread), rng.normal(size=figure.nv) * spread
