"""What a step leaves to the next: where each patch pressed, and how."""

from hitogata.lanes import kernel, open_memory, tail
from hitogata.loops.contacts.hulls import nearest_on_hull
from hitogata.loops.contacts.layout import CORNERS, NONE, Past
from hitogata.loops.contacts.patches import ALIGNED
from hitogata.spatial import cols, dot


@kernel
def recall(floor, patches):
    """Patches that were there in the last step begin with its balance point, if it is still inside."""
    past = open_memory(Past, floor.memory)
    for p in range(patches):
        own, patch = floor.ints[p], floor.patch[p]
        own.known = 0
        x, y, z = cols(patch.axes)
        for k in range(int(past.count)):
            trace = past.trace[k]
            if trace.body_a == own.body_a and trace.body_b == own.body_b and dot(z, trace.normal) > ALIGNED:
                own.known = 1
                r = trace.place - patch.place
                out, _, _ = nearest_on_hull(tail(floor.corner, 3 * CORNERS * p), own.corners, dot(x, r), dot(y, r))
                if out < 0.0:
                    patch.press_x, patch.press_y = dot(x, r), dot(y, r)


@kernel
def remember(floor, patches):
    """Write it down."""
    past, count = open_memory(Past, floor.memory), 0
    for p in range(patches):
        own, patch = floor.ints[p], floor.patch[p]
        if own.state != NONE:
            trace = past.trace[count]
            x, y, z = cols(patch.axes)
            trace.body_a = own.body_a
            trace.body_b = own.body_b
            trace.place = patch.place + x * patch.press_x + y * patch.press_y
            trace.normal = z
            trace.state = own.state
            trace.slip = own.slip
            count += 1
    past.count = count


@kernel
def on_world(memory):
    """How many patches pressed on the world in the last step."""
    past, found = open_memory(Past, memory), 0
    for k in range(int(past.count)):
        if past.trace[k].body_b < 0.0:
            found += 1
    return found
