"""What does a step cost when hundreds of humans stand side by side, beside `mujoco.rollout`; and do two threads help?

256 human28 on their feet, springs of 2000 N m/rad and dampers of 30 N m s/rad, each disturbed in its own way by
0.05 rad/s, then one second left alone; h = 1/240 s.  MuJoCo runs Newton with every mixture of cone, Jacobian and
integrator; the fastest counts.  Times are processor time per step of one figure; those of two threads are by the clock.

Falling figures (springs of 60 N m/rad, h = 1/60 s) are the costly case: many contacts, steps in pieces.

Both also with ranges of motion, the same in all worlds or, in every ball joint of every world, one of its own: the
figure's turned by 2 degrees or so.
"""

import time
from collections.abc import Callable

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.timing import best, table
from benchmarks.world_step import H, mujoco_models
from hitogata.figure import State
from hitogata.library import human28
from hitogata.rom import RangeOfMotion
from hitogata.sim import BatchMember, World, WorldBatch

COUNT, STEPS = 256, 10
FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


def disturbed(nv: int) -> np.ndarray:
    v = np.zeros((COUNT, nv))
    v[:, 6:] = 0.05 * np.random.default_rng(1).normal(size=(COUNT, nv - 6))
    return v


def mujoco_runs() -> dict[str, Callable[[], None]]:
    runs = {}
    for name, model in mujoco_models().items():
        data = mujoco.MjData(model)
        size = mujoco.mj_stateSize(model, FULL)
        start, warm, v = np.empty((COUNT, size)), np.empty((COUNT, model.nv)), disturbed(model.nv)
        for k in range(COUNT):
            mujoco.mj_resetData(model, data)
            data.qvel[:] = v[k]
            mujoco.mj_step(model, data, 240)
            mujoco.mj_getState(model, data, start[k], FULL)
            warm[k] = data.qacc_warmstart
        assert start[:, 3].min() > 0.9, "MuJoCo's figures fell"
        states = np.empty((COUNT, STEPS, size))
        sensors = np.empty((COUNT, STEPS, 0))

        def run(model=model, data=data, start=start, warm=warm, states=states, sensors=sensors) -> None:
            rollout.rollout(
                [model] * COUNT, [data], start, nstep=STEPS, initial_warmstart=warm, state=states, sensordata=sensors,
                skip_checks=True,
            )  # fmt: skip

        runs[name] = run
    return runs


def own_ranges(human: BatchMember) -> None:
    """Give every ball joint of every world a range of its own."""
    rng = np.random.default_rng(2)
    for name, link in zip(human.figure.joint_names, human.figure.links, strict=True):
        if isinstance(link.joint.range, RangeOfMotion):
            swing, twist, bone = link.joint.range.swing, link.joint.range.twist, link.joint.range.bone_axis
            turns = np.column_stack([np.ones(COUNT), 0.02 * rng.normal(size=(COUNT, 3))])
            human.set_range(name, [RangeOfMotion(swing.turned(turn), twist, bone) for turn in unit(turns)])


def unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1)[:, None])


def standing(dtype: type, threads: int = 1, *, ranges: bool = False, own: bool = False) -> WorldBatch:
    world = World()
    world.add_ground()
    human = world.add(human28(ranges=ranges))
    human.set_motor(2000.0, 30.0)
    batch = WorldBatch(world, COUNT, dtype=dtype, threads=threads)
    if own:
        own_ranges(batch.member(human))
    figure = human.figure
    batch.reset(state=State(np.tile(figure.neutral(), (COUNT, 1)), disturbed(figure.nv)))
    batch.step(H, steps=240)
    return batch


