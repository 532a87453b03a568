"""What textbooks call the motions of joints, as velocities of the built-in skeleton, and the poses to try them in."""

import numpy as np

from hitogata.muscle import MuscleSet, wire_geometry
from hitogata.muscle.bodies import skeleton_of

LUMBAR = [f"L{k}_joint" for k in range(5, 0, -1)]
THORAX = [f"T{k}_joint" for k in range(12, 0, -1)]
NECK = [*(f"C{k}_joint" for k in range(7, 0, -1)), "skull_joint"]
BALLS = {
    "hip": ["femur_r_joint"],
    "shoulder": ["humerus_r_joint"],
    "scapula": ["clavicle_r_joint"],
    "trunk": LUMBAR + THORAX,
    "neck": NECK + THORAX[-4:],
}
LIMB = {
    "flexion": (1, -1),
    "extension": (1, 1),
    "adduction": (0, 1),
    "abduction": (0, -1),
    "internal rotation": (2, 1),
    "external rotation": (2, -1),
}
SPINE = {
    "flexion": (1, 1),
    "extension": (1, -1),
    "side bend": (0, 1),
    "rotation opposite": (2, 1),
    "rotation same": (2, -1),
}
GIRDLE = {"elevation": (0, -1), "depression": (0, 1), "protraction": (2, 1), "retraction": (2, -1)}
HINGES = {
    "knee flexion": ("knee_r", 1),
    "knee extension": ("knee_r", -1),
    "ankle dorsiflexion": ("ankle_r", 1),
    "ankle plantarflexion": ("ankle_r", -1),
    "foot inversion": ("subtalar_r", 1),
    "foot eversion": ("subtalar_r", -1),
    "toe flexion": ("toes_r[0]", 1),
    "toe extension": ("toes_r[0]", -1),
    "elbow flexion": ("elbow_r", 1),
    "elbow extension": ("elbow_r", -1),
    "forearm pronation": ("forearm_r", 1),
    "forearm supination": ("forearm_r", -1),
    "wrist flexion": ("wrist_r[0]", 1),
    "wrist extension": ("wrist_r[0]", -1),
    "ulnar deviation": ("wrist_r[1]", 1),
    "radial deviation": ("wrist_r[1]", -1),
    "jaw opening": ("jaw[1]", 1),
    "jaw closing": ("jaw[1]", -1),
    "jaw protrusion": ("jaw[0]", 1),
    "jaw retrusion": ("jaw[0]", -1),
}


def arm_of(muscles: MuscleSet, wire: int, action: str, arms: np.ndarray, node_arms: np.ndarray) -> float:
    """Moment arm of a wire for an action, positive if it does it [m, or 1]; spines: all joints together."""
    names = skeleton_of(muscles.body).coordinates
    if action in HINGES:
        name, sign = HINGES[action]
        return sign * float(arms[wire, names.index(name)])
    joint, _, motion = action.partition(" ")
    if joint == "hyoid":
        return float(node_arms[wire, 2]) * (1 if motion == "elevation" else -1)
    axis, sign = {"trunk": SPINE, "neck": SPINE, "scapula": GIRDLE}.get(joint, LIMB)[motion]
    return sign * sum(float(arms[wire, names.index(f"{each}[{axis}]")]) for each in BALLS[joint])


def bent(muscles: MuscleSet, **angles: float) -> np.ndarray:
    """The neutral pose with some coordinates set, by name, on the right [rad]."""
    q = np.array(muscles.body.neutral())
    values = skeleton_of(muscles.body).values
    for name, angle in angles.items():
        q[values[f"{name}_r"]] = angle
    return q


def actions_found(muscles: MuscleSet, rows: tuple[dict[str, str], ...]) -> dict[tuple[str, str], float]:
    """The arm of every muscle of the right for every action that its row names; forearm turns at mid-pronation."""
    found = {}
    for q, turned in ((bent(muscles), False), (bent(muscles, elbow=1.4, forearm=1.3), True)):
        geometry = wire_geometry(muscles, q)
        nodes = -geometry.node_jacobian
        for row in rows:
            wire = muscles.index(row["name"] + "_r")
            for action in row["actions"].split("; "):
                if action.startswith("forearm") is turned:
                    found[row["name"], action] = arm_of(muscles, wire, action, geometry.moment_arms, nodes)
    return found
