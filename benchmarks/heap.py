"""Figures that fall into a pit and come to rest as a heap: how a step's cost grows with their number, beside MuJoCo.

Limp human28 with dampers of 1 N m s/rad in their joints, ten layers above each other, h = 1/60 s, 30 s.  The pit grows
with their number, so that heaps are equally deep.  MuJoCo gets the same figures, pit and poses; of some mixtures of
solver and integrator the fastest counts that stays stable.
"""

import itertools
import sys
import time

import mujoco
import numpy as np

from benchmarks.timing import table
from hitogata.dynamics import energy
from hitogata.figure import Box, Pose, State
from hitogata.files import write_mjcf
from hitogata.library import human28
from hitogata.sim import World

H, SECONDS, LAYERS, SPACE, DAMPING = 1 / 60, 30.0, 10, 2.0, 1.0
COUNTS = (10, 30, 100, 300)


def starts(count: int) -> tuple[np.ndarray, float]:
    """Coordinates of all figures at the start, shape (count, nq), and half the width of the pit [m]."""
    rng, figure = np.random.default_rng(0), human28()
    columns = max(1, round(count / LAYERS))
    side = int(np.ceil(np.sqrt(columns)))
    q = np.tile(figure.neutral(), (count, 1))
    for k in range(count):
        layer, cell = divmod(k, columns)
        quat = rng.normal(size=4)
        q[k, :2] = SPACE * (cell % side - (side - 1) / 2), SPACE * (cell // side - (side - 1) / 2)
        q[k, 2] = 1.5 + 2.2 * layer
        q[k, 3:7] = quat / np.linalg.norm(quat)
    return q, SPACE * side / 2


def walls(half: float) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
    """Half sizes and places of the walls of the pit."""
    long, thick, high = half + 0.2, 0.1, 2.0
    across = [((thick, long, high), (s * (half + thick), 0.0, high)) for s in (-1, 1)]
    return across + [((long, thick, high), (0.0, s * (half + thick), high)) for s in (-1, 1)]


def heap(count: int) -> World:
    """The world at its start."""
    world, figure = World(), human28()
    world.add_ground()
    q, half = starts(count)
    for size, place in walls(half):
        world.add_ground(Box(size, pose=Pose(place)))
    for row in q:
        world.add(figure, State(row, np.zeros(figure.nv))).set_motor(0.0, DAMPING)
    return world


def mechanical_energy(world: World) -> float:
    """Kinetic and potential energy of all figures [J]."""
    return sum(energy(m.figure, m.q, m.v).total for m in world.members)


def advance(world: World, seconds: float) -> float:
    """Move on; processor time per step [s]."""
    steps, begin = round(seconds / H), time.process_time()
    for _ in range(steps):
        world.step(H)
    return (time.process_time() - begin) / steps


# ------------------------------------------------------- MuJoCo


def mujoco_heap(count: int, option: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The same scene."""
    q, half = starts(count)
    pit = "".join(
        f'<geom type="box" size="{" ".join(map(str, size))}" pos="{" ".join(map(str, place))}" friction=".8"/>'
        for size, place in walls(half)
    )
    ground = '<geom type="plane" size="50 50 .1" friction=".8"/>'
    spec = mujoco.MjSpec.from_string(f"<mujoco>{option}<worldbody>{ground}{pit}</worldbody></mujoco>")
    for k in range(count):
        child = mujoco.MjSpec.from_string(write_mjcf(human28()))
        for joint in child.joints:
            if joint.type != mujoco.mjtJoint.mjJNT_FREE:
                joint.damping = [DAMPING, 0.0, 0.0] if np.ndim(joint.damping) else DAMPING
        spec.attach(child, prefix=f"f{k}_", frame=spec.worldbody.add_frame())
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = q.ravel()
    return model, data


STEPS_OF_MUJOCO = {"discrete": 1, "implicitfast": 4}
"""Steps per frame: with implicitfast, heaps are unstable at 1/60 s."""


def mujoco_advance(model: mujoco.MjModel, data: mujoco.MjData, per_frame: int, seconds: float) -> float:
    """Move on; processor time per frame [s], NaN if the heap flies apart."""
    frames, begin = round(seconds / H), time.process_time()
    for _ in range(frames):
        try:
            mujoco.mj_step(model, data, per_frame)
        except mujoco.FatalError:  # more contacts than memory
            return float("nan")
        if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return float("nan")
    return (time.process_time() - begin) / frames


def mujoco_times(count: int, falling: float, resting: float) -> tuple[str, float, float, float]:
    """The fastest settings that stay stable: name, time per frame falling and at rest [s], deepest overlap [m]."""
    results = []
    for (integrator, per_frame), solver in itertools.product(STEPS_OF_MUJOCO.items(), ("Newton", "CG")):
        option = (f'<option timestep="{H / per_frame}" solver="{solver}" jacobian="sparse" integrator="{integrator}"/>'
                  '<size memory="1G"/>')  # fmt: skip
        model, data = mujoco_heap(count, option)
        spent = [mujoco_advance(model, data, per_frame, seconds) for seconds in (falling, resting)]
        if np.isfinite(spent).all():
            results.append((f"{integrator} x {per_frame}, {solver}", *spent, float(data.contact.dist.min(initial=0.0))))
    return min(results, key=lambda r: r[1] + r[2], default=("unstable", np.nan, np.nan, np.nan))


def main() -> None:
    counts = tuple(int(a) for a in sys.argv[2:]) or COUNTS
    rows, costs = [], []
    for count in counts:
        world = heap(count)
        world.step(H)
        start = mechanical_energy(world)
        falling = advance(world, 5.0)
        middle = mechanical_energy(world)
        advance(world, SECONDS - 7.0)
        resting = advance(world, 2.0)
        end, gaps = mechanical_energy(world), [c.gap for c in world.contacts()]
        fastest = max(float(np.abs(m.v).max()) for m in world.members)
        assert start > middle > end, "energy must fall"
        costs.append((count, world.measure(H, steps=30)))
        theirs = mujoco_times(count, 5.0, 2.0) if count <= 100 else ("-", np.nan, np.nan, np.nan)
        rows.append([
            str(count), f"{1e3 * falling:.2f}", f"{1e3 * resting:.2f}", f"{1e6 * resting / count:.0f}",
            f"{-1e3 * min(gaps):.2f}", f"{fastest:.2f}", theirs[0], f"{1e3 * theirs[1]:.2f}", f"{1e3 * theirs[2]:.2f}",
            f"{-1e3 * theirs[3]:.1f}",
        ])  # fmt: skip
        print(f"  {count} figures: {costs[-1][1]}", flush=True)
    head = ["figures", "ms falling", "ms at rest", "µs per figure", "deepest, mm", "fastest, rad/s", "MuJoCo",
            "ms falling", "ms at 5 s", "deepest, mm"]  # fmt: skip
    table("A heap of limp humans, processor time per step", head, rows)


if __name__ == "__main__":
    main()
