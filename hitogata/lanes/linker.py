"""Libraries of compiled code: kernels are kept as they are, and optimised once, in the entry that calls them.

Numba links, optimises and loads each function as soon as it is compiled, with copies of all below it.  Ours are never
run by themselves, so a kernel's library only keeps its own module.  An entry links all modules that it reaches, each
once, makes them its own (no other code of the process can take their place: a process that compiles would round
differently from one that finds the same entries on disk), and optimises the whole.
"""

from collections.abc import Iterator

from llvmlite import binding
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary


class KernelLibrary(JITCodeLibrary):
    """Code of a kernel: it goes into the entries that call it, and is never run by itself."""

    def __init__(self, codegen, name):
        super().__init__(codegen, name)
        self.modules = []

    @property
    def codegen(self):
        """Stands for Numba's: nothing is loaded, so there are no environments to set."""
        return _NoEnvironments

    def get_pointer_to_function(self, name):
        """None: it is not loaded."""
        return 0

    def add_ir_module(self, ir_module):
        """Keep a module as it is."""
        self._raise_if_finalized()
        module = binding.parse_assembly(cgutils.normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        self.modules.append(module)

    def finalize(self):
        """Nothing: see `EntryLibrary.finalize`."""
        self._finalized = True

    def _get_module_for_linking(self):
        """All in one, for functions of Numba's own that call kernels."""
        if self._shared_module is None:
            _link(self._final_module, self)
            _set_linkage(self._final_module, set(), "linkonce_odr")
            self._shared_module = self._final_module
        return self._shared_module


class _NoEnvironments:
    @staticmethod
    def set_env(name, env):
        pass


class EntryLibrary(JITCodeLibrary):
    """Code of an entry, with all kernels that it calls."""

    def add_ir_module(self, ir_module):
        """Add a module, to be optimised with the rest."""
        self._raise_if_finalized()
        module = binding.parse_assembly(cgutils.normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        module.data_layout = self._codegen._data_layout
        self._final_module.link_in(module)

    def finalize(self):
        """Link, optimise and load."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        own = {fn.name for fn in self._final_module.functions if not fn.is_declaration}
        _link(self._final_module, self)
        # Not yet "internal": LLVM would inline whatever is called once, which takes it twice the time.
        _set_linkage(self._final_module, own, "linkonce_odr")
        self._optimize_final_module()
        _set_linkage(self._final_module, own, "internal")
        self._final_module.verify()
        self._finalize_final_module()


def _set_linkage(module: binding.ModuleRef, but: set[str], linkage: str) -> None:
    """Of all functions that a module defines, but for some."""
    for fn in module.functions:
        if not fn.is_declaration and fn.name not in but:
            fn.linkage = linkage


def _reached(library: JITCodeLibrary, seen: set[int]) -> Iterator[JITCodeLibrary]:
    """The libraries that one of ours calls, directly or not, each once."""
    for called in library._linking_libraries:
        if id(called) not in seen:
            seen.add(id(called))
            yield called
            if isinstance(called, KernelLibrary):
                yield from _reached(called, seen)


def _link(module: binding.ModuleRef, library: JITCodeLibrary) -> None:
    """Everything that a library reaches, into a module."""
    seen = {id(library)}
    for part in library.modules if isinstance(library, KernelLibrary) else ():
        module.link_in(part, preserve=True)
    for called in _reached(library, seen):
        library._reload_init.update(called._reload_init)
        if isinstance(called, KernelLibrary):
            for part in called.modules:
                module.link_in(part, preserve=True)
        else:
            module.link_in(called._get_module_for_linking(), preserve=True)
