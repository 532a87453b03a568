"""The filter as users call it: physics by another way, contact conditions, closeness; streams and bad input."""

import numpy as np
import pytest

from hitogata.dynamics import centre_of_mass, difference, integrate
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.filter import (
    DynamicsFilter,
    FilterSettings,
    FrameStatus,
    Mode,
    Slope,
    Steps,
    filter_motion,
    filter_motions,
)
from hitogata.library import human28, pendulum, virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import resample, retarget


@pytest.fixture(scope="module")
def figure():
    return virtual_human()


@pytest.fixture(scope="module")
def walk(figure):
    return resample(figure, sample_walk(strides=2, rate=100.0), 60.0)


@pytest.fixture(scope="module")
def filtered(figure, walk):
    return filter_motion(figure, walk)


def test_physics_holds_on_every_frame_by_inverse_dynamics(filtered):
    assert filtered.measures.residual < 1e-10
    assert filtered.measures.residual_before > 0.1  # there was something to do


def test_the_motion_is_the_integral_of_its_accelerations(figure, filtered):
    motion = filtered.trajectory
    h = float(np.diff(motion.time).mean())
    np.testing.assert_allclose(motion.v[1:], motion.v[:-1] + h * motion["vdot"][:-1], atol=1e-12)
    came = integrate(figure, motion.q[:-1], h * motion.v[1:])
    assert np.abs(difference(figure, came, motion.q[1:])).max() < 1e-12


def test_forces_are_in_their_cones_and_act_where_feet_stand(filtered):
    motion = filtered.trajectory
    assert filtered.measures.cone == 0
    assert np.abs(motion["forces"][~motion["active"]]).max(initial=0.0) == 0.0


def test_it_stays_close_within_ranges_and_does_not_fall(filtered):
    found = filtered.measures
    assert found.fallen_at is None
    assert found.joints_deg < 8.0  # the angles are from tables: half the body weight is missing in them
    assert found.root_mm < 100.0
    assert found.range_deg < 1e-9


def test_the_same_call_gives_the_same_bits(figure, walk, filtered):
    again = filter_motion(figure, walk)
    assert np.array_equal(again.trajectory.q, filtered.trajectory.q)
    assert np.array_equal(again.trajectory["tau"], filtered.trajectory["tau"])


def test_standing_still_changes_nothing_and_carries_the_weight(figure):
    q = np.tile(figure.neutral(), (40, 1))
    still = Trajectory(np.arange(40) / 60, q, np.zeros((40, figure.nv)))
    found = filter_motion(figure, still, contacts={"left": [(0, 1)], "right": [(0, 1)]})
    assert found.measures.root_mm < 3.0
    assert found.measures.joints_deg < 1.0
    force = found.trajectory["forces"].sum(axis=1)
    np.testing.assert_allclose(force[10:30, 2], 9.81 * figure.mass, rtol=0.02)


def test_recordings_and_other_bodies(figure, walk):
    other = human28()
    moved = retarget(walk, figure, other).trajectory
    found = filter_motion(other, moved, mode=Mode.RECORDING)
    assert found.measures.residual < 1e-10
    assert found.measures.fallen_at is None


@pytest.mark.parametrize("angle", [-5, 8])
def test_a_slope_is_stood_on(figure, walk, angle):
    floor = Slope(np.radians(angle))
    found = filter_motion(figure, walk, floor=floor)
    motion = found.trajectory
    assert found.measures.residual < 1e-10
    assert found.measures.fallen_at is None
    stands = motion["active"]
    heights = motion["corners"][..., 2] - floor.height(motion["corners"][..., :2])
    assert np.abs(heights[stands]).max() < 0.03
    assert (motion.q[-1, 2] - motion.q[0, 2]) * np.sign(angle) > 0.05  # downhill, uphill
    flat = motion["active"].reshape(len(motion), -1, 4).all(axis=2)  # soles lie on the slope, as they did on the level
    assert flat.any(axis=1).mean() > 0.3


def test_frames_one_by_one_with_a_preview(figure, walk):
    stream = DynamicsFilter(figure, mode=Mode.PREVIEW, rate=60.0)
    frames = [stream.feed(q, t) for q, t in zip(walk.q[:80], walk.time[:80], strict=True)]
    waited = frames.index(next(f for f in frames if f is not None))
    assert waited == pytest.approx(stream.delay * 60.0, abs=1)
    out = [f for f in frames if f is not None] + stream.finish()
    assert len(out) == 80
    assert max(np.abs(f.residual).max() for f in out) < 1e-8 * 9.81 * figure.mass
    assert not any(f.status in (FrameStatus.FAR, FrameStatus.RESTARTED) for f in out)


