"""Figures that move by their own motors in a world: balance, following motions, falling, getting up."""

from hitogata.control.balance import Balance, BalanceSettings
from hitogata.control.ragdoll import Mode, Ragdoll, RagdollSettings
from hitogata.control.reference import Reference, Transition
from hitogata.control.whole_body import Body, Task, Wanted, solve

__all__ = [
    "Balance",
    "BalanceSettings",
    "Body",
    "Mode",
    "Ragdoll",
    "RagdollSettings",
    "Reference",
    "Task",
    "Transition",
    "Wanted",
    "solve",
]
