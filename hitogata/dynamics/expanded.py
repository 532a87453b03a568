"""The functions of this room for figures whose joints follow functions: those of their trees of screws, times G.

See `hitogata.figure.expansion`.  What is exact there is exact here; it is done in numpy around the kernels, for one
state or for a batch, and forward dynamics of a batch solves the dense equation Gᵀ M G v̇ = τ - ..., in O(n³); that of
one state goes by `assembly`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure
from hitogata.figure.expansion import Expansion, expansion_of

Array = np.ndarray[Any, np.dtype[Any]]
Handler = Callable[..., Array]


def run_expanded(figure: Figure, name: str, rows: dict[str, Any], extra: tuple[Any, ...], gravity: Any) -> Array:
    """What an entry of this room would write for rows of arguments, shape (n, ...).

    Args:
        figure: with function joints.
        name: of the entry for rows, without `_many`.
        rows: its arguments by name, float64, (n, ...) each; None where there is none.
        extra: its further numbers.
        gravity: world axes [m/s²].
    """
    expansion = expansion_of(figure)
    assert expansion is not None
    if name not in HANDLERS:
        raise ArgumentError(f"figure {figure.name!r} has joints that follow functions; {name} does not take them")
    result = np.asarray(HANDLERS[name](figure, expansion, rows, extra, gravity), np.float64)
    if not np.isfinite(result).all():
        raise HitogataError(
            f"figure {figure.name!r}: the result is not finite though every argument is; the numbers are too large, or "
            "the figure is singular in this pose"
        )
    return result


def _still(rows: dict[str, Any], figure: Figure) -> Array:
    return np.zeros((len(rows["q"]), figure.nv))


def _times(G: Array, v: Array) -> Array:
    return np.einsum("nij,nj->ni", G, v)


def _reduced(G: Array, tau: Array) -> Array:
    return np.einsum("nij,ni->nj", G, tau)


def _poses(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import forward_kinematics

    return forward_kinematics(e.tree, e.places(rows["q"])).matrices


def _velocities(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import link_velocities

    theta, G, _, _ = e.rates(rows["q"], rows["v"])
    return link_velocities(e.tree, theta, _times(G, rows["v"]))


def _accelerations(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import link_accelerations

    theta, G, bend, _ = e.rates(rows["q"], rows["v"])
    return link_accelerations(e.tree, theta, _times(G, rows["v"]), _times(G, rows["vdot"]) + bend)


def _jacobian(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    theta, G, _, _ = e.rates(rows["q"], _still(rows, figure))
    return _tree_jacobian(e, theta, extra) @ G


def _tree_jacobian(e: Expansion, theta: Array, extra: Any) -> Array:
    from hitogata.dynamics.dispatch import Input, call
    from hitogata.dynamics.jacobians import jacobian_many, jacobian_one

    return call(e.tree, jacobian_one, jacobian_many, (Input("q", theta, (e.tree.nq,)),), extra, (6, e.tree.nv), 1)


def _derivative(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics.dispatch import Input, call
    from hitogata.dynamics.jacobians import derivative_many, derivative_one

    theta, G, _, Gdot = e.rates(rows["q"], rows["v"])
    inputs = (Input("q", theta, (e.tree.nq,)), Input("v", _times(G, rows["v"]), (e.tree.nv,)))
    Jdot = call(e.tree, derivative_one, derivative_many, inputs, extra, (6, e.tree.nv), 1)
    return Jdot @ G + _tree_jacobian(e, theta, extra) @ Gdot


def _mass(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import mass_matrix

    theta, G, _, _ = e.rates(rows["q"], _still(rows, figure))
    M = mass_matrix(e.tree, theta)
    reduced: Array = G.transpose(0, 2, 1) @ M @ G
    return 0.5 * (reduced + reduced.transpose(0, 2, 1)) + np.diag(e.armature)


def _inverse(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import inverse_dynamics

    theta, G, bend, _ = e.rates(rows["q"], rows["v"])
    speed, rate = _times(G, rows["v"]), _times(G, rows["vdot"]) + bend
    tau = inverse_dynamics(e.tree, theta, speed, rate, wrenches=rows.get("wrenches"), gravity=gravity)
    return _reduced(G, tau) + e.damping * rows["v"] + e.armature * rows["vdot"]


def _bias(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import bias, mass_matrix

    theta, G, bend, _ = e.rates(rows["q"], rows["v"])
    held = bias(e.tree, theta, _times(G, rows["v"]), gravity=gravity)
    return _reduced(G, held + _times(mass_matrix(e.tree, theta), bend))


def _reactions(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import joint_reactions

    theta, G, bend, _ = e.rates(rows["q"], rows["v"])
    speed, rate = _times(G, rows["v"]), _times(G, rows["vdot"]) + bend
    found = joint_reactions(e.tree, theta, speed, rate, wrenches=rows.get("wrenches"), gravity=gravity)
    return found.reshape(len(theta), -1)


def _forward(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    held = _inverse(figure, e, {**rows, "vdot": np.zeros_like(rows["v"])}, extra, gravity)
    M = _mass(figure, e, rows, extra, gravity)
    try:
        return np.linalg.solve(M, (rows["tau"] - held)[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        return np.full_like(rows["v"], np.nan)


def _centre(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import centre_of_mass

    return centre_of_mass(e.tree, e.places(rows["q"]))


def _momentum(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import momentum

    theta, G, _, _ = e.rates(rows["q"], rows["v"])
    return momentum(e.tree, theta, _times(G, rows["v"]))


def _energy(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import energy

    theta, G, _, _ = e.rates(rows["q"], rows["v"])
    found = energy(e.tree, theta, _times(G, rows["v"]), gravity=gravity)
    return np.stack([found.kinetic + 0.5 * rows["v"] ** 2 @ e.armature, found.potential], axis=1)


def _integrate(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import integrate

    return integrate(e.plain, rows["q"], rows["change"])


def _difference(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    from hitogata.dynamics import difference

    return difference(e.plain, rows["start"], rows["end"])


def _step(figure: Figure, e: Expansion, rows: Any, extra: Any, gravity: Any) -> Array:
    """As `integration.march`: semi-implicit Euler, or the commutator-free method of fourth order."""
    h, steps, order = extra
    q, v, pushes = rows["q"], rows["v"], {"tau": rows["tau"], "wrenches": rows.get("wrenches")}

    def f(q: Array, v: Array) -> Array:
        return _forward(figure, e, {"q": q, "v": v, **pushes}, (), gravity)

    def on(q: Array, change: Array) -> Array:
        return _integrate(figure, e, {"q": q, "change": change}, (), gravity)

    for _ in range(steps):
        a1 = f(q, v)
        if order != 4:
            v = v + h * a1
            q = on(q, h * v)
            continue
        k2 = v + 0.5 * h * a1
        q2 = on(q, 0.5 * h * v)
        a2 = f(q2, k2)
        k3 = v + 0.5 * h * a2
        a3 = f(on(q, 0.5 * h * k2), k3)
        k4 = v + h * a3
        a4 = f(on(q2, h * (k3 - 0.5 * v)), k4)
        q = on(on(q, h / 12 * (3 * v + 2 * k2 + 2 * k3 - k4)), h / 12 * (-v + 2 * k2 + 2 * k3 + 3 * k4))
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return np.concatenate([q, v], axis=1)


HANDLERS: dict[str, Handler] = {
    "poses": _poses, "velocities": _velocities, "accelerations": _accelerations, "jacobian": _jacobian,
    "derivative": _derivative, "mass": _mass, "inverse": _inverse, "bias": _bias, "reactions": _reactions,
    "forward": _forward, "centre": _centre, "momentum": _momentum, "energy": _energy, "integrate": _integrate,
    "difference": _difference, "step": _step,
}  # fmt: skip
