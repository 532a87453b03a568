"""Twist limits that are one interval, from allowed and forbidden poses."""

import numpy as np

from hitogata.rom.fit_boundary import boundary_weights
from hitogata.rom.fit_cloud import local_share, signed_distance
from hitogata.rom.fit_steps import Fit, TwistForm
from hitogata.rom.fit_twist import first_guess, separate, smoothness, steps_along, wrapped
from hitogata.rom.frames import Array
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.region import Region
from hitogata.rom.twist import FreeTwist

STRETCHING, BENDING = 1e-4, 0.1
"""Weights of the mean square step along an edge of the mesh and of the mean square bend over one, beside 1 − (soft
intersection over union)."""


class IntervalFit(Fit):
    """One interval at each direction."""

    def run(self) -> RangeOfMotion:
        """Twist over the broad region, swing where twist then tells right more often than wrong, twist again."""
        s, near = self.s, int(np.clip(len(self.s.p) / 600, 15, 60))
        self.say("drawing the boundary", 0.05)
        share = local_share(self.grid, s.p, s.allowed, near)
        broad = self.grid[share > 0.08]
        good = s.allowed
        broad_mesh, places, edges = self.vertices(broad)
        weights = broad_mesh.weights(s.p)
        values = first_guess(places, edges, s.p[good], s.twist[good], near)
        about = local_share(s.p, self.grid, share > 0.04, 6) > 0.3
        wide = np.nonzero(about)[0]
        wide = wide[:: max(1, len(wide) // 15_000)]
        smooth = smoothness(len(places), (broad_mesh.steps, 3.0 * STRETCHING), (broad_mesh.hinges, BENDING))
        for k, softness in enumerate((0.3, 0.12)):
            self.say("fitting twist limits", 0.1 + 0.15 * k)
            values = separate(weights[wide], s.twist[wide], good[wide], values, smooth, softness=softness)
        region = self.trusted(weights @ values[0], weights @ values[1])
        if self.form is TwistForm.FREE:
            return self.made(region, FreeTwist())
        inside = region.contains(s.p)
        p, psi, y = s.p[inside], s.twist[inside], good[inside]
        mesh = None
        if self.form is TwistForm.MESH:
            cover = np.concatenate([self.grid[region.contains(self.grid)], region.boundary(2000)])
            mesh, places, edges = self.vertices(cover)
            weights, at_broad = mesh.weights(p), broad_mesh.weights(places)
        elif self.form is TwistForm.BOUNDARY:
            places, edges, pole = self.ring(region)
            weights, at_broad = boundary_weights(region, p, pole), broad_mesh.weights(places)
        else:
            places, edges, weights = p.mean(0)[None], np.array([[0, 0]]), np.ones((len(p), 1))
        if self.form is TwistForm.CONSTANT:
            values = first_guess(places, edges, p[y], psi[y], int(y.sum()))
        else:
            values = np.stack([at_broad @ values[0], np.clip(at_broad @ values[1], 0.05, 4.0)])
        parts = [(steps_along(edges, len(places)), STRETCHING), *([(mesh.hinges, BENDING)] if mesh else [])]
        smooth = smoothness(len(places), *parts)
        for k, softness in enumerate((0.2, 0.1, 0.05)):
            self.say("fitting twist limits", 0.6 + 0.08 * k)
            values = separate(weights, psi, y, values, smooth, softness=softness)
        return self.finished(region, values, mesh)

    def trusted(self, middle: Array, half: Array) -> Region:
        """The region where poses within the twist limits are allowed more often than not."""
        self.say("drawing the boundary", 0.5)
        s = self.s
        within = np.abs(wrapped(s.twist - middle)) <= half
        near = int(np.clip(within.sum() / 300, 10, 40))
        field = local_share(self.grid, s.p[within], s.allowed[within], near) - 0.45
        if self.margin != 0.0:
            field = signed_distance(self.grid, field) + self.margin
        return self.region(field, 0.04, 0.02)
