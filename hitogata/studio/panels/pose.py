"""Controls of pose mode."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hitogata.motion import Hold
from hitogata.studio.modes.pose import Posing
from hitogata.studio.panels.bindings import Panel
from hitogata.studio.poses import POSE_FILES, read_pose
from hitogata.studio.sources import from_bytes

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio

HELP = """**Drag** a hand, the head, any link: the figure follows within the ranges of its joints.
**Click** a link to pin it where it is; click again to let it loose.  Drag beside the figure to look around."""


class PosePanel(Panel):
    """Pins and balance."""

    def __init__(self, studio: "Studio") -> None:
        super().__init__(studio)
        gui = self.gui
        gui.add_markdown(HELP)
        self.button("Neutral pose", self._do(lambda mode: mode.rest()), icon="home")
        self.button_for("Save the pose (JSON)", studio.output.pose, icon="device-floppy")
        self.upload("Open a pose (JSON)", POSE_FILES, self._open, icon="upload")
        self.button("Pin the feet", self._do(lambda mode: mode.pin_feet()), icon="pin")
        self.button("Let all pins loose", self._do(lambda mode: mode.clear_pins()), icon="pinned-off")
        self.hold = self.changed(
            gui.add_dropdown("New pins hold", tuple(h.value for h in Hold), initial_value=Hold.POSITION.value),
            "Pins", lambda name: self._do(lambda mode: setattr(mode, "hold", Hold(name)))(),
        )  # fmt: skip
        self.firm = self.changed(
            gui.add_checkbox("Pins before drags", True, hint="Off: pins give way to a hand out of reach"),
            "Pins", lambda on: self._do(lambda mode: mode.set_firm(on))(),
        )  # fmt: skip
        self.balance = self.changed(
            gui.add_checkbox("Keep balance", False, hint="Centre of mass over the pinned links"),
            "Balance", lambda on: self._do(lambda mode: mode.set_balance(on))(),
        )  # fmt: skip

    def _open(self, name: str, content: bytes) -> None:
        figure, limit = self.studio.stage.figure, self.studio.options.upload_limit
        q = from_bytes(name, content, POSE_FILES, limit, lambda path: read_pose(path, figure))
        self.studio.post("The pose", lambda: self.studio.take_pose(q))

    def _do(self, task: Callable[[Posing], Any]) -> Callable[[], None]:
        def run() -> None:
            if isinstance(self.studio.mode, Posing):
                task(self.studio.mode)

        return run

    def settings(self) -> dict[str, Any]:
        """How a new mode begins."""
        return {"hold": Hold(self.hold.value), "firm": self.firm.value, "balance": self.balance.value}
