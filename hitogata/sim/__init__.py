"""The world and its step: figures, loose bodies and the ground, in one stable solve."""

from hitogata.sim.members import Member
from hitogata.sim.settings import Settings
from hitogata.sim.ties import Tie
from hitogata.sim.world import ContactForce, Snapshot, World, WorldError

__all__ = ["ContactForce", "Member", "Settings", "Snapshot", "Tie", "World", "WorldError"]
