"""What does one iteration of pin-and-drag cost, beside mink and pink with daqp; in a batch; and with more joints?

human28, heels and toes pinned, the right hand dragged to twenty places: 15 rows, 34 velocities.  Peers run with several
dampings; the fastest counts of those that end within a micrometre.  Errors are those of the worst point after all;
hinges keep their ranges in all of them, ball joints only here.
"""

import importlib.util
import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import best, table
from hitogata.dynamics import forward_kinematics
from hitogata.figure import Capsule, Figure, FigureBuilder, Frame, Pose, joint
from hitogata.files import write_mjcf
from hitogata.library import human28
from hitogata.motion import Puppet, PuppetSettings

ITERATIONS = 30
DAMPINGS = (0.0, 1e-6, 1e-4, 1e-2, 1.0)
PINS = tuple(f"{part}_{side}" for side in ("left", "right") for part in ("toe", "heel"))
HAND = "grip_right"
TARGETS = np.array([0.3, -0.25, 1.1]) + np.random.default_rng(0).uniform(-0.25, 0.25, (20, 3))

Run = Callable[[], float]
Timed = Callable[[], tuple[float, float]]


def human(ranges: bool) -> Figure:
    """human28 with frames at heels and toes."""
    figure, links = human28(ranges=ranges), []
    for link in figure.links:
        side = link.name.removeprefix("foot_")
        if link.name.startswith("foot_"):
            toe, heel = Frame(f"toe_{side}", Pose((0.135, 0, -0.08))), Frame(f"heel_{side}", Pose((-0.055, 0, -0.08)))
            link = replace(link, frames=(*link.frames, toe, heel))
        links.append(link)
    return Figure.from_links(figure.name, links)


def at(figure: Figure, q: np.ndarray, frame: str) -> np.ndarray:
    link, pose = figure.frame(frame)
    poses = forward_kinematics(figure, q)
    return poses.position[link] + poses.rotation[link] @ np.array(pose.position)


# ------------------------------------------------------- each runs all targets; returns the worst error, and the time


def timed(targets: np.ndarray, begin: Callable[[np.ndarray], None], go: Callable[[], object], off: Run) -> Timed:
    """Begin and go, for each target; what it takes to begin is not counted."""

    def run() -> tuple[float, float]:
        worst = taken = 0.0
        for target in targets:
            begin(target)
            start = time.perf_counter()
            go()
            taken += time.perf_counter() - start
            worst = max(worst, off())
        return worst, taken / (len(targets) * ITERATIONS)

    return run


def with_mink(figure: Figure, damping: float) -> Timed:
    import mink

    model = mujoco.MjModel.from_xml_string(write_mjcf(figure))
    configuration, start, limits = mink.Configuration(model), model.qpos0.copy(), [mink.ConfigurationLimit(model)]
    tasks = [mink.FrameTask(name, "site", 1.0, 0.0, lm_damping=damping) for name in (*PINS, HAND)]
    configuration.update(start)
    for task in tasks:
        task.set_target_from_configuration(configuration)

    def begin(target: np.ndarray) -> None:
        configuration.update(start)
        tasks[-1].set_target(mink.SE3.from_translation(target))

    def go() -> None:
        for _ in range(ITERATIONS):
            v = mink.solve_ik(configuration, tasks, 0.1, "daqp", damping=1e-9, limits=limits)
            configuration.integrate_inplace(v, 0.1)

    return timed(TARGETS, begin, go, lambda: max(np.linalg.norm(t.compute_error(configuration)[:3]) for t in tasks))


