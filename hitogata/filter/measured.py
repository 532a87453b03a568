"""Measured forces: the motion of a recording changed as little as makes it agree with force plates.

The forces are known, so accelerations of the whole body are: what inverse dynamics leaves at the root (the residual ρ)
due to the motion, the body's masses, and noise.  With δ the change of the coordinates over the trial and p that
of the trunk's mass and centre,

    least of  Σ_t |δ/σ_δ|² + |ρ(q + δ, p)/σ_ρ|² + |p/σ_p|²

by Gauss-Newton steps: ρ's derivatives by differences, exact in δ̈, rates of δ by central differences, so that the
system is banded (block-pentadiagonal) but for the few columns of p.  What cannot be agreed stays as a residual, and is
told.  (OpenSim's RRA tracks with hand-tuned weights instead; Delp et al. 2007.)
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import solveh_banded

from hitogata.dynamics.filters import spline_derivatives, zero_phase_lowpass
from hitogata.dynamics.measured_loads import load_wrenches
from hitogata.dynamics.recorded import recorded_dynamics
from hitogata.errors import ArgumentError
from hitogata.figure.mechanism import Mechanism, MechanismKernels, coupling_matrix, followed
from hitogata.figure.values import FloatArray
from hitogata.files.osim import ExternalLoads, OsimModel
from hitogata.files.storage import StorageTable


@dataclass(frozen=True)
class MeasuredSettings:
    """What deviations count alike.

    Attributes:
        angle, length: of coordinates that turn [rad] and shift [m].
        force, moment: left at the root, in peak external force and in that times the leg's length of one metre.
        trunk_mass: of the trunk's mass, as a share; 0: not adjusted.
        trunk_centre: of the trunk's centre of mass, each way [m]; 0: not adjusted.
        cutoff: of the low-pass on coordinates and loads [Hz].
        steps: of Gauss-Newton.
    """

    angle: float = 0.02
    length: float = 0.01
    force: float = 0.01
    moment: float = 0.005
    trunk_mass: float = 0.1
    trunk_centre: float = 0.02
    cutoff: float = 6.0
    steps: int = 8

    def __post_init__(self) -> None:
        for name in ("angle", "length", "force", "moment", "cutoff"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ArgumentError(f"measured forces: {name} must be positive, got {getattr(self, name)!r}")


@dataclass(frozen=True, eq=False)
class Agreed:
    """A recording that agrees with its forces.

    Attributes:
        mechanism: with the trunk's mass and centre as adjusted.
        time: [s], shape (n,).
        q, qd, qdd: coordinates, rates, accelerations, shape (n, nc).
        before: coordinates as they came, low-passed, shape (n, nc).
        residual, residual_before: forces left on the root's coordinates, shape (n, nr).
        root: names of these.
        turning: which coordinates are angles, shape (nc,).
        peak: largest external force [N].
        mass: by which the trunk's mass was changed [kg].
        centre: by which its centre was moved, its own axes [m].
    """

    mechanism: Mechanism
    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    qd: FloatArray = field(repr=False)
    qdd: FloatArray = field(repr=False)
    before: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    residual_before: FloatArray = field(repr=False)
    root: tuple[str, ...]
    turning: tuple[bool, ...]
    peak: float
    mass: float
    centre: FloatArray

    def numbers(self, height: float = 1.8) -> dict[str, float]:
        """Residuals as shares of the peak force (and of height times it), changes of joints [deg] and root [mm]."""
        names = self.mechanism.coordinates
        turns = np.array([self.turning[names.index(name)] for name in self.root])
        off = self.q - self.before
        joints = [k for k, name in enumerate(names) if name not in self.root and self.turning[k]]
        place = [names.index(name) for name in self.root if not self.turning[names.index(name)]]
        pelvis = [names.index(name) for name in self.root if self.turning[names.index(name)]]
        found = {}
        for label, values in (("before", self.residual_before), ("after", self.residual)):
            force, moment = np.linalg.norm(values[:, ~turns], axis=1), np.linalg.norm(values[:, turns], axis=1)
            found[f"force {label}, most"] = float(force.max()) / self.peak
            found[f"force {label}, rms"] = float(np.sqrt((force**2).mean())) / self.peak
            found[f"moment {label}, most"] = float(moment.max()) / (self.peak * height)
            found[f"moment {label}, rms"] = float(np.sqrt((moment**2).mean())) / (self.peak * height)
        found["joints, rms [deg]"] = float(np.degrees(np.sqrt((off[:, joints] ** 2).mean()))) if joints else 0.0
        found["worst joint, rms [deg]"] = float(np.degrees(np.sqrt((off[:, joints] ** 2).mean(axis=0).max())))
        found["pelvis turned, rms [deg]"] = float(np.degrees(np.sqrt((off[:, pelvis] ** 2).sum(axis=1).mean())))
        found["pelvis, rms [mm]"] = 1e3 * float(np.sqrt((off[:, place] ** 2).sum(axis=1).mean()))
        return found


def agree_with_forces(
    model: OsimModel,
    coordinates: StorageTable,
    loads: tuple[ExternalLoads, StorageTable],
    *,
    trunk: str = "torso",
    window: tuple[float, float] | None = None,
    settings: MeasuredSettings | None = None,
) -> Agreed:
    """Change a recorded motion as little as makes it agree with the measured forces.

    Args:
        model: whose coordinates they are.
        coordinates: of the recording.
        loads: external loads and their table.
        trunk: body whose mass and centre may be adjusted.
        window: first and last time [s]; None: where coordinates and loads are both known.
        settings: what deviations count alike.
    """
    s = settings or MeasuredSettings()
    table = loads[1]
    first, last = max(coordinates.time[0], table.time[0]), min(coordinates.time[-1], table.time[-1])
    if window is not None:
        first, last = max(first, window[0]), min(last, window[1])
    found = recorded_dynamics(model, coordinates, loads=loads, cutoff=s.cutoff, window=(first, last))
    mechanism, time = found.mechanism, found.time
    if len(time) < 10:
        raise ArgumentError(f"measured forces: {len(time)} frames between {first:g} and {last:g} s are too few")
    h = float(time[-1] - time[0]) / (len(time) - 1)
    wrenches = _smooth_loads(mechanism, found.q, time, loads, s)
    problem = _Problem(mechanism, time, h, found.q, found.qd, found.qdd, wrenches)
    if s.trunk_mass > 0 and trunk not in [body.name for body in mechanism.bodies]:
        raise ArgumentError(f"measured forces: no body {trunk!r}; there are "
                            f"{', '.join(body.name for body in mechanism.bodies)}")  # fmt: skip
    return problem.solve(s, trunk, found.turning)


def _smooth_loads(
    mechanism: Mechanism, q: FloatArray, time: FloatArray, loads: tuple[ExternalLoads, StorageTable],
    settings: MeasuredSettings,
) -> FloatArray:  # fmt: skip
    """Wrenches of the loads on the bodies, low-passed as the motion is (in world axes about its origin)."""
    kernels = MechanismKernels(mechanism)
    table = loads[1]
    inside = (table.time >= time[0] - 0.3) & (table.time <= time[-1] + 0.3)
    fine = table.time[inside]
    fine = fine[(fine >= table.time[0]) & (fine <= table.time[-1])]
    poses = kernels.poses(np.stack([np.interp(fine, time, column) for column in q.T], axis=1))
    wrenches = load_wrenches(mechanism, *poses, fine, *loads)
    even, smooth = zero_phase_lowpass(fine, wrenches.reshape(len(fine), -1), settings.cutoff)
    value, _, _ = spline_derivatives(even, smooth, np.clip(time, even[0], even[-1]))
    result: FloatArray = value.reshape(len(time), *wrenches.shape[1:])
    return result


class _Problem:
    """The least-squares problem of a trial."""

    def __init__(
        self, mechanism: Mechanism, time: FloatArray, h: float, q: FloatArray, qd: FloatArray, qdd: FloatArray,
        wrenches: FloatArray,
    ) -> None:  # fmt: skip
        self.mechanism, self.time, self.h, self.wrenches = mechanism, time, h, wrenches
        self.q, self.qd, self.qdd = q, qd, qdd
        joint = mechanism.joints[0]
        self.root = joint.coordinates
        self.rows = [mechanism.coordinates.index(name) for name in self.root]
        self.free = [mechanism.coordinates.index(name) for name in mechanism.free_coordinates]
        self.kernels = MechanismKernels(mechanism)
        self.peak = float(np.linalg.norm(wrenches[:, :, 3:].sum(axis=1), axis=1).max())

    def residual(self, kernels: MechanismKernels, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """Forces left on the root's coordinates, shape (n, nr)."""
        tau, _ = kernels.loaded(*followed(self.mechanism, q, qd, qdd), self.wrenches)
        result: FloatArray = tau[:, self.rows]
        return result

    def moved(self, change: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Coordinates, rates and accelerations with a change (n, nf) of the free coordinates."""
        q, qd, qdd = self.q.copy(), self.qd.copy(), self.qdd.copy()
        first, second = _rates(change, self.h)
        q[:, self.free] += change
        qd[:, self.free] += first
        qdd[:, self.free] += second
        return followed(self.mechanism, q, qd, qdd)

    def solve(self, s: MeasuredSettings, trunk: str, turning: tuple[bool, ...]) -> Agreed:
        n, nf = len(self.time), len(self.free)
        turns = np.array([turning[k] for k in self.rows])
        weight = 1.0 / (self.peak * np.where(turns, s.moment, s.force))
        cost = np.array([1.0 / (s.angle if turning[k] else s.length) for k in self.free])
        extra = 4 if s.trunk_mass > 0 else 0
        change, p, kernels, mechanism = np.zeros((n, nf)), np.zeros(extra), self.kernels, self.mechanism
        state = self.moved(change)
        before = self.residual(kernels, *state)
        tight = weight
        for k in range(s.steps):  # from loose to tight: far from agreement the residual is not straight in δ
            weight = tight / max(1.0, 30.0 * 0.4**k)
            rho = self.residual(kernels, *state) * weight
            blocks = [part * weight[None, :, None] for part in self._derivatives(kernels, state)]
            columns = np.zeros((n, len(self.rows), extra))
            for j in range(extra):
                step = np.zeros(extra)
                step[j] = 1e-3
                other = MechanismKernels(_adjusted(self.mechanism, trunk, p + step))
                columns[:, :, j] = (self.residual(other, *state) * weight - rho) / 1e-3
            prior = np.array([s.trunk_mass * _body_mass(self.mechanism, trunk), *[s.trunk_centre] * 3])[:extra] ** -1.0
            turn, add = _banded_step(blocks, rho, columns, cost, change, prior, p, self.h)
            change, p = change + turn, p + add
            state = self.moved(change)
            mechanism = _adjusted(self.mechanism, trunk, p) if extra else self.mechanism
            kernels = MechanismKernels(mechanism)
        return Agreed(mechanism, self.time, *state, self.q, self.residual(kernels, *state), before, self.root, turning,
                      self.peak, float(p[0]) if extra else 0.0, p[1:] if extra else np.zeros(3))  # fmt: skip

    def _derivatives(
        self, kernels: MechanismKernels, state: tuple[FloatArray, FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """∂ρ/∂δ, ∂ρ/∂δ̇, ∂ρ/∂δ̈, each (n, nr, nf), along the couplings."""
        base, eps = self.residual(kernels, *state), 1e-5
        G = coupling_matrix(self.mechanism, state[0])
        found = []
        for which in range(3):
            part = np.empty((len(base), len(self.rows), len(self.free)))
            for j in range(len(self.free)):
                q, qd, qdd = (x + eps * G[:, :, j] if which == k else x for k, x in enumerate(state))
                tau, _ = kernels.loaded(q, qd, qdd, self.wrenches)
                part[:, :, j] = (tau[:, self.rows] - base) / eps
            found.append(part)
        return found[0], found[1], found[2]


def _rates(change: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """First and second derivatives by central differences; at the ends those of their neighbours."""
    first, second = np.empty_like(change), np.empty_like(change)
    first[1:-1] = (change[2:] - change[:-2]) / (2 * h)
    second[1:-1] = (change[2:] - 2 * change[1:-1] + change[:-2]) / (h * h)
    first[0], first[-1], second[0], second[-1] = first[1], first[-2], second[1], second[-2]
    return first, second


def _banded_step(
    blocks: list[FloatArray], rho: FloatArray, columns: FloatArray, cost: FloatArray, change: FloatArray,
    prior: FloatArray, p: FloatArray, h: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """A Gauss-Newton step: the banded normal equations of δ, bordered by those of p."""
    n, nf = change.shape
    K, C, M = blocks
    low, mid, high = M / (h * h) - C / (2 * h), K - 2 * M / (h * h), M / (h * h) + C / (2 * h)
    band = 3 * nf
    matrix = np.zeros((band, n * nf))  # upper form of solveh_banded, by columns
    right, border = -(cost**2) * change, np.zeros((n, nf, columns.shape[2]))

    def add(r: int, c: int, block: FloatArray) -> None:
        for i in range(nf):
            for_row = band - 1 + r * nf + i - (c * nf + np.arange(nf))
            keep = (c * nf + np.arange(nf)) >= r * nf + i
            matrix[for_row[keep], (c * nf + np.arange(nf))[keep]] += block[i, keep]

    for t in range(n):
        middle = min(max(t, 1), n - 2)
        parts = [(middle - 1, low[t]), (middle, mid[t]), (middle + 1, high[t])]
        if middle != t:  # the ends take their neighbours' rates, but their own places
            parts = [(k, part - (K[t] if k == middle else 0.0)) for k, part in parts]
            parts = [(k, part + (K[t] if k == t else 0.0)) for k, part in parts]
        for a, (k, left) in enumerate(parts):
            right[k] -= left.T @ rho[t]
            border[k] += left.T @ columns[t]
            for l, other in parts[a:]:
                add(k, l, left.T @ other)
    matrix[-1] += np.tile(cost**2, n)
    sides = np.concatenate([right.reshape(-1, 1), border.reshape(n * nf, -1)], axis=1)
    solved = solveh_banded(matrix, sides, check_finite=False)
    if not len(p):
        return solved[:, 0].reshape(n, nf), p
    flat = border.reshape(n * nf, -1)
    own = np.einsum("nri,nrj->ij", columns, columns) + np.diag(prior**2)
    own_right = -np.einsum("nri,nr->i", columns, rho) - prior**2 * p
    step = np.linalg.solve(own - flat.T @ solved[:, 1:], own_right - flat.T @ solved[:, 0])
    return (solved[:, 0] - solved[:, 1:] @ step).reshape(n, nf), step


def _body_mass(mechanism: Mechanism, name: str) -> float:
    return next(body.mass for body in mechanism.bodies if body.name == name)


def _adjusted(mechanism: Mechanism, name: str, p: FloatArray) -> Mechanism:
    """The mechanism with other mass [kg] and centre [m] of a body."""
    bodies = []
    for body in mechanism.bodies:
        if body.name == name:
            x, y, z = np.array(body.centre) + p[1:]
            share = (body.mass + p[0]) / body.mass
            body = replace(body, mass=body.mass * share, centre=(float(x), float(y), float(z)),
                           inertia=tuple(share * value for value in body.inertia))  # fmt: skip
        bodies.append(body)
    return replace(mechanism, bodies=tuple(bodies))
