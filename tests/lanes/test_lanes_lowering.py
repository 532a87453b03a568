"""Kernels do what the same Python does: loops over ranges, variables set in branches and loops, structs, errors."""

import numpy as np
import pytest
from llvmlite import ir

from hitogata.lanes import X1, X4, any_lane, entry, inline, kernel, lanes, struct, where
from hitogata.lanes.builder import KernelBuilder, Pack, drop_unused


@struct
class Pair:
    x: float
    y: float


@inline
def swapped(a):
    return Pair(a.y, a.x)


def turns(begin, end, step):
    total, last = 0.0, -1.0
    for i in range(begin, end, step):
        for j in range(i, begin, -2):
            total += 10.0 * i + j
        last = i
    return total + last


turn_kernel = kernel(turns)


@entry
def count_turns(begin, end, step):
    return turn_kernel(begin, end, step)


@pytest.mark.parametrize("begin", [-3, 0, 4])
@pytest.mark.parametrize("end", [-4, 0, 5, 11])
@pytest.mark.parametrize("step", [-3, -1, 1, 2, 7])
def test_loops_over_ranges(begin, end, step):
    assert count_turns(begin, end, step) == turns(begin, end, step)


@entry
def count_no_turns():
    return turn_kernel(3, 9, 0)


def test_a_step_of_zero_has_no_turns():
    assert count_no_turns() == -1.0


@kernel
def walk(view, count):
    """Variables that are set once, in branches, anew in each turn, and read after the loop."""
    start, best = view[0] * 2.0, view[0] * 0.0
    for i in range(count):
        now = view[i] + start
        if any_lane(now > 1.0):
            pair = where(now > 1.0, swapped(Pair(best, now)), Pair(best, now))
        else:
            pair = Pair(best, now)
        best = where(pair.x > best, pair.x, best) + 0.5 * pair.y
        if i == 5:
            break
    return best + start + i


@entry
def walk_along(array, out, width):
    view, to = lanes(array, width), lanes(out, width)
    to[0] = walk(view, 8)


def plain_walk(numbers):
    start, best = numbers[0] * 2.0, 0.0
    for i, x in enumerate(numbers[:8]):
        now = x + start
        pair = (now, best) if now > 1.0 else (best, now)
        best = max(pair[0], best) + 0.5 * pair[1]
        if i == 5:
            break
    return best + start + i


@pytest.mark.parametrize("width", [X1, X4])
def test_variables(width):
    rng = np.random.default_rng(3)
    numbers, out = rng.uniform(-2.0, 2.0, (8, width.n)), np.zeros(width.n)
    walk_along(numbers.ravel(), out, width)
    np.testing.assert_allclose(out, [plain_walk(numbers[:, k]) for k in range(width.n)], rtol=1e-13)


def function():
    made = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), [ir.DoubleType().as_pointer()]), "f")
    return made, KernelBuilder(made.append_basic_block())


def test_a_member_of_a_pack_is_the_member():
    made, builder = function()
    one, two = (builder.load(builder.gep(made.args[0], [ir.Constant(ir.IntType(64), k)])) for k in (1, 2))
    typ = ir.LiteralStructType([ir.DoubleType()] * 2)
    pack = builder.insert_value(builder.pack(typ, [one, one]), two, 1)
    assert type(pack) is Pack
    assert builder.extract_value(pack, 0) is one
    assert builder.extract_value(pack, [1]) is two
    assert str(pack).count("insertvalue") == 2


def test_what_nobody_asks_for_is_dropped_and_stores_stay():
    made, builder = function()
    index = ir.Constant(ir.IntType(64), 3)
    near = builder.gep(builder.gep(made.args[0], [index]), [index])
    assert near.pointer is made.args[0]
    assert near.indices[0].constant == 6
    builder.fadd(builder.load(near), builder.load(near))
    builder.store(ir.Constant(ir.DoubleType(), 1.0), near)
    builder.ret_void()
    drop_unused(made)
    (block,) = made.blocks
    assert [each.opname for each in block.instructions] == ["getelementptr", "store", "ret void"]
