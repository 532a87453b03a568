"""Assembly-disassembly: loose bodies are joined one joint after another, then forces are handed back.

Any order of joints is right (Nakamura & Yamane; Featherstone 1999), so an order can be chosen for the least work, or
for the least depth on many processors.  A figure goes in as its topology and its state; accelerations, joint
reactions and forces of loops come out.  `docs/assembly.md` is the guide.
"""

from hitogata.dynamics.assembly.costs import UNIT, CostModel
from hitogata.dynamics.assembly.measured_costs import measure_costs
from hitogata.dynamics.assembly.methods import Method, assemble_in_order, pays
from hitogata.dynamics.assembly.plans import plan, replan
from hitogata.dynamics.assembly.schedule import Schedule
from hitogata.dynamics.assembly.timeline import Timeline, best_timeline, simulate
from hitogata.dynamics.assembly.topology import Topology, topology_of, tree_of

__all__ = [
    "UNIT",
    "CostModel",
    "Method",
    "Schedule",
    "Timeline",
    "Topology",
    "assemble_in_order",
    "best_timeline",
    "measure_costs",
    "pays",
    "plan",
    "replan",
    "simulate",
    "topology_of",
    "tree_of",
]
