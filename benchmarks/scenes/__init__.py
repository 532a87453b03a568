"""Scenes in which engines differ, beside MuJoCo: error or verdict, and time per step, at four step sizes.

Every scene is described once (figures, shapes, masses, friction) and built for both engines.  Verdicts look at
positions and velocities alone: closed forms, conservation laws, or whether what should stand stands.  hitogata runs
with its default settings; MuJoCo with its defaults, and with the best of some sixteen settings for each single cell.

    python -m benchmarks scenes --only "stack_*" --h 1/60 1/240
    python -m benchmarks scenes --before ../other-checkout --page docs/notes/scenes.md
"""

import sys


def main() -> None:
    """Run with the arguments after the name; quick among all other benchmarks."""
    from benchmarks.scenes.command import run

    run(sys.argv[2:] if "scenes" in sys.argv[1:2] else ["--quick"])
