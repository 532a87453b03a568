"""Lengths and moment arms of wires from the coordinates of a figure, in one kernel: poses, columns, paths, sparse arms.

What `geometry` does in several calls for any body, for frames one after the other, where only time matters.  Joints
that follow functions are trees of screws (`hitogata.figure.expansion`), whose coordinates are piecewise polynomials.
"""

from hitogata.dynamics.batches import scratch
from hitogata.dynamics.joints import column, moved_column
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.world_kinematics import Placed, place, root_position
from hitogata.lanes import X1, entry, kernel, lanes, records
from hitogata.muscle.arrays import put_row3, row3
from hitogata.muscle.lengths import clear, curved, lay_points, lay_wraps, path_length
from hitogata.spatial import Vec3, cross, dot, length


@entry
def frame_rows(ints, floats, follow, tables, frames, slots, room, q, lengths, values, first, end):
    """Rows first to end: lengths (n, nw) and the numbers of the sparse Jacobian (n, nnz)."""
    size = ints[0] * Placed.SIZE
    work = scratch(size, floats, X1)
    for row in range(first, end):
        follow_coordinates(follow, q, row)
        place_links(ints, floats, follow, frames, lanes(work, X1))
        for wire in range(lengths.shape[1]):
            count = lay_points(tables, frames, room, 0, wire)
            if tables.wires[wire, 3] > tables.wires[wire, 2]:
                count = lay_wraps(tables, frames, room, 0, wire, count)
            lengths[row, wire] = path_length(room.stations, room.marks, count)
            gather_arms(tables, frames, slots, room, values, row, wire, count)
    return 0


@kernel
def follow_coordinates(follow, q, row):
    """θ of the tree from q, and the slopes of those that follow."""
    theta, copied = follow.theta, follow.copied
    for k in range(copied.shape[0]):
        theta[copied[k, 1]] = q[row, copied[k, 0]]
    for k in range(follow.places.shape[0]):
        x, first = q[row, follow.places[k, 0]], follow.places[k, 2]
        piece = first
        for p in range(first + 1, follow.places[k, 3]):
            if x >= follow.pieces[p, 0]:
                piece = p
        t, value, slope = x - follow.pieces[piece, 0], 0.0, 0.0
        for power in range(1, follow.pieces.shape[1]):
            slope = slope * t + value
            value = value * t + follow.pieces[piece, power]
        theta[follow.places[k, 1]] = value
        follow.slopes[k] = slope


@kernel
def place_links(ints, floats, follow, frames, view):
    """Poses of links and motion columns, about the world's origin."""
    tree, work, theta = open_tree(ints, floats), records(view, Placed), lanes(follow.theta, X1)
    place(tree, work, theta)
    root, poses, columns, every = root_position(tree, theta), frames.poses, frames.columns, follow.columns
    for i in range(tree.bodies):
        joint, body, placed = tree.joint[i], tree.body[i], work[i]
        if joint.link >= 0:
            rot, pos = placed.rot @ body.link_rot, root + placed.pos + placed.rot @ body.link_pos
            put_pose(poses, joint.link, rot, pos)
        for k in range(joint.count):
            s = moved_column(column(joint, body, placed, k), (root + placed.pos) * -1.0)
            put_row3(every, joint.iv + k, 0, s.ang)
            put_row3(every, joint.iv + k, 3, s.lin)
    for c in range(follow.parts.shape[0] - 1):
        for i in range(6):
            total = 0.0
            for k in range(follow.parts[c], follow.parts[c + 1]):
                slope = follow.slopes[follow.factors[k]] if follow.factors[k] >= 0 else 1.0
                total += every[follow.terms[k], i] * slope
            columns[0, c, i] = total
    links, behind = poses.shape[1] - 1 - follow.carriers.shape[0], follow.parts.shape[0] - 1
    for n in range(follow.carriers.shape[0]):  # nodes slide along the axes of what carries them
        carrier = follow.carriers[n] if follow.carriers[n] >= 0 else poses.shape[1] - 1
        for i in range(3):
            poses[0, links + n, 4 * i + 3] = poses[0, carrier, 4 * i + 3]
            for j in range(3):
                axis = poses[0, carrier, 4 * i + j]
                poses[0, links + n, 4 * i + j] = axis
                poses[0, links + n, 4 * i + 3] += axis * follow.node_places[n, j]
                columns[0, behind + 3 * n + j, 3 + i] = axis


@kernel
def put_pose(poses, link, rot, pos):
    """[R | p], row by row."""
    poses[0, link, 0], poses[0, link, 1], poses[0, link, 2], poses[0, link, 3] = rot.xx, rot.xy, rot.xz, pos.x
    poses[0, link, 4], poses[0, link, 5], poses[0, link, 6], poses[0, link, 7] = rot.yx, rot.yy, rot.yz, pos.y
    poses[0, link, 8], poses[0, link, 9], poses[0, link, 10], poses[0, link, 11] = rot.zx, rot.zy, rot.zz, pos.z


@kernel
def gather_arms(tables, frames, slots, room, values, row, wire, count):
    """The Jacobian of one wire, at the places of its numbers: as `lengths.fill_jacobian`, but sparse."""
    tree, wrenches, columns = tables.tree, room.wrenches, frames.columns
    stations, marks, chains, wires = room.stations, room.marks, tables.chains, tables.wires
    world = tree.shape[0] - 1
    at = slots.starts[wire]
    for k in range(slots.ends[wire], slots.ends[wire + 1]):
        values[row, k] = 0.0
    before, last = Vec3(0.0, 0.0, 0.0), marks[0, 0]
    torque, force = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    place = row3(stations, 0, 0)
    for k in range(count):
        behind, next_place = Vec3(0.0, 0.0, 0.0), place
        if k + 1 < count:
            next_place = row3(stations, k + 1, 0)
            if not curved(marks, k):
                d = next_place - place
                far = length(d)
                if far > 1e-15:
                    behind = d * (1.0 / far)
        if marks[k, 0] != last:  # points on one body push it together
            put_row3(wrenches, last, 0, row3(wrenches, last, 0) + torque)
            put_row3(wrenches, last, 3, row3(wrenches, last, 3) + force)
            torque, force, last = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0), marks[k, 0]
        push = before - behind
        torque, force = torque + cross(place, push), force + push
        before, place = behind, next_place
    put_row3(wrenches, last, 0, row3(wrenches, last, 0) + torque)
    put_row3(wrenches, last, 3, row3(wrenches, last, 3) + force)
    for k in range(wires[wire, 4], wires[wire, 5]):
        body = chains[k]
        torque, force = row3(wrenches, body, 0), row3(wrenches, body, 3)
        for c in range(tree[body, 1], tree[body, 2]):
            turn = Vec3(columns[0, c, 0], columns[0, c, 1], columns[0, c, 2])
            slide = Vec3(columns[0, c, 3], columns[0, c, 4], columns[0, c, 5])
            values[row, slots.places[at]] += dot(turn, torque) + dot(slide, force)
            at += 1
        parent = tree[body, 0]
        inner = parent if parent >= 0 else world
        put_row3(wrenches, inner, 0, row3(wrenches, inner, 0) + torque)
        put_row3(wrenches, inner, 3, row3(wrenches, inner, 3) + force)
        clear(wrenches, body)
    for k in range(count):
        clear(wrenches, marks[k, 0])
    for k in range(wires[wire, 4], wires[wire, 5]):
        parent = tree[chains[k], 0]
        clear(wrenches, parent if parent >= 0 else world)
