"""Groups of rows: what handles are made of, and the arrays kernels read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.pose import FloatArray
from hitogata.motion.puppet.characters import Characters
from hitogata.motion.puppet.handles import Handle, Priority
from hitogata.motion.puppet.layout import BALANCE, AimMemory, PuppetTable
from hitogata.motion.puppet.model_arrays import goal_arrays


@dataclass(eq=False)
class Group:
    """Three rows of the solver (see `layout`).

    Attributes:
        kind: POINT, TURN, GAZE or BALANCE.
        body: that carries it; -1 for balance.
        level: of its handle.
        fixed: a `GroupFloats`, flat.
        row: its number among the groups.
        fading: time until a released one is gone [s].
    """

    kind: int
    body: int
    level: Priority
    fixed: FloatArray
    row: int = -1
    fading: float = np.inf


class Groups:
    """The groups of all handles, and their arrays."""

    def __init__(self, characters: Characters) -> None:
        self.characters = characters
        self.handles: dict[Handle, list[Group]] = {}
        self.groups: list[Group] = []
        self.support: FloatArray = np.zeros((characters.count, 0, 2))
        self.pulled = self.fading = False  # whether any joint has a wanted value; whether any group is on its way out
        self.aims, self._layout = characters.new_array(1), AimMemory.layout(groups=0, corners=0)
        self.rebuild([])

    def of(self, handle: Handle) -> list[Group]:
        """The groups of a handle."""
        try:
            return self.handles[handle]
        except (KeyError, TypeError):
            if isinstance(handle, Handle):
                raise ArgumentError(f"handle: the {handle} was released, or belongs to another puppet") from None
            raise ArgumentError(f"handle: expected a Handle of this puppet, got {handle!r}") from None

    def add(self, handle: Handle, groups: list[Group], numbers: list[dict[str, Any]]) -> None:
        """New groups, without authority yet, and the numbers of their `Aim`s."""
        self.rebuild([*self.groups, *groups])
        self.handles[handle] = groups
        for group, given in zip(groups, numbers, strict=True):
            for name, value in given.items():
                self.put(group, name, value)

    def release(self, handle: Handle, ramp: float) -> None:
        """Let go within some time."""
        for group in self.of(handle):
            group.fading = ramp
            self.put(group, "authority_goal", 0.0)
        del self.handles[handle]
        self.fading = True

    def change_level(self, handle: Handle, level: Priority, ramp: float) -> None:
        """Rows on another level take hold, while those of now let go; balance, of which there is one, begins anew."""
        old, new = self.of(handle), []
        for group in old:
            if group.kind == BALANCE:
                group.level = level
                new.append(group)
            else:
                new.append(Group(group.kind, group.body, level, group.fixed))
        aims = [self.characters.get(self.aims, self._layout.part("aim", g.row)) for g in old]
        self.rebuild([*self.groups, *(g for g in new if g not in old)])
        for group, other, numbers in zip(old, new, aims, strict=True):
            self.characters.put(self.aims, self._layout.part("aim", other.row), numbers)
            self.put(other, "authority", 0.0)
            if group is not other:
                group.fading = ramp
                self.put(group, "authority_goal", 0.0)
                self.fading = True
        self.handles[handle] = new

    def forget_faded(self, dt: float) -> None:
        """Drop released groups that have lost their authority."""
        for group in self.groups:
            group.fading -= dt
        kept = [g for g in self.groups if g.fading > 0]
        if len(kept) < len(self.groups):
            self.rebuild(kept)
        self.fading = any(g.fading < np.inf for g in kept)

    def put(self, group: Group, name: str, value: Any) -> None:
        """A number, or several, of a group's `Aim`, for all characters or for each."""
        part = self._layout.part("aim", group.row, name)
        self.characters.put(self.aims, part, np.atleast_1d(np.asarray(value, float)))

    def get(self, group: Group, name: str) -> Any:
        """Numbers of a group's `Aim`, shape (count,) or (n, count)."""
        return self.characters.get(self.aims, self._layout.part("aim", group.row, name))

    def rebuild(self, groups: list[Group]) -> None:
        """The arrays for these groups; what was known of them is kept."""
        groups = sorted(groups, key=lambda g: g.level.value)
        corners = self.support.shape[1]
        old, self._layout = self._layout, AimMemory.layout(groups=len(groups), corners=corners)
        aims = self.characters.new_array(self._layout.floats)
        for row, group in enumerate(groups):
            if group.row >= 0:
                aims[:, self._layout.part("aim", row)] = self.aims[:, old.part("aim", group.row)]
        for row, group in enumerate(groups):
            group.row = row
        self.aims, self.groups = aims, groups
        if corners:
            self.characters.put(aims, self._layout.part("support"), self.support.reshape(len(self.support), -1))
        self.first = sum(g.level is Priority.FIRST for g in groups)
        self.ints, self.floats = goal_arrays(
            self.characters.compiled, [(g.kind, g.body) for g in groups], [g.fixed for g in groups], self.first,
            corners, self.pulled,
        )  # fmt: skip
        self._table: Any = None

    def table(self, law: FloatArray) -> Any:
        """A `PuppetTable`, made when first asked for; law: the numbers of the settings, always the same."""
        if self._table is None:
            compiled = self.characters.compiled
            self._table = PuppetTable.of(
                ints=compiled.model.ints, floats=compiled.floats, own_ints=compiled.ints, goal_ints=self.ints,
                goal_floats=self.floats, law=law,
            )  # fmt: skip
        return self._table

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_table": None}  # addresses are not those of a copy
