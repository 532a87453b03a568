"""Lanes: one kernel source for one figure, or for n figures side by side.

A kernel reads `x = q[i]` and computes.  Compiled at width 1, x is a float; at
width 4, x holds the same coordinate of four figures in one SIMD register.  The
kernel source never says which.  This room gives Numba what it needs for that:

    @struct    small immutable value classes (Vec3, Motion, ...) with operators
    @inline    straight-line helper functions (cross, rotate, ...)
    @record    layout of one element of a flat array; fields are read and written
               by name:  link = links[i];  link.velocity = v
    lanes(array, width, block)            flat view:    view[i], view[i] = x
    records(array, Layout, width, block)  record view:  view[i].field
    tail(view, start), records(view, Layout)   parts of a flat array, and names for them
    packed(view)                          the same, for inner loops over neighbours in memory
    pack(rows, first, view), unpack(view, rows, first)   between one figure per row and lanes
    view_or_none(array), given(argument, value)          for arguments that may be None
    Memory                                what lies in an array, declared once: sizes, numpy views, and by
    open_memory(Declared, array, ...)     the view that kernels have of it (see `memory`)
    address_table(arrays); floats_in(table, k), ints_in(table, k)   many arrays as one argument
    sqrt, rint, floor, absolute, copysign, minimum, maximum, clip, where, is_finite,
    negated, sincos, atan2, gather        for every width
    any_lane(condition), all_lanes(condition)   what a kernel may branch on
    @kernel    a function with loops and branches, called from kernels
    @entry     a kernel to call from Python, kept compiled on disk
    share(count, threads, run)            blocks of figures over threads
    cycles()                              the processor's clock

Structs and helpers are plain Python and stay callable from Python, on numbers and on
numpy arrays: test them there, without compiling.  `docs/lanes.md` is the guide.
"""

from hitogata.lanes.addresses import address_table, floats_in, ints_in
from hitogata.lanes.angles import arctan_excess, atan2, sincos
from hitogata.lanes.bare import bare
from hitogata.lanes.bounds import CHECKED, OutOfBoundsError
from hitogata.lanes.clock import HAS_CYCLES, cycles
from hitogata.lanes.compiler import Entry, entry, kernel
from hitogata.lanes.counts import Count, Given, rounded_up
from hitogata.lanes.fields import LayoutError, floats_of, ints_of, many, number, numbers, one, part, same, whole, wholes
from hitogata.lanes.kinds import ArgumentTypeError, Floats, Ints, Number
from hitogata.lanes.lane_layout import from_blocks, lane_numbers, pack, to_blocks, unpack
from hitogata.lanes.memory import Memory
from hitogata.lanes.memory_layout import MemoryLayout, RecordFields, record_fields
from hitogata.lanes.memory_views import memory_sizes, open_memory
from hitogata.lanes.numbers import (
    absolute,
    all_lanes,
    any_lane,
    clip,
    copysign,
    floor,
    gather,
    is_finite,
    maximum,
    minimum,
    negated,
    rint,
    sqrt,
    where,
)
from hitogata.lanes.optional import given, view_or_none
from hitogata.lanes.records import record, record_offsets, record_size, reuse, several, size
from hitogata.lanes.structs import struct
from hitogata.lanes.tables import Table, float_array, int_array, open_table
from hitogata.lanes.threads import cores, share
from hitogata.lanes.tracing import inline
from hitogata.lanes.types import X1, X4, X8, X16, Width
from hitogata.lanes.views import aligned_zeros, lanes, packed, records, tail

__all__ = [
    "CHECKED",
    "HAS_CYCLES",
    "X1",
    "X4",
    "X8",
    "X16",
    "ArgumentTypeError",
    "Count",
    "Entry",
    "Floats",
    "Given",
    "Ints",
    "LayoutError",
    "Memory",
    "MemoryLayout",
    "Number",
    "OutOfBoundsError",
    "RecordFields",
    "Table",
    "Width",
    "absolute",
    "address_table",
    "aligned_zeros",
    "all_lanes",
    "any_lane",
    "arctan_excess",
    "atan2",
    "bare",
    "clip",
    "copysign",
    "cores",
    "cycles",
    "entry",
    "float_array",
    "floats_in",
    "floats_of",
    "floor",
    "from_blocks",
    "gather",
    "given",
    "inline",
    "int_array",
    "ints_in",
    "ints_of",
    "is_finite",
    "kernel",
    "lane_numbers",
    "lanes",
    "many",
    "maximum",
    "memory_sizes",
    "minimum",
    "negated",
    "number",
    "numbers",
    "one",
    "open_memory",
    "open_table",
    "pack",
    "packed",
    "part",
    "record",
    "record_fields",
    "record_offsets",
    "record_size",
    "records",
    "reuse",
    "rint",
    "rounded_up",
    "same",
    "several",
    "share",
    "sincos",
    "size",
    "sqrt",
    "struct",
    "tail",
    "to_blocks",
    "unpack",
    "view_or_none",
    "where",
    "whole",
    "wholes",
]
