"""Pairs of links of two figures whose names are not known, from their trees.

A tree is cut at its branches into chains.  Chains that leave a branch are paired by where they begin and how much
hangs on them; links of two paired chains by how far along they are.
"""

from dataclasses import dataclass, field

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure
from hitogata.figure.values import FloatArray

_TINY = 0.02  # share of the figure's size: a last link this near to its parent is left out
_TURNED = -0.2  # cosine: chains that leave in directions less alike than this are not paired
_UNLIKE = 1e3  # difference of chains that are not paired


@dataclass
class _Chain:
    """Links one after the other, up to a branch or an end."""

    links: list[int]
    places: list[float]  # of the links along the chain, from the branch before it, as a share of the chain
    leaves: FloatArray  # from the branch before it to its first link that is elsewhere, over the figure's size
    weight: float = 0.0  # length of all bones of it and behind it, over the figure's size
    children: list["_Chain"] = field(default_factory=list)


def match_by_geometry(source: Figure, target: Figure) -> dict[str, str]:
    """Source link by target link; both figures in their neutral poses, looking the same way."""
    pairs: dict[int, int] = {}
    _pair(_tree(target), _tree(source, sliders=False), pairs)
    return {target.link_names[i]: source.link_names[j] for i, j in sorted(pairs.items())}


def _tree(figure: Figure, sliders: bool = True) -> _Chain:
    """The chains of a figure; without sliders, which turn nothing, what hangs on them hangs on their parents."""
    poses = forward_kinematics(figure, figure.neutral())
    places, turns = poses.position, poses.rotation
    tips = np.array([p + 2 * r @ link.mass.centre for p, r, link in zip(places, turns, figure.links, strict=True)])
    size = float(np.ptp(np.concatenate([places, tips]), axis=0).max())
    children: list[list[int]] = [[] for _ in figure.links]
    for i in reversed(range(1, figure.nlinks)):  # leaves first
        if not sliders and any(screw.slide for screw in figure.links[i].joint.screws):
            children[figure.parents[i]] = children[i] + children[figure.parents[i]]
            continue
        near = np.linalg.norm(places[i] - places[figure.parents[i]]) < _TINY * size
        if children[i] or not (near and np.linalg.norm(tips[i] - places[i]) < 2 * _TINY * size):
            children[figure.parents[i]].insert(0, i)

    def chain(first: int, branch: int) -> _Chain:
        links = [first]
        while len(children[links[-1]]) == 1:
            links.append(children[links[-1]][0])
        ends = [places[i] for i in links] + ([] if children[links[-1]] else [tips[links[-1]]])
        steps = [float(np.linalg.norm(b - a)) for a, b in zip([places[branch], *ends], ends, strict=False)]
        along = np.cumsum(steps)
        share = along / max(along[-1], 1e-12)
        ways = [end - places[branch] for end in ends]
        away = next((way for way in ways if np.linalg.norm(way) > _TINY * size), np.zeros(3))
        behind = [chain(child, links[-1]) for child in children[links[-1]]]
        weight = sum(steps) / size + sum(c.weight for c in behind)
        return _Chain(links, share[: len(links)].tolist(), away / size, weight, behind)

    return chain(0, 0)


def _pair(ours: _Chain, theirs: _Chain, pairs: dict[int, int]) -> None:
    """Pair the links of two chains, and the chains that leave their ends."""
    from scipy.optimize import linear_sum_assignment

    pairs.update(zip(*_aligned(ours, theirs), strict=True))
    if not ours.children or not theirs.children:
        return
    cost = np.array([[_difference(a, b) for b in theirs.children] for a in ours.children])
    for i, j in zip(*linear_sum_assignment(cost), strict=True):
        if cost[i, j] < _UNLIKE:
            _pair(ours.children[i], theirs.children[j], pairs)


def _difference(a: _Chain, b: _Chain) -> float:
    """How unlike two chains are that leave a branch: where to, and how much of the figure hangs on them."""
    lengths = np.linalg.norm(a.leaves) * np.linalg.norm(b.leaves)
    cosine = a.leaves @ b.leaves / lengths if lengths > 0 else 1.0
    if cosine < _TURNED:
        return _UNLIKE
    heavier = abs(np.log((a.weight + 0.05) / (b.weight + 0.05)))
    return float(1 - cosine + 2 * np.linalg.norm(a.leaves - b.leaves) + 0.5 * heavier)


def _aligned(ours: _Chain, theirs: _Chain) -> tuple[list[int], list[int]]:
    """Links of two chains in order, each of the shorter with one of the longer, as far along as possible the same."""
    swapped = len(ours.links) > len(theirs.links)
    short, long = (theirs, ours) if swapped else (ours, theirs)
    n, m = len(short.links), len(long.links)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0] = 0.0
    for i in range(1, n + 1):
        for j in range(i, m + 1):
            pair = cost[i - 1, j - 1] + abs(short.places[i - 1] - long.places[j - 1])
            cost[i, j] = min(pair, cost[i, j - 1])
    chosen, j = [], m
    for i in range(n, 0, -1):
        while cost[i, j] == cost[i, j - 1]:
            j -= 1
        chosen.append(j - 1)
        j -= 1
    picked = [long.links[k] for k in reversed(chosen)]
    return (picked, list(short.links)) if swapped else (list(short.links), picked)
