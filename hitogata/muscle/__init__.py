"""Muscles, tendons and ligaments on a figure or mechanism: paths, moment arms, forces, and who does the work.

    musculoskeletal        the built-in body: 51 bone groups, 366 muscles, 91 tendons, 34 ligaments
    MuscleSet              wires on a body, frozen; read by muscles_from_osim and its like
    wire_geometry          lengths, lengthening speeds, moment arms
    rigid_tendon_forces, tendon_equilibrium, activation_rate, ligament_forces
    MuscleArms, LiveForces the same live: moment arms, and who does the work, frame by frame
    muscle_forces          activations and tensions behind moments of joints

`docs/muscle.md` is the guide.
"""

from hitogata.muscle.body import musculoskeletal, musculoskeletal_gait
from hitogata.muscle.curves import DeGroote2016, Millard2012, ModelCurves, MujocoMuscle, Thelen2003
from hitogata.muscle.fibres import (
    MuscleEquilibrium,
    MuscleForces,
    activation_rate,
    ligament_forces,
    rigid_tendon_forces,
    tendon_equilibrium,
    tendon_tensions,
)
from hitogata.muscle.forces import Cost, ForceOptions, MuscleSolution, muscle_forces
from hitogata.muscle.frame import MuscleArms
from hitogata.muscle.from_mass import muscles_from_mass
from hitogata.muscle.from_mjcf import muscles_from_mjcf
from hitogata.muscle.from_osim import muscles_from_osim
from hitogata.muscle.geometry import WireGeometry, wire_geometry
from hitogata.muscle.live import LiveForces, LiveFrames
from hitogata.muscle.paths import ConditionalPoint, MovingPoint, Path, PathPoint, Surface, SurfaceKind, Wrap
from hitogata.muscle.wires import Ligament, Muscle, MuscleSet, Node, Tendon, Wire

__all__ = [
    "ConditionalPoint",
    "Cost",
    "DeGroote2016",
    "ForceOptions",
    "Ligament",
    "LiveForces",
    "LiveFrames",
    "Millard2012",
    "ModelCurves",
    "MovingPoint",
    "MujocoMuscle",
    "Muscle",
    "MuscleArms",
    "MuscleEquilibrium",
    "MuscleForces",
    "MuscleSet",
    "MuscleSolution",
    "Node",
    "Path",
    "PathPoint",
    "Surface",
    "SurfaceKind",
    "Tendon",
    "Thelen2003",
    "Wire",
    "WireGeometry",
    "Wrap",
    "activation_rate",
    "ligament_forces",
    "muscle_forces",
    "muscles_from_mass",
    "muscles_from_mjcf",
    "muscles_from_osim",
    "musculoskeletal",
    "musculoskeletal_gait",
    "rigid_tendon_forces",
    "tendon_equilibrium",
    "tendon_tensions",
    "wire_geometry",
]
