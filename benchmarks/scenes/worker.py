"""hitogata of another checkout, in a process of its own, with the scenes of this one."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.scenes.measure import Result

HERE = Path(__file__).parents[2]
CODE = """
import sys
sys.path.insert(0, {other!r})
import hitogata
sys.path.insert(0, {here!r})
from benchmarks.scenes.worker import serve
serve()
"""


class Other:
    """A checkout at a path that answers for its hitogata."""

    def __init__(self, path: Path) -> None:
        if not (path / "hitogata").is_dir():
            raise SystemExit(f"--before: {path} holds no hitogata")
        code = CODE.format(other=str(path.resolve()), here=str(HERE))
        self.process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, cwd=path)  # fmt: skip

    def measured(self, scene: str, h: float, by_states: bool = False) -> Result:
        """One cell."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([scene, h, by_states]) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                return Result.from_json(json.loads(line))
        raise SystemExit("the process of --before ended; its message is above")


def serve() -> None:
    """Answer each line of the input with a line of the output."""
    from benchmarks.scenes.catalogue import catalogue
    from benchmarks.scenes.measure import measured
    from benchmarks.scenes.worlds import WorldRun

    for line in sys.stdin:
        name, h, by_states = json.loads(line)
        scene = catalogue()[name]
        result = measured(lambda s=scene, h=h, b=by_states: WorldRun(s, h, b), scene, h)
        print(json.dumps(result.as_json()), flush=True)
