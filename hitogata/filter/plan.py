"""The plan of the whole body over the frames ahead; see `plan_kernels` for the equations."""

from dataclasses import dataclass

import numpy as np

from hitogata.figure.values import FloatArray
from hitogata.filter.body import Body
from hitogata.filter.foot_plan import FootPlan
from hitogata.filter.law import PENALTY
from hitogata.filter.plan_kernels import KEEP, plan_rounds
from hitogata.filter.reference import Demand
from hitogata.filter.settings import FilterSettings


@dataclass(frozen=True, eq=False)
class PlanData:
    """Frames as the kernel wants them; forces in body weights.

    Attributes:
        frames: h, I⁻¹ (9), F (3), [N; F] (6), 1/m of each frame, shape (n, 20).
        arms: corners from the centre of mass of the wanted motion [m], shape (n, corners, 3).
        active: which are in contact, shape (n, corners).
        normals: of the floor there, shape (n, corners, 3).
        usual: forces that cost nothing: the load shared evenly, shape (n, 3 corners).
    """

    frames: FloatArray
    arms: FloatArray
    active: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
    normals: FloatArray
    usual: FloatArray


def plan_data(body: Body, demand: Demand, feet: FootPlan, h: float) -> PlanData:
    """Make the arrays of the plan."""
    n, weight = len(demand.com), body.weight
    corners = 4 * len(body.soles)
    frames = np.zeros((n, 20))
    frames[:, 0] = h
    frames[:, 1:10] = np.linalg.inv(demand.inertia).reshape(n, 9) * weight
    frames[:, 10:13] = demand.force / weight
    frames[:, 13:16], frames[:, 16:19] = demand.torque / weight, demand.force / weight
    frames[:, 19] = weight / body.figure.mass
    arms = np.ascontiguousarray((feet.corners(body.soles) - demand.com[:, None, None]).reshape(n, corners, 3))
    active = np.ascontiguousarray(feet.active.reshape(n, corners).astype(np.int64))
    normals = np.ascontiguousarray(np.repeat(feet.normal, 4, axis=1))
    usual = np.zeros((n, 3 * corners))
    share = active / np.maximum(active.sum(axis=1, keepdims=True), 1)
    usual[:, 2::3] = share * np.clip(demand.force[:, 2:] / weight, 0.0, 3.0)
    return PlanData(frames, arms, active, normals, usual)


class Planner:
    """Forces over frames, planned anew from where the body is, each time from the last plan.

    Args:
        data: of all frames.
        settings: of the filter.
    """

    def __init__(self, data: PlanData, settings: FilterSettings) -> None:
        self.data, self.settings = data, settings
        n, corners = data.active.shape
        self.z, self.y = data.usual.copy(), np.zeros_like(data.usual)
        self.states, self.forces = np.zeros((n + 1, 12)), np.zeros_like(data.usual)
        self.scratch = np.zeros(n * (KEEP + 6 + 3 * corners))
        weights = np.array([settings.turn, settings.place, settings.turn_rate, settings.speed]).repeat(3) ** -2.0
        self.weights = np.stack([weights, 10.0 * weights])

    def plan(
        self, first: int, end: int, x: FloatArray | None, rounds: int, arms: FloatArray | None = None
    ) -> float:  # fmt: skip
        """Plan frames first to end.

        Args:
            first, end: of the frames.
            x: deviation at the first; None: free, see `states` for what was chosen.
            rounds: of the solver.
            arms: of the first frame, as they are.

        Returns:
            How far forces are from their cones at the most, in body weights.
        """
        data, s = self.data, self.settings
        part = slice(first, end)
        if arms is not None:
            data.arms[first] = arms
        options = np.array([1.0, PENALTY, s.friction, s.strongest, rounds, float(x is None)])
        gap: float = plan_rounds(
            data.frames[part], data.arms[part], data.active[part], data.normals[part], self.weights, options,
            np.zeros(12) if x is None else x,
            data.usual[part], self.z[part], self.y[part], self.states[first : end + 1], self.forces[part], self.scratch,
        )  # fmt: skip
        return gap
