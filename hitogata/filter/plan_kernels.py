"""The plan of the whole body: a quadratic program over the frames ahead, by Riccati's recursion and ADMM.

State x = [p, r], p = [θ, c], r = [ω, ċ]: how far the body's orientation, centre of mass, spin over inertia and velocity
are from the wanted motion.  With f the forces at the corners of the feet, F and N what the motion itself would need,

    ω' = ω + h I⁻¹ (Σ (p - c_ref) × f + F × c - N)        θ' = θ + h ω'
    ċ' = ċ + h (Σ f - F) / m                              c' = c + h ċ'

least of Σ ½ xᵀQx + ½ r|f - f_0|² with every f in its friction cone.  ADMM splits that (Boyd et al. 2011; for control,
with one factor for all rounds, Nguyen et al. 2024): f from the linear-quadratic problem with ρ/2 |f - z + y|² added,
z = the nearest forces in the cones to f + y, y += f - z.

As x' = x + [h; 1] r', r' - r = H c + b w, with w = G f - [N; F] the wrench, b = h diag(I⁻¹, 1/m), H = h I⁻¹ skew(F):

    S = P [h; 1]      U = [h 1] S      Y = Sᵀ A = [ [h 1] P + U H,  U ]      Z = b Y = Bᵀ P A      M = b U b = Bᵀ P B

so a frame costs products of 6 x 6, and forces act through their wrench alone: with Γ = GGᵀ, s = r + ρ, f_1 what the two
quadratic terms alone would choose,

    f = f_1 - Gᵀ (s + M Γ)⁻¹ (M G f_1 + Bᵀ(P A x + p)).
"""

from numpy import empty, zeros

from hitogata.lanes import Floats, Ints, entry, kernel, sqrt

KEEP = 261
"""Numbers of a frame that sweeps need: (s + M Γ)⁻¹, M, Z, S; and H, and the diagonal blocks of b."""


@kernel
def invert6(a, out):
    """Inverse of a 6 x 6 matrix by Gauss-Jordan with pivots; a is destroyed."""
    for i in range(6):
        for j in range(6):
            out[i, j] = 0.0
        out[i, i] = 1.0
    for k in range(6):
        best = k
        for i in range(k + 1, 6):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            for j in range(6):
                t = a[k, j]
                a[k, j] = a[best, j]
                a[best, j] = t
                t = out[k, j]
                out[k, j] = out[best, j]
                out[best, j] = t
        scale = 1.0 / a[k, k]
        for j in range(6):
            a[k, j] = a[k, j] * scale
            out[k, j] = out[k, j] * scale
        for i in range(6):
            if i != k:
                f = a[i, k]
                if f != 0.0:
                    for j in range(6):
                        a[i, j] = a[i, j] - f * a[k, j]
                        out[i, j] = out[i, j] - f * out[k, j]
    return 0


@kernel
def solve_positive(matrix, factor, right, out):
    """Solve with a symmetric positive 12 x 12 matrix by Cholesky's factor."""
    for i in range(12):
        for j in range(i + 1):
            t = matrix[i, j]
            for l in range(j):
                t -= factor[i, l] * factor[j, l]
            if i == j:
                factor[i, i] = sqrt(max(t, 1e-300))
            else:
                factor[i, j] = t / factor[j, j]
    for i in range(12):
        t = right[i]
        for l in range(i):
            t -= factor[i, l] * out[l]
        out[i] = t / factor[i, i]
    for i in range(11, -1, -1):
        t = out[i]
        for l in range(i + 1, 12):
            t -= factor[l, i] * out[l]
        out[i] = t / factor[i, i]
    return 0


@kernel
def open_frame(k, frames, b, H):
    """b and H of a frame; forces in body weights."""
    h = frames[k, 0]
    for i in range(6):
        for j in range(6):
            b[i, j] = 0.0
        b[i, i] = h * frames[k, 19]
    fx, fy, fz = frames[k, 10], frames[k, 11], frames[k, 12]
    for i in range(3):
        a0, a1, a2 = h * frames[k, 1 + 3 * i], h * frames[k, 2 + 3 * i], h * frames[k, 3 + 3 * i]
        # columns of skew(F) are (0, fz, -fy), (-fz, 0, fx), (fy, -fx, 0)
        H[i, 0], H[i, 1], H[i, 2] = a1 * fz - a2 * fy, a2 * fx - a0 * fz, a0 * fy - a1 * fx
        b[i, 0], b[i, 1], b[i, 2] = a0, a1, a2
    return h


