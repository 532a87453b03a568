"""Workers of a Ray cluster: attempts are tasks; retries, limits and results are ours, as with local ones."""

import contextlib
import logging
import os
import socket
import time
from typing import Any

import hitogata
from hitogata.cluster.task import Attempt, perform
from hitogata.cluster.workers import Event, WorkerStartError
from hitogata.errors import MissingDependencyError

STORE = 100_000_000
"""Object store of a local cluster [bytes]; results do not go through it."""

REACH = 5.0
"""Longest wait for a cluster's address to answer [s]."""

PER_CORE = 2
"""Attempts under way for each core: one at work, one on its way."""


class RayWorkers:
    """Workers of a Ray cluster.

    Args:
        address: of the cluster (HOST:PORT, ray://HOST:PORT, auto), or "local": one of this computer's cores.
        count: cores of a local cluster; None: all.
        cores: that each attempt takes.
        memory: that Ray sets apart for each attempt [bytes]; None: nothing is set apart.
    """

    def __init__(
        self, address: str = "local", *, count: int | None = None, cores: float = 1.0, memory: int | None = None
    ) -> None:
        self.address, self.count, self.cores, self.memory = address, count, cores, memory
        self._ray: Any = None
        self._task: Any = None
        self._ours = False
        self._tokens: dict[Any, str] = {}
        self._looked, self._room = 0.0, 1

    def __enter__(self) -> "RayWorkers":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reach(self) -> None:
        """See that Ray is here, and that somebody answers at the address."""
        try:
            import ray
        except ImportError:
            raise MissingDependencyError("Ray is not installed: pip install 'hitogata[cluster]'") from None
        if self.address != "local" and not ray.is_initialized():
            _reach(self.address)

    def start(self, warm: Any = None) -> None:
        """Reach the cluster, see that its nodes have this version, and warm each of them."""
        self.reach()
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        self._ray = ray
        if not ray.is_initialized():
            self._connect()
            self._ours = True
        options: dict[str, Any] = {"num_cpus": self.cores, "max_retries": 0}
        if self.memory is not None:
            options["memory"] = self.memory
        self._task = ray.remote(**options)(perform)
        self._prepare(warm)

    def _connect(self) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
        if self.address == "local":
            self._ray.init(
                address="local", num_cpus=self.count, object_store_memory=STORE, include_dashboard=False, **quiet
            )
            return
        try:
            self._ray.init(address=self.address, **quiet)
        except Exception as error:  # of many kinds
            said = " ".join(str(error).split())[:200]
            raise WorkerStartError(f"no Ray cluster at {self.address!r}: {said}") from None

    def _prepare(self, warm: Any) -> None:
        """One task on each node: is it the same version, and can it compile."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        prepared = self._ray.remote(num_cpus=self.cores, max_retries=2)(_prepared)
        nodes = [node["NodeID"] for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        asked = [
            prepared.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote(warm)
            for node in nodes
        ]
        if not asked:
            raise WorkerStartError(f"the Ray cluster {self.address!r} has no node with cores")
        versions = set()
        for node, ref in zip(nodes, asked, strict=True):
            try:
                versions.add(self._ray.get(ref))
            except self._ray.exceptions.RayError as error:
                if not any(each["NodeID"] == node and each["Alive"] for each in self._ray.nodes()):
                    continue  # it died meanwhile: the others go on
                said = str(error).strip().rpartition("\n")[2]
                raise WorkerStartError(f"the nodes of {self.address!r} cannot run hitogata: {said}") from None
        if versions != {hitogata.__version__}:
            raise WorkerStartError(
                f"the nodes of {self.address!r} have hitogata {', '.join(sorted(versions))}, here is "
                f"{hitogata.__version__}: install the same everywhere"
            )

    def room(self) -> int:
        """Attempts that may be under way; follows the cluster as nodes come and go."""
        now = time.monotonic()
        if now - self._looked > 5.0:
            cores = self._ray.cluster_resources().get("CPU", 0.0)
            self._room, self._looked = max(1, int(PER_CORE * cores / self.cores)), now
        return self._room

    def submit(self, attempt: Attempt) -> None:
        """Begin an attempt."""
        self._tokens[self._task.remote(attempt)] = attempt.token

    def wait(self, timeout: float) -> list[Event]:
        """Attempts that are over."""
        if not self._tokens:
            time.sleep(timeout)
            return []
        waiting = list(self._tokens)
        done, _ = self._ray.wait(waiting, num_returns=1, timeout=timeout)
        if done:
            more, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
            done = list({*done, *more})
        return [self._event(ref) for ref in done]

    def _event(self, ref: Any) -> Event:
        token = self._tokens.pop(ref)
        try:
            return Event(token, self._ray.get(ref))
        except Exception as error:  # worker, node or object lost, cancelled, out of memory
            return Event(token, None, f"{type(error).__name__}: {error}")

    def kill(self, token: str) -> None:
        """End an attempt, with its process."""
        for ref, own in self._tokens.items():
            if own == token:
                with contextlib.suppress(Exception):
                    self._ray.cancel(ref, force=True)

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        if self._ray is not None and self._ours and self._ray.is_initialized():
            self._ray.shutdown()
        self._tokens.clear()


def _prepared(warm: Any) -> str:
    if warm is not None:
        warm()
    return hitogata.__version__


def _reach(address: str) -> None:
    """Say at once that nobody answers, where Ray would try for minutes."""
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        raise WorkerStartError(f"address of a cluster: HOST:PORT, auto or local is expected, got {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=REACH).close()
    except OSError as error:
        raise WorkerStartError(f"no Ray cluster at {address!r}: {error.strerror or error}") from None
