"""How fast is forward dynamics, beside Pinocchio's `aba` and MuJoCo's `mj_forward`?

Both peers are called from Python, as their users do.  MuJoCo's call does more (it also looks for contacts, of which
there are none, and factorises its mass matrix), so Pinocchio is the yardstick.
"""

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import best, calls, table
from hitogata.dynamics import forward_dynamics
from hitogata.dynamics.articulated import Work, accelerate
from hitogata.dynamics.batches import run_one
from hitogata.dynamics.model import model_of
from hitogata.figure import Figure
from hitogata.lanes import entry
from hitogata.library import human28, human40
from tests.peers.builders import q_to_mujoco, q_to_pin, tau_to_pin, to_mjcf, to_pinocchio, v_to_mujoco, v_to_pin

BATCH = 8192


@entry
def loop(ints, floats, q, v, tau, out, count):
    """Forward dynamics again and again, inside compiled code."""
    status = 0
    for _ in range(count):
        status += run_one(accelerate, Work.SIZE, ints, floats, q, v, tau, None, None, out)
    return status


def peer_times(figure: Figure, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> dict[str, float]:
    model, _ = to_pinocchio(figure)
    data = model.createData()
    mj_model = mujoco.MjModel.from_xml_string(to_mjcf(figure))
    mj_data = mujoco.MjData(mj_model)
    mj_data.qpos[:], mj_data.qvel[:] = q_to_mujoco(figure, q), v_to_mujoco(figure, q, v)
    return {
        "Pinocchio pin.aba, from Python": calls(
            pin.aba, model, data, q_to_pin(figure, q), v_to_pin(figure, q, v), tau_to_pin(figure, q, tau)
        ),
        "MuJoCo mj_forward, from Python": calls(mujoco.mj_forward, mj_model, mj_data),
    }


def own_times(figure: Figure, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> dict[str, float]:
    model, out, rng = model_of(figure), np.empty(figure.nv), np.random.default_rng(1)
    times = {
        "hitogata, from Python": calls(forward_dynamics, figure, q, v, tau),
        "hitogata, in a compiled loop": best(
            lambda: loop(model.ints, model.floats, q, v, tau, out, 1000), loops=1000, repeats=1000
        ),
    }
    many = [np.array([figure.random(rng) for _ in range(BATCH)]), *rng.normal(size=(2, BATCH, figure.nv))]
    for dtype in (np.float64, np.float32):
        arrays = [x.astype(dtype) for x in many]
        result = np.empty_like(arrays[1])
        for threads in (1, 2):
            name = f"hitogata, batch of {BATCH}, f{8 * dtype().itemsize}, {threads} thread{'s' * (threads - 1)}"
            times[name] = best(
                lambda a=arrays, n=threads, out=result: forward_dynamics(figure, *a, threads=n, out=out),
                loops=BATCH,
                repeats=1000,
                seconds=5.0,
            )
    return times


def main() -> None:
    for figure in (human28(), human40()):
        rng = np.random.default_rng(0)
        q, v, tau = figure.random(rng), rng.normal(size=figure.nv), rng.normal(size=figure.nv)
        times = peer_times(figure, q, v, tau) | own_times(figure, q, v, tau)
        pinocchio, muj, *_ = times.values()
        rows = [[k, f"{t * 1e6:.3f}", f"{pinocchio / t:.1f}", f"{muj / t:.1f}"] for k, t in times.items()]
        head = ["", "µs per figure", "× pin.aba", "× mj_forward"]
        table(f"Forward dynamics of {figure.name} ({figure.nv} velocities)", head, rows)
        for bits in (64, 32):
            one, two = (t for k, t in times.items() if f"f{bits}" in k)
            print(f"  two threads, f{bits}: {one / two:.2f} times one")


if __name__ == "__main__":
    main()
