"""What the items of these tests do; in a module, so that other processes find it."""

import os
import signal
import time
from pathlib import Path

from hitogata.errors import ArgumentError


def nothing(given):
    return b""


def square(given):
    return str(given * given).encode()


def busy(given):
    """Some work of a few milliseconds, the same every time."""
    x = given
    for _ in range(100_000):
        x = (1103515245 * x + 12345) % 2**31
    return str(x).encode()


def noted(given):
    """Says in a file that it was done, then answers."""
    folder, number = given
    with (Path(folder) / "log").open("a") as file:
        file.write(f"{number}\n")
    return str(number).encode()


def poison(given):
    """Kills its process if it is number 3."""
    if given == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return str(given).encode()


def bad_input(given):
    raise ArgumentError(f"number {given} is bad")


def flaky(given):
    """Fails the first two times."""
    folder, number = given
    mark = Path(folder) / f"tried-{number}"
    tries = len(mark.read_text()) if mark.exists() else 0
    mark.write_text("x" * (tries + 1))
    if tries < 2:
        raise OSError("the disk is having a bad day")
    return b"done"


def hang(given):
    if given == 1:
        time.sleep(1000)
    return str(given).encode()


def hungry(given):
    """Takes `given` megabytes."""
    return str(len(bytearray(given * 1_000_000))).encode()


def whose(given):
    """The process that did it."""
    busy(given)
    return str(os.getpid()).encode()
