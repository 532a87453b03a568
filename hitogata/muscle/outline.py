"""An animator's figure with the sizes of the built-in body, and how its joints share their turns over the bones.

Captured figures have one joint where the body has a row of vertebrae, and no shoulder blade.  `Outline` is the skeleton
with 22 links, which motions are retargeted to; `Outline.expand` gives every bone its part of what its joint turns:

- a row of vertebrae turns about one axis, each joint by its share (of L5-S1 to C0-C1; White & Panjabi 1990, chapter 2);
- the shoulder blade goes up by half as much as the arm beside it, from 30 degrees of elevation on (Inman, Saunders &
  Abbott 1944: 1 to 2), and the arm turns so much less against it;
- knees have the same flexion, and their other motions follow; jaws are closed.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, FigureBuilder, Pose, joint
from hitogata.figure.joint import Joint
from hitogata.figure.values import ArrayLike, FloatArray, Vector
from hitogata.library.musculoskeletal import rows_of
from hitogata.library.musculoskeletal.skeleton import KNEE_RANGE
from hitogata.library.musculoskeletal.tables import Side, axis
from hitogata.spatial import quat_exp, quat_log, quat_multiply, quat_to_matrix

_ROWS: dict[str, tuple[str, tuple[str, ...], tuple[float, ...]]] = {
    "abdomen": ("L3", ("L5", "L4", "L3", "L2", "L1"), (0.24, 0.22, 0.2, 0.18, 0.16)),
    "chest": (
        "T9",
        ("T12", "T11", "T10", "T9", "T8", "T7", "T6", "T5", "T4", "T3", "T2", "T1"),
        (0.12, 0.12, 0.1, 0.09, 0.08, 0.08, 0.07, 0.07, 0.07, 0.07, 0.07, 0.06),
    ),
    "neck": ("C5", ("C7", "C6", "C5", "C4", "C3"), (0.16, 0.21, 0.23, 0.21, 0.19)),
    "head": ("C1", ("C2", "C1", "skull"), (0.25, 0.45, 0.3)),
}
"""Links of the outline that stand for a row of bones: where their joint is, the bones, and each one's share."""
_LIMBS = {
    "clavicle": "clavicle", "upper_arm": "humerus", "elbow": "ulna", "forearm": "radius", "hand": "hand",
    "thigh": "femur", "shin": "tibia", "ankle": "talus", "foot": "foot", "toes": "toes",
}  # fmt: skip
"""Links of the outline and bones that have the same joint."""
_PARENTS = {
    "clavicle": "chest", "upper_arm": "clavicle", "elbow": "upper_arm", "forearm": "elbow", "hand": "forearm",
    "thigh": "pelvis", "shin": "thigh", "ankle": "shin", "foot": "ankle", "toes": "foot",
}  # fmt: skip
_SIDES = {"right": "_r", "left": "_l"}
RISE, SHARE = 0.524, 1.0 / 3.0
"""Elevation of the arm from which the shoulder blade turns [rad], and its part of what is more."""
SOFT = 0.2
"""Width of that corner [rad]."""


