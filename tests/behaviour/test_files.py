import random
import warnings

import numpy as np
import pytest

from hitogata.behaviour import Recorder, Stream, StreamKind, open_recording, write_recording
from hitogata.behaviour.blocks import pack_block, unpack_block
from hitogata.behaviour.export import export
from hitogata.behaviour.mcap_file import McapWriter
from hitogata.behaviour.recording import recording_of
from hitogata.behaviour.streams import Channel, Samples
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from tests.behaviour.cases import samples, stream

WORDS = Stream("marks", StreamKind.EVENTS, 0.0, (Channel("mark"),), dtype="text")


def words(n):
    raw = 7.0 + np.arange(n) * 0.5
    return Samples(raw, raw + 3.0, [f"ereignis {k} ✓" for k in range(n)], raw + 3.0)


def written(path, blocks=20):
    writer = McapWriter(str(path))
    a, b = stream("a", numbered=True), stream("b", channels=2, source="42")
    for s in (a, b, WORDS):
        writer.add_stream(s, f"/{s.name}")
    for k in range(blocks):
        writer.add_samples("/a", a, samples(20, first=20 * k, numbered=True, seed=k))
        writer.add_samples("/b", b, samples(15, 2, first=15 * k, seed=k))
        writer.commit()
    writer.add_samples("/marks", WORDS, words(4))
    writer.add_note("/notes", 9.0, {"text": "hallo"})
    writer.add_note("/round_trips", 9.5, {"topic": "/b", "offset": 3.0})
    writer.close()
    return path.read_bytes()


def test_blocks_come_back(tmp_path):
    for s, given in ((stream(numbered=True), samples(9, numbered=True)), (WORDS, words(3))):
        found = unpack_block(s, pack_block(s, given))
        assert (found.raw == given.raw).all()
        assert list(np.ravel(found.values)) == list(np.ravel(given.values))
    data = bytearray(pack_block(stream(), samples(9)))
    data[60] ^= 1
    with pytest.raises(FileFormatError, match="damaged"):
        unpack_block(stream(), bytes(data))


def test_mcap_round_trip(tmp_path):
    written(tmp_path / "r.mcap")
    found = open_recording(str(tmp_path / "r.mcap"))
    assert [len(t) for t in found.tracks] == [400, 300, 4]
    assert found.track("b").stream == stream("b", channels=2, source="42")
    assert found.track("marks").values[2] == "ereignis 2 ✓"
    assert not found.problems
    write_recording(found, str(tmp_path / "again.mcap"))
    again = open_recording(str(tmp_path / "again.mcap"))
    for one, other in zip(found.tracks, again.tracks, strict=True):
        assert (one.samples.raw == other.samples.raw).all()
        assert (one.time == other.time).all()
        assert np.array_equal(one.values, other.values)


def test_mcap_opens_with_the_mcap_reader(tmp_path):
    from mcap.reader import make_reader

    written(tmp_path / "r.mcap")
    with open(tmp_path / "r.mcap", "rb") as file:
        reader = make_reader(file)
        summary = reader.get_summary()
        topics = [channel.topic for _, channel, _ in reader.iter_messages()]
    assert summary.statistics.message_count == len(topics) == 43
    assert topics.count("/a") == 20


def test_a_file_cut_at_any_byte_opens_with_what_was_whole(tmp_path):
    data = written(tmp_path / "r.mcap")
    cut = tmp_path / "cut.mcap"
    rng = random.Random(3)
    whole_first = None
    for at in sorted(rng.sample(range(len(data)), 200)):
        cut.write_bytes(data[:at])
        try:
            found = open_recording(str(cut))
        except HitogataError:
            assert whole_first is None  # only before the first stream was described
            continue
        if not any(len(t) for t in found.tracks):
            continue
        whole_first = whole_first or at
        a = found.track("a").samples
        assert (a.numbers == np.arange(len(a))).all()
        assert len(a) >= 400 * (at / len(data)) - 60


def test_damaged_files_crash_nothing(tmp_path):
    data = {"mcap": written(tmp_path / "r.mcap")}
    write_recording(open_recording(str(tmp_path / "r.mcap")), str(tmp_path / "r.xdf"))
    data["xdf"] = (tmp_path / "r.xdf").read_bytes()
    rng = random.Random(4)
    saved = 0
    for kind, whole in data.items():
        path = tmp_path / f"damaged.{kind}"
        for _ in range(150):
            bad = bytearray(whole)
            for _ in range(rng.choice((1, 3, 30))):
                bad[rng.randrange(len(bad))] = rng.randrange(256)
            if rng.random() < 0.3:
                i = rng.randrange(len(bad))
                del bad[i : i + rng.randrange(400)]
            path.write_bytes(bad)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = open_recording(str(path))
                saved += sum(len(t) for t in found.tracks) > 300
                assert all(len(t.time) == len(t) for t in found.tracks)
            except HitogataError:
                pass
    assert saved > 200


