"""The plan of the whole body: a quadratic program over the frames ahead, by Riccati's recursion and ADMM.

State x = [θ, c, ω, ċ]: how far the body's orientation, centre of mass, spin over inertia and velocity are from the
wanted motion.  With f the forces at the corners of the feet, F and N what the motion itself would need,

    ω' = ω + h I⁻¹ (Σ (p - c_ref) × f + F × c - N)        θ' = θ + h ω'
    ċ' = ċ + h (Σ f - F) / m                              c' = c + h ċ'

least of Σ ½ xᵀQx + ½ r|f - f_0|² with every f in its friction cone.  ADMM splits that (Boyd et al. 2011; for control,
with one factor for all rounds, Nguyen et al. 2024): f from the linear-quadratic problem with ρ/2 |f - z + y|² added,
z = the nearest forces in the cones to f + y, y += f - z.

Forces act through their wrench w = G f alone, so a frame needs inverses of 6 x 6 only: with M = BᵀPB, Γ = GGᵀ,
s = r + ρ, f_1 what the two quadratic terms alone would choose,

    f = f_1 - Gᵀ (s + M Γ)⁻¹ (M G f_1 + Bᵀ(P A x + p)).
"""

from numpy import empty, zeros

from hitogata.lanes import Floats, Ints, entry, kernel, sqrt

POS, VEL, STATE, WRENCH = 6, 6, 12, 6


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
def open_frame(k, frames, arms, active, A, B, G):
    """Matrices of a frame: x' = A x + B w + B d, w = G f; forces in body weights."""
    h = frames[k, 0]
    for i in range(12):
        for j in range(12):
            A[i, j] = 0.0
        for j in range(6):
            B[i, j] = 0.0
        A[i, i] = 1.0
    for i in range(6):
        A[i, 6 + i] = h
    fx, fy, fz = frames[k, 10], frames[k, 11], frames[k, 12]
    for i in range(3):
        a, b, c = frames[k, 1 + 3 * i], frames[k, 2 + 3 * i], frames[k, 3 + 3 * i]  # a row of I⁻¹, in 1/(kg m²)
        # I⁻¹ (F × c): columns of skew(F) are (0, fz, -fy), (-fz, 0, fx), (fy, -fx, 0)
        r0, r1, r2 = h * (b * fz - c * fy), h * (c * fx - a * fz), h * (a * fy - b * fx)
        A[6 + i, 3], A[6 + i, 4], A[6 + i, 5] = r0, r1, r2
        A[i, 3], A[i, 4], A[i, 5] = h * r0, h * r1, h * r2
        B[6 + i, 0], B[6 + i, 1], B[6 + i, 2] = h * a, h * b, h * c
        B[9 + i, 3 + i] = h * frames[k, 19]
        B[i, 0], B[i, 1], B[i, 2] = h * h * a, h * h * b, h * h * c
        B[3 + i, 3 + i] = h * h * frames[k, 19]
    for c in range(arms.shape[1]):
        for i in range(6):
            for j in range(3):
                G[i, 3 * c + j] = 0.0
        if active[k, c] > 0:
            x, y, z = arms[k, c, 0], arms[k, c, 1], arms[k, c, 2]
            G[0, 3 * c + 1], G[0, 3 * c + 2] = -z, y
            G[1, 3 * c], G[1, 3 * c + 2] = z, -x
            G[2, 3 * c], G[2, 3 * c + 1] = -y, x
            for j in range(3):
                G[3 + j, 3 * c + j] = 1.0
    return 0


@kernel
def factor_plan(frames, arms, active, weights, stiff, keep):
    """Riccati's recursion from the last frame to the first; what rollouts need goes into `keep`."""
    n, m = arms.shape[0], 3 * arms.shape[1]
    A, B, G = empty((12, 12)), empty((12, 6)), empty((6, m))
    P, PA, PB = zeros((12, 12)), empty((12, 12)), empty((12, 6))
    M, E, V, Z = empty((6, 6)), empty((6, 6)), empty((6, 6)), empty((6, 12))
    for i in range(12):
        P[i, i] = weights[1, i]
    for k in range(n - 1, -1, -1):
        open_frame(k, frames, arms, active, A, B, G)
        for i in range(12):
            for j in range(12):
                t = 0.0
                for l in range(12):
                    t += P[i, l] * A[l, j]
                PA[i, j] = t
            for j in range(6):
                t = 0.0
                for l in range(12):
                    t += P[i, l] * B[l, j]
                PB[i, j] = t
        for i in range(6):
            for j in range(6):
                t = 0.0
                for l in range(12):
                    t += B[l, i] * PB[l, j]
                M[i, j] = t
            for j in range(12):
                t = 0.0
                for l in range(12):
                    t += B[l, i] * PA[l, j]
                Z[i, j] = t
        for i in range(6):
            for j in range(6):
                t = 0.0
                for l in range(m):
                    t += G[i, l] * G[j, l]
                V[i, j] = t
        for i in range(6):
            for j in range(6):
                t = 0.0
                for l in range(6):
                    t += M[i, l] * V[l, j]
                E[i, j] = t
            E[i, i] = E[i, i] + stiff
        inverse = keep[k, 0:36].reshape(6, 6)
        kept_M = keep[k, 36:72].reshape(6, 6)
        kept_Z = keep[k, 72:144].reshape(6, 12)
        kept_P = keep[k, 144:288].reshape(12, 12)
        invert6(E, inverse)
        for i in range(6):
            for j in range(6):
                kept_M[i, j] = M[i, j]
            for j in range(12):
                kept_Z[i, j] = Z[i, j]
        for i in range(12):
            for j in range(12):
                kept_P[i, j] = P[i, j]  # of the next state
        # P = Q + AᵀPA - Zᵀ (Γ E⁻¹) Z
        for i in range(6):
            for j in range(6):
                t = 0.0
                for l in range(6):
                    t += V[i, l] * inverse[l, j]
                E[i, j] = t
        for i in range(12):
            for j in range(i + 1):
                t = 0.0
                for l in range(12):
                    t += A[l, i] * PA[l, j]
                for a in range(6):
                    s = 0.0
                    for b in range(6):
                        s += E[a, b] * Z[b, j]
                    t -= Z[a, i] * s
                if i == j:
                    t += weights[0, i]
                P[i, j] = t
                P[j, i] = t
    for i in range(12):
        for j in range(12):
            keep[n, 12 * i + j] = P[i, j]
    return 0


