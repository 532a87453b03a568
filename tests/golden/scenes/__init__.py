"""The scenes; importing this puts all of them on the list."""

from tests.golden.scenes import batches, contacts, joints, loops, puppets, ranges, ties, worlds

__all__ = ["batches", "contacts", "joints", "loops", "puppets", "ranges", "ties", "worlds"]