def test_xdf_is_what_pyxdf_reads(tmp_path):
    pyxdf = pytest.importorskip("pyxdf")
    written(tmp_path / "r.mcap")
    found = open_recording(str(tmp_path / "r.mcap"))
    write_recording(found, str(tmp_path / "r.xdf"))
    theirs, _ = pyxdf.load_xdf(str(tmp_path / "r.xdf"), dejitter_timestamps=False)
    again = open_recording(str(tmp_path / "r.xdf"))
    for track, other in zip(found.tracks, theirs, strict=True):
        ours = again.track(track.stream.key)
        assert other["info"]["name"][0] == track.stream.name
        assert np.abs(other["time_stamps"] - track.time - track.origin).max() < 1e-6
        assert np.abs(ours.time + ours.origin - track.time - track.origin).max() < 1e-6
        assert list(np.ravel(other["time_series"])) == list(np.ravel(track.values)) == list(np.ravel(ours.values))
        assert (ours.samples.raw == track.samples.raw).all()


def test_recordings_never_write_over_a_file(tmp_path):
    (tmp_path / "r.mcap").write_text("x")
    with pytest.raises(ArgumentError, match="never write over"):
        Recorder(str(tmp_path / "r.mcap"))
    with pytest.raises(FileFormatError, match="not an MCAP"):
        open_recording(str(tmp_path / "r.mcap"))
    with pytest.raises(FileFormatError, match=r"\.mcap or \.xdf"):
        open_recording(str(tmp_path / "r.txt"))


def test_resampling_says_what_was_measured():
    s = stream(rate=100.0, channels=1)
    raw = np.r_[np.arange(0, 100), np.arange(150, 300)] / 100
    part = Samples(raw, raw, (2.0 * raw[:, None] + 1.0), None)
    found = recording_of({"/s": (s, part, [])}, [], [], "r")
    time, values, masks = found.resample(50.0)
    assert len(time) == 150
    measured = (time <= 0.99 + 1e-9) | (time >= 1.5 - 1e-9)
    assert (masks["/s"] == measured).all()
    assert values["/s"][measured, 0] == pytest.approx(2 * time[measured] + 1, abs=1e-9)
    assert np.isnan(values["/s"][~measured]).all()
    (gap,) = found.track("s").gaps
    assert (gap.begin, gap.end, gap.lost) == (pytest.approx(0.99), pytest.approx(1.5), 50)
    part = found.cut(1.5, 2.0)
    assert len(part.track("s")) == 51
    with pytest.raises(ArgumentError, match="no stream is called 'x'"):
        found.track("x")


@pytest.mark.parametrize("ending", ["csv", "sto", "trc", "c3d"])
def test_exports(tmp_path, ending):
    from hitogata.files import read_c3d, read_storage, read_trc

    time = np.arange(0, 2, 0.01)
    places = np.stack([np.sin(time), np.cos(time), time, time, 0 * time, 1 + 0 * time], axis=1)
    labels = tuple(Channel(f"{m}.{a}", "m") for m in ("LASI", "RASI") for a in "xyz")
    markers = Stream("m", StreamKind.MARKERS, 100.0, labels, dtype="<f8")
    emg = Stream("e", StreamKind.EMG, 1000.0, (Channel("soleus", "mV"),), dtype="<f8")
    fast = np.arange(0, 2, 0.001)
    analog = Samples(fast, fast, np.sin(9 * fast)[:, None])
    found = recording_of({"/m": (markers, Samples(time, time, places), []), "/e": (emg, analog, [])}, [], [], "r")
    path = str(tmp_path / f"r.{ending}")
    export(found, path)
    if ending == "c3d":
        whole = read_c3d(path)
        assert np.abs(whole.markers.positions[:, 0, 0] - np.sin(time)).max() < 1e-5
        assert np.abs(whole.analog.channel("soleus")[:1990] - np.sin(9 * fast)[:1990]).max() < 1e-5
    elif ending == "trc":
        assert np.abs(read_trc(path).positions[:, 0, 0] - np.sin(time)).max() < 1e-5
    elif ending == "sto":
        assert np.abs(read_storage(path).column("m/LASI.x") - np.sin(time)).max() < 1e-6
    else:
        rows = np.genfromtxt(path, delimiter=",", names=True)
        assert np.abs(rows["mLASIx"] - np.sin(time)).max() < 1e-6


def test_one_stamp_that_is_no_number_spoils_no_other():
    t = 100.0 + np.arange(50) / 10.0
    bad = t.copy()
    bad[7] = -np.inf
    values = np.zeros((50, 1), "<f4")
    parts = {
        "/a": (stream("a", channels=1), Samples(t, t, values), []),
        "/b": (stream("b", channels=1), Samples(bad, bad, values), []),
    }
    found = recording_of(parts, [], [], "r")
    np.testing.assert_allclose(found.track("a").time, t - 100.0, atol=1e-6)
    assert np.isfinite(np.delete(found.track("b").time, 7)).all()
    assert (found.begin, found.end) == pytest.approx((0.0, 4.9))
