"""How strong the joints of a human are, and how stiff its motors."""

import numpy as np

from hitogata.dynamics import mass_matrix
from hitogata.figure import Figure, JointKind
from hitogata.figure.pose import FloatArray

TORQUES = {"hip": 200.0, "knee": 220.0, "ankle": 160.0, "waist": 200.0, "spine": 160.0, "neck": 35.0, "head": 25.0,
           "shoulder": 90.0, "elbow": 70.0, "wrist": 15.0}  # fmt: skip
"""Greatest torques of strong young men, rounded [N m] (Stobbe 1982; Anderson, Madigan & Nussbaum 2007: hip extension
190, knee extension 230, plantarflexion 170)."""

OTHERS = 150.0
"""Of joints with other names [N m]."""


def torque_limits(figure: Figure) -> FloatArray:
    """Greatest torque of each velocity [N m], shape (nv,); 0 for the free root; a joint's own effort limit counts."""
    result = np.zeros(figure.nv)
    for name, link, first in zip(figure.joint_names, figure.links, figure.v_starts, strict=True):
        if link.joint.kind is not JointKind.FREE:
            known = [torque for word, torque in TORQUES.items() if name.startswith(word)]
            result[first : first + link.joint.nv] = min(known[0] if known else OTHERS, link.joint.effort_limit)
    return result


def moments(figure: Figure, q: FloatArray) -> FloatArray:
    """What each joint would turn if all others were fixed [kg m²], shape (nv,): diagonal of the mass matrix."""
    result: FloatArray = np.diag(mass_matrix(figure, q)).copy()
    return result