def with_pink(figure: Figure, damping: float) -> Timed:
    import pink

    with tempfile.TemporaryDirectory() as folder:
        write_mjcf(figure, Path(folder) / "figure.xml")
        model = pin.buildModelFromMJCF(str(Path(folder) / "figure.xml"))
    data, start = model.createData(), pin.neutral(model)
    pin.framesForwardKinematics(model, data, start)
    start[:3] += at(figure, figure.neutral(), HAND) - data.oMf[model.getFrameId(HAND)].translation
    model.lowerPositionLimit[:3], model.upperPositionLimit[:3] = -10.0, 10.0  # of the base
    configuration, limits = pink.Configuration(model, data, start), [pink.limits.ConfigurationLimit(model)]
    tasks = [pink.FrameTask(n, position_cost=1.0, orientation_cost=0.0, lm_damping=damping) for n in (*PINS, HAND)]
    for task in tasks:
        task.set_target_from_configuration(configuration)

    def begin(target: np.ndarray) -> None:
        configuration.update(start)
        tasks[-1].set_target(pin.SE3(np.eye(3), target))

    def go() -> None:
        for _ in range(ITERATIONS):
            v = pink.solve_ik(configuration, tasks, 0.1, "daqp", damping=1e-9, limits=limits, safety_break=False)
            configuration.integrate_inplace(v, 0.1)

    return timed(TARGETS, begin, go, lambda: max(np.linalg.norm(t.compute_error(configuration)[:3]) for t in tasks))


def puppet_of(figure: Figure, pins: tuple[str, ...], hand: str, q: np.ndarray | None = None, **options: float):
    puppet = Puppet(figure, q, settings=PuppetSettings(**options))
    for name in pins:
        puppet.pin(name)
    return puppet, puppet.drag(hand)


def with_hitogata(
    figure: Figure, one_by_one: bool, pins: tuple[str, ...] = PINS, hand: str = HAND, targets: np.ndarray = TARGETS
) -> Timed:
    """Frames of 0.1 s of one iteration each; or a solve that may not end before the last."""
    puppet, drag = puppet_of(figure, pins, hand, ramp=1e-6, damping=1e-6)
    puppet._law[7:10] = -1.0  # no tolerance: all iterations are taken, as by the peers
    start = figure.neutral()

    def begin(target: np.ndarray) -> None:
        puppet.place(start)
        puppet.set_target(drag, position=target)

    def go() -> None:
        if one_by_one:
            for _ in range(ITERATIONS):
                puppet.step(0.1)
        else:
            puppet.solve(ITERATIONS)

    return timed(targets, begin, go, lambda: max(puppet.residual(h).position for h in puppet.handles))


def least(run: Timed, seconds: float = 4.0) -> float:
    """The least time of an iteration, over some seconds."""
    run()
    end, found = time.perf_counter() + seconds, run()[1]
    while time.perf_counter() < end:
        found = min(found, run()[1])
    return found


def best_peer(name: str, make: Callable[[Figure, float], Timed], figure: Figure) -> tuple[str, float, float]:
    """The damping that ends with the least error, or with the fewest microseconds if errors are below a micrometre."""
    runs = {}
    for damping in DAMPINGS:
        run = make(figure, damping)
        runs[damping] = run()[0], run
    good = [d for d, (error, _) in runs.items() if error < 1e-6] or [min(runs, key=lambda d: runs[d][0])]
    times = {d: least(runs[d][1]) for d in good}
    damping = min(times, key=times.__getitem__)
    return f"{name}, daqp, damping {damping:g}", times[damping], runs[damping][0]


def compare() -> None:
    logging.disable(logging.WARNING)  # pink's words about limits would cost it time
    peers = {"mink": with_mink, "pink": with_pink}
    missing = [name for name in (*peers, "daqp") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"  without peers, as {', '.join(missing)} is not installed: pip install 'hitogata[bench]'")
        peers = {}
    rows = [best_peer(name, make, human(False)) for name, make in peers.items()]
    logging.disable(logging.NOTSET)
    for name, ranges, one_by_one in (
        ("hitogata, one iteration per call", False, True),
        ("hitogata, 30 iterations per call", False, False),
        ("hitogata, one per call, eight ranges of motion", True, True),
        ("hitogata, 30 per call, eight ranges of motion", True, False),
    ):
        run = with_hitogata(human(ranges), one_by_one)
        rows.append((name, least(run), run()[0]))
    theirs = [t for _, t, _ in rows[: len(peers)]]
    table(
        "One iteration, four pins and a drag, human28",
        ["", "µs", *(f"× {name}" for name in peers), "worst error [m]"],
        [[n, f"{t * 1e6:.1f}", *(f"{peer / t:.1f}" for peer in theirs), f"{e:.0e}"] for n, t, e in rows],
    )


