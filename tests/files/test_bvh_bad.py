"""Bad BVH files: an error that names the file, the line and what is wrong; and nothing but that, whatever the file."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileFormatError
from hitogata.files import read_bvh, write_bvh
from hitogata.files.bvh import Bvh
from tests.files.bvh_cases import PLAIN, random_text

LINES = PLAIN.splitlines()


def line_of(text: str) -> int:
    """Number of the first line that holds a text."""
    return next(k for k, line in enumerate(LINES, 1) if text in line)


def changed(old: str, new: str) -> str:
    assert PLAIN.count(old) >= 1
    return PLAIN.replace(old, new, 1)


KNEE, MOTION, FRAMES, TIME = line_of("Knee"), line_of("MOTION"), line_of("Frames"), line_of("Frame Time")
FIRST = TIME + 1

CASES = {
    "empty": ("", 1, ["not BVH", "empty"]),
    "another format": ("<xml>\n</xml>\n", 1, ["not BVH", "'<xml>'", "HIERARCHY"]),
    "no root": ("HIERARCHY\n\nMOTION\nFrames: 0\n", 3, ["MOTION begins", "no ROOT"]),
    "only the first word": ("HIERARCHY\n", 1, ["the file ends", "no ROOT"]),
    "something else for root": (changed("ROOT Hips", "BONE Hips"), 2, ["ROOT or MOTION", "'BONE'"]),
    "no name": (changed("JOINT Knee\n\t{", "JOINT {"), KNEE, ["JOINT without a name"]),
    "no opening brace": (changed("Knee\n\t{", "Knee\n\t"), KNEE + 2, ["opening brace of joint 'Knee'", "'OFFSET'"]),
    "brace not closed": (changed("}\nMOTION", "MOTION"), MOTION - 1, ["MOTION begins", "'Hips' (line 2)"]),
    "brace too many": (changed("}\nMOTION", "}\n}\nMOTION"), MOTION, ["ROOT or MOTION expected", "'}'"]),
    "cut in the hierarchy": (PLAIN[: PLAIN.index("Chest")], line_of("Chest"), ["JOINT without a name"]),
    "cut in an offset": (PLAIN[: PLAIN.index("25.0 -1.0")], line_of("25.0 -1.0"), ["OFFSET of joint 'Chest'", "ends"]),
    "second root": (changed("}\nMOTION", "}\nROOT Two\n{\nOFFSET 0 0 0\n}\nMOTION"), MOTION, ["second ROOT", "Two"]),
    "joint before root": (changed("ROOT Hips", "JOINT Hips"), 2, ["JOINT outside", "Hips"]),
    "no offset": (changed("\t\tOFFSET 1.0 -40.0 2.0\n", ""), 18, ["'Knee' (line 6)", "no OFFSET"]),
    "two offsets": (changed("OFFSET 1.0", "OFFSET 0 0 0\nOFFSET 1.0"), KNEE + 3, ["'Knee'", "second OFFSET"]),
    "two numbers": (changed("1.0 -40.0 2.0", "1.0 -40.0"), KNEE + 3, ["OFFSET of joint 'Knee'", "'CHANNELS'"]),
    "four numbers": (changed("1.0 -40.0 2.0", "1.0 -40.0 2.0 3.0"), KNEE + 2, ["'Knee'", "got '3.0'"]),
    "word in an offset": (changed("-40.0", "minus"), KNEE + 2, ["OFFSET of joint 'Knee'", "'minus'"]),
    "decimal comma": (changed("-40.0", "-40,0"), KNEE + 2, ["'-40,0'", "with a point"]),
    "nan in an offset": (changed("-40.0", "nan"), KNEE + 2, ["finite", "'nan'"]),
    "infinite offset": (changed("-40.0", "1e999"), KNEE + 2, ["finite", "'1e999'"]),
    "channel count": (changed("CHANNELS 1 X", "CHANNELS one X"), KNEE + 3, ["'Knee'", "CHANNELS", "'one'"]),
    "negative channels": (changed("CHANNELS 1 X", "CHANNELS -1 X"), KNEE + 3, ["'Knee'", "'-1'"]),
    "too few channels": (changed("CHANNELS 1 X", "CHANNELS 2 X"), KNEE + 4, ["'Knee'", "channel 2 of 2", "'JOINT'"]),
    "too many channels": (changed("CHANNELS 2 Z", "CHANNELS 1 Z"), line_of("CHANNELS 2"), ["'Ankle'", "'Xrotation'"]),
    "unknown channel": (changed("1 Xrotation", "1 Wrotation"), KNEE + 3, ["'Knee'", "Xposition", "'Wrotation'"]),
    "position twice": (changed("Yposition", "Xposition"), 5, ["'Hips'", "Xposition stands twice"]),
    "two channel lines": (changed("CHANNELS 1 X", "CHANNELS 0\nCHANNELS 1 X"), KNEE + 4, ["'Knee'", "second CHANNELS"]),
    "end site without offset": (changed("OFFSET 0.0 -5.0 14.0\n", ""), 16, ["end site of joint 'Ankle'", "no OFFSET"]),
    "end site that moves": (changed("14.0\n", "14.0\nCHANNELS 1 Xrotation\n"), 17, ["end site", "make it a JOINT"]),
    "joint in an end site": (changed("14.0\n", "14.0\nJOINT a {\n"), 17, ["end site", "'JOINT'"]),
    "no motion": (PLAIN[: PLAIN.index("MOTION")], MOTION - 1, ["file ends", "no MOTION"]),
    "no frames": (changed("Frames: 3\n", ""), FRAMES, ["'Frames:'", "Frame Time: 0.025"]),
    "frames without number": (changed("Frames: 3", "Frames:"), FRAMES, ["'Frames:' and a number"]),
    "negative frames": (changed("Frames: 3", "Frames: -3"), FRAMES, ["whole number", "'-3'"]),
    "half a frame": (changed("Frames: 3", "Frames: 2.5"), FRAMES, ["whole number", "'2.5'"]),
    "far too many frames": (changed("Frames: 3", "Frames: 99999999999"), FRAMES, ["99999999999"]),
    "no frame time": (changed("Frame Time: 0.025\n", ""), TIME, ["'Frame Time:'", "0 90 0"]),
    "negative frame time": (changed("0.025", "-0.025"), TIME, ["positive", "'-0.025'"]),
    "no time between frames": (changed("0.025", "0"), TIME, ["positive", "'0'"]),
    "frame time nan": (changed("0.025", "nan"), TIME, ["positive", "'nan'"]),
    "frame time in words": (changed("0.025", "fast"), TIME, ["seconds", "'fast'"]),
    "frame time with comma": (changed("0.025", "0,025"), TIME, ["'0,025'", "with a point"]),
    "word in a frame": (changed("91.5", "x91.5"), FIRST + 1, ["finite number", "'x91.5'"]),
    "nan in a frame": (changed("91.5", "NaN"), FIRST + 1, ["finite number", "'NaN'"]),
    "infinity in a frame": (changed("91.5", "-1.#INF"), FIRST + 1, ["finite number", "'-1.#INF'"]),
    "overflow in a frame": (changed("91.5", "1e400"), FIRST + 1, ["finite number", "'1e400'"]),
    "comma in a frame": (changed("91.5", "91,5"), FIRST + 1, ["'91,5'", "with a point"]),
    "two points": (changed("91.5", "91.5.5"), FIRST + 1, ["'91.5.5'"]),
    "underscore": (changed("91.5", "9_1"), FIRST + 1, ["'9_1'"]),
    "too few numbers": (changed("1 91.5", "91.5"), FIRST + 1, ["14 numbers in frame 2", "15 channels"]),
    "too many numbers": (changed("1 91.5", "1 1 91.5"), FIRST + 1, ["16 numbers in frame 2", "15 channels"]),
    "one less and one more": (changed("1 91.5", "91.5").replace("2.25 92", "2.25 2 92"), FIRST + 1, ["14 numbers"]),
    "wrapped wrongly": (
        PLAIN.replace(" 0 0 0 0 10", "\n0 0 0 0 10").replace(" 10 20 30", "\n10 20 30").replace(" 170", "\n5 170"),
        FIRST + 5,
        ["16 numbers in frame 3"],
    ),
    "a frame missing": (changed(LINES[-2] + "\n", ""), FRAMES, ["3 frames are promised", "2 are there"]),
    "a frame too many": (PLAIN + LINES[-1] + "\n", FRAMES, ["3 frames are promised", "4 are there"]),
    "cut in a frame": (PLAIN[:-12], FIRST + 2, ["11 numbers in frame 3"]),
    "no numbers": (PLAIN[: PLAIN.index("0 90")], FRAMES, ["3 frames are promised", "0 are there"]),
    "one frame, cut": (changed("Frames: 3", "Frames: 1")[: PLAIN.index("1 91") - 5], FIRST, ["cut off", "13 of 15"]),
    "numbers without channels": (
        "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\n}\nMOTION\nFrames: 1\nFrame Time: 1\n1 2\n", 9, ["no channels"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_error_names_file_and_line(case, tmp_path):
    text, line, parts = CASES[case]
    path = tmp_path / "motion.bvh"
    for given in (text, text.replace("\n", "\r\n")):
        path.write_bytes(given.encode())
        with pytest.raises(FileFormatError) as caught:
            read_bvh(path, scale=0.01)
        message = str(caught.value)
        assert message.startswith(f"{path}:{line}: "), message
        for part in parts:
            assert part in message


def test_not_a_file(tmp_path):
    with pytest.raises(FileFormatError, match=r"nowhere\.bvh: no such file"):
        read_bvh(tmp_path / "nowhere.bvh")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_bvh(tmp_path)
    with pytest.raises(FileFormatError, match="expected a path or text, got int"):
        read_bvh(3)
    (tmp_path / "half.bvh").write_bytes(b"\xff\xfeH\x00\x00\xd8")
    with pytest.raises(FileFormatError, match="UTF-16"):
        read_bvh(tmp_path / "half.bvh")
    with pytest.raises(FileFormatError, match=r"BVH text:2: "):
        read_bvh("HIERARCHY\nRUTE a {\n")


def test_a_promise_of_frames_takes_no_memory():
    """Two thousand million frames are promised, three are there."""
    with pytest.raises(FileFormatError, match=rf":{FRAMES}: 2000000000 frames are promised, but 3 are there"):
        read_bvh(changed("Frames: 3", "Frames: 2000000000"), scale=0.01)


def test_a_deep_skeleton():
    """A tail of 3000 joints, one in the other: read, written, read again."""
    count = 3000
    head = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" for k in range(count))
    text = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{head}{'}' * count}\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n"
    bvh = read_bvh(text + "0 " * count + "\n", scale=0.01)
    assert read_bvh(write_bvh(bvh), scale=0.01).joints == bvh.joints
    with pytest.raises(FileFormatError, match=r"'j2999' \(line 12001\) is not closed"):
        read_bvh(text.replace("}", ""), scale=0.01)


def test_a_file_larger_than_memory(tmp_path):
    """An error that names it, not a crash: 64 GB (of which the disk holds nothing) against 3 GB of address space."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "huge.bvh"
    with path.open("wb") as file:
        file.write(PLAIN.encode())
        file.truncate(64 << 30)
    code = (
        "import sys; from hitogata.errors import FileFormatError; from hitogata.files import read_bvh\n"
        "try: read_bvh(sys.argv[1], scale=0.01)\n"
        "except FileFormatError as error: print(error)"
    )

    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, preexec_fn=narrow)
    assert done.stdout.strip() == f"{path}: 68.7 GB are more than fit into memory", done.stderr


