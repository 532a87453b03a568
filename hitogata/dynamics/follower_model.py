"""The bodies of a figure with joints that follow functions, for kernels that know `followers`.

Each coordinate that others follow is a body of its own that does not move, and stands where all that follow it hang on
it: before the screws of its own joint, if only these and what is further outwards follow it; else behind the link that
carries them all (a patella follows the knee: the knee's angle stands behind the femur).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from hitogata.dynamics.figure_tables import FollowerTables
from hitogata.dynamics.joints import FIXED, SCREW
from hitogata.dynamics.layout import Body, ModelMemory
from hitogata.dynamics.mass import mass_matrix
from hitogata.dynamics.model import Model, Part, bodies_of_joint, laid_out, model_of, velocities_to_body
from hitogata.errors import FigureError
from hitogata.figure import Figure
from hitogata.figure.expansion import coordinate_places, screws_of
from hitogata.figure.mechanism.functions import Function, Linear
from hitogata.figure.mechanism.program import Programs
from hitogata.figure.pose import IDENTITY
from hitogata.lanes import record_offsets

UNLOCKED = 1e-9
"""Armature of joints of three turns, as a share of the inertia in their neutral pose: more changes bodies that are
light beside what hangs on them."""

UNLOCKED_SINGLE = 1e-4
"""The same in single precision, whose rounding is greater than the former."""

LEAST = 1e-15
"""Armature of a coordinate that may move nothing [kg m²]."""


def tree_model_of(figure: Figure) -> Model:
    """The arrays of any figure, made once and kept with it; `Model.followers` tells what follows, if anything does."""
    model: Model | None = figure.compiled.get("tree")
    if model is None:
        if any(link.joint.follows for link in figure.links):
            model = _Plan(figure).model()
        else:
            model = model_of(figure)
        figure.compiled["tree"] = model = _unlocked(figure, model)
    return model


def _unlocked(figure: Figure, model: Model) -> Model:
    """The same with a little armature in joints of three turns and more, whose coordinates lose their inertia where two
    axes meet (gimbal lock)."""
    own = lockable(figure, model)
    if not own:
        return model
    bodies, floats = model.tables.bodies.copy(), model.floats.copy()
    unlock(bodies, own, UNLOCKED)
    ModelMemory.layout_of(model.ints).open(floats).figure.body.rows[:] = bodies
    return replace(model, floats=floats, tables=replace(model.tables, bodies=bodies))


def lockable(figure: Figure, model: Model) -> list[tuple[int, float]]:
    """Bodies whose coordinates lose their inertia where two axes meet, and their inertia in the neutral pose."""
    found, inertia = list[tuple[int, float]](), None
    for k, link in enumerate(figure.links):
        turns = link.joint.steps if link.joint.follows else [s for s in link.joint.screws if s.turn]
        if len([s for s in turns if s.turn]) < 3 or link.joint.nv < 3:
            continue
        if inertia is None:
            inertia = np.diag(mass_matrix(figure, figure.neutral()))
        first = figure.v_starts[k]
        found += [(body, float(inertia[first + n])) for n, body in enumerate(model.driven_by(figure, k))]
    return found


def unlock(rows: Any, bodies: list[tuple[int, float]], share: float) -> None:
    """At least this share of their inertia as armature of bodies; rows: of `Body`, changed."""
    column = record_offsets(Body)["armature"]
    for body, inertia in bodies:
        rows[body, column] = max(rows[body, column], share * inertia)


class _Plan:
    """Where the coordinates of a figure stand."""

    def __init__(self, figure: Figure) -> None:
        self.figure, self.places = figure, coordinate_places(figure)
        owners: dict[str, int] = {}
        users: dict[str, set[int]] = {}
        for i, (name, link) in enumerate(zip(figure.joint_names, figure.links, strict=True)):
            joint = link.joint
            for coordinate in joint.coordinates if joint.follows else (name,) if len(joint.screws) == 1 else ():
                owners[coordinate] = i
                if joint.follows:
                    users.setdefault(coordinate, set()).add(i)
            for step in joint.steps:
                for coordinate in step.coordinates:
                    users.setdefault(coordinate, set()).add(i)
        self.before: dict[int, list[str]] = {}  # coordinates before the screws of a link's joint
        self.behind: dict[int, list[str]] = {}  # coordinates behind a link
        self.moved: set[int] = set()  # links whose joint of one screw follows a coordinate elsewhere
        self.owners = owners
        for coordinate, using in users.items():
            owner = owners.get(coordinate)
            if owner is None:
                raise FigureError(
                    f"figure {figure.name!r}: no coordinate {coordinate!r}; there are: {', '.join(self.places)}"
                )
            if not figure.links[owner].joint.follows:
                if all(self._is_above(owner, user) for user in using):
                    continue  # its own screw stands before all that follow it
                self.moved.add(owner)
            common = self._common({*using, owner})
            table = self.before if common in using or common == owner else self.behind
            table.setdefault(common, []).append(coordinate)

    def _way(self, link: int) -> list[int]:
        way = [link]
        while self.figure.parents[way[-1]] >= 0:
            way.append(self.figure.parents[way[-1]])
        return way[::-1]

    def _is_above(self, link: int, other: int) -> bool:
        return link != other and link in self._way(other)

    def _common(self, links: set[int]) -> int:
        """The outermost link on all ways from the root to these."""
        ways = [self._way(link) for link in links]
        common = [level[0] for level in zip(*ways, strict=False) if len(set(level)) == 1]
        return common[-1]

    def model(self) -> Model:
        """The bodies, and what follows."""
        figure = self.figure
        self.parts: list[Part] = []
        self.body_of_coordinate: dict[str, int] = {}
        body_of_link, attach, drives = list[int](), list[int](), list[tuple[int, ...]]()
        if self._first_velocity() != 0:
            self.parts.append(Part(-1, FIXED, 0, 0, -1, IDENTITY, None, IDENTITY, 0.0, 0.0))
        followed = 0
        for i, (link, parent) in enumerate(zip(figure.links, figure.parents, strict=True)):
            above = attach[parent] if parent >= 0 else len(self.parts) - 1
            above = self._add_coordinates(self.before.get(i, ()), above)
            pose = self.parts[above].link_pose if above >= 0 else IDENTITY
            name, joint = figure.joint_names[i], link.joint
            steps: list[tuple[Function, tuple[tuple[int, int], ...]]] = []
            if joint.follows:
                expanded, moving = screws_of(joint, name, self.places)
                link = replace(link, joint=expanded)
                steps = [(step.function, tuple(self.places[c] for c in step.coordinates)) for step in moving]
            elif i in self.moved:
                link = replace(link, joint=replace(joint, damping=0.0, armature=0.0))
                steps = [(Linear(), (self.places[name],))]
            own = bodies_of_joint(link, i, above, pose, figure.q_starts[i], figure.v_starts[i], len(self.parts))
            for k, (function, args) in enumerate(steps):
                at = followed + k
                once, places = _once(function, args), tuple(dict.fromkeys(args))
                own[k] = own[k]._replace(iq=figure.nq + at, iv=figure.nv + at, function=once, args=places)
            followed += len(steps)
            self.parts += own
            body_of_link.append(len(self.parts) - 1)
            attach.append(self._add_coordinates(self.behind.get(i, ()), body_of_link[-1]))
        for i, link in enumerate(figure.links):
            drives.append(self._driving(i, link.joint, body_of_link[i]))
        return laid_out(figure, self.parts, body_of_link, self._tables(), tuple(drives))

    def _first_velocity(self) -> int:
        """First velocity of what stands at the root; -1: none does."""
        first = [self.places[c][1] for c in self.before.get(0, ())]
        joint = self.figure.links[0].joint
        return min(first) if first else 0 if not joint.follows and 0 not in self.moved else -1

    def _add_coordinates(self, names: Any, above: int) -> int:
        """Bodies that do not move, one for each coordinate; returns the last."""
        for name in sorted(names, key=self.places.__getitem__):
            (iq, iv), joint = self.places[name], self.figure.links[self.owners[name]].joint
            pose = self.parts[above].link_pose if above >= 0 else IDENTITY
            armature = max(joint.armature, LEAST)
            self.parts.append(Part(above, SCREW, iq, iv, -1, IDENTITY, None, pose, armature, joint.damping))
            above = len(self.parts) - 1
            self.body_of_coordinate[name] = above
        return above

    def _driving(self, i: int, joint: Any, body: int) -> tuple[int, ...]:
        if joint.follows:
            return tuple(self.body_of_coordinate[c] for c in joint.coordinates)
        if i in self.moved:
            return (self.body_of_coordinate[self.figure.joint_names[i]],)
        return tuple(range(body - joint.bodies + 1, body + 1))

    def _tables(self) -> FollowerTables:
        """What follows."""
        programs, columns = Programs(), np.zeros((len(self.parts), 3), np.int64)
        arguments, bodies = list[tuple[int, int]](), list[int]()
        for i, part in enumerate(self.parts):
            if part.function is None:
                continue
            chain = velocities_to_body(self.parts, part.parent)
            columns[i] = len(part.args), len(arguments), programs.add(part.function, len(part.args))
            arguments += [(iq, chain.index(iv)) for iq, iv in part.args]
            bodies.append(i)
        program, numbers = programs.flat()
        return FollowerTables(
            np.array(bodies, np.int64), np.array(arguments, np.int64).reshape(-1, 2), np.array(program, np.int64),
            np.array(numbers), programs.longest, columns,
        )  # fmt: skip


def _once(function: Function, args: tuple[tuple[int, int], ...]) -> Function:
    """A function of each of its arguments once."""
    different = list(dict.fromkeys(args))
    if len(different) == len(args):
        return function
    from hitogata.figure.mechanism.functions import Composed

    inner = tuple((Linear(), (different.index(a),)) for a in args)
    return Composed(function, inner, len(different))
