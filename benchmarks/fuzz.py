"""Random worlds that must not gain energy, differ, or tell another momentum than they changed; rods that must not pass.

    python -m benchmarks fuzz --passive 2000 --seconds 20
    python -m benchmarks fuzz --driven 2000 --momentum 500 --rods 1000

Seeds are fixed: 0, 1, 2, ...; `--first 500` goes on where an earlier run ended.  What fails is printed as it is found.

Passive: no more mechanical energy (`World.energy`, walls and overlaps at the start) than there was at the start, beyond
1 % of what there was above the lowest potential energy reached.
Driven: motors, pushes, moving targets; nothing is raised or not a number, and all bits are the same in a second run
that was saved, copied and restored on its way, and in batches of one and two threads.
Momentum: Newton's second law for every link, from forces that are told, to 1e-9 of the impulses exchanged.
Rods: 20 to 300 m/s, spinning, against a wall of 10 mm, by both methods.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.scenes.random_worlds import STEPS, passive_world
from hitogata.errors import HitogataError
from hitogata.figure import State
from hitogata.sim import ContactMethod, World, WorldBatch
from tests.sim.scenes import Scene, overlap_energy, potential_energy, random_scene, wall_energy
from tests.sim.test_step_forces import momenta, random_world, told
from tests.sim.thin_scenes import ROD, on_wall

ENERGY_EVERY = 0.25
"""Energy is read in the first thirty steps, and then as often as this [s], or after every step."""


def energy_gain(scene: Scene, seconds: float) -> float:
    """Greatest energy above that at the start, by what there was above the lowest potential energy reached."""
    from hitogata.dynamics import energy, integrate

    world, h = scene.world, scene.h
    back = {m: integrate(m.figure, m.q, -0.5 * h * m.v) for m in world.members}
    here = {m: m.q for m in world.members}
    start = sum(energy(m.figure, m.q, m.v).kinetic + wall_energy(m, m.q) for m in world.members)
    start += max(potential_energy(world, here), potential_energy(world, back))
    gain, lowest, count, taken = -math.inf, math.inf, math.ceil(seconds / h), 0
    while taken < count:
        now = 1 if taken < 30 else min(max(1, round(ENERGY_EVERY / h)), count - taken)
        world.step(h, steps=now)
        start += overlap_energy(world) if taken == 0 else 0.0
        taken += now
        told_energy = world.energy()
        gain = max(gain, told_energy.total - start)
        lowest = min(lowest, told_energy.total - told_energy.kinetic)
    return gain / max(start - lowest, 1e-3)


def passive(seed: int, seconds: float) -> str | None:
    """What is wrong with a passive world."""
    scene = passive_world(seed)
    gain = energy_gain(scene, seconds)
    return f"gains {100 * gain:.2f} %: {scene}" if not gain <= 0.01 else None


# ------------------------------------------------------- bits


def driven(seed: int, seconds: float) -> str | None:
    """What is wrong with a driven world."""
    first, second = random_scene(seed), random_scene(seed)
    steps = min(200, math.ceil(seconds / first.h))
    ends = [state_after(first.world, first.h, steps), state_restored(second.world, second.h, steps)]
    if not np.isfinite(ends[0]).all():
        return f"not finite: {first}"
    if not np.array_equal(*ends):
        return f"differs over runs: {first}"
    third = random_scene(seed)
    batches = [batch_after(third.world, third.h, min(steps, 20), threads) for threads in (1, 2)]
    return None if np.array_equal(*batches) else f"differs over threads: {third}"


def bits(world: World) -> np.ndarray:
    """All that is known of where things are, how fast, and what pulled."""
    numbers = [x for m in world.members for x in (m.q, m.v, m.joint_forces().ravel(), m.contact_forces().ravel())]
    return np.concatenate([*numbers, *(tie.force for tie in world.ties)])


def state_after(world: World, h: float, steps: int) -> np.ndarray:
    """After all steps in one go."""
    world.step(h, steps=steps)
    return bits(world)


def state_restored(world: World, h: float, steps: int) -> np.ndarray:
    """The same, but saved halfway, taken on, and restored."""
    world.step(h, steps=steps // 2)
    saved = world.save()
    world.step(h, steps=3)
    world.restore(saved)
    for _ in range(steps - steps // 2):
        world.step(h)
    return bits(world)


def batch_after(world: World, h: float, steps: int, threads: int) -> np.ndarray:
    """Nine worlds side by side, the same but for their velocities."""
    batch, scale = WorldBatch(world, 9, threads=threads), np.linspace(0.5, 1.5, 9)[:, None]
    batch.reset(state={m: State(np.tile(m.q, (9, 1)), m.v * scale) for m in world.members})
    batch.step(h, steps=steps, check=False)
    return np.concatenate([batch.q.ravel(), batch.v.ravel()])


# ------------------------------------------------------- momentum, rods


def momentum(seed: int, seconds: float) -> str | None:
    """What is wrong with forces that are told, over twenty steps."""
    world, h = random_world(seed)
    worst = 0.0
    for _ in range(20):
        before = momenta(world)
        world.step(h)
        after, (impulses, size) = momenta(world), told(world, h)
        for a, b, p in zip(before, after, impulses, strict=True):
            worst = max(worst, float(np.abs(b - a - p).max() / (size + np.abs(a).max() + np.abs(b).max())))
    return f"tells momentum {worst:.1e} wrong, h {h:.4g} s" if not worst < 1e-9 else None


def rods(seed: int, seconds: float) -> str | None:
    """Which of ten shots pass."""
    shots = [(method, h) for method in ContactMethod for h in STEPS if on_wall(ROD, contacts=method)(seed, h)]
    return ", ".join(f"passes by {method.value} at {h:.4g} s" for method, h in shots) or None


KINDS: dict[str, Callable[[int, float], str | None]] = {
    "passive": passive, "driven": driven, "momentum": momentum, "rods": rods,
}  # fmt: skip


def run(name: str, first: int, count: int, seconds: float) -> None:
    """All seeds of a kind; prints those that fail."""
    bad, begin = list[int](), time.process_time()
    for seed in range(first, first + count):
        try:
            wrong = KINDS[name](seed, seconds)
        except (HitogataError, ValueError, FloatingPointError) as error:
            wrong = f"raises {error!r}"
        if wrong is not None:
            bad.append(seed)
            print(f"  {name} {seed}: {wrong}", flush=True)
        if (seed + 1 - first) % 100 == 0:
            print(f"  {name}: {seed + 1 - first} of {count}, {len(bad)} bad, {time.process_time() - begin:.0f} s",
                  flush=True)  # fmt: skip
    print(f"{name}: {len(bad)} of {count} bad, seeds {first} to {first + count - 1}: {bad}", flush=True)


def main() -> None:
    """Run with the arguments after the name; a few of each among all other benchmarks."""
    parser = argparse.ArgumentParser("python -m benchmarks fuzz", description="Random worlds")
    for name in KINDS:
        parser.add_argument(f"--{name}", type=int, default=0, metavar="N", help="so many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=20.0, help="simulated time of passive worlds [s]")
    few = ["--passive", "20", "--driven", "20", "--momentum", "5", "--rods", "3"]
    given = parser.parse_args(sys.argv[2:] if "fuzz" in sys.argv[1:2] else few)
    for name in KINDS:
        if getattr(given, name):
            run(name, given.first, getattr(given, name), given.seconds)


if __name__ == "__main__":
    main()
