"""How large a step lets a human stand, and what does a large step do to its balance, beside MuJoCo?

human28 on its feet, springs of 2000 N m/rad and dampers of 30 N m s/rad in its joints, disturbed by 0.05 rad/s, 10 s;
then the push on the chest, 0.1 s long, that topples it, bisected; then 100 kg in each hand.

MuJoCo is tried with every mixture of integrator, cone, contact time constant, impratio, refsafe, and springs of joints
or position servos.  Per step, the best counts: of those that stand, the one with the least turning at the end; of
pushes, the one nearest to the value at 1/2000 s.
"""

import itertools
from collections.abc import Iterable

import numpy as np

from benchmarks.swinging import INTEGRATORS
from benchmarks.timing import table
from benchmarks.upright import MujocoStander, OurStander, Stander, loaded
from hitogata.figure import Figure
from hitogata.sim import Settings

H, FINE = (1 / 240, 1 / 60, 1 / 30, 0.1), 1 / 2000
K, D = 2000.0, 30.0
LOAD, LOAD_K, LOAD_D = 100.0, 5000.0, 75.0  # in each hand [kg]
FIRM = Settings(contact_stiffness=1e6, contact_damping=1e4)
WEAKEST, STRONGEST = 5.0, 45.0  # pushes that surely do not, and surely do, topple [N s]


def mujocos(integrators: Iterable[str], *, servos: Iterable[bool] = (False, True)) -> dict[str, MujocoStander]:
    """All mixtures of settings."""
    found = {}
    for integrator, servo, elliptic, constant, impratio, safe in itertools.product(
        integrators, servos, (False, True), (0.02, 0.005), (1.0, 10.0), (True, False)
    ):
        if not elliptic and impratio > 1:
            continue  # for cones only
        words = [integrator, "elliptic" if elliptic else "pyramidal", f"{1000 * constant:g} ms"]
        words += ["impratio 10"] * (impratio > 1) + ["refsafe off"] * (not safe) + ["servos"] * servo
        found[", ".join(words)] = MujocoStander(
            integrator, elliptic=elliptic, time_constant=constant, impratio=impratio, refsafe=safe, servos=servo
        )
    return found


def stand(stander: Stander, k: float, d: float, h: float) -> tuple[float, str]:
    """Turning of its joints after ten seconds [rad/s], infinite if it does not stand; and what happened, in words."""
    stander.begin(k, d, h, disturbed=True)
    result = stander.run(10.0)
    if not result.stands:
        return np.inf, "diverges" if result.diverges else "falls"
    turning = result.turning[-max(1, round(0.5 / h)) :].max()
    share = stander.weight() / (9.81 * stander.figure.mass)
    return turning, f"{turning:.0e} rad/s, {share:.3f}"


def topples(stander: Stander, h: float, impulse: float) -> bool:
    stander.begin(K, D, h, disturbed=False)
    stander.run(0.5)
    stander.push(impulse / 0.1)
    stander.run(0.1)
    stander.push(0.0)
    return not all(stander.run(1.0).stands for _ in range(6))


def toppling_push(stander: Stander, h: float) -> float:
    """The least push that topples it [N s]; 0 if it needs none."""
    if topples(stander, h, 0.0):
        return 0.0
    low, high = WEAKEST, STRONGEST
    while high - low > 0.05:
        middle = (low + high) / 2
        low, high = (low, middle) if topples(stander, h, middle) else (middle, high)
    return (low + high) / 2


# ------------------------------------------------------- tables


def steps_of(hs: Iterable[float]) -> list[str]:
    return [f"1/{round(1 / h)} s" for h in hs]


def standing_table() -> None:
    ours = {"hitogata": OurStander(), "hitogata, firm ground": OurStander(FIRM)}
    rows = [[name, *(stand(s, K, D, h)[1] for h in H)] for name, s in ours.items()]
    names = []
    for integrator in reversed(INTEGRATORS):
        tried = mujocos([integrator])
        best = [min(((*stand(s, K, D, h), name) for name, s in tried.items()), key=lambda t: t[0]) for h in H]
        rows.append([f"MuJoCo {integrator}", *(words for _, words, _ in best)])
        names += [f"  MuJoCo {at}: {name}" for at, (t, _, name) in zip(steps_of(H), best, strict=True) if t < np.inf]
    table("human28 after 10 s: largest turning of a joint, ground force / weight", ["", *steps_of(H)], rows)
    print("\n".join(["  settings of the best:", *names]))


def push_table() -> None:
    hs = (FINE, *H)
    rows = []
    for name, settings in {
        "hitogata": Settings(),
        "hitogata, firm ground": FIRM,
        "hitogata, firm ground, θ = 1": Settings(theta=1.0, contact_stiffness=1e6, contact_damping=1e4),
    }.items():
        stander = OurStander(settings)
        rows.append([name, *(f"{toppling_push(stander, h):.1f}" for h in hs)])
    tried = mujocos(["discrete"], servos=[False])
    usual = tried["discrete, elliptic, 20 ms, impratio 10"]
    truth = toppling_push(usual, FINE)
    pushes = {name: [toppling_push(s, h) for h in H] for name, s in tried.items()}
    nearest = [min(pushes, key=lambda name, k=k: abs(pushes[name][k] - truth)) for k in range(len(H))]
    best = [pushes[name][k] for k, name in enumerate(nearest)]
    rows.append(["MuJoCo discrete, best settings", *(f"{push:.1f}" for push in (truth, *best))])
    worst = [max(pushes[name][k] for name in pushes) for k in range(len(H))]
    rows.append(["MuJoCo discrete, worst settings", "", *(f"{push:.1f}" for push in worst)])
    fast = MujocoStander("implicitfast", impratio=10.0)
    pushes_of_fast = [toppling_push(fast, h) for h in hs]
    rows.append(["MuJoCo implicitfast", *(f"{push:.1f}" if push else "falls unpushed" for push in pushes_of_fast)])
    table("Push on the chest that topples human28 [N s]", ["", *steps_of(hs)], rows)
    print("\n".join(f"  best at {at}: {name}" for at, name in zip(steps_of(H), nearest, strict=True)))


def load_table() -> None:
    figure: Figure = loaded(LOAD)
    standers: dict[str, Stander] = {
        "hitogata": OurStander(figure=figure),
        "hitogata, firm ground": OurStander(FIRM, figure),
        "MuJoCo discrete": MujocoStander("discrete", time_constant=0.005, impratio=10.0, figure=figure),
        "MuJoCo implicitfast": MujocoStander("implicitfast", time_constant=0.005, impratio=10.0, figure=figure),
    }
    hs = (FINE, *H)
    rows = [[name, *(stand(s, LOAD_K, LOAD_D, h)[1] for h in hs)] for name, s in standers.items()]
    title = f"{LOAD:g} kg in each hand, K = {LOAD_K:g}, D = {LOAD_D:g}: turning after 10 s, ground force / weight"
    table(title, ["", *steps_of(hs)], rows)


def main() -> None:
    standing_table()
    push_table()
    load_table()


if __name__ == "__main__":
    main()
