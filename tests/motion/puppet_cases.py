"""Figures, pins and targets for the tests of this room."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from hitogata.dynamics import difference, forward_kinematics, integrate, jacobian
from hitogata.figure import Capsule, Figure, FigureBuilder, JointKind, Pose, joint
from hitogata.library import human28, virtual_human

Place = tuple[str, tuple[float, float, float]]
"""A link and a point of it [m]."""

TOE, HEEL = (0.135, 0.0, -0.08), (-0.055, 0.0, -0.08)
FEET: tuple[Place, ...] = tuple((f"foot_{side}", point) for side in ("left", "right") for point in (TOE, HEEL))
PINS: tuple[Place, ...] = (*FEET, ("forearm_left", (0.0, 0.0, -0.27)))
HAND: Place = ("forearm_right", (0.0, 0.0, -0.27))


@cache
def human() -> Figure:
    """human28 with a clinical range on every ball joint."""
    return human28(ranges=True)


@dataclass(frozen=True, eq=False)
class Standing:
    """A figure, where its toes, heels and left hand are pinned, and by what its right hand is dragged."""

    figure: Figure
    pins: tuple[Place, ...]
    hand: Place

    def hand_at(self, q: np.ndarray) -> np.ndarray:
        """Where the right hand is, shape (..., 3)."""
        return point_of(self.figure, q, *self.hand)

    def pins_off(self, q: np.ndarray) -> np.ndarray:
        """How far the farthest pin is from where it is in the neutral pose, shape (n,)."""
        rest = self.figure.neutral()
        way = [point_of(self.figure, np.atleast_2d(q), *p) - point_of(self.figure, rest, *p) for p in self.pins]
        return np.max(np.linalg.norm(way, axis=2), axis=0)


@cache
def standing(name: str = "human28") -> Standing:
    """human28 or the virtual human, both with clinical ranges."""
    if name == "human28":
        return Standing(human(), PINS, HAND)
    figure = virtual_human()
    link, sole = figure.frame("sole_left")
    half = figure.links[link].shapes[0].half_sizes[0]
    ends = [(sole.position[0] + x, 0.0, sole.position[2]) for x in (half, -half)]
    feet = [(f"foot_{side}", end) for side in ("left", "right") for end in ends]
    palm = figure.frame("palm_left")[1].position
    return Standing(figure, (*feet, ("hand_left", palm)), ("hand_right", palm))


def arm(range_=None, *, elbow=(-2.5, 0.0)) -> Figure:
    """Two links on a ball shoulder fixed to the world, hanging down, 0.3 m each."""
    builder = FigureBuilder("arm")
    shapes = [Capsule.between((0, 0, 0), (0, 0, -0.3), 0.03)]
    builder.add("upper", None, joint.ball(name="shoulder", range=range_), shapes=shapes, density=1000.0)
    bend = joint.hinge((0, 1, 0), range=elbow, parent_frame=Pose((0, 0, -0.3)), name="elbow")
    builder.add("lower", "upper", bend, shapes=shapes, density=1000.0)
    return builder.build()


def point_of(figure: Figure, q: np.ndarray, frame: str, point) -> np.ndarray:
    """A point of a link in the world, shape (..., 3)."""
    k, poses = figure.link_index(frame), forward_kinematics(figure, q)
    return poses.position[..., k, :] + poses.rotation[..., k, :, :] @ np.array(point)


def frame_of(figure: Figure, q: np.ndarray, name: str) -> np.ndarray:
    """Origin of a named frame in the world."""
    link, pose = figure.frame(name)
    return point_of(figure, q, figure.link_names[link], pose.position)


def clamped(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Every joint of a batch moved into its range."""
    q = q.copy()
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.range is None:
            continue
        if link.joint.kind is JointKind.BALL:
            q[:, at : at + 4] = link.joint.range.clamp(q[:, at : at + 4])
        else:
            q[:, at] = np.clip(q[:, at], *link.joint.range)
    return q


def beyond(figure: Figure, q: np.ndarray) -> np.ndarray:
    """How far the worst joint is outside its range, shape (n,) [rad]."""
    q = np.atleast_2d(q)
    worst = np.full(len(q), -np.inf)
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        given = link.joint.range
        if given is None:
            continue
        if link.joint.kind is JointKind.BALL:
            found = given.violation(q[:, at : at + 4])
            worst = np.maximum(worst, np.maximum(found.swing_depth, found.twist_depth))
        else:
            for k, (low, high) in enumerate(np.reshape(given, (-1, 2))):
                worst = np.maximum(worst, np.maximum(low - q[:, at + k], q[:, at + k] - high))
    return worst


