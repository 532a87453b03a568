"""From controls on the page to the studio's clock."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hitogata.studio.studio import Studio


class Panel:
    """A part of the page's controls.  Users' changes are posted to the clock; the program's own are not."""

    def __init__(self, studio: "Studio") -> None:
        self.studio, self.gui = studio, studio.server.gui
        self.controls: dict[str, Any] = {}
        self._known: dict[str, Any] = {}

    def refresh(self) -> None:
        """Figure, mode or ranges changed: show what is."""

    def changed(
        self, handle: Any, what: str, task: Callable[[Any], Any], *, undo: bool = True, setting: bool = True
    ) -> Any:
        """Let a control call `task(value)` when a user changes it; the control.

        Args:
            handle: the control.
            what: names it if it fails, and in the undo history.
            task: called in the clock's thread.
            undo: whether it can be undone.
            setting: whether its value is put back then; otherwise the stage says what it is.
        """
        name = f"{type(self).__name__}: {getattr(handle, 'label', what)}"
        if setting and undo:
            self.controls[name] = handle
            self._known[name] = handle.value

        async def callback(event: Any) -> None:
            if event.client is not None:
                value = handle.value
                self.studio.post(what, lambda: act(value))

        def act(value: Any) -> None:
            if undo:
                self.studio.undo.note(what, {name: self._known[name]} if name in self.controls else None)
            if name in self.controls:
                self._known[name] = value
            task(value)

        handle.on_update(callback)
        return handle

    def number(
        self, label: str, low: float, high: float, at: float, task: Callable[[Any], Any], *, step: float = 1.0,
        hint: str = "", **options: Any,
    ) -> Any:  # fmt: skip
        """A box for a number between two limits; another one is refused in place: the box shows the last again."""
        handle = self.gui.add_number(label, at, min=low, max=high, step=step, hint=f"{hint} ({low:g} to {high:g})")
        good = [at]

        def check(value: Any) -> None:
            try:
                fits = low <= float(value) <= high
            except (TypeError, ValueError):
                fits = False
            if not fits:
                handle.value = good[0]
                self.studio.guard.say(label, f"{value} does not fit: {low:g} to {high:g}")
                return
            good[0] = value
            task(value)

        return self.changed(handle, label, check, **options)

    def control_values(self) -> dict[str, Any]:
        """Values of all settings."""
        return {name: handle.value for name, handle in self.controls.items()}

    def set_control_values(self, values: dict[str, Any]) -> None:
        """Put settings back."""
        for name, handle in self.controls.items():
            if name in values:
                self._known[name] = values[name]
                if handle.value != values[name]:
                    handle.value = values[name]

    def button(
        self, label: str, task: Callable[[], Any], *, hint: str | None = None, undo: bool = True, **options: Any
    ) -> Any:
        """A button that calls `task()`; what it does can be undone."""
        handle = self.gui.add_button(label, hint=hint, **options)

        def act() -> None:
            if undo:
                self.studio.undo.note(label)
            task()

        async def callback(event: Any) -> None:
            self.studio.post(label, act)

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
