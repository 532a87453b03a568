"""Lengths of wires, and how they change with the coordinates: the kernel.

A wire's path is a list of stations: its points that count, and where it touches surfaces.  Surfaces are taken one
after the other, each put into the segment that must go around it, until nothing moves (as in OpenSim's GeometryPath,
whose iteration ends at half a millimetre; here at rounding).  As the path is the shortest of its kind, contacts that
slide do not change its length, so with unit vectors u along the straight segments

    dL/dt = Σ u · (v_end - v_start) = Σ w_b · V_b,      w_b = Σ ± [p × u; u] over the ends on body b

and dL/dq_c = S_c · Σ w_b over the bodies that coordinate c moves: the exact Jacobian, also on curved surfaces.
"""

from math import nan

from hitogata.lanes import bare, entry, kernel
from hitogata.muscle.arrays import get3, put3, put_row3, row3
from hitogata.muscle.circles import INSIDE, NONE, POSSIBLE, SIZE, SURE, wrap_cylinder, wrap_sphere
from hitogata.muscle.side_sites import wrap_past_site
from hitogata.muscle.strings import wrap_ellipsoid, wrap_torus
from hitogata.muscle.tables import CYLINDER, ELLIPSOID, SITED_SPHERE, SPHERE, TORUS
from hitogata.spatial import Vec3, cross, dot, length

PASSES = 100
"""Most times that all surfaces of a wire are gone through."""
PRECISE = 1e-13
"""Change of length [m] at which no more passes are made."""


@entry
def lengths_of_rows(tables, frames, results, scratch, first, end):
    """Lengths and Jacobians of frames `first` to `end`."""
    rows_of_wires(bare(tables), bare(frames), bare(results), bare(scratch), first, end)
    return 0


@kernel
def rows_of_wires(tables, frames, results, scratch, first, end):
    """The rows, one after the other."""
    for row in range(first, end):
        for wire in range(tables.wires.shape[0]):
            count = lay_points(tables, frames, scratch, row, wire)
            if tables.wires[wire, 3] > tables.wires[wire, 2]:
                count = lay_wraps(tables, frames, scratch, row, wire, count)
            results.lengths[row, wire] = path_length(scratch.stations, scratch.marks, count)
            fill_jacobian(tables, frames, results, scratch, row, wire, count)
            if results.stations.shape[0] > 0:
                keep_stations(tables, results, scratch, row, wire, count)


@kernel
def lay_points(tables, frames, scratch, row, wire):
    """The points that count, in order; returns how many."""
    stations, marks, points, places = scratch.stations, scratch.marks, tables.points, tables.places
    poses, moved, active = frames.poses, frames.moving, frames.active
    count = 0
    for k in range(tables.wires[wire, 0], tables.wires[wire, 1]):
        body, condition, moving = points[k, 0], points[k, 1], points[k, 2]
        if condition >= 0 and active[row, condition] == 0.0:
            continue
        place = Vec3(places[k, 0], places[k, 1], places[k, 2])
        if moving >= 0:
            place = Vec3(moved[row, moving, 0], moved[row, moving, 1], moved[row, moving, 2])
        put_row3(stations, count, 0, placed(poses, row, body, place))
        marks[count, 0], marks[count, 1], marks[count, 2] = body, -1, k
        count += 1
    return count


@kernel
def placed(poses, row, body, a):
    """A place of a body, in the world."""
    return Vec3(
        poses[row, body, 0] * a.x + poses[row, body, 1] * a.y + poses[row, body, 2] * a.z + poses[row, body, 3],
        poses[row, body, 4] * a.x + poses[row, body, 5] * a.y + poses[row, body, 6] * a.z + poses[row, body, 7],
        poses[row, body, 8] * a.x + poses[row, body, 9] * a.y + poses[row, body, 10] * a.z + poses[row, body, 11],
    )


@kernel
def turned_out(pose, a):
    """A place of a body, in the world."""
    return Vec3(
        pose[0] * a.x + pose[1] * a.y + pose[2] * a.z + pose[3],
        pose[4] * a.x + pose[5] * a.y + pose[6] * a.z + pose[7],
        pose[8] * a.x + pose[9] * a.y + pose[10] * a.z + pose[11],
    )


@kernel
def turned_in(pose, a):
    """A place of the world, in a body."""
    x, y, z = a.x - pose[3], a.y - pose[7], a.z - pose[11]
    return Vec3(
        pose[0] * x + pose[4] * y + pose[8] * z,
        pose[1] * x + pose[5] * y + pose[9] * z,
        pose[2] * x + pose[6] * y + pose[10] * z,
    )


