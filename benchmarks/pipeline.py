"""Does every trial get its result, exactly once, whatever dies; and what does the sharing out cost?

    python -m benchmarks.pipeline kills [--ray] [--trials 200] [--rounds 5] [--light]
    python -m benchmarks.pipeline cost [--ray] [--items 2000]
    python -m benchmarks.pipeline many [--items 100000]
    python -m benchmarks.pipeline full

`kills` analyses small trials undisturbed, then kills a worker, (with Ray) the raylet of the second node, and the
driver, each when a random number of results is there, resumes, and compares checksums; `--light`: items that wait
0.1 s instead of trials.
`cost`: time for each item that does nothing, and how much faster two processes are than one.  `many`: memory of the
driver over many items.  `full`: a disk that is full (needs to be allowed to mount one).
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hitogata.cluster import FolderLock, Item, LocalWorkers, Policy, Results, run_items
from hitogata.files import Axes, MarkerData, read_trc, write_trc
from hitogata.pipeline.sample import sample_trial

QUICK = ["--set", "body.fit=false", "--set", "page.pictures=false", "--set", "page.replay=false",
         "--set", "torques.on=false", "--attempts", "10"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("kills", "cost", "many", "full", "drive"))
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--out", type=Path, help="of drive, which is what kills kills")
    parser.add_argument("--address")
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--items", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--victims", nargs="+", choices=("worker", "raylet", "driver"), help="of kills (default: all)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hitogata-pipeline-") as folder:
        globals()[args.what](args, Path(folder))


# ---------------------------------------------------------------- kills


def small_trials(folder, count):
    """Parts of the sample, each with noise of its own."""
    whole = read_trc(sample_trial(), axes=Axes.Y_UP_X_FORWARD)
    folder.mkdir()
    (folder / "subject.toml").write_text("mass = 68.0\n")
    rng = np.random.default_rng(0)
    for k in range(count):
        begin = int(rng.integers(0, 180))
        rows = slice(begin, begin + 20)
        places = whole.positions[rows] + rng.normal(0, 0.0005, whole.positions[rows].shape)
        time = whole.time[:20]
        write_trc(MarkerData(whole.labels, time, whole.rate, places, name=f"t{k}"), folder / f"t{k:03}.trc",
                  axes=Axes.Y_UP_X_FORWARD)  # fmt: skip


def checksums(out):
    """Of all files of all trials, and how many results there are."""
    found = {}
    results = Results(out / ".hitogata" / "results")
    if not (out / "trials").is_dir():
        keys = list(results.keys())
        whole = {key: results.get(key) for key in keys}
        return {key: hashlib.sha256(data).hexdigest() for key, data in whole.items() if data is not None}, len(keys)
    for record in sorted((out / "trials").glob("*/result.json")):
        found[record.parent.name] = json.loads(record.read_text())["files"]
    return found, len(list(results.keys()))


def light(given):
    """Waits, then answers with ten kilobytes that only the item tells."""
    time.sleep(0.1)
    return np.random.default_rng(given).bytes(10_000)


def drive(args, folder):
    """Light items into a folder, as `analyse` does with trials."""
    workers = workers_of(False, 2)
    if args.address:
        from hitogata.cluster.ray_workers import RayWorkers

        workers = RayWorkers(args.address)
    results = Results(args.out / ".hitogata" / "results")
    with FolderLock(args.out / ".hitogata"), workers:
        results.storage.tidy()
        items = [Item(f"item-{k}", k) for k in range(args.trials)]
        for outcome in run_items(light, items, results, workers, policy=Policy(attempts=10, backoff=0.1)):
            assert outcome.result is not None, f"{outcome.error}: {outcome.traceback}"


class Driver:
    """`hitogata analyse`, or light items, as a process of its own."""

    def __init__(self, trials, out, address):
        where = ["--ray", address] if address else ["--workers", "2"]
        command = ["hitogata.cli", "analyse", str(trials), "-o", str(out), *where, *QUICK]
        if isinstance(trials, int):
            command = ["benchmarks.pipeline", "drive", "--trials", str(trials), "--out", str(out)]
            command += ["--address", address] if address else []
        self.running = subprocess.Popen(
            [sys.executable, "-m", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.begun = time.monotonic()

    def finish(self):
        _, said = self.running.communicate()
        return time.monotonic() - self.begun, self.running.returncode, said


def processes(word, parent=None):
    """Numbers of processes that are called so, or children of one."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            above = int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if word in line and (parent is None or above == parent):
            found.append(int(path.name))
    return found


