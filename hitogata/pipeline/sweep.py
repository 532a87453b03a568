"""A figure pushed in many worlds, over gains, friction, ranges of hinges, and seeds; one table of what it did.

Each task is one `WorldBatch`: worlds side by side, a chunk of the product of all values.  What is written is the same
whatever the chunks and the number of workers are, but for the table's order, which is that of the product.
"""

import dataclasses
import hashlib
import io
import itertools
import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hitogata.cluster import FolderLock, Item, Outcome, Policy, Results, Workers, run_items
from hitogata.cluster.storage import Storage, is_url, local_path
from hitogata.errors import ArgumentError, FileFormatError, HitogataError
from hitogata.pipeline.code_version import code_version
from hitogata.pipeline.settings import _nearest

MEASURES = ("height", "least_height", "fell_at", "distance", "greatest_speed", "finite")
"""Root's height at the end and the least over its first, when it fell (below half; NaN: never) [s], its way [m],
the greatest speed of a joint [rad/s, m/s], and whether the world stayed finite."""


@dataclass(frozen=True)
class Sweep:
    """Worlds over a product of values.

    Attributes:
        figure: of the library.
        seconds: of each world.
        step: [s].
        push: speed that the root is given at first, in a direction that the seed says [m/s].
        stiffness, damping: of all motors [N m/rad, N m s/rad].
        friction: of the figure's surfaces.
        range: factors on the ranges of hinges.
        seeds: of the direction, so many from 0.
        worlds: side by side in one task.
    """

    figure: str = "human28"
    seconds: float = 2.0
    step: float = 1 / 240
    push: float = 0.5
    stiffness: tuple[float, ...] = (2000.0,)
    damping: tuple[float, ...] = (30.0,)
    friction: tuple[float, ...] = (0.8,)
    range: tuple[float, ...] = (1.0,)
    seeds: int = 16
    worlds: int = 64

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, str):
                if not isinstance(value, str):
                    raise ArgumentError(f"sweep: {each.name}: text is expected, got {value!r}")
                continue
            values = tuple(value) if isinstance(value, list | tuple) else (value,)
            many, whole = isinstance(each.default, tuple), isinstance(each.default, int)
            good = all(isinstance(x, int if whole else int | float) and not isinstance(x, bool) and 0 <= x < 1e12
                       for x in values)  # fmt: skip
            if not values or not good or (len(values) > 1 and not many):
                kind = "numbers" if many else "a number"
                raise ArgumentError(f"sweep: {each.name}: {kind}, 0 or more, expected, got {value!r}")
            object.__setattr__(self, each.name, tuple(map(float, values)) if many else values[0])
        if not (self.step > 0 and self.seconds >= self.step and self.seeds and self.worlds):
            raise ArgumentError("sweep: step, seconds, seeds and worlds must be above 0, and seconds not below step")

    def rows(self) -> Iterator[tuple[float, float, float, float, int]]:
        """Stiffness, damping, friction, range and seed of each world."""
        return itertools.product(self.stiffness, self.damping, self.friction, self.range, range(self.seeds))


COLUMNS = ("stiffness", "damping", "friction", "range", "seed")


def read_sweep(path: str | Path) -> Sweep:
    """A sweep from a TOML file.

    Raises:
        FileFormatError: unknown settings, with the nearest name, or wrong values.
    """
    try:
        told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path}: {error}") from None
    known = [each.name for each in fields(Sweep)]
    for name in told:
        if name not in known:
            raise FileFormatError(f"{path}: no setting {name!r}{_nearest(name, known)}; there are {', '.join(known)}")
    try:
        return Sweep(**told)
    except HitogataError as error:
        raise FileFormatError(f"{path}: {error}") from None


@dataclass(frozen=True)
class SweepWork:
    """A task: some rows of a sweep."""

    sweep: Sweep
    rows: tuple[tuple[float, float, float, float, int], ...] = field(repr=False)


