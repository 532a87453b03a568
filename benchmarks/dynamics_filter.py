"""The dynamics filter on captured clips: how close, how fast, on which floors and bodies; and on damaged streams.

Clips lie beside the project (`../shared/data`).  `python -m benchmarks.dynamics_filter [clips floors bodies online
speed fuzz]`; the fuzz takes a few minutes.
"""

import math
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import table
from hitogata.capture.body_scale import scaled_figure
from hitogata.control.strength import torque_limits
from hitogata.dynamics import difference, integrate
from hitogata.errors import HitogataError
from hitogata.figure import Box, MassProperties, Pose
from hitogata.files import read_bvh
from hitogata.filter import DynamicsFilter, FrameStatus, Mode, Slope, filter_motion, filter_motions
from hitogata.filter.clip import steps_for
from hitogata.library import human28, virtual_human
from hitogata.motion import resample, retarget_bvh

DATA = Path(__file__).parents[2] / "shared" / "data"
CLIPS = ("02_01", "07_01", "16_15", "16_17", "walk", "02_03", "13_11", "02_04", "13_35", "05_02", "backflip")
WALKS = ("16_17", "16_15", "02_01")
RATE = 60.0


def motion_of(name: str, figure: Any) -> Any:
    """A clip on a figure, at 60 frames a second."""
    path = DATA / ("bvh" if name[0].isdigit() else "mass") / f"{name}.bvh"
    return resample(figure, retarget_bvh(read_bvh(path), figure).trajectory, RATE)


def row_of(name: str, found: Any, seconds: float) -> list[str]:
    """A clip's numbers."""
    m, length = found.measures, float(found.trajectory.time[-1] - found.trajectory.time[0])
    return [name, f"{m.joints_deg:.1f}", f"{m.root_mm:.0f}", f"{m.root_deg:.1f}", f"{m.slide_mm:.1f}",
            "no" if m.fallen_at is None else f"{m.fallen_at:.2f} of {length:.2f} s", f"{m.residual:.0e}", f"{m.cone}",
            f"{m.range_deg:.0e}", f"{m.residual_before:.2f}", f"{length / seconds:.0f}"]  # fmt: skip


HEAD = [
    "",
    "joints [deg]",
    "root [mm]",
    "[deg]",
    "feet [mm]",
    "falls",
    "residual",
    "cone",
    "range [deg]",
    "before",
    "x",
]


def timed(figure: Any, motion: Any, **options: Any) -> tuple[Any, float]:
    """A clip filtered, and processor time."""
    start = time.process_time()
    found = filter_motion(figure, motion, **options)
    return found, time.process_time() - start


def clips() -> None:
    """All clips, with a preview, on two bodies; clips on steps at the heights where they step."""
    for figure in (virtual_human(), human28()):
        rows = []
        for name in CLIPS:
            options = {"floor": None} if name == "13_35" else {}
            found, seconds = timed(figure, motion_of(name, figure), **options)
            rows.append(row_of(name, found, seconds))
        table(f"preview, {figure.name}", HEAD, rows)


def floors() -> None:
    """Level walks on other floors, against the same motion put on its footholds there, and as it came."""
    figure, rows = virtual_human(), []
    for name in WALKS:
        motion = motion_of(name, figure)
        way = motion.q[-1, :2] - motion.q[0, :2]
        heading = float(np.arctan2(way[1], way[0]))
        kinds = [(f"{angle:+d} deg", Slope(math.radians(angle), heading)) for angle in (-10, -5, 5, 10)]
        kinds += [("up 10 cm", steps_for(figure, motion, 0.1)), ("down 10 cm", steps_for(figure, motion, -0.1))]
        for text, floor in kinds:
            found, seconds = timed(figure, motion, floor=floor)
            off = difference(figure, found.prepared.q, found.trajectory.q)[:, 6:]
            rows.append([*row_of(f"{name} {text}", found, seconds), f"{np.degrees(np.sqrt((off**2).mean())):.1f}"])
    table("other floors, preview, virtual_human", [*HEAD, "off feet [deg]"], rows)


