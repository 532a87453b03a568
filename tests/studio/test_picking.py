"""Rays through the page's picture, and what they meet."""

from types import SimpleNamespace

import numpy as np
import pytest

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.library import bear, human40, virtual_human
from hitogata.spatial import matrix_to_quat
from hitogata.studio.view.bodies import parts_of
from hitogata.studio.view.meshes import ball, block, rod
from hitogata.studio.view.picking import pick, ray_through


def camera_at(eye, target):
    """Looks from one place at another: x right, y down, z forward."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(forward, right), forward], 1)
    return SimpleNamespace(wxyz=matrix_to_quat(axes), position=eye, fov=0.8, aspect=1.5)


def seen_at(camera, place):
    """Where a place is on the picture, (0, 0) upper left: a pinhole."""
    from hitogata.spatial import quat_conjugate, quat_rotate

    x, y, z = quat_rotate(quat_conjugate(camera.wxyz), place - camera.position)
    return 0.5 + x / z / np.tan(0.4) / 1.5 / 2, 0.5 + y / z / np.tan(0.4) / 2


def test_rays_go_through_what_is_seen():
    rng = np.random.default_rng(3)
    camera = camera_at(np.array([2.0, 1.0, 1.5]), np.array([0.0, 0.0, 0.9]))
    for place in rng.normal(size=(20, 3)) * 0.4 + [0, 0, 0.9]:
        ray = ray_through(camera, seen_at(camera, place))
        np.testing.assert_allclose(ray.at_depth(ray.depth_of(place)), place, atol=1e-9)


@pytest.mark.parametrize("figure", [virtual_human(), bear(), human40()], ids=lambda figure: figure.name)
def test_links_are_picked_by_what_is_in_front(figure):
    """Towards the middle of a shape that nothing hides, the ray meets that shape's link."""
    eye = np.array([3.0, 0.4, 1.2])
    poses = forward_kinematics(figure, figure.neutral()).matrices[None]
    camera = camera_at(eye, np.array([0.0, 0.0, 0.8]))
    hits = 0
    for part in parts_of(figure)[0]:
        matrix = poses[0, part.link]
        middle = matrix[:, :3] @ part.position + matrix[:, 3]
        found = pick(figure, poses, ray_through(camera, seen_at(camera, middle)))
        assert found is not None
        nearer = np.linalg.norm(found.place - eye) <= np.linalg.norm(middle - eye) + 1e-9
        assert nearer  # itself, or something before it
        hits += found.link == part.link
    assert hits > 0.5 * len(parts_of(figure)[0])
    assert pick(figure, poses, ray_through(camera, (0.02, 0.02))) is None


def test_copies():
    figure = virtual_human()
    q = np.tile(figure.neutral(), (2, 1))
    q[1, 1] += 2.0
    poses = LinkPoses(forward_kinematics(figure, q).matrices)
    eye = np.array([3.0, 2.0, 1.0])
    camera = camera_at(eye, poses.position[1, 0])
    found = pick(figure, poses.matrices, ray_through(camera, (0.5, 0.5)))
    assert (found.copy, figure.link_names[found.link]) == (1, "pelvis")


def test_meshes_are_closed_and_face_outwards():
    """The volume by the divergence theorem is that of the shape, a little less for facets."""
    for (points, faces), volume, least in (
        (ball(), 4 / 3 * np.pi, 0.97), (block((0.2, 0.1, 0.05)), 8 * 0.2 * 0.1 * 0.05, 0.9),
    ):  # fmt: skip
        a, b, c = (points[faces[:, k]] for k in range(3))
        found = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        assert least * volume < found <= volume
    points, faces = rod()
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", normal, a * [1, 1, 0]) > 0).all()
