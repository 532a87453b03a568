"""Frames of several cameras put together by their numbers.

Each camera sends its frames in order, but may lose some, begin later, fall silent or fail.  A frame is complete when
every camera that is waited for has sent it, or one after it.
"""

from collections.abc import Iterator

import numpy as np

from hitogata.capture.blobs import Blobs
from hitogata.capture.camera_link import CameraFrame
from hitogata.capture.merged import COLUMNS

NOTHING = Blobs(np.zeros((0, COLUMNS)))
"""What a camera sees whose frame is lost."""

LONGEST = 10_000
"""Frames in a row that nobody has sent are put in as empty, but if they are more, the numbers were set anew."""


class FrameJoin:
    """Frames by number.

    Attributes:
        left: cameras that are not lost.
        incomplete: frames that were put together without a camera that is not lost.
    """

    def __init__(self, count: int) -> None:
        """For so many cameras."""
        self._head: list[CameraFrame | None] = [None] * count
        self._lost, self._late = [False] * count, [False] * count
        self._stale = [0] * count  # frames in a row that came too late
        self._next: int | None = None
        self.incomplete = 0

    @property
    def left(self) -> int:
        """Cameras that are not lost."""
        return self._lost.count(False)

    def missing(self) -> list[int]:
        """Cameras whose next frame is waited for."""
        return [k for k, head in enumerate(self._head) if head is None and not (self._lost[k] or self._late[k])]

    def here(self) -> list[int]:
        """Cameras whose next frame has come."""
        return [k for k, head in enumerate(self._head) if head is not None]

    def left_out(self) -> list[int]:
        """Cameras that are late and not waited for."""
        return [k for k, late in enumerate(self._late) if late and not self._lost[k]]

    def leave_out(self, k: int) -> None:
        """Go on without a camera that is late."""
        self._late[k] = True

    def take_in(self, k: int) -> None:
        """Wait for it again."""
        self._late[k] = False

    def lose(self, k: int) -> None:
        """Go on without a camera for good."""
        self._lost[k], self._head[k] = True, None
        self._late = [False] * len(self._late)

    def behind(self, k: int) -> str:
        """What to say of a camera whose frames all come too late, else nothing."""
        return f" but {self._stale[k]} frames with numbers that are over" if self._stale[k] else ""

    def add(self, k: int, frame: CameraFrame) -> bool:
        """A camera's next frame; False: its time is over, and it counts as nothing."""
        if self._next is not None and frame.number < self._next:
            self._stale[k] += 1
            return False
        self._head[k], self._stale[k] = frame, 0
        return True

    def frames(self) -> Iterator[list[Blobs]]:
        """The next frame of all, after those that nobody has sent."""
        numbers = [head.number for head in self._head if head is not None]
        if not numbers:
            return
        if self._next is None:  # all begin with the one that began last
            self._next = max(numbers)
            for k, head in enumerate(self._head):
                if head is not None and head.number < self._next:
                    self._head[k] = None
            if self.missing():
                return
        number = min(head.number for head in self._head if head is not None)
        for _ in range(number - self._next if number - self._next <= LONGEST else 0):
            self.incomplete += 1
            yield [NOTHING] * len(self._head)
        frame = [head.seen if head is not None and head.number == number else NOTHING for head in self._head]
        self.incomplete += any(
            not self._lost[k] and (head is None or head.number != number) for k, head in enumerate(self._head)
        )
        self._head = [None if head is not None and head.number == number else head for head in self._head]
        self._next = number + 1
        yield frame
