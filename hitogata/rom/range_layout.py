"""How a range lies in memory: head, twist table, region, all in one flat array (offsets from the head)."""

from typing import Any

import numpy as np

from hitogata.lanes import record
from hitogata.rom.build import single
from hitogata.rom.frames import Array
from hitogata.spatial import Vec3


@record
class RangeHead:
    """What a range begins with."""

    bone: Vec3              # at rest, parent frame
    kind: float             # of twist: see twist.Kind
    low: float              # constant limits
    high: float
    pole: float             # 1: the pole has limits of its own
    pole_low: float
    pole_high: float
    antipole: float
    antipole_low: float
    antipole_high: float
    count: int              # rows of the twist table
    region: int             # where the region begins, from the head
    size: int               # numbers in all
    edge: float             # twist this little beyond a limit [rad] counts as within it
    first: Vec3             # axes of the triangles' disc
    second: Vec3
    floor: float            # least size of a weight's denominator
    spare: float


_head: Any = RangeHead

RANGE: int = _head.SIZE
"""Numbers in a head."""

RANGE_AT: dict[str, int] = _head.OFFSETS
"""Where a head's fields begin."""

TWIST_EDGE = 1e-10
"""Width of a twist limit [rad]."""


def flat_range(bone: Array, kind: int, constants: dict[str, Any], table: Array, region: Array) -> Array:
    """The flat array of a range."""
    head = np.zeros(RANGE)
    at = RANGE_AT
    head[at["bone"]:at["bone"] + 3] = bone
    for name, value in constants.items():
        if name == "across":
            head[at["first"]:at["first"] + 6] = np.ravel(value)
        else:
            head[at[name]] = value
    head[at["kind"]], head[at["count"]], head[at["edge"]], head[at["floor"]] = kind, len(table), TWIST_EDGE, 1e-28
    head[at["region"]] = RANGE + table.size
    head[at["size"]] = RANGE + table.size + len(region)
    return np.concatenate([head, table.ravel(), region])


def single_range(flat: Array) -> Any:
    """A flat range in float32, with tolerances to match."""
    start = int(flat[RANGE_AT["region"]])
    out = flat.astype(np.float32)
    out[RANGE_AT["edge"]], out[RANGE_AT["floor"]] = 1e-5, 1e-13
    out[start:] = single(flat[start:])
    return out


def concatenated(ranges: list[Array]) -> tuple[Array, Any]:
    """Many flat ranges in one array, and where each begins: shapes (size,) and (n,), int64."""
    starts = np.cumsum([0, *(len(r) for r in ranges)])[:-1].astype(np.int64)
    return np.concatenate(ranges) if ranges else np.empty(0), starts


