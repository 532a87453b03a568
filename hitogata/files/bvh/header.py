"""The head of a BVH file: HIERARCHY, and the two lines that begin MOTION.  Every error names the line."""

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from hitogata.errors import FileFormatError
from hitogata.figure.values import Vector
from hitogata.files.bvh.skeleton import BvhJoint, Channel
from hitogata.files.bvh.words import Words, shown

MOST_FRAMES = 2**31

_CHANNELS = {channel.value.lower(): channel for channel in Channel}
_FRAMES = re.compile(rb"\s*frames\s*:?[ \t]*(\S*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame[ \t_]*time\s*:?[ \t]*(\S*)", re.IGNORECASE)


class Head(NamedTuple):
    """What stands before the numbers."""

    joints: tuple[BvhJoint, ...]
    frames: int
    frames_line: int
    frame_time: float
    end: int  # first byte behind
    end_line: int
    renamed: tuple[tuple[str, str], ...]  # joints whose name stood twice: old and new


@dataclass
class _Open:
    """A joint that is being read."""

    name: str
    line: int
    parent: int
    offset: Vector | None = None
    channels: tuple[Channel, ...] | None = None
    ends: list[Vector] = field(default_factory=list)
    index: int = -1


def read_head(data: bytes, file: str, encoding: str) -> Head:
    """Read all that stands before the numbers.

    Args:
        data: the file.
        file: its name, for messages.
        encoding: of names.

    Raises:
        FileFormatError: with file and line.
    """
    reader = Words(data, file, encoding)
    first = next(reader.tokens)
    if first.text.upper() != "HIERARCHY":
        found = f"it begins with {shown(first.text)}" if first.text else "it is empty"
        reader.fail(f"not BVH: {found}, not with HIERARCHY", first.line or 1)
    opened, renamed = _hierarchy(reader)
    joints = tuple(BvhJoint(o.name, o.parent, o.offset or (0.0, 0.0, 0.0), o.channels or (), tuple(o.ends))
                   for o in opened)  # fmt: skip
    behind = reader.start + data[reader.start : reader.at].lower().rfind(b"motion") + len(b"motion")
    frames, frames_line, at = _field(data, behind, reader.line, _FRAMES, "Frames:", file)
    seconds, line, at = _field(data, at, frames_line, _FRAME_TIME, "Frame Time:", file)
    frame_count = _count(frames, f"{file}:{frames_line}: Frames")
    if frame_count > MOST_FRAMES:
        raise FileFormatError(f"{file}:{frames_line}: Frames: {frame_count} are more than a file can hold")
    try:
        frame_time = float(seconds)
    except ValueError:
        hint = "; numbers are written with a point" if "," in seconds else ""
        raise FileFormatError(f"{file}:{line}: Frame Time: expected seconds, got {shown(seconds)}{hint}") from None
    if not (math.isfinite(frame_time) and frame_time > 0):
        raise FileFormatError(f"{file}:{line}: Frame Time: must be a positive number of seconds, got {shown(seconds)}")
    return Head(joints, frame_count, frames_line, frame_time, at, line, tuple(renamed))


def _hierarchy(reader: Words) -> tuple[list[_Open], list[tuple[str, str]]]:
    """Joints in the file's order, and those that were renamed."""
    joints: list[_Open] = []
    renamed: list[tuple[str, str]] = []
    names: dict[str, int] = {}
    path: list[_Open] = []
    while True:
        token = next(reader.tokens)
        kind = token.text.upper()
        if kind == "MOTION" and joints and not path:
            return joints, renamed
        if kind in ("", "MOTION"):
            what = "MOTION begins" if kind else "the file ends"
            if path:
                reader.fail(f"{what}, but the brace of joint {path[-1].name!r} (line {path[-1].line}) is not closed",
                            token.line)  # fmt: skip
            reader.fail(f"{what}, but there is no {'MOTION' if joints else 'ROOT'} before", token.line)
        if kind in ("ROOT", "JOINT"):
            if (kind == "ROOT") != (not joints) or (kind == "JOINT" and not path):
                why = "a second ROOT: a file holds one skeleton" if kind == "ROOT" else "JOINT outside of the ROOT"
                reader.fail(f"{why} ({token.name!r})", token.line)
            if not token.name:
                reader.fail(f"{kind} without a name", token.line)
            name = _new_name(token.name, names)
            if name != token.name:
                renamed.append((token.name, name))
            joint = _Open(name, token.line, path[-1].index if path else -1, index=len(joints))
            joints.append(joint)
            path.append(joint)
            _brace(reader, f"joint {name!r}")
        elif not path:
            reader.fail(f"ROOT or MOTION expected, got {shown(token.text)}", token.line)
        elif kind == "END":
            path[-1].ends.append(_end_site(reader, path[-1]))
        elif kind == "}":
            done = path.pop()
            if done.offset is None:
                reader.fail(f"joint {done.name!r} (line {done.line}) has no OFFSET", token.line)
        elif kind == "OFFSET":
            if path[-1].offset is not None:
                reader.fail(f"joint {path[-1].name!r} has a second OFFSET", token.line)
            path[-1].offset = reader.vector(f"OFFSET of joint {path[-1].name!r}")
        elif kind == "CHANNELS":
            if path[-1].channels is not None:
                reader.fail(f"joint {path[-1].name!r} has a second CHANNELS", token.line)
            path[-1].channels = _channels(reader, path[-1].name)
        else:
            reader.fail(f"joint {path[-1].name!r}: OFFSET, CHANNELS, JOINT, End Site or a closing brace is expected, "
                        f"got {shown(token.text)}", token.line)  # fmt: skip


