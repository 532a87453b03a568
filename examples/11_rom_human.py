"""Ranges of a human's joints from clinical tables, drawn, and used to hold a wild pose within them.

python examples/11_rom_human.py --out out/rom
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Sheet

from hitogata.rom import plot_polar, plot_sphere
from hitogata.rom.human import BOONE_AZEN, Side, human_ranges, shoulder
from hitogata.spatial import quat_exp

JOINTS = ("shoulder_left", "hip_left", "wrist_left", "ankle_left", "neck", "waist")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("out/rom"))
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    ranges = human_ranges()
    sheet = Sheet(figsize=(15.0, 8.4), layout="constrained", facecolor="white")
    for k, name in enumerate(JOINTS):
        r = ranges[name].range
        plane = sheet.add_subplot(3, 4, 2 * k + 1, projection="polar")
        plot_polar(r, ax=plane, legend=False, points=False)
        plane.set_title(name.replace("_", " "), fontsize=11, fontweight="bold", color="#2b2f38")
        plot_sphere(r, ax=sheet.add_subplot(3, 4, 2 * k + 2), legend=False, pixels=260)
    sheet.savefig(out / "human.png", dpi=110)
    print(f"wrote {out}/human.png; source: {ranges['neck'].source}")

    arm = ranges["shoulder_left"].range
    wild = quat_exp(np.radians([-10.0, 100.0, 30.0]))  # the arm swung 100° backwards
    held = arm.clamp(wild)
    (before, _), (after, _) = arm.swing_twist(wild), arm.swing_twist(held)
    turn = np.degrees(np.arccos(np.clip(before @ after, -1.0, 1.0)))
    print(f"allowed: {arm.contains(wild)}; held by a swing of {turn:.1f}°; allowed then: {arm.contains(held)}")

    measured = shoulder(Side.LEFT, **BOONE_AZEN["shoulder"])  # another table, or one person
    print(f"AAOS {arm.swing.area:.2f} sr, Boone and Azen {measured.swing.area:.2f} sr")
    assert arm.contains(held)


if __name__ == "__main__":
    main()
