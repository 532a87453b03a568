"""When does assembly pay?  Depths, the paper's chains, wall times beside peers, the hanging figure, simulated cores.

Two threads need two free cores: on a busy machine their rows say little.  Pinocchio's data grow as nv³ (4 GB at
512), so it is left out above; MuJoCo's bodies cannot be 1024 deep.
"""

import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import best, calls, table
from hitogata.dynamics import bias, forward_dynamics, mass_matrix
from hitogata.dynamics.assembly import (
    UNIT,
    CostModel,
    Method,
    Schedule,
    best_timeline,
    measure_costs,
    plan,
    replan,
    simulate,
    tree_of,
)
from hitogata.dynamics.assembly.plans import cut_order
from hitogata.dynamics.assembly.program import write_program
from hitogata.dynamics.assembly.segment_runner import SegmentRunner, segment_width
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import model_of
from hitogata.lanes import X1
from hitogata.library import chain, human40
from hitogata.loops import Links, constrained_dynamics, here, link_rows, weld
from tests.peers import builders
from tests.peers.builders import to_pinocchio

PINOCCHIO_LIMIT, MUJOCO_LIMIT = 512, 512
PAPER = {8: (1.31, 0.984, 0.897, None), 16: (2.75, 1.87, 1.70, 1.57), 32: (6.08, 3.93, 3.39, 2.90)}
"""Nakamura group, table 1: links, ms on 1, 2, 4, 8 processes of a cluster of Pentium III 1 GHz."""


def chain_of(n: int) -> object:
    return tree_of([i - 1 for i in range(n)])


def depths() -> None:
    rows = []
    for n in (8, 16, 32, 64, 256, 1024, 4096):
        tree = chain_of(n)
        each = [best_timeline(plan(tree, processors=p, costs=UNIT), p, UNIT).time for p in (1, 2, 4, 8, None)]
        work = plan(tree).work(CostModel()) / (n * (CostModel().place + CostModel().link + CostModel().back))
        rows.append([str(n), *[f"{x:.0f}" for x in each], f"{work:.2f}"])
    head = ["links", "p = 1", "2", "4", "8", "any", "work at p = 1 / recursion's"]
    table("Joints on the critical path of a chain (that to the world included)", head, rows)


def paper_table() -> None:
    rows = []
    costs = {"message 0.1 µs": CostModel(), "message 0": CostModel(message=0.0)}
    for n, times in PAPER.items():
        own = [["-" if t is None else f"{times[0] / t:.2f}" for t in times[1:]]]
        for model in costs.values():
            tree = chain_of(n)
            one = simulate(plan(tree), 1, model).time
            parts = [(p, best_timeline(plan(tree, processors=p, costs=model), p, model).time) for p in (2, 4, 8)]
            own.append([f"{one / t:.2f}" for _, t in parts])
        rows.append([str(n), *own[0], *own[1], *own[2]])
    head = ["links", *[f"paper {p}" for p in (2, 4, 8)], *[f"{k} {p}" for k in ("0.1 µs,", "0,") for p in (2, 4, 8)]]
    table("Speed-up over one processor: the paper's cluster, and our kernels simulated", head, rows)


def runner_time(figure, width, threads, args, *, alone=False) -> float:
    runner = SegmentRunner(figure, width, threads)
    if alone:
        runner.threads = 1
    run = partial(runner.run, *args, np.zeros(0), GRAVITY, np.empty(figure.nv))
    with each_on_its_core(run if runner.threads > 1 else None):
        return best(run, repeats=20000, seconds=6.0 if threads > 1 else 2.0)


@contextmanager
def each_on_its_core(run):
    """This thread and the helper that `run` wakes stay on a core each: on a busy machine they may else share one."""
    if run is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = sorted(os.sched_getaffinity(0))
    run()
    os.sched_setaffinity(0, cores[:1])
    for thread in threading.enumerate():
        if thread.name == "hitogata-assembly":
            os.sched_setaffinity(thread.native_id, cores[1:2] or cores)
    yield
    os.sched_setaffinity(0, cores)


