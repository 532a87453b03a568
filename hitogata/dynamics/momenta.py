"""Centre of mass, momentum and energy of a figure."""

from typing import Any, NamedTuple

from hitogata.dynamics.batches import run_one, run_rows
from hitogata.dynamics.dispatch import Array, Input, call
from hitogata.dynamics.layout import GRAVITY
from hitogata.dynamics.model import callable_model_of
from hitogata.dynamics.world_kinematics import Placed, move, place, root_position
from hitogata.figure import Figure
from hitogata.lanes import entry, inline, kernel, records
from hitogata.spatial import Force, cross, dot, rotated, store3


class Energy(NamedTuple):
    """Kinetic and potential energy [J], each a number or shape (n,)."""

    kinetic: Array
    potential: Array

    @property
    def total(self) -> Array:
        """Their sum [J]."""
        return self.kinetic + self.potential


def centre_of_mass(figure: Figure, q: Any, *, threads: int | None = 1) -> Array:
    """Centre of mass in the world [m].

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        threads: to share a batch over; None: one per core.

    Returns:
        Position, shape (3,) or (n, 3).
    """
    model = callable_model_of(figure)
    return call(figure, centre_one, centre_many, (Input("q", q, (model.nq,)),), (), (3,), threads)


def momentum(figure: Figure, q: Any, v: Any, *, threads: int | None = 1) -> Array:
    """Momentum [angular about the centre of mass; linear], world axes [kg m²/s, kg m/s].

    Without contact, and with no torque from outside, the angular part is constant and the linear part changes by
    m g per second.  Armature carries energy but, being geared rotors in both directions, no momentum.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        threads: to share a batch over; None: one per core.

    Returns:
        Momentum, shape (6,) or (n, 6).
    """
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)))
    return call(figure, momentum_one, momentum_many, inputs, (), (6,), threads)


def energy(
    figure: Figure, q: Any, v: Any, *, gravity: tuple[float, float, float] = GRAVITY, threads: int | None = 1
) -> Energy:
    """Kinetic energy ½ vᵀ M v, and potential energy -Σ m g · c, zero at the world's origin [J].

    Args:
        figure: the figure.
        q: coordinates, shape (nq,) or (n, nq).
        v: velocities, shape (nv,) or (n, nv).
        gravity: acceleration of gravity, world axes [m/s²].
        threads: to share a batch over; None: one per core.
    """
    model = callable_model_of(figure)
    inputs = (Input("q", q, (model.nq,)), Input("v", v, (model.nv,)))
    out = call(figure, energy_one, energy_many, inputs, (), (2,), threads, gravity)
    return Energy(out[..., 0], out[..., 1])


# ------------------------------------------------------- kernels; the form of the arguments is told in `batches`


@kernel
def mass_and_moment(tree, work):
    """Total mass, and Σ mass times place from the root's origin."""
    mass, moment = 0.0, work[0].pos * 0.0
    for i in range(tree.bodies):
        inertia = tree.body[i].inertia
        mass = mass + inertia.mass
        moment = moment + work[i].pos * inertia.mass + work[i].rot @ inertia.moment
    return mass, moment


@inline
def body_momentum(inertia, rot, velocity):
    """Momentum of a body, about its origin."""
    moment = rot @ inertia.moment
    return Force(
        rotated(rot, inertia.rot) @ velocity.ang + cross(moment, velocity.lin),
        velocity.lin * inertia.mass + cross(velocity.ang, moment),
    )


@kernel
def store_centre(tree, work, q, v, x, wrenches, options, out):
    """Centre of mass."""
    work = records(work, Placed)
    place(tree, work, q)
    mass, moment = mass_and_moment(tree, work)
    store3(out, 0, root_position(tree, q) + moment * (1.0 / mass))


@kernel
def store_momentum(tree, work, q, v, x, wrenches, options, out):
    """Momentum about the centre of mass."""
    work = records(work, Placed)
    place(tree, work, q)
    move(tree, work, v)
    mass, moment = mass_and_moment(tree, work)
    lin, ang = moment * 0.0, moment * 0.0
    for i in range(tree.bodies):
        own = body_momentum(tree.body[i].inertia, work[i].rot, work[i].velocity)
        lin = lin + own.lin
        ang = ang + own.ang + cross(work[i].pos, own.lin)
    store3(out, 0, ang - cross(moment * (1.0 / mass), lin))
    store3(out, 3, lin)


@kernel
def store_energy(tree, work, q, v, x, wrenches, options, out):
    """Kinetic and potential energy."""
    work = records(work, Placed)
    place(tree, work, q)
    move(tree, work, v)
    mass, moment = mass_and_moment(tree, work)
    twice = moment.x * 0.0
    for i in range(tree.bodies):
        joint, body, velocity = tree.joint[i], tree.body[i], work[i].velocity
        own = body_momentum(body.inertia, work[i].rot, velocity)
        twice = twice + dot(own.ang, velocity.ang) + dot(own.lin, velocity.lin)
        for k in range(joint.iv, joint.iv + joint.count):
            twice = twice + v[k] * v[k] * body.armature
    out[0] = twice * 0.5
    out[1] = dot(moment + root_position(tree, q) * mass, tree.gravity) * -1.0


# ------------------------------------------------------- entries


@entry
def centre_one(ints, floats, q, out):
    """One state."""
    return run_one(store_centre, Placed.SIZE, ints, floats, q, None, None, None, None, out)


@entry
def centre_many(ints, floats, q, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_centre, Placed.SIZE, ints, floats, q, None, None, None, None, out, first, end, width)


@entry
def momentum_one(ints, floats, q, v, out):
    """One state."""
    return run_one(store_momentum, Placed.SIZE, ints, floats, q, v, None, None, None, out)


@entry
def momentum_many(ints, floats, q, v, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_momentum, Placed.SIZE, ints, floats, q, v, None, None, None, out, first, end, width)


@entry
def energy_one(ints, floats, q, v, out):
    """One state."""
    return run_one(store_energy, Placed.SIZE, ints, floats, q, v, None, None, None, out)


@entry
def energy_many(ints, floats, q, v, out, first, end, width):
    """Rows of a batch."""
    return run_rows(store_energy, Placed.SIZE, ints, floats, q, v, None, None, None, out, first, end, width)
