"""A studio in a process of its own, that tells what it costs; and a browser for it."""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FLAGS = [
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--ignore-gpu-blocklist", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


def chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class StudioProcess:
    """The process; `ask` runs a line of Python in its clock's thread, with `studio` as a name."""

    def __init__(self, figure: str = "virtual_human") -> None:
        self._folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-m", "benchmarks.studio_process", figure, self._folder.name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address: str = self._read()["address"]

    def _read(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the studio's process ended")
        return json.loads(line)

    def ask(self, source: str) -> Any:
        self._process.stdin.write(json.dumps(source) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def stats(self) -> dict[str, Any]:
        """frames, commands of users, cpu [s], rss [MB], crashes, messages."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        found = self.ask(
            "dict(frames=studio.clock.frames, commands=studio.clock.commands, crashes=studio.guard.crashes, "
            "cpu=cpu(), messages=list(studio.guard.messages))"
        )
        return {**found, "rss": rss / 1e3}

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._folder.cleanup()


def cpu() -> float:
    """Of this process, user and system [s]."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def serve(figure: str, folder: str) -> None:
    from hitogata.studio import Studio, StudioOptions
    from hitogata.studio.gauges import Gauge
    from hitogata.studio.panels.page import ModeName

    names = {"Gauge": Gauge, "ModeName": ModeName, "cpu": cpu}
    with Studio(figure, options=StudioOptions(port=0, folder=Path(folder), shadows=False)) as studio:
        while not studio.ready:
            time.sleep(0.1)
        print(json.dumps({"address": studio.address}), flush=True)
        for line in sys.stdin:
            source = json.loads(line)
            try:
                value = studio.clock.ask(lambda source=source: eval(source, {**names, "studio": studio}))
                print(json.dumps({"value": value}), flush=True)
            except Exception as error:
                print(json.dumps({"error": repr(error)}), flush=True)


if __name__ == "__main__":
    serve(*sys.argv[1:])
