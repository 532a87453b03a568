"""Lengths and moment arms of wires from the coordinates of a figure, in one kernel: poses, columns, paths, sparse arms.

What `geometry` does in several calls for any body, for frames one after the other, where only time matters.  Joints
that follow functions are trees of screws (`hitogata.figure.expansion`), whose coordinates are piecewise polynomials.
"""

from hitogata.dynamics.batches import scratch
from hitogata.dynamics.joints import column, moved_column
from hitogata.dynamics.layout import open_tree
from hitogata.dynamics.world_kinematics import Placed, place, root_position
from hitogata.lanes import X1, bare, entry, kernel, lanes, records
from hitogata.muscle.arrays import put_row3, row3
from hitogata.muscle.lengths import curved, lay_points, lay_wraps
from hitogata.spatial import cross, length


@entry
def frame_rows(ints, floats, follow, tables, frames, slots, room, q, lengths, values, first, end):
    """Rows first to end: lengths (n, nw) and the numbers of the sparse Jacobian (n, nnz)."""
    work = scratch(ints[0] * Placed.SIZE, floats, X1)
    arms_of_rows(
        ints, floats, bare(follow), bare(tables), bare(frames), bare(slots), bare(room), bare(q), bare(lengths),
        bare(values), first, end, work,
    )
    return 0


@kernel
def arms_of_rows(ints, floats, follow, tables, frames, slots, room, q, lengths, values, first, end, work):
    """The rows, one after the other."""
    for row in range(first, end):
        follow_coordinates(follow, q, row)
        place_links(ints, floats, follow, frames, lanes(work, X1))
        for wire in range(lengths.shape[1]):
            count = lay_points(tables, frames, room, 0, wire)
            if tables.wires[wire, 3] > tables.wires[wire, 2]:
                count = lay_wraps(tables, frames, room, 0, wire, count)
            lengths[row, wire] = gather_arms(tables, frames, slots, room, values, row, wire, count)


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
    """The length of one wire, and its Jacobian at the places of its numbers.

    A straight segment along u from body A to body B changes by u · (v_B - v_A), so only columns on the way from A to B
    count, and none if they are one body: dL/dq_c = ± S_c · [p × u; u].
    """
    columns, stations, marks, total = frames.columns, room.stations, room.marks, 0.0
    for k in range(slots.ends[wire], slots.ends[wire + 1]):
        values[row, k] = 0.0
    place = row3(stations, 0, 0)
    for k in range(count - 1):
        here, there = place, row3(stations, k + 1, 0)
        place = there
        if curved(marks, k):
            total += stations[k, 3]
            continue
        d = there - here
        far = length(d)
        total += far
        way = slots.ways[marks[k, 0], marks[k + 1, 0]]
        if way < 0 or far < 1e-15:
            continue
        u = d * (1.0 / far)
        turn = cross(here, u)
        for i in range(slots.starts[way], slots.starts[way + 1]):
            c = slots.columns[i]
            size = turn.x * columns[0, c, 0] + turn.y * columns[0, c, 1] + turn.z * columns[0, c, 2]
            size += u.x * columns[0, c, 3] + u.y * columns[0, c, 4] + u.z * columns[0, c, 5]
            at = slots.places[wire, slots.targets[i]]
            values[row, at] += slots.signs[i] * size
    return total