@kernel
def sweep_plan(frames, arms, active, weights, options, keep, x0, wanted, forces, states, extra):
    """One solution of the linear-quadratic problem: forces and states; `wanted`: f_1 of each frame."""
    n, m = arms.shape[0], 3 * arms.shape[1]
    A, B, G = empty((12, 12)), empty((12, 6)), empty((6, m))
    p, v, g = zeros(12), empty(12), empty(6)
    for k in range(n - 1, -1, -1):
        open_frame(k, frames, arms, active, A, B, G)
        inverse, M = keep[k, 0:36].reshape(6, 6), keep[k, 36:72].reshape(6, 6)
        Z, P = keep[k, 72:144].reshape(6, 12), keep[k, 144:288].reshape(12, 12)
        # v = P (B d) + p, d = -[N; F]
        for i in range(12):
            t = 0.0
            for j in range(6):
                t -= B[i, j] * frames[k, 13 + j]
            states[k + 1, i] = t  # kept for a moment
        for i in range(12):
            t = p[i]
            for j in range(12):
                t += P[i, j] * states[k + 1, j]
            v[i] = t
        for i in range(6):
            t = 0.0
            for j in range(12):
                t += B[j, i] * v[j]
            for j in range(6):
                w = 0.0
                for l in range(m):
                    w += G[j, l] * wanted[k, l]
                t += M[i, j] * w
            g[i] = t
        for i in range(6):
            t = 0.0
            for j in range(6):
                t += inverse[i, j] * g[j]
            extra[k, i] = t
        # p = Aᵀ v + Zᵀ w(f at x = 0)
        for i in range(6):
            t = 0.0
            for l in range(m):
                s = wanted[k, l]
                for j in range(6):
                    s -= G[j, l] * extra[k, j]
                t += G[i, l] * s
            g[i] = t
        for i in range(12):
            t = 0.0
            for j in range(12):
                t += A[j, i] * v[j]
            for j in range(6):
                t += Z[j, i] * g[j]
            p[i] = t
    for i in range(12):
        states[0, i] = x0[i]
    if options[5] > 0.0:  # the start is free: P x + p = 0
        P = keep[n, 0:144].reshape(12, 12)
        solve_positive(P, keep[n, 144:288].reshape(12, 12), p, v)
        for i in range(12):
            states[0, i] = -v[i]
    for k in range(n):
        open_frame(k, frames, arms, active, A, B, G)
        inverse, Z = keep[k, 0:36].reshape(6, 6), keep[k, 72:144].reshape(6, 12)
        for i in range(6):
            t = 0.0
            for j in range(12):
                t += Z[i, j] * states[k, j]
            v[i] = t
        for i in range(6):
            t = extra[k, i]
            for j in range(6):
                t += inverse[i, j] * v[j]
            g[i] = t
        for l in range(m):
            t = wanted[k, l]
            for j in range(6):
                t -= G[j, l] * g[j]
            forces[k, l] = t if active[k, l // 3] > 0 else 0.0
        for i in range(6):
            t = -frames[k, 13 + i]
            for l in range(m):
                t += G[i, l] * forces[k, l]
            g[i] = t
        for i in range(12):
            t = 0.0
            for j in range(12):
                t += A[i, j] * states[k, j]
            for j in range(6):
                t += B[i, j] * g[j]
            states[k + 1, i] = t
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
    keep = scratch[: (n + 1) * 288].reshape(n + 1, 288)
    rest = scratch[(n + 1) * 288 :]
    extra = rest[: n * 6].reshape(n, 6)
    wanted = rest[n * 6 : n * (6 + 3 * corners)].reshape(n, 3 * corners)
    factor_plan(frames, arms, active, weights, effort + rho, keep)
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
        sweep_plan(frames, arms, active, weights, options, keep, x0, wanted, forces, states, extra)
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
