"""A range from poses that were reached, with nothing known of forbidden ones."""

import numpy as np

from hitogata.rom.fit_boundary import boundary_weights
from hitogata.rom.fit_cloud import filled, typical_gap
from hitogata.rom.fit_report import Progress
from hitogata.rom.fit_steps import Fit, Options, Samples, TwistForm
from hitogata.rom.fit_swing import loops
from hitogata.rom.fit_twist import enclose, first_guess
from hitogata.rom.range import RangeOfMotion
from hitogata.rom.twist import FreeTwist


class ReachedFit(Fit):
    """Only poses that were reached are known."""

    def __init__(self, s: Samples, options: Options, say: Progress, gap: float | None) -> None:
        super().__init__(s, options, say)
        self.gap = gap

    def bridging(self) -> float:
        """The least gap at which nearly all poses lie within one line: their spacing, or more (poses along tracks)."""
        gap = typical_gap(self.s.p)
        while gap < 0.6:
            lines = loops(self.grid, filled(self.grid, self.s.p, gap, 0.0))
            if lines and self.outer(lines)[1] > 0.93:
                break
            gap *= 1.25
        return gap

    def run(self) -> RangeOfMotion:
        """Swing, then twist."""
        self.say("drawing the boundary", 0.1)
        gap = self.bridging() if self.gap is None else self.gap
        region = self.region(
            filled(self.grid, self.s.p, gap, self.margin + 0.01), 0.03, float(np.clip(gap / 8.0, 0.015, 0.025))
        )
        if self.form is TwistForm.FREE:
            return self.made(region, FreeTwist())
        self.say("fitting twist limits", 0.4)
        inside = region.contains(self.s.p)
        p, psi = self.s.p[inside], self.s.twist[inside]
        near = int(np.clip(len(p) / 30, 8, 60))
        options = {"share": 0.004, "softness": 0.01, "stiffness": 2e-4}
        mesh = None
        if self.form is TwistForm.MESH:
            mesh, places, edges = self.vertices(
                np.concatenate([self.grid[region.contains(self.grid)], region.boundary(2000)])
            )
            values = enclose(mesh.weights(p), psi, first_guess(places, edges, p, psi, near), edges, **options)
        elif self.form is TwistForm.BOUNDARY:
            places, edges, pole = self.ring(region)
            values = enclose(
                boundary_weights(region, p, pole), psi, first_guess(places, edges, p, psi, near), edges, **options
            )
        else:
            places, edges = p.mean(0)[None], np.array([[0, 0]])
            values = enclose(np.ones((len(p), 1)), psi, first_guess(places, edges, p, psi, len(p)), edges, **options)
        return self.finished(region, values, mesh)


def reached_range(s: Samples, options: Options, say: Progress, gap: float | None) -> tuple[RangeOfMotion, float]:
    """The range of poses that were reached, and the distance of its boundary from the level line."""
    fit = ReachedFit(s, options, say, gap)
    return fit.run(), fit.stray