@kernel
def gram(arms, active, k, V):
    """Γ = GGᵀ of the corners in contact."""
    for i in range(6):
        for j in range(6):
            V[i, j] = 0.0
    for c in range(arms.shape[1]):
        if active[k, c] > 0:
            x, y, z = arms[k, c, 0], arms[k, c, 1], arms[k, c, 2]
            V[0, 0] += y * y + z * z
            V[1, 1] += x * x + z * z
            V[2, 2] += x * x + y * y
            V[1, 0] -= x * y
            V[2, 0] -= x * z
            V[2, 1] -= y * z
            V[4, 0] -= z
            V[5, 0] += y
            V[3, 1] += z
            V[5, 1] -= x
            V[3, 2] -= y
            V[4, 2] += x
            for i in range(3, 6):
                V[i, i] += 1.0
    for i in range(6):
        for j in range(i):
            V[j, i] = V[i, j]
    return 0


@kernel
def wrench_of(arms, active, k, forces, w):
    """w = G f of one frame."""
    for i in range(6):
        w[i] = 0.0
    for c in range(arms.shape[1]):
        if active[k, c] > 0:
            x, y, z = arms[k, c, 0], arms[k, c, 1], arms[k, c, 2]
            fx, fy, fz = forces[k, 3 * c], forces[k, 3 * c + 1], forces[k, 3 * c + 2]
            w[0] += y * fz - z * fy
            w[1] += z * fx - x * fz
            w[2] += x * fy - y * fx
            w[3] += fx
            w[4] += fy
            w[5] += fz
    return 0


@kernel
def product(a, b, out):
    """out = a b."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            t = 0.0
            for l in range(b.shape[0]):
                t += a[i, l] * b[l, j]
            out[i, j] = t
    return 0


@kernel
def factor_plan(frames, arms, active, weights, stiff, keep, last):
    """Riccati's recursion from the last frame to the first; what sweeps need goes into `keep`, P into `last`."""
    n = arms.shape[0]
    P, U, Y = zeros((12, 12)), empty((6, 6)), empty((6, 12))
    E, V, W, X = empty((6, 6)), empty((6, 6)), empty((6, 6)), empty((6, 12))
    for i in range(12):
        P[i, i] = weights[1, i]
    for k in range(n - 1, -1, -1):
        inverse = keep[k, 0:36].reshape(6, 6)
        M = keep[k, 36:72].reshape(6, 6)
        Z = keep[k, 72:144].reshape(6, 12)
        S = keep[k, 144:216].reshape(12, 6)
        b, H = keep[k, 216:252].reshape(6, 6), keep[k, 252:261].reshape(3, 3)
        h = open_frame(k, frames, b, H)
        for i in range(12):
            for j in range(6):
                S[i, j] = h * P[i, j] + P[i, 6 + j]
        for i in range(6):
            for j in range(6):
                U[i, j] = h * S[i, j] + S[6 + i, j]
        for i in range(6):
            for j in range(6):
                Y[i, j] = S[j, i]
                Y[i, 6 + j] = U[i, j]
            for j in range(3):
                Y[i, 3 + j] += U[i, 0] * H[0, j] + U[i, 1] * H[1, j] + U[i, 2] * H[2, j]
        product(b, Y, Z)  # b is symmetric
        product(b, U, W)
        product(W, b, M)
        gram(arms, active, k, V)
        product(M, V, E)
        for i in range(6):
            E[i, i] += stiff
        invert6(E, inverse)
        # P = Q + AᵀPA - Zᵀ (Γ (s + M Γ)⁻¹) Z
        product(V, inverse, W)
        product(W, Z, X)
        for i in range(6):
            for j in range(3):
                P[i, 3 + j] += S[i, 0] * H[0, j] + S[i, 1] * H[1, j] + S[i, 2] * H[2, j]
        for i in range(3):
            for j in range(6):
                P[3 + i, j] += H[0, i] * Y[0, j] + H[1, i] * Y[1, j] + H[2, i] * Y[2, j]
        for i in range(12):
            for j in range(i + 1):
                t = P[i, j] if i < 6 else Y[i - 6, j]
                for l in range(6):
                    t -= Z[l, i] * X[l, j]
                if i == j:
                    t += weights[0, i]
                P[i, j] = t
                P[j, i] = t
    for i in range(12):
        for j in range(12):
            last[i, j] = P[i, j]
    return 0