# ------------------------------------------------------- batches, and more joints


def batches() -> None:
    rows = []
    for ranges in (False, True):
        figure = human(ranges)
        one, drag = puppet_of(figure, PINS, HAND)
        many, drags = puppet_of(figure, PINS, HAND, np.tile(figure.neutral(), (256, 1)))
        spread = np.resize(TARGETS, (256, 3))
        for k in range(60):  # to meet frames as they are, in the middle of a motion
            many.set_target(drags, position=at(figure, figure.neutral(), HAND) * (1 - k / 60) + spread * (k / 60))
            many.step(1 / 60)
            one.set_target(drag, position=at(figure, figure.neutral(), HAND) * (1 - k / 60) + spread[0] * (k / 60))
            one.step(1 / 60)
        single = best(lambda one=one: one.step(1 / 60), repeats=2000)
        for threads in (1, 2):
            many.threads = threads
            t = best(lambda many=many: many.step(1 / 60), repeats=500) / 256
            title = f"256 characters, {threads} thread{'s' if threads > 1 else ''}, {'with' if ranges else 'no'} ranges"
            rows.append([title, f"{t * 1e6:.2f}", f"{single * 1e6:.2f}", f"{single / t:.1f}"])
    table("One frame of a batch", ["", "µs per character", "one alone", "× faster"], rows)


def limbed(nv: int) -> Figure:
    """A free base with four limbs of hinges, about alternating axes: nv velocities."""
    builder, shapes = FigureBuilder(f"{nv} velocities"), [Capsule.between((0, 0, 0), (0, 0, -0.1), 0.02)]
    builder.add("base", None, joint.free(rest=(0, 0, 2, 1, 0, 0, 0)), shapes=shapes, density=1000.0)
    above = ["base"] * 4
    for k in range(nv - 6):
        limb, place = k % 4, (0.2 * (k % 4 - 1.5), 0, 0) if k < 4 else (0, 0, -0.1)
        axis = ((1, 0, 0), (0, 1, 0), (0, 0, 1))[k // 4 % 3]
        last = k >= nv - 10
        frames = (Frame(f"tip_{limb}", Pose((0, 0, -0.1))),) if last else ()
        hinge = joint.hinge(axis, range=(-2.0, 2.0), rest=(0.3 / (1 + nv // 20),), parent_frame=Pose(place))
        builder.add(f"link_{k}", above[limb], hinge, shapes=shapes, frames=frames, density=1000.0)
        above[limb] = f"link_{k}"
    return builder.build()


def sizes() -> None:
    rows = []
    for nv in (20, 40, 80, 155):
        figure = limbed(nv)
        pins, hand = ("tip_0", "tip_1", "tip_2"), "tip_3"
        target = at(figure, figure.neutral(), hand) + np.array([[0.005, 0.01, 0.01]])
        called, ours = (with_hitogata(figure, way, pins, hand, target) for way in (True, False))
        rows.append([str(nv), f"{least(called) * 1e6:.1f}", f"{least(ours) * 1e6:.1f}", f"{ours()[0]:.0e}"])
    head = ["nv", "µs, one per call", "µs, 30 per call", "error [m]"]
    table("Velocities, and the time of an iteration with three pins and a drag", head, rows)


def main() -> None:
    compare()
    batches()
    sizes()


if __name__ == "__main__":
    main()
