"""Figures and motions: built in, from files, and as the page sent them.

Uploaded bytes are written to a temporary folder under names of our own, read there by the same readers as any file, and
the folder is removed.
"""

import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hitogata import library
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from hitogata.figure import Figure, Trajectory
from hitogata.rom import RangeOfMotion

if TYPE_CHECKING:
    from hitogata.files import Bvh

FIGURES = library.FIGURES
"""Built-in figures by name."""

FIGURE_FILES, MOTION_FILES = (".xml", ".mjcf", ".urdf", ".bvh", ".osim"), (".bvh", ".npz")

T = TypeVar("T")


class Carried(NamedTuple):
    """A motion of a file, as it was carried over to a figure.

    Attributes:
        bvh: the file.
        figure: the figure.
        pairs: link of the file by link of the figure; those that follow none are not in it.
        how: what the pairs come from; or why they were refused.
        motion: of the figure; None: the pairs were refused.
    """

    bvh: "Bvh"
    figure: Figure
    pairs: Mapping[str, str]
    how: str
    motion: Trajectory | None


class Loaded(NamedTuple):
    """What a file held.

    Attributes:
        figure: the figure, of a .bvh file its skeleton.
        motion: of a motion file, or of a .bvh file that has frames.
        warnings: what the reader could not represent.
        carried: how a motion was carried over, if it was.
    """

    figure: Figure
    motion: Trajectory | None = None
    warnings: tuple[str, ...] = ()
    carried: Carried | None = None


def load_figure(name: str | Path) -> Loaded:
    """A built-in figure by name, or a file: .xml (MJCF), .urdf, .bvh, .osim."""
    path = Path(name)
    kind = path.suffix.lower()
    if str(name) in FIGURES:
        return Loaded(getattr(library, str(name))())
    if kind not in FIGURE_FILES:
        kinds = ".xml, .urdf, .bvh, .osim"
        raise ArgumentError(f"no figure {str(name)!r}; there are {', '.join(FIGURES)}, or files: {kinds}")
    from hitogata import files
    from hitogata.motion import without_calibration
    from hitogata.pictures.bones import with_bones

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if kind == ".bvh":
            bvh = files.read_bvh(path)
            figure = files.figure_from_bvh(bvh)
            whole = files.trajectory_from_bvh(bvh, figure)
            motion = without_calibration(figure, whole)[0] if bvh.nframes > 1 else None
        elif kind == ".osim":
            from hitogata.files.osim import figure_from_osim, read_osim

            figure, motion = with_bones(figure_from_osim(read_osim(path))), None
        else:
            read: Any = files.read_urdf if kind == ".urdf" else files.read_mjcf
            figure, motion = read(path, repair_inertia=True, **({"free_base": True} if kind == ".urdf" else {})), None
    return Loaded(figure, motion, tuple(dict.fromkeys(str(w.message) for w in caught)))


def load_motion(path: str | Path, figure: Figure, *, ranges: bool = True) -> Loaded:
    """A motion for a figure: a trajectory of its own (.npz), or a .bvh file, carried over to it.

    Args:
        path: the file.
        figure: whose motion it becomes.
        ranges: stay inside the figure's ranges of motion when carried over.
    """
    path = Path(path)
    motion: Trajectory | None
    if path.suffix.lower() == ".npz":
        motion = Trajectory.load(path)
        motion.check(figure)
        return Loaded(figure, motion)
    if path.suffix.lower() != ".bvh":
        raise FileFormatError(f"{path.name}: a motion is a .bvh or .npz file, got {path.suffix or 'no ending'}")
    from hitogata.files import figure_from_bvh, read_bvh, trajectory_from_bvh
    from hitogata.motion import without_calibration

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bvh = read_bvh(path)
        names = tuple(bvh.names)
        carried = None
        if names == figure.link_names and (own := figure_from_bvh(bvh)).nq == figure.nq and own.nv == figure.nv:
            motion, _ = without_calibration(figure, trajectory_from_bvh(bvh, figure))
        else:
            carried = carry_over(bvh, figure, ranges=ranges)
            motion = carried.motion
    return Loaded(figure, motion, tuple(dict.fromkeys(str(w.message) for w in caught)), carried)


def carry_over(
    bvh: "Bvh", figure: Figure, table: Mapping[str, str | None] | None = None, *, ranges: bool = True
) -> Carried:
    """The motion of a file on a figure.

    Args:
        bvh: the file.
        figure: whose motion it becomes.
        table: link of the file by link of the figure, None: follows none; without a table pairs are found, and if they
            cannot be, the result has no motion and says why.
        ranges: stay inside the figure's ranges of motion.
    """
    from hitogata.files import figure_from_bvh
    from hitogata.motion import map_skeletons, retarget_bvh

    try:
        pairs = map_skeletons(figure_from_bvh(bvh, sliders=True), figure, table)
    except HitogataError as error:
        if table is not None:
            raise
        return Carried(bvh, figure, {}, str(error), None)
    found = retarget_bvh(bvh, figure, mapping=pairs, ranges=ranges)
    return Carried(bvh, figure, found.mapping.pairs, found.mapping.how, found.trajectory)


def load_range(path: str | Path) -> RangeOfMotion:
    """A range of motion (.json)."""
    return RangeOfMotion.load(path)


def from_bytes(name: str, content: bytes, endings: tuple[str, ...], limit: int, read: Callable[[Path], T]) -> T:
    """What a reader makes of an uploaded file.

    Args:
        name: as the page gave it; only its ending counts, and it stands in messages.
        content: of the file.
        endings: that are read, lower case.
        limit: most bytes.
        read: the reader of a path.

    Raises:
        FileFormatError: wrong ending, too large, or a bad file; the message has the file's own name.
    """
    shown = "".join(c for c in str(name) if c.isprintable())[-80:] or "the file"
    ending = Path(shown.replace("\\", "/")).suffix.lower()
    if ending not in endings:
        raise FileFormatError(f"{shown}: {', '.join(endings)} expected, got {ending or 'no ending'}")
    if len(content) > limit:
        raise FileFormatError(f"{shown}: {len(content) / 1e6:.1f} MB; the studio takes at most {limit / 1e6:g} MB")
    if ending in (".xml", ".mjcf", ".urdf"):
        _refuse_references(content, shown)
    with tempfile.TemporaryDirectory(prefix="hitogata-") as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(content)
        try:
            return read(path)
        except HitogataError as error:
            raise FileFormatError(str(error).replace(str(path), shown).replace(path.name, shown)) from None


def _refuse_references(content: bytes, name: str) -> None:
    """Raise FileFormatError if XML refers to other files: an upload must not make the studio read this machine's."""
    from hitogata.files.source import parse

    for node in parse(content, name).walk():
        for attribute in ("file", "filename"):
            if node.get(attribute):
                raise FileFormatError(
                    f"{name}:{node.line}: <{node.tag}> refers to {node.get(attribute)[:60]!r}; an uploaded file must "
                    "hold everything itself: give files with meshes or includes on the command line"
                )