def simulate(work: SweepWork) -> bytes:
    """What the worlds of some rows did, shape (n, measures), as .npy."""
    import numpy as np

    from hitogata import library
    from hitogata.figure import JointKind, State
    from hitogata.sim import World, WorldBatch

    sweep, rows = work.sweep, np.array(work.rows, float)
    figure = getattr(library, sweep.figure)()
    world = World()
    world.add_ground()
    model = world.add(figure)
    model.set_motor(2000.0, 30.0)
    batch = WorldBatch(world, len(rows))
    them = batch.member(model)
    them.set_motor(rows[:, 0], rows[:, 1])
    them.set_friction(rows[:, 2])
    for name, link in zip(figure.joint_names, figure.links, strict=True):
        if link.joint.kind is JointKind.HINGE and link.joint.range is not None:
            low, high = link.joint.range
            them.set_limits(name, low * rows[:, 3], high * rows[:, 3])
    first = np.array(them.q[0])
    v = np.zeros((len(rows), figure.nv))
    turn = np.array([np.random.default_rng(int(seed)).uniform(0, 2 * np.pi) for seed in rows[:, 4]])
    v[:, 3], v[:, 4] = sweep.push * np.cos(turn), sweep.push * np.sin(turn)
    batch.reset(state=State(np.repeat(first[None], len(rows), axis=0), v))
    least, fell, speed = np.ones(len(rows)), np.full(len(rows), np.nan), np.zeros(len(rows))
    for k in range(round(sweep.seconds / sweep.step)):
        batch.step(sweep.step, check=False)
        height = them.q[:, 2] / first[2]
        least = np.minimum(least, height)
        fell = np.where(np.isnan(fell) & (height < 0.5), (k + 1) * sweep.step, fell)
        speed = np.maximum(speed, np.abs(them.v[:, 6:]).max(axis=1))
    way = np.linalg.norm(them.q[:, :2] - first[:2], axis=1)
    found = np.stack([them.q[:, 2] / first[2], least, fell, way, speed, batch.alive.astype(float)], axis=1)
    file = io.BytesIO()
    np.save(file, found)
    return file.getvalue()


def sweep_worlds(
    sweep: Sweep, output: str, workers: Workers, *, policy: Policy | None = None,
    tell: Callable[[Outcome, int, int], None] | None = None,
) -> tuple[int, dict[str, str]]:  # fmt: skip
    """Simulate all worlds into table.npz, table.csv, and table.parquet where pyarrow is installed.

    Returns:
        How many worlds there are, and errors of tasks that failed, by key; then there is no table.
    """
    from hitogata import library

    if sweep.figure not in library.FIGURES:
        near = _nearest(sweep.figure, library.FIGURES)
        raise ArgumentError(f"sweep: no figure {sweep.figure!r}{near}; there are {', '.join(library.FIGURES)}")
    workers.reach()
    if is_url(output):
        return _swept(sweep, output, workers, policy, tell)
    with FolderLock(local_path(output) / ".hitogata"):
        return _swept(sweep, output, workers, policy, tell)


def _swept(sweep: Sweep, output: str, workers: Workers, policy: Policy | None, tell: Any) -> tuple[int, dict[str, str]]:
    import numpy as np

    results, storage = Results(f"{output.rstrip('/')}/.hitogata/results"), Storage(output)
    rows = list(sweep.rows())
    works = [SweepWork(sweep, tuple(rows[k : k + sweep.worlds])) for k in range(0, len(rows), sweep.worlds)]
    keys = [_key(work) for work in works]
    failed, found = {}, {}
    try:
        workers.start()
        outcomes = run_items(simulate, map(Item, keys, works), results, workers, policy=policy)
        for over, outcome in enumerate(outcomes, start=1):
            if outcome.result is None:
                failed[outcome.item.key] = outcome.error
            else:
                found[outcome.item.key] = np.load(io.BytesIO(outcome.result))
            if tell is not None:
                tell(outcome, over, len(works))
    finally:
        workers.close()
    if not failed:
        table = np.concatenate([np.array(rows, float), np.concatenate([found[key] for key in keys])], axis=1)
        _write(storage, dict(zip((*COLUMNS, *MEASURES), table.T, strict=True)))
    return len(rows), failed


def _key(work: SweepWork) -> str:
    told = [dataclasses.asdict(work.sweep) | {"worlds": 0}, work.rows, code_version("hitogata.pipeline.sweep")]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:40]


def _write(storage: Storage, table: dict[str, Any]) -> None:
    import numpy as np

    file = io.BytesIO()
    np.savez_compressed(file, **table)
    storage.write("table.npz", file.getvalue())
    lines = [",".join(table), *(",".join(f"{x:.9g}" for x in row) for row in zip(*table.values(), strict=True))]
    storage.write("table.csv", ("\n".join(lines) + "\n").encode())
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(table), file)
    storage.write("table.parquet", file.getvalue())
