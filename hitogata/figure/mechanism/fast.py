"""Poses and inverse dynamics of mechanisms by compiled kernels: many frames at once, or one at a time."""

from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.mechanism import kernels
from hitogata.figure.mechanism.compiled import CompiledMechanism, compiled
from hitogata.figure.mechanism.inertia import checked_wrenches
from hitogata.figure.mechanism.motion import coordinate_rows
from hitogata.figure.mechanism.tree import Mechanism
from hitogata.figure.values import ArrayLike, FloatArray
from hitogata.lanes import X1, X8, aligned_zeros, record_size

FEW = 8
"""Fewer frames are taken one by one."""


class MechanismKernels:
    """A mechanism, compiled once; its scratch is its own: one thread at a time.

    Args:
        mechanism: whose functions are piecewise polynomials of one coordinate each, see `compiled`.

    Raises:
        FigureError: some function is not; `mechanism_inverse_dynamics` and `mechanism_motion` take it.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        made = compiled(mechanism)
        if made is None:
            raise FigureError(
                f"mechanism {mechanism.name!r} has functions that have no table (sines, products, several arguments)"
            )
        self.mechanism, self._made = mechanism, made
        self._one = self._scratch(made, 1)
        self._many = self._scratch(made, X8.n)
        self._shape, self._flat = (made.coordinates,), made.flat
        self._turns, self._places = (made.bodies, 3, 3), (made.bodies, 3)

    @staticmethod
    def _scratch(made: CompiledMechanism, width: int) -> Any:
        bodies = made.bodies * (18 + record_size(kernels.Reached))
        steps = made.steps * record_size(kernels.Screw) + 3 * (made.steps + 7)
        return aligned_zeros((4 * made.coordinates + bodies + steps + 16) * width)

    def forces(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> FloatArray:
        """Forces on the rates of coordinates that give the accelerations, without external loads: M q̈ + c(q, q̇).

        Args:
            q, qd, qdd: coordinates, rates, accelerations, shape (nc,) or (n, nc).

        Returns:
            [N m or N], shape (nc,) or (n, nc).
        """
        try:
            if q.shape == self._shape == qd.shape == qdd.shape:  # type: ignore[union-attr]
                tau = np.empty(self._shape)
                if kernels.inverse_one(q, qd, qdd, self._flat, tau, self._one):
                    return tau
        except (AttributeError, TypeError):
            pass
        alone = np.ndim(q) == 1
        q = coordinate_rows(self.mechanism, q, "q")
        qd = coordinate_rows(self.mechanism, qd, "qd", len(q))
        qdd = coordinate_rows(self.mechanism, qdd, "qdd", len(q))
        tau = np.empty_like(q)
        few = len(q) < FEW
        kernels.inverse_rows(q, qd, qdd, self._made.flat, tau, self._one if few else self._many, X1 if few else X8)
        return tau[0] if alone else tau

    def loaded(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrenches: ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Forces with external loads, and what joints do, as `mechanism_inverse_dynamics` says.

        Args:
            q, qd, qdd: coordinates, rates, accelerations, shape (n, nc).
            wrenches: [torque about the world's origin; force] on each body, world axes, shape (n, nb, 6); None: none.

        Returns:
            tau, shape (n, nc); reactions, shape (n, nb, 6).
        """
        q = coordinate_rows(self.mechanism, q, "q")
        qd = coordinate_rows(self.mechanism, qd, "qd", len(q))
        qdd = coordinate_rows(self.mechanism, qdd, "qdd", len(q))
        shape = len(q), self._made.bodies, 6
        given = np.zeros(shape) if wrenches is None else checked_wrenches(wrenches, shape)
        tau, reactions, flat = np.empty_like(q), np.empty((len(q), 6 * self._made.bodies)), self._made.flat
        loads = np.ascontiguousarray(given).reshape(len(q), -1)
        kernels.loaded_rows(q, qd, qdd, loads, flat, tau, reactions, self._many, X8)
        return tau, reactions.reshape(shape)

    def poses(self, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Poses of all bodies.

        Args:
            q: coordinates, shape (nc,) or (n, nc).

        Returns:
            R_WB, shape (nb, 3, 3) or (n, nb, 3, 3), and p_WB [m], shape (nb, 3) or (n, nb, 3).
        """
        try:
            if q.shape == self._shape:  # type: ignore[union-attr]
                turns, places = np.empty(self._turns), np.empty(self._places)
                if kernels.pose_one(q, self._flat, turns, places, self._one):
                    return turns, places
        except (AttributeError, TypeError):
            pass
        alone = np.ndim(q) == 1
        q = coordinate_rows(self.mechanism, q, "q")
        out = np.empty((len(q), 12 * self._made.bodies))
        few = len(q) < FEW
        kernels.pose_rows(q, self._made.flat, out, self._one if few else self._many, X1 if few else X8)
        nb = self._made.bodies
        many = out[:, : 9 * nb].reshape(len(q), nb, 3, 3), out[:, 9 * nb :].reshape(len(q), nb, 3)
        return (many[0][0], many[1][0]) if alone else many
