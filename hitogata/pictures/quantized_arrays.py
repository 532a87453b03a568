"""Arrays of numbers as short text: 16-bit steps where these are fine enough, else single precision, in base64."""

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from hitogata.figure.pose import FloatArray

Packed = dict[str, Any]
"""type ("i2", "f4", "u2", "u4": little-endian), shape, data (base64); of numbers also scale and offset."""

_STEPS = 32767


def pack(values: FloatArray, *, resolution: float) -> Packed:
    """Numbers as `offset + scale * data`, with one offset for each place of the last axis (one in all for 1-D arrays).

    Args:
        values: finite numbers, any shape.
        resolution: greatest step between neighbouring numbers, in the unit of the values; where 65 534 such steps do
            not reach from the least to the greatest, single precision is used.
    """
    rows = values.reshape(-1, values.shape[-1] if values.ndim > 1 else 1)
    low, high = (rows.min(0), rows.max(0)) if len(rows) else (np.zeros(rows.shape[1]), np.zeros(rows.shape[1]))
    offset = (low + high) / 2
    scale = float((high - low).max()) / (2 * _STEPS) or 1.0
    if scale <= resolution:
        data, kind = np.rint((rows - offset) / scale).astype("<i2"), "i2"
    else:
        data, kind, scale = (rows - offset).astype("<f4"), "f4", 1.0
    return {
        "type": kind, "shape": list(values.shape), "scale": scale, "offset": offset.tolist(), "data": _text(data)
    }  # fmt: skip


def pack_indices(values: npt.NDArray[np.integer[Any]]) -> Packed:
    """Whole numbers, zero or more."""
    kind = "u2" if values.size == 0 or values.max() < 65536 else "u4"
    return {"type": kind, "shape": list(values.shape), "data": _text(values.astype("<" + kind))}


def _text(data: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(data).tobytes()).decode("ascii")
