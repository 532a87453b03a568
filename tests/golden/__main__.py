"""Compare goldens with what is stored, or record them anew.

    python -m tests.golden                    how far each scene is from what is stored, and how far it may be
    python -m tests.golden --record           store what has changed; prints by how much
    python -m tests.golden --record --all     store all, whether changed or not
    python -m tests.golden --shake 3e-16      what rounding may do: every number of the state wrong by so much, anew in
                                              every step
    python -m tests.golden hinges stack       only these

Record after a change of the physics that is meant to be one, and say in the commit what changed and why.
"""

import argparse

import tests.golden.scenes  # noqa: F401
from tests.golden.scene import GOLDENS, STEPS, Golden
from tests.golden.store import bound_of, differences, made, off, path_of, stored, write


def told(scene: Golden, arrays: dict, golden: dict) -> str:
    """How far off after 1, 10 and 100 steps, each with the worst array."""
    parts = []
    for steps in STEPS:
        worst = max(
            ((off(arrays[n], golden[n]) / bound_of(scene, n), off(arrays[n], golden[n]), n.partition(" ")[2])
             for n in arrays if n.startswith(f"{steps} ") and n in golden), default=(0.0, 0.0, "-"),
        )  # fmt: skip
        parts.append(f"{worst[1]:8.1e} {worst[2]:<14}{'!' if worst[0] > 1 else ' '}")
    return f"{scene.name:<22}" + "  ".join(parts)


def main() -> int:
    """1 if a scene is not what is stored, and it was not to be recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="SCENE", help="only these")
    parser.add_argument("--record", action="store_true", help="store what is too far off, and what is new")
    parser.add_argument("--all", action="store_true", help="with --record: store all")
    parser.add_argument("--shake", type=float, default=0.0, help="error of every number of the state, in every step")
    given = parser.parse_args()
    red = 0
    print(f"{'':<22}" + "  ".join(f"{f'after {n}':<24}" for n in STEPS))
    for name in given.names or GOLDENS:
        scene = GOLDENS[name]
        arrays, known = made(scene, shake=given.shake), path_of(scene).exists()
        golden = stored(scene) if known else {}
        changed = not known or bool(differences(scene, arrays, golden))
        mark = "" if known else "new"
        print(told(scene, arrays, golden), mark, flush=True)
        if given.record and (changed or given.all):
            write(scene, arrays)
            print(f"{'':<22}recorded")
        elif changed:
            red += 1
            for line in differences(scene, arrays, golden):
                print(f"{'':<22}{line}")
    return 1 if red and not given.record else 0


if __name__ == "__main__":
    raise SystemExit(main())
