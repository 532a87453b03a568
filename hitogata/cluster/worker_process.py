"""The process of a local worker: attempts come on its standard input, reports leave on what was its standard output.

What the work prints goes to standard error.  When its driver is gone the input ends, and so does the process.
"""

import os
import pickle
import struct
import sys
from typing import Any, BinaryIO

from hitogata.cluster.task import perform

HEAD = struct.Struct("<Q")


def send(stream: BinaryIO, message: Any) -> None:
    """A message, behind its length."""
    data = pickle.dumps(message)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message; EOFError: there is none."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    (length,) = HEAD.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def main() -> None:
    """Do attempts until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    inward = sys.stdin.buffer
    send(out, "ready")
    try:
        while True:
            kind, given = receive(inward)
            if kind == "warm":
                given()
                send(out, "warm")
            else:
                send(out, perform(given))
    except (EOFError, BrokenPipeError):
        os._exit(0)
    except KeyboardInterrupt:
        os._exit(130)