def kills(args, folder):
    trials, rng = args.trials, random.Random(args.seed)
    if not args.light:
        trials = folder / "trials"
        small_trials(trials, args.trials)
    cluster = TwoNodes() if args.ray else None
    try:
        address = cluster.address if cluster else None
        Driver(trials, folder / "warm", address).finish()
        seconds, code, said = Driver(trials, folder / "calm", address).finish()
        assert code == 0, said[-2000:]
        wanted, count = checksums(folder / "calm")
        assert (len(wanted), count) == (args.trials, args.trials)
        print(f"undisturbed: {args.trials} trials in {seconds:.1f} s")
        again, _, _ = Driver(trials, folder / "calm", address).finish()
        print(f"second run, nothing changed: {again:.2f} s")
        for victim in args.victims or ("worker", *(("raylet",) if cluster else ()), "driver"):
            for k in range(args.rounds):
                out = folder / f"{victim}{k}"
                at = 1 + round(rng.uniform(0.0, 0.9) * args.trials)
                print(f"{victim} killed with {at:3} results there: ", end="", flush=True)
                one_kill(trials, out, victim, at, cluster, wanted, seconds)
                shutil.rmtree(out)
    finally:
        if cluster:
            cluster.close()


def wait_for(out, count, driver):
    """Until so many results are there, and a random moment more."""
    results = out / ".hitogata" / "results"
    while driver.running.poll() is None and sum(len(files) for *_, files in os.walk(results)) < count:
        time.sleep(0.05)
    time.sleep(random.uniform(0.0, 0.3))


def one_kill(trials, out, victim, at, cluster, wanted, calm):
    driver, resumed = Driver(trials, out, cluster.address if cluster else None), 0
    wait_for(out, at, driver)
    if victim == "driver":
        driver.running.send_signal(signal.SIGKILL)
    elif victim == "raylet":
        cluster.kill_second()
    else:
        own = [pid for pid in (processes("ray::") if cluster else processes("worker_process", driver.running.pid))
               if not cluster or b"perform" in Path(f"/proc/{pid}/cmdline").read_bytes()]  # fmt: skip
        for pid in own[:1]:
            os.kill(pid, signal.SIGKILL)
        if not own:
            print("(none at work) ", end="")
    took, code, said = driver.finish()
    done = len(checksums(out)[0])
    while code != 0 and resumed < 3:
        resumed += 1
        again, code, said = Driver(trials, out, cluster.address if cluster else None).finish()
        took += again
    if victim == "raylet":
        cluster.second()
    found, count = checksums(out)
    same = found == wanted
    print(f"{done} there, resumed {resumed} times, {len(found)} trials, {count} results, "
          f"checksums {'equal' if same else 'DIFFER'}, {took:.1f} s ({took / calm - 1:+.0%})")  # fmt: skip
    if not same or count != len(wanted) or code != 0:
        print(said[-1500:])
        raise SystemExit(1)


