"""@kernel and @entry: what gets compiled, and what the user sees of it.

    @kernel    loops and branches; called from kernels and entries only
    @entry     called from Python, kept compiled on disk (see `code_cache`), with arguments
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
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import make_concrete_template
from numba.extending import models, register_model

from hitogata.lanes.bounds import CHECKED, raise_failures
from hitogata.lanes.code_cache import open_cache
from hitogata.lanes.compiler_passes import EntryCompiler, KernelCompiler
from hitogata.lanes.frontend import quick_frontend
from hitogata.lanes.kinds import Kind, admit
from hitogata.lanes.stands import FLAGS
from hitogata.lanes.types import WidthType

OPTIONS = {"fastmath": set(FLAGS), "error_model": "numpy", "boundscheck": CHECKED, "nogil": True}


class KernelType(types.Dispatcher):
    """Numba type of a kernel.  A kernel handed to another one is known by its type alone.

    (Numba would hand over the address of a Python object, and then cannot keep the code on disk.)
    """

    def get_call_type(self, context, args, kws):
        """Signature of a call, compiled if it has not been."""
        kernel = self.dispatcher
        pysig, args = kernel.specialise(args, kws)
        return kernel.overloads[tuple(args)].signature.replace(pysig=pysig)


register_model(KernelType)(models.OpaqueModel)


@lower_constant(KernelType)
def _kernel_constant(context, builder, ty, value):
    return context.get_dummy_value()


class Kernel(CPUDispatcher):
    """Numba's dispatcher of a function that is called from kernels only."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._constant = set()

    @property
    def _numba_type_(self):
        return KernelType(self)

    def specialise(self, args, kws):
        """Compile for some argument types; returns Python's signature, and the types compiled for.

        Constants count as plain numbers: code once per kernel, not once per number.  Numba would compile count(0) for
        the constant 0, and often for nothing: `n = 0` before a loop is a constant only until the loop has been looked
        at.  Kernels that do not compile otherwise get their constants.
        """
        pysig, given = self.fold_argument_types(args, kws)
        given = tuple(given)
        plain = tuple(map(types.unliteral, given))
        if plain not in self._constant:
            try:
                self.compile(plain)
                return pysig, plain
            except TypingError:
                if plain == given:
                    raise
                self._constant.add(plain)
        self.compile(given)
        return pysig, given

    def get_call_template(self, args, kws):
        """As Numba asks for it."""
        pysig, args = self.specialise(args, kws)
        name = self.py_func.__name__
        signatures = [self.overloads[args].signature]
        return make_concrete_template(f"CallTemplate({name})", name, signatures), pysig, args, {}

    def compile(self, sig):
        """Numba's, without what it notes for entries: timers, and the cache on disk."""
        args, return_type = sigutils.normalize_signature(sig)
        args = tuple(args)
        if args not in self.overloads:
            with global_compiler_lock, self._compiling_counter:
                self.add_overload(self._compiler.compile(args, return_type))
        return self.overloads[args].entry_point


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
    return Kernel(fn, {}, options, KernelCompiler)


class _Compiler(_FunctionCompiler):
    """Numba's compiler of one function; runs only when there is nothing on disk."""

    def compile(self, args, return_type):
        with _progress(self.py_func.__name__, args), quick_frontend():
            return super().compile(args, return_type)


class Entry(CPUDispatcher):
    """Numba's dispatcher, with checked arguments, our cache, and a word to the user."""

    def __init__(self, py_func, locals=None, targetoptions=None, pipeline_class=EntryCompiler, kinds=None):
        options = {"nopython": True, **OPTIONS} if targetoptions is None else targetoptions
        super().__init__(py_func, locals, options, pipeline_class)
        self._compiler = _Compiler(py_func, self.targetdescr, options, self.locals, pipeline_class)
        self._names = tuple(inspect.signature(py_func).parameters)
        self._kinds = kinds or {}
        unknown = set(self._kinds) - set(self._names)
        if unknown:
            raise TypeError(f"{py_func.__name__} has no argument {', '.join(sorted(unknown))}")
        self._opened = False

    if CHECKED:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Call it, and say when a kernel stepped out of a view; see `bounds`."""
            result = super().__call__(*args, **kwargs)
            raise_failures()
            return result

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
        with global_compiler_lock:
            if not self._opened:  # not at import: what the entry reaches is not there yet
                self._cache, self._opened = open_cache(self), True
            try:
                point = super().compile(plain if return_type is None else return_type(*plain))
            finally:
                self._cache.release()
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
