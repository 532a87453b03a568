"""Muscle forces behind moments of joints: for frames, recordings and live (static optimisation).

With the Jacobian J of the wires' lengths, tensions f make the forces τ = -Jᵀ f (the paper's sign is not printed).  Each
muscle pulls between its passive force and what it can at its length and speed, f = p + a F, so that the activations a
(0 to 1), with reserves r for what no muscle can do, satisfy

    Σ_i -J_ij F_i a_i + r_j = τ_j + Σ_i J_ij p_i          for every coordinate j that muscles cross,

and are those of the least cost (Crowninshield & Brand 1981; Anderson & Pandy 2001).  Coordinates that no wire crosses
are left out: the root's residual, and joints without muscles.  Massless nodes must be balanced by what meets there;
tendons that leave a node pull as much as that takes, and supports push so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism import Mechanism, coupling_matrix
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.bodies import skeleton_of
from hitogata.muscle.elastic import ROUNDS, SETTLED, ElasticTendons, frame_times
from hitogata.muscle.fibres import fibres_of, ligament_forces, rigid_tendon_forces, tendon_tensions
from hitogata.muscle.geometry import WireGeometry, wire_geometry
from hitogata.muscle.inside import notes_on_points_inside
from hitogata.muscle.linear import linear_costs
from hitogata.muscle.nodes import resting_nodes
from hitogata.muscle.wires import MuscleSet, Support, Tendon
from hitogata.solve import separable_programs

CHUNK = 64
"""Frames that are solved together."""
AMPLE = 3.0
"""Tension of a tendon on a node at 1, in the muscles' greatest together."""
SOLVED = 1e-6
"""Violation of the optimality conditions up to which a frame counts as solved."""


class Cost(Enum):
    """What is least."""

    SQUARES = "sum of squared activations"
    CUBES = "sum of cubed activations"
    VOLUME = "sum of squared activations, weighted by the muscles' volumes"
    FORCE = "sum of forces"
    GREATEST = "greatest activation"


@dataclass(frozen=True, eq=False)
class MuscleSolution:
    """Muscles in n frames; bad frames hold NaN.

    Attributes:
        muscles: the set.
        cost: what was least.
        activation: shape (n, nm).
        force: along the tendon, passive part included [N], shape (n, nm).
        capacity: active force at full activation [N], shape (n, nm).
        passive: passive force [N], shape (n, nm).
        ligament: pull of supports (below 0: they push), tendons and ligaments [N], shape (n, nl).
        coordinates: that wires cross: names of the rows.
        moments: asked for [N m or N], shape (n, rows).
        reserves: what muscles leave of them, shape (n, rows).
        residual_coordinates, residuals: coordinates that no wire crosses, and their forces: the root's, and joints
            without muscles.
        optimality: worst violation of the optimality conditions in each frame, shape (n,); 1e-6 or less: solved.
        good: frames that were solved, shape (n,).
        notes: what was wrong with others, and wires with points inside their surfaces.
        geometry: lengths and Jacobian.
        nodes: places of nodes in their bodies' frames [m], shape (n, k, 3); None: where the set has them.
        fibre: lengths of fibres [optimal lengths], shape (n, nm).
    """

    muscles: MuscleSet
    cost: Cost
    activation: FloatArray = field(repr=False)
    force: FloatArray = field(repr=False)
    capacity: FloatArray = field(repr=False)
    passive: FloatArray = field(repr=False)
    ligament: FloatArray = field(repr=False)
    coordinates: tuple[str, ...]
    moments: FloatArray = field(repr=False)
    reserves: FloatArray = field(repr=False)
    residual_coordinates: tuple[str, ...]
    residuals: FloatArray = field(repr=False)
    optimality: FloatArray = field(repr=False)
    good: Any = field(repr=False)
    notes: tuple[str, ...]
    geometry: WireGeometry = field(repr=False)
    nodes: FloatArray | None = field(default=None, repr=False)
    fibre: FloatArray | None = field(default=None, repr=False)

    def busiest(self, count: int = 10) -> list[tuple[str, float, float, float]]:
        """Muscles with the greatest mean force: name, mean force, greatest force [N], greatest activation."""
        good = self.good
        if not good.any():
            return []
        mean, most = self.force[good].mean(axis=0), self.force[good].max(axis=0)
        top = self.activation[good].max(axis=0)
        order = np.argsort(-mean)[:count]
        names = [muscle.name for muscle in self.muscles.muscles]
        return [(names[k], float(mean[k]), float(most[k]), float(top[k])) for k in order]


