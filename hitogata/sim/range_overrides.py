"""Ranges of motion that figures are given in a world: what users give, checked, and figures that have them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.rom import RangeOfMotion


def ball_joint(figure: Figure, joint: str) -> int:
    """Number of the link that a ball joint moves.

    Raises:
        FigureError: there is no such joint.
        ArgumentError: it is of another kind.
    """
    k = figure.joint_index(joint)
    found = figure.links[k].joint
    if not found.is_ball:
        raise ArgumentError(
            f"joint: {joint!r} of {figure.name!r} is a {found.kind.value} joint; only ball joints have ranges of motion"
        )
    return k


def check_range(range_: Any, name: str, figure: Figure, joint: str) -> None:
    """Raise ArgumentError unless this is a range of motion or None."""
    if not isinstance(range_, RangeOfMotion | None):
        raise ArgumentError(
            f"{name}: for joint {joint!r} of {figure.name!r} expected a RangeOfMotion or None, got {range_!r}"
        )


def with_joint_ranges(figure: Figure, ranges: Mapping[int, RangeOfMotion | None]) -> Figure:
    """The same figure with other ranges of ball joints, by the numbers of their links."""
    links = [
        replace(link, joint=replace(link.joint, range=ranges[k])) if k in ranges else link
        for k, link in enumerate(figure.links)
    ]
    return Figure(figure.name, tuple(links), figure.coupled)
