"""BVH in and out: everything the format allows, against kinematics written a second time."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.files import bvh_poses, read_bvh, write_bvh
from hitogata.files.bvh import BvhJoint, Channel, PositionChannels, Up
from tests.files.bvh_cases import CHANNELS, PLAIN, random_text, slow_poses
from tests.reference import reference

FILES = [("bvh", "02_01.bvh"), ("bvh", "16_15.bvh"), ("mass", "walk.bvh"), ("mass", "backflip.bvh")]


def read(text, **options):
    return read_bvh(text, **{"scale": 0.01, **options})


def assert_same(a, b, tolerance: float = 0.0) -> None:
    assert a.joints == b.joints
    assert a.frame_time == b.frame_time
    np.testing.assert_allclose(a.values, b.values, rtol=0, atol=tolerance)


def test_what_is_read():
    bvh = read(PLAIN)
    assert bvh.names == ("Hips", "Knee", "Ankle", "Chest", "Plate", "Head")
    assert bvh.parents == (-1, 0, 1, 0, 3, 4)
    assert bvh.joints[2] == BvhJoint(
        "Ankle", 1, (0.0, -38.5, 0.0), (Channel.Z_ROTATION, Channel.X_ROTATION), ((0.0, -5.0, 14.0),)
    )
    assert bvh.joints[4].channels == ()
    assert (bvh.nchannels, bvh.nframes, bvh.frame_time) == (CHANNELS, 3, 0.025)
    assert bvh.values[2].tolist() == [2.25, 92, -4, 170, -85, 30, 0.5, -5, 100, -7e-5, 8, 9, 11, 12, 13]
    assert bvh.duration == pytest.approx(0.05)
    assert str(bvh) == "Bvh 'motion': 6 joints, 15 channels, 3 frames, 0.050 s, unit 0.01 m"
    with pytest.raises(ValueError, match="read-only"):
        bvh.values[0, 0] = 1


VARIANTS = {
    "crlf": lambda t: t.replace("\n", "\r\n"),
    "cr": lambda t: t.replace("\n", "\r"),
    "mixed": lambda t: t.replace("\n", "\r\n", 20),
    "blank lines": lambda t: t.replace("\n", "\n\n  \n"),
    "tabs": lambda t: t.replace(" ", "\t").replace("End\tSite", "End Site").replace("Frame\tTime", "Frame Time"),
    "no last break": lambda t: t.rstrip("\n"),
    "trailing blanks": lambda t: t.replace("\n", "   \t\n"),
    "comments": lambda t: "# made by hand\n"
    + t.replace("OFFSET 0.0 25", "# a comment { }\nOFFSET 0.0 25").replace("\n1 91.5", "\n# frame 2\n // more\n1 91.5"),
    "comment behind": lambda t: t.replace("MOTION\n", "MOTION # now\n# two lines\n"),
    "brace behind": lambda t: t.replace("Knee\n\t{", "Knee {"),
    "one line": lambda t: t[: t.index("MOTION")].replace("\n", " ") + t[t.index("MOTION") :],
    "all head in one line": lambda t: t[: t.index("Frame Time")].replace("\n", " ") + t[t.index("Frame Time") :],
    "no spaces at braces": lambda t: t.replace("\n\t\t}\n", "}\n"),
    "lower case": lambda t: t.replace("HIERARCHY", "hierarchy").replace("End S", "end s").replace("OFFSET", "offset"),
    "channels": lambda t: t.replace("Xrotation", "XROTATION"),
    "end": lambda t: t.replace("End Site", "EndSite").replace("EndSite", "End  Site", 1),
    "frame time": lambda t: t.replace("Frame Time:", "FrameTime :"),
    "frame time without colon": lambda t: t.replace("Frame Time:", "Frame time"),
    "frames": lambda t: t.replace("Frames: 3", "  FRAMES:3"),
    "byte order mark": lambda t: "\ufeff" + t,
    "wrapped": lambda t: t[: t.index("\n0 90")]
    + "\n"
    + "\n".join(" ".join(row.split()[:7]) + "\n" + " ".join(row.split()[7:]) for row in t.splitlines()[-3:]),
    "channels 0": lambda t: t.replace("OFFSET 0.0 3.0 8.0", "OFFSET 0.0 3.0 8.0\nCHANNELS 0"),
    "name in the next line": lambda t: t.replace("JOINT Knee", "JOINT\n\n  Knee"),
    "exponents": lambda t: t.replace("-40.0", "-4.0e+001").replace("0.025", "2.5E-02"),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_text_in_another_hand(variant, tmp_path):
    text = VARIANTS[variant](PLAIN)
    assert text != PLAIN
    assert_same(read(text), read(PLAIN))
    path = tmp_path / "motion.bvh"
    path.write_bytes(text.encode())
    assert_same(read(path), read(PLAIN))
    assert read(str(path)).name == "motion"


def test_utf16(tmp_path):
    (tmp_path / "a.bvh").write_bytes(PLAIN.encode("utf-16"))
    assert_same(read(tmp_path / "a.bvh"), read(PLAIN))


def test_names():
    bvh = read(PLAIN.replace("Knee", "Bip01 L  Calf").replace("Ankle", "足首"))
    assert bvh.names[1:3] == ("Bip01 L Calf", "足首")
    assert_same(read(write_bvh(bvh)), bvh)
    with pytest.warns(FileContentWarning, match="a second joint 'Knee' is called 'Knee_2'"):
        bvh = read(PLAIN.replace("Ankle", "Knee").replace("Plate", "Knee"))
    assert bvh.names == ("Hips", "Knee", "Knee_2", "Chest", "Knee_3", "Head")


def test_names_in_another_encoding(tmp_path):
    (tmp_path / "a.bvh").write_bytes(PLAIN.replace("Knee", "Genou gêné").encode("latin-1"))
    with pytest.warns(FileContentWarning, match="latin-1"):
        assert read(tmp_path / "a.bvh").names[1] == "Genou gêné"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("mode", PositionChannels)
def test_poses_of_any_channels(seed, mode):
    bvh = read(random_text(np.random.default_rng(seed)), position_channels=mode, up=list(Up)[seed % 3], scale=0.3)
    found = bvh_poses(bvh)
    turn = np.eye(3)[bvh.up.order]  # from the file's axes to ours
    assert np.linalg.det(turn) == pytest.approx(1)
    np.testing.assert_array_equal(turn @ np.eye(3)[bvh.up.value], [0, 0, 1])
    for frame in range(bvh.nframes):
        rotation, position, ends = slow_poses(bvh, frame, add=mode is PositionChannels.ADD)
        np.testing.assert_allclose(found.rotation[frame], turn @ rotation @ turn.T, atol=1e-12)
        np.testing.assert_allclose(found.position[frame], 0.3 * position @ turn.T, atol=1e-10)
        np.testing.assert_allclose(found.ends[frame], 0.3 * ends @ turn.T, atol=1e-10)
    some = bvh_poses(bvh, slice(1, 4, 2))
    np.testing.assert_array_equal(some.position, found.position[1:4:2])


def test_one_pose_by_hand():
    """The knee bends by 90 degrees about x: y goes to z, so the shin, which pointed down, points back."""
    text = PLAIN.replace("0 90 0 0 0 0 10 0 0", "0 90 0 0 0 0 90 0 0")
    poses = bvh_poses(read(text))
    hips, knee, ankle = poses.position[0, :3]
    np.testing.assert_allclose(hips, [0, 0, 0.9], atol=1e-15)
    np.testing.assert_allclose(knee, [0.02, 0.01, 0.5], atol=1e-15)  # z, x, y of the file
    np.testing.assert_allclose(ankle, [0.02 - 0.385, 0.01, 0.5], atol=1e-15)


@pytest.mark.parametrize("seed", range(20, 28))
def test_written_and_read_bit_for_bit(seed):
    bvh = read(random_text(np.random.default_rng(seed)))
    values = bvh.values * np.pi * 10.0 ** np.random.default_rng(seed).integers(-30, 30, size=bvh.values.shape)
    bvh = replace(bvh, values=values, frame_time=1 / 30)
    again = read(write_bvh(bvh))
    assert again.values.tobytes() == bvh.values.tobytes()
    assert_same(again, bvh)


def test_decimals(tmp_path):
    bvh = read(PLAIN)
    text = write_bvh(bvh, tmp_path / "a.bvh", decimals=2)
    assert text.splitlines()[-1].startswith("2.25 92.00 -4.00 170.00")
    assert (tmp_path / "a.bvh").read_text() == text
    assert_same(read(tmp_path / "a.bvh"), bvh, 0.005)
    with pytest.raises(ArgumentError, match="decimals"):
        write_bvh(bvh, decimals=-1)


def test_few_frames_and_channels():
    none = read(PLAIN[: PLAIN.index("0 90")].replace("Frames: 3", "Frames: 0"))
    assert none.values.shape == (0, CHANNELS)
    assert none.duration == 0
    assert_same(read(write_bvh(none)), none)
    assert bvh_poses(none).position.shape == (0, 6, 3)
    bare = read("HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\n}\nMOTION\nFrames: 4\nFrame Time: 1\n\n\n")
    assert bare.values.shape == (4, 0)
    assert bvh_poses(bare).position[3, 0].tolist() == [0.03, 0.01, 0.02]


def test_pieces(monkeypatch):
    """Large files are read in pieces; where they are cut does not matter, and lines count as written."""
    text = random_text(np.random.default_rng(3), frames=40)
    whole = read(text)
    for size in (1, 37, 1000):
        monkeypatch.setattr("hitogata.files.bvh.numbers.PIECE", size)
        assert_same(read(text), whole)
        lines = text.splitlines()
        lines[-3] = lines[-3].replace(".", "x", 1)
        with pytest.raises(FileFormatError, match=f":{len(lines) - 2}: a finite number is expected"):
            read("\n".join(lines))


# ------------------------------------------------------- units


LEGS = """HIERARCHY
ROOT Hips
{{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Spine
 {{
  OFFSET 0 {a} 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Head
  {{
   OFFSET 0 {a} 0
   CHANNELS 3 Zrotation Xrotation Yrotation
  }}
  JOINT LeftArm
  {{
   OFFSET {a} 0 0
   CHANNELS 3 Zrotation Xrotation Yrotation
  }}
  JOINT RightArm
  {{
   OFFSET -{a} 0 0
   CHANNELS 3 Zrotation Xrotation Yrotation
  }}
 }}
{legs}}}
MOTION
Frames: 2
Frame Time: 0.01
0 {height} 0 {angles}
0 {height} 0 {angles}
"""
LEG = """ JOINT {0}UpLeg
 {{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT {0}Leg
  {{
   OFFSET 0 -{1} 0
   CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT {0}Foot
   {{
    OFFSET 0 -{1} 0
    CHANNELS 3 Zrotation Xrotation Yrotation
   }}
  }}
 }}
