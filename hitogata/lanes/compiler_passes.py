"""How Numba compiles kernels: its own passes, without those that find nothing to do in a kernel.

Kernels have no closures, no generators, seldom arrays, and nearly never anything that is counted.  Numba looks for all
of these in every function.  How instructions are written: see `lowering`.

Views do not keep their arrays alive, so arrays made in a kernel or entry live until it returns.
"""

from numba.core import types
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, _pass_registry, register_pass
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import BaseNativeLowering, IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from hitogata.lanes.linker import EntryLibrary, KernelLibrary
from hitogata.lanes.lowering import KernelLower


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


@register_pass(mutates_CFG=False, analysis_only=False)
class _Legalization(IRLegalization):
    """Numba's pass, which says where variables end, if any of them is counted."""

    _name = "hitogata_legalization"

    def run_pass(self, state):
        models = state.targetctx.data_model_manager
        if any(models[ty].contains_nrt_meminfo() for ty in state.typemap.values()):
            return super().run_pass(state)
        return False


_QUICKER = {
    NativeLowering: _Lowering, InlineClosureLikes: _Closures, NopythonRewrites: _ArrayExpressions,
    IRLegalization: _Legalization,
}  # fmt: skip

_LEFT_OUT = {
    "with_lifting", "Rewrite dynamic raises", "make_function_op_code_to_jit_function", "inline_inlinables",
    "find_literally", "literal_unroll", "inline_overloads", "nopython_supported_feature_validation", "annotate_types",
    "dump_parfor_diagnostics",
}  # fmt: skip
"""Passes of Numba's for what kernels do not have."""


class _KernelPasses(PassManager):
    """Runs passes, without Numba's account of each."""

    def __init__(self, like):
        super().__init__(like.pipeline_name)
        self.passes = [(_QUICKER.get(each, each), text) for each, text in like.passes if each.name() not in _LEFT_OUT]
        self._analysis, self._finalized = like._analysis, like._finalized

    def _runPass(self, index, pss, state):
        pss.analysis = self._analysis
        changed = pss.run_initialization(state)
        changed |= pss.run_pass(state)
        changed |= pss.run_finalizer(state)
        if changed and _pass_registry.get(pss.__class__).mutates_CFG:
            PostProcessor(state.func_ir).run()


class _Passes(Compiler):
    """Numba's passes with ours in their places."""

    def define_pipelines(self):
        """The passes of a kernel."""
        (pipeline,) = super().define_pipelines()
        return [_KernelPasses(pipeline)]


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