def small(stature: float, mass: float) -> Any:
    """virtual_human, as tall as a child."""
    figure = virtual_human()
    return scaled_figure(figure, np.full((figure.nlinks, 3), stature / 1.75), mass=mass)


def loaded(figure: Any, mass: float) -> Any:
    """The figure with a mass behind its chest, a box of 0.4 by 0.3 by 0.2 m."""
    k = max((i for i, name in enumerate(figure.link_names) if "thorax" in name or "chest" in name), default=1)
    link = figure.links[k]
    pack = (
        Box((0.1, 0.15, 0.2)).mass_properties().scaled(mass).placed(Pose(tuple(np.add(link.mass.centre, (-0.2, 0, 0)))))
    )
    links = list(figure.links)
    links[k] = replace(link, mass=MassProperties.combined([link.mass, pack]))
    return replace(figure, links=tuple(links))


def bodies() -> None:
    """The same walks on other bodies; torques as strong as a person's."""
    rows = []
    child, adult = small(1.2, 23.0), virtual_human()
    for name in ("16_15", "02_01"):
        rows.append(row_of(f"{name} child 1.2 m", *timed(child, motion_of(name, child))))
        motion = motion_of(name, adult)
        rows.append(row_of(f"{name} 15 kg on the back", *timed(loaded(adult, 15.0), motion)))
        rows.append(row_of(f"{name} torques limited", *timed(adult, motion, efforts=torque_limits(adult))))
    table("other bodies, preview", HEAD, rows)


def streamed(figure: Any, motion: Any, mode: Mode) -> tuple[list[Any], Any, float]:
    """Frames of a stream, processor time of each call, and in all."""
    stream, frames, spent = DynamicsFilter(figure, mode=mode, rate=RATE), [], []
    for q, t in zip(motion.q, motion.time, strict=True):
        start = time.process_time()
        frame = stream.feed(q, float(t))
        spent.append(time.process_time() - start)
        frames += [frame] if frame is not None else []
    start = time.process_time()
    frames += stream.finish()
    return frames, np.array(spent), sum(spent) + time.process_time() - start


def online() -> None:
    """Frames as they come: how long and how close, and how long a call takes."""
    figure = virtual_human()
    for mode in (Mode.ONLINE, Mode.PREVIEW):
        rows = []
        for name in CLIPS:
            motion = motion_of(name, figure)
            streamed(figure, motion, mode)
            frames, spent, total = streamed(figure, motion, mode)
            off = difference(figure, motion.q[len(motion) - len(frames) :], np.array([f.q for f in frames]))
            lost = [k for k, f in enumerate(frames) if f.status in (FrameStatus.FAR, FrameStatus.RESTARTED)]
            end = lost[0] if lost else len(frames)
            rms = [
                np.sqrt((off[: max(end, 1), a:b] ** 2).mean() * n) for a, b, n in ((6, None, 1), (3, 6, 3), (0, 3, 3))
            ]
            worst = max(float(np.abs(f.residual).max()) for f in frames) / (9.81 * figure.mass)
            p50, p99, most = (1e6 * np.percentile(spent, p) for p in (50, 99, 99.9))
            rows.append([name, f"{np.degrees(rms[0]):.1f}", f"{1e3 * rms[1]:.0f}", f"{np.degrees(rms[2]):.1f}",
                         f"{lost[0] / RATE:.2f} of {len(motion) / RATE:.2f} s" if lost else "no", f"{worst:.0e}",
                         f"{len(motion) / RATE / total:.0f}", f"{p50:.0f}", f"{p99:.0f}", f"{most:.0f}"])  # fmt: skip
        head = ["", "joints [deg]", "root [mm]", "[deg]", "falls", "residual", "x", "p50 [us]", "p99", "p99.9"]
        table(f"streams, {mode.value}, virtual_human, until the body falls", head, rows)


