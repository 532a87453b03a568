"""Keyboard shortcuts, and the sheet that lists them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.modes.capture import Capturing
from hitogata.studio.modes.motion import Playing
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


class Shortcut(NamedTuple):
    """A key, and what it does: `act(studio)` in the clock's thread, or `act(studio, client)` with `own`."""

    words: str
    key: str
    act: Callable[..., Any]
    modifier: str | None = None
    own: bool = False

    @property
    def keys(self) -> str:
        """As one reads them."""
        held = {"cmd/ctrl": "Ctrl ", "shift": "Shift ", "cmd/ctrl+shift": "Ctrl Shift ", None: ""}[self.modifier]
        names = {"space": "Space", "arrowleft": "←", "arrowright": "→", "delete": "Delete"}
        return held + names.get(self.key, self.key)


def _play(studio: "Studio") -> None:
    mode = studio.mode
    if isinstance(mode, Playing | Capturing | Behaving):
        mode.play(not mode.playing)
    elif isinstance(mode, Physics):
        mode.pause(not mode.paused)


def _step(count: int) -> Callable[["Studio"], None]:
    def act(studio: "Studio") -> None:
        mode = studio.mode
        if isinstance(mode, Playing):
            mode.step_frames(count)
        elif isinstance(mode, Capturing):
            mode.seek(mode.index + count)
        elif isinstance(mode, Behaving):
            mode.seek(mode.cursor + 0.01 * count)
        elif isinstance(mode, Physics):
            mode.single_step(count)

    return act


def _delete(studio: "Studio") -> None:
    mode = studio.mode
    if isinstance(mode, Playing) and (which := mode.keyframe_near(mode.player.time)) is not None:
        studio.undo.note("Delete the keyframe")
        mode.delete_keyframe(which)
    elif isinstance(mode, Posing):
        studio.undo.note("Let all pins loose")
        mode.clear_pins()


def _mode(index: int) -> Callable[["Studio"], None]:
    def act(studio: "Studio") -> None:
        from hitogata.studio.panels.page import ModeName

        studio.choose_mode(list(ModeName)[index])

    return act


SHORTCUTS = (
    Shortcut("Play or pause: motion, physics, capture, streams", "space", _play),
    Shortcut("A frame or step back", "arrowleft", _step(-1)),
    Shortcut("A frame or step on", "arrowright", _step(1)),
    Shortcut("Ten frames back", "arrowleft", _step(-10), "shift"),
    Shortcut("Ten frames on", "arrowright", _step(10), "shift"),
    Shortcut("Undo", "Z", lambda studio: studio.undo.undo(), "cmd/ctrl"),
    Shortcut("Redo", "Z", lambda studio: studio.undo.redo(), "cmd/ctrl+shift"),
    Shortcut("Redo, too", "Y", lambda studio: studio.undo.redo(), "cmd/ctrl"),
    Shortcut("Frame the figure", "F", lambda studio, client: studio.frame_figure(client), own=True),
    Shortcut("Delete the keyframe of now; in pose mode: let all pins loose", "delete", _delete),
    Shortcut("Pose mode", "1", _mode(0)),
    Shortcut("Physics mode", "2", _mode(1)),
    Shortcut("Motion mode", "3", _mode(2)),
    Shortcut("Capture mode", "4", _mode(3)),
    Shortcut("Streams mode", "5", _mode(4)),
    Shortcut("This sheet", "H", lambda studio, client: show_sheet(client), own=True),
)


def register(studio: "Studio") -> None:
    """Let the page listen to all shortcuts; they stand in viser's command palette too."""
    for shortcut in SHORTCUTS:
        command = studio.server.gui.add_command(shortcut.words, hotkey=shortcut.key, modifier=shortcut.modifier)

        async def act(event: Any, chosen: Shortcut = shortcut) -> None:
            client = event.client
            task = (lambda: chosen.act(studio, client)) if chosen.own else (lambda: chosen.act(studio))
            studio.post(chosen.words, task)

        command.on_trigger(act)


def sheet() -> str:
    """All shortcuts and what the mouse does, as Markdown."""
    rows = "\n".join(f"| {shortcut.keys} | {shortcut.words} |" for shortcut in SHORTCUTS)
    return f"""| key | |
|---|---|
{rows}

**Mouse.** Drag a link to move it; beside the figure to look around; right drag moves the view, the wheel zooms. Click a
link to pin it (pose), to push it (physics), to keep it where it is (motion that plays). On a paused motion a drag sets
a keyframe."""


def show_sheet(client: Any) -> None:
    """Show the sheet on a page."""
    modal = client.gui.add_modal("Keys and mouse")
    with modal:
        client.gui.add_markdown(sheet())
        close = client.gui.add_button("Close")

        async def shut(event: Any) -> None:
            modal.close()

        close.on_click(shut)