"""


def legs(leg: float, *, height: float | None = None, angle: float = 0.0) -> str:
    both = "".join(LEG.format(side, leg / 2) for side in ("Left", "Right"))
    angles = " ".join([str(angle)] * 33)
    return LEGS.format(a=leg / 3, legs=both, height=1.05 * leg if height is None else height, angles=angles)


@pytest.mark.parametrize(
    ("leg", "scale"), [(0.85, 1.0), (85, 0.01), (850, 0.001), (33, 0.0254), (14.9, 0.0254 / 0.45), (70, 0.01)]
)
def test_the_unit_is_guessed_from_the_legs(leg, scale, recwarn):
    bvh = read_bvh(legs(leg))
    assert bvh.scale == pytest.approx(scale)
    assert bvh.scale_guessed
    assert not recwarn.list
    assert not read_bvh(legs(leg), scale=1).scale_guessed


def test_an_unclear_unit_is_told():
    with pytest.warns(FileContentWarning, match=r"guessed to be cm \(0.01 m\), .* 1\.59 m in its largest .*scale="):
        bvh = read_bvh(PLAIN)
    assert bvh.scale == 0.01
    with pytest.warns(FileContentWarning, match="guessed to be mm"):
        read_bvh(legs(200_000))
    with pytest.warns(FileContentWarning, match="no size"):
        read_bvh("HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\n}\nMOTION\nFrames: 0\nFrame Time: 1\n")


def test_odd_units_are_told():
    with pytest.warns(FileContentWarning, match="look like radians"):
        read_bvh(legs(85, angle=1.5))
    line = legs(85).splitlines().index("Frame Time: 0.01") + 2
    with pytest.warns(FileContentWarning, match=rf"\(line {line} on\).*different units.*position_scale=1$"):
        read_bvh(legs(85, height=0.9))
    with pytest.warns(FileContentWarning, match=r"different units.*position_scale=0\.01$"):
        read_bvh(legs(0.85, height=90))
    with pytest.warns(FileContentWarning, match=r"different units.*position_scale=$"):
        read_bvh(legs(85, height=1e7))
    with pytest.warns(FileContentWarning, match=r"up=Up\.Y"):
        read_bvh(legs(85), up=Up.Z)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_bvh(legs(85, angle=12.0))


@pytest.mark.parametrize("mode", PositionChannels)
def test_positions_in_a_unit_of_their_own(mode, recwarn):
    """Offsets in cm, positions in inches: after reading, all numbers are in cm."""
    bvh = read_bvh(legs(85, height=90 / 2.54), scale=0.01, position_scale=0.0254, position_channels=mode)
    assert not recwarn.list
    assert bvh_poses(bvh).position[0, 0, 2] == pytest.approx(0.9)
    assert bvh.values[:, 1] == pytest.approx(90)
    assert_same(read(write_bvh(bvh)), bvh)
    guessed = read_bvh(legs(85, height=90 / 2.54), position_scale=0.0254)
    assert (guessed.scale, guessed.values[0, 1]) == (0.01, pytest.approx(90))
    turned = read(random_text(np.random.default_rng(1)), position_scale=0.01)
    assert_same(turned, read(random_text(np.random.default_rng(1))))


# ------------------------------------------------------- objects made by hand


def test_bad_objects():
    bvh = read(PLAIN)
    for change, message in [
        ({"values": bvh.values[:, 1:]}, r"shape \(frames, 15\)"),
        ({"values": np.full((2, 15), np.nan)}, "frame 0 is not finite"),
        ({"frame_time": 0}, "frame_time"),
        ({"scale": -1}, "scale"),
        ({"up": "y"}, "up"),
        ({"position_channels": "add"}, "position_channels"),
        ({"joints": ()}, "at least one joint"),
        ({"joints": bvh.joints[::-1]}, "depth-first"),
        ({"joints": (*bvh.joints, replace(bvh.joints[-1], parent=1))}, "duplicate joint 'Head'"),
        ({"joints": (*bvh.joints, BvhJoint("a", 2, (0, 0, 0)))}, "depth-first"),
        ({"joints": (BvhJoint("a\nb", -1, (0, 0, 0)),)}, "name"),
        ({"joints": (BvhJoint("a", -1, (0, 0, np.inf)),)}, "finite"),
        ({"joints": (BvhJoint("a", -1, (0, 0, 0), (Channel.X_POSITION,) * 2),)}, "twice"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            replace(bvh, **change)
    with pytest.raises(ArgumentError, match="no joint 'Tail'"):
        bvh.index("Tail")


# ------------------------------------------------------- real files


@pytest.mark.parametrize("names", FILES, ids=lambda names: names[-1])
def test_real_files(names, tmp_path, recwarn):
    bvh = read_bvh(reference(*names))
    assert not recwarn.list
    assert bvh.scale == pytest.approx(0.0254 / 0.45 if names[0] == "bvh" else 0.01)
    write_bvh(bvh, tmp_path / "again.bvh")
    assert_same(read(tmp_path / "again.bvh"), bvh)
    write_bvh(bvh, tmp_path / "short.bvh", decimals=6)
    assert_same(read(tmp_path / "short.bvh"), bvh, 1e-6)
    poses = bvh_poses(bvh)
    for frame in (0, bvh.nframes // 2, bvh.nframes - 1):
        rotation, position, ends = slow_poses(bvh, frame)
        np.testing.assert_allclose(poses.position[frame], bvh.metres(position), atol=1e-12)
        np.testing.assert_allclose(poses.ends[frame], bvh.metres(ends), atol=1e-12)
        np.testing.assert_allclose(poses.rotation[frame], rotation[..., bvh.up.order, :][..., bvh.up.order], atol=1e-12)
    feet = [i for i, name in enumerate(bvh.names) if name.endswith("Foot")]
    head = [i for i, name in enumerate(bvh.names) if name.endswith("Head")]
    assert (poses.position[0, head, 2] - poses.position[0, feet, 2] > 1.2).all()  # z is up