def muscle_forces(
    muscles: MuscleSet,
    q: ArrayLike,
    v: ArrayLike,
    moments: ArrayLike,
    *,
    options: "ForceOptions | None" = None,
    times: ArrayLike | None = None,
    threads: int | None = 1,
    progress: Callable[[int, int], None] | None = None,
) -> MuscleSolution:
    """Activations and tensions behind the moments of joints.

    Args:
        muscles: the set.
        q: coordinates of its body, shape (n, nq).
        v: velocities (of a mechanism: rates of coordinates), shape (n, nv).
        moments: forces on the velocities; of a mechanism with couplings on the coordinates that follow no others
            (`RecordedDynamics.free_forces`), shape (n, nv) or (n, nf).
        options: cost, reserves, EMG, smoothness; None: `ForceOptions()`.
        times: of the frames [s], for the speed at which elastic tendons stretch; None: it is not counted.
        threads: to share frames over; None: one per core.
        progress: called with frames done and frames in all.
    """
    chosen = options or ForceOptions()
    q, v, tau = (np.atleast_2d(np.asarray(a, np.float64)) for a in (q, v, moments))
    n, nm = len(q), len(muscles.muscles)
    names = free_names(muscles)
    if len(v) != n or tau.shape != (n, len(names)):
        raise ArgumentError(
            f"q, v, moments: {n} frames with {len(names)} moments are expected, "
            f"got shapes {q.shape}, {v.shape}, {tau.shape}"
        )
    tracked = _tracked(muscles, chosen, n)
    good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1) & np.isfinite(tau).all(axis=1)
    notes = tuple(f"frame {k} is not finite" for k in np.flatnonzero(~good)[:20])
    rows = np.flatnonzero(good)
    if not len(rows):
        raise ArgumentError("q, v, moments: not one frame is finite")
    notes += notes_on_points_inside(muscles, q[rows], rows)
    geometry, J, nodes = _geometry(muscles, q, rows, threads, chosen.settle_nodes)
    lengths, speeds = geometry.lengths[rows], np.einsum("nwc,nc->nw", geometry.jacobian[rows], v[rows])
    bands = ligament_forces(muscles, lengths, speeds)
    carriers = _carriers(muscles)
    if not chosen.with_supports:
        carriers = carriers[carriers >= nm + len(muscles.supports)]
    bands[:, carriers - nm] = 0.0
    asked = np.concatenate([tau[rows], np.zeros((len(rows), 3 * len(muscles.nodes)))], axis=1)
    pullers = np.concatenate([np.arange(nm), carriers])
    crossed = (np.abs(J[:, pullers]) > 0).any(axis=(0, 1))
    moments = asked + np.einsum("nwj,nw->nj", J[:, nm:], bands)
    strengths = np.tile(_strengths(muscles, carriers), (len(rows), 1))
    emg = None if tracked is None else tracked[:, rows]
    tendons = None
    if chosen.elastic_tendons:
        clock = frame_times(times, n)
        tendons = ElasticTendons(
            muscles, lengths, speeds if chosen.with_speeds else None, None if clock is None else clock[rows]
        )
    able = rigid_tendon_forces(muscles, lengths, speeds if chosen.with_speeds else None)
    unsettled = np.inf
    for _ in range(ROUNDS if tendons else 1):
        passive = able.passive if chosen.with_passive else np.zeros_like(able.passive)
        strength = np.concatenate([able.capacity, strengths], axis=1)
        left = moments + np.einsum("nwj,nw->nj", J[:, :nm], passive)
        A = -(J[:, pullers] * strength[:, :, None]).transpose(0, 2, 1)[:, crossed]
        programs = Programs(A, left[:, crossed], strength, nm)
        x, reserve, optimality = _solve(muscles, chosen, emg, programs, threads, progress)
        force = x[:, :nm] * able.capacity + passive
        if tendons is None or (unsettled := tendons.take(force)) <= SETTLED:
            break
        able = tendons.forces()
    if tendons is not None and unsettled > SETTLED:
        notes += (f"elastic tendons: their strain still changes by {0.05 * unsettled:.1e} after {ROUNDS} rounds",)
    bands[:, carriers - nm] = (x * strength)[:, nm:]
    bands = bands + tendon_tensions(muscles, force)
    spread = _Spread(n, rows)
    names_all = np.array([*names, *(f"{node.name}.{axis}" for node in muscles.nodes for axis in "xyz")])
    return MuscleSolution(
        muscles, chosen.cost, spread(x[:, :nm]), spread(force), spread(able.capacity),
        spread(passive), spread(bands), tuple(names_all[crossed].tolist()), spread(asked[:, crossed]), spread(reserve),
        tuple(names_all[~crossed].tolist()), spread(left[:, ~crossed]), spread(optimality),
        good & (spread(optimality) <= SOLVED), notes, geometry, nodes, spread(able.length),
    )  # fmt: skip


