"""Limits that ask for an acceleration and give way to what presses on them: MuJoCo's.

Beyond its limit by r = -gap > 0, at the rate ṙ outwards, a joint is asked for the acceleration inwards

    a = b ṙ + k d(r) r

and gets less of it the harder it is pressed: its own acceleration, plus R times the force f of the limit, is a, with
R = w (1 - d)/d and w the joint's mobility in the pose in which the model was made [1/(kg m²)], [1/kg].  Over a step,
with the impulse p = h f and the rate u = -ṙ inwards,

    u⁺ + R p - (1 - h b) u - h k d(r) r >= 0,  p >= 0,  one of them zero

(Todorov 2014, "Convex and analytically-invertible dynamics with contacts and constraints", eqs. 6 to 9; MuJoCo
documentation, "Computation", "Constraint model").  Ahead of the limit nothing acts.

d, the impedance, grows from low to high over a width of r, in two powers that meet at the middle.  A joint is not asked
to come back faster than within two steps, as in MuJoCo.
"""

from hitogata.lanes import inline, minimum, struct, where


@struct
class SoftLimit:
    """What a limit of MuJoCo's is; see above.  No mobility: the limit is an ordinary wall.

    Attributes:
        mobility: w [1/(kg m²)], [1/kg].
        rate: b [1/s].
        pull: k [1/s²].
        low: impedance at the limit.
        high: impedance from `width` on.
        width: [rad], [m].
        middle: where the two powers meet, as a share of the width.
        power: 1 or 2; 0: the mean of both impedances everywhere.
    """

    mobility: float
    rate: float
    pull: float
    low: float
    high: float
    width: float
    middle: float
    power: float


@inline
def soft_law(limit, gap, speed, h):
    """Softness R and bias of a row beyond its limit.

    Args:
        limit: a `SoftLimit`.
        gap: room left, < 0 [rad], [m].
        speed: inwards, at the beginning of the step [rad/s], [m/s].
        h: step [s].
    """
    beyond = where(gap < 0.0, -gap, 0.0)
    d = impedance(limit, beyond)
    slower = 1.0 / where(h * limit.rate * limit.high > 1.0, h * limit.rate * limit.high, 1.0)
    rate, pull = limit.rate * slower, limit.pull * slower * slower
    return limit.mobility * (1.0 - d) / d, (h * rate - 1.0) * speed - h * pull * d * beyond


@inline
def impedance(limit, beyond):
    """d(r) of a limit that is passed by so much."""
    x = minimum(beyond / limit.width, 1.0)
    rising, falling = x * x / limit.middle, 1.0 - (1.0 - x) * (1.0 - x) / (1.0 - limit.middle)
    share = where(limit.power > 1.5, where(x <= limit.middle, rising, falling), where(limit.power > 0.5, x, 0.5))
    return limit.low + share * (limit.high - limit.low)
