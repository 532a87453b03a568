"""Messages to pages are handed over in the thread of their loop, whoever sends them.

viser 1.1 sets an `asyncio.Event` from the thread that sends, and again in its loop.  The first wakes whoever waits,
from a thread that must not: while the loop itself changes the list of waiters, that is an error, or a page that is
never told.  Here the first only raises the flag, and the second wakes.
"""

import asyncio
from typing import Any


class LoopEvent(asyncio.Event):
    """An event that any thread may set; those who wait are woken by a `set` in their own loop."""

    _value: bool
    _waiters: Any
    _loop: Any  # in which somebody waited

    def set(self) -> None:
        """Raise the flag; in its loop, also wake who waits, though it is up already."""
        self._value = True
        if self._loop is None or asyncio._get_running_loop() is not self._loop:
            return
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(True)


def use_loop_events() -> None:
    """Let buffers of messages that are made from now on have such events."""
    from viser.infra._async_message_buffer import AsyncMessageBuffer

    given: Any = AsyncMessageBuffer.__init__
    if getattr(given, "loop_events", False):
        return

    def make(self: Any, *arguments: Any, **named: Any) -> None:
        given(self, *arguments, **named)
        self.message_event, self.flush_event = LoopEvent(), LoopEvent()

    make.loop_events = True  # type: ignore[attr-defined]
    AsyncMessageBuffer.__init__ = make
