"""The writer of LLVM instructions for kernels: it writes what is needed, and no more.

Numba builds a struct by as many insertvalues as it has members, hands it on member by member, and builds it again in
the function that was called.  Here a struct is one `Pack` of its members; to take a member out of a pack costs nothing,
and packs that nobody asks for as a whole are not written.
"""

from llvmlite import ir
from llvmlite.ir import instructions
from llvmlite.ir.instructions import Instruction

LARGE = 64
"""Arrays of more members than this are built as LLVM has it."""


class Pack(Instruction):
    """A struct or small array made of its members (`operands`), with undefined constants where there is none."""

    def __init__(self, parent, typ, members, name=""):
        super().__init__(parent, typ, "insertvalue", tuple(members), name=name)

    def _to_string(self):
        own, typ, lines, last = self.get_reference(), str(self.type), [], "undef"
        given = [(k, x) for k, x in enumerate(self.operands) if not _undefined(x)]
        for n, (k, x) in enumerate(given):
            name = own if n == len(given) - 1 else f'%"{self.name}..{n}"'
            lines.append(f"{name} = insertvalue {typ} {last}, {x.type} {x.get_reference()}, {k}")
            last = name
        return "\n  ".join(lines)


def _undefined(x):
    return isinstance(x, ir.Constant) and x.constant is ir.Undefined


def _member(x, k):
    """Member k of a value where it is known, or None."""
    if type(x) is Pack:
        return x.operands[k]
    if isinstance(x, ir.Constant):
        kind = x.type.elements[k]
        if x.constant is ir.Undefined or x.constant is None:
            return ir.Constant(kind, x.constant)
    return None


class KernelBuilder(ir.IRBuilder):
    """llvmlite's builder, without detours."""

    def pack(self, typ, members, name=""):
        """A struct or array of these members."""
        if all(map(_undefined, members)):
            return ir.Constant(typ, ir.Undefined)
        instruction = Pack(self.block, typ, members, name)
        self._insert(instruction)
        return instruction

    def extract_value(self, agg, idx, name=""):
        """A member of a struct or array."""
        for k in idx if isinstance(idx, list | tuple) else (idx,):
            known = _member(agg, k)
            agg = super().extract_value(agg, k, name=name) if known is None else known
        return agg

    def insert_value(self, agg, value, idx, name=""):
        """A struct or array with another member."""
        where = list(idx) if isinstance(idx, list | tuple) else [idx]
        typ = agg.type
        if len(where) > 1 or (isinstance(typ, ir.ArrayType) and typ.count > LARGE):
            return super().insert_value(agg, value, idx, name=name)
        if value.type != typ.elements[where[0]]:
            raise TypeError(f"cannot insert {value.type} into {typ} at {where[0]}")
        members = list(agg.operands) if type(agg) is Pack else [
            self.extract_value(agg, k) for k in range(len(typ.elements))
        ]
        members[where[0]] = value
        return self.pack(typ, members, name)

    def gep(self, ptr, indices, inbounds=False, name="", source_etype=None):
        """An address; sums of constants are made here."""
        if len(indices) == 1 and source_etype is None and _known(indices[0]):
            (index,) = indices
            if index.constant == 0:
                return ptr
            if type(ptr) is instructions.GEPInstr and len(ptr.indices) == 1 and _known(ptr.indices[0]):
                index = ir.Constant(index.type, index.constant + ptr.indices[0].constant)
                return self.gep(ptr.pointer, [index], inbounds and ptr.inbounds, name)
        return super().gep(ptr, indices, inbounds, name, source_etype)

    def slot(self, typ, name=""):
        """Room for a variable on the stack, with anything in it."""
        with self.goto_entry_block():
            return self.alloca(typ, name=name)


def _known(index):
    return isinstance(index, ir.Constant) and isinstance(index.constant, int)


_PURE = (
    Pack, instructions.InsertValue, instructions.ExtractValue, instructions.GEPInstr, instructions.CastInstr,
    instructions.SelectInstr, instructions.ICMPInstr, instructions.FCMPInstr, instructions.LoadInstr,
    instructions.InsertElement, instructions.ExtractElement, instructions.ShuffleVector, instructions.AllocaInstr,
)  # fmt: skip


def drop_unused(function):
    """Take out instructions whose results nobody asks for."""
    asked: dict[int, int] = {}
    for block in function.blocks:
        for each in block.instructions:
            for x in _asks_for(each):
                asked[id(x)] = asked.get(id(x), 0) + 1
    for block in reversed(function.blocks):
        kept = []
        for each in reversed(block.instructions):
            if not asked.get(id(each)) and (isinstance(each, _PURE) or type(each) is Instruction):
                for x in _asks_for(each):
                    asked[id(x)] -= 1
            else:
                kept.append(each)
        kept.reverse()
        block.instructions[:] = kept


def _asks_for(instruction):
    if isinstance(instruction, instructions.PhiInstr):
        return [x for x, _ in instruction.incomings]
    return instruction.operands
