"""What a step tells about its patches, as numbers."""

from hitogata.lanes import kernel
from hitogata.loops.contacts.layout import CORNERS
from hitogata.spatial import cols, store3

REPORT = 8 + 12 + 6 + 4 + 2 * CORNERS
"""Numbers reported of a patch."""


@kernel
def write_report(floor, held, patches, out):
    """[bodies, state, slip, why, known, points, corners | place | axes | wrench | pressure, gaps | hull] of each."""
    for p in range(patches):
        own, patch, at = floor.ints[p], floor.patch[p], p * REPORT
        for k, value in enumerate((own.body_a, own.body_b, own.state, own.slip, own.why, own.known, own.points,
                                   own.corners)):  # fmt: skip
            out[at + k] = value
        x, y, z = cols(patch.axes)
        store3(out, at + 8, patch.place)
        store3(out, at + 11, x)
        store3(out, at + 14, y)
        store3(out, at + 17, z)
        for k in range(6):
            out[at + 20 + k] = floor.force[held + 6 * p + k]
        out[at + 26] = patch.press_x
        out[at + 27] = patch.press_y
        out[at + 28] = patch.gap
        out[at + 29] = patch.least
        for c in range(own.corners):
            out[at + 30 + 2 * c] = floor.corner[3 * (CORNERS * p + c)]
            out[at + 31 + 2 * c] = floor.corner[3 * (CORNERS * p + c) + 1]
