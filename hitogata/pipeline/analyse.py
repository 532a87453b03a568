"""Many trials: found, done by workers where something has changed, and told in one summary."""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any

from hitogata.cluster import FolderLock, Item, Outcome, Policy, Results, Workers, run_items
from hitogata.cluster.storage import TEMPORARY, Storage, is_url, local_path
from hitogata.errors import ArgumentError, FileFormatError
from hitogata.pipeline.analysis import ANALYSIS
from hitogata.pipeline.beside import subject_of
from hitogata.pipeline.code_version import code_version
from hitogata.pipeline.settings import Settings, settings_text
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.trial import RECORD, TRIALS, TrialWork, analyse_trial

ENDINGS = (".c3d", ".trc", ".bvh", ".mcap", ".xdf")
"""Of trials that are looked for in folders."""

STATE = ".hitogata"
"""Folder of locks, kept results and records, in the folder of a run."""


@dataclass(frozen=True)
class Summary:
    """A run over trials.

    Attributes:
        records: of those that were analysed, by name.
        failed: error and traceback of the others, by name.
        done: how many were analysed now; the others were there.
        seconds: that it took.
    """

    records: dict[str, Any] = field(repr=False)
    failed: dict[str, tuple[str, str]]
    done: int
    seconds: float


def find_trials(places: Sequence[str]) -> dict[str, str]:
    """Trials by name: files, folders (all trials in them), patterns and URLs; names are those of the files.

    Raises:
        ArgumentError: nothing found, said of which.
    """
    found: list[str] = []
    for place in places:
        own = list(_expanded(place))
        if not own:
            raise ArgumentError(f"{place}: no trial there ({', '.join(ENDINGS)})")
        found += own
    names: dict[str, str] = {}
    for place in dict.fromkeys(found):
        parts = [p for p in place.replace("\\", "/").split("/") if p not in ("", ".", "..")]
        stem = parts[-1].rpartition(".")[0]
        options = ["-".join([*parts[-k - 1 : -1], stem]) for k in range(len(parts))]
        plain = [
            "".join(c if c.isalnum() or c in "._-" else "_" for c in each).lstrip(".") or "trial" for each in options
        ]
        name = next((each for each in plain if each not in names), f"{plain[0]}-{len(names)}")
        names[name[:120]] = place
    return names


def _expanded(place: str) -> Iterator[str]:
    if is_url(place):
        yield from _far(place)
        return
    path = local_path(place)
    if path.is_dir():
        yield from sorted(str(p) for p in path.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file()
                          and not any(part.startswith(".") for part in p.relative_to(path).parts))  # fmt: skip
    elif any(c in place for c in "*?[") and not path.exists():
        yield from sorted(p for p in glob(str(path), recursive=True) if Path(p).is_file())
    elif path.is_file():
        yield str(path)
    else:
        raise FileFormatError(f"{place}: no such file or folder")


def _far(place: str) -> Iterator[str]:
    head, _, last = place.rpartition("/")
    if not any(last.lower().endswith(ending) for ending in (*ENDINGS, ".mot", ".sto")):
        head, last = place.rstrip("/"), ""
    storage = Storage(head)
    names = [last] if last and storage.size(last) is not None else [
        name for ending in ENDINGS for name in storage.names(ending) if not last]  # fmt: skip
    yield from (f"{head}/{name}" for name in sorted(names))


def analyse(
    places: Sequence[str],
    output: str,
    workers: Workers,
    *,
    settings: Settings | None = None,
    policy: Policy | None = None,
    tell: Callable[[Outcome, int, int, float], None] | None = None,
) -> Summary:
    """Analyse trials into a folder: one page each and a summary.

    Args:
        places: files, folders, patterns or URLs of trials.
        output: folder or URL.
        workers: not started; they are only if there is work.
        settings: of all stages.
        policy: attempts and limits for each trial.
        tell: is told each outcome, how many are over, of how many, and the time left [s].

    Raises:
        HitogataError: bad input of any kind, before anything is written.
    """
    begun = time.perf_counter()
    settings = settings or Settings()
    trials = find_trials(places)
    check(settings, trials)
    workers.reach()
    if is_url(output):
        return _Analysis(trials, output, settings, workers, policy, tell).run(begun)
    if local_path(output).is_file():
        raise ArgumentError(f"{output}: a folder is expected, this is a file")
    with FolderLock(local_path(output) / STATE):
        return _Analysis(trials, output, settings, workers, policy, tell).run(begun)


def check(settings: Settings, trials: dict[str, str]) -> None:
    """What can be seen without reading trials: files that are missing, mixed models, subjects without mass."""
    own = settings.body.file or settings.body.model
    model = own.lower().endswith(".osim")
    for section in ("label", "body", "angles", "loads", "filter", "torques", "muscles"):
        for name, path in vars(getattr(settings, section)).items():
            if (
                isinstance(path, str)
                and "." in path
                and "{" not in path
                and not is_url(path)
                and not Path(path).is_file()
            ):
                raise FileFormatError(f"{section}.{name}: {path}: no such file")
    if not model and own != "gait":
        raise ArgumentError(f"body.model: {own!r}: an .osim file is expected, or gait, the built-in body")
    kinds = {place.rpartition(".")[2].lower() for place in trials.values()}
    if model and "bvh" in kinds:
        example = next(place for place in trials.values() if place.lower().endswith(".bvh"))
        raise ArgumentError(f"{example}: a .bvh file brings its own skeleton, and {own} is another: analyse them apart")
    if not model and kinds & {"mot", "sto"}:
        example = next(place for place in trials.values() if place.lower().endswith((".mot", ".sto")))
        raise ArgumentError(f"{example}: coordinates are those of a model: give it, --model x.osim")
    if not settings.torques.on or settings.subject.mass or settings.body.file or (model and not settings.body.fit):
        return
    for place in trials.values():
        if place.lower().endswith((".trc", ".c3d", ".mcap", ".xdf")) and not is_url(place) and not _mass(place):
            raise ArgumentError(
                f"{place}: the subject's mass is not known: give --subject MASS,HEIGHT, or subject.toml beside the "
                "trial (mass = 72.5), or set torques.on = false"
            )


