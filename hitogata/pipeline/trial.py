"""One trial: its stages, its folder of files, and a record of both; what a worker does."""

import hashlib
import json
import os
import shutil
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hitogata.cluster.results import Results
from hitogata.cluster.storage import TEMPORARY, Storage, is_url, local_path
from hitogata.pipeline.analysis import ANALYSIS
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles

TRIALS = "trials"
RECORD = "result.json"


@dataclass(frozen=True)
class TrialWork:
    """What a worker is given.

    Attributes:
        place: path or URL of the trial.
        name: of its folder.
        key: of its result.
        settings: of all stages.
        output: folder or URL of the run.
        cache: folder or URL of kept results of stages; "": none.
    """

    place: str
    name: str
    key: str
    settings: Settings
    output: str
    cache: str


def analyse_trial(work: TrialWork) -> bytes:
    """Do all stages, write the trial's folder whole, and tell what is in it."""
    with tempfile.TemporaryDirectory(prefix="hitogata-") as scratch:
        place = _fetched(work.place, Path(scratch))
        cache = Results(work.cache) if work.cache else None
        run = ANALYSIS.run(work.settings, TrialFiles(place, work.name), cache)
        target = None if is_url(work.output) else local_path(work.output) / TRIALS / work.name
        folder = Path(scratch) / "out" if target is None else target.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
        try:
            folder.mkdir(parents=True)
            found = _written(folder, work, run.values)
            files = {p.relative_to(folder).as_posix(): _digest(p) for p in sorted(folder.rglob("*")) if p.is_file()}
            record = {"trial": work.place, "name": work.name, "key": work.key, "files": files, "found": found}
            (folder / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
            if target is None:
                _upload(folder, Storage(work.output), f"{TRIALS}/{work.name}")
            else:
                _replaced(folder, target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    told = record | {"seconds": run.seconds, "kept": list(run.kept)}
    return json.dumps(told, sort_keys=True).encode()


def _written(folder: Path, work: TrialWork, values: dict[str, Any]) -> dict[str, Any]:
    from hitogata.pipeline.findings import findings
    from hitogata.pipeline.outputs import write_data

    write_data(folder, values)
    if work.settings.page.on:
        from hitogata.pipeline.page import write_page

        write_page(folder, work.name, values, work.settings)
    return findings(values)


def _digest(path: Path) -> list[Any]:
    data = path.read_bytes()
    return [hashlib.sha256(data).hexdigest(), len(data)]


def _replaced(folder: Path, target: Path) -> None:
    """Put a folder in the place of another, which is moved away first."""
    old = target.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    try:
        os.rename(target, old)
    except FileNotFoundError:
        old = Path()
    os.rename(folder, target)
    if old != Path():
        shutil.rmtree(old, ignore_errors=True)


def _upload(folder: Path, storage: Storage, prefix: str) -> None:
    """All files, the record last."""
    paths = sorted((p for p in folder.rglob("*") if p.is_file()), key=lambda p: (p.name == RECORD, p))
    for path in paths:
        storage.write(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def _fetched(place: str, scratch: Path) -> str:
    """The trial on this computer; of a URL a copy, with what lies beside it."""
    if not is_url(place):
        return str(local_path(place))
    above, _, name = place.rpartition("/")
    stem = name.rpartition(".")[0]
    storage = Storage(above)
    beside = [f"{stem}_grf{e}" for e in (".xml", ".mot", ".sto")] + ["subject.toml"]
    folder = scratch / "trial"
    folder.mkdir()
    for each in (name, *beside):
        data = storage.read(each)
        if data is not None:
            (folder / each).write_bytes(data)
    return str(folder / name)
