"""What a C3D file holds: markers, analog channels, events, force plates."""

import enum
from dataclasses import dataclass, field

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure.values import FloatArray, floats, positive
from hitogata.files.c3d.parameters import Groups
from hitogata.files.markers import MarkerData


class PlateType(enum.Enum):
    """What the channels of a force plate hold; the value is FORCE_PLATFORM:TYPE.

    CENTRE: force, centre of pressure (x, y), free moment (6 channels).
    WRENCH: force and moment about the plate's origin (6 channels).
    SENSORS: Fx12, Fx34, Fy14, Fy23, Fz1 to Fz4 of four sensors (8 channels).
    CALIBRATED: as WRENCH, but mixed: a matrix of 6 x 6 makes force and moment of the channels.
    """

    CENTRE = 1
    WRENCH = 2
    SENSORS = 3
    CALIBRATED = 4

    @property
    def nchannels(self) -> int:
        """How many channels a plate has."""
        return 8 if self is PlateType.SENSORS else 6


@dataclass(frozen=True, eq=False)
class AnalogData:
    """Analog channels over time.

    Attributes:
        labels: of the channels, unique.
        units: of the channels, as the file names them; '' if it does not.
        rate: samples per second [Hz].
        time: [s], shape (nt,), on the clock of the markers.
        values: scaled, in the channels' units, shape (nt, nc), read-only; NaN if the file has no number there.
    """

    labels: tuple[str, ...]
    units: tuple[str, ...]
    rate: float
    time: FloatArray = field(repr=False)
    values: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "units", tuple(self.units))
        object.__setattr__(self, "rate", positive(self.rate, "analog: rate", error=ArgumentError))
        if len(set(self.labels)) != len(self.labels) or len(self.units) != len(self.labels):
            raise ArgumentError("analog: every channel needs a label of its own and a unit (may be '')")
        time = floats(self.time, "analog: time").astype(np.float64, copy=False)
        values = floats(self.values, "analog: values").astype(np.float64, copy=False)
        if time.ndim != 1 or values.shape != (len(time), len(self.labels)):
            raise ArgumentError(f"analog: values must have shape ({len(time)}, {len(self.labels)}), got {values.shape}")
        for what, array in (("time", time), ("values", values)):
            view = array.view()
            view.setflags(write=False)
            object.__setattr__(self, what, view)

    def channel(self, label: str) -> FloatArray:
        """One channel, in its unit, shape (nt,)."""
        if label not in self.labels:
            raise ArgumentError(f"analog: no channel {label!r}; there are: {', '.join(self.labels)}")
        return self.values[:, self.labels.index(label)]


@dataclass(frozen=True)
class Event:
    """Something at a time.

    Attributes:
        label: what ("Foot Strike").
        time: [s], on the clock of the markers.
        context: of whom or which side ("Left").
        subject: name of the subject.
        description: free text.
    """

    label: str
    time: float
    context: str = ""
    subject: str = ""
    description: str = ""


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """A force plate.  Its own axes: x and y along the edges, z down into the floor.

    Attributes:
        kind: what its channels hold.
        corners: [m], shape (4, 3), of the quadrants (+x +y), (-x +y), (-x -y), (+x -y) of the plate's axes.
        origin: [m], shape (3,), in the plate's axes: from where moments are measured to the centre of its surface; of
            SENSORS, half the distances between sensors along x and y, and the height of the surface (negative).
        channels: indices of its analog channels, from 0.
        units: what one of each channel's units is in N, N m or m; of CALIBRATED, of each row of the matrix.
        calibration: shape (6, 6), only of CALIBRATED.
        zero: frames whose mean is the plate without load: first, and the one behind the last; None: not said.
    """

    kind: PlateType
    corners: FloatArray = field(repr=False)
    origin: FloatArray = field(repr=False)
    channels: tuple[int, ...]
    units: tuple[float, ...] = field(repr=False)
    calibration: FloatArray | None = field(default=None, repr=False)
    zero: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, PlateType):
            raise ArgumentError(f"plate: kind must be of PlateType, got {self.kind!r}")
        for what in ("channels", "units"):
            object.__setattr__(self, what, tuple(getattr(self, what)))
            if len(getattr(self, what)) != self.kind.nchannels:
                raise ArgumentError(f"plate: {what}: {self.kind.name} has {self.kind.nchannels} channels")
        for what, shape in (("corners", (4, 3)), ("origin", (3,)), ("calibration", (6, 6))):
            if what == "calibration" and self.kind is not PlateType.CALIBRATED:
                continue
            array = np.array(getattr(self, what), dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ArgumentError(f"plate: {what} must be finite numbers of shape {shape}, got shape {array.shape}")
            array.setflags(write=False)
            object.__setattr__(self, what, array)

    @property
    def centre(self) -> FloatArray:
        """Centre of the surface [m], shape (3,)."""
        centre: FloatArray = self.corners.mean(axis=0)
        return centre

    @property
    def rotation(self) -> FloatArray:
        """R_WP, the plate's axes in the world, as columns, shape (3, 3)."""
        x, y = self.corners[0] - self.corners[1], self.corners[0] - self.corners[3]
        z = np.cross(x, y)
        axes = np.stack([x, np.cross(z, x), z], axis=1)
        return axes / np.linalg.norm(axes, axis=0)


@dataclass(frozen=True, eq=False)
class C3d:
    """A C3D file.  Frame number 1 is at time 0.

    Attributes:
        markers: places of points.
        analog: analog channels.
        events: in the order of time.
        plates: force plates that can be used; `plate_forces` makes forces of them.
        parameters: all of the file, by group and name.
        warnings: what was odd about the file.
    """

    markers: MarkerData
    analog: AnalogData
    events: tuple[Event, ...] = ()
    plates: tuple[ForcePlate, ...] = ()
    parameters: Groups = field(default_factory=dict, repr=False)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, kind in (("markers", MarkerData), ("analog", AnalogData)):
            if not isinstance(getattr(self, what), kind):
                raise ArgumentError(f"c3d: {what} must be {kind.__name__}, got {getattr(self, what)!r}")
        count = len(self.analog.labels)
        for k, plate in enumerate(self.plates):
            if any(not 0 <= channel < count for channel in plate.channels):
                raise ArgumentError(f"c3d: plate {k + 1}: channels {plate.channels} of {count}")
        frames, samples = self.markers.nframes, len(self.analog.time)
        if count and frames and samples % frames:
            raise ArgumentError(f"c3d: {samples} analog samples are not a whole number for each of {frames} frames")

    @property
    def samples(self) -> int:
        """Analog samples per frame."""
        return len(self.analog.time) // max(self.markers.nframes, 1)

    def __str__(self) -> str:
        return (
            f"C3d: {self.markers}; {len(self.analog.labels)} analog channels at {self.analog.rate:g} Hz, "
            f"{len(self.plates)} force plates, {len(self.events)} events"
        )


def no_analog(rate: float) -> AnalogData:
    """No channels, at a rate [Hz]."""
    return AnalogData((), (), rate, np.empty(0), np.empty((0, 0)))
