"""Motions of files on figures with ranges of motion: what was asked of each, and how far off the worst frame is.

    python -m benchmarks retargeting [FOLDER with .bvh files ...]

All of it is measured on the source's and the target's links alone, without what `retarget` says about itself.  A foot
stands while ankle and toes of the source are slower than 0.15 m/s for 0.1 s (noise of 0.03 s taken out), the ankle is
low and the foot within 3 degrees of how it mostly stands.  A heel that is up because the ankle could not hold the sole
level (level, with the shin where it is, the foot would be outside its range of motion) is told apart: such a foot
stands on its tip, which is to be on the floor and still.
"""

import argparse
import time as clock
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitogata.dynamics import forward_kinematics
from hitogata.figure import Figure, JointKind
from hitogata.files import read_bvh
from hitogata.files.bvh import Bvh, bvh_poses
from hitogata.files.names import Part, Side
from hitogata.library import human28, virtual_human
from hitogata.motion import Retargeted, retarget_bvh
from hitogata.motion.chains import first_of
from hitogata.motion.foot_contacts import runs
from hitogata.motion.ground_height import sole_points
from hitogata.spatial import matrix_to_quat, quat_conjugate, quat_exp, quat_log, quat_multiply, quat_to_matrix

STILL, LEAST, LOW, LEVEL, NOISE = 0.15, 0.1, 0.05, 3.0, 0.03  # [m/s], [s], [m], [deg], [s]
ON_FLOOR, BEYOND = 0.005, 0.1  # [m], [deg]
SLOWEST = 1.0  # [rad/s]: joints slower than this have no ratio


@dataclass(frozen=True)
class Verdict:
    """The worst of a motion that was carried over.

    Attributes:
        path: how far the hips leave the source's scaled path, by its length.
        away: the same [m].
        tilt: of a sole that stands and that its ankle could hold level [deg].
        heel: of a sole that stands and that its ankle could not hold level [deg].
        heels: share of the samples in which a foot stands in which it could not.
        height: of a point of a sole that could be held level, and of the lowest point of all that stand [m].
        slide: of a point of a sole while it is on the floor, within one stance [m].
        outside: of a range of motion [deg].
        fastest: greatest speed of a joint over that of the source's joint.
        joint: which.
        still: share of frames in which a foot stands.
        lasted: [s].
    """

    path: float
    away: float
    tilt: float
    heel: float
    heels: float
    height: float
    slide: float
    outside: float
    fastest: float
    joint: str
    still: float
    lasted: float


def judged(bvh: Bvh, figure: Figure, found: Retargeted, lasted: float = 0.0) -> Verdict:
    """Look at a motion that was carried over."""
    motion, pairs = found.trajectory, found.mapping.pairs
    q = motion.q
    ours, theirs = forward_kinematics(figure, q), bvh_poses(bvh, slice(found.first, None))
    hips = found.mapping.links(Part.THIGH) or list(pairs)[:1]
    mine = ours.position[:, [first_of(figure, n, pairs) for n in hips]].mean(axis=1)
    wanted = found.scale * theirs.position[:, [bvh.index(pairs[n]) for n in hips]].mean(axis=1)
    off = np.delete(mine - wanted, list(found.spikes), axis=0)  # a sample that jumps aside is no path
    off = np.linalg.norm(off - np.median(off, axis=0), axis=1).max()
    length = np.linalg.norm(np.diff(wanted, axis=0), axis=1).sum()
    tilt, ends, height, slide, still = _feet(bvh, figure, found, ours, theirs)
    fastest, joint = _speeds(bvh, figure, found, theirs)
    return Verdict(off / max(length, 1e-9), off, tilt[~ends].max(initial=0), tilt[ends].max(initial=0),
                   float(ends.mean()) if len(ends) else 0.0, height, slide, _outside(figure, q), fastest, joint,
                   still, lasted)  # fmt: skip


def _feet(bvh, figure, found, ours, theirs):
    pairs, time = found.mapping.pairs, found.trajectory.time
    tilts, ended, height, slide, still = [], [], 0.0, 0.0, []
    neutral = forward_kinematics(figure, figure.neutral())
    for side in (Side.LEFT, Side.RIGHT):
        foot = found.mapping.links(Part.FOOT, side)[:1]
        if not foot:
            continue
        links = foot + found.mapping.links(Part.TOES, side)
        j = bvh.index(pairs[foot[0]])
        behind = [k for k, parent in enumerate(bvh.parents) if parent == j]
        places = [theirs.position[:, j]] + ([theirs.position[:, behind[0]]] if behind else [])
        if not behind and bvh.joints[j].ends:
            places.append(theirs.position[:, j] + theirs.rotation[:, j] @ (bvh.scale * np.array(bvh.joints[j].ends[0])))
        smooth = [gaussian_filter1d(p, NOISE / np.median(np.diff(time)), axis=0) for p in places]
        slow = np.all([np.linalg.norm(np.gradient(p, time, axis=0), axis=1) < STILL for p in smooth], axis=0)
        low = places[0][:, 2] < np.percentile(places[0][:, 2], 10) + LOW
        stands = np.zeros(len(time), bool)
        if (slow & low).any():
            sole = np.median(theirs.rotation[slow & low, j, 2], axis=0)
            low &= np.degrees(np.arccos(np.clip(theirs.rotation[:, j, 2] @ sole / np.linalg.norm(sole), -1, 1))) < LEVEL
        for a, b in runs(slow & low):
            stands[a : b + 1] = time[b] - time[a] > LEAST
        i = figure.link_index(foot[0])
        up = ours.rotation[:, i] @ neutral.rotation[i].T @ [0, 0, 1.0]
        tilts.append(np.degrees(np.arccos(np.clip(up[stands, 2], -1, 1))))
        ends = _at_their_end(figure, i, ours, up)[stands]
        ended.append(ends)
        points = np.stack([ours.position[:, figure.link_index(n)] + ours.rotation[:, figure.link_index(n)] @ p
                           for n, p in sole_points(figure, links[:1])], axis=1)  # fmt: skip
        z = points[stands][..., 2]
        height = max(height, np.abs(z[~ends]).max(initial=0.0), np.abs(z.min(axis=1)).max(initial=0.0))
        for a, b in runs(stands):
            for k in range(points.shape[1]):
                for c, d in runs(points[a : b + 1, k, 2] < ON_FLOOR):
                    way = points[a + c : a + d + 1, k, :2]
                    slide = max(slide, np.linalg.norm(way - way[0], axis=1).max())
        still.append(stands.mean())
    if not tilts:
        return np.zeros(0), np.zeros(0, bool), 0.0, 0.0, 0.0
    return np.concatenate(tilts), np.concatenate(ended), height, slide, float(np.mean(still))