def speed() -> None:
    """Least times of many repeats, and clips over threads."""
    figure = virtual_human()
    motions, rows = [motion_of(name, figure) for name in ("02_01", "16_15", "16_17")], []
    length = sum(float(m.time[-1] - m.time[0]) for m in motions)
    for threads in (1, 2):
        best = math.inf
        for _ in range(8):
            start = time.perf_counter()
            filter_motions(figure, motions * 2, threads=threads)
            best = min(best, time.perf_counter() - start)
        rows.append([f"preview, clips over {threads} threads", f"{2 * length / best:.0f}"])
    for mode in (Mode.ONLINE, Mode.PREVIEW):
        calls = np.min([streamed(figure, motions[0], mode)[1] for _ in range(12)], axis=0)
        rows.append([f"stream, {mode.value}", f"{len(motions[0]) / RATE / calls.sum():.0f}"])
    table("times real time (walls for threads, processor time for streams; least of repeats)", ["", "x"], rows)


def damaged(motions: list[Any], figure: Any, rng: Any) -> Any:
    """Poses of a clip with edits: pieces of others, jumps, noise, other speeds, offsets, mirrored halves, gaps, NaN."""
    motion = motions[rng.integers(len(motions))]
    first = int(rng.integers(0, max(len(motion) - 60, 1)))
    q, holes = motion.q[first : first + 60].copy(), None
    for kind in rng.choice(8, size=3, replace=False):
        at = int(rng.integers(5, len(q) - 5))
        if kind == 0:  # a jump into another clip
            other = motions[rng.integers(len(motions))]
            q[at:] = other.q[: len(q) - at] if len(other) >= len(q) - at else q[at:]
        elif kind == 1:
            q = integrate(figure, q, 0.03 * rng.normal(size=(len(q), figure.nv)))
        elif kind == 2:  # another speed
            q = q[np.minimum((np.arange(60) * rng.uniform(0.3, 3.0)).astype(int), len(q) - 1)]
        elif kind == 3:  # feet under the floor, or off it
            q[:, 2] += rng.uniform(-0.3, 0.3)
        elif kind == 4:
            q[at:, :2] += rng.normal(size=2)
        elif kind == 5:
            holes = slice(at, at + int(rng.integers(1, 4))), rng.integers(figure.nq)
        elif kind == 6:  # backwards from there
            q[at:] = q[at - 1 :: -1][: len(q) - at] if at >= len(q) - at else q[at:]
        else:
            q = integrate(figure, q, 0.3 * rng.normal(size=figure.nv) * np.ones((len(q), 1)))
    if holes is not None:
        q[holes] = rng.choice([np.nan, np.inf])
    return q


def fuzz(count: int = 500) -> None:
    """Damaged clips through streams: nothing that is not finite comes out, and physics holds."""
    figure = virtual_human()
    motions = [motion_of(name, figure) for name in ("02_01", "16_17", "02_03", "13_11", "05_02")]
    for mode in (Mode.ONLINE, Mode.PREVIEW):
        seen: Counter[str] = Counter()
        refused, worst, slowest, broken = 0, 0.0, 0.0, 0
        for k in range(count):
            rng = np.random.default_rng(k)
            stream, frames, start = DynamicsFilter(figure, mode=mode, rate=RATE), [], time.process_time()
            for q in damaged(motions, figure, rng):
                try:
                    frames.append(stream.feed(q))
                except HitogataError:
                    refused += 1
            frames += stream.finish()
            slowest = max(slowest, time.process_time() - start)
            for frame in frames:
                if frame is not None:
                    seen[frame.status.name] += 1
                    broken += not all(np.isfinite(x).all() for x in (frame.q, frame.v, frame.tau, frame.forces))
                    worst = max(worst, float(np.abs(frame.residual).max()) / (9.81 * figure.mass))
        rows = [[name, str(n)] for name, n in seen.most_common()]
        rows += [["not finite", str(broken)], ["refused", str(refused)], ["residual", f"{worst:.0e}"],
                 ["slowest clip [s]", f"{slowest:.2f}"]]  # fmt: skip
        table(f"{count} damaged clips, {mode.value}", ["frames", ""], rows)


def main() -> None:
    """What is named, or all but the fuzz."""
    parts = {f.__name__: f for f in (clips, floors, bodies, online, speed, fuzz)}
    for name in [a for a in sys.argv[1:] if a in parts] or [name for name in parts if name != "fuzz"]:
        parts[name]()


if __name__ == "__main__":
    main()
