"""Puppet: a figure, or many, led by pins and drags."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hitogata.dynamics.dispatch import check_threads
from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets, share
from hitogata.motion.puppet import arguments
from hitogata.motion.puppet.characters import Characters
from hitogata.motion.puppet.entries import run_many, run_one
from hitogata.motion.puppet.handles import Handle, Hold, Priority, Residuals, Solution, Status
from hitogata.motion.puppet.layout import Summary
from hitogata.motion.puppet.settings import PuppetSettings
from hitogata.motion.puppet.tasks import EVERY_AXIS, Asked


class Puppet:
    """A figure that follows pins and drags, within the ranges of its joints.

    Dragged links go first; then, as far as that leaves room, pinned links, gaze, balance and wanted joint values.  Each
    of these may be given, changed and taken away between frames; it takes hold or lets go within `PuppetSettings.ramp`.

    Args:
        figure: the figure.
        q: coordinates, shape (nq,), or (n, nq) for n characters that share all handles but not their targets;
            None: the neutral pose.
        settings: of the solver.
        threads: to share characters over; None: one per core.

    Example:
        >>> from hitogata.library import human28
        >>> from hitogata.motion import Puppet
        >>> puppet = Puppet(human28())
        >>> feet = [puppet.pin(name) for name in ("sole_left", "sole_right")]
        >>> hand = puppet.drag("grip_right")
        >>> puppet.set_target(hand, position=(0.4, -0.3, 1.2))
        >>> for _ in range(60):
        ...     residuals = puppet.step(1 / 60)
    """

    def __init__(
        self, figure: Figure, q: Any = None, *, settings: PuppetSettings | None = None, threads: int | None = 1
    ) -> None:
        check_threads(threads)
        if not isinstance(figure, Figure):
            raise ArgumentError(f"figure: expected a Figure, got {figure!r}")
        if settings is not None and not isinstance(settings, PuppetSettings):
            raise ArgumentError(f"settings: expected PuppetSettings, got {settings!r}")
        self.figure, self.settings, self.threads = figure, settings or PuppetSettings(), threads
        self._law = self.settings.numbers()
        self._all = Characters(figure, figure.neutral() if q is None else q)
        self._asked, self._before = Asked(self._all), np.empty_like(self._all.state)

    # ------------------------------------------------------- where it is

    @property
    def count(self) -> int:
        """Number of characters."""
        return self._all.count

    @property
    def handles(self) -> tuple[Handle, ...]:
        """All that is asked for, the oldest first."""
        return tuple(self._asked.handles)

    @property
    def q(self) -> FloatArray:
        """Coordinates, shape (nq,) or (n, nq), a copy."""
        return self._all.get(self._all.state, self._all.part("q"))

    @property
    def v(self) -> FloatArray:
        """Velocities of the last step, shape (nv,) or (n, nv), a copy."""
        return self._all.get(self._all.state, self._all.part("v"))

    def place(self, q: Any) -> None:
        """Put it into a pose at once, shape (nq,) or (n, nq); wanted joint values become those of the pose."""
        self._all.place(q)

    # ------------------------------------------------------- pins and drags

    def pin(
        self, frame: str, *, hold: Hold = Hold.POSITION, point: Any = None, position: Any = None,
        orientation: Any = None, weight: Any = 1.0, priority: Priority = Priority.SECOND,
        axes: Sequence[float] = EVERY_AXIS, speed: float = 3.0, turn_speed: float = 6.0,
    ) -> Handle:  # fmt: skip
        """Hold a link where it is, or at a target.

        Args:
            frame: name of a link or of a named frame.
            hold: its position, its orientation, or both.
            point: hold this point, fixed in the frame [m]; None: its origin.
            position: target in the world [m], shape (3,) or (n, 3); None: where it is now.
            orientation: target in the world, quaternion wxyz, shape (4,) or (n, 4); None: as it is now.
            weight: against others of its level, 0 (nothing) or more; a number or shape (n,).
            priority: its level.
            axes: which of the world's axes matter, as shares 0 ... 1: (0, 0, 1) holds a height.
            speed: fastest approach to the target [m/s].
            turn_speed: the same of an orientation [rad/s].
        """
        given = (hold, point, position, orientation, weight, priority, axes, speed, turn_speed)
        return self._asked.hold(Handle("pin", frame), *given)

    def drag(
        self, frame: str, *, hold: Hold = Hold.POSITION, point: Any = None, position: Any = None,
        orientation: Any = None, weight: Any = 1.0, priority: Priority = Priority.FIRST,
        axes: Sequence[float] = EVERY_AXIS, speed: float = 3.0, turn_speed: float = 6.0,
    ) -> Handle:  # fmt: skip
        """Lead a link along with a target that moves: a pin of the first level.  The arguments are those of `pin`."""
        given = (hold, point, position, orientation, weight, priority, axes, speed, turn_speed)
        return self._asked.hold(Handle("drag", frame), *given)

    # ------------------------------------------------------- gaze and balance

    def look_at(
        self, frame: str, position: Any, *, axis: Any = (1.0, 0.0, 0.0), weight: Any = 1.0,
        priority: Priority = Priority.SECOND, turn_speed: float = 6.0,
    ) -> Handle:  # fmt: skip
        """Let a frame look at a place.

        Args:
            frame: name of a link or of a named frame.
            position: to look at, in the world [m], shape (3,) or (n, 3).
            axis: that looks, in the frame.
            weight: against others of its level, 0 or more; a number or shape (n,).
            priority: its level.
            turn_speed: fastest turn asked for [rad/s].
        """
        return self._asked.gaze(Handle("gaze", frame), position, axis, weight, priority, turn_speed)

    def balance(
        self, over: Any, *, inset: float = 0.3, weight: Any = 1.0, priority: Priority = Priority.SECOND,
        speed: float = 3.0,
    ) -> Handle:  # fmt: skip
        """Keep the centre of mass over a support.

        Args:
            over: points on the ground [m], shape (k, 2) or (k, 3), or (n, k, 3); or handles of pins that stand there.
            inset: how far the outline of these points is drawn in towards its middle, 0 ... 1.
            weight: against others of its level, 0 or more; a number or shape (n,).
            priority: its level.
            speed: fastest approach asked for [m/s].
        """
        return self._asked.balance(Handle("balance", ""), over, inset, weight, priority, speed)

    def set_support(self, handle: Handle, over: Any, *, inset: float = 0.3) -> None:
        """Another support; see `balance`."""
        self._asked.set_support(handle, over, inset)

    # ------------------------------------------------------- changes

    def set_target(self, handle: Handle, *, position: Any = None, orientation: Any = None) -> None:
        """Another target of a pin, drag or gaze.

        Args:
            handle: whose.
            position: in the world [m], shape (3,) or (n, 3); None: as it is.
            orientation: in the world, quaternion wxyz, shape (4,) or (n, 4); None: as it is.
        """
        self._asked.set_target(handle, position, orientation)

    def set_weight(self, handle: Handle, weight: Any) -> None:
        """Another weight, 0 (nothing) or more; a number or shape (n,)."""
        self._asked.set_weight(handle, weight)

    def set_priority(self, handle: Handle, priority: Priority) -> None:
        """Another level; while it takes hold there, it lets go of the one it was on."""
        groups = self._asked.of(handle)
        if not isinstance(priority, Priority):
            raise ArgumentError(f"priority: expected a Priority, got {priority!r}")
        if groups[0].level is not priority:
            self._asked.change_level(handle, priority, self.settings.ramp)

    def release(self, handle: Handle) -> None:
        """Ask for it no longer."""
        self._asked.release(handle, self.settings.ramp)

    # ------------------------------------------------------- joints

    def set_posture(self, q: Any = None, *, time: Any = 1.0, joints: Iterable[str] | None = None) -> None:
        """Wanted joint values: what nothing else moves returns to them.

        Args:
            q: coordinates, shape (nq,) or (n, nq); None: those of now.
            time: in which a free joint goes some 63 % of its way [s], a number or shape (n,); infinite: they are not
                wanted any more.
            joints: names; None: all but a free base.
        """
        times = arguments.times("time", time, self.count)
        if joints is None:
            links = zip(self.figure.joint_names, self.figure.links, strict=True)
            joints = [name for name, link in links if not link.joint.floating]
        bodies = self._all.bodies_of(joints)
        wanted = self._all.checked(self.q if q is None else q)
        self._all.put(self._all.state, self._all.part("wanted"), wanted)
        self._all.set_joints(bodies, "pull_goal", 1.0 / times)
        if not self._asked.pulled:
            self._asked.pulled = True
            self._asked.rebuild(self._asked.groups)

    def set_mobility(self, mobility: Any, joints: Iterable[str] | None = None) -> None:
        """How readily joints move against others.

        Args:
            mobility: 0 (locked) or more, 1 at first; a number or shape (n,).  Only ratios matter.
            joints: names; None: all.
        """
        values = arguments.weight("mobility", mobility, self.count)
        self._all.set_joints(self._all.bodies_of(joints), "mobility_goal", values)

    def set_speed_limit(
        self, *, turn: float | None = None, slide: float | None = None, joints: Iterable[str] | None = None
    ) -> None:
        """Fastest motion of joints; when one meets its limit, all go slower.

        Args:
            turn: [rad/s], 5 at first; None: as it is.
            slide: of sliders and the base [m/s], 5 at first; None: as it is.
            joints: names; None: all, the base included.
        """
        given = {"turn": turn, "slide": slide}
        checked = {name: arguments.above_zero(name, value) for name, value in given.items() if value is not None}
        bodies = self._all.bodies_of(joints)
        for name, value in checked.items():
            self._all.set_joints(bodies, f"{name}_speed", value)

    # ------------------------------------------------------- moving

    def step(self, dt: float, *, iterations: int = 1) -> Residuals:
        """Move on by one frame.

        Args:
            dt: time of the frame [s].
            iterations: solves within it; more follow fast targets more exactly.

        Returns:
            The largest errors after the frame.
        """
        self._run(arguments.above_zero("dt", dt), arguments.count("iterations", iterations), False)
        if self._asked.fading:
            self._asked.forget_faded(dt)
        return Residuals(*self._summary("points", "angles"))

    def solve(self, iterations: int = 200) -> Solution:
        """Iterate until every goal is met or nothing moves any more; goals take hold at once.

        Args:
            iterations: at most.

        Returns:
            How it ended; not to reach a goal is no error.
        """
        self._run(self.settings.stride, arguments.count("iterations", iterations), True)
        self._all.state[:, self._all.part("v")] = 0.0
        if self._asked.fading:
            self._asked.forget_faded(self.settings.ramp)
        point, angle, status, taken = self._summary("points", "angles", "status", "iterations")
        if self._all.single:
            return Solution(Status(int(status)), int(taken), point, angle)
        return Solution(tuple(Status(int(s)) for s in status), taken.astype(int), point, angle)

    def residual(self, handle: Handle) -> Residuals:
        """Errors of one handle after the last step or solve; 0 for what it does not hold."""
        errors = self._asked.residuals(handle)
        if self._all.single:
            return Residuals(*map(float, errors))
        return Residuals(*(np.broadcast_to(x, self.count) for x in errors))

    def _run(self, dt: float, iterations: int, to_the_end: bool) -> None:
        """Let the kernels run; if a character becomes non-finite, all go back to where they were."""
        own, asked = self._all, self._asked
        np.copyto(self._before, own.state)
        given = (asked.table(self._law), asked.aims, own.state, dt, iterations, to_the_end)
        if own.count == 1:
            good = run_one(*given)
        else:
            found: list[bool] = []
            share(own.blocks, self.threads, lambda first, end: found.append(run_many(*given, first, end, own.width)))
            good = all(found)
        if not good:
            np.copyto(own.state, self._before)
            raise HitogataError(
                f"figure {self.figure.name!r}: the change is not finite, and it stays where it was; "
                "targets, weights or mobilities are too large"
            )

    def _summary(self, *which: str) -> list[Any]:
        own, at = self._all, record_offsets(Summary)
        if own.single:
            numbers = own.state[0, own.part("summary"), 0].tolist()
            return [numbers[at[name]] for name in which]
        rows = own.get(own.state, own.part("summary"))
        return [rows[:, at[name]] for name in which]
