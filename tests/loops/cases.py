"""Random figures with random closed loops, and the dense equations they must satisfy."""

import numpy as np

from hitogata.dynamics import bias, mass_matrix
from hitogata.figure import Figure, JointKind, Pose
from hitogata.loops import Links, Turning, VirtualLink, gimbal, grasp, here, hinge, link_rows, pin, rod, slide, weld
from tests.peers.builders import random_figure

ROOTS = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]


def random_pose(rng: np.random.Generator) -> Pose:
    quat = rng.normal(size=4)
    return Pose(rng.normal(size=3) * 0.3, quat / np.linalg.norm(quat))


def kinds(rng: np.random.Generator, child: str, parent: str | None) -> list[VirtualLink]:
    """One virtual link of every kind between two links."""
    own = {"child_pose": random_pose(rng), "parent_pose": random_pose(rng)}
    return [
        weld(child, parent, **own),
        pin(child, parent, **own),
        hinge(child, parent, axis=rng.normal(size=3)),
        gimbal(child, parent, **own),
        slide(child, parent, axis=rng.normal(size=3)),
        slide(child, parent, axis=rng.normal(size=3), turning=Turning.FREE),
        slide(child, parent, axis=rng.normal(size=3), turning=Turning.HINGE),
        grasp(child, parent, bar=rng.normal(size=3), child_point=rng.normal(size=3)),
        rod(child, parent, length=0.7, child_point=rng.normal(size=3), parent_point=rng.normal(size=3)),
        VirtualLink(child, parent, **own, slides=(True, False, True), turning=Turning.GIMBAL),
    ]


def random_loops(seed: int, *, links: int = 16, loops: int = 2) -> tuple[Figure, Links, np.ndarray, np.ndarray]:
    """A random figure, some random virtual links that hold in its pose, the pose and a velocity."""
    rng = np.random.default_rng(seed)
    figure = random_figure(rng, links, root=ROOTS[seed % len(ROOTS)])
    q, v = figure.random(rng, spread=0.7), rng.normal(size=figure.nv)
    held = Links(figure)
    for _ in range(loops):
        child, parent = rng.choice(figure.link_names, 2, replace=False)
        chosen = kinds(rng, str(child), None if rng.random() < 0.3 else str(parent))
        link = here(figure, q, chosen[rng.integers(len(chosen))])
        held, _ = held.add(link)
    H = link_rows(held, q).jacobian
    return figure, held, q, v - np.linalg.pinv(H, rcond=1e-9) @ (H @ v)


def dense(figure: Figure, links: Links, q, v, tau, *, wrenches_part=0.0):
    """[M -Hᵀ; H 0] of the rigid rows, and the right side; independent of the recursions of the room."""
    rows = link_rows(links, q, v)
    m = links.held
    H, nv = rows.jacobian[:m], figure.nv
    damping = np.concatenate([np.full(link.joint.nv, link.joint.damping) for link in figure.links])
    matrix = np.block([[mass_matrix(figure, q), -H.T], [H, np.zeros((m, m))]])
    right = np.concatenate([tau - damping * v - bias(figure, q, v) + wrenches_part, -rows.bias[:m]])
    return matrix, right, nv
