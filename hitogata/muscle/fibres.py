"""Fibres and tendons of muscles: forces with a rigid tendon, equilibrium with an elastic one, activation.

A fibre keeps its height h = l₀ sin α₀ while it pulls at an angle α to the tendon (fixed-height parallelogram: Zajac
1989; Millard et al. 2013, eq. 3-6), so that L = l cos α + tendon and l² = h² + (l cos α)².
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.muscle.curves import ModelCurves
from hitogata.muscle.wires import Ligament, MuscleSet, Support, Tendon

_STEEPEST = np.arccos(0.1)
"""Greatest pennation angle [rad], as in OpenSim."""
_SHORTEST = 0.01
"""Shortest fibre, in optimal lengths."""


@dataclass(frozen=True, eq=False)
class Fibres:
    """Parameters of a set's muscles as arrays, shape (nm,), and who has which curves."""

    max_force: FloatArray
    optimal: FloatArray
    slack: FloatArray
    height: FloatArray
    max_speed: FloatArray
    shortest: FloatArray
    damping: FloatArray
    curves: tuple[tuple[ModelCurves, FloatArray], ...]


def fibres_of(muscles: MuscleSet) -> Fibres:
    """The parameters, gathered once and kept with the set."""
    known: Fibres | None = muscles.compiled.get("fibres")
    if known is None:
        known = muscles.compiled["fibres"] = _gather(muscles)
    return known


def _gather(muscles: MuscleSet) -> Fibres:
    def column(key: str) -> FloatArray:
        return np.array([getattr(muscle, key) for muscle in muscles.muscles], np.float64)

    optimal, pennation = column("fibre_length"), column("pennation")
    height = optimal * np.sin(pennation)
    shortest = np.maximum(height / np.sin(_STEEPEST), _SHORTEST * optimal)
    groups: dict[ModelCurves, list[int]] = {}
    for k, muscle in enumerate(muscles.muscles):
        groups.setdefault(muscle.curves, []).append(k)
    return Fibres(
        column("max_force"), optimal, column("slack_length"), height, column("max_speed"), shortest,
        column("damping"), tuple((curves, np.array(which)) for curves, which in groups.items()),
    )  # fmt: skip


def by_curve(fibres: Fibres, name: str, values: FloatArray, activation: FloatArray | None = None) -> FloatArray:
    """A characteristic of each muscle's own curves, at values of shape (..., nm)."""
    if len(fibres.curves) == 1:
        curves = fibres.curves[0][0]
        result: FloatArray = (
            curves.speed(values, activation) if activation is not None else getattr(curves, name)(values)
        )
        return result
    out = np.empty_like(values)
    for curves, which in fibres.curves:
        if activation is not None:
            out[..., which] = curves.speed(values[..., which], activation[..., which])
        else:
            out[..., which] = getattr(curves, name)(values[..., which])
    return out


@dataclass(frozen=True, eq=False)
class MuscleForces:
    """Muscles with rigid tendons, shape (..., nm).

    Attributes:
        capacity: active force along the tendon at full activation [N]; none where a fibre is at its shortest.
        passive: passive force along the tendon [N].
        length: of fibres [optimal lengths].
        speed: of fibres [max speeds].
        cosine: of the pennation angle.
    """

    capacity: FloatArray
    passive: FloatArray
    length: FloatArray
    speed: FloatArray
    cosine: FloatArray

    def at(self, activation: ArrayLike) -> FloatArray:
        """Force along the tendon [N] at an activation."""
        result: FloatArray = np.asarray(activation) * self.capacity + self.passive
        return result


def rigid_tendon_forces(muscles: MuscleSet, lengths: ArrayLike, speeds: ArrayLike | None = None) -> MuscleForces:
    """What muscles can do if tendons do not give (OpenSim's static optimisation takes them so).

    Args:
        muscles: the set.
        lengths: of the wires [m], shape (..., nw): as `wire_geometry` gives them.
        speeds: of lengthening [m/s]; None: isometric.
    """
    f = fibres_of(muscles)
    nm = len(f.max_force)
    along = np.asarray(lengths, np.float64)[..., :nm] - f.slack
    return forces_of_fibres(f, along, None if speeds is None else np.asarray(speeds, np.float64)[..., :nm])


