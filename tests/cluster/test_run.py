"""Items through local processes: one result each, whatever fails."""

import os
import signal

import pytest

from hitogata.cluster import FolderLock, FolderTakenError, Item, LocalWorkers, Policy, Results, run_items
from hitogata.cluster.storage import Storage
from hitogata.errors import ArgumentError
from tests.cluster import work


@pytest.fixture(scope="module")
def workers():
    with LocalWorkers(2) as started:
        yield started


def items(count):
    return [Item(f"item-{k}", k) for k in range(count)]


def test_each_item_has_its_result_and_is_not_done_again(tmp_path, workers):
    results = Results(tmp_path / "results")
    given = [Item(f"n{k}", (str(tmp_path), k)) for k in range(20)]
    first = {o.item.key: o for o in run_items(work.noted, given, results, workers)}
    assert {key: o.result for key, o in first.items()} == {f"n{k}": str(k).encode() for k in range(20)}
    again = list(run_items(work.noted, given, results, workers))
    assert len(again) == 20
    assert {o.attempts for o in again} == {0}
    assert sorted(map(int, (tmp_path / "log").read_text().split())) == list(range(20))


def test_a_damaged_result_is_made_again(tmp_path, workers):
    results = Results(tmp_path)
    list(run_items(work.square, items(4), results, workers))
    path = tmp_path / results.name("item-3")
    for damaged in (path.read_bytes()[:-1], b"", path.read_bytes().replace(b"9", b"8", 1), b"\x00" * 99):
        path.write_bytes(damaged)
        assert results.get("item-3") is None
        outcomes = {o.item.key: o.attempts for o in run_items(work.square, items(4), results, workers)}
        assert outcomes == {"item-0": 0, "item-1": 0, "item-2": 0, "item-3": 1}
        assert results.get("item-3") == b"9"


def test_poison_is_told_and_stops_nobody(workers):
    policy = Policy(attempts=2, backoff=0.01)
    outcomes = {o.item.given: o for o in run_items(work.poison, items(10), None, workers, policy=policy)}
    assert len(outcomes) == 10
    assert outcomes[3].result is None
    assert outcomes[3].attempts == 2
    assert "died" in outcomes[3].error
    assert all(o.result == str(k).encode() for k, o in outcomes.items() if k != 3)


def test_bad_input_is_not_tried_again_and_says_where(workers):
    (outcome,) = run_items(work.bad_input, items(1), None, workers)
    assert outcome.attempts == 1
    assert outcome.error == "ArgumentError: number 0 is bad"
    assert "work.py" in outcome.traceback


def test_what_fails_by_chance_is_tried_again(tmp_path, workers):
    given = [Item(f"f{k}", (str(tmp_path), k)) for k in range(3)]
    outcomes = list(run_items(work.flaky, given, None, workers, policy=Policy(backoff=0.01)))
    assert [(o.result, o.attempts) for o in outcomes] == [(b"done", 3)] * 3


def test_a_hanging_item_ends_at_its_limit_and_says_where(workers):
    policy = Policy(attempts=1, time_limit=0.7)
    outcomes = {o.item.given: o for o in run_items(work.hang, items(3), None, workers, policy=policy)}
    assert outcomes[1].error == "took longer than its 0.7 s"
    assert "in hang" in outcomes[1].traceback
    assert [outcomes[k].result for k in (0, 2)] == [b"0", b"2"]


def test_memory_is_bounded(workers):
    policy = Policy(attempts=1, memory_limit=100_000_000)
    given = [Item("small", 20), Item("large", 400)]
    outcomes = {o.item.key: o for o in run_items(work.hungry, given, None, workers, policy=policy)}
    assert outcomes["small"].result == b"20000000"
    assert outcomes["large"].error == "MemoryError"


def test_killed_processes_are_replaced(tmp_path):
    results = Results(tmp_path)
    with LocalWorkers(2) as own:
        done = 0
        for outcome in run_items(work.busy, items(60), results, own, policy=Policy(backoff=0.01, attempts=10)):
            assert outcome.result == work.busy(outcome.item.given)
            done += 1
            if done in (5, 20, 40):
                os.kill(own.pids[done % 2], signal.SIGKILL)
    assert done == 60
    assert len(list(results.keys())) == 60


def test_items_are_drawn_as_workers_are_free(workers):
    drawn = []

    def source():
        for k in range(50):
            drawn.append(k)
            yield Item(f"i{k}", k)

    for done, _ in enumerate(run_items(work.square, source(), None, workers), start=1):
        assert len(drawn) <= done + 2


def test_one_run_in_a_folder(tmp_path):
    with FolderLock(tmp_path / "state"), pytest.raises(FolderTakenError, match=f"process {os.getpid()}"):
        FolderLock(tmp_path / "state").__enter__()
    with FolderLock(tmp_path / "state"):
        pass


@pytest.mark.parametrize("key", ["", "a/b", "../up", "x" * 300, ".hidden", 3])
def test_keys_are_names_of_files(key):
    with pytest.raises(ArgumentError, match="key of an item"):
        Results.check_key(key)


def test_policies_are_checked():
    for wrong in ({"attempts": 0}, {"time_limit": 0}, {"backoff": -1}, {"memory_limit": float("nan")}):
        with pytest.raises(ArgumentError, match="policy"):
            Policy(**wrong)


def test_a_full_disk_leaves_no_half_result(tmp_path, monkeypatch):
    storage = Storage(tmp_path)
    storage.write("a", b"old")

    def full(self, data):
        with self.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        storage.write("a", b"newer and longer")
    monkeypatch.undo()
    assert storage.read("a") == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_urls(tmp_path):
    pytest.importorskip("fsspec")
    results = Results("memory://hitogata-test/results")
    assert results.get("k") is None
    assert results.put("k", b"one")
    assert not results.put("k", b"two")
    assert results.get("k") == b"one"
    assert list(results.keys()) == ["k"]
    results.drop("k")
    assert results.get("k") is None
