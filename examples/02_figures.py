"""All figures of the library in one picture.

    python examples/02_figures.py --out out/figures
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.figure import Figure, JointKind
from hitogata.library import bear, chain, human28, human40, pendulum, upper_body, virtual_human
from hitogata.pictures import Camera, draw_figure

FACE = {"snout": "#e6cba8", **dict.fromkeys(("nose", "eye_left", "eye_right"), "#2f2622")}
HIGH = {"pendulum": 0.9, "chain8": 1.7}  # hung up so high [m]


def note(figure: Figure) -> str:
    kinds = [link.joint.kind for link in figure.links]
    ranges = sum(link.joint.kind is JointKind.BALL and link.joint.range is not None for link in figure.links)
    counts = [(kinds.count(JointKind.BALL), "ball"), (kinds.count(JointKind.HINGE), "hinge"), (ranges, "ranges")]
    parts = ", ".join(f"{n} {word}" for n, word in counts if n)
    return f"{figure.nlinks} {'body' if figure.nlinks == 1 else 'bodies'}, {figure.mass:.3g} kg\n{parts}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/figures"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    row = (pendulum(), chain(8), upper_body(), human28(), human40(ranges=True), virtual_human(), bear())
    camera = Camera(azimuth=np.radians(-35), elevation=np.radians(8))
    ax = (sheet := Sheet(figsize=(11.5, 4.6), layout="constrained", facecolor="white")).subplots()
    x = 0.0
    for figure in row:
        small = figure.name in HIGH
        q = figure.neutral()
        if small:
            q += np.radians(25) * (1 if figure.nv == 1 else 0.3)
        draw_figure(ax, figure, q, camera=camera, shift=(x, HIGH.get(figure.name, 0.0)),
                    colours=FACE if figure.name == "bear" else {"nose": "#b8743f"})  # fmt: skip
        ax.text(x, 1.98, figure.name, ha="center", fontsize=11, fontweight="bold", color="#2b2f38")
        ax.text(x, -0.12, note(figure), ha="center", va="top", fontsize=8, color="#4a4f5a")
        print(f"{figure}")
        x += 0.72 if small else 0.86
    ax.plot([-0.35, x - 0.45], [0, 0], color="#b9bdc6", lw=1, zorder=0)
    ax.set(aspect="equal", xlim=(-0.4, x - 0.4), ylim=(-0.34, 2.1))
    ax.axis("off")
    sheet.savefig(out / "figures.png", dpi=110)
    print(f"wrote {out}/figures.png")


if __name__ == "__main__":
    main()
