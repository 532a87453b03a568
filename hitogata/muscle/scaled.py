"""Muscles of a body in other sizes: their paths grow with the bones, their fibres and tendons with their paths.

As OpenSim's scale tool does it: points and surfaces by the factors of their body, optimal fibre lengths and slack
lengths by how much longer the whole path has become in the neutral pose, so that muscles work at the same part of their
curves.  Forces stay.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Pose
from hitogata.figure.mechanism import Function, Mechanism, Scaled, followed
from hitogata.figure.values import FloatArray, Vector
from hitogata.muscle.bodies import Body
from hitogata.muscle.geometry import wire_geometry
from hitogata.muscle.paths import AnyPoint, MovingPoint, Path, Surface, SurfaceKind
from hitogata.muscle.wires import Ligament, Muscle, MuscleSet, Node, Wire


def scaled_muscles(muscles: MuscleSet, body: Body, factors: Mapping[str, FloatArray]) -> MuscleSet:
    """The same wires on a body of other sizes.

    Args:
        muscles: on the body as it was.
        body: in its new sizes; same names.
        factors: by name of body, along the axes of its frame, shape (3,); others keep their size.
    """
    by_body = {name: np.asarray(factor, np.float64) for name, factor in factors.items()}
    for name, factor in by_body.items():
        if factor.shape != (3,) or not np.isfinite(factor).all() or (factor <= 0).any():
            raise FigureError(f"factors of {name!r}: three positive numbers are expected, got {factor!r}")
    wires = tuple(replace(wire, path=_path(wire.path, by_body)) for wire in muscles.wires)
    grown = MuscleSet(
        muscles.name, body, wires, tuple(_surface(surface, by_body) for surface in muscles.surfaces),
        tuple(_node(node, by_body) for node in muscles.nodes),
    )  # fmt: skip
    before = wire_geometry(muscles, _neutral(muscles.body)).lengths.reshape(-1)
    after = wire_geometry(grown, _neutral(body)).lengths.reshape(-1)
    longer = np.where((before > 0) & np.isfinite(after), after / np.where(before > 0, before, 1.0), 1.0)
    return replace(grown, wires=tuple(_longer(wire, float(k)) for wire, k in zip(grown.wires, longer, strict=True)))


def _neutral(body: Body) -> Any:
    if isinstance(body, Mechanism):
        return followed(body, np.zeros(len(body.coordinates)))[0]
    return body.neutral()


def _factor(body: str | None, by_body: Mapping[str, FloatArray]) -> FloatArray:
    return by_body.get(body or "", np.ones(3))


def _times(place: Vector, factor: FloatArray) -> Vector:
    x, y, z = (float(a * k) for a, k in zip(place, factor, strict=True))
    return x, y, z


def _path(path: Path, by_body: Mapping[str, FloatArray]) -> Path:
    return replace(path, points=tuple(_point(point, by_body) for point in path.points))


def _point(point: AnyPoint, by_body: Mapping[str, FloatArray]) -> AnyPoint:
    factor = _factor(point.body, by_body)
    if isinstance(point, MovingPoint):
        x, y, z = (_function(f, float(k)) for f, k in zip(point.functions, factor, strict=True))
        return replace(point, functions=(x, y, z))
    return replace(point, place=_times(point.place, factor))


def _function(function: Function, factor: float) -> Function:
    return function if factor == 1.0 else Scaled(function, factor)


def _surface(surface: Surface, by_body: Mapping[str, FloatArray]) -> Surface:
    """Sizes along a surface's own axes grow as the body does along them; round ones stay round."""
    factor = _factor(surface.body, by_body)
    along = np.sqrt((np.asarray(surface.pose.rotation) ** 2).T @ factor**2)  # of the surface's x, y, z
    if surface.kind is SurfaceKind.ELLIPSOID:
        by_size = along
    elif surface.kind is SurfaceKind.CYLINDER:
        by_size = np.array([np.sqrt(along[0] * along[1]), along[2]])
    else:
        by_size = np.full(len(surface.sizes), float(np.prod(along)) ** (1 / 3))
    sizes = tuple(float(x * k) for x, k in zip(surface.sizes, by_size, strict=True))
    site = None if surface.site is None else _times(surface.site, along)
    pose = Pose(_times(surface.pose.position, factor), surface.pose.quat)
    return replace(surface, sizes=sizes, pose=pose, site=site)


def _node(node: Node, by_body: Mapping[str, FloatArray]) -> Node:
    return replace(node, place=_times(node.place, _factor(node.body, by_body)))


def _longer(wire: Wire, factor: float) -> Wire:
    if isinstance(wire, Muscle):
        return replace(wire, fibre_length=wire.fibre_length * factor, slack_length=wire.slack_length * factor)
    if isinstance(wire, Ligament):
        return replace(wire, slack_length=wire.slack_length * factor)
    return wire
