"""Constraints that come and go: virtual links, closed loops, one equation of motion for everything, impacts."""

from hitogata.loops.assembly import closed
from hitogata.loops.contact_impact import ContactOutcome, ContactRegion
from hitogata.loops.equation import MotionSolution, MotionStatus, Tip, solve_motion
from hitogata.loops.forward import Held, constrained_dynamics
from hitogata.loops.impact import Impact, impact
from hitogata.loops.knowns import Weights
from hitogata.loops.link_set import LinkHandle, Links
from hitogata.loops.osim_constraints import links_from_osim
from hitogata.loops.reactions import joint_reactions, link_energy, link_wrenches
from hitogata.loops.row_values import LinkRows, link_rows
from hitogata.loops.simulation import Moved, move
from hitogata.loops.virtual_links import Turning, VirtualLink, gimbal, grasp, here, hinge, pin, rod, slide, weld

__all__ = [
    "ContactOutcome",
    "ContactRegion",
    "Held",
    "Impact",
    "LinkHandle",
    "LinkRows",
    "Links",
    "MotionSolution",
    "MotionStatus",
    "Moved",
    "Tip",
    "Turning",
    "VirtualLink",
    "Weights",
    "closed",
    "constrained_dynamics",
    "gimbal",
    "grasp",
    "here",
    "hinge",
    "impact",
    "joint_reactions",
    "link_energy",
    "link_rows",
    "link_wrenches",
    "links_from_osim",
    "move",
    "pin",
    "rod",
    "slide",
    "solve_motion",
    "weld",
]
