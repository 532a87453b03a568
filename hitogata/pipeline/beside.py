"""What lies beside a trial: who the subject is, and what the floor measured."""

import tomllib
from pathlib import Path

from hitogata.errors import FileFormatError


def files_beside(place: str) -> dict[str, Path]:
    """Files in a trial's folder that belong to it: `subject` (subject.toml) and `loads`.

    Loads of trial.trc are trial_grf.xml, trial_grf.mot or .sto; or grf.xml, grf.mot, grf.sto.
    """
    path = Path(place)
    found = {}
    subject = path.parent / "subject.toml"
    if subject.is_file():
        found["subject"] = subject
    names = [f"{stem}_grf{ending}" for stem in _stems(path.stem) for ending in (".xml", ".mot", ".sto")]
    for name in [*names, "grf.xml", "grf.mot", "grf.sto"]:
        if (path.parent / name).is_file() and name != path.name:
            found["loads"] = path.parent / name
            break
    return found


def _stems(stem: str) -> list[str]:
    """Names that loads may have: of trial_ik and trial_IK also trial."""
    stems = [stem]
    for ending in ("_ik", "_IK", "_markers"):
        if stem.endswith(ending):
            stems.append(stem.removesuffix(ending))
    return stems


def subject_of(place: str) -> tuple[float | None, float | None]:
    """Mass [kg] and height [m] of the subject, as subject.toml beside the trial says."""
    path = files_beside(place).get("subject")
    if path is None:
        return None, None
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: {error}") from None
    found = []
    for name in ("mass", "height"):
        value = told.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
            raise FileFormatError(f"{path}: {name}: a positive number is expected, got {value!r}")
        found.append(None if value is None else float(value))
    return found[0], found[1]
