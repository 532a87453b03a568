"""How Numba compiles kernels: its own passes, without those that find nothing to do in a kernel.

Kernels have no closures, no generators, seldom arrays, and nearly never anything that is counted.  Numba looks for all
of these in every function; for each variable it would also take apart tuples of a hundred views, to count references
to none of them, whenever the variable is set and when it is seen last.

Views do not keep their arrays alive, so arrays made in a kernel or entry live until it returns.
"""

from llvmlite.ir import Constant
from numba.core import ir, types
from numba.core.cgutils import alloca_once
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaError
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from hitogata.lanes.linker import EntryLibrary, KernelLibrary


class KernelLower(Lower):
    """Numba's lowering; what is not counted is neither loaded nor cleared for counting."""

    def lower_block(self, block):
        """All instructions of a block."""
        self.pre_block(block)
        for inst in block.body:
            self.loc = inst.loc
            try:
                self.lower_inst(inst)
            except NumbaError as error:
                error.add_context(f'lowering "{inst}" at {inst.loc}')
                raise
        self.post_block(block)

    def _counted(self, ty):
        return self.context.data_model_manager[ty].contains_nrt_meminfo()

    def alloca_lltype(self, name, lltype, datamodel=None):
        """Room for a variable; debuggers are not told about it."""
        return alloca_once(self.builder, lltype, name=name, zfill=False)

    def incref(self, typ, val):
        """Count a reference, if there is anything to count."""
        if self._counted(typ):
            super().incref(typ, val)

    def decref(self, typ, val):
        """Count a reference less, if there is anything to count."""
        if self._counted(typ):
            super().decref(typ, val)

    def storevar(self, value, name, argidx=None):
        """Set a variable; what it held before matters only if it is counted."""
        fetype = self.typeof(name)
        if argidx is not None or self._counted(fetype):
            super().storevar(value, name, argidx)
        elif name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            pointer = self.getvar(name)
            if value.type != pointer.type.pointee:
                raise AssertionError(f"storing {value.type} in '{name}', which is {fetype}")
            self.builder.store(value, pointer)

    def delvar(self, name):
        """Forget a variable.  One that is counted, an array, is put aside until the function returns: views of it may
        be in use."""
        if name not in self._blk_local_varmap:  # as Numba has it: deleted before it is set
            self._singly_assigned_vars.discard(name)
        fetype = self.typeof(name)
        if not self._counted(fetype):
            return
        self._alloca_var(name, fetype)
        aside = self._aside(name)
        self.decref(fetype, self.builder.load(aside))  # of an earlier turn of a loop
        if name in self._blk_local_varmap:
            self.builder.store(self._blk_local_varmap[name], aside)
        else:
            pointer = self.getvar(name)
            self.builder.store(self.builder.load(pointer), aside)
            self.builder.store(Constant(pointer.type.pointee, None), pointer)

    def lower_inst(self, inst):
        """One instruction; before the function returns, what was put aside is let go."""
        if isinstance(inst, ir.Return):
            for name in self._counted_names():
                self.decref(self.typeof(name), self.builder.load(self._aside(name)))
        super().lower_inst(inst)

    def _counted_names(self):
        """Variables that are put aside at some time, in order."""
        deleted = (inst.value for block in self.blocks.values() for inst in block.find_insts(ir.Del))
        return [name for name in dict.fromkeys(deleted) if self._counted(self.typeof(name))]

    def _aside(self, name):
        """Where the value of a deleted variable waits; nothing at first."""
        if not hasattr(self, "_asides"):
            self._asides = {}
        if name not in self._asides:
            self._asides[name] = self.alloca(f"{name}.aside", self.typeof(name))
        return self._asides[name]


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(BaseNativeLowering):
    _name = "hitogata_lowering"

    @property
    def lowering_class(self):
        return KernelLower


@register_pass(mutates_CFG=True, analysis_only=False)
class _Closures(InlineClosureLikes):
    """Numba's pass, if there is a closure, a comprehension or a list."""

    _name = "hitogata_closures"

    def run_pass(self, state):
        code = state.func_id.code
        if any(isinstance(c, type(code)) for c in code.co_consts) or any(
            expr.op in ("build_list", "make_function") for block in state.func_ir.blocks.values()
            for expr in block.find_exprs()
        ):
            return super().run_pass(state)
        return False


@register_pass(mutates_CFG=True, analysis_only=False)
class _ArrayExpressions(NopythonRewrites):
    """Numba's pass, if there are arrays (or strings) to compute with."""

    _name = "hitogata_array_expressions"

    def run_pass(self, state):
        if any(isinstance(ty, types.Array | types.UnicodeType | types.StringLiteral) for ty in state.typemap.values()):
            return super().run_pass(state)
        return False


_QUICKER = {NativeLowering: _Lowering, InlineClosureLikes: _Closures, NopythonRewrites: _ArrayExpressions}


class _Passes(Compiler):
    """Numba's passes with ours in their places."""

    def define_pipelines(self):
        """The passes of a kernel."""
        (pipeline,) = super().define_pipelines()
        pipeline.passes = [(_QUICKER.get(each, each), text) for each, text in pipeline.passes]
        pipeline.finalize()
        return [pipeline]


class KernelCompiler(_Passes):
    """Into a library that is not loaded."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        library = KernelLibrary(targetctx.codegen(), "kernel") if library is None else library
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class EntryCompiler(_Passes):
    """Into a library that links all kernels it needs."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        if library is None:
            library = EntryLibrary(targetctx.codegen(), "entry")
            library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)
