"""What do 60 strands of 12 links cost per frame of 1/60 s, beside MuJoCo?

A head, a ball on a motor, turns to and fro by 35° at 0.8 Hz.  Each joint has an oval range of motion (35° by 20°) and a
twist of 10°; in MuJoCo, whose ball joints know one angle only, 35° about any axis.  Strands touch the head, not each
other.  MuJoCo has the strands as branches of the head, with the same masses, armature and damping; Newton, sparse, with
1, 4 and 8 steps a frame where it stays finite; its limits are looked at in the last frame only.

Times are processor time.  Two seconds are run several times over from the same state; the least time of each frame
counts, and of these the mean and the worst.
"""

import itertools
import math
import time
from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.timing import table
from hitogata.figure import FigureBuilder, Sphere, joint
from hitogata.library import cap_of_roots, strand
from hitogata.sim import Settings, Strands, World

H, FRAMES, REPEATS, RADIUS = 1 / 60, 120, 6, 0.11
STRANDS, LINKS = 60, 12
WHOLE = mujoco.mjtState.mjSTATE_INTEGRATION
ROOTS = cap_of_roots(STRANDS, radius=RADIUS + 0.005)


def target(frame: int) -> float:
    return 0.6 * math.sin(2 * math.pi * 0.8 * frame * H)


def frame_times(run: Callable[[int], None], again: Callable[[], None]) -> tuple[float, float]:
    """Mean and worst of the least times of all frames [s]."""
    least = np.full(FRAMES, np.inf)
    for _ in range(REPEATS):
        again()
        for k in range(FRAMES):
            start = time.process_time()
            run(k)
            least[k] = min(least[k], time.process_time() - start)
    return float(least.mean()), float(least.max())


def ours(*, touching: bool, **settings: float) -> tuple[float, float, float]:
    """Mean and worst time of a frame [s], and how far the worst joint came beyond its range [deg]."""
    builder = FigureBuilder("head")
    builder.add("head", None, joint.hinge((0, 0, 1)), shapes=(Sphere(RADIUS),), density=800.0)
    world = World(settings=Settings(**settings))
    head = world.add(builder.build())
    head.set_motor(500.0, 20.0)
    figure = strand(LINKS, bare=1 if touching else LINKS)
    hair = Strands(world, head, "head", figure, ROOTS)
    world.step(H, steps=120)
    saved, worst = world.save(), 0.0

    def run(k: int) -> None:
        head.set_target([target(k)])
        world.step(H)

    times = frame_times(run, lambda: world.restore(saved))
    world.restore(saved)
    for k in range(FRAMES):
        run(k)
        found = figure.links[1].joint.range.violation(hair.q[:, 7:].reshape(-1, 4))
        worst = max(worst, found.swing_depth.max(), found.twist_depth.max())
    return *times, math.degrees(worst)


def chain_text(k: int) -> str:
    """A strand as nested bodies."""
    figure, text = strand(LINKS), ""
    for i, link in enumerate(figure.links[1:]):
        pose = ROOTS[k] if i == 0 else link.joint.parent_frame
        shape = strand(LINKS, bare=0).links[i + 1].shapes[0]
        touches = "1" if i else "0"
        text += (
            f'<body pos="{" ".join(map(str, pose.position))}" quat="{" ".join(map(str, pose.quat))}">'
            f'<joint type="ball" range="0 {math.radians(35)}" damping="{link.joint.damping}" '
            f'armature="{link.joint.armature}"/><geom type="capsule" size="{shape.radius}" mass="{link.mass.mass}" '
            f'fromto="0 0 0 {2 * shape.half_length} 0 0" contype="0" conaffinity="{touches}"/>'
        )
    return text + "</body>" * LINKS


def theirs() -> dict[str, tuple[float, float, float]]:
    results: dict[str, tuple[float, float, float]] = {}
    chains = "".join(chain_text(k) for k in range(STRANDS))
    for integrator, pieces in itertools.product(("implicitfast", "Euler"), (1, 4, 8)):
        model = mujoco.MjModel.from_xml_string(f"""<mujoco><compiler angle="radian" autolimits="true"/>
            <option timestep="{H / pieces}" integrator="{integrator}" jacobian="sparse"/><size memory="200M"/>
            <worldbody><body><joint name="turn" type="hinge" axis="0 0 1"/>
            <geom type="sphere" size="{RADIUS}" density="800" contype="1" conaffinity="0"/>{chains}</body></worldbody>
            <actuator><position joint="turn" kp="500" kv="20"/></actuator></mujoco>""")
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 120 * pieces)
        state = np.zeros(mujoco.mj_stateSize(model, WHOLE))
        mujoco.mj_getState(model, data, state, WHOLE)

        def run(k: int, model: mujoco.MjModel = model, data: mujoco.MjData = data, pieces: int = pieces) -> None:
            data.ctrl[0] = target(k)
            mujoco.mj_step(model, data, pieces)

        def again(model: mujoco.MjModel = model, data: mujoco.MjData = data, state: np.ndarray = state) -> None:
            mujoco.mj_setState(model, data, state, WHOLE)

        run(0)
        if any(warning.number for warning in data.warning):
            continue  # it became infinite, and began anew
        times = frame_times(run, again)
        if any(warning.number for warning in data.warning):
            continue
        quats = data.qpos[1:].reshape(-1, 4)
        angle = 2 * np.arctan2(np.linalg.norm(quats[:, 1:], axis=1), np.abs(quats[:, 0]))
        results[f"{integrator}, {pieces} steps a frame"] = (*times, math.degrees(angle.max()) - 35.0)
    return results


def main() -> None:
    rows = {
        "hitogata, hair in the air": ours(touching=False),
        "hitogata, hair on the head": ours(touching=True),
        "the same, contact_margin=0.005": ours(touching=True, contact_margin=0.005),
        "the same, and fast_turn=0.1": ours(touching=True, contact_margin=0.005, fast_turn=0.1),
    }
    rows |= {f"MuJoCo, hair on the head ({name})": result for name, result in theirs().items()}
    lines = [[k, f"{a * 1e3:.2f}", f"{b * 1e3:.2f}", f"{c:.2f}"] for k, (a, b, c) in rows.items()]
    head = ["", "mean, ms", "worst frame, ms", "beyond range, deg"]
    table(f"{STRANDS} strands of {LINKS} links, one frame of 1/60 s", head, lines)


if __name__ == "__main__":
    main()