def forces_of_fibres(f: Fibres, along: FloatArray, rates: FloatArray | None) -> MuscleForces:
    """What fibres can do.

    Args:
        f: the fibres.
        along: their part along the tendon [m], shape (..., nm).
        rates: its speed [m/s]; None: isometric.
    """
    fibre = np.maximum(np.where(along > 0, np.sqrt(f.height**2 + along**2), f.shortest), f.shortest)
    cosine = np.sqrt(np.maximum(1.0 - (f.height / fibre) ** 2, 0.0))
    speed = (np.zeros_like(fibre) if rates is None else rates * cosine) / (f.optimal * f.max_speed)
    length = fibre / f.optimal
    factor = by_curve(f, "speed", speed, np.ones_like(speed))
    capacity = f.max_force * by_curve(f, "active", length) * np.maximum(factor, 0.0) * cosine
    capacity = np.where(fibre > f.shortest, capacity, 0.0)
    passive = f.max_force * by_curve(f, "passive", length) * cosine
    return MuscleForces(capacity, passive, length, speed, cosine)


@dataclass(frozen=True, eq=False)
class MuscleEquilibrium:
    """Muscles at rest with elastic tendons, shape (..., nm).

    Attributes:
        force: of the tendon [N].
        length: of fibres [optimal lengths].
        tendon: length [slack lengths].
        residual: force that is not balanced [max forces]; fibres at their shortest may keep some.
    """

    force: FloatArray
    length: FloatArray
    tendon: FloatArray
    residual: FloatArray


