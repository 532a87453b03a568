"""The same through a small Ray cluster of this computer."""

import os
import signal

import pytest

from hitogata.cluster import Item, Policy, Results, run_items
from tests.cluster import work

pytest.importorskip("ray", reason="Ray is not installed: pip install 'hitogata[cluster]'")


@pytest.fixture(scope="module")
def workers():
    from hitogata.cluster.ray_workers import RayWorkers

    with RayWorkers("local", count=2) as started:
        yield started


def test_items_errors_poison_and_limits(tmp_path, workers):
    results = Results(tmp_path)
    given = [Item(f"item-{k}", k) for k in range(30)]
    outcomes = list(run_items(work.square, given, results, workers))
    assert sorted((o.item.given, o.result) for o in outcomes) == [(k, str(k * k).encode()) for k in range(30)]
    assert {o.attempts for o in run_items(work.square, given, results, workers)} == {0}
    policy = Policy(attempts=2, backoff=0.01, time_limit=20.0)
    poisoned = {o.item.given: o for o in run_items(work.poison, given[:6], None, workers, policy=policy)}
    assert [k for k, o in poisoned.items() if o.result is None] == [3]
    assert poisoned[3].attempts == 2
    (bad,) = run_items(work.bad_input, given[:1], None, workers, policy=policy)
    assert (bad.error, bad.attempts) == ("ArgumentError: number 0 is bad", 1)


def test_killed_processes_do_not_matter(tmp_path, workers):
    results = Results(tmp_path)
    policy, done = Policy(attempts=10, backoff=0.01), 0
    for outcome in run_items(work.whose, [Item(f"b{k}", k) for k in range(30)], results, workers, policy=policy):
        assert outcome.result is not None
        done += 1
        if done in (3, 12):
            os.kill(int(outcome.result), signal.SIGKILL)
    assert done == 30
    assert len(list(results.keys())) == 30