def _at_their_end(figure, i, ours, up):
    """Whether an ankle could not hold its sole level, shape (nt,)."""
    joint = figure.links[i].joint
    if joint.kind is not JointKind.BALL or joint.range is None:
        return np.zeros(len(up), bool)
    axis = np.cross(up, [0, 0, 1.0])
    size = np.linalg.norm(axis, axis=1, keepdims=True)
    turn = quat_to_matrix(quat_exp(axis / np.maximum(size, 1e-12) * np.arctan2(size, up[:, 2:])))
    base = ours.rotation[:, figure.parents[i]] @ joint.parent_frame.rotation
    quats = matrix_to_quat(np.swapaxes(base, 1, 2) @ turn @ ours.rotation[:, i] @ joint.child_frame.rotation)
    off = quat_log(quat_multiply(joint.range.clamp(quats), quat_conjugate(quats)))
    return np.linalg.norm(off, axis=1) > np.radians(BEYOND)


def _outside(figure, q) -> float:
    worst = 0.0
    for i, link in enumerate(figure.links):
        part, joint = q[:, figure.q_starts[i] : figure.q_starts[i] + link.joint.nq], link.joint
        if joint.range is None:
            continue
        if joint.kind is JointKind.BALL:
            off = quat_log(quat_multiply(joint.range.clamp(part), quat_conjugate(part)))
            worst = max(worst, np.linalg.norm(off, axis=1).max())
        elif joint.kind in (JointKind.HINGE, JointKind.UNIVERSAL):
            limits = [joint.range] if joint.kind is JointKind.HINGE else list(joint.range)
            for k, (low, high) in enumerate(limits):
                worst = max(worst, (low - part[:, k]).max(), (part[:, k] - high).max())
    return float(np.degrees(worst))


def _speeds(bvh, figure, found, theirs):
    """Greatest speed of a pair's turn against the pair before it, over the source's."""
    pairs, q, dt = found.mapping.pairs, found.trajectory.q, np.diff(found.trajectory.time)
    ours = forward_kinematics(figure, q)
    worst, which = 0.0, ""
    for name in pairs:
        i = figure.link_index(name)
        above = figure.parents[i]
        while above >= 0 and figure.link_names[above] not in pairs:
            above = figure.parents[above]
        if above < 0:
            continue
        theirs_pair = [theirs.rotation[:, bvh.index(pairs[n])] for n in (figure.link_names[above], name)]
        speeds = [_turning(a, b, dt) for a, b in ((ours.rotation[:, above], ours.rotation[:, i]), theirs_pair)]
        ratio = speeds[0].max() / max(speeds[1].max(), SLOWEST)
        if ratio > worst:
            worst, which = ratio, name
    return worst, which


def _turning(a, b, dt):
    turn = np.swapaxes(a, 1, 2) @ b
    step = np.swapaxes(turn[:-1], 1, 2) @ turn[1:]
    axis = np.stack([step[:, 2, 1] - step[:, 1, 2], step[:, 0, 2] - step[:, 2, 0], step[:, 1, 0] - step[:, 0, 1]], 1)
    return np.arctan2(np.linalg.norm(axis, axis=1), np.trace(step, axis1=1, axis2=2) - 1) / dt


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?")
    parser.add_argument("files", nargs="*", metavar="FILE")
    files = parser.parse_known_args()[0].files
    warnings.simplefilter("ignore")
    if not files:
        print("no .bvh files given: python -m benchmarks.retargeting retargeting FILE ...")
    for path in files:
        for figure in (virtual_human(), human28()):
            bvh = read_bvh(path)
            start = clock.perf_counter()
            found = retarget_bvh(bvh, figure)
            v = judged(bvh, figure, found, clock.perf_counter() - start)
            print(
                f"{Path(path).stem:<10}{figure.name:<14} hips off {100 * v.path:.2f} % ({1000 * v.away:.0f} mm), "
                f"soles {v.tilt:.1f} deg, {1000 * v.height:.1f} mm, "
                f"heels up {v.heel:.1f} deg in {v.heels:.0%}, "
                f"slide {1000 * v.slide:.1f} mm, out of range {v.outside:.2f} deg, {v.fastest:.2f} x {v.joint}; "
                f"{v.still:.0%} stands, {bvh.nframes} frames in {v.lasted:.1f} s", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
