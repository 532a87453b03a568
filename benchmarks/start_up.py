"""What does it cost to import hitogata, and to make the first call in a new process?"""

import subprocess
import sys

from benchmarks.timing import table

FIRST_CALL = """
import time
start = time.perf_counter()
import numpy as np
import hitogata
figure = hitogata.library.human28()
hitogata.dynamics.forward_dynamics(figure, figure.neutral(), np.zeros(figure.nv))
print(time.perf_counter() - start)
"""
IMPORT = "import numpy, time; s = time.perf_counter(); import hitogata; print(time.perf_counter() - s)"
NUMPY = "import time; s = time.perf_counter(); import numpy; print(time.perf_counter() - s)"
NUMBA = "import numpy, time; s = time.perf_counter(); import numba; print(time.perf_counter() - s)"


def seconds(source: str) -> float:
    """Least of five runs in new processes [s]."""
    command = [sys.executable, "-c", source]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(6)]
    return min(float(run.stdout) for run in runs[1:])


def main() -> None:
    cases = {
        "import numpy": NUMPY,
        "import hitogata, beyond numpy": IMPORT,
        "import numba, beyond numpy": NUMBA,
        "a process's first forward dynamics, from a warm cache, all imports": FIRST_CALL,
    }
    table("Starting up", ["", "s"], [[name, f"{seconds(source):.3f}"] for name, source in cases.items()])


if __name__ == "__main__":
    main()
