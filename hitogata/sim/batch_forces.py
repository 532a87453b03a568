"""Forces of the last step in all worlds of a batch; see `step_readings`."""

from typing import TYPE_CHECKING

import numpy as np

from hitogata.constraints.contacts import axes_along
from hitogata.contact.layout import FAR, Contact, ContactPoint
from hitogata.dynamics.follower_model import tree_model_of
from hitogata.lanes import record_offsets
from hitogata.sim.batch_arrays import Array, BatchArrays
from hitogata.sim.blocks import DEAD, FRESH
from hitogata.sim.contact_lists import LISTS
from hitogata.sim.layout import CONTACTS, LAST_LIST
from hitogata.sim.parts import state_parts
from hitogata.spatial import Vec3

if TYPE_CHECKING:
    from hitogata.sim.members import Member


def contact_forces(arrays: BatchArrays, figure: int, nlinks: int) -> Array:
    """Sum of the contact forces on each link of a figure, world axes [N], shape (count, nlinks, 3)."""
    count, width, blocks = len(arrays.state), arrays.width.n, arrays.blocks
    which, most = arrays.counts[:, LAST_LIST], int(arrays.counts[:, CONTACTS].max())
    every, rows = np.arange(blocks), arrays.counts[:, CONTACTS, None]
    whose = arrays.contacts.reshape(blocks, LISTS, arrays.room, -1)[every, which, :most]
    points = arrays.points.reshape(blocks, LISTS, arrays.room, -1, width)[every, which, :most].astype(float)
    at, column = record_offsets(ContactPoint), record_offsets(Contact)
    sign = np.where(whose[:, :, column["body_a"]] < 0, -1.0, 1.0)[:, :, None]
    x, y, z = (sign * points[:, :, at["normal"] + k] for k in range(3))
    m = axes_along(Vec3(x, y, z))
    px, py, pz = (sign * points[:, :, at["impulse"] + k] for k in range(3))
    force = np.stack([m.xx * px + m.yx * py + m.zx * pz, m.xy * px + m.yy * py + m.zy * pz,
                      m.xz * px + m.yz * py + m.zz * pz], axis=-1)  # fmt: skip
    had = (np.arange(most)[None, :] < rows)[:, :, None] & (points[:, :, at["gap"]] < FAR / 2)
    total = np.zeros((blocks, nlinks, width, 3))
    owner = np.array([s.link if s.figure == figure else -1 for s in arrays.model.surfaces])
    for name, way in (("a", 1.0), ("b", -1.0)):
        link = owner[whose[:, :, column[name]]]
        block, point = np.nonzero(link >= 0)
        pushes = np.where(had[block, point, :, None], way * force[block, point], 0.0)
        np.add.at(total, (block, link[block, point]), pushes)
    result = total.transpose(0, 2, 1, 3).reshape(blocks * width, nlinks, 3)[:count]
    earlier = arrays.earlier_shapes
    for shape in np.flatnonzero(owner >= 0):
        result[:, owner[shape]] += earlier[:, shape]
    return _per_time(result, arrays)


def limit_forces(arrays: BatchArrays, member: "Member") -> Array:
    """What limits and range walls push with, shape (count, nlinks, 2) [N m], [N]; see `Member.limit_forces`."""
    span, model = arrays.model.span_of(member), tree_model_of(member.figure)
    part = state_parts(arrays.model.forest, span).limit_impulse
    impulses = arrays.state[:, part].astype(float).reshape(len(arrays.state), -1, 2)
    impulses = impulses + arrays.earlier_limits[:, span.bodies]
    bodies = np.array(span.body_of_link) - span.bodies.start
    result = impulses[:, bodies]
    for k, link in enumerate(member.figure.links):
        if link.joint.screws or link.joint.follows:
            result[:, k] = 0.0
            own = impulses[:, list(model.driven_by(member.figure, k))].sum(axis=2)
            result[:, k, : min(2, own.shape[1])] = own if own.shape[1] <= 2 else np.sort(own, axis=1)[:, :-3:-1]
    return _per_time(result, arrays)


def motor_forces(arrays: BatchArrays, member: "Member") -> Array:
    """What motors did, shape (count, nv) [N m], [N]; see `Member.motor_forces`."""
    span = arrays.model.span_of(member)
    last = arrays.state[:, state_parts(arrays.model.forest, span).motor].astype(float)
    earlier, peak = arrays.earlier_motors
    h = arrays.state[:, arrays.model.forest.state.part("last")][:, :1]
    impulses = earlier[:, span.v] + np.where(last == 0.0, 0.0, last * h)
    most = np.maximum(np.abs(last), peak[:, span.v])  # no mean is above it, but for rounding
    return np.clip(_per_time(impulses[:, :, None], arrays)[:, :, 0], -most, most)


def _per_time(impulses: Array, arrays: BatchArrays) -> Array:
    """Means over the last step; none in worlds that have taken none, or are no longer well."""
    known = (arrays.marks[:, DEAD] == 0) & (arrays.marks[:, FRESH] == 0)
    return np.where(known[:, None, None], impulses, 0.0) / arrays.step_h[:, None, None]
