"""Twist limits that are an interval with a gap, from allowed and forbidden poses.

Where limits of one interval are too poor a model (`fit_choice`): as measured joints have it, turning all the way round
may be barred at two places, and one bar ends where the other goes on.

Local planes (`fit_local`) say what is allowed at even directions and twists.  The boundary is drawn where the allowed
twists shrink to less than `LEAST`; the two gaps of each direction (`fit_gaps`) give a first guess; from there middles
and half widths at the vertices of a fine mesh, even in angle, are fitted to the poses *and* to the table of scores,
which weighs as much as they do and fills the space between them.  Bending of the values is held back.
"""

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from hitogata.rom.fit_cloud import local_share, signed_distance
from hitogata.rom.fit_gaps import gaps_of, starts, surest, tracked, vertex_gaps
from hitogata.rom.fit_local import LocalPlanes
from hitogata.rom.fit_mesh import Mesh, hexagonal_mesh
from hitogata.rom.fit_report import Progress
from hitogata.rom.fit_steps import Fit, Options, Samples
from hitogata.rom.fit_swing import sphere_grid
from hitogata.rom.fit_twist import TURN, separate_gaps, smoothness, wrapped
from hitogata.rom.frames import Array
from hitogata.rom.meshtwist import MeshTwist
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.region import Region
from hitogata.spatial import quat_multiply

DIRECTIONS, TWISTS = 2400, 48
"""Of the table of scores (0.07 and 0.13 rad apart)."""

STARTS = 3
"""Directions from which gaps are sorted."""

LEAST = 0.25
"""Allowed twists of a direction on the boundary [rad]."""

SURE = 0.3
"""Score that counts as certain."""

BENDING, STRETCHING = 1e-3, 1e-5
"""Weights of the mean square bend over an edge and of the mean square step along one."""


def poses_at(p: Array, twist: Array, bone: Array) -> Array:
    """Poses wxyz (k, 4) whose bone points along p (k, 3), the short way, with a twist (k,) before."""
    bend = np.concatenate([1.0 + p @ bone[:, None], np.cross(bone, p)], 1)
    bend /= np.maximum(np.linalg.norm(bend, axis=1, keepdims=True), 1e-12)
    return quat_multiply(bend, np.concatenate([np.cos(twist / 2)[:, None], np.sin(twist / 2)[:, None] * bone], 1))


