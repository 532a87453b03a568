"""Closed forms: what bodies really do."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

Array = np.ndarray


def bounce_times(drop: float, e: float, g: float, count: int) -> Array:
    """Times of the first impacts of a ball dropped from a height [s]: the first after √(2h/g), and each flight between
    two of them e times as long as the one before."""
    first = math.sqrt(2 * drop / g)
    return first + np.concatenate([[0.0], np.cumsum([2 * first * e**n for n in range(1, count)])])


def bounce_heights(drop: float, e: float, count: int) -> Array:
    """Heights of the first flights [m]: h e²ⁿ."""
    return drop * e ** (2.0 * np.arange(1, count + 1))


def stopping_distance(speed: float, friction: float, g: float) -> float:
    """Of a block that slides on a plane [m]: v²/(2 μ g)."""
    return speed**2 / (2 * friction * g)


def slide_down(angle: float, friction: float, g: float, t: float) -> float:
    """Way of a block down a slope from rest [m]: t²/2 · g (sin α - μ cos α), or nothing."""
    return max(0.0, t * t / 2 * g * (math.sin(angle) - friction * math.cos(angle)))


def tumbling_period(inertia: Sequence[float], spin: Sequence[float]) -> float:
    """Period [s] of the angular velocity of a free body with three different moments.

    4 K(m) √(I₁I₂I₃ / ((I₃-I₂)(L²-2TI₁))), m = (I₂-I₁)(2TI₃-L²) / ((I₃-I₂)(L²-2TI₁)), for I₁ < I₂ < I₃ and L² > 2TI₂; in
    the other case I₁ and I₃ change places (Landau & Lifshitz, Mechanics, §37).

    Args:
        inertia: principal moments [kg m²].
        spin: angular velocity in principal axes [rad/s].
    """
    order = np.argsort(inertia)
    i, w = np.array(inertia, float)[order], np.array(spin, float)[order]
    twice, square = float(i @ w**2), float((i**2) @ w**2)
    if square < twice * i[1]:
        i = i[::-1]
    low, middle, high = i
    base = (high - middle) * (square - twice * low)
    return 4 * ellipk((middle - low) * (twice * high - square) / base) * math.sqrt(low * middle * high / base)


def top_tilt(mass: float, arm: float, inertia: Sequence[float], tilt: float, spin: float, t: Array, g: float) -> Array:
    """Angle of a heavy top's axis to the vertical [rad] at times t, of a top that turns about its own axis at first.

    Lagrange's top: with u = cos θ, a = I₃ω₃/I₁ and b = L_z/I₁, u̇² = (1-u²)(α-βu) - (b-au)² (Goldstein, §5.7).  Its
    derivative, ü = -β(1-u²)/2 - u(α-βu) + a(b-au), has no square root; it is integrated to 1e-12.

    Args:
        mass: [kg].
        arm: from the fixed point to the centre of mass [m].
        inertia: transverse moment about the fixed point and axial moment [kg m²].
        tilt: at the start [rad].
        spin: about the axis [rad/s].
        t: times [s].
        g: gravity [m/s²].
    """
    across, along = inertia
    a = along * spin / across
    b, beta = a * math.cos(tilt), 2 * mass * g * arm / across
    alpha = beta * math.cos(tilt)  # 2 (E - I₃ω₃²/2)/I₁, θ̇ = φ̇ = 0 at first

    def rate(_: float, y: Array) -> Array:
        u = y[0]
        return np.array([y[1], -beta * (1 - u * u) / 2 - u * (alpha - beta * u) + a * (b - a * u)])

    y = solve_ivp(rate, (0, float(t[-1])), [math.cos(tilt), 0.0], "DOP853", t, rtol=1e-12, atol=1e-13).y[0]
    return np.arccos(np.clip(y, -1, 1))


def rolling_disc_rate(
    radius: float, half_thickness: float, mass: float, inertia: Sequence[float], angle: float, g: float
) -> tuple[float, float]:
    """Precession and angular velocity along its own axis [rad/s] of a disc that rolls on its rim, its centre at rest.

    The angular velocity points from the touching point to the centre: ω = Ω sin α (u + (b/a) e), u up the slope of
    the disc, e its axis.  dL/dt = Ω z x L is the torque of its weight:
    Ω² sin α (I₁ cos α - I₃ (b/a) sin α) = m g (a cos α - b sin α); for a thin disc Ω² = 4 g/(a sin α).

    Args:
        radius: a [m].
        half_thickness: b [m].
        mass: [kg].
        inertia: transverse and axial moment about the centre [kg m²].
        angle: of the disc to the ground [rad].
        g: gravity [m/s²].
    """
    s, c, ratio = math.sin(angle), math.cos(angle), half_thickness / radius
    square = mass * g * (radius * c - half_thickness * s) / (s * (inertia[0] * c - inertia[1] * ratio * s))
    rate = math.sqrt(square)
    return rate, rate * s * ratio


def jellett(inertia: Sequence[float], axis: Array, spin: Array, radius: float, offset: float) -> Array:
    """Jellett's integral of a ball with its centre of mass off its centre, L·(from the centre of mass to the floor),
    which friction at one point cannot change.

    Args:
        inertia: transverse and axial moment about the centre of mass [kg m²].
        axis: from the centre of the ball away from the centre of mass, world axes, shape (n, 3).
        spin: angular velocity, world axes [rad/s], shape (n, 3).
        radius: [m].
        offset: of the centre of mass from the centre [m].
    """
    along = np.einsum("ij,ij->i", axis, spin)[:, None] * axis
    momentum = inertia[0] * (spin - along) + inertia[1] * along
    down = offset * axis - np.array([0.0, 0.0, radius])
    return -np.einsum("ij,ij->i", momentum, down)


def dashpot_restitution(ratio: float) -> float:
    """Coefficient of restitution of a spring and damper that cannot pull (Schwager & Pöschel 2007), underdamped.

    With damping ratio ζ, s = √(1-ζ²): e = exp(-ζ/s · φ), φ the phase in which the force first vanishes again.
    """
    s = math.sqrt(1 - ratio**2)
    return math.exp(-ratio / s * math.atan2(2 * ratio * s, 2 * ratio**2 - 1))


def dashpot_ratio(e: float) -> float:
    """Damping ratio of a spring and damper with this coefficient of restitution, 0.05 to 1."""
    return 0.0 if e >= 1 else brentq(lambda z: dashpot_restitution(z) - e, 1e-9, 1 - 1e-9)
