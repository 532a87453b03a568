"""What goes from stage to stage of an analysis."""

from dataclasses import dataclass, field
from typing import Any

from hitogata.capture import BodyFit, JointAngles, MarkerSet
from hitogata.figure import Figure, Trajectory
from hitogata.figure.values import FloatArray
from hitogata.files import MarkerData
from hitogata.files.osim import ExternalLoads, OsimModel
from hitogata.files.storage import StorageTable
from hitogata.muscle import MuscleSet


@dataclass(frozen=True, eq=False)
class Plate:
    """A measured force on the subject, in the world's axes, z up.

    Attributes:
        name: of the plate, or of the columns.
        time: [s], shape (n,).
        force: [N], shape (n, 3).
        centre: where it acts [m], shape (n, 3); NaN where nothing stands.
        torque: about that point [N m], shape (n, 3).
    """

    name: str
    time: FloatArray = field(repr=False)
    force: FloatArray = field(repr=False)
    centre: FloatArray = field(repr=False)
    torque: FloatArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Recording:
    """What a trial's file holds.

    Attributes:
        markers: labelled points, z up.
        motion: of a skeleton, with its figure.
        figure: of the motion.
        coordinates: of a model over time.
        plates: forces measured.
        mass: of the subject, if the file says so [kg].
        notes: what was odd.
    """

    markers: MarkerData | None = None
    motion: Trajectory | None = None
    figure: Figure | None = None
    coordinates: StorageTable | None = None
    plates: tuple[Plate, ...] = ()
    mass: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Body:
    """Whose motion it is.

    Attributes:
        figure: of the subject's sizes.
        markers: on it.
        model: the OpenSim model that it is.
        muscles: on the model's mechanism, or on the figure.
        fit: of the sizes, if they were fitted.
        problems: of the trial beside it.
        notes: what was supposed.
    """

    figure: Figure
    markers: MarkerSet | None
    model: OsimModel | None
    muscles: MuscleSet | None
    fit: BodyFit | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Motion:
    """The body's motion.

    Attributes:
        time: [s], shape (n,).
        q: coordinates of the figure, shape (n, nq).
        angles: as found from markers.
        table: coordinates of the model; without one, joint angles of the figure.
        notes: what was supposed.
    """

    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    angles: JointAngles | None = None
    table: StorageTable | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Loads:
    """Measured forces on bodies.

    Attributes:
        external: which columns act on which body, as OpenSim has it, y up.
        table: the columns.
        stances: which plate carried which foot, from when to when.
        notes: where they are from, and what was left out.
    """

    external: ExternalLoads
    table: StorageTable
    stances: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Possible:
    """A motion that the body can do on its floor.

    Attributes:
        motion: filtered, with channels `tau` and `residual`; as it was if it could not be.
        floor: sum of the floor's forces [N], shape (n, 3).
        found: whether it was filtered.
        notes: how possible, and how close.
    """

    motion: Trajectory
    floor: FloatArray = field(repr=False)
    found: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Torques:
    """What moved the body.

    Attributes:
        time: [s], shape (n,).
        q, v: coordinates and velocities of the muscles' body as filtered, shapes (n, nq), (n, nv).
        moments: on the velocities that are free [N m or N], shape (n, nf).
        names: of these velocities.
        table: forces of all coordinates.
        residual: [moment; force] that nothing measured explains, on the root, shape (n, 6).
        loads: the sum of the measured forces [N], shape (n, 3).
        notes: what was supposed.
    """

    time: FloatArray = field(repr=False)
    q: FloatArray = field(repr=False)
    v: FloatArray = field(repr=False)
    moments: FloatArray = field(repr=False)
    names: tuple[str, ...]
    table: StorageTable
    residual: FloatArray = field(repr=False)
    loads: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Tensions:
    """Who did it.

    Attributes:
        tables: activations, forces, reserves ... over time, by name.
        busiest: name, mean and greatest force [N], greatest activation.
        reserves: the greatest of each coordinate, and its greatest moment [N m or N].
        solved: frames that were solved, of how many.
        optimality: worst violation of the optimality conditions.
        notes: what was odd.
    """

    tables: dict[str, StorageTable] = field(repr=False)
    busiest: list[tuple[str, float, float, float]]
    reserves: list[tuple[str, float, float]]
    solved: tuple[int, int]
    optimality: float
    notes: tuple[str, ...] = ()


Value = Any
"""Recording, Body, Motion, Loads, Torques, Tensions, or None: that stage was off, or had nothing to work on."""
