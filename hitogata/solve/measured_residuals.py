"""Residuals of impulses, compiled: a Solution judges itself at every call."""

import numpy as np

from hitogata.lanes import Floats, Ints, Number, entry, kernel


@entry(A=Floats(2), b=Floats(1), low=Floats(1), high=Floats(1), scales=Floats(1), mu=Floats(1), triples=Ints(2),
       size=Number(), lam=Floats(1), w=Floats(1, write=True), out=Floats(1, write=True))  # fmt: skip
def measure(A, b, low, high, scales, mu, triples, size, lam, w, out):
    """w = A λ + b; out = natural, friction, and relative residual (see `Residuals`)."""
    n = b.size
    tangent = np.zeros(n, np.bool_)
    for c in range(triples.shape[0]):
        tangent[triples[c, 1]] = True
        if triples[c, 2] >= 0:  # −1: friction in the plane
            tangent[triples[c, 2]] = True
    natural, friction, scaled = 0.0, 0.0, 0.0
    for i in range(n):
        speed, s = b[i], scales[i]
        for j in range(n):
            speed += A[i, j] * lam[j]
        w[i] = speed
        if not tangent[i]:
            natural = max(natural, missed(lam[i], speed, low[i], high[i]))
            scaled = max(scaled, missed(lam[i], s * s * speed, low[i], high[i]) / s)
    for c in range(triples.shape[0]):
        n, i, j = triples[c]
        radius, s = mu[c] * max(lam[n], 0.0), scales[i]
        other, drift = (lam[j], w[j]) if j >= 0 else (0.0, 0.0)
        friction = max(friction, slipped(lam[i], other, w[i], drift, radius))
        scaled = max(scaled, slipped(lam[i], other, s * s * w[i], s * s * drift, radius) / s)
    out[0], out[1], out[2] = natural, friction, scaled / size


@kernel
def missed(x, v, low, high):
    """|x − clip(x − v, low, high)|, without losing a small v beside a large x."""
    return abs(min(max(v, x - high), x - low))


@kernel
def slipped(x, y, vx, vy, radius):
    """Distance of a point from the projection on the disc of the point less v."""
    tx, ty = x - vx, y - vy
    length = np.hypot(tx, ty)
    if length <= radius:
        return np.hypot(vx, vy)
    shrink = radius / length
    return np.hypot(x - tx * shrink, y - ty * shrink)