def peers(figure, q, v, tau) -> tuple[float | None, float | None]:
    n = figure.nv
    pinocchio = muj = None
    if n <= PINOCCHIO_LIMIT:
        builders.MAX_PIN_DOF = PINOCCHIO_LIMIT
        model, _ = to_pinocchio(figure)
        data = model.createData()
        pinocchio = calls(pin.aba, model, data, q, v, tau, loops=max(1, 1000 // n), seconds=2.0)
    if n <= MUJOCO_LIMIT:
        mj_model = hinged(figure)
        mj_data = mujoco.MjData(mj_model)
        mj_data.qpos[:], mj_data.qvel[:], mj_data.qfrc_applied[:] = q, v, tau
        muj = calls(mujoco.mj_forward, mj_model, mj_data, loops=max(1, 200 // n), seconds=2.0)
    return pinocchio, muj


def hinged(figure) -> mujoco.MjModel:
    """A chain of hinges, built body by body: MuJoCo reads no file as deep as that."""
    spec = mujoco.MjSpec()
    body = spec.worldbody
    for link in figure.links:
        body = body.add_body(name=link.name, pos=link.joint.parent_frame.position)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=link.joint.axis)
        body.explicitinertial, body.mass, body.ipos = True, link.mass.mass, link.mass.centre
        body.inertia = link.mass.inertia[:3]
    return spec.compile()


def wall_times(sizes) -> None:
    rows = []
    for n in sizes:
        figure, rng = chain(n), np.random.default_rng(n)
        args = tuple(rng.normal(size=(3, n)) * 0.3)
        recursion = calls(partial(forward_dynamics, method=Method.RECURSION), figure, *args, loops=max(1, 2000 // n))
        single = runner_time(figure, X1, 4, args, alone=True)
        width = segment_width(n)
        lanes = runner_time(figure, width, 1, args)
        two = runner_time(figure, segment_width(n, 2), 2, args)
        pinocchio, muj = peers(figure, *args)
        own = min(recursion, lanes, two)
        texts = [f"{t * 1e6:.1f}" if t else "-" for t in (recursion, single, lanes, two, pinocchio, muj)]
        ratio = f"{own / pinocchio:.2f}" if pinocchio else "-"
        ratios = [f"{lanes / recursion:.2f}", f"{lanes / two:.2f}", ratio]
        rows.append([str(n), *texts[:2], str(width.n), *texts[2:], *ratios])
        print(f"  {rows[-1]}", file=sys.stderr, flush=True)
    head = ["links", "recursion", "assembly, 1 lane", "lanes", "in lanes", "lanes × 2 threads", "pin.aba", "mj_forward",
            "lanes / recursion", "threads: times faster", "best / pin.aba"]  # fmt: skip
    table("Chain of hinges, one state, one call from Python [µs]", head, rows)


def dense_dynamics(links, q, v, tau):
    """The whole system of equations, as a user of numpy would write it."""
    figure, rows = links.figure, link_rows(links, q, v)
    H = rows.jacobian
    m, n = H.shape
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = mass_matrix(figure, q), -H.T, H
    return np.linalg.solve(matrix, np.concatenate([tau - bias(figure, q, v), -rows.bias]))


def hanging() -> None:
    figure = human40()
    q, v = np.array(figure.neutral()), np.zeros(figure.nv)
    tau, links, rows = np.zeros(figure.nv), Links(figure), []
    for name, paper in (("free", 5100), ("one hand", 6300), ("two hands", 7200)):
        if name != "free":
            links, _ = links.add(here(figure, q, weld("palm_left" if name == "one hand" else "palm_right")))
        times = [
            calls(partial(constrained_dynamics, method=Method.ASSEMBLY), links, q, v, tau, loops=50),
            calls(constrained_dynamics, links, q, v, tau, loops=50),
            calls(dense_dynamics, links, q, v, tau, loops=20),
        ]
        rows.append([name, *[f"{t * 1e6:.1f}" for t in times], str(paper)])
    head = ["", "assembly", "loops/", "dense, numpy", "the paper"]
    table("The hanging figure, 40 DOF, hands welded [µs]", head, rows)


def replanning() -> None:
    figure, spans, busy = human40(), [], []
    model, free = model_of(figure), plan(human40())
    hands = [model.body_of_link[figure.frame(name)[0]] for name in ("palm_left", "palm_right")]
    for k in range(2000):
        ends = [(hand, -1) for hand in hands[: k % 3] for _ in range(6)]
        start, used = time.perf_counter(), time.thread_time()
        schedule = replan(free, ends)
        write_program(schedule.tree, schedule.order, schedule.ends)
        spans.append(time.perf_counter() - start)
        busy.append(time.thread_time() - used)
    rows = [[name, *[f"{x * 1e3:.3f}" for x in np.percentile(t, (50, 99))]] for name, t in
            (("by the clock", spans), ("processor time", busy))]  # fmt: skip
    table("Re-planning when a grasp comes or goes, 40 DOF [ms]", ["", "median", "99 %"], rows)


def many_cores() -> None:
    costs = measure_costs()
    print(f"\n  measured here: {costs}")
    model = CostModel()
    for message in (0.0, 100.0, 1000.0):
        rows = []
        for n in (100, 1000, 10_000, 100_000):
            tree = chain_of(n)
            one = model.place * n + (model.link + model.back) * n
            cells = []
            for p in (1, 4, 16, 100, 1000, 10_000):
                if p > n:
                    cells.append("-")
                    continue
                times = []
                for pieces in (p, 2 * p, 4 * p) if n <= 10_000 else (p,):
                    order = cut_order(tree, max(1, round(n / pieces)), model)
                    times.append(simulate(Schedule(tree, tuple(order)), p, replace(model, message=message)).time)
                cells.append(f"{min(times) / 1000:.1f}" if p > 1 else f"{one / 1000:.1f}")
            rows.append([str(n), *cells])
            print(f"  simulated {n}", file=sys.stderr, flush=True)
        head = ["links", *[f"p = {p}" for p in (1, 4, 16, 100, 1000, 10_000)]]
        table(f"Simulated [µs], {message:g} ns a message; p = 1 is the recursion", head, rows)


def cut_time(tree, n, p, model) -> float:
    """A chain in p pieces on p processors."""
    order = cut_order(tree, max(1, round(n / p)), model)
    return simulate(Schedule(tree, tuple(order)), p, model).time


def turning_point() -> None:
    """At how many cores, without lanes, assembly overtakes the recursion, and the lanes of one core."""
    rows = []
    for n in (32, 128, 512, 2048):
        tree = chain_of(n)
        row = [str(n)]
        for message in (0.0, 100.0, 1000.0):
            model = CostModel(message=message)
            serial = simulate(plan(tree), 1, model).time
            found = next((p for p in (2, 3, 4, 5, 6, 8, 12, 16, 32, 64) if cut_time(tree, n, p, model) < serial), None)
            row.append("never" if found is None else str(found))
        rows.append(row)
    table("Cores at which assembly on one lane each overtakes the recursion", ["links", "0 ns", "100 ns", "1 µs"], rows)


def main() -> None:
    sizes = [int(a) for a in sys.argv[2:] if a.isdigit()] or [8, 32, 64, 128, 256, 512, 1024, 4096]
    depths()
    paper_table()
    replanning()
    hanging()
    turning_point()
    wall_times(sizes)
    many_cores()


if __name__ == "__main__":
    main()
