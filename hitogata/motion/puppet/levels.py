"""The two-level solve of pin-and-drag (Nakamura group; Yamane & Nakamura 2003), with walls.

    θ̇ = J_P^# ṙ + W y,     y = S* Δṗ        S = J_aux W,   W = 1 − J_P^# J_P,   Δṗ = ṗ − J_aux J_P^# ṙ

Level one (J_P) is what must be, mostly the dragged link; level two (J_aux) what should be, as far as level one leaves
room: pins, gaze, balance, wanted joint values.  With D the mobilities (inverse weights of joint speeds), R the weights
of rows, and κ the damping of the singularity-robust inverse (Nakamura & Hanafusa 1986),

    J^# = D Jᵀ (J D Jᵀ + κ R⁻¹)⁻¹

**One matrix.**  W D Wᵀ = W D, since W is the projector that belongs to D.  So S D Sᵀ = J_aux W D J_auxᵀ, which is the
Schur complement of A_PP in A = J D Jᵀ of all rows together, and level two comes out of one Cholesky factor:

    | A_PP   A_Pa            | | λ |   |        0          |
    | A_aP   A_aa + κ R⁻¹    | | z | = | ṗ − J_aux θ̇_0     |      θ̇ = θ̇_0 + D (J_Pᵀ λ + J_auxᵀ z)

with θ̇_0 = J_P^# ṙ of level one.  (Eliminate λ: the second line is (S D Sᵀ + κ R⁻¹) z = Δṗ, and D J_auxᵀ z + D J_Pᵀ λ is
W y.)  A_PP gets a relative TIGHT on its diagonal, for singular poses.  J is never written down: see `replies`.

**Wanted joint values** are rows of J_aux too, one per velocity, with a unit matrix for J.  Written out they would make
A as large as the figure; but adding ρ (θ̇_d − θ̇)² to the damping θ̇² of the same joint is one quadratic with mobility
D/(1 + ρ) around ρ/(1 + ρ) θ̇_d, so they cost nothing.  Here ρ = pull · dt, and θ̇_d dt is what is missing: a joint that
nothing else moves comes nearer by the share ρ/(1 + ρ).

**Authority** s of a row (0 ... 1): softness (κ + (1 − s)/s USUAL)/R, with USUAL a usual A_ii, so that alone it would do
about the share s of what it is asked, and rows that come or go together keep to their weights.  Rows are scaled by
√(R s), which makes that s κ + (1 − s) USUAL: finite for s = 0 too.

**Damping.**  κ = κ₀ + ½ Σ R e² with the errors e that are asked for (Sugihara 2011): far steps are short, the last ones
Gauss-Newton.  In frames also + k Σ R e_left, with what the last frame left undone.  A target out of reach leaves an
error for good, along which Gauss-Newton's matrix J D Jᵀ misses the curvature of the goal, some e times an arm's length;
without it a stretched limb would swing to and fro.

**Walls** come before both levels.  With B = J D n (the rows' reply to a push p along a wall's normal n) and N = nᵀ D n,

    K λ + B p = ṗ,   w = s + Bᵀλ + N p >= 0,   p >= 0,   w p = 0          K = L Lᵀ,   Y = L⁻¹ B
    w = s + Yᵀ L⁻¹ ṗ + (N − Yᵀ Y) p

so the pushes are those of a small complementarity problem (`lcp`), and a joint that presses is as good as locked
in that direction: θ̇ is the one of the mobilities that are left.

All of this is per iteration: changes [m], [rad] stand for velocities.
"""

from hitogata.lanes import inline, kernel, where
from hitogata.motion.puppet.cholesky import solve_rows
from hitogata.motion.puppet.delassus import couple, couple_walls
from hitogata.motion.puppet.joint_update import collect, pull
from hitogata.motion.puppet.layout import OTHER, SWING, TWIST
from hitogata.spatial import Vec3, scaled, store3

TIGHT = 1e-9
"""Relative softness of level one towards level two."""

USUAL = 0.3
"""How far a row usually replies to a unit force: the sum of some squared arms [m²]."""

TINY = 1e-12
"""Keeps diagonals above zero, where nothing can move."""


@kernel
def solve_levels(model, state, goals, bench, law, walls, first_damping, second_damping):
    """The change of an iteration, into bench.change."""
    couple(model, state, goals, bench, law)
    couple_walls(model, state, goals, bench, law, walls)
    level_one(model, state, goals, bench, law, walls, law.damping + first_damping)
    if goals.pulled != 0:
        pull(model, state, goals, bench, law, walls)
    level_two(model, state, goals, bench, law, walls, law.damping + second_damping)
    collect(model, state, goals, bench, law, walls, goals.groups)
    if goals.pulled != 0:
        for k in range(model.tree.nv):
            bench.change[k] = bench.change[k] + bench.pulled[k]


