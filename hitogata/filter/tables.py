"""Memory that the compiled step of the filter reads and writes."""

from hitogata.dynamics.inverse import Moving
from hitogata.dynamics.world_kinematics import Placed
from hitogata.lanes import Count, Memory, Table, float_array, int_array, number, numbers, record_size, wholes

PLACED, MOVING = record_size(Placed), record_size(Moving)
SOLE = 12
"""Numbers of a sole's frame: rotation (9), place (3)."""
PAST = 6
"""Frames of the motion that the filter without look-ahead looks at."""
SEEN = 5
"""Numbers of a ball joint that is watched: where it was last looked at, and the cosine of half the angle that holds."""


class BodyMemory(Memory):
    """What does not change of a figure; see `Body`."""

    nq, nv, feet, bodies = Count(stored=True), Count(stored=True), Count(stored=True), Count(stored=True)
    plains, balls, tables = Count(stored=True), Count(stored=True), Count(stored=True)
    tree_ints, tree_floats = Count(stored=True), Count(stored=True)
    ints = wholes(tree_ints)  # of its model, see `dynamics.layout`
    floats = numbers(tree_floats)
    sole_body = wholes(feet)  # bodies that carry the soles
    sole_turn = numbers(feet, 9)  # soles' frames in these bodies' frames
    sole_centre = numbers(feet, 3)  # [m]
    sole_corners = numbers(feet, 12)  # in the soles' frames [m]
    legs = numbers(feet, nv)  # 1: a velocity of a joint between the root and the sole
    plain_q = wholes(plains)  # coordinates with limits
    plain_v = wholes(plains)
    low = numbers(plains)
    high = numbers(plains)
    ball_q = wholes(balls)  # ball joints with ranges
    ball_v = wholes(balls)
    ball_start = wholes(balls)  # where each begins in
    ball_table = numbers(tables)
    efforts = numbers(nv)  # greatest torques [N m]


class ReferenceMemory(Memory):
    """The motion that is wanted, frame by frame; see `Prepared`."""

    frames, nq, nv, feet = Count(stored=True), Count(stored=True), Count(stored=True), Count(stored=True)
    q = numbers(frames, nq)
    v = numbers(frames, nv)
    vdot = numbers(frames, nv)
    root = numbers(frames, 9)  # rotations
    com = numbers(frames, 3)
    com_rate = numbers(frames, 3)
    spin = numbers(frames, 3)
    inertia = numbers(frames, 9)
    force = numbers(frames, 3)
    turn = numbers(frames, feet, 9)  # of the soles
    place = numbers(frames, feet, 3)
    lead = numbers(frames, feet)  # time until each foot stands [s], 0 while it does
    rates = numbers(frames, feet, 6)  # of the soles' ways, [angular; linear]
    normal = numbers(frames, feet, 12)  # of the floor at each corner
    ways = numbers(frames, feet, 12)  # of the corners
    short = numbers(frames, feet)  # how far footholds are out of reach [m]
    active = wholes(frames, feet, 4)  # corners in contact


class WorkMemory(Memory):
    """A state, what is known of it, and scratch."""

    nq, nv, feet, bodies, balls = (Count(stored=True) for _ in range(5))
    corner_numbers = feet * 12
    sole_rows = feet * 6
    rows_most = sole_rows + nv + 6
    q = numbers(nq)
    v = numbers(nv)
    x = numbers(12)  # deviation of the whole body from the motion, see `plan_kernels`
    lost = number()  # time since the body was far from the motion [s]
    rounds = number()  # of the next plan
    com = numbers(3)
    com_rate = numbers(3)
    spin = numbers(3)
    inertia = numbers(9)
    turn = numbers(9)  # rotation of the root
    root = numbers(3)  # place of the root's origin
    watch = numbers(balls, SEEN)
    placed = numbers(bodies, PLACED)
    moving = numbers(bodies, MOVING)
    mass = numbers(nv, nv)
    bias = numbers(nv)
    soles = numbers(feet, SOLE)
    jacobian = numbers(sole_rows, nv)  # of the soles
    corners = numbers(corner_numbers)
    forces = numbers(corner_numbers)  # at them [N]
    effect = numbers(nv)  # Σ Jᵀ f
    rows = numbers(rows_most, nv)  # H
    force_rows = numbers(rows_most, corner_numbers)  # the part of these that takes forces
    force_ease = numbers(corner_numbers)
    force_change = numbers(corner_numbers)
    matrix = numbers(rows_most, rows_most)
    right = numbers(rows_most)
    eps = numbers(rows_most)
    reply = numbers(rows_most)
    wanted = numbers(nv)
    ease = numbers(nv)
    after = numbers(nv)
    change = numbers(nv)
    vdot = numbers(nv)
    tau = numbers(nv)
    limit = numbers(nv)  # of torques that are at theirs
    trial = numbers(nq)
    inside = numbers(nq)
    limited = wholes(nv)  # velocities whose torque is at its limit, one after the other
    held = wholes(nv)  # 1: at the end of its range
    moved = wholes(nv)


class ResultMemory(Memory):
    """Frames that come out; see `FilteredFrame`."""

    frames, nq, nv, feet = Count(stored=True), Count(stored=True), Count(stored=True), Count(stored=True)
    q = numbers(frames, nq)
    v = numbers(frames, nv)
    vdot = numbers(frames, nv)
    tau = numbers(frames, nv)
    forces = numbers(frames, feet, 12)
    corners = numbers(frames, feet, 12)
    residual = numbers(frames, 6)
    over = numbers(frames, nv)
    status = wholes(frames)


class OnlineMemory(Memory):
    """What the filter without look-ahead keeps from frame to frame; see `online_kernels`."""

    nq, nv, feet = Count(stored=True), Count(stored=True), Count(stored=True)
    past = numbers(PAST, nq)  # of the motion, the newest first
    seen = number()  # how many of these there are
    begun = number()  # 1: the body has a state
    off = numbers(nv)  # of the parabola at the newest frame, from that frame
    rate = numbers(nv)
    gain = numbers(nv)
    change = numbers(nv)
    q = numbers(nq)  # state of the body, put aside
    v = numbers(nv)
    need = numbers(6)  # of the motion: torque about the centre of mass, force
    inverse = numbers(9)  # of its inertia, in body weights
    soles = numbers(feet, SOLE)  # of the motion
    sole_rates = numbers(feet, 6)
    rests = numbers(feet)  # 1: the motion's foot stands
    down = numbers(feet)  # 1: so does the body's
    air = numbers(feet)  # how long it does not [s]
    swing = numbers(feet)  # how long it did not, last time [s]
    hold = numbers(feet, 3)  # where it stands
    axes = numbers(feet, 9)
    fix = numbers(feet, 6)  # how far its sole is off the motion's
    step = numbers(feet, 3)  # from the centre of mass to where it came down last
    stepped = numbers(feet)  # 1: that is known
    touch = wholes(feet, 4)  # corners that touched in the last frame


class FrameTable(Table):
    """The arrays of these memories."""

    body_floats = float_array()
    body_ints = int_array()
    reference_floats = float_array()
    reference_ints = int_array()
    work_floats = float_array()
    work_ints = int_array()
    result_floats = float_array()
    result_ints = int_array()
    online_floats = float_array()
    online_ints = int_array()
