"""Impact of virtual links that press and do not pull, from Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.dynamics.dispatch import Array, Input, check
from hitogata.dynamics.model import model_of
from hitogata.errors import ArgumentError
from hitogata.figure import State
from hitogata.lanes import record_fields
from hitogata.loops.arguments import as_rows, positive
from hitogata.loops.contacts.impacts import ImpactResult, strike_regions
from hitogata.loops.contacts.layout import CORNERS, MOST_PATCHES, REPORT, PatchReport
from hitogata.loops.contacts.reports import ContactState, Slip
from hitogata.loops.forward import constrained_dynamics
from hitogata.loops.link_set import LinkHandle, Links
from hitogata.loops.row_values import link_rows

ROUNDS = 50
"""Most impacts after each other."""

STILL, SLOW = 1e-3, 5e-5
"""Points that part slower than this take part [m/s]; those that close slower than this have stopped [m/s]."""


@dataclass(frozen=True, eq=False)
class ContactRegion:
    """Where a virtual link presses.

    Attributes:
        region: points in the plane of P's axes x and y, from the origin of C [m], shape (n, 2): of a surface, the ends
            of a line, or one point.
        friction: coefficient.
    """

    region: Any
    friction: float


class ContactOutcome(NamedTuple):
    """What became of a contact in an impact.

    Attributes:
        state: how much of its region presses; NONE: it let go.
        slip: how it holds across.
    """

    state: ContactState
    slip: Slip


class Struck(NamedTuple):
    """Results, as `Impact` has them."""

    state: State
    impulses: Array
    wrenches: Array
    rank: int
    outcomes: dict[LinkHandle, ContactOutcome]
    passes: int
    valid: bool


def strike_contacts(
    links: Links, state: State, bounces: Array, contacts: Mapping[LinkHandle, ContactRegion], tolerance: float
) -> Struck:
    """Velocities and impulses after an impact, some of whose links are contacts; see `impact`.

    Only points that close take part.  Where an impact turns the body so that others close, they strike next.
    """
    model = model_of(links.figure)
    inputs = (Input("q", state.q, (model.nq,)), Input("v", state.v, (model.nv,)))
    (qs, vs), _ = as_rows(inputs, links.figure)
    q, v = qs[0], vs[0]
    found = _Places(links, q, _checked(links, contacts))
    base = links
    for handle in contacts:
        base = base.remove(handle)
    parts = [bounces[links.rows_of(h)] for h in base.handles]
    wrenches, impulses = np.zeros((len(links), 6)), np.zeros(links.rows)
    outcomes = dict.fromkeys(contacts, ContactOutcome(ContactState.NONE, Slip.STICK))
    passes, valid, rounds, rank = 0, True, 0, constrained_dynamics(links, q, v).rank
    while rounds < ROUNDS:
        regions, corners, taken, closing = found.closing(v, bounces)
        if rounds and closing > -SLOW:
            break
        own = np.concatenate([*parts, np.zeros(1)]) if not rounds else np.zeros(base.rows + 1)
        layout = ImpactResult.layout(nv=model.nv, rows=base.rows, links=len(base))
        out, report = layout.new_floats(), np.zeros(max(len(taken), 1) * REPORT)
        status = strike_regions(model.ints, model.floats, base.ints, base.floats, q, v, own, regions, corners,
                                tolerance, out, report)  # fmt: skip
        check(status, links.figure, inputs)
        result = layout.open(out)
        for k, handle in enumerate(base.handles):
            impulses[links.rows_of(handle)] += result.impulse[base.rows_of(handle)]
            wrenches[links.index(handle)] += result.wrench[k]
        for handle, row in zip(taken, report.reshape(-1, REPORT), strict=False):
            wrench, impulse = found.read(handle, row)
            impulses[links.rows_of(handle)] += impulse
            wrenches[links.index(handle)] += wrench
            told = record_fields(PatchReport, row)
            outcomes[handle] = ContactOutcome(ContactState(int(told.state)), Slip(int(told.slip)))
        v, passes, rounds = result.v.copy(), passes + int(result.passes), rounds + 1
        valid = valid and int(result.valid) > 0
    valid = valid and rounds < ROUNDS
    return Struck(State(state.q.copy(), v), impulses, wrenches, rank, outcomes, passes, valid)


class _Places:
    """Contact regions in a pose."""

    def __init__(self, links: Links, q: Array, points: dict[LinkHandle, tuple[Array, float]]) -> None:
        self.links, self.q, self.points = links, q, points
        self.frames, self.value = _frames(links, q), link_rows(links, q).value

    def _speeds(self, handle: LinkHandle, v: Array) -> Array:
        """Normal speeds of the points of a region; < 0: they close."""
        rows = self.links.rows_of(handle)
        rate = link_rows(self.links, self.q, v).rate[rows]
        turn = np.linalg.solve(_gain(self.value[rows][3:]), rate[3:])
        x, y = self.points[handle][0].T
        result: Array = rate[2] + y * turn[0] - x * turn[1]
        return result

    def closing(self, v: Array, bounces: Array) -> tuple[Array, Array, list[LinkHandle], float]:
        """Regions of points that close: their numbers, corners, handles; and the fastest speed."""
        figure, taken, numbers, corners, fastest = self.links.figure, [], [], [], 0.0
        model = model_of(figure)
        for handle, (points, friction) in self.points.items():
            speeds = self._speeds(handle, v)
            fastest = min(fastest, float(speeds.min()))
            if speeds.min() >= 0.0:
                continue
            chosen, link = points[speeds < STILL], self.links[handle]
            body = [model.body_of_link[figure.frame(name)[0]] if name is not None else -1
                    for name in (link.child, link.parent)]  # fmt: skip
            place, turn = self.frames[handle]
            head = [*body, len(chosen), friction, bounces[self.links.rows_of(handle)][2]]
            numbers.append(np.concatenate([head, place, turn.ravel()]))
            corners.append(np.concatenate([chosen.ravel(), np.zeros(2 * (CORNERS - len(chosen)))]))
            taken.append(handle)
        none = [np.zeros(0)]
        return np.concatenate(numbers or none), np.concatenate(corners or [np.zeros(1)]), taken, fastest

    def read(self, handle: LinkHandle, row: Array) -> tuple[Array, Array]:
        """Wrench about C in the axes of P, and impulses of the link's rows, from a report."""
        rows, (place, turn) = self.links.rows_of(handle), self.frames[handle]
        told = record_fields(PatchReport, row)
        patch = np.column_stack([told.x, told.y, told.z])
        force = turn.T @ patch @ told.push
        torque = turn.T @ (patch @ told.turn + np.cross(told.place - place, patch @ told.push))
        turning = np.linalg.solve(_gain(self.value[rows][3:]).T, torque)
        return np.concatenate([torque, force]), np.concatenate([force, turning])


