"""Rows and walls together: Cholesky's factor of the rows, and pushes of the walls on top (see `levels`)."""

from hitogata.lanes import kernel, maximum, sqrt, tail
from hitogata.motion.puppet.lcp import press

LEAST = 1e-12
"""Diagonals of walls are kept above this, where nothing can move."""


@kernel
def solve_rows(bench, count, stride, walls, pivots):
    """Forces for what is asked, and pushes for the slack of the walls.  See `levels`."""
    factorise(bench.factor, count, stride)
    forward(bench.factor, count, stride, bench.asked, bench.force)
    if walls > 0:
        for a in range(walls):
            y = tail(bench.whitened, a * stride)
            forward(bench.factor, count, stride, tail(bench.across, a * stride), y)
            slack = bench.slack[a]
            for k in range(count):
                slack = slack + y[k] * bench.force[k]
            bench.slack[a] = slack
            for b in range(a + 1):
                z, value = tail(bench.whitened, b * stride), bench.between[a * walls + b]
                for k in range(count):
                    value = value - y[k] * z[k]
                bench.among[a * walls + b] = value
            bench.among[a * walls + a] = maximum(bench.among[a * walls + a], LEAST)
        press(bench, walls, pivots)
        for a in range(walls):
            y, push = tail(bench.whitened, a * stride), bench.wall[a].push
            for k in range(count):
                bench.force[k] = bench.force[k] - y[k] * push
    backward(bench.factor, count, stride, bench.force)


@kernel
def factorise(m, count, stride):
    """K = L Lᵀ in the lower half; the diagonal holds 1/L_kk."""
    for i in range(count):
        for j in range(i + 1):
            value = m[i * stride + j]
            for k in range(j):
                value = value - m[i * stride + k] * m[j * stride + k]
            if i == j:
                m[i * stride + i] = 1.0 / sqrt(maximum(value, LEAST * LEAST))
            else:
                m[i * stride + j] = value * m[j * stride + j]


@kernel
def forward(m, count, stride, asked, out):
    """out = L⁻¹ asked."""
    for i in range(count):
        value = asked[i]
        for k in range(i):
            value = value - m[i * stride + k] * out[k]
        out[i] = value * m[i * stride + i]


@kernel
def backward(m, count, stride, out):
    """out = L⁻ᵀ out."""
    for i in range(count - 1, -1, -1):
        value = out[i] * m[i * stride + i]
        out[i] = value
        for k in range(i):
            out[k] = out[k] - m[i * stride + k] * value
