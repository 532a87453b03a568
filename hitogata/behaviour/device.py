"""Device simulators: real recordings, streamed in real time by a process of its own, with the faults that devices have.

The simulated device has its own clock, (1 + drift) as fast as the computer's from a start of its own, samples by that
clock, and hands samples on late.  What it sends and loses is counted, so that a recording can be judged.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitogata.behaviour.sources import Source
from hitogata.errors import ArgumentError


@dataclass(frozen=True)
class Faults:
    """What is wrong with a device.

    Attributes:
        drift: of its clock [ppm]: stamps advance by (1 + 1e-6 drift) for each second.
        start: what its clock shows at the beginning [s].
        jitter: samples are handed on late by up to this, evenly distributed [s].
        stamp_jitter: stamps are off by up to this either way [s].
        loss: share of datagrams that the network loses.
        restarts: times after the beginning at which the device ends and begins again with its clock at `start` [s].
        away: how long it is gone at a restart [s].
        seed: of what is random.
    """

    drift: float = 0.0
    start: float = 100.0
    jitter: float = 0.0
    stamp_jitter: float = 0.0
    loss: float = 0.0
    restarts: tuple[float, ...] = ()
    away: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("drift", "start", "jitter", "stamp_jitter", "loss", "away"):
            value = getattr(self, name)
            low = -1e5 if name in ("drift", "start") else 0.0
            high = 1.0 if name == "loss" else 1e5
            if not low <= value <= high:
                raise ArgumentError(f"faults: {name} must be from {low:g} to {high:g}, got {value!r}")
        object.__setattr__(self, "restarts", tuple(sorted(self.restarts)))


@dataclass
class Played:
    """What a device did.

    Attributes:
        sent: samples handed on.
        lost: of datagrams, samples that the simulated network lost.
        began: computer's monotonic clock when each run began: sample k of it was taken k / rate device seconds later.
    """

    sent: int = 0
    lost: int = 0
    began: list[float] = field(default_factory=list)

    def to_json(self) -> str:
        """As text."""
        return json.dumps({"sent": self.sent, "lost": self.lost, "began": self.began})


def play(
    source: Source, open_end: Callable[[], Any], faults: Faults | None = None, *, seconds: float | None = None,
    speed: float = 1.0, told: Callable[[Played], None] | None = None, begin: float | None = None,
) -> Played:  # fmt: skip
    """Play a source until its time is up, or for ever.

    Args:
        source: what.
        open_end: makes an `Outlet` or a `DatagramSender`; called again after each restart.
        faults: what is wrong.
        seconds: how long [s of the computer]; None: until stopped.
        speed: how many seconds of the recording pass in one; stamps are of the recording's time.
        told: called about once a second.
        begin: when to begin, on the computer's monotonic clock; None: now.
    """
    faults = faults or Faults()
    played, rng = Played(), np.random.default_rng(faults.seed)
    began = time.monotonic() if begin is None else begin
    end = np.inf if seconds is None else began + seconds
    ends = [*(began + r for r in faults.restarts if began + r < end), end]
    start, number = began, 0
    for run, until in enumerate(ends):
        sender = open_end()
        try:
            if run == 0:
                _wait_until(began, sender)
            played.began.append(start)
            number = _run(source, sender, faults, played, rng, (began, start, until, speed, number), told)
        finally:
            played.lost += int(getattr(sender, "lost", 0))
            sender.close()
        if until < end:
            _wait_until(until + faults.away)
            start = until + faults.away
            number = round((start - began) * speed * source.stream.rate)
    return played


def _run(source: Source, sender: Any, faults: Faults, played: Played, rng: Any, span: Any, told: Any) -> int:
    """One run of the device; the number of the next sample of the recording."""
    began, start, until, speed, number = span
    rate = source.stream.rate
    true_rate = rate * speed * (1.0 + 1e-6 * faults.drift)  # samples in a second of the computer
    k, last = 0, start
    first = number
    while True:
        now = time.monotonic()
        if now < until:  # sample k is sent when it is taken, k / rate after the start, not a period later
            due = int((now - start) * true_rate) + 1
        else:
            due = int(np.ceil((until - start) * true_rate))
        if due > k:
            stamps = faults.start + np.arange(k, due) / rate
            if faults.stamp_jitter:
                stamps = stamps + rng.uniform(-1, 1, due - k) * faults.stamp_jitter
            elapsed = start - began + np.arange(k, due) / true_rate
            sender.send(source.at(first + k, due - k, elapsed), stamps)
            played.sent += due - k
            k = due
        if now >= until:
            return first + k
        if told is not None and now - last > 1.0:
            last = now
            told(played)
        pause = max(1.0 / true_rate, 0.002)
        time.sleep(pause if not faults.jitter else pause + rng.uniform(0.0, faults.jitter))


def _wait_until(when: float, sender: Any = None) -> None:
    """Sleep; a sender answers meanwhile those who ask what it sends."""
    while (left := when - time.monotonic()) > 0:
        if sender is not None:
            sender.has_receivers()
        time.sleep(min(left, 0.2))
