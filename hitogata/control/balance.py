"""Keeping upright: ankles, hips and steps to the capture point.

The centre of mass above the feet is a linear inverted pendulum.  Its instantaneous capture point (Pratt et al. 2006;
Koolen et al. 2012)

    ξ = c + ċ/ω,  ω = √(g/z);      ξ̇ = ω (ξ - p)      p: centre of pressure

is driven back to the middle of the feet by p = ξ + k (ξ - ξ_ref) (Englsberger et al. 2011).  Within the soles, p is
the ankles' work; a little outside them, the trunk and arms turn instead (hip strategy: what the forces cannot give,
the task of the spin gives up).  Once ξ leaves the soles, the foot that comes nearest steps to where ξ will be when it
lands,

    ξ(T) = p + (ξ - p) exp(ω T)

and again, until ξ is caught.
"""

from dataclasses import dataclass, field

import numpy as np

from hitogata.control.whole_body import Body, Task, Wanted, solve, turn_between
from hitogata.dynamics import difference
from hitogata.figure.pose import FloatArray

GRAVITY = 9.81


@dataclass(frozen=True, kw_only=True)
class BalanceSettings:
    """Numbers of the balance.

    Attributes:
        gain: k above.
        hips: how far outside the soles p is asked for [m].
        edge: ξ may come so near the edge of the soles before a step [m].
        step_time: from lifting to landing [s].
        lift: height of a stepping foot [m].
        reach: longest way of a foot from the other [m].
        width: feet stand no nearer beside each other than this [m].
        height: gains of the height of the centre of mass [1/s²], [1/s].
        trunk: gains of the root's and the trunk's orientation [1/s²], [1/s].
        joints: gains of all joints [1/s²], [1/s].
        foot: gains of a foot that steps [1/s²], [1/s].
        friction: of the soles on the floor, as they trust it.
        weights: of the tasks: centre of mass across, its height, spin, root, feet, joints.
    """

    gain: float = 2.5
    hips: float = 0.06
    edge: float = 0.0
    step_time: float = 0.26
    lift: float = 0.06
    reach: float = 0.85
    width: float = 0.16
    height: tuple[float, float] = (60.0, 15.0)
    trunk: tuple[float, float] = (120.0, 22.0)
    joints: tuple[float, float] = (60.0, 14.0)
    foot: tuple[float, float] = (500.0, 45.0)
    friction: float = 0.6
    weights: tuple[float, float, float, float, float, float] = (6.0, 2.0, 0.6, 1.2, 20.0, 0.3)


@dataclass
class Step:
    """A foot on its way.

    Attributes:
        foot: its number.
        begin: where it was, origin of its frame [m].
        goal: where it goes [m].
        time: since it was lifted [s].
        length: from lifting to landing [s].
    """

    foot: int
    begin: FloatArray
    goal: FloatArray
    time: float
    length: float


