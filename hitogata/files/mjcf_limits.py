"""How the limits of an MJCF file's joints give way: `solreflimit` and `solimplimit`."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.files.contents import Contents

LEAST, MOST = 1e-4, 1 - 1e-4
"""Impedances are kept between these, as in MuJoCo."""


@dataclass(frozen=True)
class JointLimit:
    """How the limit of a hinge or slider gives way; the equations are in `constraints.soft_limits`.

    Attributes:
        joint: its name, as in MuJoCo.
        velocity: its place in v.
        mobility: of the joint in the model's first pose [1/(kg m²)], [1/kg].
        rate: how quickly its speed is taken off [1/s].
        pull: how quickly it comes back [1/s²].
        impedance: at the limit, and from the width on.
        width: [rad], [m].
        middle: where the impedance's two powers meet, as a share of the width.
        power: 1 or 2; 0: the mean of both impedances everywhere.
    """

    joint: str
    velocity: int
    mobility: float
    rate: float
    pull: float
    impedance: tuple[float, float]
    width: float
    middle: float
    power: int


def limits_of(
    model: Any, kinds: tuple[int, ...], bodies: dict[int, str], first: int, contents: Contents
) -> tuple[JointLimit, ...]:
    """Limits of the joints of some kinds of a figure; first: place of its velocities in the model's."""
    found = []
    for j in np.flatnonzero(model.jnt_limited):
        if int(model.jnt_bodyid[j]) not in bodies or int(model.jnt_type[j]) not in kinds:
            continue
        name, dof = model.joint(int(j)).name or f"(no. {j})", int(model.jnt_dofadr[j])
        low, high, width, middle, power = (float(x) for x in model.jnt_solimp[j])
        low, high, middle = (float(np.clip(x, LEAST, MOST)) for x in (low, high, middle))
        if max(power, 1.0) not in (1.0, 2.0):
            contents.change(f"limit of joint {name!r}: power {power:g} of its impedance is 2")
        rate, pull = _reference(model.jnt_solref[j], high)
        found.append(
            JointLimit(name, dof - first, float(model.dof_invweight0[dof]), rate, pull, (low, high),
                       width if width > 0 else 1.0, middle, 0 if width <= 0 else 1 if power <= 1.0 else 2)
        )  # fmt: skip
    return tuple(found)


def _reference(solref: Any, impedance: float) -> tuple[float, float]:
    """b and k: of a time constant [s] and a damping ratio, or given directly, as negative numbers."""
    one, two = (float(x) for x in solref)
    if one > 0 >= two or two > 0 >= one:
        one, two = 0.02, 1.0  # as MuJoCo does
    if one <= 0:
        return -two / impedance, -one / impedance**2
    return 2 / (impedance * one), 1 / (impedance * one * two) ** 2
