"""Fingerprint of the code that an entry reaches: the same whenever it would compile to the same.

From the entry's function we follow every name it uses to what it means in the running process: kernels, helpers,
structs, records and constants, and what these use in turn.  Bytecode, constants and layouts count; docstrings,
comments, line numbers, annotations and the place of the files do not.  What is fingerprinted is what would be compiled,
in memory, so a source that was edited after it was loaded cannot mislead.

A name that is a global in a function counts as used where it is only an attribute: too much is reached, never too
little.  This room itself, which makes the code, counts as a whole, without docstrings and comments; so do the versions
of Python, numpy, numba and llvmlite.
"""

import builtins
import functools
import hashlib
import pathlib
import re
import sys
import types
from typing import Any

import numpy as np

from hitogata.lanes import shipped
from hitogata.lanes.bounds import CHECKED

ROOM = pathlib.Path(__file__).resolve().parent

_FOREIGN = ("numba", "llvmlite", "numpy", "scipy", "hitogata.lanes")
"""Modules whose code is known by a version, or by `tools`."""

_SILENT = frozenset(("__doc__", "__module__", "__dict__", "__weakref__", "__annotations__", "__firstlineno__",
                     "__static_attributes__", "__orig_bases__", "__parameters__", "__dataclass_params__",
                     "__dataclass_fields__", "_field_defaults", "__match_args__", "__abstractmethods__", "_abc_impl"))
"""Of a class: what cannot change compiled code, or is said by something else."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@functools.cache
def tools() -> str:
    """Fingerprint of what compiles: this room, Python and the packages under it."""
    versions = sorted(shipped.versions().items()), CHECKED
    digest = hashlib.sha256(repr(versions).encode())
    for path in sorted(ROOM.glob("*.py")):
        code = compile(path.read_bytes(), path.name, "exec", dont_inherit=True, optimize=2)  # 2: without docstrings
        digest.update(path.name.encode() + _code(code))
    return digest.hexdigest()


def reached_code(fn: Any) -> str:
    """Fingerprint of a function, and of everything that it reaches."""
    walk = _Walk()
    walk.name(fn)
    while walk.todo:
        walk.visit(walk.todo.pop())
    lines = sorted(set(walk.lines))
    return hashlib.sha256("\n".join([tools(), *lines]).encode()).hexdigest()


class _Walk:
    """What has been reached: one line of text for each function and class, which names what it uses."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self.keep: list[Any] = []  # so that no address is used again
        self.todo: list[Any] = []
        self.lines: list[str] = []

    def name(self, x: Any) -> str:
        """A value as text: constants in full; functions and classes by name, to be visited."""
        if x is None or isinstance(x, bool | int | float | complex | str | bytes):
            return f"{type(x).__name__} {x!r}"
        if isinstance(x, tuple | list):
            return f"{type(x).__name__}({', '.join(map(self.name, x))})"
        if isinstance(x, set | frozenset):
            return f"{type(x).__name__}({', '.join(sorted(map(self.name, x)))})"
        if isinstance(x, dict):
            return f"dict({', '.join(f'{self.name(k)}: {self.name(v)}' for k, v in x.items())})"
        if isinstance(x, np.ndarray | np.generic):
            return f"{x.dtype} {x.shape} {hashlib.sha256(x.tobytes()).hexdigest()}"
        if isinstance(x, types.ModuleType):
            return f"module {x.__name__}"
        if id(x) not in self.seen:
            self.seen[id(x)] = self._label(x)
            self.keep.append(x)
            self.todo.append(x)
        return self.seen[id(x)]

    def _label(self, x: Any) -> str:
        inner = getattr(x, "py_func", x)
        where = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(x).__qualname__)}"
        code = getattr(inner, "__code__", None)
        own = _code(code, inner.__doc__).hex()[:16] if isinstance(code, types.CodeType) else ""
        return f"{type(x).__name__} {where} {own}"

    def visit(self, x: Any) -> None:
        """Write the line of one function, class or other object."""
        label = self.seen[id(x)]
        if _foreign(x):
            self.lines.append(label)
        elif isinstance(x, type) and "SIGNATURE" in vars(x):  # declared memory
            self.lines.append(f"{label} {vars(x)['SIGNATURE']} {self.name(vars(x)['KINDS'])}")
        elif hasattr(x, "py_func"):  # kernels and entries
            options = sorted((k, str(sorted(v) if isinstance(v, set) else v)) for k, v in x.targetoptions.items())
            self.lines.append(f"{label} {options} {getattr(x, '_kinds', '')} {self.name(x.py_func)}")
        elif isinstance(x, types.FunctionType):
            self.lines.append(f"{label} {self._function(x)}")
        elif isinstance(x, type):
            own = [(k, v) for k, v in sorted(vars(x).items()) if k not in _SILENT]
            text = ", ".join(f"{k}={self.name(v)}" for k, v in own)
            self.lines.append(f"{label} of {self.name(x.__bases__)}: {text}")
        else:
            self.lines.append(f"{label} {self._object(x)}")

    def _function(self, fn: types.FunctionType) -> str:
        parts = [_code(fn.__code__, fn.__doc__).hex(), self.name(fn.__defaults__), self.name(fn.__kwdefaults__)]
        for cell in fn.__closure__ or ():
            try:
                parts.append(self.name(cell.cell_contents))
            except ValueError:  # not set yet
                parts.append("empty")
        names = _names(fn.__code__)
        modules = []
        for name in names:
            if name in fn.__globals__:
                value = fn.__globals__[name]
                parts.append(f"{name}={self.name(value)}")
                if isinstance(value, types.ModuleType):
                    modules.append(value)
            elif not hasattr(builtins, name):
                parts.append(name)
        while modules:
            module = modules.pop()
            if not module.__name__.startswith(_FOREIGN) and hasattr(module, "__file__"):
                for name in names:
                    if name in vars(module):
                        value = vars(module)[name]
                        parts.append(f"{module.__name__}.{name}={self.name(value)}")
                        if isinstance(value, types.ModuleType):
                            modules.append(value)
        return ", ".join(parts)

    def _object(self, x: Any) -> str:
        """Properties, methods, intrinsics, members of enums, instances: by what they hold."""
        for attributes in (("fget", "fset"), ("__func__",), ("_defn",), ("func", "args", "keywords"), ("_value_",)):
            if all(hasattr(x, a) for a in attributes):
                return f"{self.name(type(x))} {', '.join(self.name(getattr(x, a)) for a in attributes)}"
        held = getattr(x, "__dict__", None) or {
            slot: getattr(x, slot) for slot in getattr(type(x), "__slots__", ()) if hasattr(x, slot)
        }
        if held:
            return f"{self.name(type(x))} {self.name(held)}"
        return f"{self.name(type(x))} {_ADDRESS.sub('', repr(x))}"


