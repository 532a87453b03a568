"""The joint whose range is being edited, and everything that can be done to it."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, Trajectory
from hitogata.figure.pose import FloatArray
from hitogata.rom import ConeRegion, RangeOfMotion, SuperellipseRegion, TwistForm, fit_range
from hitogata.spatial import quat_rotate
from hitogata.studio.ranges import edits
from hitogata.studio.ranges.kinds import Kind, converted, disc_quat, kind_of, to_polar

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

SOFT, HARD = 500.0, math.inf
"""Stiffness of walls [N m/rad]."""

_AXES = ("+x", "−x", "+y", "−y", "+z", "−z")
_TRAIL, _STILL = 180, 2e-3
"""Poses of the trail, at most, and least change from one to the next."""


class Desk:
    """Edits the range of one ball joint at a time.  Used in the clock's thread only.

    Attributes:
        joint: its name; empty: the figure has no ball joint.
        version: rises with each change that the editor must show.
        selected: knot whose twist is shown.
    """

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        self.joint, self.version, self.selected = "", 0, 0
        self.trail: list[FloatArray] = []

    # ------------------------------------------------------- what is edited

    @property
    def joints(self) -> tuple[str, ...]:
        """Ball joints of the figure."""
        return tuple(self._studio.stage.edits)

    @property
    def range(self) -> RangeOfMotion | None:
        """The joint's range as it is now."""
        return self._studio.stage.edits[self.joint].range if self.joint else None

    def choose(self, joint: str) -> None:
        """Edit another joint."""
        if joint not in self._studio.stage.edits:
            raise ArgumentError(f"figure {self._studio.stage.figure.name!r} has no ball joint {joint!r}")
        self.joint, self.selected, self.trail = joint, 0, []
        self._studio.show.show_range()
        self.touch()

    def touch(self) -> None:
        """Something that the editor shows has changed."""
        self.version += 1

    def edit(self, change: Callable[[RangeOfMotion], RangeOfMotion]) -> None:
        """Change the range; if it refuses, all stays as it was."""
        if self.range is None:
            raise ArgumentError(f"joint {self.joint!r} has no range: give it one first")
        self.put(change(self.range))

    def put(self, range_: RangeOfMotion | None) -> None:
        """Another range."""
        if not self.joint:
            raise ArgumentError("this figure has no ball joint")
        self._studio.stage.set_range(self.joint, range_)
        if range_ is not None:
            self.selected = min(self.selected, range_.swing.segments - 1)
        self._studio.ranges_changed()

    def set_kind(self, kind: Kind) -> None:
        """A region of another kind; a joint without a range is given a cone first."""
        if self.range is None:
            cone = ConeRegion(bone_of(self._studio.stage.figure, self.joint), math.radians(60))
            self.put(converted(RangeOfMotion(cone), kind))
        else:
            self.edit(lambda range_: converted(range_, kind))

    def set_powers(self, m: float, n: float) -> None:
        """Powers of a superellipse."""

        def change(range_: RangeOfMotion) -> RangeOfMotion:
            region = range_.swing
            if not isinstance(region, SuperellipseRegion):
                raise ArgumentError(f"a {kind_of(region).value} has no powers: make it a superellipse first")
            return RangeOfMotion(
                SuperellipseRegion(region.s, region.t, m, n, quat_PR=region.quat_PR), range_.twist, range_.bone
            )

        self.edit(change)

    def set_wall(self, stiffness: float | None) -> None:
        """Stiffness of the wall in physics [N m/rad]; None: that of the world's settings."""
        self._studio.stage.edits[self.joint].stiffness = stiffness
        self._studio.ranges_changed()

    def reset(self) -> None:
        """The range that the figure was loaded with."""
        original = self._studio.stage.original
        self.put(original.links[original.joint_index(self.joint)].joint.range)

    # ------------------------------------------------------- files

    def save(self) -> Path:
        """Write the range to the studio's folder; the file."""
        if self.range is None:
            raise ArgumentError(f"joint {self.joint!r} has no range to save")
        path = self._studio.folder.new(f"range-{self.joint}", ".json")
        self.range.save(path)
        return path

    def fit(self, motion: Trajectory) -> None:
        """The range that a motion of this figure uses, with a margin of 5°."""
        figure = self._studio.stage.figure
        motion.check(figure)
        quats = motion.q[:, figure.q_slice(self.joint)]
        bone = self.range.bone_axis if self.range is not None else bone_of(figure, self.joint)
        found = fit_range(quats, bone=bone, margin=math.radians(5), twist=TwistForm.BOUNDARY, quiet=True)
        self._studio.post("The fitted range", lambda: self.put(found.range))

    # ------------------------------------------------------- what the editor shows

    def note(self, q: FloatArray) -> None:
        """A frame: where the bone is now; a bone that rests leaves its trail as it is."""
        if self.joint:
            quat = np.array(q[self._studio.stage.figure.q_slice(self.joint)])
            still = bool(self.trail) and np.abs(quat - self.trail[-1]).max() < _STILL
            self.trail = [*self.trail[:-1], quat] if still else [*self.trail[-_TRAIL:], quat]

    def state(self) -> dict[str, Any]:
        """All that stays while nothing is edited, for JSON; angles in rad."""
        range_, stage = self.range, self._studio.stage
        base = {"version": self.version, "joint": self.joint, "selected": self.selected}
        if range_ is None:
            return {**base, "kind": "none", "on": False}
        region = range_.swing
        low, high = edits.knot_limits(range_)
        knots = to_polar(region, region.knots)
        return {
            **base, "kind": kind_of(region).value, "on": stage.acting(self.joint),
            "outline": to_polar(region, region.boundary(180)).round(5).tolist(),
            "back": bool(region.contains(-region.bone)),
            "handles": edits.handles(range_).tolist(), "tangents": edits.tangents(range_).tolist(),
            "knots": np.column_stack([knots, low, high]).tolist(),
            "axes": self._axis_names(disc_quat(region)),
        }  # fmt: skip

    def pose(self) -> dict[str, Any]:
        """Bone and twist now, and the way they came, for JSON; angles in rad."""
        range_ = self.range
        if range_ is None or not self.trail:
            return {"trail": [], "twist": 0.0, "limits": [-math.pi, math.pi], "inside": True}
        bones, twist = range_.swing_twist(np.array(self.trail))
        limits = range_.twist_limits(bones[-1])
        return {
            "trail": to_polar(range_.swing, bones).round(4).tolist(), "twist": round(float(twist[-1]), 4),
            "limits": [round(float(x), 4) for x in limits],
            "inside": bool(range_.violation(self.trail[-1]).swing_depth < 1e-3),
        }  # fmt: skip

    def _axis_names(self, quat: FloatArray) -> list[str]:
        """Which way of the parent is to the right, up, left and down on the disc."""
        x, y = (quat_rotate(quat, np.eye(3)[k]) for k in (0, 1))
        return [_AXES[int(np.argmax([v @ (s * e) for e in np.eye(3) for s in (1, -1)]))] for v in (x, y, -x, -y)]

    def act(self, request: dict[str, Any]) -> None:
        """An edit that the polar editor asks for.

        Raises:
            ArgumentError: it asks for something that there is not.
            RangeError: the range would not be well formed; it stays as it was.
        """
        action = request.get("action")
        self._studio.page.ranges.shown.value = True  # who edits wants to see it
        index, azimuth, angle, low, high = (
            _number(request, name) for name in ("index", "azimuth", "angle", "low", "high")
        )
        k = int(index)
        if action == "point":
            self.edit(lambda r: edits.move_point(r, k, azimuth, angle))
        elif action == "tangent":
            self.edit(lambda r: edits.move_tangent(r, k, azimuth, angle))
        elif action == "add":
            self.edit(lambda r: edits.add_point(r, azimuth, angle))
        elif action == "remove":
            self.edit(lambda r: edits.remove_point(r, k))
        elif action == "smooth":
            self.edit(edits.smooth_tangents)
        elif action == "twist":
            self.edit(lambda r: edits.set_twist(r, k, low, high))
        elif action == "select":
            self.selected = k
            self.touch()
        else:
            raise ArgumentError(f"unknown action {str(action)[:40]!r}")


def _number(request: dict[str, Any], name: str) -> float:
    value = request.get(name, 0.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e4:
        raise ArgumentError(f"{name}: a number expected, got {json.dumps(value)[:40]}")
    return float(value)


def bone_of(figure: Figure, joint: str) -> FloatArray:
    """Which way the bone of a ball joint points at rest, in the joint's frame: towards what hangs on it."""
    link = figure.links[figure.joint_index(joint)]
    ends = [child.joint.parent_frame.position for child in figure.links if child.parent == link.name]
    way = np.mean(ends, axis=0) if ends else np.array(link.mass.centre)
    way = link.joint.child_frame.rotation.T @ (way - np.array(link.joint.child_frame.position))
    size = float(np.linalg.norm(way))
    result: FloatArray = way / size if size > 1e-6 else np.array([0.0, 0.0, -1.0])
    return result
