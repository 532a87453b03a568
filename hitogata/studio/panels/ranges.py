"""Controls of ranges of motion."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitogata.rom import SuperellipseRegion
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.ranges.desk import HARD, SOFT
from hitogata.studio.ranges.kinds import Kind, kind_of
from hitogata.studio.ranges.server import EditorServer
from hitogata.studio.sources import MOTION_FILES, Loaded, from_bytes, load_motion, load_range

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """Drag **points** and **tangents** (squares); double click the edge for a new point.  The bar is the twist at
the selected point.  Orange: where the bone is, and the way it came."""
NONE = "(no ball joint)"
WALLS: dict[str, float | None] = {"as the world's": None, "soft": SOFT, "hard": HARD}


class RangesPanel(Panel):
    """Joint, region, polar editor, wall, files."""

    def __init__(self, studio: "Studio", editor: EditorServer) -> None:
        super().__init__(studio)
        gui, desk = self.gui, studio.desk
        self.joint = self.changed(gui.add_dropdown("Joint", (NONE,)), "The joint", self._choose, undo=False)
        self.shown = self.changed(
            gui.add_checkbox("Show on the figure", False), "The range", lambda _: studio.show.show_range(),
            undo=False,
        )
        self.all_on = self.changed(
            gui.add_checkbox("Ranges act", True, hint="Off: joints go anywhere; see the difference"),
            "Ranges", self._switch_all, setting=False,
        )  # fmt: skip
        self.on = self.changed(gui.add_checkbox("This one acts", True), "The range", self._switch, setting=False)
        kinds = tuple(kind.value for kind in Kind if kind is not Kind.OTHER)
        self.kind = self.changed(
            gui.add_dropdown("Region", (*kinds, Kind.OTHER.value), initial_value=Kind.SPLINE.value),
            "The region", lambda name: desk.set_kind(Kind(name)), setting=False,
        )  # fmt: skip
        self.editor = gui.add_html(editor.frame())
        gui.add_markdown(HELP)
        self.powers = self.changed(
            gui.add_vector2("Powers", (3.0, 3.0), min=(1.0, 1.0), max=(20.0, 20.0), step=0.1, visible=False),
            "Powers", lambda value: desk.set_powers(*value), setting=False,
        )  # fmt: skip
        self.wall = self.changed(
            gui.add_dropdown("Wall", tuple(WALLS), hint="In physics mode: how it gives way"),
            "The wall", lambda name: desk.set_wall(WALLS[name]), setting=False,
        )  # fmt: skip
        self.button("As it was loaded", desk.reset, icon="arrow-back-up")
        self.button_for("Save range (JSON)", self._save, icon="device-floppy")
        self.upload("Open range (JSON)", (".json",), self._open, icon="upload")
        self.button_for("Fit to the motion", lambda _: self._fit_own(), icon="wand",
                        hint="The range that the motion of this studio uses")  # fmt: skip
        self.upload("Fit to a motion file", MOTION_FILES, self._fit, icon="wand")

    def _choose(self, joint: str) -> None:
        if joint != NONE:
            self.shown.value = True
            self.studio.desk.choose(joint)
            self.refresh()

    def _switch_all(self, on: bool) -> None:
        self.studio.stage.switch_ranges(on)
        self.studio.ranges_changed()

    def _switch(self, on: bool) -> None:
        if self.studio.desk.joint:
            self.studio.stage.switch_range(self.studio.desk.joint, on)
            self.studio.ranges_changed()

    def refresh(self) -> None:
        """See `Panel`."""
        desk, stage = self.studio.desk, self.studio.stage
        options = desk.joints or (NONE,)
        if tuple(self.joint.options) != options:
            self.joint.options = options
        if desk.joint not in stage.edits:
            desk.joint = ""
            if desk.joints:
                first = next((name for name in desk.joints if "shoulder" in name), desk.joints[0])
                desk.choose(first)
        self.joint.value = desk.joint or NONE
        self.all_on.value = stage.ranges_on
        if desk.joint:
            edit = stage.edits[desk.joint]
            self.on.value = edit.on
            self.wall.value = next(name for name, value in WALLS.items() if value == edit.stiffness)
            if edit.range is not None:
                region = edit.range.swing
                self.kind.value = kind_of(region).value
                self.powers.visible = isinstance(region, SuperellipseRegion)
                if isinstance(region, SuperellipseRegion):
                    self.powers.value = (region.m, region.n)

    # ------------------------------------------------------- files

    def _save(self, client: Any) -> None:
        path = self.studio.clock.ask(self.studio.desk.save)
        self.studio.hand_over(client, path)

    def _open(self, name: str, content: bytes) -> None:
        found = from_bytes(name, content, (".json",), self.studio.options.upload_limit, load_range)
        self.studio.post("The range", lambda: self.studio.desk.put(found))

    def _fit_own(self) -> None:
        self.studio.desk.fit(self.studio.clock.ask(self.studio.present_motion))

    def _fit(self, name: str, content: bytes) -> None:
        figure, limit = self.studio.stage.figure, self.studio.options.upload_limit

        def read(path: Path) -> Loaded:  # a fit must see what lies outside the range of now
            return load_motion(path, figure, ranges=False)

        loaded = from_bytes(name, content, MOTION_FILES, limit, read)
        assert loaded.motion is not None
        self.studio.desk.fit(loaded.motion)