class Outline:
    """The figure of 22 links that stands for a skeleton.

    Attributes:
        skeleton: of the built-in body.
        figure: the outline; in its neutral pose its links stand where the bones do.
    """

    def __init__(self, skeleton: Figure) -> None:
        """Of a whole skeleton, or of pelvis and legs."""
        self.skeleton = skeleton
        self._whole = "skull" in skeleton.link_names
        self.figure = self._build()

    @cached_property
    def _places(self) -> dict[str, FloatArray]:
        poses = forward_kinematics(self.skeleton, self.skeleton.neutral())
        return dict(zip(self.skeleton.link_names, poses.position, strict=True))

    def _build(self) -> Figure:
        links, places = self.skeleton.links, self._places
        builder = FigureBuilder(f"{self.skeleton.name}_outline")
        base = links[0]
        builder.add("pelvis", None, base.joint, base.mass, shapes=base.shapes)
        at = {"pelvis": places["pelvis"]}
        if self._whole:
            for (name, (bone, *_)), parent in zip(_ROWS.items(), ("pelvis", *_ROWS), strict=False):
                self._add(builder, name, parent, bone, at)
        for side, end in _SIDES.items():
            for name, bone in _LIMBS.items():
                if bone + end not in places:
                    continue
                parent = _PARENTS[name]
                parent += "" if parent in at else f"_{side}"
                self._add(builder, f"{name}_{side}", parent, bone + end, at)
        return builder.build()

    def _add(self, builder: FigureBuilder, name: str, parent: str, bone: str, at: dict[str, FloatArray]) -> None:
        """A link at a bone's place, with the bone's joint."""
        link = self.skeleton.links[self.skeleton.link_index(bone)]
        at[name] = self._places[bone]
        x, y, z = (at[name] - at[parent]).tolist()
        hung = self._hung(link.joint, name, bone)
        builder.add(name, parent, replace(hung, parent_frame=Pose((x, y, z))), link.mass, shapes=link.shapes)

    def _hung(self, own: Joint, name: str, bone: str) -> Joint:
        named = f"{name}_joint"
        if own.is_ball:
            return joint.ball(name=named)
        if own.follows:
            return joint.hinge(_knee_axis(bone), range=KNEE_RANGE, name=named)
        if own.nq == 2:
            first, second = (screw.axis for screw in own.screws)
            return joint.universal(first, second, range=own.range, name=named)
        return joint.hinge(own.axis, range=own.range, name=named)

    def expand(self, q: ArrayLike) -> FloatArray:
        """Coordinates of the skeleton, shape (n, nq) or (nq,), for those of the outline."""
        given = np.asarray(q, np.float64)
        rows = np.atleast_2d(given)
        out = np.repeat(np.array(self.skeleton.neutral())[None], len(rows), axis=0)
        out[:, :7] = rows[:, :7]
        for name in _ROWS if self._whole else ():
            _, bones, shares = _ROWS[name]
            turn = quat_log(rows[:, self.figure.q_slice(name)])
            for bone, share in zip(bones, shares, strict=True):
                out[:, self.skeleton.q_slice(bone)] = quat_exp(share * turn)
        for side, end in _SIDES.items():
            for name, bone in _LIMBS.items():
                if bone + end in self._places:
                    out[:, self.skeleton.q_slice(bone + end)] = rows[:, self.figure.q_slice(f"{name}_{side}")]
            if self._whole:
                self._share_shoulder(out, end)
        return out[0] if given.ndim == 1 else out

    def _share_shoulder(self, q: FloatArray, end: str) -> None:
        """The shoulder blade's part of the arm's elevation: about the level axis across the arm."""
        arm, blade = self.skeleton.q_slice(f"humerus{end}"), self.skeleton.q_slice(f"scapula{end}")
        down = np.array([0.0, 0.0, -1.0])
        bone = quat_to_matrix(q[:, arm])[:, :, 2] * -1.0
        across = np.cross(down, bone)
        size = np.linalg.norm(across, axis=1, keepdims=True)
        elevation = np.arctan2(size, (bone @ down)[:, None])
        over = SHARE * SOFT * np.logaddexp(0.0, (elevation - RISE) / SOFT) * np.tanh((elevation / RISE) ** 2)
        turn = quat_exp(over * across / np.maximum(size, 1e-9))
        q[:, blade] = turn
        back = turn * np.array([1.0, -1.0, -1.0, -1.0])
        q[:, arm] = quat_multiply(back, q[:, arm])


def _knee_axis(bone: str) -> Vector:
    """The axis about which a knee bends, near its middle."""
    side = Side.RIGHT if bone.endswith("_r") else Side.LEFT
    row = next(row for row in rows_of("knee") if row["bone"] == "tibia" and row["step"] == "turn")
    return axis(row["axis_or_place_mm"], side)
