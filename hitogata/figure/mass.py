"""Mass properties of a rigid body: mass, centre, and rotational inertia about the centre."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.pose import FloatArray, Pose
from hitogata.figure.values import ArrayLike, Quat, Vector, array, numbers, positive, unit_quat, vector

PHYSICAL_TOLERANCE = 1e-9
"""Relative slack of the triangle inequality, for inertias that were rounded or rotated."""


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre of mass [m] and inertia [kg m²] about that centre, in the axes of the link.

    Attributes:
        mass: positive [kg].
        centre: centre of mass in the link's frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) of the inertia matrix about the centre [kg m²]; off-diagonals are
            the matrix entries, so xy = -∫ x y dm.
    """

    mass: float
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", positive(self.mass, "mass"))
        object.__setattr__(self, "centre", vector(self.centre, "centre of mass"))
        object.__setattr__(self, "inertia", numbers(self.inertia, 6, "inertia (xx, yy, zz, xy, xz, yz)"))
        self._check_physical()

    def _check_physical(self) -> None:
        """A body of positive volume: positive moments, and none larger than the sum of the others."""
        a, b, c = np.linalg.eigvalsh(self.matrix)
        if a <= 0:
            raise FigureError(f"inertia is not positive definite: principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²")
        if a + b < c * (1 - PHYSICAL_TOLERANCE):
            raise FigureError(
                f"inertia is not physical: principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²; "
                "none may exceed the sum of the other two"
            )

    @property
    def matrix(self) -> FloatArray:
        """Inertia about the centre of mass, shape (3, 3) [kg m²]."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @classmethod
    def from_matrix(cls, mass: float, centre: ArrayLike, inertia: ArrayLike) -> "MassProperties":
        """From a symmetric inertia matrix about the centre, shape (3, 3) [kg m²]."""
        m = array(inertia, (3, 3), "inertia")
        if not np.allclose(m, m.T, rtol=1e-9, atol=1e-12 * (np.abs(m).max(initial=0.0) + 1e-300)):
            raise FigureError(f"inertia: the matrix is not symmetric: {m.tolist()}")
        m = (m + m.T) / 2
        return cls(mass, vector(centre, "centre of mass"), (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))

    @classmethod
    def principal(
        cls, mass: float, centre: ArrayLike, moments: ArrayLike, axes: Quat = (1.0, 0.0, 0.0, 0.0)
    ) -> "MassProperties":
        """From principal moments [kg m²]; `axes` turns the principal axes into the link's (wxyz)."""
        rot = Pose(quat=unit_quat(axes, "principal axes")).rotation
        return cls.from_matrix(mass, centre, rot @ np.diag(numbers(moments, 3, "principal moments")) @ rot.T)

    def placed(self, pose: Pose) -> "MassProperties":
        """The same body, seen from a frame in which its own frame sits at `pose`."""
        rot = pose.rotation
        return self.from_matrix(self.mass, pose.apply(self.centre), rot @ self.matrix @ rot.T)

    def scaled(self, mass: float) -> "MassProperties":
        """The same shape with another mass [kg]."""
        k = positive(mass, "mass") / self.mass
        return MassProperties(mass, self.centre, tuple(k * x for x in self.inertia))  # type: ignore[arg-type]

    @classmethod
    def combined(cls, parts: Iterable["MassProperties"]) -> "MassProperties":
        """Several bodies welded together (parallel-axis theorem)."""
        parts = tuple(parts)
        if not parts:
            raise FigureError("mass properties of nothing: give at least one part")
        mass = sum(p.mass for p in parts)
        centre = sum(p.mass * np.array(p.centre) for p in parts) / mass
        inertia = np.zeros((3, 3))
        for p in parts:
            d = np.array(p.centre) - centre
            inertia += p.matrix + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return cls.from_matrix(mass, centre, inertia)


