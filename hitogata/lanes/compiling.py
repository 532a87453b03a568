"""@kernel and @entry: what gets compiled, and what the user sees of it.

    @kernel    loops and branches; called from kernels and entries only
    @entry     called from Python, kept compiled on disk (see `caching`), with arguments
               that can be checked (see `kinds`)

Entries release the GIL, so blocks of figures are shared out over Python threads (see
`threads`).  The first use of an entry with arguments of new types, in a process that finds
no compiled code on disk, prints one line to stderr:

    hitogata: compiling forward (f64 x4), once ... 1.4 s

HITOGATA_QUIET=1 silences it.
"""

import functools
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import sigutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.imputils import lower_constant
from numba.core.registry import CPUDispatcher
from numba.extending import models, register_model

from hitogata.lanes.caching import open_cache
from hitogata.lanes.kinds import Kind, admit
from hitogata.lanes.stands import FLAGS
from hitogata.lanes.types import WidthType

OPTIONS = {"fastmath": set(FLAGS), "error_model": "numpy", "boundscheck": False, "nogil": True}


class _LinkedLibrary(JITCodeLibrary):
    """Code of a kernel: it goes into the entries that call it, and is never run by itself.

    Numba would also load it into the process, where it takes the place of the entries' own copies, which were
    optimised with what is known of their callers: a process that compiles would round differently from one that
    finds the same entries on disk.
    """

    @property
    def codegen(self):
        return _NoEnvironments

    def get_pointer_to_function(self, name):
        return 0

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def _optimize_final_module(self):
        """Once, in the entries that call it: in deep rooms each level would optimise all below it again."""


class _NoEnvironments:
    @staticmethod
    def set_env(name, env):
        pass


class _KernelCompiler(Compiler):
    """Numba's pipeline, into a library that is not loaded."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        library = _LinkedLibrary(targetctx.codegen(), "kernel") if library is None else library
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class KernelType(types.Dispatcher):
    """Numba type of a kernel.  A kernel handed to another one is known by its type alone.

    (Numba would hand over the address of a Python object, and then cannot keep the code on disk.)
    """


register_model(KernelType)(models.OpaqueModel)


@lower_constant(KernelType)
def _kernel_constant(context, builder, ty, value):
    return context.get_dummy_value()


class Kernel(CPUDispatcher):
    """Numba's dispatcher of a function that is called from kernels only."""

    @property
    def _numba_type_(self):
        return KernelType(self)


def kernel(fn: Callable[..., Any] | None = None, *, inline: bool = False) -> Any:
    """Decorator: a function with loops and branches that is called from kernels only.

    Kernels may be arguments of kernels: run(core, ...) is compiled anew for each core.

    Args:
        fn: the function.
        inline: write it into its callers, whatever its size; what it stores for its caller then stays in registers.
    """
    if fn is None:
        return functools.partial(kernel, inline=inline)
    options = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": inline, **OPTIONS}
    return Kernel(fn, {}, options, _KernelCompiler)


class _Compiler(_FunctionCompiler):
    """Numba's compiler of one function; runs only when there is nothing on disk."""

    def compile(self, args, return_type):
        with _progress(self.py_func.__name__, args):
            return super().compile(args, return_type)


class Entry(CPUDispatcher):
    """Numba's dispatcher, with checked arguments, our cache, and a word to the user."""

    def __init__(self, py_func, locals=None, targetoptions=None, pipeline_class=Compiler, kinds=None):
        options = {"nopython": True, **OPTIONS} if targetoptions is None else targetoptions
        super().__init__(py_func, locals, options, pipeline_class)
        self._compiler = _Compiler(py_func, self.targetdescr, options, self.locals, pipeline_class)
        self._names = tuple(inspect.signature(py_func).parameters)
        self._kinds = kinds or {}
        unknown = set(self._kinds) - set(self._names)
        if unknown:
            raise TypeError(f"{py_func.__name__} has no argument {', '.join(sorted(unknown))}")
        self._opened = False

    def _reduce_states(self):
        return {**super()._reduce_states(), "kinds": self._kinds}

    @classmethod
    def _rebuild(cls, kinds, **states):
        rebuilt = super()._rebuild(**states)
        rebuilt._kinds = kinds
        return rebuilt

    def compile(self, sig):
        """Compile, or load from disk, for the given argument types."""
        args, return_type = sigutils.normalize_signature(sig)
        plain = admit(self.py_func.__name__, self._names, self._kinds, args)
        if not self._opened:  # not at import: the stamp reads every source
            self._cache, self._opened = open_cache(self.py_func), True
        point = super().compile(plain if return_type is None else return_type(*plain))
        args = tuple(args)
        if args != plain and args not in self.overloads:  # the same code, under another name
            self._insert([a._code for a in args], point, False)
            self.overloads[args] = self.overloads[plain]
        return point


def entry(fn: Callable[..., Any] | None = None, /, **kinds: Kind) -> Any:
    """Decorator: a kernel to call from Python, kept compiled on disk.

    Args:
        fn: the function.
        **kinds: what an argument must be (Floats, Ints or Number), by its name; see `kinds`.
    """
    if fn is None:
        return lambda fn: Entry(fn, kinds=kinds)
    return Entry(fn, kinds=kinds)


_compiling = 0  # entries being compiled inside each other; guarded by Numba's global compiler lock


@contextmanager
def _progress(name: str, args: Any) -> Iterator[None]:
    """One line about the outermost compilation."""
    global _compiling
    quiet = _compiling > 0 or os.environ.get("HITOGATA_QUIET", "0") not in ("", "0") or sys.stderr is None
    start = time.perf_counter()
    if not quiet:
        print(f"hitogata: compiling {name} ({_variant(args)}), once ...", end="", file=sys.stderr, flush=True)
    _compiling += 1
    end = " failed"
    try:
        yield
        end = f" {time.perf_counter() - start:.1f} s"
    finally:
        _compiling -= 1
        if not quiet:
            print(end, file=sys.stderr, flush=True)


def _variant(args: Any) -> str:
    """Float type and width, for people: f64 x4."""
    dtypes = [a.dtype if isinstance(a, types.Array) else a for a in args]
    bits = next((d.bitwidth for d in dtypes if isinstance(d, types.Float)), 64)
    return f"f{bits} x{next((a.n for a in args if isinstance(a, WidthType)), 1)}"
