"""Every helper of the room compiles at every width, and computes there what it computes on arrays."""

import numpy as np
import pytest

import hitogata.spatial as sp
from hitogata.lanes import X1, X4, X8
from hitogata.lanes.testing import run_helper

RNG = np.random.default_rng(21)
N = 24
NUMBER = "number"


def example(kind):
    """Random value of a kind, one per figure; quaternions are unit, matrices far from singular."""
    if kind is NUMBER:
        return RNG.uniform(0.2, 0.9, N)
    if kind is sp.Quaternion:
        return sp.unit(sp.Quaternion(*RNG.normal(size=(4, N))))
    if kind is sp.Sym3:
        m = example(sp.Mat3)
        return sp.symmetric(m, m.T) + sp.diagonal(sp.Vec3(1.0, 1.0, 1.0))
    if kind is sp.Mat3:
        return sp.rotation(example(sp.Quaternion))
    if kind is sp.Inertia:
        return sp.Inertia(example(sp.Sym3) * 9.0, example(sp.Mat3), example(sp.Sym3) * 9.0)
    return kind(*[example(NUMBER if k is float else k) for k in kind.__kinds__])


V, M, S, Q, P = sp.Vec3, sp.Mat3, sp.Sym3, sp.Quaternion, sp.Place
HELPERS = {
    "articulated": [sp.RigidInertia], "between": [Q, Q, NUMBER], "bone_of": [Q, V], "cols": [M], "conjugate": [Q],
    "cross": [V, V], "cross_cols": [V, M], "cross_force": [sp.Motion, sp.Force], "cross_motion": [sp.Motion, sp.Motion],
    "determinant": [M], "diagonal": [V], "dot": [V, V], "force_to_child": [M, V, sp.Force],
    "force_to_parent": [M, V, sp.Force], "from_cols": [V, V, V], "from_rows": [V, V, V],
    "from_swing_twist": [V, NUMBER, V], "half_vector": [V, V], "inertia_to_parent": [M, V, sp.Inertia], "inverse": [M],
    "length": [V], "moved_inertia": [V, sp.Inertia],
    "motion_to_child": [M, V, sp.Motion], "motion_to_parent": [M, V, sp.Motion], "outer": [V, V],
    "place": [Q, V], "power": [sp.Force, sp.Motion], "quaternion_of": [M], "rigid_inertia": [NUMBER, V, S],
    "rigid_to_parent": [M, V, sp.RigidInertia], "rotate": [Q, V], "rotated": [M, S], "rotation": [Q],
    "rotation_vector": [Q], "rows": [M], "scaled": [V, V], "shift_of": [NUMBER, V], "skew": [V],
    "solve3": [M, V], "solve6": [sp.Inertia, sp.Force], "swing_to": [V, V], "swing_twist": [Q, V], "symmetric": [S, S],
    "turn_about": [V, NUMBER], "turn_by": [V], "turned_about_z": [M, NUMBER, NUMBER], "twist_of": [Q, V],
    "twist_row": [V, V], "unit": [Q],
}
OPERATORS = {
    "motion": [lambda a, b: (a + b, a - b, -a, a * 2.0, 2.0 * a), sp.Motion, sp.Motion],
    "matrix": [lambda m, s, v: (m @ v, m @ m, m @ s, s @ v, s @ m), M, S, V],
    "sums": [lambda m, s: (m + m, m - m, m * 2.0, -m, s + s, s - s, 0.5 * s, -s, m.T), M, S],
    "place": [lambda a, b, v: (a @ b, a @ v, a.inverse), P, P, V],
    "inertia": [lambda i, r, a: (i @ a, r @ a, i + i, i - i, r + r), sp.Inertia, sp.RigidInertia, sp.Motion],
    "quaternion": [lambda a, b: (a @ b, a + b, a - b, -a, a * 2.0, a.v), Q, Q],
    "symmetric": [lambda s: (sp.inverse(s), sp.determinant(s), sp.rows(s)), S],
}
LOADING = {"load3", "load6", "load_down", "load_quaternion", "load_rotation", "store3", "store6", "store_quaternion"}


def test_no_helper_is_forgotten():
    arrays = {name for name in sp.__all__ if name.startswith("quat_") or name == "matrix_to_quat"}
    classes = {name for name in sp.__all__ if isinstance(getattr(sp, name), type)}
    assert set(sp.__all__) == set(HELPERS) | LOADING | arrays | classes


def load_and_store(*numbers):
    """The loading helpers, on a list of numbers or lanes."""
    view = [*numbers, *[0.0] * 13]
    sp.store3(view, 12, sp.load3(view, 0) + sp.load_down(view, 1, 4))
    sp.store6(view, 15, sp.load6(view, 3))
    sp.store_quaternion(view, 21, sp.load_quaternion(view, 8))
    return (*view[12:], sp.load_rotation(view, 4))


VARIANTS = [(X1, np.float64), (X4, np.float64), (X1, np.float32), (X8, np.float32)]


@pytest.mark.parametrize(("width", "dtype"), VARIANTS, ids=str)
def test_compiled_as_on_arrays(width, dtype):
    jobs = [(name, getattr(sp, name), [example(k) for k in kinds]) for name, kinds in HELPERS.items()]
    jobs += [(name, fn, [example(k) for k in kinds]) for name, (fn, *kinds) in OPERATORS.items()]
    jobs += [("loading", load_and_store, [example(NUMBER) for _ in range(12)])]

    def everything(all_args):
        return tuple(fn(*args) for (_, fn, _), args in zip(jobs, all_args, strict=True))

    arguments = tuple(tuple(args) for _, _, args in jobs)
    got, want = run_helper(everything, [arguments], width, dtype), everything(arguments)
    tolerance = {"rtol": 1e-12, "atol": 1e-13} if dtype is np.float64 else {"rtol": 2e-4, "atol": 2e-5}
    for (name, _, _), g, w in zip(jobs, got, want, strict=True):
        for a, b in zip(leaves(g), leaves(w), strict=True):
            np.testing.assert_allclose(a, np.broadcast_to(b, a.shape), err_msg=name, **tolerance)


def leaves(x):
    if hasattr(x, "__struct__"):
        x = tuple(getattr(x, name) for name in x.__struct__)
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize(("width", "dtype"), VARIANTS, ids=str)
@pytest.mark.parametrize("angle", [0.0, 1e-30, 1e-12, 1e-6, 3.0, np.pi])
def test_exp_and_log_at_the_edges(angle, width, dtype):
    axis = sp.Vec3(*(np.ones(3) / np.sqrt(3)))

    def there_and_back(r):
        q = sp.turn_by(r)
        return q, sp.rotation_vector(q), sp.rotation_vector(-q)

    q, r, s = run_helper(there_and_back, [axis * angle], width, dtype)
    eps = 8 * float(np.finfo(dtype).eps)
    assert q.w == pytest.approx(np.cos(angle / 2), abs=eps)
    assert q.x == pytest.approx(np.sin(angle / 2) / np.sqrt(3), rel=eps)
    assert abs(r.x) == pytest.approx(angle / np.sqrt(3), rel=eps)
    assert leaves(r) == leaves(s)
