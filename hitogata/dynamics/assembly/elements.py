"""Assemblies as elements: what any connected piece of a figure looks like from outside, and how two become one.

An assembly is seen through its *interface*: the acceleration a of its top body (given) and the force f that this body
needs (found); at each *open* body below, where joints are still to come, the wrench w that these will need of it
(given) and its acceleration (found); and for each open row of a closed loop the row's force and its acceleration.  All
of this is one symmetric affine map y = K x + c,

    [ f  ]   [ A   F ] [ a ]   [ p ]
    [    ] = [       ] [   ] + [   ]        A: inertia felt at the top, C: compliance felt below, both >= 0
    [ a' ]   [ Fᵀ -C ] [ w ]   [ b ]

A bare body is A = I (6x6 rigid inertia), p = velocity-dependent force.  Three operations make everything else:

release   Joint motions s, one column at a time: a = a_u + s r with sᵀf + armature r = τ.  With g = K[:, top] s and
          D = sᵀ A s + armature, K -= g gᵀ/D, c += g (τ - sᵀp)/D, and r = (τ - sᵀp - g·x)/D when x is known.
join      The lower assembly's top hangs on body k of the upper one.  If k is the upper one's own top, elements add.
          Otherwise f = (1 + A C)⁻¹ (A (a_k without f) + F w + p), always solvable: A C has no eigenvalue below 0.
close     A loop's rows whose bodies are all inside: their force makes their acceleration what it must be; B = -K_rows.

Adding bodies one by one from the tips never meets an open body: K stays 6x6, and this *is* the articulated-body
recursion.  Featherstone 1999 and Yamane & Nakamura 2002 write assemblies by compliances alone (all forces given), which
have no room for massless bodies, and whose inverse inertias grow with the chain; this form, that of scattering
theory (Redheffer 1960), keeps inertia at the top and compliance below.  World axes, about the bodies' origins.
"""

from hitogata.lanes import absolute, kernel
from hitogata.spatial import cross, load3, store3

TOP = 6
"""Numbers of the top's part of an interface."""


@kernel
def clear(m, at, count):
    """Zeros."""
    for i in range(at, at + count):
        m[i] = 0.0


@kernel
def spread(m, src, n0, dst, n, fresh):
    """Copy an element of size n0, with zeros for `fresh` numbers; if n is larger yet, its top also becomes an open
    body, at the end."""
    for i in range(n0):
        for j in range(n0):
            m[dst + i * n + j] = m[src + i * n0 + j]
        m[dst + n * n + i] = m[src + n0 * n0 + i]
    if n > n0:
        for i in range(n0, n):
            for j in range(n):
                m[dst + i * n + j] = 0.0
                m[dst + j * n + i] = 0.0
            m[dst + n * n + i] = 0.0
        if n > n0 + fresh:
            for i in range(TOP):
                m[dst + i * n + n - TOP + i] = 1.0
                m[dst + (n - TOP + i) * n + i] = 1.0


@kernel
def release(m, at, n, s, armature, tau, keep):
    """One motion, at m[s], of the joint above the element gives way.  Keeps g, 1/D and the push at m[keep]."""
    gain, found = armature, tau
    for i in range(n):
        total = 0.0
        for j in range(TOP):
            total = total + m[at + i * n + j] * m[s + j]
        m[keep + i] = total
    for j in range(TOP):
        gain = gain + m[keep + j] * m[s + j]
        found = found - m[at + n * n + j] * m[s + j]
    stiff = 1.0 / gain
    for i in range(n):
        scaled = m[keep + i] * stiff
        for j in range(n):
            m[at + i * n + j] = m[at + i * n + j] - scaled * m[keep + j]
        m[at + n * n + i] = m[at + n * n + i] + scaled * found
    m[keep + n] = stiff
    m[keep + n + 1] = found


@kernel
def carry(m, at, n, arm, drift):
    """The top's part of the interface moves to the parent's origin: a = [u; u_lin + u × arm] + m[drift ...]."""
    for i in range(n):
        row = at + i * n
        total = 0.0
        for j in range(TOP):
            total = total + m[row + j] * m[drift + j]
        m[at + n * n + i] = m[at + n * n + i] + total
        store3(m, row, load3(m, row) + cross(arm, load3(m, row + 3)))
    for j in range(n):
        lower_rows(m, at + j, n, arm)
    lower_rows(m, at + n * n, 1, arm)