def tendon_equilibrium(muscles: MuscleSet, lengths: ArrayLike, activation: ArrayLike) -> MuscleEquilibrium:
    """Fibre lengths at which fibre and tendon pull alike while nothing moves.

    The fibre's pull (a fl + fp) cos α falls, the tendon's grows with its length: bisection over the fibre's part along
    the tendon, to rounding.

    Args:
        muscles: the set.
        lengths: of the wires [m], shape (..., nw).
        activation: 0 to 1, shape (..., nm).
    """
    f = fibres_of(muscles)
    nm = len(f.max_force)
    if (f.slack <= 0).any():
        name = muscles.muscles[int((f.slack <= 0).argmax())].name
        raise ArgumentError(f"muscle {name!r} has no tendon: take rigid_tendon_forces")
    L = np.asarray(lengths, np.float64)[..., :nm]
    a = np.broadcast_to(np.asarray(activation, np.float64), L.shape)
    least = np.sqrt(np.maximum(f.shortest**2 - f.height**2, 0.0))
    low, high = np.broadcast_to(least, L.shape).copy(), np.maximum(L, least * (1 + 1e-9))

    def unbalanced(along: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        fibre = np.sqrt(f.height**2 + along**2)
        length, tendon = fibre / f.optimal, (L - along) / f.slack
        pull = (a * by_curve(f, "active", length) + by_curve(f, "passive", length)) * along / fibre
        hold = by_curve(f, "tendon", tendon)
        return pull - hold, hold, length, tendon

    for _ in range(60):
        middle = 0.5 * (low + high)
        over = unbalanced(middle)[0] > 0
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    error, hold, length, tendon = unbalanced(0.5 * (low + high))
    return MuscleEquilibrium(f.max_force * np.maximum(hold, 0.0), length, tendon, np.abs(error))


def activation_rate(muscles: MuscleSet, activation: ArrayLike, excitation: ArrayLike) -> FloatArray:
    """ȧ [1/s], shape (..., nm): quick up, slow down (Thelen 2003, eq. 1-2; Winters 1995).

    ȧ = (u - a)/τ,  τ = τ_up (0.5 + 1.5 a) if u > a, τ_down/(0.5 + 1.5 a) if not, with a counted from the least one.
    """
    up = np.array([muscle.activation_time for muscle in muscles.muscles])
    down = np.array([muscle.deactivation_time for muscle in muscles.muscles])
    least = np.array([muscle.least_activation for muscle in muscles.muscles])
    a, u = np.asarray(activation, np.float64), np.clip(np.asarray(excitation, np.float64), least, 1.0)
    counted = (np.clip(a, least, 1.0) - least) / (1.0 - least)
    factor = 0.5 + 1.5 * counted
    result: FloatArray = (u - a) / np.where(u > a, up * factor, down / factor)
    return result


def ligament_forces(muscles: MuscleSet, lengths: ArrayLike, speeds: ArrayLike | None = None) -> FloatArray:
    """Pull of tendons and ligaments [N], shape (..., nl), in the order of `muscles.ligaments`.

    With strain ε: k ε²/(2 ε_t) up to the toe's end ε_t, k (ε - ε_t/2) beyond, none when slack (Blankevoort, Kuiper,
    Huiskes & Grootenboer 1991, eq. 2), damping while it is stretched; or a curve of its own.  Tendons with heads have
    no spring (see `tendon_tensions`), and supports push as balance takes.
    """
    bands = _bands_of(muscles)
    L = np.asarray(lengths, np.float64)[..., bands.first :]
    rates = np.zeros_like(L) if speeds is None else np.asarray(speeds, np.float64)[..., bands.first :]
    strain = L / bands.slack - 1.0
    stretched = np.maximum(strain, 0.0)
    straight = bands.stiffness * (strain - 0.5 * bands.toe)
    spring = np.where(strain > bands.toe, straight, bands.stiffness * stretched**2 / (2.0 * bands.toe))
    damper = np.where(strain > 0, bands.damping * rates, 0.0)
    out: FloatArray = np.maximum(spring + damper, 0.0)
    for k in bands.curved:
        out[..., k] = _curve_force(muscles.ligaments[k], L[..., k])
    return out


class _Bands(NamedTuple):
    """Ligaments as arrays, shape (nl,).

    `heads`: muscles that pull on tendons, tendon by tendon; `shares` of their tensions; `headed`: the tendons, and
    `starts`: the first head of each.
    """

    first: int
    slack: FloatArray
    stiffness: FloatArray
    toe: FloatArray
    damping: FloatArray
    curved: tuple[int, ...]
    heads: Any
    shares: FloatArray
    headed: Any
    starts: Any


def _bands_of(muscles: MuscleSet) -> _Bands:
    known: _Bands | None = muscles.compiled.get("bands")
    if known is not None:
        return known
    bands = muscles.ligaments
    place = {muscle.name: k for k, muscle in enumerate(muscles.muscles)}
    heads, shares, headed, starts = list[int](), list[float](), list[int](), list[int]()
    free = np.ones(len(bands))
    for k, wire in enumerate(bands):
        if isinstance(wire, Tendon) and wire.heads:
            headed.append(k)
            starts.append(len(heads))
            heads += [place[head] for head in wire.heads]
            shares += [wire.share] * len(wire.heads)
            free[k] = 0.0  # the muscles' own pull
        if isinstance(wire, Support):
            free[k] = 0.0  # what balance takes
    slack = np.array([wire.slack_length for wire in bands])
    stiffness = np.array([wire.stiffness for wire in bands]) * free
    toe = np.array([max(wire.toe, 1e-300) for wire in bands])
    damping = stiffness * np.array([wire.damping for wire in bands]) / slack
    curved = tuple(k for k, wire in enumerate(bands) if wire.curve is not None)
    found = muscles.compiled["bands"] = _Bands(
        len(place), slack, stiffness, toe, damping, curved, np.array(heads, np.int64), np.array(shares),
        np.array(headed, np.int64), np.array(starts, np.int64),
    )  # fmt: skip
    return found


def tendon_tensions(muscles: MuscleSet, forces: ArrayLike) -> FloatArray:
    """Pull of tendons that carry the tensions of heads [N], shape (..., nl) like `ligament_forces`; others: 0.

    Args:
        muscles: the set.
        forces: of muscles along their tendons [N], shape (..., nm).
    """
    bands, pulls = _bands_of(muscles), np.asarray(forces, np.float64)
    result: FloatArray = np.zeros((*pulls.shape[:-1], len(bands.slack)))
    if len(bands.headed):
        result[..., bands.headed] = np.add.reduceat(pulls[..., bands.heads] * bands.shares, bands.starts, axis=-1)
    return result


def _curve_force(ligament: Ligament, length: FloatArray) -> FloatArray:
    from hitogata.figure.mechanism import evaluate

    assert ligament.curve is not None
    x = np.atleast_1d(length / ligament.slack_length)
    value = evaluate(ligament.curve, x.reshape(-1, 1))[0].reshape(x.shape)
    return np.maximum(ligament.scale * value.reshape(np.shape(length)), 0.0)
