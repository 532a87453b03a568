"""Stages and the pipeline that they make: what each needs and gives, by name and type, and its results kept by content.

The key of a result is a hash of the stage's code, its settings, the contents of the files these name, and the keys of
what it needs.  So keys are known before anything is done, and a result whose key is there is not made again: a change
runs again what depends on it, and nothing else.
"""

import hashlib
import importlib
import json
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from hitogata.cluster.results import Results
from hitogata.errors import ArgumentError
from hitogata.pipeline.beside import files_beside
from hitogata.pipeline.code_version import code_version
from hitogata.pipeline.settings import Settings


@dataclass(frozen=True)
class Stage:
    """A named step.

    Attributes:
        name: of what it gives.
        function: "module:function"; called with the settings, the trial and what it needs.
        gives: name of the type of its result, in `hitogata.pipeline.values`; results may be None.
        needs: names of stages before it.
        sections: of the settings that it reads.
        files: of the trial that it reads: "trial", and what lies beside it: "loads", "subject".
    """

    name: str
    function: str
    gives: str
    needs: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """Where its function is."""
        return self.function.partition(":")[0]

    def load(self) -> Callable[..., Any]:
        """Its function."""
        module, _, name = self.function.partition(":")
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return function


@dataclass(frozen=True)
class Run:
    """What a pipeline did.

    Attributes:
        values: by stage.
        seconds: of the stages that ran.
        kept: stages whose results were there.
    """

    values: dict[str, Any] = field(repr=False)
    seconds: dict[str, float]
    kept: tuple[str, ...]


class Pipeline:
    """Stages in order.

    Args:
        stages: each needs those before it only.

    Raises:
        ArgumentError: a name twice, or a stage that needs what does not come before it, or comes as another type.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = tuple(stages)
        before: dict[str, Stage] = {}
        for stage in self.stages:
            if stage.name in before:
                raise ArgumentError(f"pipeline: two stages {stage.name!r}")
            for need in stage.needs:
                if need not in before:
                    known = ", ".join(before) or "none"
                    raise ArgumentError(f"stage {stage.name!r} needs {need!r}; before it come: {known}")
            before[stage.name] = stage

    def check_types(self) -> None:
        """Compare what functions ask for with what stages give, by their annotations.

        Raises:
            ArgumentError: they differ; both are named.
        """
        given = {stage.name: stage.gives for stage in self.stages}
        for stage in self.stages:
            asked = stage.load().__annotations__
            for need in stage.needs:
                kinds = {each.__name__ for each in get_args(asked.get(need)) or (asked.get(need),)} - {"NoneType"}
                if kinds != {given[need]}:
                    raise ArgumentError(
                        f"stage {stage.name!r} takes {need!r} as {asked.get(need)}, it is {given[need]}"
                    )

    def keys(self, settings: Settings, trial: "TrialFiles") -> dict[str, str]:
        """The key of each stage's result."""
        keys: dict[str, str] = {}
        for stage in self.stages:
            told = {
                "stage": stage.name,
                "code": code_version(stage.module),
                "settings": {name: _content(getattr(settings, name), trial) for name in stage.sections},
                "needs": [keys[need] for need in stage.needs],
                "files": [trial.digest(kind) for kind in stage.files],
            }
            keys[stage.name] = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:40]
        return keys

    def run(
        self, settings: Settings, trial: "TrialFiles", cache: Results | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Run:  # fmt: skip
        """Results of all stages.

        Args:
            settings: of them.
            trial: its files.
            cache: where results are kept; None: nowhere.
            tell: is told the name of each stage that begins.
        """
        keys = self.keys(settings, trial)
        values: dict[str, Any] = {}
        seconds: dict[str, float] = {}
        kept = []
        for stage in self.stages:
            found = None if cache is None else cache.get(f"{stage.name}-{keys[stage.name]}")
            if found is not None:
                values[stage.name] = pickle.loads(found)
                kept.append(stage.name)
                continue
            if tell is not None:
                tell(stage.name)
            begun = time.perf_counter()
            value = stage.load()(settings, trial, **{need: values[need] for need in stage.needs})
            if value is not None and type(value).__name__ != stage.gives:
                raise ArgumentError(f"stage {stage.name!r} gave a {type(value).__name__}, not a {stage.gives}")
            seconds[stage.name] = time.perf_counter() - begun
            values[stage.name] = value
            if cache is not None:
                cache.put(f"{stage.name}-{keys[stage.name]}", pickle.dumps(value, protocol=5))
        return Run(values, seconds, tuple(kept))


class TrialFiles:
    """The files of a trial, and those that settings name, with digests of their contents.

    Args:
        place: path of the trial.
        name: unique among the trials of a run.
    """

    _digests: Mapping[str, str]

    def __init__(self, place: str, name: str) -> None:
        self.place, self.name = place, name
        self._digests = {}

    def path(self, kind: str) -> Path | None:
        """The trial's file ("trial"), or one beside it; None: there is none."""
        return Path(self.place) if kind == "trial" else files_beside(self.place).get(kind)

    def digest(self, kind: str) -> list[str]:
        """Of such a file: its ending and contents; a table that lies beside loads (.xml) counts with them."""
        path = self.path(kind)
        if path is None:
            return []
        paths = [path]
        if path.suffix.lower() == ".xml":
            paths += sorted(p for p in path.parent.glob(f"{path.stem}*") if p.suffix.lower() in (".mot", ".sto"))
        return [text for each in paths for text in (each.suffix.lower(), self.file_digest(str(each)))]

    def file_digest(self, path: str) -> str:
        """Of a file's contents; "missing": there is none."""
        if path not in self._digests:
            try:
                with open(path, "rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                found = "missing"
            self._digests = {**self._digests, path: found}
        return self._digests[path]

    def named(self, path: str) -> str:
        """A path of the settings, with {trial} and {folder} filled in."""
        folder, _, file = self.place.replace("\\", "/").rpartition("/")
        return path.replace("{trial}", file.rpartition(".")[0]).replace("{folder}", folder or ".")


def _content(section: Any, trial: TrialFiles) -> dict[str, Any]:
    """A section, with contents of files in place of their paths."""
    told = {}
    for each in fields(section):
        value = getattr(section, each.name)
        if each.metadata["file"] and value and "." in value:
            path = trial.named(value)
            value = [path.rpartition(".")[2].lower(), trial.file_digest(path)]
        told[each.name] = value
    return told