@kernel
def lower_rows(m, at, step, arm):
    """f_ang += arm × f_lin down one column."""
    x, y, z = m[at + 3 * step], m[at + 4 * step], m[at + 5 * step]
    m[at] = m[at] + (arm.y * z - arm.z * y)
    m[at + step] = m[at + step] + (arm.z * x - arm.x * z)
    m[at + 2 * step] = m[at + 2 * step] + (arm.x * y - arm.y * x)


@kernel
def add_element(m, src, n, dst, size, ints, places):
    """Add an element into a larger one, its interface at the places ints[places ...]; -1: nothing comes there again."""
    for i in range(n):
        to = ints[places + i]
        if to >= 0:
            for j in range(n):
                other = ints[places + j]
                if other >= 0:
                    at = dst + to * size + other
                    m[at] = m[at] + m[src + i * n + j]
            m[dst + size * size + to] = m[dst + size * size + to] + m[src + n * n + i]


# ------------------------------------------------------- joining at an open body


@kernel
def transmit(m, upper, nu, k, lower, nl, g, work):
    """The force between two assemblies, at body k of the upper: f = G [x_U; w] + f0.

    Writes G (6 rows, nu columns of the upper's and nl - 6 of the lower's interface) and then f0 to m[g].
    `work`: 42 numbers.
    """
    width = nu + nl - TOP + 1
    for i in range(TOP):  # 1 + A C, beside it A P | F | p + A c_k
        for j in range(TOP):
            total = 0.0
            for h in range(TOP):
                total = total - m[lower + i * nl + h] * m[upper + (k + h) * nu + k + j]
            m[work + i * TOP + j] = total + (1.0 if i == j else 0.0)
        row = g + i * width
        for j in range(nu):
            total = 0.0
            for h in range(TOP):
                total = total + m[lower + i * nl + h] * m[upper + (k + h) * nu + j]
            m[row + j] = total
        for j in range(TOP, nl):
            m[row + nu + j - TOP] = m[lower + i * nl + j]
        total = m[lower + nl * nl + i]
        for h in range(TOP):
            total = total + m[lower + i * nl + h] * m[upper + nu * nu + k + h]
        m[row + width - 1] = total
    eliminate(m, work, g, width)


@kernel
def eliminate(m, a, b, width):
    """b = a⁻¹ b for a 6x6 and b of 6 rows; Gauss with row pivots."""
    for c in range(TOP):
        pivot = c
        for i in range(c + 1, TOP):
            if absolute(m[a + i * TOP + c]) > absolute(m[a + pivot * TOP + c]):
                pivot = i
        if pivot != c:
            for j in range(TOP):
                m[a + c * TOP + j], m[a + pivot * TOP + j] = m[a + pivot * TOP + j], m[a + c * TOP + j]
            for j in range(width):
                m[b + c * width + j], m[b + pivot * width + j] = m[b + pivot * width + j], m[b + c * width + j]
        inv = 1.0 / m[a + c * TOP + c]
        for i in range(c + 1, TOP):
            factor = m[a + i * TOP + c] * inv
            for j in range(c + 1, TOP):
                m[a + i * TOP + j] = m[a + i * TOP + j] - factor * m[a + c * TOP + j]
            for j in range(width):
                m[b + i * width + j] = m[b + i * width + j] - factor * m[b + c * width + j]
    for c in range(TOP - 1, -1, -1):
        inv = 1.0 / m[a + c * TOP + c]
        for j in range(width):
            total = m[b + c * width + j]
            for i in range(c + 1, TOP):
                total = total - m[a + c * TOP + i] * m[b + i * width + j]
            m[b + c * width + j] = total * inv


