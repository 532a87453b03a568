"""The world and its step: figures, loose bodies and the ground, in one stable solve."""

from hitogata.sim.settings import Settings
from hitogata.sim.world import ContactForce, Member, Snapshot, World, WorldError

__all__ = ["ContactForce", "Member", "Settings", "Snapshot", "World", "WorldError"]
