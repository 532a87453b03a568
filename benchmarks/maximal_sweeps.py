"""How many sweeps does a step in maximal coordinates need, and what does it cost beside the reduced one?

human28 on its feet, springs of 2000 N m/rad and dampers of 30 N m s/rad in its joints, disturbed by 0.05 rad/s: does it
stand for 10 s, and how far do its joints come apart?  And one step of the same figure in motion, bent and pushed into
the ground, without warm start: how far is its velocity from that of reduced coordinates, solved to the end?
"""

import numpy as np

from benchmarks.timing import best, table
from hitogata.dynamics import integrate
from hitogata.figure import State
from hitogata.library import human28
from hitogata.sim import Coordinates, Settings, World

SWEEPS = (20, 50, 100, 200, 500, 1000)
MANY = (50, 200, 1000, 5000, 20000, 100000)
STEPS = {"1/240": 1 / 240, "1/60": 1 / 60, "1/30": 1 / 30, "0.1": 0.1}


def world_of(coordinates: Coordinates, **settings) -> World:
    world = World(settings=Settings(**settings), coordinates=coordinates)
    world.add_ground()
    return world


def standing(coordinates: Coordinates, sweeps: int) -> World:
    world = world_of(coordinates, sweeps=sweeps, tolerance=0.0, contact_mass=np.inf, contact_depth=np.inf)
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    human.state = State(human.q, np.concatenate([np.zeros(6), 0.05 * np.random.default_rng(1).normal(size=28)]))
    return world


def stands(h: float, sweeps: int) -> str:
    world = standing(Coordinates.MAXIMAL, sweeps)
    human, worst = world.members[0], 0.0
    for _ in range(round(10 / h)):
        world.step(h)
        worst = max(worst, human.joint_gaps()[:, 1].max())
    return f"{worst * 1e3:.4f}" if human.q[2] > 0.95 else "falls"


def velocity_after(h: float, coordinates: Coordinates, sweeps: int) -> np.ndarray:
    settings = {"sweeps": sweeps, "tolerance": 0.0, "keep_energy": False, "longest_fast_step": np.inf}
    world, figure, rng = world_of(coordinates, **settings), human28(), np.random.default_rng(0)
    bent = integrate(figure, figure.neutral(), np.concatenate([np.zeros(6), 0.1 * rng.normal(size=28)]))
    bent[2] -= 0.01
    human = world.add(figure, State(bent, 0.3 * rng.normal(size=figure.nv)))
    human.set_motor(2000.0, 30.0)
    human.set_target(figure.neutral())
    world.step(h)
    return human.v


def main() -> None:
    truth = {name: velocity_after(h, Coordinates.REDUCED, 20000) for name, h in STEPS.items()}
    gaps, errors = [], []
    for sweeps in SWEEPS:
        gaps.append([str(sweeps), *[stands(h, sweeps) for h in STEPS.values()]])
    for sweeps in MANY:
        off = [np.abs(velocity_after(h, Coordinates.MAXIMAL, sweeps) - truth[name]).max() for name, h in STEPS.items()]
        errors.append([str(sweeps), *[f"{x:.1e}" for x in off]])
    head = ["sweeps", *[f"h = {name} s" for name in STEPS]]
    table("Standing for 10 s: widest gap of a joint [mm]", head, gaps)
    table("One step from rest of the solver: greatest error of a joint's velocity [rad/s]", head, errors)
    times = {}
    for coordinates, sweeps in ((Coordinates.REDUCED, 20), *((Coordinates.MAXIMAL, n) for n in (20, 50, 100, 200))):
        world = standing(coordinates, sweeps)
        times[f"{coordinates.value}, {sweeps} sweeps"] = best(
            lambda world=world: world.step(1 / 240, steps=240), loops=240, repeats=40
        )
    least = times["reduced, 20 sweeps"]
    rows = [[name, f"{t * 1e6:.1f}", f"{t / least:.1f}"] for name, t in times.items()]
    table("One step at 1/240 s, no early end of sweeps", ["", "µs", "of the reduced step's time"], rows)


if __name__ == "__main__":
    main()
