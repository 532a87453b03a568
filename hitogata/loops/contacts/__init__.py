"""Contact by hypothesis and validity (Nakamura & Yamane 2000, §4): states, passes, friction with spin."""

from hitogata.loops.contacts.stage import (
    Change,
    ContactReport,
    ContactSettings,
    ContactStage,
    ContactState,
    ContactStep,
    Slip,
)

__all__ = ["Change", "ContactReport", "ContactSettings", "ContactStage", "ContactState", "ContactStep", "Slip"]
