"""Make a wheel that carries compiled code, so that nobody who installs it waits for a compiler.

    python packaging/wheel.py --out dist              # all that `hitogata warmup` compiles
    python packaging/wheel.py --rooms sim rom         # of these rooms only: smaller, and made sooner

Code is compiled for the levels x86-64-v3 and x86-64-v4, as far as this processor can run them (v4 needs AVX-512), in a
copy of the package.  It is used by the same Python, numpy, Numba and llvmlite that made it: see hitogata.lanes.shipped.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(command: list[str], **options: object) -> None:
    """Run a command; its failure ends this one."""
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--rooms", nargs="*", default=[], help="as for hitogata warmup; default: all")
    parser.add_argument("--levels", nargs="*", default=None, help="default: all that this processor can run")
    given = parser.parse_args()

    sys.path.insert(0, str(ROOT))
    from hitogata.lanes import shipped

    wanted = given.levels or list(shipped.LEVELS)
    for level in set(wanted) - set(shipped.levels()):
        print(f"left out: {level}, which this processor cannot run", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "source")
        shutil.copytree(ROOT / "hitogata", copy / "hitogata", ignore=shutil.ignore_patterns("__pycache__", "_compiled"))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        for level in (level for level in shipped.levels() if level in wanted):
            begin, cache = time.perf_counter(), Path(folder, level)
            own = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": shipped.features(level)}
            environment = {**os.environ, **own, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(copy)}
            rooms = ["--rooms", *given.rooms] if given.rooms else []
            run([sys.executable, "-m", "hitogata.cli", "warmup", *rooms], env=environment, cwd=copy)
            place = copy / "hitogata" / shipped.FOLDER.name / level
            place.mkdir(parents=True)
            files = list((cache / "hitogata").glob("*.nbc"))
            for file in files:
                shutil.copy(file, place)
            size = sum(file.stat().st_size for file in files) / 1e6
            print(f"{level}: {len(files)} functions, {size:.0f} MB, {time.perf_counter() - begin:.0f} s", flush=True)
        (copy / "hitogata" / shipped.FOLDER.name / "versions.json").write_text(json.dumps(shipped.versions()))
        tag = f"--python-tag={sys.implementation.cache_tag.replace('cpython-', 'cp')} --plat-name=linux_x86_64"
        run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check",
             f"--config-settings=--build-option={tag}", "--wheel-dir", str(given.out), str(copy)])  # fmt: skip
    for wheel in sorted(given.out.glob("*.whl")):
        print(f"{wheel}  {wheel.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