@dataclass
class Balance:
    """Keeps a figure upright.

    Args:
        body: the figure and its feet.
        posture: coordinates that it returns to, standing.
        settings: numbers.

    Attributes:
        step: a foot on its way, or None.
        steps: how many there were.
        lost: how long the capture point has been out of reach [s].
    """

    body: Body
    posture: FloatArray
    settings: BalanceSettings = field(default_factory=BalanceSettings)
    step: Step | None = None
    steps: int = 0
    lost: float = 0.0
    heading: float | None = None
    since: float = 1.0
    _height: float = 0.0

    def __post_init__(self) -> None:
        self.body.look(self.posture, np.zeros(self.body.figure.nv))
        self._height = float(self.body.com[2] - min(corner[:, 2].min() for corner in self.body.corners))

    # ------------------------------------------------------- one tick

    def wanted(self, q: FloatArray, v: FloatArray, h: float) -> Wanted:
        """Torques for the next h [s]."""
        body, s = self.body, self.settings
        body.look(q, v)
        if self.heading is None:
            self.heading = self._yaw(0)
        floor = self._floor()
        omega = float(np.sqrt(GRAVITY / max(body.com[2] - floor, 0.4)))
        xi = body.com[:2] + body.com_rate[:2] / omega
        self._advance(xi, omega, h)
        standing = [k for k in range(len(body.feet)) if self.step is None or k != self.step.foot]
        hull = np.concatenate([body.corners[k][:, :2] for k in standing])
        middle = np.mean([body.corners[k][:, :2].mean(0) for k in range(len(body.feet))], axis=0)
        if self.step is not None:
            middle = hull.mean(0)
        p = inside(hull, xi + s.gain * (xi - middle), -s.hips)
        across = omega**2 * (body.com[:2] - p)
        up = s.height[0] * (floor + self._height - body.com[2]) - s.height[1] * body.com_rate[2]
        weights = np.array([s.weights[0], s.weights[0], s.weights[1]])
        com = body.com_task(np.array([*across, np.clip(up, -6.0, 6.0)]), weights)
        tasks = [com, self._spin_task(), *self._posture_tasks()]
        tasks += [self._standing_task(k) for k in standing]
        if self.step is not None:
            tasks.append(self._swing_task(self.step))
        return solve(body, tasks, [(k, slice(None)) for k in standing], s.friction)

    def _floor(self) -> float:
        """Height of the floor: of the lowest corner of a standing foot [m]."""
        feet = [k for k in range(len(self.body.feet)) if self.step is None or k != self.step.foot]
        return float(min(self.body.corners[k][:, 2].min() for k in feet))

    def _yaw(self, link: int) -> float:
        forward = self.body.poses.rotation[link][:, 0]
        return float(np.arctan2(forward[1], forward[0]))

    # ------------------------------------------------------- tasks

    def _spin_task(self) -> Task:
        matrix, drift = self.body.spin_matrix()
        scale = self.settings.weights[2] / 10.0  # a body's moment is about 10 kg m²
        return Task(matrix, -6.0 * self.body.spin() - drift, scale)

    def _posture_tasks(self) -> list[Task]:
        body, s = self.body, self.settings
        nv = body.figure.nv
        goal = self.posture.copy()
        half = (self.heading or 0.0) / 2
        goal[:3], goal[3:7] = body.q[:3], (np.cos(half), 0.0, 0.0, np.sin(half))
        off = difference(body.figure, body.q, goal)
        joints = np.clip(s.joints[0] * off - s.joints[1] * body.v, -150.0, 150.0)
        turn = np.clip(s.trunk[0] * off[:3] - s.trunk[1] * body.v[:3], -60.0, 60.0)
        eye = np.eye(nv)
        return [Task(eye[:3], turn, s.weights[3]), Task(eye[6:], joints[6:], s.weights[5])]

    def _standing_task(self, k: int) -> Task:
        """A foot that stands stays, and lies flat."""
        body, rate = self.body, self.body.frame_rate(k)
        flat = self._level(k, None)
        acceleration = np.concatenate([100.0 * flat - 20.0 * rate[:3], -20.0 * rate[3:]])
        acceleration[5] -= 100.0 * max(0.0, float(body.corners[k][:, 2].mean()) - self._floor())
        return body.frame_task(body.feet[k], acceleration, self.settings.weights[4])

    def _level(self, k: int, yaw: float | None) -> FloatArray:
        """Rotation vector that brings a foot level, and to a heading [rad], shape (3,)."""
        turn = self.body.poses.rotation[self.body.foot_links[k]]
        own = np.arctan2(turn[1, 0], turn[0, 0])
        heading = own if yaw is None else yaw
        c, s = np.cos(heading), np.sin(heading)
        goal = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        return turn_between(turn, goal)

    def _swing_task(self, step: Step) -> Task:
        body, s = self.body, self.settings
        rate = body.frame_rate(step.foot)
        place = body.poses.position[body.foot_links[step.foot]]
        t = min(step.time / step.length, 1.0)
        w, dw = t**3 * (10 - 15 * t + 6 * t * t), 30 * t * t * (1 - t) ** 2 / step.length
        goal = step.begin + w * (step.goal - step.begin)
        speed = dw * (step.goal - step.begin)
        goal[2] += s.lift * np.sin(np.pi * t) ** 2
        speed[2] += s.lift * np.pi / step.length * np.sin(2 * np.pi * t)
        if t >= 1.0:
            speed[2] = -0.4  # down until it touches
            goal[2] = place[2]
        linear = s.foot[0] * (goal - place) + s.foot[1] * (speed - rate[3:])
        angular = s.foot[0] * self._level(step.foot, self.heading) - s.foot[1] * rate[:3]
        acceleration = np.concatenate([np.clip(angular, -300, 300), np.clip(linear, -150, 150)])
        return body.frame_task(body.feet[step.foot], acceleration, s.weights[4] * 0.5)

    # ------------------------------------------------------- steps

    def _advance(self, xi: FloatArray, omega: float, h: float) -> None:
        """Begin, guide and end steps."""
        body, s, step = self.body, self.settings, self.step
        self.since += h
        if step is not None:
            step.time += h
            other = 1 - step.foot
            left = max(step.length - step.time, 0.0)
            if left > 0.02:
                step.goal = self._goal(step.foot, xi, omega, left)
            low = body.corners[step.foot][:, 2].min() - body.corners[other][:, 2].min()
            if (step.time > 0.6 * step.length and low < 0.004) or step.time > step.length + 0.25:
                self.step, self.since = None, 0.0
            return
        hull = np.concatenate([corner[:, :2] for corner in body.corners])
        out = xi - inside(hull, xi, s.edge)
        if out @ out == 0.0 or self.since < 0.03:
            self.lost = 0.0
            return
        best, least = 0, np.inf
        for foot in range(2):
            goal = self._goal(foot, xi, omega, s.step_time)
            ahead = self._predicted(1 - foot, xi, omega, s.step_time)
            cost = float(np.linalg.norm(goal[:2] + self._under(foot) - ahead))
            cost += 0.15 * float(np.linalg.norm(goal - body.poses.position[body.foot_links[foot]]))
            if cost < least:
                best, least = foot, cost
        begin = body.poses.position[body.foot_links[best]].copy()
        self.step = Step(best, begin, self._goal(best, xi, omega, s.step_time), 0.0, s.step_time)
        self.steps += 1

    def _under(self, foot: int) -> FloatArray:
        """From a foot's origin to the middle of its sole, across [m], shape (2,)."""
        k = self.body.foot_links[foot]
        result: FloatArray = self.body.corners[foot][:, :2].mean(0) - self.body.poses.position[k][:2]
        return result

    def _predicted(self, stance: int, xi: FloatArray, omega: float, time: float) -> FloatArray:
        """Where the capture point will be, with the pressure at the near edge of the foot that stands."""
        p = inside(self.body.corners[stance][:, :2], xi, 0.01)
        result: FloatArray = p + (xi - p) * np.exp(omega * time)
        return result

    def _goal(self, foot: int, xi: FloatArray, omega: float, time: float) -> FloatArray:
        """Where a foot should land: at the capture point then, beside the other foot, within reach."""
        body, s = self.body, self.settings
        stance = 1 - foot
        at = self._predicted(stance, xi, omega, time)
        other = body.corners[stance][:, :2].mean(0)
        c, n = np.cos(self.heading or 0.0), np.sin(self.heading or 0.0)
        side = 1.0 if foot == 0 else -1.0
        way = at - other
        ahead, beside = way @ (c, n), side * (way @ (-n, c))
        beside = max(beside, s.width)
        size = float(np.hypot(ahead, beside))
        if size > s.reach:
            ahead, beside = ahead * s.reach / size, max(beside * s.reach / size, s.width)
        goal = other + ahead * np.array([c, n]) + side * beside * np.array([-n, c])
        height = body.poses.position[body.foot_links[stance]][2]
        return np.array([*(goal - self._under(foot)), height])


