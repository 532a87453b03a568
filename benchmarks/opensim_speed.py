"""Mechanisms beside OpenSim: poses and inverse dynamics, frame by frame and a whole recording.  `--model FILE.osim`.

OpenSim's times are of its C++ called from Python: coordinates set, one realize or solve; ours of all frames
together, and of one frame a call.  OpenSim's bindings are a peer only: `pip install opensim`.
"""

import argparse
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.timing import best, calls, table
from hitogata.errors import FileContentWarning
from hitogata.figure.mechanism import MechanismKernels, followed, mechanism_inverse_dynamics, mechanism_motion
from hitogata.files.osim import mechanism_from_osim, read_osim, write_osim

FRAMES = 2000


def theirs(model):
    """poses(q), inverse(q, u, udot): one frame in OpenSim; coordinates as it orders them."""
    import opensim

    opensim.Logger.setLevelString("critical")
    kept = tuple(frame for frame in model.frames if not frame.path.startswith("/forceset/"))
    bare = replace(model, forces=(), contact_geometry=(), others=(), groups=(), frames=kept)
    with tempfile.TemporaryDirectory() as folder:
        write_osim(bare, Path(folder) / "model.osim")
        loaded = opensim.Model(str(Path(folder) / "model.osim"))
    state = loaded.initSystem()
    solver, nq = opensim.InverseDynamicsSolver(loaded), state.getNQ()
    bodies = [loaded.getBodySet().get(k) for k in range(loaded.getBodySet().getSize())]

    def poses(q):
        state.setQ(opensim.Vector(q))
        loaded.realizePosition(state)
        return [body.getTransformInGround(state) for body in bodies]

    def inverse(q, u, udot):
        state.setQ(opensim.Vector(q))
        state.setU(opensim.Vector(u))
        loaded.realizeDynamics(state)
        return solver.solve(state, opensim.Vector(udot))
    return poses, inverse, nq


def main():
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--model")
    asked, _ = options.parse_known_args([a for a in sys.argv[1:] if a != "opensim_speed"])
    if not asked.model:
        print("give --model FILE.osim")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        model = read_osim(asked.model)
    mechanism, rng = mechanism_from_osim(model), np.random.default_rng(0)
    q = followed(mechanism, rng.uniform(-0.3, 0.3, (FRAMES, len(mechanism.coordinates))))[0]
    u, a = rng.normal(size=q.shape), rng.normal(size=q.shape)
    q1, u1, a1 = q[0].copy(), u[0].copy(), a[0].copy()
    fast = MechanismKernels(mechanism)
    poses, inverse, nq = theirs(model)
    own = [rng.uniform(-0.3, 0.3, nq).tolist() for _ in range(3)]
    rows = []
    for name, batch, one, other in (
        ("poses", lambda: fast.poses(q), lambda: fast.poses(q1), lambda: poses(own[0])),
        ("inverse dynamics", lambda: fast.forces(q, u, a), lambda: fast.forces(q1, u1, a1), lambda: inverse(*own)),
        ("poses, numpy", lambda: mechanism_motion(mechanism, q), lambda: mechanism_motion(mechanism, q[0]),
         lambda: poses(own[0])),
        ("inverse dynamics, numpy", lambda: mechanism_inverse_dynamics(mechanism, q, u, a),
         lambda: mechanism_inverse_dynamics(mechanism, q[0], u[0], a[0]), lambda: inverse(*own)),
    ):  # fmt: skip
        many = 1 if "numpy" in name else 100  # a single call of the others is shorter than a look at the clock
        per = best(batch, repeats=100, seconds=3.0) / FRAMES, calls(one, loops=many, seconds=2.0)
        peer = calls(other, loops=20, seconds=2.0)
        rows.append([name, f"{peer * 1e6:.0f}", f"{per[0] * 1e6:.2f}", f"{peer / per[0]:.1f}", f"{per[1] * 1e6:.1f}",
                     f"{peer / per[1]:.2f}"])  # fmt: skip
    head = ["µs per frame", "OpenSim", f"ours, {FRAMES} frames", "times", "ours, one a call", "times"]
    table(f"{model.name}, {len(mechanism.coordinates)} coordinates, {len(mechanism.bodies)} bodies", head, rows)


if __name__ == "__main__":
    main()