def _gain(value: Array) -> Array:
    """G of held turning, value = 2 v: w 1 - [v]."""
    x, y, z = 0.5 * value
    w = np.sqrt(max(1.0 - (x * x + y * y + z * z), 0.0))
    return np.array([[w, z, -y], [-z, w, x], [y, -x, w]])


def _frames(links: Links, q: Array) -> dict[LinkHandle, tuple[Array, Array]]:
    """Of every link: origin of C, and R_WP."""
    poses, out = forward_kinematics(links.figure, q), {}
    for handle, link in links.links:
        index, own = links.figure.frame(link.child)
        place = poses.position[index] + poses.rotation[index] @ np.array((own @ link.child_pose).position)
        turn = link.parent_pose.rotation
        if link.parent is not None:
            other, pose = links.figure.frame(link.parent)
            turn = poses.rotation[other] @ (pose @ link.parent_pose).rotation
        out[handle] = place, turn
    return out


def _checked(links: Links, contacts: Mapping[LinkHandle, ContactRegion]) -> dict[LinkHandle, tuple[Array, float]]:
    """Points and friction of all regions."""
    if len(contacts) > MOST_PATCHES:
        raise ArgumentError(f"contacts: at most {MOST_PATCHES}, got {len(contacts)}")
    out = {}
    for handle, contact in contacts.items():
        link = links[handle]
        if not link.rigid or link.rows != 6:
            raise ArgumentError(f"contacts: {handle} must hold all six motions, as a rigid weld does")
        if not isinstance(contact, ContactRegion):
            raise ArgumentError(f"contacts: expected a ContactRegion for {handle}, got {contact!r}")
        points = np.atleast_2d(np.asarray(contact.region, np.float64))
        fits = points.ndim == 2 and points.shape[1] == 2 and 1 <= len(points) <= CORNERS
        if not fits or not np.isfinite(points).all():
            raise ArgumentError(f"contacts: region of {handle}: expected 1 to {CORNERS} points (x, y), finite; "
                                f"got shape {points.shape}")  # fmt: skip
        out[handle] = points, positive(f"contacts: friction of {handle}", contact.friction)
    return out
