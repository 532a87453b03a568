"""Settings of an analysis: one section for each stage, read from and written to one TOML file.

This module is light: it is all that a run needs to see that nothing has changed.
"""

import difflib
import json
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hitogata.errors import ArgumentError, FileFormatError

UP = ("auto", "x", "y", "z")
COSTS = ("squares", "cubes", "volume", "force", "greatest")


def _setting(
    default: Any, said: str, *, least: float | None = None, words: Iterable[str] = (), file: bool = False
) -> Any:
    """A field with what the file says about it, and what is allowed."""
    return field(default=default, metadata={"said": said, "least": least, "words": tuple(words), "file": file})


@dataclass(frozen=True)
class Section:
    """What all stages have."""

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, _checked(type(self).__name__.lower(), each, getattr(self, each.name)))


@dataclass(frozen=True)
class Subject(Section):
    """Who moves."""

    mass: float = _setting(0.0, "[kg]; 0: as the trial's folder (subject.toml) or file says", least=0.0)
    height: float = _setting(0.0, "[m]; 0: not known", least=0.0)


@dataclass(frozen=True)
class Trial(Section):
    """Reading the trial."""

    up: str = _setting("auto", "axis of marker files that is up; auto: y of .trc, what a .c3d says or z", words=UP)
    begin: float = _setting(-math.inf, "first time [s]")
    end: float = _setting(math.inf, "last time [s]")
    seen: float = _setting(
        0.6, "ends of a trial with a smaller part of the markers are left out; 0: nothing", least=0.0
    )


@dataclass(frozen=True)
class Label(Section):
    """Names for markers."""

    on: bool = _setting(False, "whether markers are labelled anew")
    file: str = _setting("", "a labelled trial to learn from; none: the trial's own labels", file=True)


@dataclass(frozen=True)
class Body(Section):
    """The body."""

    model: str = _setting("gait", "an .osim model, or a built-in body: gait", file=True)
    fit: bool = _setting(True, "whether its sizes and its markers' places are fitted to the trial")
    file: str = _setting("", "an .osim model of the subject's own sizes, instead of the fit", file=True)
    frames: int = _setting(60, "of the trial, by which sizes are found", least=1)
    whole_links: bool = _setting(False, "one factor for each link, not one for each axis")
    outlier: float = _setting(0.03, "markers further from the body count less and less [m]; 0: all alike", least=0.0)


@dataclass(frozen=True)
class Angles(Section):
    """Joint angles."""

    on: bool = _setting(True, "whether joint angles are found")
    file: str = _setting("", "coordinates instead: .mot, .sto", file=True)
    tasks: str = _setting("", "weights of markers: OpenSim's IKTaskSet, or its tool's setup (.xml)", file=True)
    outlier: float = _setting(0.0, "markers further from the body count less and less [m]; 0: all alike", least=0.0)


@dataclass(frozen=True)
class Loads(Section):
    """Measured forces."""

    on: bool = _setting(True, "whether measured forces are used")
    file: str = _setting("", "ExternalLoads (.xml) or columns (.mot, .sto); none: the trial's plates, or a file beside "
                         "it", file=True)  # fmt: skip
    table: str = _setting("", "columns of an .xml that names none", file=True)
    threshold: float = _setting(20.0, "less force along z is nobody standing [N]", least=0.0)


@dataclass(frozen=True)
class Filter(Section):
    """The dynamics filter, for motions of skeletons without measured forces."""

    on: bool = _setting(True, "whether such motions are made possible on a level floor")
    file: str = _setting("", "a filtered motion instead: filtered.npz of another run", file=True)
    mode: str = _setting("preview", "what is known of the future", words=("online", "preview", "recording"))


@dataclass(frozen=True)
class Torques(Section):
    """Torques of joints."""

    on: bool = _setting(True, "whether torques are found")
    file: str = _setting("", "torques instead: .sto, .mot with columns as in torques.sto", file=True)
    cutoff: float = _setting(6.0, "of the low-pass on coordinates [Hz]; 0: none", least=0.0)
    measured: bool = _setting(True, "only from the first to the last time that forces are measured")


@dataclass(frozen=True)
class Muscles(Section):
    """Tensions of muscles."""

    on: bool = _setting(True, "whether muscles' tensions are found")
    file: str = _setting("", "forces of muscles instead: .sto, .mot with a column for each muscle [N]", file=True)
    cost: str = _setting("squares", "what is least", words=COSTS)
    reserve: float = _setting(1.0, "cost of reserves per (N m)²", least=0.0)
    smooth: float = _setting(0.0, "cost of changes from frame to frame", least=0.0)
    rate: float = _setting(100.0, "frames that are solved for each second, at most; 0: all", least=0.0)


