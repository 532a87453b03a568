"""From Numba's instructions to LLVM's, for kernels.

What Numba writes for a kernel, LLVM takes apart again; with as little of it as possible both are quick:

- A variable that is set once, before anybody reads it, is the value itself; Numba keeps all that cross a branch in
  memory.
- Structs are packs of their members, see `builder`.
- A loop over a range counts, and that is all.  (A range whose step is 0 has no turns; Python raises an error.)
- A kernel that cannot raise an error is not asked whether it did.
- What is not counted is not looked at for counting, and nothing is cleared that is set anyway.
"""

from llvmlite.ir import Constant
from llvmlite.ir.instructions import Ret
from numba.core import cgutils, ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.errors import NumbaError
from numba.core.lowering import Lower

from hitogata.lanes.builder import KernelBuilder, drop_unused

_RANGES = (types.range_state64_type, types.range_state32_type)
_TURNS = (types.range_iter64_type, types.range_iter32_type)


class KernelLower(Lower):
    """Numba's lowering, without detours."""

    def setup_function(self, fndesc):
        """Begin a function, with our builder."""
        super().setup_function(fndesc)
        self.builder = KernelBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def lower_normal_function(self, fndesc):
        """The whole; what nobody asks for is dropped, and callers are told whether it may raise an error."""
        super().lower_normal_function(fndesc)
        drop_unused(self.function)
        codes = [b.terminator.return_value for b in self.function.blocks if isinstance(b.terminator, Ret)]
        self.library.raises = not all(isinstance(code, Constant) and code.constant == 0 for code in codes)

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

    # ------------------------------------------------------- variables

    def _find_singly_assigned_variable(self):
        """Variables that are values: set once, where everybody who reads them came by before."""
        blocks = self.func_ir.blocks
        found, dominators = compute_use_defs(blocks), compute_cfg_from_blocks(blocks).dominators()
        homes, readers = {}, {}
        for offset, block in blocks.items():
            for inst in block.find_insts(ir.Assign):
                homes.setdefault(inst.target.name, []).append(offset)
        for offset, names in found.usemap.items():
            for name in names:
                readers.setdefault(name, []).append(offset)
        self._blk_local_varmap, self._singly_assigned_vars = {}, {
            name for name, at in homes.items() if len(at) == 1 and name in found.defmap[at[0]]
            and all(at[0] < reader and at[0] in dominators[reader] for reader in readers.get(name, ()))
            and not (name in readers and self._counted(self.typeof(name)))
        }  # fmt: skip

    def alloca_lltype(self, name, lltype, datamodel=None):
        """Room for a variable; debuggers are not told about it."""
        if datamodel is not None and not datamodel.contains_nrt_meminfo():
            return self.builder.slot(lltype, name)
        return cgutils.alloca_once(self.builder, lltype, name=name)

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

    # ------------------------------------------------------- counted variables

    def _counted(self, ty):
        return self.context.data_model_manager[ty].contains_nrt_meminfo()

    def incref(self, typ, val):
        """Count a reference, if there is anything to count."""
        if self._counted(typ):
            super().incref(typ, val)

    def decref(self, typ, val):
        """Count a reference less, if there is anything to count."""
        if self._counted(typ):
            super().decref(typ, val)

    def delvar(self, name):
        """Forget a variable.  One that is counted, an array, is put aside until the function returns: views of it may
        be in use."""
        fetype = self.typeof(name)
        if not self._counted(fetype):
            return
        if name not in self._blk_local_varmap:  # as Numba has it: deleted before it is set
            self._singly_assigned_vars.discard(name)
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

    # ------------------------------------------------------- ranges and calls

    def lower_expr(self, resty, expr):
        """One expression."""
        builder, op = self.builder, expr.op
        if op in ("pair_first", "pair_second"):
            return builder.extract_value(self.loadvar(expr.value.name), 0 if op == "pair_first" else 1)
        if op == "call" and resty in _RANGES and not (expr.kws or expr.vararg):
            args = [self._cast_var(x, resty.dtype) for x in expr.args]
            zero, one = (Constant(args[0].type, x) for x in (0, 1))
            members = [zero, *args, one] if len(args) == 1 else [*args, one][:3]
            return builder.pack(self.context.get_value_type(resty), members)
        if op == "getiter" and resty in _TURNS and self.typeof(expr.value.name) in _RANGES:
            begin, stop, step = (builder.extract_value(self.loadvar(expr.value.name), k) for k in range(3))
            at = builder.slot(begin.type, "at")
            builder.store(begin, at)
            return builder.pack(self.context.get_value_type(resty), [at, stop, step, at])
        if op == "iternext" and self.typeof(expr.value.name) in _TURNS:
            return self._next_turn(self.loadvar(expr.value.name), self.context.get_value_type(resty))
        return super().lower_expr(resty, expr)

    def _next_turn(self, turns, pair):
        """Where a loop is, and whether it goes on."""
        builder = self.builder
        at, stop, step = (builder.extract_value(turns, k) for k in range(3))
        now = builder.load(at)
        if isinstance(step, Constant):
            going = builder.icmp_signed("<" if step.constant > 0 else ">", now, stop)
        else:
            up, down = (builder.icmp_signed(sign, step, Constant(step.type, 0)) for sign in "><")
            below, above = (builder.icmp_signed(sign, now, stop) for sign in "<>")
            going = builder.or_(builder.and_(up, below), builder.and_(down, above))
        builder.store(builder.add(now, step, flags=("nsw",)), at)
        return builder.pack(pair, [now, going])

    def _lower_call_normal(self, fnty, expr, signature):
        """Call a kernel; errors are asked for only where there may be any."""
        made = fnty.dispatcher.overloads.get(tuple(signature.args)) if isinstance(fnty, types.Dispatcher) else None
        if made is None or getattr(made.library, "raises", True) or isinstance(signature.return_type, types.Optional):
            return super()._lower_call_normal(fnty, expr, signature)
        values = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
        called, context, builder = made.fndesc, self.context, self.builder
        self.library.add_linking_library(made.library)
        function = self.module.globals.get(called.mangled_name) or context.declare_function(self.module, called)
        result = builder.slot(function.args[0].type.pointee)
        args = context.get_arg_packer(called.argtypes).as_arguments(builder, values)
        builder.call(function, [result, Constant(function.args[1].type, None), *args])
        return context.get_returned_value(builder, called.restype, builder.load(result))
