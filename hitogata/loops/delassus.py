"""The Delassus matrix of virtual links: products with whitened rows, where they are not zero.

That is in the joints between a link's bodies and the root.

Two links feel each other in the joints that lie on the ways of both.  If each holds one body only, that is from where
their ways meet down to the root: two feet share the root alone.
"""

from hitogata.lanes import inline, kernel, packed, struct, tail
from hitogata.loops.pivots import product
from hitogata.loops.recursion import reply


@kernel
def coupled(links, k):
    """Whether a link's forces are unknowns: of a rigid one always, of a compliant one if they are those of later."""
    return links.link[k].rigid == 1 or links.row[links.link[k].first].lag > 0.0


@kernel
def multiply(bench, count):
    """B = Y Yᵀ of the first `count` rows, where their links are coupled."""
    links, b, stride = bench.links, bench.reply, bench.links.stride
    for k in range(links.total):
        for m in range(k + 1):
            if links.link[k].first < count and coupled(links, k) and coupled(links, m):
                multiply_pair(bench, links.link[k], links.link[m])
    for i in range(count):
        for j in range(i + 1, count):
            b[i * stride + j] = b[j * stride + i]


@kernel
def multiply_pair(bench, k, m):
    """Rows of link k by columns of link m, which stands not after it: columns beyond those of m are written anew."""
    tree, out, stride, at = bench.tree, packed(bench.reply), bench.links.stride, bench.links.stride * k.first + m.first
    out[at] = 0.0
    low, high = all_six(out[at]), all_six(out[at])  # columns of m: the first four, and the others
    if k.body_b >= 0 or m.body_b >= 0:
        low, high = add_products(bench, k.first, m.first, 0, tree.nv, low, high)
    else:
        a, b = k.body_a, m.body_a
        while a != b:
            if a > b:
                a = tree.joint[a].parent
            else:
                b = tree.joint[b].parent
        while a >= 0:
            joint = tree.joint[a]
            low, high = add_products(bench, k.first, m.first, joint.iv, joint.iv + joint.count, low, high)
            a = joint.parent
    store_rows(out, at, stride, k.count, low)
    if m.count > out.step:
        store_rows(out, at + out.step, stride, k.count, high)


@struct
class Six:
    """A number, or a few neighbours, of each row of a link."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float


@inline
def all_six(x):
    """The same for all rows."""
    return Six(x, x, x, x, x, x)


@inline
def six_of(view, at):
    """Numbers of six neighbours."""
    return Six(view[at], view[at + 1], view[at + 2], view[at + 3], view[at + 4], view[at + 5])


@inline
def grown(six, y, x):
    """six + y x."""
    return Six(six.a + y.a * x, six.b + y.b * x, six.c + y.c * x, six.d + y.d * x, six.e + y.e * x, six.f + y.f * x)


@kernel
def add_products(bench, k, m, begin, end, low, high):
    """What some motions contribute to the products of rows from k on with columns from m on.

    Links with fewer than six rows have some products for nothing.
    """
    white, many, stride = bench.white, packed(bench.white), bench.links.stride
    for n in range(begin, end):
        y, at = six_of(white, n * stride + k), n * stride + m
        low, high = grown(low, y, many[at]), grown(high, y, many[at + many.step])
    return low, high


@kernel
def store_rows(out, at, stride, count, six):
    """The rows of a link, one below the other."""
    for n, row in enumerate((six.a, six.b, six.c, six.d, six.e, six.f)):
        if n < count:
            out[at + n * stride] = row


@kernel
def spread(bench, force, count):
    """What forces of the first `count` rows do to the velocities, into change[1]."""
    tree, links = bench.tree, bench.links
    for k in range(tree.nv):
        bench.change[k] = 0.0
    for k in range(links.total):
        if links.link[k].first < count and coupled(links, k):
            push_joints(bench, links.link[k], force)
    reply(tree, bench.limb, bench.change, tail(bench.change, tree.nv))


@kernel
def push_joints(bench, link, force):
    """Whitened pushes of one link's forces, into change[0]: once in each joint on the ways of its bodies."""
    joints, a, b = bench.tree.joint, link.body_a, link.body_b
    while a >= 0 or b >= 0:
        if a == b:
            b = -1
        i = max(a, b)
        joint = joints[i]
        for n in range(joint.iv, joint.iv + joint.count):
            more = product(bench.white, n * bench.links.stride + link.first, tail(force, link.first), link.count)
            bench.change[n] = bench.change[n] + more
        if a > b:
            a = joint.parent
        else:
            b = joint.parent
