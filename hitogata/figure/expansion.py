"""Figures whose joints follow functions, as plain trees of screws whose coordinates follow the figure's own.

A function joint is screws one after the other, by angles and ways θ = F(q).  With the tree of all these screws, and

    θ = F(q)      θ̇ = G v      θ̈ = G v̇ + Ġ v        G = ∂F/∂q, Ġ v from the second derivatives, all exact

its equation of motion is Gᵀ M G v̇ + Gᵀ (c + M Ġ v) = Gᵀ τ: the columns of the figure are the tree's times G
(Featherstone 2008, §3.3).  A coordinate that follows others is one of the arguments that F has none of.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure.figure import Figure
from hitogata.figure.joint import Joint, JointKind, Screw
from hitogata.figure.mechanism import evaluate
from hitogata.figure.mechanism.functions import constant_value
from hitogata.figure.pose import IDENTITY, FloatArray, Pose
from hitogata.figure.values import Vector


@dataclass(frozen=True)
class Followed:
    """One coordinate of the tree: its place in θ and in θ̇, its function, and the places of the arguments in q and v."""

    q: int
    v: int
    function: Any
    args_q: tuple[int, ...]
    args_v: tuple[int, ...]


@dataclass(frozen=True)
class Expansion:
    """The tree of a figure, and how its coordinates follow.

    Attributes:
        tree: screws in place of function joints, which lose damping and armature.
        plain: the figure with a slider for each coordinate of a function joint: coordinates differ and add up alike.
        copied: pairs of places in q and θ that are the same.
        copied_v: the same of v and θ̇.
        followed: the others.
        damping, armature: of function joints, for each velocity of the figure, shape (nv,).
    """

    tree: Figure
    plain: Figure
    copied: tuple[Any, Any]
    copied_v: tuple[Any, Any]
    followed: tuple[Followed, ...]
    damping: FloatArray
    armature: FloatArray

    def places(self, q: FloatArray) -> FloatArray:
        """θ, for rows of q, shape (n, nq)."""
        theta = np.empty((len(q), self.tree.nq))
        theta[:, self.copied[1]] = q[:, self.copied[0]]
        for each in self.followed:
            theta[:, each.q] = evaluate(each.function, q[:, each.args_q])[0]
        return theta

    def rates(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """θ (n, nqθ), G (n, nvθ, nv), Ġ v (n, nvθ) and Ġ (n, nvθ, nv), for rows of q and v."""
        n = len(q)
        theta, G = np.empty((n, self.tree.nq)), np.zeros((n, self.tree.nv, v.shape[1]))
        Gdot = np.zeros_like(G)
        theta[:, self.copied[1]] = q[:, self.copied[0]]
        G[:, self.copied_v[1], self.copied_v[0]] = 1.0
        for each in self.followed:
            value, slope, bend = evaluate(each.function, q[:, each.args_q])
            theta[:, each.q] = value
            G[:, each.v, each.args_v] = slope
            Gdot[:, each.v, each.args_v] = np.einsum("nij,nj->ni", bend, v[:, each.args_v])
        return theta, G, np.einsum("nij,nj->ni", Gdot, v), Gdot


def expansion_of(figure: Figure) -> Expansion | None:
    """The expansion of a figure with function joints, made once and kept with it; None: it has none."""
    if "expansion" not in figure.compiled:
        follows = any(link.joint.follows for link in figure.links)
        figure.compiled["expansion"] = _expand(figure) if follows else None
    found: Expansion | None = figure.compiled["expansion"]
    return found


def coordinate_places(figure: Figure) -> dict[str, tuple[int, int]]:
    """Places in q and v of all coordinates that functions can name: those of function joints, and by the joint's name
    those of joints of one screw."""
    found: dict[str, tuple[int, int]] = {}
    for name, link, iq, iv in zip(figure.joint_names, figure.links, figure.q_starts, figure.v_starts, strict=True):
        own = link.joint.coordinates if link.joint.follows else (name,) if len(link.joint.screws) == 1 else ()
        for k, coordinate in enumerate(own):
            if coordinate in found:
                raise FigureError(f"figure {figure.name!r}: two coordinates are named {coordinate!r}")
            found[coordinate] = (iq + k, iv + k)
    return found


def _expand(figure: Figure) -> Expansion:
    known, links, plain = coordinate_places(figure), [], []
    functions: list[list[Any] | None] = []
    damping, armature = np.zeros(figure.nv), np.zeros(figure.nv)
    for name, link, iv in zip(figure.joint_names, figure.links, figure.v_starts, strict=True):
        joint = link.joint
        if not joint.follows:
            links.append(link)
            plain.append(link)
            functions.append(None)
            continue
        expanded, moving = screws_of(joint, name, known)
        links.append(replace(link, joint=replace(expanded, name=name)))
        slides = tuple(Screw((0.0, 0.0, 1.0), 0.0, 1.0) for _ in joint.coordinates)
        flat = Joint(JointKind.COMPOUND, motions=slides, name=name) if slides else Joint(JointKind.FIXED, name=name)
        plain.append(replace(link, joint=flat))
        functions.append(moving)
        damping[iv : iv + joint.nv], armature[iv : iv + joint.nv] = joint.damping, joint.armature
    tree = Figure(figure.name, tuple(links))
    copied: tuple[list[int], ...] = ([], [], [], [])
    followed = []
    for k, own in enumerate(functions):
        iq, iv = tree.q_starts[k], tree.v_starts[k]
        if own is None:
            joint = figure.links[k].joint
            for into, start, count in zip(
                copied, (figure.q_starts[k], iq, figure.v_starts[k], iv), (joint.nq, joint.nq, joint.nv, joint.nv),
                strict=True,
            ):  # fmt: skip
                into += range(start, start + count)
            continue
        for j, step in enumerate(own):
            args = [known[name] for name in step.coordinates]
            followed.append(
                Followed(iq + j, iv + j, step.function, tuple(a for a, _ in args), tuple(b for _, b in args))
            )
    at = [np.array(places, np.intp) for places in copied]
    return Expansion(
        tree, Figure(figure.name, tuple(plain)), (at[0], at[1]), (at[2], at[3]), tuple(followed), damping, armature
    )


def screws_of(joint: Joint, name: str, known: dict[str, tuple[int, int]]) -> tuple[Joint, list[Any]]:
    """A function joint as screws, and the steps that move them; what is constant becomes part of their places."""
    before, motions, moving = IDENTITY, [], []
    for step in joint.steps:
        for coordinate in step.coordinates:
            if coordinate not in known:
                raise FigureError(f"joint {name!r}: no coordinate {coordinate!r}; there are: {', '.join(known)}")
        before = before @ Pose(step.point)
        value = constant_value(step.function)
        if value is not None:
            before = before @ _still(step.turn, step.axis, value)
        else:
            motions.append(Screw(step.axis, float(step.turn), float(not step.turn), before))
            moving.append(step)
            before = IDENTITY
        x, y, z = step.point
        before = before @ Pose((-x, -y, -z))
    child = joint.child_frame @ before.inverse()
    if not motions:
        return Joint(JointKind.FIXED, joint.parent_frame, child), []
    return Joint(JointKind.COMPOUND, joint.parent_frame, child, motions=tuple(motions)), moving


def _still(turn: bool, axis: Vector, value: float) -> Pose:
    if not turn:
        x, y, z = (value * a for a in axis)
        return Pose((x, y, z))
    half, s = np.cos(value / 2), np.sin(value / 2)
    x, y, z = (float(s * a) for a in axis)
    return Pose(quat=(float(half), x, y, z))
