"""Contact by hypothesis and validity (Nakamura & Yamane 2000, §4): states, passes, friction with spin."""

from hitogata.loops.contacts.reports import Change, ContactReport, ContactState, ContactStep, Slip
from hitogata.loops.contacts.settings import ContactSettings
from hitogata.loops.contacts.stage import ContactStage

__all__ = ["Change", "ContactReport", "ContactSettings", "ContactStage", "ContactState", "ContactStep", "Slip"]
