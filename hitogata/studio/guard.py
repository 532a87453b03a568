"""What goes wrong is told on the page, and the studio lives on."""

import sys
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

from hitogata.errors import HitogataError


class Guard:
    """Runs what users asked for; an error becomes a message.

    Errors of hitogata are messages for users.  All others are mistakes in the program: they too are shown in one line,
    and their tracebacks go to stderr.

    Args:
        tell: shows (title, text) to all who watch.
    """

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        self._tell = tell
        self.messages: deque[str] = deque(maxlen=100)
        self.crashes = 0

    def run(self, what: str, task: Callable[[], Any]) -> bool:
        """Do it; False if it failed."""
        try:
            task()
        except HitogataError as error:
            self.say(f"{what} did not work", " ".join(str(error).split()))
            return False
        except Exception as error:  # the studio lives on
            self.crashes += 1
            traceback.print_exc(file=sys.stderr)
            self.say(f"{what} failed", f"{type(error).__name__}: {' '.join(str(error).split())}")
            return False
        return True

    def say(self, title: str, text: str) -> None:
        """Show a message; if even that fails, it is kept in `messages`."""
        self.messages.append(f"{title}: {text}")
        try:
            self._tell(title, text)
        except Exception:
            traceback.print_exc(file=sys.stderr)
