"""Numba's front end, quicker: the same results from fewer Python instructions.

Of the time that it takes to compile a step of a world, three quarters were spent in Numba's own Python: walking the
instructions of a kernel for the variables in them, hashing types that are tuples of tuples, asking thirty templates
which of them adds two numbers, and collecting garbage that there is not.  `quick_frontend` replaces these parts while
one of our entries is compiled, and puts everything back: whoever else uses Numba in the process sees nothing of it.
"""

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import ir, types
from numba.core.base import BaseContext as TargetContext
from numba.core.datamodel.models import DataModel
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.runtime.context import NRTContext
from numba.core.transforms import canonicalize_cfg
from numba.core.typing.context import BaseContext

_depth = 0  # entries being compiled inside each other; guarded by Numba's global compiler lock


@contextmanager
def quick_frontend() -> Iterator[None]:
    """Numba compiles quicker in here; call it with Numba's compiler lock held."""
    global _depth
    _depth += 1
    try:
        if _depth > 1:
            yield
            return
        collecting = gc.isenabled()
        gc.disable()  # a million small objects that live as long as the compilation: 20 % of its time
        replaced = [(owner, name, owner.__dict__[name], quick) for owner, name, quick in _Memo().replacements()]
        try:
            for owner, name, _, quick in replaced:
                setattr(owner, name, quick)
            yield
        finally:
            for owner, name, slow, _ in replaced:
                setattr(owner, name, slow)
            if collecting:
                gc.enable()
    finally:
        _depth -= 1


class _Memo:
    """What was asked before, as long as one entry is compiled."""

    def __init__(self) -> None:
        self.hashes: dict[int, int] = {}  # by the type's address: a type that carries its hash might be pickled with it
        self.hashed: list[Any] = []       # keeps these types, and so their addresses
        self.calls: dict[Any, Any] = {}
        self.attributes: dict[Any, Any] = {}

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """(class, method, quicker method)."""
        return [
            (ir.Inst, "_rec_list_vars", _rec_list_vars),
            (ir.Stmt, "list_vars", _stmt_vars),
            (ir.Expr, "list_vars", _expr_vars),
            (types.Type, "__hash__", self._hash()),
            (types.Type, "__eq__", _type_eq),
            (DataModel, "contains_nrt_meminfo", self._counted(DataModel.contains_nrt_meminfo)),
            (NRTContext, "get_meminfos", _quick_meminfos(NRTContext.get_meminfos)),
            (TargetContext, "mangler", _short_mangler(TargetContext.mangler)),
            (PostProcessor, "run", _quick_postprocess(PostProcessor.run)),
            (types.BaseFunction, "get_call_type", self._call_type(types.BaseFunction.get_call_type)),
            (BaseContext, "find_matching_getattr_template",
             self._getattr_template(BaseContext.find_matching_getattr_template)),
        ]

    def _hash(self) -> Any:
        hashes, hashed = self.hashes, self.hashed

        def quick(self):
            value = hashes.get(id(self))
            if value is None:
                value = hash(self.key)
                if hasattr(self, "_code"):  # interned: types on the way there are as many as questions
                    hashes[id(self)] = value
                    hashed.append(self)
            return value

        return quick

    def _counted(self, slow: Any) -> Any:
        counted: dict[Any, bool] = {}

        def quick(self):
            found = counted.get(self)
            if found is None:
                found = counted[self] = slow(self)
            return found

        return quick

    def _call_type(self, slow: Any) -> Any:
        calls = self.calls

        def quick(self, context, args, kws):
            key = (self, context, args if type(args) is tuple else tuple(args), tuple(kws.items()) if kws else ())
            found = calls.get(key)
            if found is None:
                found = calls[key] = slow(self, context, args, kws)
            return found

        return quick

    def _getattr_template(self, slow: Any) -> Any:
        attributes = self.attributes

        def quick(self, typ, attr):
            key = (self, typ, attr)
            found = attributes.get(key)
            if found is None:
                found = slow(self, typ, attr)
                if found is not None:
                    attributes[key] = found
            return found

        return quick


def _quick_meminfos(slow):
    """Numba's takes a value apart, in the code that it writes, even if nothing of it is counted."""

    def quick(self, builder, ty, val):
        if self._context.data_model_manager[ty].contains_nrt_meminfo():
            return slow(self, builder, ty, val)
        return []

    return quick


def _short_mangler(slow):
    """Names of functions hold a digest of their argument types: in full, they have thousands of letters."""

    def short(self, name, types, *, abi_tags=(), uid=None):
        digest = hashlib.sha256(repr(tuple(types)).encode()).hexdigest()[:20]
        return slow(self, f"{name}.{digest}", (), abi_tags=abi_tags, uid=uid)

    return short


def _quick_postprocess(slow):
    """Where variables live is worked out when somebody asks."""

    def quick(self, emit_dels=False, extend_lifetimes=False):
        function = self.func_ir
        if emit_dels or function.is_generator:
            slow(self, emit_dels, extend_lifetimes)
            return
        function.blocks = canonicalize_cfg(function.blocks)
        function.variable_lifetime = VariableLifetime(function.blocks)
        function.generator_info = None

    return quick


def _type_eq(self, other):
    return self is other or (self.__class__ is other.__class__ and self.key == other.key)


def _rec_list_vars(self, value):
    found = []
    _gather(value, found)
    return found


def _stmt_vars(self):
    found = []
    for value in self.__dict__.values():
        _gather(value, found)
    return found


def _expr_vars(self):
    found = []
    for value in self._kws.values():
        _gather(value, found)
    return found


_PLAIN = frozenset((str, int, float, bool, type(None), ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg))


def _gather(value, found):
    """Variables in a value of an instruction, in the order in which Numba lists them."""
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind in _PLAIN:
        return
    elif kind is ir.Expr:
        for part in value._kws.values():
            _gather(part, found)
    elif isinstance(value, ir.Var):
        found.append(value)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()
    elif isinstance(value, list | tuple):
        for part in value:
            _gather(part, found)
    elif isinstance(value, dict):
        for part in value.values():
            _gather(part, found)