# ------------------------------------------------------- levels


@kernel
def level_one(model, state, goals, bench, law, walls, damping):
    """J_P^# ṙ within the walls; then what that does to all rows and walls, and what is left to ask of level two."""
    first, rows = 3 * goals.first, 3 * goals.groups
    for g in range(goals.groups):
        group = bench.rows[g]
        store3(bench.asked, 3 * g, scaled(group.scale, group.error))
    for k in range(rows):
        bench.lead[k] = state.q[0] * 0.0
    for a in range(walls):
        wall = bench.wall[a]
        wall.lead = wall.gap * 0.0
        wall.rate = wall.gap
    if first > 0:
        copy_lower(bench, first, rows)
        for g in range(goals.first):
            soften(bench, g, rows, damping)
        for a in range(walls):
            own = bench.wall_int[a]
            bench.wall[a].pressed = part_of(state.joint[own.body].pressed, own.which)
            bench.slack[a] = bench.wall[a].gap
        solve_rows(bench, first, rows, walls, law.pivots)
        for k in range(first):
            bench.lead[k] = bench.force[k]
        for a in range(walls):
            own = bench.wall_int[a]
            bench.wall[a].lead = bench.wall[a].push
            state.joint[own.body].pressed = noted(state.joint[own.body].pressed, bench.wall[a].pressed, own.which)
        leave(goals, bench, walls)


@kernel
def leave(goals, bench, walls):
    """Take what level one does to the rows from what is asked of level two: Δṗ.  Level one is to stay as it is."""
    first, rows = 3 * goals.first, 3 * goals.groups
    for i in range(first):
        bench.asked[i] = bench.asked[i] * 0.0
    for i in range(first, rows):
        done = bench.asked[i] * 0.0
        for j in range(first):
            done = done + bench.coupling[i * rows + j] * bench.lead[j]
        for a in range(walls):
            done = done + bench.across[a * rows + i] * bench.wall[a].lead
        bench.asked[i] = bench.asked[i] - done


@kernel
def level_two(model, state, goals, bench, law, walls, damping):
    """Forces of all rows and pushes of all walls: level one held, level two as near as it may."""
    rows = 3 * goals.groups
    copy_lower(bench, rows, rows)
    for g in range(goals.first):
        tighten(bench, g, rows)
    for g in range(goals.first, goals.groups):
        soften(bench, g, rows, damping)
    for a in range(walls):
        own = bench.wall_int[a]
        bench.wall[a].pressed = part_of(state.joint[own.body].pressed_two, own.which)
        bench.slack[a] = bench.wall[a].rate
    solve_rows(bench, rows, rows, walls, law.pivots)
    for k in range(rows):
        bench.force[k] = bench.force[k] + bench.lead[k]
    for a in range(walls):
        own = bench.wall_int[a]
        bench.wall[a].push = bench.wall[a].push + bench.wall[a].lead
        state.joint[own.body].pressed_two = noted(state.joint[own.body].pressed_two, bench.wall[a].pressed, own.which)


@inline
def part_of(pressed, which):
    """The guess of the last iteration for one of the walls of a joint."""
    return where(which == SWING, pressed.x, where(which == TWIST, pressed.y, pressed.z))


@inline
def noted(pressed, now, which):
    """The guesses of a joint, one of them new."""
    x, y = where(which == SWING, now, pressed.x), where(which == TWIST, now, pressed.y)
    return Vec3(x, y, where(which == OTHER, now, pressed.z))


@kernel
def copy_lower(bench, count, stride):
    """The matrix, to be made a factor."""
    for i in range(count):
        for j in range(i + 1):
            bench.factor[i * stride + j] = bench.coupling[i * stride + j]


@kernel
def soften(bench, g, stride, damping):
    """Damping and missing authority on the diagonal."""
    group = bench.rows[g]
    for k in range(3):
        at = (3 * g + k) * (stride + 1)
        bench.factor[at] = bench.factor[at] + softness(group.share, damping)


@inline
def softness(share, damping):
    """What is added to a diagonal."""
    return share * damping + (1.0 - share) * USUAL + TINY


@kernel
def tighten(bench, g, stride):
    """Level one is to stay as it is, as far as it has authority."""
    group = bench.rows[g]
    for k in range(3):
        at = (3 * g + k) * (stride + 1)
        bench.factor[at] = bench.factor[at] + softness(group.share, bench.coupling[at] * TIGHT)
