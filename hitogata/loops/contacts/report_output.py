"""What a step tells about its patches, as numbers."""

from hitogata.lanes import kernel, tail
from hitogata.loops.contacts.layout import CORNERS
from hitogata.spatial import cols, load3


@kernel
def write_report(floor, held, patches, reports):
    """A `PatchReport` of each patch; `held`: rows before those of patches."""
    for p in range(patches):
        own, patch, told = floor.ints[p], floor.patch[p], reports[p]
        told.body_a, told.body_b, told.state, told.slip = own.body_a, own.body_b, own.state, own.slip
        told.why, told.known, told.points, told.corners = own.why, own.known, own.points, own.corners
        told.x, told.y, told.z = cols(patch.axes)
        told.place = patch.place
        told.push, told.turn = load3(floor.force, held + 6 * p), load3(floor.force, held + 6 * p + 3)
        told.press_x, told.press_y = patch.press_x, patch.press_y
        told.gap, told.least = patch.gap, patch.least
        hull, corner = told.hull, tail(floor.corner, 3 * CORNERS * p)
        for c in range(own.corners):
            hull[2 * c] = corner[3 * c]
            hull[2 * c + 1] = corner[3 * c + 1]
