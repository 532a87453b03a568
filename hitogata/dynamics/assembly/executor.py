"""Assembly and disassembly of one figure in a given order of joints: for any schedule, and for closed loops."""

from hitogata.dynamics.articulated import add_wrench, find_turning
from hitogata.dynamics.assembly.followers import open_followers
from hitogata.dynamics.assembly.program import HEADER
from hitogata.dynamics.assembly.sweeps import Job, Leaf, Pieces, Step, assemble, disassemble
from hitogata.dynamics.batches import scratch, status_of
from hitogata.dynamics.layout import open_tree
from hitogata.lanes import X1, Floats, Ints, entry, kernel, lanes, records, tail


@kernel
def open_job(program, memory):
    """Views of a program and its scratch."""
    ints = lanes(program, X1)
    bodies = ints[0]
    leaf = records(tail(ints, HEADER), Leaf)
    step = records(tail(ints, HEADER + bodies * Leaf.SIZE), Step)
    return Job(bodies, leaf, step, ints, memory)


@kernel
def place(tree, works, q, v, wrenches, pushed):
    """All bodies before assembly."""
    for i in range(tree.bodies):
        find_turning(tree.joint[i], tree.body[i], works[i], works, q, v)
        if pushed:
            add_wrench(tree.joint[i], tree.body[i], works[i], wrenches)


@entry(ints=Ints(1), floats=Floats(1), program=Ints(1), q=Floats(1), v=Floats(1), tau=Floats(1), wrenches=Floats(1),
       out=Floats(1, write=True), reactions=Floats(1, write=True))  # fmt: skip
def assembled_one(ints, floats, program, q, v, tau, wrenches, out, reactions):
    """One state without loops; wrenches may be empty."""
    memory = scratch(ints[0] * Pieces.SIZE + program[1] + 14, out, X1)
    return run_order(ints, floats, program, q, v, tau, wrenches, out, reactions, memory)


@kernel
def run_order(ints, floats, program, q, v, tau, wrenches, out, reactions, memory):
    """The same in a given scratch, which the caller holds."""
    tree, numbers = open_tree(ints, floats), lanes(memory, X1)
    works, rows = records(numbers, Pieces), tail(numbers, tree.bodies * Pieces.SIZE)
    state, speed, torque, result = lanes(q, X1), lanes(v, X1), lanes(tau, X1), lanes(out, X1)
    place(tree, works, state, speed, lanes(wrenches, X1), wrenches.size > 0)
    job = open_job(program, tail(rows, 14))
    assemble(job, tree, works, speed, torque, rows, None)
    disassemble(job, tree, works, result, rows, lanes(reactions, X1), None)
    return status_of(tree, state, speed, torque, None, result, out.size)


@entry(ints=Ints(1), floats=Floats(1), program=Ints(1), q=Floats(1), v=Floats(1), tau=Floats(1), wrenches=Floats(1),
       shares=Floats(1), out=Floats(1, write=True), rates=Floats(1, write=True),
       reactions=Floats(1, write=True))  # fmt: skip
def followed_one(ints, floats, program, q, v, tau, wrenches, shares, out, rates, reactions):
    """The same in the tree of a figure whose joints follow functions; see `followers` for shares and rates."""
    memory = scratch(ints[0] * Pieces.SIZE + program[1] + 14, out, X1)
    return run_followed(ints, floats, program, q, v, tau, wrenches, shares, out, rates, reactions, memory)


@kernel
def run_followed(ints, floats, program, q, v, tau, wrenches, shares, out, rates, reactions, memory):
    """The same in a given scratch, which the caller holds."""
    tree, numbers = open_tree(ints, floats), lanes(memory, X1)
    works, rows = records(numbers, Pieces), tail(numbers, tree.bodies * Pieces.SIZE)
    state, speed, torque, result = lanes(q, X1), lanes(v, X1), lanes(tau, X1), lanes(out, X1)
    place(tree, works, state, speed, lanes(wrenches, X1), wrenches.size > 0)
    job = open_job(program, tail(rows, 14))
    followers = open_followers(lanes(shares, X1), lanes(rates, X1), program[2], tree.bodies, program[3])
    assemble(job, tree, works, speed, torque, rows, followers)
    disassemble(job, tree, works, result, rows, lanes(reactions, X1), followers)
    return status_of(tree, state, speed, torque, None, result, out.size)