def inside(points: FloatArray, p: FloatArray, margin: float) -> FloatArray:
    """The point nearest to p in the convex hull of points, shape (n, 2), drawn in by a margin (< 0: let out)."""
    hull = convex_hull(points)
    ahead = np.roll(hull, -1, axis=0)
    edge = ahead - hull
    length = np.maximum(np.linalg.norm(edge, axis=1), 1e-9)
    inward = np.column_stack([-edge[:, 1], edge[:, 0]]) / length[:, None]
    if margin > 0:
        centre = hull.mean(0)
        depth = np.einsum("ij,ij->i", inward, centre - hull).min()
        margin = min(margin, 0.9 * depth)
    gaps = np.einsum("ij,ij->i", inward, p - hull) - margin
    if (gaps >= 0).all():
        return p
    result = p.copy()
    for _ in range(12):  # onto the worst edge in turn (Dykstra would be exact; corners need a few)
        gaps = np.einsum("ij,ij->i", inward, result - hull) - margin
        worst = int(gaps.argmin())
        if gaps[worst] >= -1e-9:
            break
        result = result - gaps[worst] * inward[worst]
    return result


def convex_hull(points: FloatArray) -> FloatArray:
    """Corners of the convex hull, counter-clockwise, shape (m, 2) (Andrew 1979)."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]

    def chain(rows: FloatArray) -> list[FloatArray]:
        kept: list[FloatArray] = []
        for p in rows:
            while len(kept) > 1:
                a, b = kept[-1] - kept[-2], p - kept[-2]
                if a[0] * b[1] - a[1] * b[0] > 1e-12:
                    break
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(chain(order) + chain(order[::-1]))
