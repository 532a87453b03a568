"""Fifty humans for a minute: what frames of 1/60 s cost while they stand, walk, are hit, fall and lie, beside MuJoCo.

    python -m benchmarks frame_times [SECONDS OF EACH]

Virtual humans in rows, 1.3 m apart; springs and dampers in all joints.  Walking: their targets follow a captured walk,
and a spring and a damper pull the pelvis along (explicit forces, the same in both engines).  Hit: a ball of 3 kg at
6 m/s at the chest of the next one, four times a second.  Fallen: springs off.  Lying: the same, later.  Ours has the
settings for games, with sleep; MuJoCo takes four steps a frame (with one it flies apart), Newton, sparse, implicitfast;
where it flies apart, it ends.
Times are processor time of the steps alone, without setting targets.
"""

import sys
import time
from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.timing import table
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Pose, Sphere, State
from hitogata.files import write_mjcf
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.sim import Settings, World

H, COUNT, APART, BALLS, EVERY = 1 / 60, 50, 1.3, 20, 15
PHASES = ("standing", "walking", "hit", "fallen", "lying")
FIGURE = virtual_human()
WALK = sample_walk()
STIFF, DAMP, LIMP = 2000.0, 60.0, 5.0
PULL, TURN = (2000.0, 700.0), (300.0, 60.0)
CHEST = FIGURE.link_index("chest")
PER_FRAME = 4


