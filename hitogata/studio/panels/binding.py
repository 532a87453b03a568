"""From controls on the page to the studio's clock."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


class Panel:
    """A part of the page's controls.  Users' changes are posted to the clock; the program's own are not."""

    def __init__(self, studio: "Studio") -> None:
        self.studio, self.gui = studio, studio.server.gui

    def refresh(self) -> None:
        """Figure, mode or ranges changed: show what is."""

    def changed(self, handle: Any, what: str, task: Callable[[Any], Any]) -> Any:
        """Let a control call `task(value)` when a user changes it; the control."""

        async def callback(event: Any) -> None:
            if event.client is not None:
                value = handle.value
                self.studio.post(what, lambda: task(value))

        handle.on_update(callback)
        return handle

    def button(self, label: str, task: Callable[[], Any], *, hint: str | None = None, **options: Any) -> Any:
        """A button that calls `task()`."""
        handle = self.gui.add_button(label, hint=hint, **options)

        async def callback(event: Any) -> None:
            self.studio.post(label, task)

        handle.on_click(callback)
        return handle

    def button_for(self, label: str, task: Callable[[Any], Any], *, hint: str | None = None, **options: Any) -> Any:
        """A button that calls `task(client)` in a thread of its own: it may take its time."""
        handle = self.gui.add_button(label, hint=hint, **options)

        def callback(event: Any) -> None:
            self.studio.guard.run(label, lambda: task(event.client))

        handle.on_click(callback)
        return handle

    def upload(self, label: str, endings: tuple[str, ...], task: Callable[[str, bytes], Any], **options: Any) -> Any:
        """A button for a file; `task(name, content)` is called in a thread of its own."""
        handle = self.gui.add_upload_button(label, mime_type=",".join(endings), **options)

        def callback(event: Any) -> None:
            file = handle.value
            self.studio.guard.run(label, lambda: task(file.name, file.content))

        handle.on_upload(callback)
        return handle
