"""Skeletons with motions for game engines: read again by another reader, and joint by joint."""

import json
import struct

import numpy as np
import pytest

from hitogata.cli import main
from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Trajectory
from hitogata.files import write_bvh, write_gltf
from hitogata.library import human28, virtual_human
from hitogata.spatial import quat_to_matrix
from tests.motion.odd import walk_bvh
from tests.motion.steps import stepping_walk


def read_glb(path):
    """The document, and what its accessors hold."""
    data = path.read_bytes()
    magic, version, size = struct.unpack_from("<4sII", data)
    assert (magic, version, size) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    document = json.loads(data[20 : 20 + length])
    assert struct.unpack_from("<I4s", data, 20 + length)[1] == b"BIN\0"
    rest = data[28 + length :]
    found = []
    for it in document["accessors"]:
        view = document["bufferViews"][it["bufferView"]]
        dtype = {5126: np.float32, 5123: np.uint16}[it["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[it["type"]]
        part = np.frombuffer(rest, dtype, it["count"] * width, view["byteOffset"])
        found.append(part.reshape(it["count"], width).astype(float))
    return document, found


def world_of(document, found, sample):
    """Matrices of all nodes at a sample of the animation, shape (n, 4, 4); None: at rest."""
    nodes = [dict(node) for node in document["nodes"]]
    animation = document["animations"][0]
    for channel in animation["channels"] if sample is not None else ():
        output = animation["samplers"][channel["sampler"]]["output"]
        nodes[channel["target"]["node"]][channel["target"]["path"]] = found[output][sample]
    world = np.tile(np.eye(4), (len(nodes), 1, 1))

    def visit(i, above):
        own = np.eye(4)
        x, y, z, w = nodes[i].get("rotation", (0, 0, 0, 1))
        own[:3, :3], own[:3, 3] = quat_to_matrix(np.array([w, x, y, z])), nodes[i].get("translation", (0, 0, 0))
        world[i] = above @ own
        for k in nodes[i].get("children", ()):
            visit(k, world[i])

    for root in document["scenes"][0]["nodes"]:
        visit(root, np.eye(4))
    return world


@pytest.mark.parametrize("make", [human28, virtual_human])
def test_joints_are_where_they_should_be(make, tmp_path):
    figure = make()
    walk, _ = stepping_walk(human28(), seconds=1.0)
    q = walk.q if figure.name == "human28" else np.tile(figure.neutral(), (5, 1)) + np.linspace(0, 0.3, 5)[:, None]
    q = q.copy()
    for start in figure.quat_starts:
        q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=1, keepdims=True)
    time = np.arange(len(q)) / 60
    write_gltf(figure, Trajectory(time, q, np.zeros((len(q), figure.nv))), tmp_path / "walk.glb")
    document, found = read_glb(tmp_path / "walk.glb")
    assert [node["name"] for node in document["nodes"][: figure.nlinks]] == list(figure.link_names)
    np.testing.assert_allclose(found[document["animations"][0]["samplers"][0]["input"]][:, 0], time, atol=1e-6)
    for sample in (0, len(q) - 1):
        ours, theirs = forward_kinematics(figure, q[sample]), world_of(document, found, sample)[: figure.nlinks]
        x, y, z = ours.position.T
        np.testing.assert_allclose(theirs[:, :3, 3], np.stack([y, z, x], axis=1), atol=1e-5)  # y up, z forward
        np.testing.assert_allclose(theirs[:, 1, 1], ours.rotation[:, 2, 2], atol=1e-5)
    skin = document["skins"][0]
    bind = found[skin["inverseBindMatrices"]].reshape(-1, 4, 4).transpose(0, 2, 1)
    np.testing.assert_allclose(world_of(document, found, None)[: figure.nlinks] @ bind,
                               np.tile(np.eye(4), (figure.nlinks, 1, 1)), atol=1e-5)  # fmt: skip
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    points = found[attributes["POSITION"]]
    assert np.ptp(points[:, 1]) > 1.2  # as tall as a person
    assert found[attributes["JOINTS_0"]].max() < figure.nlinks


def test_another_reader(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    walk, _ = stepping_walk(human28(), seconds=0.5)
    write_gltf(human28(), walk, tmp_path / "walk.glb")
    scene = trimesh.load(tmp_path / "walk.glb")
    assert 1.3 < scene.extents[1] < 2.0
    assert set(human28().link_names) <= set(scene.graph.nodes)


def test_on_the_command_line(tmp_path, capsys):
    write_bvh(walk_bvh(seconds=0.5), tmp_path / "walk.bvh")
    paths = [str(tmp_path / name) for name in ("walk.bvh", "out.glb")]
    assert main(["motion", "convert", *paths, "--figure", "human28"]) == 0
    assert "13 joints" in capsys.readouterr().out
    assert read_glb(tmp_path / "out.glb")[0]["asset"]["version"] == "2.0"


def test_bad_input(tmp_path):
    figure = human28()
    one = Trajectory([0.0], figure.neutral()[None], np.zeros((1, figure.nv)))
    with pytest.raises(ArgumentError, match="2 samples or more"):
        write_gltf(figure, one, tmp_path / "one.glb")
    assert not (tmp_path / "one.glb").exists()