@kernel
def lay_wraps(tables, frames, scratch, row, wire, count):
    """Put the path around its surfaces; returns how many stations there are."""
    first, wraps = tables.wires[wire, 2], tables.wires[wire, 3] - tables.wires[wire, 2]
    for w in range(wraps):
        scratch.kept[w, 7] = nan
        scratch.order[w, 0] = w
    last = 1e300
    for k in range(PASSES if wraps > 1 else 1):
        for turn in range(wraps):
            w = scratch.order[turn, 0]
            count = take_out(scratch, count, w)
            chosen = choose_segment(tables, frames, scratch, row, wire, count, w, turn)
            if chosen >= 0:
                put_in(scratch, count, chosen, w, tables.surfaces[tables.wraps[first + w, 0], 1])
                count += 2
        total = path_length(scratch.stations, scratch.marks, count)
        if abs(total - last) < PRECISE:
            break
        last = total
        if k == 0 and wraps > 1 and scratch.order[0, 1] == NONE and scratch.order[1, 1] == INSIDE:
            scratch.order[0, 0], scratch.order[1, 0] = 1, 0  # the second one lets the path reach the first
            count = take_out(scratch, count, 0)
    return count


@kernel
def choose_segment(tables, frames, scratch, row, wire, count, w, turn):
    """The segment that goes around wrap w: the first that must, or the one that grows least; -1: none does."""
    first_wrap = tables.wires[wire, 2]
    surface = tables.wraps[first_wrap + w, 0]
    stations, marks, kept = scratch.stations, scratch.marks, scratch.kept
    wraps = tables.wires[wire, 3] - first_wrap
    trial, best = kept[wraps], kept[wraps + 1]
    low, high = reach(tables, marks, wire, first_wrap + w, count)
    chosen, least, result = -1, 1e300, NONE
    for at in range(low, high):
        if marks[at, 1] >= 0 and marks[at + 1, 1] >= 0:
            before, behind = first_wrap + marks[at, 1], first_wrap + marks[at + 1, 1]
            if tables.wraps[before, 0] == tables.wraps[behind, 0]:
                continue  # it runs on a surface
        a, b = get3(stations[at], 0), get3(stations[at + 1], 0)
        trial[7] = kept[w, 7]
        result = wrap_segment(tables, frames, row, surface, a, b, trial)
        if result in (POSSIBLE, SURE):
            longer = length(get3(trial, 0) - a) + trial[6] + length(b - get3(trial, 3)) - length(b - a)
            if result == SURE or longer < least:
                chosen, least = at, longer
                for k in range(SIZE):
                    best[k] = trial[k]
        if result == SURE:
            break
    scratch.order[turn, 1] = result
    if chosen >= 0:
        for k in range(SIZE):
            kept[w, k] = best[k]
    return chosen


@kernel
def take_out(scratch, count, w):
    """Remove the two stations of a wrap, if they are there."""
    for k in range(count):
        if scratch.marks[k, 1] == w:
            for j in range(k + 2, count):
                copy_station(scratch, j, j - 2)
            return count - 2
    return count


@kernel
def put_in(scratch, count, at, w, body):
    """Insert the two stations of a wrap behind station `at`."""
    for j in range(count - 1, at, -1):
        copy_station(scratch, j, j + 2)
    for end in range(2):
        k = at + 1 + end
        put3(scratch.stations[k], 0, get3(scratch.kept[w], 3 * end))
        scratch.marks[k, 0], scratch.marks[k, 1], scratch.marks[k, 2] = body, w, end
    scratch.stations[at + 1, 3] = scratch.kept[w, 6]


@kernel
def copy_station(scratch, a, b):
    """Move a station in the list."""
    for k in range(4):
        scratch.stations[b, k] = scratch.stations[a, k]
    for k in range(3):
        scratch.marks[b, k] = scratch.marks[a, k]


@kernel
def reach(tables, marks, wire, wrap, count):
    """First and last station between which a wrap counts: those of its range of points."""
    start = tables.wires[wire, 0]
    low, high = 0, count - 1
    for k in range(count):
        if marks[k, 1] < 0 and marks[k, 2] - start <= tables.wraps[wrap, 1]:
            low = k
    for k in range(count - 1, -1, -1):
        if marks[k, 1] < 0 and marks[k, 2] - start >= tables.wraps[wrap, 2]:
            high = k
    return low, high


