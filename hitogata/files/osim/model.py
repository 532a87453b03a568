"""OsimModel: all of an OpenSim model file that is understood, and by name what is not."""

from dataclasses import dataclass, field
from pathlib import Path

from hitogata.errors import FigureError
from hitogata.figure.pose import Pose
from hitogata.figure.values import Vector
from hitogata.files.osim.document import (
    GROUND,
    Body,
    Constraint,
    ContactGeometry,
    Coordinate,
    CoordinateCoupler,
    Geometry,
    Joint,
    Marker,
    OffsetFrame,
    Raw,
    base_of,
    check_names,
)
from hitogata.files.osim.forces import Blankevoort1991Ligament, Force, Ligament, PathActuator, PathSpring
from hitogata.files.osim.muscles import Muscle
from hitogata.files.osim.paths import WrapObject

AnyForce = Muscle | Ligament | Blankevoort1991Ligament | PathActuator | PathSpring | Force


@dataclass(frozen=True)
class OsimModel:
    """An OpenSim model, in OpenSim's words, units and axes (SI, radians, usually y up).

    Attributes:
        name: of the model.
        bodies, joints, constraints, forces, markers, contact_geometry, wrap_objects: what it holds.
        frames: all frames that are fixed to others, with their paths.
        geometry: what is drawn.
        groups: names of groups of forces, and their members.
        gravity: [m/s²].
        credits, publications, length_units, force_units: as written.
        others: elements that are not understood, with the path of the set that holds them; written as they were.
        version: of the document that was read.
        missing_geometry: files of meshes that were not found beside the model.
        geometry_files: files of meshes that were, by the name in the model.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    frames: tuple[OffsetFrame, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    forces: tuple[AnyForce, ...] = field(default=(), repr=False)
    markers: tuple[Marker, ...] = field(default=(), repr=False)
    contact_geometry: tuple[ContactGeometry, ...] = field(default=(), repr=False)
    wrap_objects: tuple[WrapObject, ...] = field(default=(), repr=False)
    geometry: tuple[Geometry, ...] = field(default=(), repr=False)
    groups: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    gravity: Vector = (0.0, -9.80665, 0.0)
    credits: str = field(default="", repr=False)
    publications: str = field(default="", repr=False)
    length_units: str = "meters"
    force_units: str = "N"
    others: tuple[tuple[str, Raw], ...] = field(default=(), repr=False)
    version: int = field(default=40000, compare=False)
    missing_geometry: tuple[str, ...] = field(default=(), repr=False, compare=False)
    geometry_files: tuple[tuple[str, Path], ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for kind, things in (("body", self.bodies), ("joint", self.joints), ("coordinate", self.coordinates)):
            check_names(kind, things)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """All coordinates, joint by joint."""
        return tuple(coordinate for joint in self.joints for coordinate in joint.coordinates)

    @property
    def muscles(self) -> tuple[Muscle, ...]:
        """The muscles among the forces."""
        return tuple(force for force in self.forces if isinstance(force, Muscle))

    @property
    def couplers(self) -> tuple[CoordinateCoupler, ...]:
        """Coordinates that follow others, where that is enforced."""
        return tuple(each for each in self.constraints if isinstance(each, CoordinateCoupler) and each.isEnforced)

    def coordinate(self, name: str) -> Coordinate:
        """A coordinate by its name."""
        for each in self.coordinates:
            if each.name == name:
                return each
        raise FigureError(f"model {self.name!r}: no coordinate {name!r}")

    def place(self, frame: str) -> tuple[str | None, Pose]:
        """The body that carries a frame (None: the ground), and the frame's pose in it."""
        path, pose = base_of({each.path: each for each in self.frames}, frame)
        if path == GROUND:
            return None, pose
        name = path.removeprefix("/bodyset/")
        if name not in {body.name for body in self.bodies}:
            raise FigureError(f"model {self.name!r}: no frame {frame!r}")
        return name, pose

    def __str__(self) -> str:
        return (
            f"OsimModel {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, "
            f"{len(self.coordinates)} coordinates, {len(self.muscles)} muscles, {len(self.markers)} markers"
        )