def _mass(place: str) -> float | None:
    found = subject_of(place)[0]
    if found or not place.lower().endswith(".c3d"):
        return found
    try:
        with open(place, "rb") as file:
            if b"BODYMASS" not in file.read(200_000).upper():
                return None
    except OSError:
        return 1.0  # told when it is read
    return 1.0


class _Analysis:
    def __init__(
        self,
        trials: dict[str, str],
        output: str,
        settings: Settings,
        workers: Workers,
        policy: Policy | None,
        tell: Any,
    ) -> None:
        self.trials, self.output, self.settings, self.workers = trials, output, settings, workers
        self.policy, self.tell = policy or Policy(), tell
        self.storage = Storage(output)
        state = f"{output.rstrip('/')}/{STATE}" if is_url(output) else str(local_path(output) / STATE)
        self.results, self.cache = Results(f"{state}/results"), f"{state}/cache"

    def run(self, begun: float) -> Summary:
        self._tidy()
        self._text("settings.toml", settings_text(self.settings))
        records: dict[str, Any] = {}
        waiting = []
        for name, place in self.trials.items():
            key = self._key(name, place)
            record = self._there(name, key)
            if record is not None:
                records[name] = record
            else:
                waiting.append(Item(key, TrialWork(place, name, key, self.settings, self.output, self.cache)))
        failed: dict[str, tuple[str, str]] = {}
        if waiting:
            self._work(waiting, records, failed)
        records = {name: records[name] for name in self.trials if name in records}
        seconds = time.perf_counter() - begun
        self._errors(failed)
        self._summary(records, failed)
        return Summary(records, failed, len(waiting) - len(failed), seconds)

    def _key(self, name: str, place: str) -> str:
        """Of a trial's result: its name, and the keys of all stages; of a URL only when it was fetched, so its size."""
        if is_url(place):
            head, _, last = place.rpartition("/")
            keys: Any = [place, Storage(head).size(last), code_version("hitogata.pipeline.trial"),
                         settings_text(self.settings)]  # fmt: skip
        else:
            keys = ANALYSIS.keys(self.settings, TrialFiles(str(local_path(place)), name))
        told = [name, keys, code_version("hitogata.pipeline.page"), repr(self.settings.page)]
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
        return f"{name[:80]}-{digest[:32]}"

    def _there(self, name: str, key: str) -> Any:
        """The record of a trial whose files are all there; what is not whole is dropped."""
        found = self.results.get(key)
        if found is None:
            return None
        record = json.loads(found)
        own = self.storage.read(f"{TRIALS}/{name}/{RECORD}")
        sizes = {f"{TRIALS}/{name}/{file}": size for file, (_, size) in record["files"].items()}
        same = own is not None and json.loads(own)["key"] == key
        if same and all(self.storage.size(file) == size for file, size in sizes.items()):
            return record
        self.results.drop(key)
        return None

    def _work(self, waiting: list[Item], records: dict[str, Any], failed: dict[str, tuple[str, str]]) -> None:
        begun, total = time.perf_counter(), len(waiting)
        try:
            self.workers.start()
            for over, outcome in enumerate(
                run_items(analyse_trial, waiting, self.results, self.workers, policy=self.policy), start=1
            ):
                name = outcome.item.given.name
                if outcome.result is not None:
                    records[name] = json.loads(outcome.result)
                else:
                    failed[name] = outcome.error, outcome.traceback
                left = (time.perf_counter() - begun) / over * (total - over)
                if self.tell is not None:
                    self.tell(outcome, over, total, left)
        finally:
            self.workers.close()

    def _tidy(self) -> None:
        """Remove what a run that died has left half-written."""
        self.storage.tidy()
        folder = self.storage.folder
        if folder is not None and (folder / TRIALS).is_dir():
            for left in (folder / TRIALS).glob(f"{TEMPORARY}*"):
                shutil.rmtree(left, ignore_errors=True)

    def _text(self, name: str, text: str) -> None:
        data = text.encode()
        if self.storage.read(name) != data:
            self.storage.write(name, data)

    def _errors(self, failed: dict[str, tuple[str, str]]) -> None:
        for name in self.storage.names(".error.txt"):
            if name.removesuffix(".error.txt") not in failed:
                self.storage.remove(name)
        for name, (error, text) in failed.items():
            again = f"hitogata analyse {self.trials[name]} --settings settings.toml -o again"
            self._text(f"{name}.error.txt", f"{error}\n\n{text}\n\nTo see it again, here:\n{again}\n")

    def _summary(self, records: dict[str, Any], failed: dict[str, tuple[str, str]]) -> None:
        told = json.dumps([[r["key"] for r in records.values()], failed, code_version("hitogata.pipeline.summary")])
        stamp = f"{hashlib.sha256(told.encode()).hexdigest()}\n"
        if self.storage.read(f"{STATE}/summary.txt") == stamp.encode() and self.storage.size("index.html") is not None:
            return
        from hitogata.pipeline.summary import summary_files

        for name, data in summary_files(records, failed, self.trials).items():
            self.storage.write(name, data)
        self.storage.write(f"{STATE}/summary.txt", stamp.encode())