def falling(dtype: type, *, own: bool = False) -> tuple[float, float]:
    """Processor time per step of one figure, mean over 3 s of falling: side by side, and one at a time [s]."""
    world = World()
    world.add_ground()
    human = world.add(human28(ranges=True))
    human.set_motor(60.0, 2.0)
    figure = human.figure
    states = State(np.tile(figure.neutral(), (COUNT, 1)), 20 * disturbed(figure.nv))
    batch = WorldBatch(world, COUNT, dtype=dtype)
    if own:
        own_ranges(batch.member(human))
    batch.step(1 / 60)

    def fall() -> None:
        batch.reset(state=states)
        batch.step(1 / 60, steps=180)

    def fall_alone() -> None:
        for k in range(0, COUNT, 32):
            human.state = State(states.q[k], states.v[k])
            world.step(1 / 60, steps=180)

    return (
        best(fall, loops=COUNT * 180, repeats=3, clock=time.process_time),
        best(fall_alone, loops=COUNT // 32 * 180, repeats=3, clock=time.process_time),
    )


def in_turn(runs: dict[str, Callable[[], object]], loops: int, rounds: int, clock: Callable[[], float]) -> list[float]:
    """Least time of each, in many rounds, so that all have the same chance of a quiet moment."""
    times = [best(run, loops=loops, repeats=10, seconds=0.5, clock=clock) for run in runs.values()]
    for _ in range(rounds):
        for k, run in enumerate(runs.values()):
            times[k] = min(times[k], best(run, loops=loops, repeats=10, seconds=0.5, clock=clock))
    return times


def standing_table() -> None:
    theirs, cpu = mujoco_runs(), time.process_time
    fastest = dict(zip(theirs, in_turn(theirs, COUNT * STEPS, 1, cpu), strict=True))
    name = min(fastest, key=fastest.__getitem__)
    batches = {dtype: standing(dtype) for dtype in (np.float64, np.float32)}
    runs: dict[str, Callable[[], object]] = {f"mujoco.rollout ({name})": theirs[name]}
    for dtype, batch in batches.items():
        label = f"hitogata, {np.dtype(dtype).name}, {batch.width} side by side"
        runs[f"{label}, {STEPS} steps per call"] = lambda batch=batch: batch.step(H, steps=STEPS)
        runs[f"{label}, one step per call"] = lambda batch=batch: [batch.step(H) for _ in range(STEPS)]
    times = dict(zip(runs, in_turn(runs, COUNT * STEPS, 20, cpu), strict=True))
    peer = next(iter(times.values()))
    rows = [[k, f"{t * 1e6:.2f}", f"{peer / t:.1f}"] for k, t in times.items()]
    table("One step of one of 256 standing human28, processor time", ["", "µs", "times MuJoCo's speed"], rows)


def ranges_table() -> None:
    rows = []
    for dtype in (np.float64, np.float32):
        batches = [standing(dtype), standing(dtype, ranges=True), standing(dtype, ranges=True, own=True)]
        runs = {str(k): lambda batch=batch: batch.step(H, steps=STEPS) for k, batch in enumerate(batches)}
        times = in_turn(runs, COUNT * STEPS, 10, time.process_time)
        rows.append([np.dtype(dtype).name, *(f"{t * 1e6:.2f}" for t in times)])
    table("The same with ranges of motion, µs", ["", "none", "one for all worlds", "one for each world"], rows)


def threads_table() -> None:
    rows = []
    for dtype in (np.float64, np.float32):
        batches = [standing(dtype, threads) for threads in (1, 2)]
        runs = {str(k): lambda batch=batch: batch.step(H, steps=STEPS) for k, batch in enumerate(batches)}
        clocks = in_turn(runs, COUNT * STEPS, 10, time.perf_counter)
        rows.append([np.dtype(dtype).name, *(f"{t * 1e6:.2f}" for t in clocks), f"{clocks[0] / clocks[1]:.2f}"])
    table("The same by the clock", ["", "1 thread", "2 threads", "ratio"], rows)


def main() -> None:
    standing_table()
    ranges_table()
    threads_table()
    rows = []
    for own, label in ((False, ""), (True, ", one for each world")):
        for dtype in (np.float64, np.float32):
            together, alone = falling(dtype, own=own)
            values = [f"{together * 1e6:.2f}", f"{alone * 1e6:.2f}", f"{alone / together:.1f}"]
            rows.append([np.dtype(dtype).name + label, *values])
    table("Falling, ranges of motion, h = 1/60 s", ["", "µs in a batch", "µs alone", "ratio"], rows)


if __name__ == "__main__":
    main()
