"""What do solvers of contact problems cost, beside a numpy loop and scipy's nnls?

The sweeps of the kernel alone are what a simulator pays; `projected_gauss_seidel` adds checks and residuals.
"""

import numpy as np
import scipy.optimize

from benchmarks.timing import best, calls, table
from hitogata.solve import (
    Disc,
    Problem,
    friction_newton,
    lemke,
    principal_pivoting,
    projected_gauss_seidel,
    sweep_batch,
)
from hitogata.solve.gauss_seidel import arranged, plain_rows, sweep_one

BATCH = 1024


def problem(n: int, seed: int) -> tuple[Problem, np.ndarray]:
    """Contact-like rows with a tenth of compliance, and a root G of A."""
    rng = np.random.default_rng(seed)
    G = np.hstack([rng.normal(size=(n, n // 2)) / n**0.5, 0.3 * np.eye(n)])
    return Problem(G @ G.T, G @ rng.normal(size=G.shape[1])), G


def contacts(points: int, bodies: int) -> Problem:
    """Points of contact between unit bodies and the ground in random directions, a thousandth of compliance."""
    rng = np.random.default_rng(bodies)
    J = np.zeros((3 * points, 6 * bodies))
    for c in range(points):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        for body, sign in zip(rng.choice(bodies + 1, 2, replace=False), (1, -1), strict=True):
            if body < bodies:
                x, y, z = rng.normal(size=3)
                arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] = sign * np.hstack([-axes @ arm, axes])
    discs = [Disc(3 * c, 3 * c + 1, 3 * c + 2, 0.5) for c in range(points)]
    return Problem(J @ J.T + 1e-3 * np.eye(3 * points), J @ rng.normal(size=6 * bodies), discs=discs)


def numpy_sweeps(p: Problem, sweeps: int = 20) -> np.ndarray:
    A, b, lam, inverse = p.A, p.b, np.zeros(p.n), 1 / np.diag(p.A)
    for _ in range(sweeps):
        for i in range(p.n):
            lam[i] = max(lam[i] - (A[i] @ lam + b[i]) * inverse[i], 0.0)
    return lam


def main() -> None:
    rows = []
    for n in (12, 30, 60, 200):
        p, _ = problem(n, n)
        floor, plain = np.zeros((0, 3), np.int64), plain_rows(p)
        columns, floats = arranged(p, np.zeros(n))

        def kernel(p=p, columns=columns, floats=floats, plain=plain, floor=floor, n=n) -> None:
            floats[:n] = p.b
            floats[columns.shape[1] : columns.shape[1] + n] = 0.0
            sweep_one(columns, floats, plain, floor, p.b, 20, -1.0)

        A, b = np.repeat(p.A[None], BATCH, 0), np.repeat(p.b[None], BATCH, 0)
        whole = best(lambda A=A, b=b: sweep_batch(A, b, sweeps=20), seconds=2.0)
        none = best(lambda A=A, b=b: sweep_batch(A, b, sweeps=0), seconds=2.0)
        inner, outer = calls(kernel, loops=20), calls(projected_gauss_seidel, p, loops=20)
        slow = best(lambda p=p: numpy_sweeps(p), seconds=2.0)
        rows.append([str(n), f"{inner * 1e6:.1f}", f"{outer * 1e6:.1f}", f"{(whole - none) / BATCH * 1e6:.2f}",
                     f"{whole / BATCH * 1e6:.2f}", f"{slow * 1e6:.0f}", f"{slow / inner:.0f}"])  # fmt: skip
    head = ["rows", "kernel", "from Python", "lanes, sweeps", "lanes, all", "numpy loop", "numpy / kernel"]
    table(f"20 sweeps of projected Gauss-Seidel [µs per problem; lanes: {BATCH} problems, one thread]", head, rows)

    rows = []
    for n in (12, 30, 60, 200):
        p, G = problem(n, n)
        target = -np.linalg.lstsq(G, p.b, rcond=None)[0]  # ½ λᵀAλ + bᵀλ = ½ |Gᵀλ − target|² + constant
        pivots = calls(principal_pivoting, p, loops=5)
        table_method = best(lambda p=p: lemke(p), seconds=2.0)
        peer = best(lambda G=G, t=target: scipy.optimize.nnls(G.T, t), seconds=2.0)
        worst = np.abs(scipy.optimize.nnls(G.T, target)[0] - principal_pivoting(p).lam).max()
        sweeps = projected_gauss_seidel(p, sweeps=100000, tolerance=1e-10)
        times = [f"{time * 1e6:.0f}" for time in (pivots, table_method, peer)]
        rows.append([str(n), *times, f"{peer / pivots:.1f}", f"{worst:.0e}", f"{sweeps.iterations}"])
    head = ["rows", "principal pivots", "Lemke", "scipy nnls", "nnls / pivots", "difference", "sweeps to 1e-10"]
    table("Exact solution [µs]", head, rows)

    rows = []
    for points in (4, 10, 20):
        p, _ = problem(3 * points, points)
        p = Problem(p.A, p.b, discs=[Disc(3 * k, 3 * k + 1, 3 * k + 2, 0.6) for k in range(points)])
        s = friction_newton(p)
        newton, pgs = best(lambda p=p: friction_newton(p), seconds=2.0), calls(projected_gauss_seidel, p, loops=20)
        rows.append([str(points), f"{pgs * 1e6:.0f}", f"{projected_gauss_seidel(p).residuals.relative:.0e}",
                     f"{newton * 1e6:.0f}", f"{s.residuals.relative:.0e}"])  # fmt: skip
    head = ["contacts", "20 sweeps", "residual", "friction_newton", "residual"]
    table("Friction discs, from Python [µs]", head, rows)

    rows = []
    for bodies in (60, 143):
        p = contacts(286, bodies)
        pgs = best(lambda p=p: projected_gauss_seidel(p, sweeps=20000, tolerance=1e-12), repeats=5, seconds=5.0)
        newton, s = best(lambda p=p: friction_newton(p), repeats=5, seconds=5.0), friction_newton(p)
        rows.append([str(bodies), f"{pgs * 1e3:.0f}", f"{newton * 1e3:.0f}", f"{newton / pgs:.1f}",
                     f"{s.residuals.relative:.0e}"])  # fmt: skip
    head = ["bodies", "sweeps to 1e-12", "friction_newton", "ratio", "residual"]
    table("286 contacts at random [ms]", head, rows)


if __name__ == "__main__":
    main()
