"""Controls of ranges of several joints."""

from typing import TYPE_CHECKING, Any

from hitogata.rom.coupled import CoupledRange
from hitogata.rom.coupled import edits as changes
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.sources import MOTION_FILES, Loaded, from_bytes, load_motion

if TYPE_CHECKING:
    from pathlib import Path

    from hitogata.studio.studio import Studio

NONE = "(none)"
HELP = """One range for all these joints together.  The picture is a section through the pose of now (the dot): move the
figure, and **allow** or **forbid** what is near it, or set a **wall** there."""


class CoupledPanel(Panel):
    """Which range, section, walls, brush, files."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui, desk = self.gui, studio.coupled
        self.chosen = self.changed(gui.add_dropdown("Range", (NONE,)), "The range", self._choose, undo=False)
        self.shown = self.changed(gui.add_checkbox("Show on the figure", True), "The range", lambda _: None, undo=False)
        self.on = self.changed(gui.add_checkbox("It acts", True), "The range", desk.switch, setting=False)
        gui.add_markdown(HELP)
        self.across, self.up = (
            self.changed(gui.add_dropdown(label, (NONE,)), "The section", lambda _: self.draw(), undo=False)
            for label in ("Across", "Up")
        )
        self.section = gui.add_html("")
        self._drawn: Any = None
        with gui.add_folder("Brush", expand_by_default=False):
            self.radius = gui.add_slider("Radius [rad]", 0.05, 1.0, 0.05, 0.2)
            self.button("Allow about this pose", lambda: desk.brush(self.radius.value, True), icon="brush")
            self.button("Forbid about this pose", lambda: desk.brush(self.radius.value, False), icon="eraser")
        with gui.add_folder("Walls", expand_by_default=False):
            self.wall = gui.add_dropdown("Wall", (NONE,))
            self.by = gui.add_slider("By [rad]", 0.01, 0.5, 0.01, 0.05)
            self.button("Move outwards", lambda: self._move(1.0), icon="arrows-maximize")
            self.button("Move inwards", lambda: self._move(-1.0), icon="arrows-minimize")
            self.button("Wall through this pose", lambda: desk.wall_here(*self._axes()), icon="wall")
            self.button("Take the wall away", self._take_away, icon="wall-off")
        with gui.add_folder("New, files", expand_by_default=False):
            self.first = gui.add_dropdown("Joint", (NONE,))
            self.second = gui.add_dropdown("and joint", (NONE,))
            self.button("New range of both", self._make, icon="plus")
            self.button("Remove the range", desk.remove, icon="trash")
            self.button_for("Save (JSON)", self._save, icon="device-floppy")
            self.upload("Open (JSON)", (".json",), self._open, icon="upload")
            self.button_for("Fit to the motion", lambda _: self._fit_own(), icon="wand")
            self.upload("Fit to a motion file", MOTION_FILES, self._fit, icon="wand")

    # ------------------------------------------------------- what is shown

    def refresh(self) -> None:
        """See `Panel`."""
        desk, stage = self.studio.coupled, self.studio.stage
        joints = tuple(
            name for name, link in zip(stage.figure.joint_names, stage.figure.links, strict=True)
            if link.joint.nv and not link.joint.floating
        )  # fmt: skip
        for handle in (self.first, self.second):
            _offer(handle, joints)
        _offer(self.chosen, desk.names)
        if desk.now is None:
            _offer(self.across, ())
            _offer(self.up, ())
            _offer(self.wall, ())
        else:
            self.chosen.value, self.on.value = desk.names[desk.index], desk.now.on
            names = tuple(changes.coordinate_names(desk.now.range))
            fresh = tuple(self.across.options) != names
            _offer(self.across, names)
            _offer(self.up, names)
            if fresh:
                self.across.value, self.up.value = names[0], names[-1]
            walls, place = desk.walls(), self._wall()
            _offer(self.wall, walls)
            if walls:
                self.wall.value = walls[min(place, len(walls) - 1)]
        self._drawn = None
        self.draw()

    def draw(self) -> None:
        """The section, if it is another one than before."""
        desk = self.studio.coupled
        if desk.now is None:
            self.section.content = ""
            return
        key = (desk.now.range, self._axes(), tuple(desk.pose().round(3).tolist()))
        if key != self._drawn:
            self._drawn = key
            self.section.content = desk.picture(*self._axes())

    def _axes(self) -> tuple[int, int]:
        """Numbers of the section's coordinates, two different ones where there are."""
        options = list(self.across.options)
        across, up = options.index(self.across.value), options.index(self.up.value)
        return (across, up) if across != up or len(options) == 1 else (across, (across + 1) % len(options))

    def _wall(self) -> int:
        return list(self.wall.options).index(self.wall.value)

    def _choose(self, name: str) -> None:
        if name != NONE:
            self.studio.coupled.index = list(self.chosen.options).index(name)
            self.refresh()

    # ------------------------------------------------------- changes

    def _move(self, sign: float) -> None:
        by, wall = sign * self.by.value, self._wall()
        if self.studio.coupled.walls():
            self.studio.coupled.edit(lambda r: changes.moved_wall(r, wall, by))
        else:
            self.studio.coupled.edit(lambda r: changes.grown(r, by))

    def _take_away(self) -> None:
        wall = self._wall()
        self.studio.coupled.edit(lambda r: changes.without_wall(r, wall))

    def _make(self) -> None:
        self.studio.coupled.make(list(dict.fromkeys((self.first.value, self.second.value))))

    def _save(self, client: Any) -> None:
        path = self.studio.clock.ask(self.studio.coupled.save)
        self.studio.hand_over(client, path)

    def _open(self, name: str, content: bytes) -> None:
        found = from_bytes(name, content, (".json",), self.studio.options.upload_limit, CoupledRange.load)

        def put() -> None:
            self.studio.undo.note("A range from a file")
            self.studio.coupled.add(found)

        self.studio.post("The range", put)

    def _fit_own(self) -> None:
        self.studio.coupled.fit(self.studio.clock.ask(self.studio.present_motion))

    def _fit(self, name: str, content: bytes) -> None:
        figure, limit = self.studio.stage.figure, self.studio.options.upload_limit

        def read(path: "Path") -> Loaded:  # a fit must see what lies outside the range of now
            return load_motion(path, figure, ranges=False)

        loaded = from_bytes(name, content, MOTION_FILES, limit, read)
        assert loaded.motion is not None
        self.studio.coupled.fit(loaded.motion)


def _offer(handle: Any, options: tuple[str, ...]) -> None:
    """Options of a dropdown, the chosen one kept if it is still there."""
    options = options or (NONE,)
    if tuple(handle.options) != options:
        value = handle.value
        handle.options = options
        handle.value = value if value in options else options[0]