def _brace(reader: Words, whose: str) -> None:
    token = reader.next(f"the opening brace of {whose}")
    if token.text != "{":
        reader.fail(f"the opening brace of {whose} is expected, got {shown(token.text)}", token.line)


def _end_site(reader: Words, joint: _Open) -> Vector:
    whose = f"the end site of joint {joint.name!r}"
    _brace(reader, whose)
    offset: Vector | None = None
    while True:
        token = reader.next(f"OFFSET or the closing brace of {whose}")
        kind = token.text.upper()
        if kind == "OFFSET" and offset is None:
            offset = reader.vector(f"OFFSET of {whose}")
        elif kind == "CHANNELS":
            if _channels(reader, whose):
                reader.fail(f"{whose} has channels: make it a JOINT", token.line)
        elif kind == "}":
            if offset is None:
                reader.fail(f"{whose} has no OFFSET", token.line)
            return offset
        else:
            reader.fail(f"{whose}: one OFFSET and a closing brace are expected, got {shown(token.text)}", token.line)


def _channels(reader: Words, joint: str) -> tuple[Channel, ...]:
    token = reader.next(f"the number of CHANNELS of {joint!r}")
    count = _count(token.text, f"{reader.file}:{token.line}: joint {joint!r}: CHANNELS")
    result: list[Channel] = []
    for k in range(count):
        word = reader.next(f"channel {k + 1} of {count} of joint {joint!r}")
        channel = _CHANNELS.get(word.text.lower())
        if channel is None:
            known = ", ".join(c.value for c in Channel)
            reader.fail(f"joint {joint!r}: channel {k + 1} of {count} is expected, one of {known}; "
                        f"got {shown(word.text or word.name)}", word.line)  # fmt: skip
        if channel in result and not channel.turns:
            reader.fail(f"joint {joint!r}: channel {channel.value} stands twice", word.line)
        result.append(channel)
    return tuple(result)


def _field(data: bytes, at: int, line: int, pattern: re.Pattern[bytes], what: str, file: str) -> tuple[str, int, int]:
    """Value of the line "what: value", its line, and the byte behind; blanks and comments before it are skipped."""
    while comment := re.compile(rb"\s*(?:#|//)[^\n]*\n").match(data, at):
        line += data.count(b"\n", at, comment.end())
        at = comment.end()
    match = pattern.match(data, at)
    if match is None or not match[1]:
        start = re.compile(rb"\s*").match(data, at)
        behind = start.end() if start else at
        line += data.count(b"\n", at, behind)
        found = data[behind:].split(b"\n", 1)[0][:60].decode("utf-8", "replace").strip()
        raise FileFormatError(f"{file}:{line}: {what!r} and a number expected, got {shown(found)}")
    line += data.count(b"\n", at, match.start(1))
    return match[1].decode("utf-8", "replace"), line, match.end(1)


def _count(text: str, what: str) -> int:
    if not re.fullmatch(r"\+?\d{1,18}", text, re.ASCII):
        raise FileFormatError(f"{what}: a whole number, not negative, is expected, got {shown(text)}")
    return int(text)


def _new_name(name: str, taken: dict[str, int]) -> str:
    """The name, or with a number behind if it stood before."""
    new = name
    while new in taken:
        taken[name] += 1
        new = f"{name}_{taken[name]}"
    taken[new] = 1
    return new