@kernel
def wrap_segment(tables, frames, row, surface, a, b, out):
    """A segment of the world around a surface; contacts come back in the world."""
    shape, kind = tables.shapes[surface], tables.surfaces[surface, 0]
    pose = frames.poses[row, tables.surfaces[surface, 1]]
    axis, sign, sizes = tables.surfaces[surface, 2], shape[15], get3(shape, 12)
    p, s = turned_in(shape, turned_in(pose, a)), turned_in(shape, turned_in(pose, b))
    result = NONE
    if kind == CYLINDER:
        result = wrap_cylinder(p, s, sizes, axis, sign, out)
    elif kind == SPHERE:
        result = wrap_sphere(p, s, sizes.x, axis, sign, out)
    elif kind == ELLIPSOID:
        result = wrap_ellipsoid(p, s, sizes, axis, sign, out)
    elif kind == TORUS:
        result = wrap_torus(p, s, sizes, axis, sign, out)
    else:
        sited = tables.surfaces[surface, 3] != 0
        result = wrap_past_site(p, s, sizes.x, kind == SITED_SPHERE, get3(shape, 16), sited, out)
    if result in (POSSIBLE, SURE):
        put3(out, 0, turned_out(pose, turned_out(shape, get3(out, 0))))
        put3(out, 3, turned_out(pose, turned_out(shape, get3(out, 3))))
    return result


@kernel
def curved(marks, k):
    """Whether the path runs on a surface from station k to the next."""
    return marks[k, 1] >= 0 and marks[k, 2] == 0


@kernel
def path_length(stations, marks, count):
    """Straight segments and those on surfaces [m]."""
    total = 0.0
    for k in range(count - 1):
        if curved(marks, k):
            total += stations[k, 3]
        else:
            total += length(row3(stations, k + 1, 0) - row3(stations, k, 0))
    return total


@kernel
def fill_jacobian(tables, frames, results, scratch, row, wire, count):
    """dL/dq of one wire: wrenches of unit tension on its bodies, gathered from the outermost inwards."""
    jacobian, tree, wrenches, columns = results.jacobian, tables.tree, scratch.wrenches, frames.columns
    stations, marks, points, chains, wires = scratch.stations, scratch.marks, tables.points, tables.chains, tables.wires
    world = tree.shape[0] - 1
    for c in range(jacobian.shape[2]):
        jacobian[row, wire, c] = 0.0
    before = Vec3(0.0, 0.0, 0.0)
    for k in range(count):
        behind = Vec3(0.0, 0.0, 0.0)
        place = row3(stations, k, 0)
        if k + 1 < count and not curved(marks, k):
            d = row3(stations, k + 1, 0) - place
            far = length(d)
            if far > 1e-15:
                behind = d * (1.0 / far)
        force = before - behind
        before = behind
        body = marks[k, 0]
        put_row3(wrenches, body, 0, row3(wrenches, body, 0) + cross(place, force))
        put_row3(wrenches, body, 3, row3(wrenches, body, 3) + force)
        if marks[k, 1] < 0 and points[marks[k, 2], 2] >= 0:
            moved_point(tables, frames, jacobian, row, wire, marks[k, 2], force)
    for k in range(wires[wire, 4], wires[wire, 5]):
        body = chains[k]
        torque, force = row3(wrenches, body, 0), row3(wrenches, body, 3)
        for c in range(tree[body, 1], tree[body, 2]):
            turn = Vec3(columns[row, c, 0], columns[row, c, 1], columns[row, c, 2])
            slide = Vec3(columns[row, c, 3], columns[row, c, 4], columns[row, c, 5])
            jacobian[row, wire, tables.targets[c]] += dot(turn, torque) + dot(slide, force)
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


@kernel
def clear(wrenches, body):
    """No load."""
    for i in range(6):
        wrenches[body, i] = 0.0


@kernel
def moved_point(tables, frames, jacobian, row, wire, point, force):
    """A point that moves in its body adds its own motion."""
    body, moving, poses = tables.points[point, 0], tables.points[point, 2], frames.poses
    for i in range(3):
        c = tables.movers[moving, i]
        if c >= 0:
            axis = Vec3(poses[row, body, i], poses[row, body, 4 + i], poses[row, body, 8 + i])
            jacobian[row, wire, c] += dot(axis, force) * frames.moving[row, moving, 3 + i]


@kernel
def keep_stations(tables, results, scratch, row, wire, count):
    """The path for drawing: places, and the surface that it follows to the next one."""
    kept, marks = results.stations[row, wire], scratch.marks
    for k in range(kept.shape[0]):
        kept[k, 3] = -2.0
    for k in range(count):
        put3(kept[k], 0, get3(scratch.stations[k], 0))
        kept[k, 3] = -1.0
        if curved(marks, k):
            kept[k, 3] = float(tables.wraps[tables.wires[wire, 2] + scratch.marks[k, 1], 0])
