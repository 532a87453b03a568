"""Behaviour capture: motion, forces, gaze and muscles of several devices on one clock.

Devices send streams (`Outlet`, `DatagramSender`; simulators: `play`), the `Recorder` writes them as they come, and
`open_recording` gives them as arrays on one clock.  `docs/behaviour.md` is the guide.
"""

from hitogata.behaviour.camera_streams import CameraOutlet, frames_of_stream
from hitogata.behaviour.clock import ClockMap, ClockSegment, ClockSource, LiveClock, fit_clock, steady
from hitogata.behaviour.datagrams import DatagramInlet, DatagramSender
from hitogata.behaviour.device import Faults, Played, play
from hitogata.behaviour.emg import band_passed, envelope, normalised
from hitogata.behaviour.events import align_events, find_pulses, greatest_difference, shared_events
from hitogata.behaviour.gaze import ShapeTarget, Target, figure_targets, looked_at
from hitogata.behaviour.lsl import Inlet, Outlet, StreamLostError, allow_network, found_streams
from hitogata.behaviour.recorder import Recorder, StreamStatus, lsl_finder
from hitogata.behaviour.recording import Gap, Recording, Track, open_recording, write_recording
from hitogata.behaviour.sources import Source, sample_source, source_of, with_pulses
from hitogata.behaviour.streams import Channel, Samples, Stream, StreamKind
from hitogata.behaviour.tracked import TrackedStream

__all__ = [
    "CameraOutlet", "Channel", "ClockMap", "ClockSegment", "ClockSource", "DatagramInlet", "DatagramSender",
    "Faults", "Gap", "Inlet", "LiveClock", "Outlet", "Played", "Recorder", "Recording", "Samples", "ShapeTarget",
    "Source", "Stream", "StreamKind", "StreamLostError", "StreamStatus", "Target", "Track", "TrackedStream",
    "align_events", "allow_network", "band_passed", "envelope", "figure_targets", "find_pulses", "fit_clock",
    "found_streams", "frames_of_stream", "greatest_difference", "looked_at", "lsl_finder", "normalised",
    "open_recording", "play", "sample_source", "shared_events", "source_of", "steady", "with_pulses",
    "write_recording",
]  # fmt: skip
