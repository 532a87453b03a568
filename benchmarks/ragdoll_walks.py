"""Do active ragdolls keep walking after a captured walk while balls hit them, and what does the root motor do?

    python -m benchmarks.ragdoll_walks FILE.bvh ...

Ten balls of 3 kg at 6 m/s, from anywhere around, at the trunk, evenly over the clip; and the same without balls.  A
walk is lost if the figure falls.  It does not run with the other benchmarks: it needs files.
"""

import argparse
import warnings

import numpy as np

from benchmarks.timing import table
from hitogata.control import Mode, Ragdoll
from hitogata.dynamics import difference, forward_kinematics
from hitogata.figure import Pose, Sphere, State, Trajectory
from hitogata.files import read_bvh
from hitogata.library import virtual_human
from hitogata.motion import retarget_bvh
from hitogata.sim import Member, Settings, World

H, BALLS, MASS, SPEED, NEAR = 1 / 120, 10, 3.0, 6.0, 0.6
FIGURE = virtual_human()
TARGETS = ("pelvis", "chest", "head")


def followed(motion: Trajectory, seed: int | None) -> tuple[float, float, float, float]:
    """Time when it fell, or infinity [s]; how far joints were off [rad]; mean force [N] and moment of the root motor.

    Args:
        motion: of `FIGURE`.
        seed: of the balls; None: no balls.
    """
    world, rng = World(settings=Settings.games()), np.random.default_rng(seed)
    world.add_ground()
    doll = Ragdoll(world, FIGURE)
    doll.member.state = State(motion.q[0], motion.v[0])
    doll.follow(motion, here=False, blend=0.05)
    span = float(motion.time[-1] - motion.time[0])
    balls = [] if seed is None else [
        world.add_body(Sphere(0.11), mass=MASS, pose=Pose((-20.0 - k, 0.0, 0.11))) for k in range(BALLS)
    ]  # fmt: skip
    steps, offs, forces, moments = round(span / H), list[float](), list[float](), list[float]()
    for k in range(steps):
        if balls and k % (steps // BALLS) == 0 and k // (steps // BALLS) < BALLS:
            throw(balls[k // (steps // BALLS)], doll, rng)
        doll.update(H)
        world.step(H)
        assert np.isfinite(doll.member.q).all()
        if doll.mode in (Mode.FALLING, Mode.LYING, Mode.RISING):
            return k * H, np.nan, np.nan, np.nan
        row = int(np.searchsorted(motion.time - motion.time[0], (k + 1) * H))
        off = difference(FIGURE, motion.q[min(row, len(motion.q) - 1)], doll.member.q)[6:]
        offs.append(float((off**2).mean()))
        moments.append(float(np.linalg.norm(doll.assist[:3])))
        forces.append(float(np.linalg.norm(doll.assist[3:])))
    return np.inf, float(np.sqrt(np.mean(offs))), float(np.mean(forces)), float(np.mean(moments))


def throw(ball: Member, doll: Ragdoll, rng: np.random.Generator) -> None:
    """A ball flies at a part of the trunk, from anywhere around."""
    aim = forward_kinematics(FIGURE, doll.member.q).position[FIGURE.link_index(TARGETS[rng.integers(len(TARGETS))])]
    angle = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle), 0.0])
    ball.state = State(np.array([*(aim - NEAR * way), 1.0, 0, 0, 0]), np.array([0, 0, 0, *(SPEED * way)]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", metavar="FILE")
    warnings.simplefilter("ignore")
    rows = []
    for path in parser.parse_args().files:
        motion = retarget_bvh(read_bvh(path), FIGURE).trajectory
        for name, seeds in (("no balls", [None]), ("ten balls", [0, 1, 2, 3])):
            ends, offs, forces, moments = np.array([followed(motion, seed) for seed in seeds]).T
            lost = np.isfinite(ends).sum()
            when = f" ({', '.join(f'{t:.1f} s' for t in ends if t < np.inf)})" if lost else ""
            rows.append([f"{path.rsplit('/')[-1]}, {name}", f"{lost} of {len(seeds)}{when}",
                         f"{np.degrees(np.nanmean(offs)):.1f}", f"{np.nanmean(forces):.0f}",
                         f"{np.nanmean(moments):.0f}"])  # fmt: skip
            print(rows[-1], flush=True)
    table("Walks followed", ["", "lost", "joints off, rms [deg]", "root motor [N]", "[N m]"], rows)


if __name__ == "__main__":
    main()