@pytest.mark.parametrize(
    "options", [{"scale": 0}, {"scale": "cm"}, {"position_scale": -1}, {"up": "y"}, {"position_channels": 1}]
)
def test_bad_options(options):
    with pytest.raises(ArgumentError, match=next(iter(options))):
        read_bvh(PLAIN, **options)


# ------------------------------------------------------- any damage


WORDS = [b"{", b"}", b"\n", b"\r", b" ", b"\x00", b"\xff", b"nan", b"1e999", b"-", b"JOINT", b"ROOT x", b"End Site",
         b"MOTION", b"Frames:", b"Frame Time:", b"CHANNELS 3", b"OFFSET", b"#", b"//", b"99999999999999999999", b"1_0",
         b"0x1p3", b"\xe2\x80\xa8", b"\x1a", b"Infinity", b"1.#QNAN", b"CHANNELS 0", b"Xrotation",
         b"\xef\xbb\xbf"]  # fmt: skip


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes changed, cut, doubled, swapped or put in."""
    for _ in range(int(rng.integers(1, 4))):
        a, b = sorted(int(x) for x in rng.integers(0, len(data) + 1, 2))
        match int(rng.integers(8)):
            case 0:
                data = data[:a] + bytes(rng.integers(0, 256, size=1).tolist()) + data[a + 1 :]
            case 1:
                data = data[:a] + WORDS[int(rng.integers(len(WORDS)))] + data[a:]
            case 2:
                data = data[:a]
            case 3:
                data = data[:a] + data[min(b, a + 30) :]
            case 4:
                data = data[:b] + data[a : a + 40] + data[b:]
            case 5:
                lines = data.split(b"\n")
                i, j = (int(x) for x in rng.integers(0, len(lines), 2))
                lines[i], lines[j] = lines[j], lines[i]
                data = b"\n".join(lines)
            case 6:
                lines = data.split(b"\n")
                del lines[int(rng.integers(len(lines)))]
                data = b"\n".join(lines)
            case 7:
                words = data.split(b" ")
                words[int(rng.integers(len(words)))] = WORDS[int(rng.integers(len(WORDS)))]
                data = b" ".join(words)
        if not data:
            break
    return data


def read_or_error(path):
    """What a file holds, or the error that says why not."""
    try:
        return read_bvh(path)
    except FileFormatError as error:
        return error


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused(seed, tmp_path):
    """Of a damaged file, either all is read and can be written again, or an error names the file."""
    rng = np.random.default_rng(seed)
    texts = [PLAIN, PLAIN.replace("\n", "\r\n"), random_text(rng, joints=5, frames=3)]
    path = tmp_path / "damaged.bvh"
    refused = 0
    for k in range(600):
        path.write_bytes(damaged(texts[k % 3].encode(), rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bvh = read_or_error(path)
            if isinstance(bvh, FileFormatError):
                assert str(bvh).startswith(str(path))
                refused += 1
                continue
            assert isinstance(bvh, Bvh)
            assert np.isfinite(bvh.values).all()
            again = read_bvh(write_bvh(bvh))
        assert again.joints == bvh.joints
        assert again.values.tobytes() == bvh.values.tobytes()
    assert refused > 300