@kernel
def couple(m, upper, nu, k, lower, nl, g, dst, size, ints, upper_places, lower_places):
    """Add to the upper's element, already in place, what the lower does through body k; and the lower's own below.

    With P = K_U[k, :], y_U += Pᵀ f; below, y = Fᵀ (P x_U + c_k - C f) + K_L w + b.
    """
    width, end = nu + nl - TOP + 1, dst + size * size
    for i in range(nu):
        to = ints[upper_places + i]
        if to >= 0:
            for j in range(width):
                total = 0.0
                for h in range(TOP):
                    total = total + m[upper + (k + h) * nu + i] * m[g + h * width + j]
                put(m, dst, size, end, ints, upper_places, lower_places, to, j, nu, width, total)
    for i in range(TOP, nl):
        to = ints[lower_places + i]
        if to >= 0:
            for j in range(width):
                total = 0.0
                for h in range(TOP):
                    total = total + m[lower + h * nl + i] * under(m, upper, nu, k, g, width, h, j)
                if j == width - 1:
                    total = total + m[lower + nl * nl + i]
                elif j >= nu:
                    total = total + m[lower + i * nl + j - nu + TOP]
                put(m, dst, size, end, ints, upper_places, lower_places, to, j, nu, width, total)


@kernel
def under(m, upper, nu, k, g, width, h, j):
    """Number h of body k's acceleration, for a unit of input j of the joined assembly (the last: the constant part)."""
    total = 0.0
    if j < nu:
        total = m[upper + (k + h) * nu + j]
    elif j == width - 1:
        total = m[upper + nu * nu + k + h]
    for i in range(TOP):
        total = total + m[upper + (k + h) * nu + k + i] * m[g + i * width + j]
    return total


@kernel
def put(m, dst, size, end, ints, upper_places, lower_places, row, j, nu, width, value):
    """Add to one number of a joined element: column j of [upper | lower below its top | constant]."""
    if j == width - 1:
        m[end + row] = m[end + row] + value
    else:
        column = ints[upper_places + j] if j < nu else ints[lower_places + j - nu + TOP]
        if column >= 0:
            m[dst + row * size + column] = m[dst + row * size + column] + value


# ------------------------------------------------------- closing loops


@kernel
def close_rows(m, src, n, first, count, dst, target, bound, tolerance, keep):
    """The last `count` rows of an element, from `first` on, are held; returns the least pivot's share of its bound.

    Their outputs (minus the rows' accelerations) become m[target + k]; forces = Λ x + λ0, kept at m[keep] as `count`
    rows of first + 1 numbers.  `bound`: of each row's own reply.  The factor of B overwrites that part of the element.
    """
    width, least = first + 1, 1.0
    for i in range(count):
        for j in range(first):
            m[keep + i * width + j] = m[src + (first + i) * n + j]
        m[keep + i * width + first] = m[src + n * n + first + i] - m[target + i]
    for c in range(count):
        at = src + (first + c) * n + first
        pivot = -m[at + c]
        for j in range(c):
            pivot = pivot - m[at + j] * m[at + j]
        share = pivot / m[bound + c]
        if not share > tolerance:
            return -1.0
        least = min(least, share)
        root = pivot**0.5
        m[at + c] = root
        for i in range(c + 1, count):
            row = src + (first + i) * n + first
            total = -m[row + c]
            for j in range(c):
                total = total - m[row + j] * m[at + j]
            m[row + c] = total / root
        for j in range(width):
            total = m[keep + c * width + j]
            for i in range(c):
                total = total - m[at + i] * m[keep + i * width + j]
            m[keep + c * width + j] = total / root
    for c in range(count - 1, -1, -1):
        inv = 1.0 / m[src + (first + c) * n + first + c]
        for j in range(width):
            total = m[keep + c * width + j]
            for i in range(c + 1, count):
                total = total - m[src + (first + i) * n + first + c] * m[keep + i * width + j]
            m[keep + c * width + j] = total * inv
    for i in range(first):
        for j in range(width):
            total = m[src + i * n + j] if j < first else m[src + n * n + i]
            for c in range(count):
                total = total + m[src + i * n + first + c] * m[keep + c * width + j]
            if j < first:
                m[dst + i * first + j] = total
            else:
                m[dst + first * first + i] = total
    return least