@kernel
def sweep_plan(frames, arms, active, options, keep, first, x0, wanted, forces, states, extra):
    """One solution of the linear-quadratic problem: forces and states; `wanted`: f_1 of each frame."""
    n, corners = arms.shape[0], arms.shape[1]
    p, v, g, w, u = zeros(12), empty(12), empty(6), empty(6), empty(6)
    for k in range(n - 1, -1, -1):
        inverse, M = keep[k, 0:36].reshape(6, 6), keep[k, 36:72].reshape(6, 6)
        Z, S = keep[k, 72:144].reshape(6, 12), keep[k, 144:216].reshape(12, 6)
        b, H, h = keep[k, 216:252].reshape(6, 6), keep[k, 252:261].reshape(3, 3), frames[k, 0]
        for i in range(6):
            t = 0.0
            for j in range(6):
                t -= b[i, j] * frames[k, 13 + j]
            u[i] = t
        for i in range(12):  # v = P A 0 + P [h; 1] b d + p, d = -[N; F]
            t = p[i]
            for j in range(6):
                t += S[i, j] * u[j]
            v[i] = t
        for i in range(6):
            u[i] = h * v[i] + v[6 + i]
        wrench_of(arms, active, k, wanted, w)
        for i in range(6):
            t = 0.0
            for j in range(6):
                t += b[i, j] * u[j] + M[i, j] * w[j]
            g[i] = t
        for i in range(6):
            t = 0.0
            for j in range(6):
                t += inverse[i, j] * g[j]
            extra[k, i] = t
        # p = Aᵀ v + Zᵀ G (f_1 - Gᵀ extra)
        take_back(arms, active, k, extra[k], w)
        for i in range(6):
            p[i] = v[i]
            p[6 + i] = u[i]
        for i in range(3):
            p[3 + i] += H[0, i] * u[0] + H[1, i] * u[1] + H[2, i] * u[2]
        for i in range(12):
            t = p[i]
            for j in range(6):
                t += Z[j, i] * w[j]
            p[i] = t
    for i in range(12):
        states[0, i] = x0[i]
    if options[5] > 0.0:  # the start is free: P x + p = 0
        solve_positive(first[0], first[1], p, v)
        for i in range(12):
            states[0, i] = -v[i]
    for k in range(n):
        inverse, Z = keep[k, 0:36].reshape(6, 6), keep[k, 72:144].reshape(6, 12)
        b, H, h = keep[k, 216:252].reshape(6, 6), keep[k, 252:261].reshape(3, 3), frames[k, 0]
        for i in range(6):
            t = 0.0
            for j in range(12):
                t += Z[i, j] * states[k, j]
            u[i] = t
        for i in range(6):
            t = extra[k, i]
            for j in range(6):
                t += inverse[i, j] * u[j]
            g[i] = t
        for c in range(corners):
            l = 3 * c
            if active[k, c] > 0:
                x, y, z = arms[k, c, 0], arms[k, c, 1], arms[k, c, 2]
                forces[k, l] = wanted[k, l] - (g[3] + g[1] * z - g[2] * y)
                forces[k, l + 1] = wanted[k, l + 1] - (g[4] + g[2] * x - g[0] * z)
                forces[k, l + 2] = wanted[k, l + 2] - (g[5] + g[0] * y - g[1] * x)
            else:
                forces[k, l], forces[k, l + 1], forces[k, l + 2] = 0.0, 0.0, 0.0
        wrench_of(arms, active, k, forces, w)
        for j in range(6):
            w[j] -= frames[k, 13 + j]
        for i in range(6):
            t = states[k, 6 + i]
            for j in range(6):
                t += b[i, j] * w[j]
            if i < 3:
                t += H[i, 0] * states[k, 3] + H[i, 1] * states[k, 4] + H[i, 2] * states[k, 5]
            states[k + 1, 6 + i] = t
        for i in range(6):
            states[k + 1, i] = states[k, i] + h * states[k + 1, 6 + i]
    return 0


@kernel
def take_back(arms, active, k, e, w):
    """w -= G Gᵀ e."""
    for c in range(arms.shape[1]):
        if active[k, c] > 0:
            x, y, z = arms[k, c, 0], arms[k, c, 1], arms[k, c, 2]
            fx, fy, fz = e[3] + e[1] * z - e[2] * y, e[4] + e[2] * x - e[0] * z, e[5] + e[0] * y - e[1] * x
            w[0] -= y * fz - z * fy
            w[1] -= z * fx - x * fz
            w[2] -= x * fy - y * fx
            w[3] -= fx
            w[4] -= fy
            w[5] -= fz
    return 0