def _foreign(x: Any) -> bool:
    """Built in, or from a package that has a version."""
    if isinstance(x, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType
                  | types.GetSetDescriptorType | types.MemberDescriptorType | np.ufunc):
        return True
    itself = isinstance(x, type | types.FunctionType)
    module = getattr(x if itself else getattr(x, "py_func", type(x)), "__module__", None) or "builtins"
    if itself and module.partition(".")[0] in sys.stdlib_module_names:
        return True
    return module.startswith(_FOREIGN) and (
        itself or not (hasattr(x, "_defn") or type(x).__name__ == "Width"))


_codes: dict[int, tuple[Any, bytes]] = {}


def _code(code: types.CodeType, doc: str | None = None) -> bytes:
    """Digest of bytecode, with the functions inside; without lines, files and the docstring."""
    found = _codes.get(id(code))
    if found is None:
        consts = list(code.co_consts)
        if doc is not None and consts and consts[0] == doc:
            consts[0] = None
        text = [_code(c).hex() if isinstance(c, types.CodeType) else _constant(c) for c in consts]
        whole = (code.co_code.hex(), text, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
                 code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_name)
        found = _codes[id(code)] = (code, hashlib.sha256(repr(whole).encode()).digest())
    return found[1]


def _constant(c: Any) -> str:
    return f"{type(c).__name__} {sorted(map(repr, c)) if isinstance(c, frozenset) else c!r}"


@functools.cache
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Names that a function uses, and the functions inside it."""
    found = dict.fromkeys(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            found.update(dict.fromkeys(_names(c)))
    return tuple(found)
