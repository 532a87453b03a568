"""Mass properties of a rigid body: mass, centre, and rotational inertia about the centre."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.pose import FloatArray, Pose
from hitogata.figure.values import ArrayLike, Quat, Vector, array, numbers, positive, unit_quat, vector

PHYSICAL_TOLERANCE = 1e-9
"""Relative slack of the triangle inequality, for inertias that were rounded or rotated."""

ROUNDING = 1e-12
"""A principal moment is zero if it is less than so much of the largest."""

LEAST_MASS, MOST_MASS = 1e-30, 1e30
"""An electron and the sun; masses beyond these are mistakes, and overflow where they are multiplied [kg]."""

LEAST_GYRATION, MOST_GYRATION = 1e-9, 1e6
"""Radii of gyration √(moment/mass) beyond these are mistakes, too, but for 0: a point [m]."""


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre of mass [m] and inertia [kg m²] about that centre, in the axes of the link.

    Without inertia it is a point mass; with one moment of zero, a thin rod.  Joints that turn a link about an axis
    without inertia are refused by the figure.

    Attributes:
        mass: positive, 1e-30 to 1e30 [kg].
        centre: centre of mass in the link's frame [m].
        inertia: (xx, yy, zz, xy, xz, yz) of the inertia matrix about the centre [kg m²]; off-diagonals are
            the matrix entries, so xy = -∫ x y dm.
        rigid: whether it must be one that a body can have: no principal moment is negative or exceeds the sum of the
            others.  Models of muscles and bones often break that; the equations of motion do not need it.
    """

    mass: float
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    rigid: bool = True

    def __post_init__(self) -> None:
        mass, centre = positive(self.mass, "mass"), vector(self.centre, "centre of mass")
        if not LEAST_MASS <= mass <= MOST_MASS:
            raise FigureError(f"mass: {mass:g} kg is absurd; {LEAST_MASS:g} to {MOST_MASS:g} kg expected")
        if max(map(abs, centre)) > MOST_GYRATION:
            raise FigureError(f"centre of mass: {centre} m is absurd; within {MOST_GYRATION:g} m expected")
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "inertia", numbers(self.inertia, 6, "inertia (xx, yy, zz, xy, xz, yz)"))
        self._check_physical()

    def _check_physical(self) -> None:
        """No moment is negative, or larger than the sum of the others, or fits no body of that mass."""
        largest = max(map(abs, self.inertia))
        most, least = self.mass * MOST_GYRATION**2, self.mass * LEAST_GYRATION**2
        if largest > most or 0.0 < largest < least:
            raise FigureError(
                f"inertia: {largest:g} kg m² is absurd for a mass of {self.mass:g} kg; {least:g} to {most:g} kg m² "
                "expected, or 0 for a point mass"
            )
        a, b, c = self.moments
        if self.rigid and a < -ROUNDING * c:
            raise FigureError(
                f"inertia is not positive semi-definite: principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²"
            )
        if self.rigid and a + b < c * (1 - PHYSICAL_TOLERANCE):
            raise FigureError(
                f"inertia is not physical: principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²; "
                "none may exceed the sum of the other two"
            )

    @property
    def matrix(self) -> FloatArray:
        """Inertia about the centre of mass, shape (3, 3) [kg m²]."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def moments(self) -> FloatArray:
        """Principal moments about the centre of mass, from small to large, shape (3,) [kg m²]."""
        return np.asarray(np.linalg.eigvalsh(self.matrix), np.float64)

    @property
    def definite(self) -> bool:
        """Whether there is inertia about every axis through the centre: no point mass, no rod without thickness."""
        least, _, most = self.moments
        return bool(least > ROUNDING * most)

    @classmethod
    def point(cls, mass: float, centre: ArrayLike = (0.0, 0.0, 0.0)) -> "MassProperties":
        """A point mass [kg] at a place in the link's frame [m]."""
        return cls(mass, vector(centre, "centre of mass"))

    @classmethod
    def from_matrix(
        cls, mass: float, centre: ArrayLike, inertia: ArrayLike, *, rigid: bool = True
    ) -> "MassProperties":
        """From a symmetric inertia matrix about the centre, shape (3, 3) [kg m²]."""
        m = array(inertia, (3, 3), "inertia")
        if not np.allclose(m, m.T, rtol=1e-9, atol=1e-12 * (np.abs(m).max(initial=0.0) + 1e-300)):
            raise FigureError(f"inertia: the matrix is not symmetric: {m.tolist()}")
        m = (m + m.T) / 2
        upper = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
        return cls(mass, vector(centre, "centre of mass"), upper, rigid)

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
        return self.from_matrix(self.mass, pose.apply(self.centre), rot @ self.matrix @ rot.T, rigid=self.rigid)

    def scaled(self, mass: float) -> "MassProperties":
        """The same shape with another mass [kg]."""
        k = positive(mass, "mass") / self.mass
        return replace(self, mass=mass, inertia=tuple(k * x for x in self.inertia))  # type: ignore[arg-type]

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
        far = max(float(np.dot(p.centre, p.centre)) for p in parts)
        if np.abs(inertia).max() <= 1e-28 * mass * far:  # points in one place, but for the rounding of their centre
            inertia = np.zeros((3, 3))
        return cls.from_matrix(mass, centre, inertia, rigid=all(p.rigid for p in parts))