class TwoNodes:
    """A Ray cluster of two raylets, one core each, on this computer."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(Path(__file__).parents[1]),
                       "RAY_raylet_start_wait_time_s": "300"}  # fmt: skip
        self.cluster = Cluster(initialize_head=True, head_node_args={
            "num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False})  # fmt: skip
        self.second()

    @property
    def address(self):
        return self.cluster.address

    def second(self):
        self.node = self.cluster.add_node(num_cpus=1, object_store_memory=80_000_000)

    def kill_second(self):
        self.cluster.remove_node(self.node, allow_graceful=False)

    def close(self):
        self.cluster.shutdown()


# ---------------------------------------------------------------- cost


def nothing(given):
    """A work that does nothing."""
    return b""


def busy(given):
    """About a tenth of a second of work, counted in processor time."""
    end, x = time.process_time() + 0.1, 0
    while time.process_time() < end:
        x += 1
    return b"done"


def workers_of(ray, count):
    if ray:
        from hitogata.cluster.ray_workers import RayWorkers

        return RayWorkers("local", count=count)
    return LocalWorkers(count)


def timed(work, count, workers, results):
    begun = time.perf_counter()
    found = sum(o.result is not None for o in run_items(work, (Item(f"i{k}") for k in range(count)), results, workers))
    assert found == count
    return time.perf_counter() - begun


def cost(args, folder):
    count = args.items or 2000
    with workers_of(args.ray, 1) as one:
        timed(nothing, 20, one, None)
        bare = timed(nothing, count, one, Results(folder / "none"))
        alone = timed(busy, 100, one, None)
    begun = time.perf_counter()
    for _ in range(100):
        busy(None)
    plain = time.perf_counter() - begun
    with workers_of(args.ray, 2) as two:
        timed(nothing, 20, two, None)
        shared = timed(busy, 100, two, None)
    kind = "Ray" if args.ray else "local"
    print(f"{kind}: {bare / count * 1e3:.2f} ms for each item that does nothing, its result kept")
    print(f"{kind}: 100 items of 0.1 s: here {plain:.1f} s, one process {alone:.1f} s, two {shared:.1f} s: "
          f"{alone / shared:.2f} times one process")  # fmt: skip


def many(args, folder):
    count = args.items or 100_000
    results, begun, sizes = Results(folder / "many"), time.perf_counter(), []
    with workers_of(args.ray, 2) as workers:
        items = (Item(f"i{k}") for k in range(count))
        for k, outcome in enumerate(run_items(nothing, items, results, workers, policy=Policy())):
            assert outcome.result == b""
            if k % (count // 10) == count // 20:
                sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6)
    took = time.perf_counter() - begun
    kept = len(list(results.keys()))
    print(f"{count} items in {took:.0f} s, {took / count * 1e3:.2f} ms each; {kept} results")
    print(f"memory of the driver over the run [MB]: {', '.join(f'{x:.0f}' for x in sizes)}")


# ---------------------------------------------------------------- disk full


def full(args, folder):
    trials, out = folder / "trials", folder / "out"
    small_trials(trials, 20)
    out.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(out)], check=True)
    try:
        seconds, code, said = Driver(trials, out, None).finish()
        there, count = checksums(out)
        print(f"1.5 MB: exit code {code} after {seconds:.0f} s, {len(there)} trials whole, {count} results")
        print("  " + said.strip().rpartition("\n")[2][:200])
        whole = all((out / "trials" / name / file).stat().st_size == size
                    for name, files in there.items() for file, (_, size) in files.items())  # fmt: skip
        print(f"  every trial that is there is whole: {whole}")
        subprocess.run(["mount", "-o", "remount,size=200m", str(out)], check=True)
        seconds, code, said = Driver(trials, out, None).finish()
        found, count = checksums(out)
        Driver(trials, folder / "calm", None).finish()
        same = found == checksums(folder / "calm")[0]
        print(f"200 MB, resumed: exit code {code}, {len(found)} trials, {count} results, checksums "
              f"{'equal' if same else 'DIFFER'}; parts left: {len(list(out.rglob('.part-*')))}")  # fmt: skip
    finally:
        subprocess.run(["umount", str(out)], check=False)


if __name__ == "__main__":
    from benchmarks import pipeline  # under its own name, so that other processes find what its items do

    pipeline.main()