class GapFit(Fit):
    """An interval and a gap in it; only for `TwistForm.MESH`."""

    def __init__(self, s: Samples, options: Options, say: Progress) -> None:
        super().__init__(s, options, say)
        self.spacing = options.spacing or fine_spacing(s)
        self.directions = sphere_grid(DIRECTIONS)
        self.twists = (np.arange(TWISTS) + 0.5) * (TURN / TWISTS) - np.pi

    def run(self) -> RangeOfMotion:
        """Table of scores, boundary, gaps, limits."""
        self.say("scores between poses", 0.05)
        scores = self.table()
        self.say("drawing the boundary", 0.3)
        room = (np.clip(scores, -SURE, SURE) / (2.0 * SURE) + 0.5).sum(1) * (TURN / TWISTS)
        region = self.drawn(room)
        inside = np.flatnonzero(region.contains(self.directions))
        cover = np.concatenate([self.grid[region.contains(self.grid)], region.boundary(2000)])
        mesh = hexagonal_mesh(cover, self.bone, self.spacing, even=True)
        self.say("sorting gaps", 0.4)
        values = self.guessed(mesh, inside, scores[inside], room[inside])
        self.say("fitting twist limits", 0.5)
        return self.made(region, self.limits(mesh, self.parted(mesh, region, inside, scores[inside], values)))

    def table(self) -> Array:
        """Scores at directions and twists, > 0 where allowed, shape (directions, twists)."""
        planes = LocalPlanes(self.s.quats, self.s.allowed)
        out = np.full((DIRECTIONS, TWISTS), -1.0)
        near = local_share(self.directions, self.s.p, self.s.allowed, 12) > 0.02
        count = int(near.sum())
        places = poses_at(np.repeat(self.directions[near], TWISTS, 0), np.tile(self.twists, count), self.bone)
        out[near] = planes.scores(places, planes.best_count()).reshape(count, TWISTS)
        return out

    def drawn(self, room: Array) -> Region:
        """The region where at least `LEAST` of twist is allowed."""
        gap, which = cKDTree(self.directions).query(self.grid, 4)
        w = 1.0 / np.maximum(gap, 1e-6) ** 2
        field = (w * (np.minimum(room, 2.0 * LEAST) - LEAST)[which]).sum(1) / w.sum(1)
        if self.margin != 0.0:
            field = signed_distance(self.grid, field) + self.margin
        return self.region(field, 0.03, 0.02)

    def guessed(self, mesh: Mesh, inside: Array, scores: Array, room: Array) -> Array:
        """Middles and half widths of both gaps at the vertices, shape (4, n).

        Which gap is known again as which depends on where one begins: of several starts the one whose guess agrees
        best with the table.
        """
        p = self.directions[inside]
        gaps = [gaps_of(row, self.twists) for row in scores]
        near = cKDTree(p).query(p, np.arange(2, min(8, len(p) + 1)), distance_upper_bound=0.2)[1]
        neighbours = [[int(j) for j in row if j < len(p)] for row in near]
        weights, sure = mesh.weights(p), surest(gaps, room)
        guesses = [
            np.concatenate([vertex_gaps(mesh, weights, own) for own in tracked(gaps, neighbours, sure, start)])
            for start in starts(p, sure, STARTS)
        ]
        return min(guesses, key=lambda x: int((self.free(weights, x) != (scores > 0.0)).sum()))

    def free(self, weights: Any, values: Array) -> Any:
        """Which twists of the table lie in no gap, shape (k, twists)."""
        away = [np.abs(wrapped(self.twists - (weights @ x)[:, None])) for x in values[::2]]
        return np.all([x >= (weights @ half)[:, None] for x, half in zip(away, values[1::2], strict=True)], 0)

    def parted(self, mesh: Mesh, region: Region, inside: Array, scores: Array, values: Array) -> Array:
        """The gaps fitted to the poses in the region and to the table."""
        own = region.contains(self.s.p)
        count = int(own.sum())
        p = np.concatenate([self.s.p[own], np.repeat(self.directions[inside], TWISTS, 0)])
        twist = np.concatenate([self.s.twist[own], np.tile(self.twists, len(inside))])
        allowed = np.concatenate([self.s.allowed[own], scores.ravel() > 0.0])
        sure = np.minimum(np.abs(scores.ravel()) / SURE, 1.0) * (count / max(scores.size, 1))
        trust = np.concatenate([np.ones(count), sure])
        weights = mesh.weights(p)
        smooth = smoothness(len(mesh.vertices), (mesh.hinges, BENDING), (mesh.steps, STRETCHING))
        for softness in (0.15, 0.07):
            values = separate_gaps(weights, twist, allowed, trust, values, smooth, softness=softness)
        return values

    def limits(self, mesh: Mesh, values: Array) -> MeshTwist:
        """What the first gap leaves is the interval; the second lies in it."""
        half = np.maximum(np.pi - values[1] + self.margin, 0.0)
        low, high = values[0] + np.pi - half, values[0] + np.pi + half
        gap = values[3] - self.margin
        if (gap <= 0.0).all():
            return MeshTwist(low, high, mesh.vertices, mesh.triangles)
        return MeshTwist(low, high, mesh.vertices, mesh.triangles, values[2], gap)


def fine_spacing(s: Samples) -> float:
    """Side of triangles: what is between poses is held by bending and the table, so it need not grow much."""
    return 0.15 if len(s.p) < 5000 else 0.12 if len(s.p) < 20_000 else 0.1
