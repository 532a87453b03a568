"""What an active ragdoll withstands: pushes from eight sides, beside motors alone; getting up from random poses.

    python -m benchmarks ragdolls
"""

import numpy as np

from benchmarks.timing import table
from hitogata.control import Mode, Ragdoll
from hitogata.figure import State
from hitogata.library import virtual_human
from hitogata.sim import World

H, SIZES = 1 / 120, (15.0, 30.0, 45.0, 60.0)
FIGURE = virtual_human()


def pushed(link: str, impulse: float, angle: float, *, controlled: bool = True) -> bool:
    """Does it stand 3.6 s after a push of 0.1 s?"""
    world = World()
    world.add_ground()
    doll = Ragdoll(world, FIGURE)
    if not controlled:
        doll.member.set_motor(2000.0, 60.0)
        doll.member.set_target(doll.member.q)
    for k in range(round(4.0 / H)):
        if k == round(0.3 / H):
            doll.member.pull(link, 10 * impulse * np.array([np.cos(angle), np.sin(angle), 0.0]))
        if k == round(0.4 / H):
            doll.member.pull(link)
        if controlled:
            doll.update(H)
        world.step(H)
        if doll.mode is Mode.FALLING or doll.member.q[2] < 0.6:
            return False
    return True


def up_after(seed: int) -> tuple[float, float]:
    """Time to get up from where it lies, and mean force of the root motor meanwhile; infinite if it falls again."""
    world, rng = World(), np.random.default_rng(seed)
    world.add_ground()
    doll = Ragdoll(world, FIGURE)
    q, v = FIGURE.neutral(), np.zeros(FIGURE.nv)
    turn = rng.normal(size=4)
    q[2], q[3:7], v[6:] = 1.0, turn / np.linalg.norm(turn), rng.normal(size=FIGURE.nv - 6) * 2
    doll.member.state = State(q, v)
    doll.fall()
    began, stood, forces = 0.0, 0.0, list[float]()
    for k in range(round(15.0 / H)):
        before = doll.mode
        doll.update(H)
        world.step(H)
        if doll.mode is Mode.RISING:
            if before is not Mode.RISING:
                if began:
                    return np.inf, float(np.mean(forces))
                began = k * H
            forces.append(float(np.linalg.norm(doll.assist[3:])))
        stood = stood + H if began and doll.mode is Mode.BALANCING else 0.0
        if stood > 1.5:
            return k * H - stood - began, float(np.mean(forces))
    return np.inf, float(np.mean(forces)) if forces else 0.0


def main() -> None:
    angles = np.radians(np.arange(0, 360, 45))
    rows = []
    for link in ("pelvis", "chest", "head"):
        for name, controlled in (("active ragdoll", True), ("motors alone", False)):
            stands = [sum(pushed(link, size, a, controlled=controlled) for a in angles) for size in SIZES]
            rows.append([f"{link}, {name}", *(f"{n} of 8" for n in stands)])
    table("Pushes withstood, of eight directions", ["", *(f"{size:g} N s" for size in SIZES)], rows)
    times = [up_after(seed) for seed in range(20)]
    up = [time for time, _ in times if time < np.inf]
    print(f"\nGetting up from 20 random lying poses: {len(up)} stand, after {max(up, default=0):.1f} s at the most; "
          f"root motor {np.mean([force for _, force in times]):.0f} N on the mean")  # fmt: skip


if __name__ == "__main__":
    main()
