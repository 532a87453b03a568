"""Springs and largest torques of a person's joints.

Torques are of the order that strong young adults reach in isometric tests: hip, knee and ankle 200 to 250 N m.
Springs are stiff enough that muscles held tight would be: a leg that carries the body bends by about 0.1 rad.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hitogata.dynamics.dispatch import Array
from hitogata.errors import ArgumentError
from hitogata.figure import Figure
from hitogata.loops.arguments import positive

HUMAN_STIFFNESS: Mapping[str, float] = {
    "waist": 800.0, "neck": 100.0, "shoulder": 100.0, "elbow": 60.0, "wrist": 20.0, "hip": 800.0, "knee": 800.0,
    "ankle": 500.0,
}  # fmt: skip
"""Stiffness of joints by the first word of their names [N m/rad]."""

HUMAN_TORQUE: Mapping[str, float] = {
    "waist": 250.0, "neck": 50.0, "shoulder": 80.0, "elbow": 60.0, "wrist": 20.0, "hip": 250.0, "knee": 250.0,
    "ankle": 200.0,
}  # fmt: skip
"""Largest torques likewise [N m]."""

DAMPING_TIME = 0.1
"""Damping of a joint by its stiffness, unless told otherwise [s]."""


def by_joint(figure: Figure, name: str, given: Any, table: Mapping[str, float]) -> dict[str, float]:
    """A number for every joint but the root.

    Args:
        figure: the figure.
        name: what it is, for errors.
        given: one number, or a dictionary from joints, or from first words of their names; None: the table.
        table: of first words.
    """
    own = table if given is None else given
    if not isinstance(own, Mapping):
        return dict.fromkeys(figure.joint_names[1:], positive(name, own))
    result = {}
    for joint in figure.joint_names[1:]:
        value = own.get(joint, own.get(joint.split("_")[0]))
        if value is None:
            raise ArgumentError(f"{name}: nothing is said about joint {joint!r} of figure {figure.name!r}")
        result[joint] = positive(f"{name} of {joint!r}", value)
    return result


def spread_out(figure: Figure, values: Mapping[str, float]) -> Array:
    """Values of joints as values of their motions, shape (nv,); zero for the root."""
    result = np.zeros(figure.nv)
    for joint, value in values.items():
        result[figure.v_slice(joint)] = value
    return result
