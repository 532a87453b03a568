"""Random problems, and solvers too slow or too plain for anything but tests."""

import itertools
import os
import pathlib

import numpy as np
import pytest

from hitogata.solve import Disc, Problem


def psd(rng, n, rank=None):
    """A = G Gᵀ of the given rank, and G."""
    G = rng.normal(size=(n, rank or n))
    return G @ G.T, G


def contacts(rng, points, bodies, *, mu=0.6, soft=0.0):
    """Points of contact between unit bodies and the ground, as A = J Jᵀ with friction; redundant if points are many."""
    J = np.zeros((3 * points, 6 * bodies))
    for c in range(points):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        for body, sign in zip(rng.choice(bodies + 1, 2, replace=False), (1, -1), strict=True):
            if body < bodies:
                x, y, z = rng.normal(size=3)
                arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] = sign * np.hstack([-axes @ arm, axes])
    discs = tuple(Disc(3 * c, 3 * c + 1, 3 * c + 2, mu) for c in range(points))
    return Problem(J @ J.T + soft * np.eye(3 * points), J @ rng.normal(size=6 * bodies), discs=discs)


def all_solutions(problem, tolerance=1e-9):
    """Every solution with a regular pattern, by trying all 3ⁿ patterns of low, between, high."""
    n, found = problem.n, []
    for pattern in itertools.product((0, 1, 2), repeat=n):
        state = np.array(pattern)
        lam = np.where(state == 0, problem.low, np.where(state == 2, problem.high, 0.0))
        inner = state == 1
        if not np.isfinite(lam).all():
            continue
        block = problem.A[np.ix_(inner, inner)]
        if inner.any():
            if np.linalg.cond(block) > 1e10:
                continue
            lam[inner] = np.linalg.solve(block, -(problem.b + problem.A @ lam)[inner])
        w = problem.speeds(lam)
        good = (lam >= problem.low - tolerance) & (lam <= problem.high + tolerance)
        good &= np.where(inner, True, np.where(state == 0, w >= -tolerance, w <= tolerance))
        if good.all():
            found.append(lam)
    return found


def to_rounding(problem, solution):
    """Whether the residual is no more than rounding of A λ + b: some 1e-14 of its terms."""
    terms = np.max((np.abs(problem.A) @ np.abs(solution.lam) + np.abs(problem.b)) * problem.scales)
    return solution.residuals.relative * problem.size <= 1e-14 * terms


def plain_sweeps(problem, sweeps, lam=None):
    """Projected Gauss-Seidel as a loop of numpy, without discs."""
    x = np.zeros(problem.n) if lam is None else lam.copy()
    for _ in range(sweeps):
        for i in range(problem.n):
            w = problem.A[i] @ x + problem.b[i]
            x[i] = np.clip(x[i] - w / problem.A[i, i], problem.low[i], problem.high[i])
    return x


def data_folder():
    """../shared/data beside the project, or HITOGATA_DATA; skips if there is none."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(os.environ.get("HITOGATA_DATA", root.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"reference data not found in {folder}; set HITOGATA_DATA")
    return folder


def read_lcp(path):
    """M and q of a file: n / 0 / n / n / n n / M / q, with M column by column (as Fortran and Siconos store it)."""
    words = path.read_text().split()
    n = int(words[0])
    numbers = np.array(words[6 : 6 + n * n + n], float)
    return numbers[: n * n].reshape(n, n).T, numbers[n * n :]


def brick_wall(rows, columns, *, mu=0.5, soft=0.0, kick=0.0, seed=0):
    """A wall of unit bricks under one step of gravity, four corners per brick and neighbour: very redundant.

    `soft` is compliance as a part of the diagonal; `kick` the spread of the bricks' speeds.
    """
    size = np.array([1.0, 0.5, 0.5])
    place = {(r, c): ((c + 0.5 * (r % 2)), 0.25 + 0.5 * r) for r in range(rows) for c in range(columns)}
    index = {brick: k for k, brick in enumerate(place)}
    blocks, bodies = [], len(place)
    for (r, c), (x, z) in place.items():
        below = [(None, x)] if r == 0 else [((r - 1, k), place[r - 1, k][0]) for k in range(columns)]
        for other, x2 in below:
            left, right = max(x, x2) - 0.5, min(x, x2) + 0.5
            for px, py in itertools.product((left, right), (-0.25, 0.25)) if right > left + 1e-9 else ():
                J = np.zeros((3, 6 * bodies))
                for brick, sign in (((r, c), 1.0), (other, -1.0)):
                    if brick is not None:
                        bx, bz = place[brick]
                        ax, ay, az = px - bx, py, z - 0.25 - bz
                        arm = np.array([[0, -az, ay], [az, 0, -ax], [-ay, ax, 0]])
                        axes = np.eye(3)[[2, 0, 1]]
                        J[:, 6 * index[brick] : 6 * index[brick] + 6] = sign * np.hstack([-axes @ arm, axes])
                blocks.append(J)
    J, k = np.vstack(blocks), len(blocks)
    moments = (size @ size - size**2) / 12.0
    A = J * np.tile(np.concatenate([1.0 / moments, np.ones(3)]), bodies) @ J.T
    v = kick * np.random.default_rng(seed).normal(size=6 * bodies)
    v[5::6] -= 9.81 / 60.0
    A = 0.5 * (A + A.T)
    return Problem(
        A + soft * np.diag(np.diag(A)), J @ v, discs=[Disc(3 * c, 3 * c + 1, 3 * c + 2, mu) for c in range(k)]
    )