def homes() -> np.ndarray:
    """Where they stand, shape (COUNT, 2) [m]."""
    return APART * np.array([(k % 10, k // 10) for k in range(COUNT)], float)


def walking(second: float) -> np.ndarray:
    """Coordinates of the walk, to and fro, about the origin, shape (nq,)."""
    span = WALK.time[-1] - WALK.time[0]
    row = int(np.searchsorted(WALK.time - WALK.time[0], span - abs(second % (2 * span) - span)))
    q = WALK.q[min(row, len(WALK.q) - 1)].copy()
    q[:2] -= WALK.q[0, :2]
    return q


def lead(q: np.ndarray, v: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque on a pelvis, world axes; v: velocity and angular velocity there."""
    w, x, y, z = q[3:7] / np.linalg.norm(q[3:7])
    a, b, c, d = wanted[3:7]
    error = np.array([  # vector part of wanted * conj(now)
        -a * x + b * w - c * z + d * y, -a * y + b * z + c * w - d * x, -a * z - b * y + c * x + d * w,
    ])  # fmt: skip
    error *= 2.0 * np.sign(a * w + b * x + c * y + d * z)
    return PULL[0] * (wanted[:3] - q[:3]) - PULL[1] * v[:3], TURN[0] * error - TURN[1] * v[3:]


class Ours:
    """The scene here."""

    def __init__(self) -> None:
        self.world = World(settings=Settings.games())
        self.world.add_ground()
        self.members = [self.world.add(FIGURE, State(FIGURE.neutral(), np.zeros(FIGURE.nv)), at=at) for at in homes()]
        self.balls = [self.world.add_body(Sphere(0.11), mass=3.0, pose=Pose((-5.0 - k, -5.0, 0.11)))
                      for k in range(BALLS)]  # fmt: skip
        self.spring(STIFF, DAMP)

    def spring(self, stiffness: float, damping: float) -> None:
        for member in self.members:
            member.set_motor(stiffness, damping)

    def walk(self, second: float) -> None:
        for member, home in zip(self.members, homes(), strict=True):
            wanted = walking(second)
            wanted[:2] += home
            member.set_target(wanted)
            force, torque = lead(member.q, np.concatenate([member.v[3:6], member.v[:3]]), wanted)
            member.pull("pelvis", force, torque)

    def let_go(self) -> None:
        for member in self.members:
            member.pull("pelvis")
            member.set_target(FIGURE.neutral())

    def chest(self, k: int) -> np.ndarray:
        return forward_kinematics(FIGURE, self.members[k].q).position[CHEST]

    def throw(self, ball: int, start: np.ndarray, velocity: np.ndarray) -> None:
        self.balls[ball].state = State(np.array([*start, 1.0, 0, 0, 0]), np.array([0, 0, 0, *velocity]))

    def step(self) -> None:
        self.world.step(H)

    def well(self) -> bool:
        return all(np.isfinite(member.q).all() for member in self.members)


class Theirs:
    """The scene in MuJoCo."""

    def __init__(self) -> None:
        option = f'<option timestep="{H / PER_FRAME}" solver="Newton" jacobian="sparse" integrator="implicitfast"/>'
        ground = '<geom type="plane" size="50 50 .1" friction=".8"/>'
        balls = "".join(f'<body pos="{-5.0 - k} -5 .11"><freejoint/><geom size=".11" mass="3" friction=".8"/></body>'
                        for k in range(BALLS))  # fmt: skip
        spec = mujoco.MjSpec.from_string(
            f'<mujoco>{option}<size memory="1G"/><worldbody>{ground}{balls}</worldbody></mujoco>'
        )
        for k in range(COUNT):
            spec.attach(mujoco.MjSpec.from_string(write_mjcf(FIGURE)), prefix=f"f{k}_",
                        frame=spec.worldbody.add_frame())  # fmt: skip
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.nq, self.nv = FIGURE.nq, FIGURE.nv
        q, free = FIGURE.neutral(), 7 * BALLS
        for k, home in enumerate(homes()):
            self.data.qpos[free + k * self.nq : free + (k + 1) * self.nq] = [*(q[:2] + home), *q[2:]]
        self.model.qpos_spring[:] = self.data.qpos
        self.pelvis = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"f{k}_pelvis") for k in range(COUNT)]
        self.chests = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"f{k}_chest") for k in range(COUNT)]
        self.spring(STIFF, DAMP)

    def spring(self, stiffness: float, damping: float) -> None:
        model = self.model
        free = model.jnt_type == mujoco.mjtJoint.mjJNT_FREE
        _first(model.jnt_stiffness)[:] = np.where(free, 0.0, stiffness)
        _first(model.dof_damping)[:] = np.where(free[model.dof_jntid], 0.0, damping)

    def _part(self, k: int) -> slice:
        return slice(7 * BALLS + k * self.nq, 7 * BALLS + (k + 1) * self.nq)

    def walk(self, second: float) -> None:
        for k, home in enumerate(homes()):
            wanted, at = walking(second), 6 * BALLS + k * self.nv
            wanted[:2] += home
            self.model.qpos_spring[self._part(k)] = wanted
            q, body = self.data.qpos[self._part(k)], self.pelvis[k]
            turn = self.data.xmat[body].reshape(3, 3)
            v = np.concatenate([self.data.qvel[at : at + 3], turn @ self.data.qvel[at + 3 : at + 6]])
            self.data.xfrc_applied[body] = np.concatenate(lead(q, v, wanted))

    def let_go(self) -> None:
        self.data.xfrc_applied[:] = 0.0
        for k in range(COUNT):
            self.model.qpos_spring[self._part(k)] = FIGURE.neutral()

    def chest(self, k: int) -> np.ndarray:
        return self.data.xpos[self.chests[k]].copy()

    def throw(self, ball: int, start: np.ndarray, velocity: np.ndarray) -> None:
        self.data.qpos[7 * ball : 7 * ball + 7] = [*start, 1.0, 0, 0, 0]
        self.data.qvel[6 * ball : 6 * ball + 6] = [*velocity, 0, 0, 0]

    def step(self) -> None:
        mujoco.mj_step(self.model, self.data, PER_FRAME)

    def well(self) -> bool:
        warned = self.data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
        return bool(np.isfinite(self.data.qpos).all()) and not warned


def _first(array: np.ndarray) -> np.ndarray:
    """The linear one of several coefficients, where MuJoCo has several."""
    return array if array.ndim == 1 else array[:, 0]


def run(scene: Ours | Theirs, seconds: float) -> dict[str, np.ndarray]:
    """Processor time of every frame [ms], by phase."""
    found = {}
    for phase in PHASES:
        if phase == "hit":
            scene.let_go()
        if phase == "fallen":
            scene.spring(0.0, LIMP)
        times = []
        for k in range(round(seconds / H)):
            _before(scene, phase, k)
            begin = time.process_time()
            try:
                scene.step()
            except mujoco.FatalError:  # it flew apart: more contacts than memory
                return found
            times.append(1e3 * (time.process_time() - begin))
        if not scene.well():
            return found
        found[phase] = np.array(times)
        print(f"  {type(scene).__name__} {phase}: " + " / ".join(_cells(found, phase)), flush=True)
    return found


def _cells(found: dict[str, np.ndarray], phase: str) -> list[str]:
    """Median, 99th percentile and worst [ms]."""
    times = found.get(phase)
    if times is None:
        return ["flew apart", "", ""]
    return [f"{x:.2f}" for x in (np.median(times), np.percentile(times, 99), times.max())]


def _before(scene: Ours | Theirs, phase: str, k: int) -> None:
    """What is done before a frame."""
    if phase == "walking":
        scene.walk(k * H)
    if phase == "hit" and k % EVERY == 0:
        number = k // EVERY
        aim = scene.chest(number % COUNT)
        scene.throw(number % BALLS, aim + [0.5, 0.0, 0.0], np.array([-6.0, 0.0, 0.0]))


def warmed(make: Callable[[], Ours | Theirs]) -> Ours | Theirs:
    """A scene whose code has run once."""
    make().step()
    return make()


def main() -> None:
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 12.0
    ours, theirs = run(warmed(Ours), seconds), run(warmed(Theirs), seconds)
    rows = [[phase, *_cells(ours, phase), *_cells(theirs, phase)] for phase in PHASES]
    table(f"{COUNT} humans, {seconds:.0f} s of each, processor time per frame [ms]",
          ["", "p50", "p99", "worst", "MuJoCo p50", "p99", "worst"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
