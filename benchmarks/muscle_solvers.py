"""The quadratic programs of muscle forces: our dual Newton method beside daqp, piqp, proxqp and clarabel.

Least squares of activations and reserves with bounds, for a gait model (54 muscles) and the built-in body (366) in a
walk; microseconds a frame, cost and worst violation of the equations beside each other.  Reads reference data.
"""

import time
import warnings

import numpy as np

from benchmarks.muscle import gait
from benchmarks.muscle_walk import walk
from hitogata.muscle import muscle_forces
from hitogata.solve import separable_programs

FRAMES, REPEATS = 20, 5


def main() -> None:
    """Print a table for each body."""
    warnings.simplefilter("ignore")
    muscles, motion = gait()
    compare("gait model", *programs(muscle_forces(muscles, motion.q, motion.qd, motion.free_forces)))
    body, motion, moments, _ = walk((0.55, 1.95))
    compare("built-in body", *programs(muscle_forces(body, motion.q, motion.v, moments)))


def programs(found):
    """A a + r = b of frames, from solutions: arms times capacities, without struts and nodes."""
    muscles, body = found.muscles, found.muscles.body
    rows = np.linspace(0, len(found.good) - 1, FRAMES).astype(int)
    jacobian = found.geometry.jacobian[rows][:, : len(muscles.muscles)]
    if not hasattr(body, "links"):
        from hitogata.figure.mechanism import coupling_matrix

        jacobian = jacobian @ np.array([coupling_matrix(body, np.zeros((1, jacobian.shape[2])))[0]] * len(rows))
    crossed = np.abs(jacobian).max(axis=(0, 1)) > 0
    A = -(jacobian * found.capacity[rows][:, :, None]).transpose(0, 2, 1)[:, crossed]
    b = np.einsum("kmn,kn->km", A, found.activation[rows])
    return np.ascontiguousarray(A), b + np.random.default_rng(0).normal(size=b.shape) * 0.05


def compare(name, A, b):
    """One table."""
    k, m, n = A.shape
    print(f"{name}: {n} muscles, {m} rows, {k} frames")
    ones = {"weights": np.ones((1, n)), "low": np.zeros(n), "softness": 1.0}
    for label, call in (
        ("ours, frame by frame", lambda: [separable_programs(A[i : i + 1], b[i : i + 1], **ones) for i in range(k)]),
        ("ours, all at once", lambda: [separable_programs(A, b, **(ones | {"weights": np.ones((k, n))}))]),
    ):
        found = call()
        x = np.concatenate([each.x for each in found])
        report(label, timed(call) / k, A, b, x)
    for label, solver in (("daqp", daqp), ("piqp", piqp), ("proxqp", proxqp), ("clarabel", clarabel)):
        prepared = [solver(A[i], b[i]) for i in range(k)]
        x = np.array([run() for run in prepared])
        report(label, timed(lambda prepared=prepared: [run() for run in prepared]) / k, A, b, x)


def timed(call):
    """Least of some runs [s], processor time."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def report(label, took, A, b, x):
    """A row: time, cost with reserves, and the bounds' violation."""
    slack = b - np.einsum("kmn,kn->km", A, x)
    cost = (x**2).sum(axis=1) + (slack**2).sum(axis=1)
    out = max(float(-x.min()), float(x.max() - 1.0), 0.0)
    print(f"  {label:<22} {took * 1e6:9.0f} us a frame, mean cost {cost.mean():.9f}, bounds kept to {out:.0e}")


def daqp(A, b):
    """Reserves as variables; soft rows cost squares."""
    import daqp as library

    m, n = A.shape
    H, rows = 2 * np.eye(n + m), np.ascontiguousarray(np.c_[A, np.eye(m)])
    upper, lower = np.r_[np.ones(n), np.full(m, 1e9), b], np.r_[np.zeros(n), np.full(m, -1e9), b]
    sense, zero = np.r_[np.zeros(n + m), np.full(m, 5)].astype(np.int32), np.zeros(n + m)
    return lambda: library.solve(H, zero, rows, upper, lower, sense)[0][:n]


def reduced(A, b):
    """Without reserves as variables: (I + AᵀA), -Aᵀb, bounds only."""
    return 2 * (np.eye(A.shape[1]) + A.T @ A), -2 * A.T @ b


def piqp(A, b):
    """Its dense solver, on the reduced program."""
    import piqp as library

    n = A.shape[1]

    def run():
        P, c = reduced(A, b)
        solver = library.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
        solver.setup(P, c, x_l=np.zeros(n), x_u=np.ones(n))
        solver.solve()
        return solver.result.x.copy()

    return run


def proxqp(A, b):
    """Its dense solver, on the reduced program."""
    import proxsuite

    n = A.shape[1]

    def run():
        P, c = reduced(A, b)
        solver = proxsuite.proxqp.dense.QP(n, 0, 0, True)
        solver.settings.eps_abs = 1e-9
        solver.init(P, c, None, None, None, None, None, np.zeros(n), np.ones(n))
        solver.solve()
        return solver.results.x.copy()

    return run


def clarabel(A, b):
    """Sparse, reserves as variables."""
    import clarabel as library
    from scipy import sparse

    m, n = A.shape
    P = sparse.csc_matrix(2 * np.eye(n + m))
    rows = sparse.csc_matrix(
        np.block([[A, np.eye(m)], [np.eye(n), np.zeros((n, m))], [-np.eye(n), np.zeros((n, m))]])
    )
    right = np.r_[b, np.ones(n), np.zeros(n)]
    cones = [library.ZeroConeT(m), library.NonnegativeConeT(2 * n)]
    settings = library.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10

    def run():
        return np.array(library.DefaultSolver(P, np.zeros(n + m), rows, right, cones, settings).solve().x)[:n]

    return run


if __name__ == "__main__":
    main()
