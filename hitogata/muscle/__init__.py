"""Muscles, tendons and ligaments on a figure or mechanism: paths, moment arms, forces, and who does the work.

    musculoskeletal        the built-in body: 51 bone groups, 366 muscles, 91 tendons, 34 ligaments
    MuscleSet              wires on a body, frozen; read by muscles_from_osim and its like
    wire_geometry          lengths, lengthening speeds, moment arms
    rigid_tendon_forces, tendon_equilibrium, activation_rate, ligament_forces
    MuscleArms, LiveForces the same live: moment arms, and who does the work, frame by frame
    muscle_forces          activations and tensions behind moments of joints
    contact_forces         what joints press with under muscles
    muscles_of_motion      a BVH file, or any figure's motion, to 366 tensions
    fit_figure_map         polynomial maps between a figure's poses and the body's, both ways
    MuscleDrive            muscles that move figures in worlds

`docs/muscle.md` is the guide.
"""

from hitogata.muscle.body import musculoskeletal, musculoskeletal_arm, musculoskeletal_gait
from hitogata.muscle.contact import contact_forces, recorded_contact_forces, wire_wrenches
from hitogata.muscle.curves import DeGroote2016, Millard2012, ModelCurves, MujocoMuscle, Thelen2003
from hitogata.muscle.drive import MuscleDrive
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
from hitogata.muscle.ground_forces import GroundForces, ground_forces
from hitogata.muscle.live import LiveForces, LiveFrames
from hitogata.muscle.mapping import FigureMap, PoseMap, RankCurve, Terms, fit_figure_map, fit_pose_map
from hitogata.muscle.motion import BodyMotion, MuscleMotion, body_motion, muscles_of_motion
from hitogata.muscle.nodes import resting_nodes
from hitogata.muscle.outline import Outline
from hitogata.muscle.paths import ConditionalPoint, MovingPoint, Path, PathPoint, Surface, SurfaceKind, Wrap
from hitogata.muscle.wires import Ligament, Muscle, MuscleSet, Node, Support, Tendon, Wire

__all__ = [
    "BodyMotion",
    "ConditionalPoint",
    "Cost",
    "DeGroote2016",
    "FigureMap",
    "ForceOptions",
    "GroundForces",
    "Ligament",
    "LiveForces",
    "LiveFrames",
    "Millard2012",
    "ModelCurves",
    "MovingPoint",
    "MujocoMuscle",
    "Muscle",
    "MuscleArms",
    "MuscleDrive",
    "MuscleEquilibrium",
    "MuscleForces",
    "MuscleMotion",
    "MuscleSet",
    "MuscleSolution",
    "Node",
    "Outline",
    "Path",
    "PathPoint",
    "PoseMap",
    "RankCurve",
    "Support",
    "Surface",
    "SurfaceKind",
    "Tendon",
    "Terms",
    "Thelen2003",
    "Wire",
    "WireGeometry",
    "Wrap",
    "activation_rate",
    "body_motion",
    "contact_forces",
    "fit_figure_map",
    "fit_pose_map",
    "ground_forces",
    "ligament_forces",
    "muscle_forces",
    "muscles_from_mass",
    "muscles_from_mjcf",
    "muscles_from_osim",
    "muscles_of_motion",
    "musculoskeletal",
    "musculoskeletal_arm",
    "musculoskeletal_gait",
    "recorded_contact_forces",
    "resting_nodes",
    "rigid_tendon_forces",
    "tendon_equilibrium",
    "tendon_tensions",
    "wire_geometry",
    "wire_wrenches",
]
