"""What a caller of the one equation knows, and what unknowns cost, as arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.loops.link_set import Links


@dataclass(frozen=True)
class Weights:
    """What unknowns cost, if there is a choice; numbers, or one for each.

    Attributes:
        vdot: of accelerations [1/(rad/s²)²], shape () or (nv,).
        forces: of constraint forces [1/N²], shape () or (held rows,).
        tau: of torques [1/(N m)²], shape () or (nv,).
    """

    vdot: Any = 1.0
    forces: Any = 1e-4
    tau: Any = 1e-4


def knowns(links: Links, vdot: Any, tau: Any, forces: Any, unpowered: Any) -> tuple[Array, Array, Array]:
    """Known accelerations, torques and forces; NaN where not known."""
    figure = links.figure
    known_tau = by_joint(figure, "tau", tau)
    if unpowered is None:
        unpowered = [name for name, link in zip(figure.joint_names, figure.links, strict=True)
                     if link.joint.floating]  # fmt: skip
    for name in unpowered:
        where = figure.v_slice(name)
        if np.nan_to_num(known_tau[where]).any():
            raise ArgumentError(f"tau: joint {name!r} has no motor, its torque cannot be {known_tau[where].tolist()}; "
                                "leave it 0, or name other joints in `unpowered`")  # fmt: skip
        known_tau[where] = 0.0
    known_force = np.full(links.held, np.nan)
    for handle, value in (forces or {}).items():
        where = links.rows_of(handle)
        if where.stop > links.held:
            raise ArgumentError(f"forces: {handle} is compliant, its force follows from where it is")
        known_force[where] = numbers(f"forces of {handle}", value, (where.stop - where.start,))
    return by_joint(figure, "vdot", vdot), known_tau, known_force


def by_joint(figure: Figure, name: str, given: Any) -> Array:
    """Values of all joints, or of those in a dictionary; NaN for the others."""
    result = np.full(figure.nv, np.nan)
    if isinstance(given, dict):
        for joint, value in given.items():
            where = figure.v_slice(joint)
            result[where] = numbers(f"{name} of {joint!r}", np.atleast_1d(value), (where.stop - where.start,))
    elif given is not None:
        result[:] = numbers(name, given, (figure.nv,))
    return result


def numbers(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Finite numbers of a shape, or an ArgumentError."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers, got {value!r}") from None
    if array.shape != shape:
        raise ArgumentError(f"{name}: expected shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name}: every number must be finite, got {value!r}")
    return array


def costs(links: Links, weights: Weights | None) -> Array:
    """Weights of accelerations, forces and torques, one after the other."""
    given, nv = weights or Weights(), links.figure.nv
    parts = []
    for name, count in (("vdot", nv), ("forces", links.held), ("tau", nv)):
        part = np.asarray(getattr(given, name), np.float64)
        if part.shape not in ((), (count,)) or not (np.isfinite(part).all() and (part > 0).all()):
            raise ArgumentError(f"weights: {name} must be a positive number, or {count} of them; got {part!r}")
        parts.append(np.broadcast_to(part, (count,)))
    return np.concatenate(parts)