@kernel
def into_cone(x, y, z, normal, friction, most):
    """The nearest force in a friction cone, and not larger than `most` along the normal."""
    along = x * normal[0] + y * normal[1] + z * normal[2]
    tx, ty, tz = x - along * normal[0], y - along * normal[1], z - along * normal[2]
    across = sqrt(tx * tx + ty * ty + tz * tz)
    if across > friction * along:
        if friction * across <= -along:
            return 0.0, 0.0, 0.0
        along = (along + friction * across) / (1.0 + friction * friction)
        scale = friction * along / max(across, 1e-300)
        tx, ty, tz = tx * scale, ty * scale, tz * scale
        across = friction * along
    if along > most:
        along = most
        if across > friction * most:
            scale = friction * most / across
            tx, ty, tz = tx * scale, ty * scale, tz * scale
    return tx + along * normal[0], ty + along * normal[1], tz + along * normal[2]


@kernel
def run_plan(frames, arms, active, normals, weights, options, x0, usual, z, y, states, forces, scratch):
    """Rounds of ADMM; z are the forces in the cones."""
    n, corners = arms.shape[0], arms.shape[1]
    effort, rho, friction, most = options[0], options[1], options[2], options[3]
    rounds = int(options[4])
    keep = scratch[: n * KEEP].reshape(n, KEEP)
    rest = scratch[n * KEEP :]
    extra = rest[: n * 6].reshape(n, 6)
    wanted = rest[n * 6 : n * (6 + 3 * corners)].reshape(n, 3 * corners)
    first = empty((2, 12, 12))
    factor_plan(frames, arms, active, weights, effort + rho, keep, first[0])
    gap = 0.0
    for _ in range(rounds):
        for k in range(n):
            for c in range(corners):
                for j in range(3):
                    l = 3 * c + j
                    if active[k, c] > 0:
                        wanted[k, l] = (effort * usual[k, l] + rho * (z[k, l] - y[k, l])) / (effort + rho)
                    else:
                        wanted[k, l] = 0.0
        sweep_plan(frames, arms, active, options, keep, first, x0, wanted, forces, states, extra)
        gap = 0.0
        for k in range(n):
            for c in range(corners):
                if active[k, c] > 0:
                    l = 3 * c
                    a, b, d = into_cone(
                        1.6 * forces[k, l] - 0.6 * z[k, l] + y[k, l],
                        1.6 * forces[k, l + 1] - 0.6 * z[k, l + 1] + y[k, l + 1],
                        1.6 * forces[k, l + 2] - 0.6 * z[k, l + 2] + y[k, l + 2],
                        normals[k, c],
                        friction,
                        most,
                    )
                    y[k, l] += 1.6 * forces[k, l] - 0.6 * z[k, l] - a
                    y[k, l + 1] += 1.6 * forces[k, l + 1] - 0.6 * z[k, l + 1] - b
                    y[k, l + 2] += 1.6 * forces[k, l + 2] - 0.6 * z[k, l + 2] - d
                    gap = max(gap, abs(forces[k, l] - a), abs(forces[k, l + 1] - b), abs(forces[k, l + 2] - d))
                    z[k, l], z[k, l + 1], z[k, l + 2] = a, b, d
                else:
                    for j in range(3):
                        z[k, 3 * c + j], y[k, 3 * c + j] = 0.0, 0.0
    return gap


@entry(
    frames=Floats(2), arms=Floats(3), active=Ints(2), normals=Floats(3), weights=Floats(2), options=Floats(1),
    x0=Floats(1), usual=Floats(2), z=Floats(2, write=True), y=Floats(2, write=True), states=Floats(2, write=True),
    forces=Floats(2, write=True), scratch=Floats(1, write=True),
)  # fmt: skip
def plan_rounds(frames, arms, active, normals, weights, options, x0, usual, z, y, states, forces, scratch):
    """Rounds of ADMM on frames (n, 20): h, I⁻¹ (9), F (3), [N; F] (6), 1/m; see the head of the file."""
    return run_plan(frames, arms, active, normals, weights, options, x0, usual, z, y, states, forces, scratch)