@dataclass(frozen=True)
class ForceOptions:
    """How muscles share the work.

    Attributes:
        cost: what is least.
        reserve: cost of a reserve, times its square in (N m)² or N² (for costs that are linear: times 100 its size).
        with_passive: count the passive forces of muscles (OpenSim's static optimisation does not).
        with_speeds: count the force-velocity relation.
        least: of activations.
        emg: activations [0 to 1] measured for some muscles, by their names, one for each frame; they are followed.
        emg_weight: cost of their squared differences, in place of the cost of these muscles.
        smooth: cost of the squared change of activations from frame to frame; then frames follow one another.
        elastic_tendons: tendons give by their curves, but for muscles with `rigid_tendon`; then fibres and tendons are
            in equilibrium (`ElasticTendons`), and the frames' `times` count.
        with_supports: supports push; False: they do not, as in worlds, which know none.
        settle_nodes: massless nodes are where muscles at rest balance (`resting_nodes`), not where the set has them.
    """

    cost: Cost = Cost.SQUARES
    reserve: float = 1.0
    with_passive: bool = True
    with_speeds: bool = True
    least: float = 0.0
    emg: Mapping[str, ArrayLike] = field(default_factory=dict)
    emg_weight: float = 10.0
    smooth: float = 0.0
    settle_nodes: bool = False
    elastic_tendons: bool = False
    with_supports: bool = True

    def __post_init__(self) -> None:
        if not (self.reserve > 0 and self.emg_weight > 0 and self.smooth >= 0 and 0 <= self.least < 1):
            raise ArgumentError(
                "reserve and EMG weights must be positive, smoothness 0 or more, least activation 0 to 1"
            )
        if self.cost in (Cost.FORCE, Cost.GREATEST, Cost.CUBES) and (self.emg or self.smooth):
            raise ArgumentError(f"{self.cost.value}: EMG and smoothness go with squares or volumes only")


def free_names(muscles: MuscleSet) -> tuple[str, ...]:
    """Names of the coordinates whose moments are matched."""
    body = muscles.body
    return body.free_coordinates if isinstance(body, Mechanism) else skeleton_of(body).coordinates


class _Spread:
    """Rows of good frames among NaN."""

    def __init__(self, n: int, rows: Any) -> None:
        self.n, self.rows = n, rows

    def __call__(self, values: FloatArray) -> FloatArray:
        out = np.full((self.n, *values.shape[1:]), np.nan)
        out[self.rows] = values
        return out


def _geometry(
    muscles: MuscleSet, q: FloatArray, rows: Any, threads: int | None, settle: bool
) -> tuple[WireGeometry, FloatArray, FloatArray | None]:
    """Lengths for all frames, NaN in bad ones; Jacobians on free coordinates and nodes for good ones; nodes' places."""
    nodes = resting_nodes(muscles, q[rows]) if settle and muscles.nodes else None
    found = wire_geometry(muscles, q[rows], nodes=nodes, threads=threads)
    spread = _Spread(len(q), rows)
    J = found.jacobian
    if isinstance(muscles.body, Mechanism) and muscles.body.couplings:
        J = np.einsum("nwc,ncf->nwf", J, coupling_matrix(muscles.body, q[rows]))
    J = np.concatenate([J, found.node_jacobian], axis=2)
    geometry = WireGeometry(spread(found.lengths), spread(found.jacobian), spread(found.node_jacobian))
    return geometry, J, None if nodes is None else spread(nodes)


