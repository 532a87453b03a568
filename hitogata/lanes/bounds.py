"""HITOGATA_CHECK=1: every view knows where it ends, and a step out of it is an error that names the field.

Without it views are bare pointers, and nothing here costs anything.  With it a view is a pointer, the numbers from
there to its end, and the name of the field it was opened as; each load and store asks first.  A step out of bounds
reads and writes some spare memory instead, is noted, and becomes an `OutOfBoundsError` when the entry returns.

Compiled code of the two kinds is kept apart (`stamps`).
"""

import ctypes
import hashlib
import os
from typing import Any

import numpy as np
from llvmlite import binding, ir

from hitogata.errors import HitogataError

CHECKED = os.environ.get("HITOGATA_CHECK", "0") not in ("", "0")

SPARE = 1 << 17
"""Bytes to read and write instead: more than any record at width 16."""

_NOWHERE = np.zeros(SPARE, np.uint8)
_NAMES = {0: "an array"}
_FAILURES: dict[int, tuple[int, int, int]] = {}  # of each field the first
_SYMBOL, _FUNCTION = "hitogata_step_out_of_bounds", "hitogata_within_bounds"
_I8, _I64 = ir.IntType(8).as_pointer(), ir.IntType(64)


class OutOfBoundsError(HitogataError, IndexError):
    """A kernel read or wrote beyond the end of a view."""


def register_name(name: str) -> int:
    """A number for the name of a field, the same in every process."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "little")
    _NAMES[key] = name
    return key


def raise_failures() -> None:
    """An error, if kernels stepped out of bounds since the last call."""
    if _FAILURES:
        found = list(_FAILURES.items())
        _FAILURES.clear()
        told = [f"{_NAMES.get(k, 'a field')}: {count} bytes at {start}, of {size}" for k, (start, count, size) in found]
        raise OutOfBoundsError("out of bounds: " + "; ".join(told))


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
def _note(key: int, start: int, count: int, size: int) -> int:
    _FAILURES.setdefault(key, (start, count, size))
    return int(_NOWHERE.ctypes.data)


if CHECKED:
    binding.add_symbol(_SYMBOL, ctypes.cast(_note, ctypes.c_void_p).value)


def data_of(to: Any, view: Any) -> Any:
    """Pointer of a view."""
    return to[1].extract_value(view, 0) if CHECKED else view


def size_of(to: Any, view: Any) -> Any:
    """Numbers from there to its end."""
    return to[1].extract_value(view, 1)


def name_of(to: Any, view: Any) -> Any:
    """Number of the name of its field."""
    return to[1].extract_value(view, 2)


def view_at(to: Any, ty: Any, pointer: Any, size: Any = 0, name: Any = 0) -> Any:
    """A view of so many numbers, as type ty."""
    if not CHECKED:
        return pointer
    out = ir.Constant(to[0].get_value_type(ty), ir.Undefined)
    for k, x in enumerate((pointer, size, name)):
        out = to[1].insert_value(out, ir.Constant(_I64, x) if isinstance(x, int) else x, k)
    return out


def reach(to: Any, view: Any, start: Any, count: Any) -> Any:
    """Address of number `start` of a view, of which `count` are wanted; LLVM values or whole numbers."""
    start, count = (ir.Constant(_I64, x) if isinstance(x, int) else x for x in (start, count))
    builder, data = to[1], data_of(to, view)
    if not CHECKED:
        return builder.gep(data, [start])
    size = to[0].get_abi_sizeof(data.type.pointee)
    at, many, end = (builder.mul(x, ir.Constant(_I64, size)) for x in (start, count, size_of(to, view)))
    found = builder.call(_within(builder.module), [builder.bitcast(data, _I8), at, many, end, name_of(to, view)])
    return builder.bitcast(found, data.type)


def _within(module: ir.Module) -> ir.Function:
    """A function (data, start, count, size, name) of bytes: address of the start, or of spare memory."""
    if _FUNCTION in module.globals:
        return module.globals[_FUNCTION]
    fn = ir.Function(module, ir.FunctionType(_I8, [_I8, _I64, _I64, _I64, _I64]), _FUNCTION)
    fn.linkage = "linkonce_odr"
    fn.attributes.add("noinline")
    note = ir.Function(module, ir.FunctionType(_I8, [_I64] * 4), _SYMBOL)
    data, start, count, size, name = fn.args
    builder = ir.IRBuilder(fn.append_basic_block())
    left = builder.sub(size, start)
    fits = builder.and_(builder.icmp_unsigned("<=", start, size), builder.icmp_unsigned("<=", count, left))
    with builder.if_then(fits, likely=True):
        builder.ret(builder.gep(data, [start]))
    builder.ret(builder.call(note, [name, start, count, size]))
    return fn
