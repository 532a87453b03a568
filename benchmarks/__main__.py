"""All benchmark tables, one after the other."""

import importlib
import itertools
import pkgutil
import sys

import benchmarks
from benchmarks.timing import machine

HELPERS = (
    "__main__", "ragdoll_walks", "studio_process", "studio_soak", "swinging", "swinging_peers", "timing", "upright",
)  # fmt: skip


def main() -> None:
    wanted = list(itertools.takewhile(lambda argument: not argument.startswith("-"), sys.argv[1:]))
    print(machine())
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.name in HELPERS or (wanted and module.name not in wanted):
            continue
        print(f"\n== {module.name}", flush=True)
        importlib.import_module(f"benchmarks.{module.name}").main()


if __name__ == "__main__":
    main()
