"""What is known of a frame of markers while it goes through the live pipeline."""

from dataclasses import dataclass, field

from hitogata.behaviour.streams import Array
from hitogata.muscle.live import LiveFrames


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """A frame; what later stages find is None before them.

    Attributes:
        time: when markers were seen, local clock [s]; after `SmoothRates` with a lag, the time that is answered for.
        arrival: when they came in [s].
        points: as they came [m], shape (n, 3), NaN where hidden.
        markers: in the order of the marker set [m], shape (nm, 3).
        q, v, vdot: coordinates, velocities and accelerations.
        wrenches: measured [torque; force] on each link, world axes, about its origin, shape (nlinks, 6).
        tau: forces on the velocities, shape (nv,).
        emg: activations that were measured, NaN where none was, shape (muscles,).
        muscles: activations, forces and reserves.
        marks: what is wrong with it, in words.
    """

    time: float
    arrival: float
    points: Array = field(repr=False)
    markers: Array | None = field(default=None, repr=False)
    q: Array | None = field(default=None, repr=False)
    v: Array | None = field(default=None, repr=False)
    vdot: Array | None = field(default=None, repr=False)
    wrenches: Array | None = field(default=None, repr=False)
    tau: Array | None = field(default=None, repr=False)
    emg: Array | None = field(default=None, repr=False)
    muscles: LiveFrames | None = field(default=None, repr=False)
    marks: tuple[str, ...] = ()
