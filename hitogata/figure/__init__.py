"""What a figure is: links, joints, shapes, frames; its states and motions."""

from hitogata.figure import joint
from hitogata.figure.builder import FigureBuilder
from hitogata.figure.figure import Figure
from hitogata.figure.joint import Joint, JointKind
from hitogata.figure.link import Frame, Link
from hitogata.figure.mass import MassProperties
from hitogata.figure.meshes import ConvexMesh
from hitogata.figure.pose import Pose
from hitogata.figure.rates import resampled, velocities_of
from hitogata.figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from hitogata.figure.state import State
from hitogata.figure.terrain import HeightField
from hitogata.figure.trajectory import Trajectory

__all__ = [
    "Box",
    "Capsule",
    "ConvexMesh",
    "Cylinder",
    "Ellipsoid",
    "Figure",
    "FigureBuilder",
    "Frame",
    "HeightField",
    "Joint",
    "JointKind",
    "Link",
    "MassProperties",
    "Plane",
    "Pose",
    "Shape",
    "Sphere",
    "State",
    "Trajectory",
    "joint",
    "resampled",
    "velocities_of",
]