def _tracked(muscles: MuscleSet, options: ForceOptions, n: int) -> FloatArray | None:
    """EMG by muscle, (nm, n), NaN where there is none."""
    if not options.emg:
        return None
    names = [muscle.name for muscle in muscles.muscles]
    out = np.full((len(names), n), np.nan)
    for name, values in options.emg.items():
        if name not in names:
            raise ArgumentError(f"EMG {name!r}: no such muscle; there are: {', '.join(names[:20])} ...")
        channel = np.asarray(values, np.float64)
        if channel.shape != (n,):
            raise ArgumentError(f"EMG {name!r}: {n} values are expected, one for each frame, got shape {channel.shape}")
        if ((channel < 0) | (channel > 1)).any():
            raise ArgumentError(f"EMG {name!r}: activations lie between 0 and 1; normalise it first")
        out[names.index(name)] = channel
    return out


class Programs(NamedTuple):
    """A x + r = b of each frame; strength: tension at x = 1 [N]; muscles come first, then tendons on nodes."""

    A: FloatArray
    b: FloatArray
    strength: FloatArray
    muscles: int


def _carriers(muscles: MuscleSet) -> Any:
    """Tendons that are fixed to a node, and supports: they pull or push as much as balance takes."""
    nodes = {node.name for node in muscles.nodes}
    return np.array(
        [
            k
            for k, wire in enumerate(muscles.wires)
            if isinstance(wire, Support)
            or (isinstance(wire, Tendon) and any(point.body in nodes for point in wire.path.points))
        ],
        np.int64,
    )


def _strengths(muscles: MuscleSet, carriers: Any) -> FloatArray:
    """Tension of a carrier at 1: ample for the muscles that share a node with it, so that it costs next to nothing.

    A support's is its greatest push, below 0.
    """
    nodes = {node.name for node in muscles.nodes}
    meets = [{point.body for point in wire.path.points} & nodes for wire in muscles.wires]
    forces = [muscle.max_force for muscle in muscles.muscles]

    def ample(k: int) -> float:
        wire = muscles.wires[k]
        if isinstance(wire, Support):
            return -wire.most
        return AMPLE * sum(f for f, at in zip(forces, meets, strict=False) if at & meets[k])

    return np.array([ample(k) for k in carriers])


def _solve(
    muscles: MuscleSet,
    options: ForceOptions,
    emg: FloatArray | None,
    programs: Programs,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Activations (and tendons' parts of their strength), reserves and optimality."""
    A, b, strength, nm = programs
    n, count = strength.shape
    if options.cost in (Cost.FORCE, Cost.GREATEST):
        return linear_costs(programs, options.least, options.cost is Cost.FORCE, 100 * options.reserve, progress)
    weights, targets, low = np.ones((n, count)), np.zeros((n, count)), np.zeros(count)
    low[:nm] = options.least
    if options.cost is Cost.VOLUME:
        f = fibres_of(muscles)
        volume = f.max_force * f.optimal
        weights[:, :nm] = volume / volume.mean()
    if emg is not None:
        there = np.isfinite(emg.T)
        weights[:, :nm][there], targets[:, :nm][there] = options.emg_weight, emg.T[there]
    power = 3.0 if options.cost is Cost.CUBES else 2.0
    out = np.empty((n, count)), np.empty(b.shape), np.empty(n)
    size = 1 if options.smooth else CHUNK * (threads or 4)
    start, last = None, None
    for first in range(0, n, size):
        part = slice(first, min(first + size, n))
        w, t = weights[part], targets[part]
        if last is not None:
            t = (w * t + options.smooth * last) / (w + options.smooth)
            w = w + options.smooth
        found = separable_programs(
            A[part], b[part], weights=w, targets=t, low=low, softness=options.reserve, power=power,
            start=start, threads=threads,
        )  # fmt: skip
        out[0][part], out[1][part], out[2][part] = found.x, found.slack, found.residual
        last = found.x if options.smooth else None
        start = found.multipliers[-1]
        if progress is not None:
            progress(part.stop, n)
    return out
