"""BVH files out."""

import os
from pathlib import Path

from hitogata.errors import ArgumentError
from hitogata.files.bvh.skeleton import Bvh


def write_bvh(bvh: Bvh, path: str | os.PathLike[str] | None = None, *, decimals: int | None = None) -> str:
    """The text of a BVH file; written to a file too if `path` is given.

    Args:
        bvh: what to write, in its own unit and axes.
        path: where to, or None.
        decimals: of the numbers of frames (6: a millionth of a degree); None: as many as each number needs to be read
            again bit for bit.
    """
    if decimals is not None and not (isinstance(decimals, int) and 0 <= decimals <= 17):
        raise ArgumentError(f"decimals: expected None or a whole number from 0 to 17, got {decimals!r}")
    lines = [*_hierarchy(bvh), "MOTION", f"Frames: {bvh.nframes}", f"Frame Time: {_text(bvh.frame_time)}"]
    if decimals is None:
        frames = (" ".join(map(_text, row.tolist())) for row in bvh.values)
    else:
        form = " ".join([f"%.{decimals}f"] * bvh.nchannels)
        frames = (form % tuple(row.tolist()) for row in bvh.values)
    text = "\n".join([*lines, *frames]) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def _hierarchy(bvh: Bvh) -> list[str]:
    lines = ["HIERARCHY"]
    path: list[int] = []  # open joints

    def close() -> None:
        path.pop()
        lines.append("\t" * len(path) + "}")

    for i, joint in enumerate(bvh.joints):
        while path and path[-1] != joint.parent:
            close()
        tabs = "\t" * len(path)
        path.append(i)
        lines += [f"{tabs}{'JOINT' if i else 'ROOT'} {joint.name}", tabs + "{"]
        lines.append(f"{tabs}\tOFFSET {_vector(joint.offset)}")
        lines.append(" ".join([f"{tabs}\tCHANNELS {len(joint.channels)}", *(c.value for c in joint.channels)]))
        for end in joint.ends:
            lines += [f"{tabs}\tEnd Site", tabs + "\t{", f"{tabs}\t\tOFFSET {_vector(end)}", tabs + "\t}"]
    while path:
        close()
    return lines


def _vector(vector: tuple[float, ...]) -> str:
    return " ".join(map(_text, vector))


def _text(number: float) -> str:
    """The shortest text that is read as the same number."""
    text = repr(float(number))
    return text[:-2] if text.endswith(".0") else text
