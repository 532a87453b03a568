"""Events of a C3D file: of the group EVENT, or of the header."""

import math

import numpy as np

from hitogata.files.c3d.parameters import Parameters
from hitogata.files.c3d.recording import Event

MARK = 12345
"""What word 150 of the header is if labels of events have four letters."""


def read_events(data: bytes, parameters: Parameters) -> tuple[tuple[Event, ...], list[str]]:
    """All events in the order of time, and notes."""
    found, notes = _of_group(parameters)
    return tuple(sorted(found or _of_header(data, parameters), key=lambda event: event.time)), notes


def _of_group(parameters: Parameters) -> tuple[list[Event], list[str]]:
    """EVENT:TIMES holds minutes and seconds."""
    times = parameters.numbers("EVENT", "TIMES")
    used = parameters.count("EVENT", "USED") or 0
    count = min(used, len(times) // 2)
    columns = [parameters.texts("EVENT", name) for name in ("LABELS", "CONTEXTS", "SUBJECTS", "DESCRIPTIONS")]
    events, notes = [], []
    if count < used:
        notes.append(f"EVENT:USED is {used}, but EVENT:TIMES has {len(times) // 2} times")
    for k in range(count):
        time = 60 * float(times[2 * k]) + float(times[2 * k + 1])
        label, context, subject, description = (column[k] if k < len(column) else "" for column in columns)
        if math.isfinite(time):
            events.append(Event(label, time, context, subject, description))
        else:
            notes.append(f"event {k + 1} ({label!r}) has no time, and is left out")
    return events, notes


def _of_header(data: bytes, parameters: Parameters) -> list[Event]:
    """At most 18 times, with labels of four letters."""
    words = np.frombuffer(data, f"{parameters.processor.order}u2", 256)
    if words[149] != MARK or not 0 < words[150] <= 18:
        return []
    count = int(words[150])
    times = parameters.processor.real(data[304 : 304 + 4 * count])
    labels = [data[396 + 4 * k : 400 + 4 * k].decode("latin-1").strip(" \0") for k in range(count)]
    return [Event(label, float(time)) for label, time in zip(labels, times, strict=True) if math.isfinite(time)]
