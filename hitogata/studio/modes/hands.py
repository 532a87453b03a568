"""Hands on the bar, in physics mode (`sim.grasp`)."""

from dataclasses import dataclass, field, replace

from hitogata.figure import Capsule, Figure
from hitogata.sim import Grasp, Member, bar_gap, grasp, grasp_again

REACH = 0.04
"""A hand that is nearer to the bar than this closes about it [m]."""

Place = tuple[int, int]
"""(copy, link)."""


def hand_frames(figure: Figure) -> dict[int, str]:
    """Links that can grasp, by index, and the name of the frame in the middle of each hand.

    Those with a frame `palm...`, and those that are called hands; of a figure without hands, those with
    a frame `grip...`.
    """
    hands, ends = dict[int, str](), dict[int, str]()
    for k, link in enumerate(figure.links):
        names = [frame.name for frame in link.frames]
        palms, grips = ([n for n in names if n.lower().startswith(word)] for word in ("palm", "grip"))
        if palms or "hand" in link.name.lower():
            hands[k] = (*palms, *grips, link.name)[0]
        elif grips:
            ends[k] = grips[0]
    return hands or ends


@dataclass
class Hands:
    """Which hands hold the bar.

    Attributes:
        strength: of each hand [N].
        grasps: by (copy, link).
    """

    strength: float
    grasps: dict[Place, Grasp] = field(default_factory=dict)

    def near(self, member: Member, link: int, bar: Capsule | None) -> bool:
        """Whether a link is a hand within reach of the bar."""
        if bar is None or link not in hand_frames(member.figure):
            return False
        return bar_gap(member, member.figure.link_names[link], bar) <= REACH

    def close(self, place: Place, member: Member, bar: Capsule | None) -> bool:
        """Let a hand hold the bar if it is near and open; whether it does now."""
        if place not in self.grasps and bar is not None and self.near(member, place[1], bar):
            frame = hand_frames(member.figure)[place[1]]
            self.grasps[place] = grasp(member, frame, bar, strength=self.strength)
        return place in self.grasps

    def open(self, place: Place) -> bool:
        """Let a hand go; whether it held."""
        held = self.grasps.pop(place, None)
        if held is not None:
            held.let_go()
        return held is not None

    def open_all(self) -> None:
        """Let all hands go."""
        for place in list(self.grasps):
            self.open(place)

    def set_strength(self, strength: float) -> None:
        """Of all hands, also of those that hold [N]."""
        self.strength = strength
        self.grasps = {place: replace(held, strength=strength) for place, held in self.grasps.items()}

    def rebuilt(self, members: list[Member], bar: Capsule | None) -> None:
        """The world is another one: what held the same bar holds it still."""
        kept = {place: held for place, held in self.grasps.items() if held.bar == bar}
        self.grasps = {place: grasp_again(held, members[place[0]]) for place, held in kept.items()}

    def give_way(self) -> list[tuple[str, float]]:
        """Open the hands that carry too much: their links, and what they carried [N]."""
        lost = []
        for place, held in list(self.grasps.items()):
            load = held.load
            if held.give_way():
                del self.grasps[place]
                lost.append((held.member.figure.link_names[place[1]], load))
        return lost