def test_frames_without_look_ahead(figure, walk):
    """Physics on every frame, whatever comes; a push moves the body; another floor is stood on."""
    for floor in (Slope(0.0), Steps((-5.0,), 0.1)):  # a plane, and a floor that is felt foot by foot
        stream = DynamicsFilter(figure, rate=60.0, floor=floor)
        out = [f for q in walk.q[:60] if (f := stream.feed(q)) is not None]
        assert len(out) == 58
        assert max(np.abs(f.residual).max() for f in out) < 1e-9 * 9.81 * figure.mass
        for f in out:
            assert (f.forces[:, 2] >= -1e-9).all()
            assert np.abs(f.forces[~f.active]).max(initial=0.0) == 0.0
    still = np.tile(figure.neutral(), (40, 1))
    ends = []
    for force in (0.0, 60.0):
        stream = DynamicsFilter(figure, rate=60.0)
        out = [stream.feed(q, push=[0, 0, 0, force, 0, 0] if 5 < k < 12 else None) for k, q in enumerate(still)]
        assert all(f.status not in (FrameStatus.FAR, FrameStatus.RESTARTED) for f in out if f is not None)
        ends.append(max(f.q[0] for f in out if f is not None))
    assert ends[1] > ends[0] + 1e-3
    with pytest.raises(ArgumentError, match="push: six finite numbers"):
        stream.feed(still[0], push=[1.0])


def test_clips_over_threads_are_the_same(figure, walk):
    one = filter_motion(figure, walk)
    for found in filter_motions(figure, [walk, walk], threads=2):
        assert np.array_equal(found.trajectory.q, one.trajectory.q)
    assert filter_motions(figure, []) == []


def test_bad_frames_are_named_and_the_stream_goes_on(figure, walk):
    stream = DynamicsFilter(figure, rate=60.0)
    for k in range(5):
        stream.feed(walk.q[k], walk.time[k])
    with pytest.raises(ArgumentError, match="59 coordinates"):
        stream.feed(np.zeros(43))
    with pytest.raises(ArgumentError, match="came after"):
        stream.feed(walk.q[5], walk.time[2])
    broken = walk.q[5].copy()
    broken[10] = np.nan
    frame = stream.feed(broken, walk.time[5])
    assert frame is not None
    assert frame.status is not FrameStatus.GOOD
    assert np.isfinite(frame.q).all()
    frame = stream.feed(walk.q[8], walk.time[8])  # two frames are missing
    assert frame is not None
    assert np.isfinite(frame.q).all()
    assert np.isfinite(stream.feed(walk.q[9], walk.time[9] + 5.0) is None)  # begins anew


def test_bad_arguments_are_named(figure, walk):
    with pytest.raises(ArgumentError, match="root must be free"):
        filter_motion(pendulum(), Trajectory(np.arange(4.0), np.zeros((4, 1)), np.zeros((4, 1))))
    with pytest.raises(ArgumentError, match="no foot is called 'paw'"):
        filter_motion(figure, walk, contacts={"paw": [(0, 1)]})
    with pytest.raises(ArgumentError, match="which is no time"):
        filter_motion(figure, walk, contacts={"left": [(1, 1)]})
    with pytest.raises(ArgumentError, match="friction"):
        FilterSettings(friction=-1.0)
    with pytest.raises(ArgumentError, match="less than 60"):
        Slope(1.5)
    with pytest.raises(ArgumentError, match="no end"):
        DynamicsFilter(figure, mode=Mode.RECORDING)


def test_what_hovers_falls_and_says_so(figure):
    q = np.tile(figure.neutral(), (60, 1))
    q[:, 2] += 0.5
    hovering = Trajectory(np.arange(60) / 60, q, np.zeros((60, figure.nv)))
    found = filter_motion(figure, hovering, contacts={})
    assert found.measures.fallen_at is not None
    assert found.measures.frames["AIRBORNE"] > 5
    height = centre_of_mass(figure, found.trajectory.q)[:6, 2]
    np.testing.assert_allclose(np.diff(height, 2) * 3600, -9.81, atol=0.1)
