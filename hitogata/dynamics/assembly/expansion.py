"""Assembly of figures whose joints follow functions: their tree of screws, and who follows whom."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics.assembly.executor import followed_one
from hitogata.dynamics.assembly.program import Program
from hitogata.dynamics.batches import BAD_VALUE
from hitogata.dynamics.layout import JointInts
from hitogata.dynamics.model import model_of
from hitogata.figure import Figure
from hitogata.figure.expansion import Expansion, expansion_of
from hitogata.figure.mechanism import evaluate
from hitogata.lanes import record_offsets

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class FollowerMap:
    """How coordinates of a figure move the joints of its tree.

    Attributes:
        expansion: the tree, and the functions.
        of_joints: of each joint, the numbers of the coordinates that move it, if they move others too or by functions.
        coordinates: places in v of these coordinates.
        functions: (joint, number in `expansion.followed`), those without function left out.
        alone: pairs of places in v and θ̇ of all others.
        idle: places in v of coordinates that move nothing but their armature.
        damping, armature: of the coordinates.
    """

    expansion: Expansion
    of_joints: tuple[tuple[int, ...], ...]
    coordinates: Array
    functions: tuple[tuple[int, int], ...]
    alone: tuple[Array, Array]
    idle: Array
    damping: Array
    armature: Array

    @property
    def tree(self) -> Figure:
        """Screws in place of function joints."""
        return self.expansion.tree


def followers_of(figure: Figure) -> FollowerMap:
    """The map of a figure with function joints, made once and kept with it."""
    found: FollowerMap | None = figure.compiled.get("followers")
    if found is None:
        found = figure.compiled["followers"] = _followers(figure)
    return found


def _followers(figure: Figure) -> FollowerMap:
    expansion = expansion_of(figure)
    assert expansion is not None
    moving = {each.v: each.args_v for each in expansion.followed}
    coordinates = sorted({c for own in moving.values() for c in own})
    number = {c: k for k, c in enumerate(coordinates)}
    damping, armature = expansion.damping[coordinates], expansion.armature[coordinates]
    alone = []
    for c, at in zip(*expansion.copied_v, strict=True):
        if int(c) in number:
            moving[int(at)] = (int(c),)
            link = int(np.searchsorted(figure.v_starts, c, side="right")) - 1
            joint = figure.links[link].joint
            damping[number[int(c)]], armature[number[int(c)]] = joint.damping, joint.armature
        else:
            alone.append((int(c), int(at)))
    model, at = model_of(expansion.tree), record_offsets(JointInts)
    rows = model.tables.joints
    starts = [int(row[at["iv"]]) if row[at["count"]] else -1 for row in rows]
    functions = {each.v: k for k, each in enumerate(expansion.followed)}
    pairs = np.array(alone, np.intp).reshape(-1, 2)
    idle = sorted({*range(figure.nv)} - {*coordinates, *pairs[:, 0].tolist()})
    return FollowerMap(
        expansion,
        tuple(tuple(number[c] for c in moving.get(iv, ())) for iv in starts),
        np.array(coordinates, np.intp),
        tuple((joint, functions[iv]) for joint, iv in enumerate(starts) if iv in functions),
        (pairs[:, 0], pairs[:, 1]),
        np.array(idle, np.intp),
        damping,
        armature,
    )


class FollowedState(NamedTuple):
    """A state in the tree.

    Attributes:
        theta, speed: coordinates and velocities of the tree.
        push: forces on the tree's own velocities.
        numbers: shares of coordinates in joints, Ġ v of each body's joint, forces on coordinates less damping, and
            their armature; see `followers.open_followers`.
        coordinates: how many there are.
    """

    theta: Array
    speed: Array
    push: Array
    numbers: Array
    coordinates: int


def followed_state(figure: Figure, q: Array, v: Array, tau: Array) -> FollowedState:
    """A state of a figure with function joints in its tree of screws."""
    followers = followers_of(figure)
    expansion, model = followers.expansion, model_of(followers.tree)
    of_joints = followers.of_joints
    firsts = np.cumsum([0, *map(len, of_joints)])
    shares, bend = np.ones(firsts[-1]), np.zeros(len(of_joints))
    theta, speed, push = np.empty(model.nq), np.zeros(model.nv), np.zeros(model.nv)
    theta[expansion.copied[1]] = q[expansion.copied[0]]
    speed[expansion.copied_v[1]] = v[expansion.copied_v[0]]
    push[followers.alone[1]] = tau[followers.alone[0]]
    for joint, k in followers.functions:
        each = expansion.followed[k]
        own = v[list(each.args_v)]
        value, slope, curve = evaluate(each.function, q[None, list(each.args_q)])
        theta[each.q], speed[each.v] = value[0], slope[0] @ own
        shares[firsts[joint] : firsts[joint + 1]], bend[joint] = slope[0], own @ curve[0] @ own
    given = tau[followers.coordinates] - followers.damping * v[followers.coordinates]
    numbers = np.concatenate([shares, bend, given, followers.armature])
    return FollowedState(theta, speed, push, numbers, len(followers.coordinates))


def followed_rates(figure: Figure, v: Array, tau: Array, tree_rates: Array, rates: Array) -> tuple[Array, int]:
    """v̇ of the figure, and the status of an entry.

    Args:
        figure: with function joints.
        v: velocities, likewise tau: forces; for coordinates that move nothing but their armature.
        tree_rates: accelerations of the tree's own velocities.
        rates: those of the coordinates.
    """
    followers = followers_of(figure)
    expansion, idle = followers.expansion, followers.idle
    vdot, status = np.empty(figure.nv), 0
    vdot[followers.alone[0]], vdot[followers.coordinates] = tree_rates[followers.alone[1]], rates
    if len(idle):
        with np.errstate(divide="ignore", invalid="ignore"):
            vdot[idle] = (tau[idle] - expansion.damping[idle] * v[idle]) / expansion.armature[idle]
        status = BAD_VALUE * int(not np.isfinite(vdot[idle]).all())
    return vdot, status


def followed_dynamics(
    figure: Figure, program: Program, state: list[Array], gravity: tuple[float, float, float], reactions: Array
) -> tuple[Array, int]:
    """Accelerations of one state, and the status of an entry.

    Args:
        figure: with function joints.
        program: of an order of the joints of its tree.
        state: q, v, tau, and wrenches on the links, flat; wrenches may be empty.
        gravity: world axes [m/s²].
        reactions: of each body of the tree, flat; written.
    """
    q, v, tau, wrenches = state
    model, given = model_of(followers_of(figure).tree), followed_state(figure, q, v, tau)
    out, rates = np.empty(model.nv), np.empty(given.coordinates)
    floats = model.floats_for(gravity, np.float64)
    status = followed_one(
        model.ints, floats, program.ints, given.theta, given.speed, given.push, wrenches, given.numbers, out, rates,
        reactions,
    )  # fmt: skip
    vdot, idle = followed_rates(figure, v, tau, out, rates)
    return vdot, status or idle
