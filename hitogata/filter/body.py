"""What does not change of a figure, as the filter and its kernels see it."""

from typing import Any

import numpy as np

from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind
from hitogata.figure.values import ArrayLike, FloatArray, floats
from hitogata.filter.ranges import joint_ranges
from hitogata.filter.soles import find_soles
from hitogata.filter.tables import SEEN, BodyMemory, FrameTable, WorkMemory

GRAVITY = 9.81
NOTHING = 1e-12
"""A link that moves less than this share of the figure's mass has none."""


class Body:
    """What does not change of a figure.

    Args:
        figure: with a free root and feet.
        efforts: greatest torques of the joints [N m], shape (nv,); None: the figure's effort limits.

    Attributes:
        soles: of its feet.
        ranges: of its joints.
        weight: [N].
        efforts: greatest torques of the joints [N m], shape (nv,), infinite for the root.
        arrays: all of it for kernels, as a `FrameTable` names them.
    """

    def __init__(self, figure: Figure, efforts: ArrayLike | None = None) -> None:
        root = figure.links[0].joint
        if root.kind is not JointKind.FREE:
            raise ArgumentError(f"figure {figure.name!r}: its root must be free to be filtered")
        for link in figure.links:
            if link.joint.follows:
                raise ArgumentError(
                    f"figure {figure.name!r}: the joint of {link.name!r} follows others, which the filter cannot lead: "
                    "carry the motion over to a figure without such joints (motion.retarget)"
                )
        _check_masses(figure)
        self.figure, self.soles, self.ranges = figure, find_soles(figure), joint_ranges(figure)
        self.weight = GRAVITY * figure.mass
        self.efforts = _efforts(figure, efforts)
        real, whole = self._for_kernels()
        self.arrays: dict[str, Any] = {"body_floats": real, "body_ints": whole}

    def _for_kernels(self) -> tuple[Any, Any]:
        figure, soles, model = self.figure, self.soles, model_of(self.figure)
        carriers = [model.body_of_link[sole.link] for sole in soles]
        poses = [model.link_poses[i] for i in carriers]
        iq, iv, low, high = self.ranges.plain
        balls = self.ranges.balls
        flats = [limit.flat for _, _, limit in balls]
        layout = BodyMemory.layout(
            nq=figure.nq, nv=figure.nv, feet=len(soles), bodies=model.bodies, plains=len(iq), balls=len(balls),
            tables=sum(len(flat) for flat in flats), tree_ints=len(model.ints), tree_floats=len(model.floats),
        )  # fmt: skip
        real, whole = layout.new_floats(), layout.new_ints()
        body = layout.open(real, whole)
        body.ints[:], body.floats[:], body.efforts[:], body.sole_body[:] = (
            model.ints,
            model.floats,
            self.efforts,
            carriers,
        )
        for f, (pose, sole) in enumerate(zip(poses, soles, strict=True)):
            body.sole_turn[f] = (np.asarray(pose.rotation) @ sole.rotation).ravel()
            body.sole_centre[f], body.sole_corners[f] = pose.apply(sole.centre), sole.corners.ravel()
            body.legs[f, _chain(figure, sole.link)] = 1.0
        body.plain_q[:], body.plain_v[:], body.low[:], body.high[:] = iq, iv, low, high
        at = 0
        for k, ((q, v, _), flat) in enumerate(zip(balls, flats, strict=True)):
            body.ball_q[k], body.ball_v[k], body.ball_start[k] = q, v, at
            body.ball_table[at : at + len(flat)] = flat
            at += len(flat)
        return real, whole


class Work:
    """A state of a body, and room for what is found out about it.

    Args:
        body: whose.

    Attributes:
        fields: by name, see `WorkMemory`.
        kept: arrays of body and state, as a `FrameTable` names them; the others are empty.
        table: with these.
    """

    def __init__(self, body: Body) -> None:
        figure = body.figure
        layout = WorkMemory.layout(nq=figure.nq, nv=figure.nv, feet=len(body.soles),
                                   bodies=model_of(figure).bodies, balls=len(body.ranges.balls))  # fmt: skip
        real, whole = layout.new_floats(), layout.new_ints()
        self.fields: Any = layout.open(real, whole)
        self.fields.watch[:, SEEN - 1] = 2.0  # nothing was looked at yet
        none: dict[str, Any] = {name: np.zeros(1, entry.dtype) for name, entry in FrameTable.ENTRIES.items()}
        self.kept = none | body.arrays | {"work_floats": real, "work_ints": whole}
        self.table = FrameTable.of(**self.kept)


def _efforts(figure: Figure, efforts: ArrayLike | None) -> FloatArray:
    if efforts is None:
        result = np.concatenate([np.full(link.joint.nv, link.joint.effort_limit) for link in figure.links])
    else:
        result = floats(efforts, "efforts").copy()
        if result.shape != (figure.nv,) or not (result[6:] >= 0).all():
            raise ArgumentError(f"efforts: figure {figure.name!r} needs {figure.nv} torques of at least 0")
    result[:6] = np.inf
    return result


def _check_masses(figure: Figure) -> None:
    """Refuse links that move (nearly) no mass: any motion of them would be possible."""
    carried = np.array([link.mass.mass for link in figure.links])
    for k in range(len(carried) - 1, 0, -1):
        carried[figure.parents[k]] += carried[k]
    for link, mass in zip(figure.links, carried, strict=True):
        if link.joint.nv and not mass > NOTHING * figure.mass:
            raise ArgumentError(
                f"figure {figure.name!r}: link {link.name!r} and what it carries have a mass of {mass:g} kg, of "
                f"{figure.mass:g} kg in all, so any motion of it is possible: give it a mass, or fix its joint"
            )


def _chain(figure: Figure, link: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.intp]]":
    """Velocities of the joints between the root and a link."""
    found: list[int] = []
    while link > 0:
        start = figure.v_starts[link]
        found += range(start, start + figure.links[link].joint.nv)
        link = figure.parents[link]
    return np.array(sorted(found), np.intp)
