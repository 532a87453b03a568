"""Mass and inertia of a MuJoCo spec's bodies before it is compiled: repaired where asked, or put between joints."""

from typing import Any

import numpy as np

from hitogata.figure.pose import FloatArray
from hitogata.files.contents import Contents

BETWEEN = 1e-6
"""Part of a body's mass that a massless link before it gets, so that it can move."""

SMALLEST = 1e-3
"""Smallest second moment of a repaired inertia, as a part of the largest."""


def repair_inertias(spec: Any, contents: Contents) -> None:
    """Give bodies with an inertia that is not physical the nearest one that is, and note them.

    Bodies without mass that move, and carry none, get a millionth of the whole mass, as a ball of about a millimetre.
    """
    whole = sum(body.mass for body in spec.bodies if body.explicitinertial)
    for body in spec.bodies:
        weightless = body.explicitinertial or not list(body.geoms)
        if body.joints and body.mass <= 0 and weightless and not _fixed_mass(body) and _mass_below(body) is None:
            body.mass = BETWEEN * max(whole, 1.0)
            body.fullinertia = np.full(6, np.nan)
            body.inertia = np.full(3, 1e-6 * body.mass)
            body.explicitinertial = True
            contents.change(f"link {body.name!r} moves but has no mass: it gets {body.mass:.2g} kg")
        if not body.explicitinertial or body.mass <= 0:
            continue
        full = _matrix(body.fullinertia) if np.isfinite(body.fullinertia).all() else np.diag(body.inertia)
        nearest = nearest_physical(full, body.mass)
        if nearest is not full:
            body.inertia = np.zeros(3)
            body.fullinertia = nearest[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            contents.change(f"link {body.name!r}: its inertia is not physical, the nearest physical one is taken")


def _matrix(six: FloatArray) -> FloatArray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def nearest_physical(inertia: FloatArray, mass: float) -> FloatArray:
    """An inertia matrix whose second moments are positive, shape (3, 3) [kg m²]; the same object if it was physical.

    A mass [kg] without any inertia gets that of a body of about a millimetre.  The second moments
    ∫ x xᵀ dm = tr(I)/2 - I of a body are positive in every direction; others are lifted (Wensing, Kim & Slotine 2018).
    """
    second = np.trace(inertia) / 2 * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second)
    least = SMALLEST * max(moments[-1], 1e-6 * mass)
    if moments[0] >= 0 and np.linalg.eigvalsh(inertia)[0] > 0:
        return inertia
    second = (axes * np.maximum(moments, least)) @ axes.T
    result: FloatArray = np.trace(second) * np.eye(3) - second
    return result


def fill_massless(spec: Any, contents: Contents) -> None:
    """Give massless bodies between moving joints a small part of the mass of what hangs on them, and note them.

    A body with another of mass fixed to it needs none, and one with no mass below has none to share: it is left, and
    is an error later.
    """
    for body in spec.bodies:
        if not body.joints or body.mass > 0 or _fixed_mass(body):
            continue
        below = _mass_below(body)
        if below is not None:
            moments = below.fullinertia[:3] if np.isfinite(below.fullinertia).all() else below.inertia
            body.mass = BETWEEN * below.mass
            body.inertia = np.full(3, BETWEEN * float(np.mean(moments)))
            body.explicitinertial = True
            contents.change(f"link {body.name!r} moves but has no mass: it gets {BETWEEN:g} of that of {below.name!r}")


def _fixed_mass(body: Any) -> bool:
    """Whether a body with mass is fixed to this one."""
    return any(not child.joints and (child.mass > 0 or _fixed_mass(child)) for child in body.bodies)


def _mass_below(body: Any) -> Any:
    """The first body with mass among descendants; None if there is none."""
    for child in body.bodies:
        found = child if child.mass > 0 else _mass_below(child)
        if found is not None:
            return found
    return None
