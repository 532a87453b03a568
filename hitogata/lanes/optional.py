"""Arguments that may be None, told apart when a kernel is compiled.

Numba prunes `if x is None` only where x is None; so a function that returns a view or None has, for an
array, a type that may be either.  These two know.
"""

from numba.core import types
from numba.extending import intrinsic

from hitogata.lanes.bounds import view_at
from hitogata.lanes.types import LaneView
from hitogata.lanes.views import check_array


def _none(context, builder, sig, args):
    return context.get_dummy_value()


@intrinsic
def view_or_none(typingctx, array):
    """Kernel only: flat view of an array at width 1, or None."""
    if isinstance(array, types.NoneType):
        return types.none(array), _none
    check_array(array)
    return LaneView(array.dtype, 1)(array), _flat


def _flat(context, builder, sig, args):
    array = context.make_array(sig.args[0])(context, builder, args[0])
    return view_at((context, builder), sig.return_type, array.data, array.nitems)


@intrinsic
def given(typingctx, argument, value):
    """Kernel only: the value if the argument is there, else None."""
    if isinstance(argument, types.NoneType):
        return types.none(argument, value), _none
    return value(argument, value), lambda context, builder, sig, args: args[1]