def turns(figure: Figure, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """How far each joint turned between two batches of poses, shape (joints, n) [rad]; a free base turns too."""
    change = np.atleast_2d(difference(figure, before, after))
    found = []
    for link, at in zip(figure.links, figure.v_starts, strict=True):
        kind = link.joint.kind
        if kind in (JointKind.FREE, JointKind.BALL):
            found.append(np.linalg.norm(change[:, at : at + 3], axis=1))
        elif kind in (JointKind.HINGE, JointKind.UNIVERSAL):
            found += [np.abs(change[:, at + k]) for k in range(link.joint.nv)]
    return np.array(found)


@cache
def reachable(count: int = 200, seed: int = 0, name: str = "human28") -> np.ndarray:
    """Poses of a `standing` figure with pins where they are in the neutral pose, within ranges, shape (count, nq).

    Random walks in the null space of the pins, each step mended by Newton's method and clamping; only steps that end
    with the pins in place (1e-8 m) and every joint within its range are taken.  Nothing of the room under test is used.
    Of half as many walks again, those are kept that took the hand farthest.
    """
    stand, rng = standing(name), np.random.default_rng(seed)
    figure, pins = stand.figure, stand.pins
    q = np.tile(figure.neutral(), (count * 3 // 2, 1))
    goal = [point_of(figure, figure.neutral(), *pin) for pin in pins]
    drift = rng.normal(size=(len(q), figure.nv))
    drift[:, :6] *= 0.3

    def rows(x):
        return np.concatenate([jacobian(figure, x, frame, point=point)[:, 3:] for frame, point in pins], axis=1)

    def missing(x):
        return np.concatenate([g - point_of(figure, x, *pin) for g, pin in zip(goal, pins, strict=True)], axis=1)

    def mended(x):
        J = rows(x)
        gain = J @ np.swapaxes(J, 1, 2) + 1e-6 * np.eye(J.shape[1])
        way = np.swapaxes(J, 1, 2) @ np.linalg.solve(gain, missing(x)[..., None])
        return clamped(figure, integrate(figure, x, way[..., 0]))

    for _ in range(20):
        way = drift + 0.7 * rng.normal(size=drift.shape)
        way *= 0.6 / np.linalg.norm(way, axis=1, keepdims=True)
        J = rows(q)
        way -= (np.linalg.pinv(J, rcond=1e-3) @ (J @ way[..., None]))[..., 0]
        x, left = clamped(figure, integrate(figure, q, way)), np.arange(len(q))
        for _ in range(25):
            x[left] = mended(x[left])
            off = np.abs(missing(x[left])).max(axis=1)
            left = left[(off > 1e-8) & (off < 0.1)]
            if not len(left):
                break
        good = (np.abs(missing(x)).max(axis=1) < 1e-8) & (beyond(figure, x) < 1e-9)
        q[good] = x[good]
    far = np.linalg.norm(stand.hand_at(q) - stand.hand_at(figure.neutral()), axis=1)
    return q[np.argsort(-far)[:count]]


def without_ranges(figure: Figure) -> Figure:
    """The same figure without limits."""
    links = [replace(link, joint=replace(link.joint, range=None)) for link in figure.links]
    return Figure.from_links(f"{figure.name}, without", links)


def clamp_intervals(figure: Figure) -> Figure:
    """The same figure with narrow intervals on all hinges, sliders and universal joints."""
    narrow = {
        JointKind.HINGE: (-0.3, 0.4),
        JointKind.SLIDER: (-0.05, 0.1),
        JointKind.UNIVERSAL: ((-0.2, 0.5), (-0.6, 0.1)),
    }
    links = [replace(link, joint=replace(link.joint, range=narrow.get(link.joint.kind))) for link in figure.links]
    return Figure.from_links(f"{figure.name}, narrow", links)


def inside(figure: Figure, rng: np.random.Generator) -> np.ndarray:
    """A pose within the narrow intervals."""
    q = figure.random(rng, spread=0.03)
    for link, at in zip(figure.links, figure.q_starts, strict=True):
        if link.joint.kind in (JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL):
            q[at : at + link.joint.nq] = rng.uniform(-0.04, 0.08, link.joint.nq)
    return q