@dataclass(frozen=True)
class Page(Section):
    """The report."""

    on: bool = _setting(True, "whether a page is written")
    replay: bool = _setting(True, "whether it has a replay")
    pictures: bool = _setting(True, "whether it has plots")


@dataclass(frozen=True)
class Settings:
    """Of an analysis."""

    subject: Subject = field(default_factory=Subject)
    trial: Trial = field(default_factory=Trial)
    label: Label = field(default_factory=Label)
    body: Body = field(default_factory=Body)
    angles: Angles = field(default_factory=Angles)
    loads: Loads = field(default_factory=Loads)
    filter: Filter = field(default_factory=Filter)
    torques: Torques = field(default_factory=Torques)
    muscles: Muscles = field(default_factory=Muscles)
    page: Page = field(default_factory=Page)

    def with_values(self, section: str, values: Mapping[str, Any]) -> "Settings":
        """With other values in one section.

        Raises:
            ArgumentError: no such section or setting; the nearest name is said.
        """
        sections = [each.name for each in fields(self)]
        if section not in sections:
            raise ArgumentError(f"no stage {section!r}{_nearest(section, sections)}; there are {', '.join(sections)}")
        own = getattr(self, section)
        known = [each.name for each in fields(own)]
        for name in values:
            if name not in known:
                near = _nearest(name, known)
                raise ArgumentError(f"stage {section!r} has no setting {name!r}{near}; it has {', '.join(known)}")
        return replace(self, **{section: replace(own, **values)})

    def with_folder(self, folder: Path) -> "Settings":
        """With paths of files counted from a folder."""
        result = self
        for section in fields(self):
            own = getattr(self, section.name)
            paths = {
                each.name: str(folder / getattr(own, each.name))
                for each in fields(own)
                if each.metadata["file"] and getattr(own, each.name) and _is_path(getattr(own, each.name))
            }
            result = result.with_values(section.name, paths)
        return result


def _is_path(value: str) -> bool:
    return "." in value and "://" not in value and "{" not in value


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _checked(section: str, each: Any, value: Any) -> Any:
    what = f"settings: {section}.{each.name}"
    default = each.default
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ArgumentError(f"{what}: true or false is expected, got {value!r}")
        return value
    if isinstance(default, str):
        if not isinstance(value, str):
            raise ArgumentError(f"{what}: text is expected, got {value!r}")
        words = each.metadata["words"]
        if words and value not in words:
            raise ArgumentError(f"{what}: {value!r}{_nearest(value, words)}; it can be {', '.join(words)}")
        return value
    whole = isinstance(default, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or math.isnan(value):
        raise ArgumentError(f"{what}: a {'whole ' if whole else ''}number is expected, got {value!r}")
    least = each.metadata["least"]
    if least is not None and not least <= value < math.inf:
        raise ArgumentError(f"{what}: {least:g} or more is expected, got {value!r}")
    return value if whole else float(value)


def read_settings(path: str | Path) -> Settings:
    """Read a file; paths in it are counted from its folder.

    Raises:
        FileFormatError: no TOML, unknown stages or settings, wrong values.
    """
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: {error}") from None
    result = Settings()
    for section, values in told.items():
        try:
            if not isinstance(values, dict):
                result.with_values(section, {})
                raise ArgumentError(f"{section!r}: a section is expected, [{section}]")
            result = result.with_values(section, values)
        except ArgumentError as error:
            raise FileFormatError(f"{path}: {error}") from None
    return result.with_folder(path.parent)


def parsed_setting(settings: Settings, text: str) -> Settings:
    """With one setting, as `stage.name=value`; values as in the file, text also without quotes."""
    name, equals, value = text.partition("=")
    section, dot, key = name.strip().partition(".")
    if not equals or not dot:
        raise ArgumentError(f"a setting is STAGE.NAME=VALUE, got {text!r}")
    settings = settings.with_values(section, {})
    own = getattr(settings, section)
    known = {each.name: each for each in fields(own)}
    if key in known and isinstance(known[key].default, str):
        return settings.with_values(section, {key: value.strip().strip('"')})
    try:
        parsed = tomllib.loads(f"x = {value.strip()}")["x"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()
    return settings.with_values(section, {key: parsed})


def settings_text(settings: Settings) -> str:
    """As TOML, with a word about each."""
    lines = ["# Settings of an analysis by hitogata.  Stages run in this order."]
    for section in fields(settings):
        own = getattr(settings, section.name)
        lines += ["", f"[{section.name}]    # {(type(own).__doc__ or '').rstrip('.').lower()}"]
        lines += [f"{e.name} = {_toml(getattr(own, e.name))}    # {e.metadata['said']}" for e in fields(own)]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value)
