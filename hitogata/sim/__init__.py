"""The world and its step: figures, loose bodies and the ground, in one stable solve."""

from hitogata.sim.actuators import Actuators
from hitogata.sim.batch import BatchError, BatchSnapshot, WorldBatch
from hitogata.sim.batch_members import BatchMember, BatchTie
from hitogata.sim.coordinates import ContactMethod, Coordinates
from hitogata.sim.energy import WorldEnergy
from hitogata.sim.events import ContactEvent, ContactEvents
from hitogata.sim.grasps import Grasp, bar_gap, grasp, grasp_again
from hitogata.sim.holds import Hold, hold
from hitogata.sim.kinematic import KinematicBody
from hitogata.sim.members import Member
from hitogata.sim.recorder import Recording
from hitogata.sim.settings import Settings
from hitogata.sim.snapshot import Snapshot
from hitogata.sim.solver_tally import SolverTally
from hitogata.sim.states.reports import ContactPatch, ContactTally
from hitogata.sim.step_clock import Costs
from hitogata.sim.step_readings import ContactForce
from hitogata.sim.strands import Strands
from hitogata.sim.ties import Tie
from hitogata.sim.world import World, WorldError

__all__ = [
    "Actuators",
    "BatchError",
    "BatchMember",
    "BatchSnapshot",
    "BatchTie",
    "ContactEvent",
    "ContactEvents",
    "ContactForce",
    "ContactMethod",
    "ContactPatch",
    "ContactTally",
    "Coordinates",
    "Costs",
    "Grasp",
    "Hold",
    "KinematicBody",
    "Member",
    "Recording",
    "Settings",
    "Snapshot",
    "SolverTally",
    "Strands",
    "Tie",
    "World",
    "WorldBatch",
    "WorldEnergy",
    "WorldError",
    "bar_gap",
    "grasp",
    "grasp_again",
    "hold",
]
