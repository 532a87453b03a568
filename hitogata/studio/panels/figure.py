"""Which figure, on what ground, seen how."""

from typing import TYPE_CHECKING

from hitogata.studio.panels.bindings import Panel
from hitogata.studio.scenery import Floor
from hitogata.studio.sources import FIGURE_FILES, FIGURES, from_bytes, load_figure
from hitogata.studio.stage import MOST

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

OWN = "(from a file)"


class FigurePanel(Panel):
    """Figure, copies, ground, view."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        self.figure = self.changed(
            gui.add_dropdown("Figure", (*FIGURES, OWN), initial_value=FIGURES[0]), "The figure", self._choose,
            undo=False,
        )
        self.upload("Open MJCF, URDF or BVH", FIGURE_FILES, self._open, icon="upload",
                    hint="A file of your own; what it refers to must be in it")  # fmt: skip
        self.about = gui.add_markdown("")
        self.copies = self.changed(
            gui.add_slider("Copies", 1, MOST, 1, 1, hint="Side by side"), "Copies", studio.set_count,
            setting=False,
        )
        self.floor = self.changed(
            gui.add_dropdown("Ground", tuple(f.value for f in Floor), initial_value=studio.stage.floor.value),
            "The ground", lambda name: studio.set_floor(Floor(name)), setting=False,
        )  # fmt: skip
        self.follow = self.changed(
            gui.add_checkbox("Camera follows", True), "The camera", lambda on: setattr(studio.camera, "follow", on),
            undo=False,
        )
        self.shadows = self.changed(
            gui.add_checkbox("Shadows", studio.options.shadows, hint="Off: faster on slow machines"),
            "Shadows", studio.set_shadows, undo=False,
        )  # fmt: skip
        self.refresh()

    def refresh(self) -> None:
        """See `Panel`."""
        stage = self.studio.stage
        self.figure.value = stage.original.name if stage.original.name in FIGURES else OWN
        self.copies.value = stage.count
        self.floor.value = stage.floor.value
        figure = stage.original
        self.about.content = f"**{figure.name}**: {figure.nlinks} links, {figure.nv} velocities, {figure.mass:.1f} kg"

    def _choose(self, name: str) -> None:
        if name == OWN:
            self.refresh()  # it is opened with the button below
        else:
            self.studio.load(load_figure(name))

    def _open(self, name: str, content: bytes) -> None:
        loaded = from_bytes(name, content, FIGURE_FILES, self.studio.options.upload_limit, load_figure)
        self.studio.post("The figure", lambda: self.studio.load(loaded))
