"""What a filtered motion cannot keep, named: footholds out of reach; and the null-space correction beside none."""

from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import MassProperties, Trajectory
from hitogata.filter import LEVEL, DynamicsFilter, FilterSettings, FrameStatus, Mode, Steps, filter_motion
from hitogata.filter.body import Body
from hitogata.filter.clip import as_trajectory
from hitogata.filter.contacts import found_stands
from hitogata.filter.measures import measure
from hitogata.filter.prepared import prepare
from hitogata.filter.runner import Runner
from hitogata.library import virtual_human
from hitogata.library.samples import sample_walk
from hitogata.motion import resample

STANDS = {"left": [(0, 1)], "right": [(0, 1)]}


@pytest.fixture(scope="module")
def figure():
    return virtual_human()


def still(figure, n=30):
    return Trajectory(np.arange(n) / 60, np.tile(figure.neutral(), (n, 1)), np.zeros((n, figure.nv)))


def test_correction_in_the_null_space_is_closer_at_equal_physics(figure):
    walk = resample(figure, sample_walk(strides=1, rate=100.0), 60.0)
    body, settings = Body(figure), FilterSettings()
    ready = prepare(body, walk, found_stands(body, walk, LEVEL), LEVEL, settings)  # once: no other tries
    made, found = [], []
    for share in (1.0, 0.0):
        runner = Runner(body, ready, replace(settings, correction=share), 36)
        made.append(as_trajectory(figure, [runner.step(k) for k in range(len(walk))]))
        found.append(measure(figure, made[-1], walk, friction=settings.friction))
    full, none = found
    for each in found:
        assert each.residual < 1e-10
        assert each.cone == 0
        assert each.range_deg < 1e-9
    assert full.joints_deg < 0.5 * none.joints_deg
    assert full.root_mm < none.root_mm
    assert full.fallen_at is None
    assert none.fallen_at is not None
    # lazily: in the first frame, from the same state, the least-norm answer accelerates joints less
    assert np.array_equal(made[0].q[0], made[1].q[0])
    assert np.linalg.norm(made[1]["vdot"][0]) < np.linalg.norm(made[0]["vdot"][0])
    for share in (-0.1, 1.1):
        with pytest.raises(ArgumentError, match="correction"):
            FilterSettings(correction=share)


@pytest.mark.parametrize("rise", [0.5, 1.5])
def test_a_foothold_farther_than_the_leg_is_named(figure, rise):
    found = filter_motion(figure, still(figure), floor=Steps((0.0,), rise, heading=np.pi / 2), contacts=STANDS)
    away = found.unreached[0]  # the other foot may have come to its own
    assert away.short > 0.1
    assert min(abs(away.place[2] - height) for height in (0.0, rise)) < 1e-9
    assert (away.start, away.end) == pytest.approx((0.0, 29 / 60))
    assert found.measures.frames["OUT_OF_REACH"] > 5
    assert found.measures.residual < 1e-10  # what comes out is possible all the same
    assert any(f"out of reach: {away.foot} foot" in line for line in found.changes())


@pytest.mark.parametrize("rise", [0.0, 0.1])
def test_a_foothold_within_reach_is_not(figure, rise):
    found = filter_motion(figure, still(figure), floor=Steps((0.0,), rise, heading=np.pi / 2), contacts=STANDS)
    assert found.unreached == ()
    assert "OUT_OF_REACH" not in found.measures.frames


def test_streams_tell_it_in_their_frames(figure):
    stream = DynamicsFilter(figure, mode=Mode.PREVIEW, floor=Steps((0.0,), 0.5, heading=np.pi / 2), rate=60.0)
    frames = [stream.feed(q) for q in still(figure, 60).q]
    out = [frame for frame in frames if frame is not None] + stream.finish()
    assert any(frame.status is FrameStatus.OUT_OF_REACH for frame in out)
    assert all(np.isfinite(frame.q).all() for frame in out)


def test_segments_without_mass_are_refused_by_name(figure):
    with pytest.raises(HitogataError, match="mass: must be positive"):
        MassProperties(0.0)  # no link is made of it
    k = figure.link_index("hand_left")
    faint = MassProperties(1e-20, (0.0, 0.0, 0.0), (1e-22, 1e-22, 1e-22, 0.0, 0.0, 0.0))
    links = [replace(link, mass=faint) if link.name == "hand_left" or link.parent == "hand_left" else link
             for link in figure.links]  # fmt: skip
    light = replace(figure, links=tuple(links))
    assert light.links[k].mass.mass == 1e-20
    with pytest.raises(ArgumentError, match="link 'hand_left' and what it carries have a mass of"):
        filter_motion(light, still(light))


def test_torques_stay_within_what_joints_have(figure):
    limits = np.full(figure.nv, 1e4)
    knees = [figure.v_starts[figure.link_index(f"shin_{side}")] for side in ("left", "right")]
    links = [figure.link_index(f"shin_{side}") for side in ("left", "right")]
    bends = [figure.q_starts[k] for k in links]
    ranges = np.array([np.ravel(figure.links[k].joint.range) for k in links])
    walk = resample(figure, sample_walk(strides=1, rate=100.0), 60.0)
    free = filter_motion(figure, walk)
    need = np.quantile(np.abs(free.trajectory["tau"][:, knees]), 0.95)
    for share in (0.8, 0.2):  # the body gets by with less, or falls
        limits[knees] = share * need
        found = filter_motion(figure, walk, efforts=limits)
        motion = found.trajectory
        held = np.abs(motion["tau"][:, knees]) > share * need * 1.01 + 0.01
        assert motion["over"].max() < 0.002 * share * need + 0.01
        ends = np.minimum(np.abs(motion.q[1:, bends] - ranges[:, 0]), np.abs(motion.q[1:, bends] - ranges[:, 1]))
        held[:-1] &= (motion["status"][1:] != FrameStatus.RESTARTED)[:, None]
        assert ends[held[:-1]].max(initial=0.0) < 1e-3  # there the range of the knee ends, and carries
        assert found.measures.residual < 1e-10
        assert found.measures.cone == 0
        assert found.measures.range_deg < 1e-9
        assert (np.abs(motion["tau"][:, knees]) > 0.99 * share * need).any()
        assert found.measures.joints_deg > free.measures.joints_deg - 0.5
    with pytest.raises(ArgumentError, match="efforts"):
        filter_motion(figure, walk, efforts=limits[:-1])
    for mode in (Mode.ONLINE, Mode.RECORDING):  # with the figure's own limits, infinite ones too
        assert not filter_motion(figure, still(figure, 8), mode=mode, contacts=STANDS).trajectory["over"].any()
