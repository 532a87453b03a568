"""Marker sets: which markers sit where on a figure; places over time, and sets spread over any figure's skin.

A set goes to the renderer (film), the labelling (distances) and the fit (places on segments).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Box, Capsule, Cylinder, Ellipsoid, Figure, Link, Shape, Sphere
from hitogata.figure.values import FloatArray, floats, positive

RADIUS = 0.007
"""Of a usual marker [m]."""


@dataclass(frozen=True, eq=False)
class MarkerSet:
    """Markers on the links of a figure.

    Attributes:
        labels: of the markers, unique.
        links: index of the link that carries each, shape (nm,).
        places: in the link's frame [m], shape (nm, 3).
        radius: of the markers [m].
    """

    labels: tuple[str, ...]
    links: Any = field(repr=False)
    places: FloatArray = field(repr=False)
    radius: float = RADIUS

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        if len(set(self.labels)) < len(self.labels):
            twice = next(label for label in self.labels if self.labels.count(label) > 1)
            raise ArgumentError(f"marker set: duplicate label {twice!r}")
        object.__setattr__(self, "links", np.array(self.links, dtype=np.int64))
        object.__setattr__(self, "places", floats(self.places, "marker set: places").astype(np.float64))
        if self.links.shape != (len(self.labels),) or self.places.shape != (len(self.labels), 3):
            raise ArgumentError(f"marker set: {len(self.labels)} labels, links {self.links.shape}, {self.places.shape}")
        object.__setattr__(self, "radius", positive(self.radius, "marker set: radius", error=ArgumentError))

    @classmethod
    def of(cls, figure: Figure, places: Mapping[str, tuple[str, Any]], *, radius: float = RADIUS) -> "MarkerSet":
        """Markers by label: (name of the link, place in its frame [m])."""
        links = [figure.link_index(link) for link, _ in places.values()]
        return cls(tuple(places), links, np.array([at for _, at in places.values()], dtype=np.float64), radius)

    def positions(self, figure: Figure, q: Any) -> FloatArray:
        """Where the markers are in the world [m], shape (nm, 3) or (nt, nm, 3), for coordinates (nq,) or (nt, nq)."""
        poses = forward_kinematics(figure, q)
        turn, at = poses.rotation[..., self.links, :, :], poses.position[..., self.links, :]
        moved: FloatArray = (turn @ self.places[..., None])[..., 0] + at
        return moved


ENOUGH = 2
"""Markers by which a link is known whose joint's centre is."""


def spread_markers(figure: Figure, count: int, *, radius: float = RADIUS, seed: int = 0) -> MarkerSet:
    """A marker set for any figure with shapes: every limb gets some, far apart, on the skin, no two limbs alike.

    One each as long as there are enough (the largest first), then a second one each, for with two and its joint's
    centre a link is known; links share the rest by the size of their skin.  Places are taken one by one from many on a
    link's skin, each as far from all that are taken as can be.

    Args:
        figure: links without shapes get none.
        count: of markers.
        radius: of the markers [m].
        seed: of the places that are tried; they differ between left and right.
    """
    sizes = np.array([sum(_skin(s) for s in link.shapes) for link in figure.links])
    if not sizes.any():
        raise ArgumentError(f"figure {figure.name!r} has no shapes to put markers on; use MarkerSet.of")
    shares = _shares(sizes, count)
    poses = forward_kinematics(figure, figure.neutral())
    labels, links, places = [], [], []
    at: list[FloatArray] = []  # all places in the world
    for i, (link, share) in enumerate(zip(figure.links, shares, strict=True)):
        if share == 0:
            continue
        tried = _on_skin(link, np.random.default_rng([seed, i]), radius)
        world = tried @ poses.rotation[i].T + poses.position[i]
        others = [_distance(other, (world - poses.position[j]) @ poses.rotation[j])
                  for j, other in enumerate(figure.links) if other.shapes and j != i]  # fmt: skip
        free = np.min(others, axis=0) > radius if others else np.ones(len(tried), dtype=bool)
        if free.sum() >= share:
            tried, world = tried[free], world[free]
        for k in range(share):
            gaps = np.linalg.norm(world[:, None] - np.array(at), axis=2).min(axis=1) if at else tried[:, 2]
            best = int(gaps.argmax())
            at.append(world[best])
            labels.append(f"{link.name}_{k + 1}")
            places.append(tried[best])
        links += [i] * share
    return MarkerSet(tuple(labels), links, np.array(places), radius)


def _shares(sizes: FloatArray, count: int) -> Any:
    """How many markers each link gets: to the one with the most skin per marker, once all have two."""
    shares = np.zeros(len(sizes), dtype=int)
    for _ in range(count):
        fewest = min(int(shares[sizes > 0].min()), ENOUGH)
        waiting = shares <= fewest if fewest < ENOUGH else np.ones(len(sizes), bool)
        shares[int((waiting * sizes / (shares + 0.3)).argmax())] += 1
    return shares


def _skin(shape: Shape) -> float:
    """About how long a shape is across [m], for sharing out markers; thick ones count more."""
    return shape.bounding_radius


def _on_skin(link: Link, rng: np.random.Generator, radius: float) -> FloatArray:
    """Places just outside a link's shapes, shape (n, 3): rays inward from all around, stopped by the skin."""
    centres = np.array([s.pose.apply(s.centre()) for s in link.shapes])
    reach = max(s.bounding_radius for s in link.shapes)
    found = []
    for _ in range(60):
        shape = link.shapes[int(rng.integers(len(link.shapes)))]
        half = shape.half_length if isinstance(shape, Capsule | Cylinder) else 0.0
        start = shape.pose.apply(np.array([0.0, 0.0, rng.uniform(-half, half)]))
        way = rng.standard_normal(3)
        if half:
            way -= shape.pose.rotation[:, 2] * (shape.pose.rotation[:, 2] @ way)
        way /= np.linalg.norm(way)
        t = 2 * reach + float(np.abs(centres).max())
        for _ in range(60):
            gap = float(_distance(link, (start + t * way)[None])[0]) - radius
            t -= gap
            if gap < 1e-6:
                break
        found.append(start + t * way)
    return np.array(found)


def _distance(link: Link, points: FloatArray) -> FloatArray:
    """From points in the link's frame to its shapes [m], at most too small (ellipsoids); < 0 inside."""
    gaps = []
    for shape in link.shapes:
        p = (points - np.array(shape.pose.position)) @ shape.pose.rotation
        if isinstance(shape, Sphere):
            gaps.append(np.linalg.norm(p, axis=1) - shape.radius)
        elif isinstance(shape, Capsule | Cylinder):  # a cylinder within its capsule
            p[:, 2] -= np.clip(p[:, 2], -shape.half_length, shape.half_length)
            gaps.append(np.linalg.norm(p, axis=1) - shape.radius)
        elif isinstance(shape, Box):
            out = np.abs(p) - np.array(shape.half_sizes)
            gaps.append(np.linalg.norm(np.maximum(out, 0), axis=1) + np.minimum(out.max(axis=1), 0))
        elif isinstance(shape, Ellipsoid):
            axes = np.array(shape.half_axes)
            gaps.append((np.linalg.norm(p / axes, axis=1) - 1) * axes.min())
        else:
            gaps.append(np.linalg.norm(p, axis=1) - shape.bounding_radius)
    result: FloatArray = np.min(gaps, axis=0)
    return result
