"""What a step leaves to the next: where each patch pressed, and how."""

from hitogata.lanes import kernel, tail
from hitogata.loops.contacts.hulls import nearest_on_hull
from hitogata.loops.contacts.layout import CORNERS, NONE, REMEMBERED
from hitogata.loops.contacts.patches import ALIGNED
from hitogata.spatial import cols, dot, load3, store3


@kernel
def recall(floor, patches):
    """Patches that were there in the last step begin with its balance point, if it is still inside."""
    memory = floor.memory
    for p in range(patches):
        own, patch = floor.ints[p], floor.patch[p]
        own.known = 0
        x, y, z = cols(patch.axes)
        for k in range(int(memory[0])):
            at = 1 + k * REMEMBERED
            if memory[at] == own.body_a and memory[at + 1] == own.body_b and dot(z, load3(memory, at + 5)) > ALIGNED:
                own.known = 1
                r = load3(memory, at + 2) - patch.place
                out, _, _ = nearest_on_hull(tail(floor.corner, 3 * CORNERS * p), own.corners, dot(x, r), dot(y, r))
                if out < 0.0:
                    patch.press_x, patch.press_y = dot(x, r), dot(y, r)


@kernel
def remember(floor, patches):
    """Write it down."""
    memory, count = floor.memory, 0
    for p in range(patches):
        own, patch = floor.ints[p], floor.patch[p]
        if own.state != NONE:
            at = 1 + count * REMEMBERED
            x, y, z = cols(patch.axes)
            memory[at] = own.body_a
            memory[at + 1] = own.body_b
            store3(memory, at + 2, patch.place + x * patch.press_x + y * patch.press_y)
            store3(memory, at + 5, z)
            memory[at + 8] = own.state
            memory[at + 9] = own.slip
            count += 1
    memory[0] = count


@kernel
def on_world(memory):
    """How many patches pressed on the world in the last step."""
    found = 0
    for k in range(int(memory[0])):
        if memory[1 + k * REMEMBERED + 1] < 0.0:
            found += 1
    return found
