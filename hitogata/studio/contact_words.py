"""What contacts do, and what hands carry, as a few lines of markdown."""

from collections.abc import Iterable, Sequence

from hitogata.loops.contacts.reports import Change
from hitogata.sim import ContactPatch, ContactTally, Grasp, Member

MOST = 8
"""Contacts that are listed; the others are counted."""


def contact_table(patches: Sequence[ContactPatch], member: Member) -> str:
    """Contacts of a figure, those that press hardest first: what touches what, how, and what changed."""
    own = [patch for patch in patches if member in (patch.a[0], patch.b[0] if patch.b else None)]
    if not own:
        return "Nothing touches."
    own.sort(key=lambda patch: -float(patch.force @ patch.force))
    rows = ["| contact | state | slip | N | change |", "|---|---|---|---|---|"]
    rows += [_row(patch, member) for patch in own[:MOST]]
    more = f"\n\n... and {len(own) - MOST} more" if len(own) > MOST else ""
    return "\n".join(rows) + more


def tally_line(tally: ContactTally) -> str:
    """How contact by states went so far."""
    if tally.islands == 0:
        return "No contacts so far."
    left = tally.swept + tally.too_large
    one, two, three = tally.passes
    return (
        f"In 1, 2, 3 passes: **{one}**, **{two}**, **{three}**; left to the sweeps: **{left}** of {tally.islands}"
        f" ({100 * left / tally.islands:.1f} %)"
    )


def hand_line(grasps: Iterable[Grasp]) -> str:
    """Hands that hold the bar, and what they carry."""
    held = [f"**{grasp.ties[0].ends[0][1]}** {grasp.load:.0f} N" for grasp in grasps]
    return f"On the bar: {', '.join(held)}" if held else ""


def _row(patch: ContactPatch, member: Member) -> str:
    ends = [patch.a, patch.b] if patch.a[0] is member else [patch.b, patch.a]
    first, second = ("ground" if end is None else end[1] for end in ends)
    words = [flag.name.lower() for flag in Change if flag in patch.change and flag.name]
    if patch.by_sweeps:
        words.append("*by sweeps*")
    force = float((patch.force @ patch.force) ** 0.5)
    cells = (f"{first} – {second}", patch.state.name.lower(), patch.slip.name.lower(), f"{force:.0f}", ", ".join(words))
    return f"| {' | '.join(cells)} |"
