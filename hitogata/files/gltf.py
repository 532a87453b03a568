"""glTF 2.0 out (.glb): a figure's skeleton with one motion, for game engines: Godot and Unreal read it as it is, Unity
by its glTFast package, Blender too.

Every link is a joint of one skin, whose mesh is an octahedron per bone (engines import no skeleton without a mesh).
glTF is right-handed with y up, z forward, in metres: x, y, z become z, x, y.  Khronos Group 2021, "glTF 2.0
Specification", sections 3.4 (coordinates), 3.7.3 (skins), 3.11 (animations), 4 (the .glb container).
"""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind, Trajectory
from hitogata.figure.joint_poses import joint_motion
from hitogata.figure.rates import unbroken_quats
from hitogata.figure.values import FloatArray
from hitogata.spatial import matrix_to_quat, quat_to_matrix

_TURN = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_FLOAT, _BYTE, _SHORT = 5126, 5121, 5123
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_THICK = 0.12  # width of a bone in its lengths
_MOST_LINKS = 65_535


def write_gltf(figure: Figure, trajectory: Trajectory, path: str | Path) -> None:
    """Write a figure with a motion as a .glb file.

    Args:
        figure: the figure.
        trajectory: its motion, two samples or more.
        path: the file.
    """
    trajectory.check(figure)
    if len(trajectory) < 2:
        raise ArgumentError(f"write_gltf: 2 samples or more are needed, the motion has {len(trajectory)}")
    if figure.nlinks > _MOST_LINKS:
        raise ArgumentError(f"write_gltf: at most {_MOST_LINKS} links, the figure has {figure.nlinks}")
    content = _Content()
    rest = _local_poses(figure, figure.neutral()[None])
    turns, places = _local_poses(figure, np.asarray(trajectory.q, np.float64))
    nodes: list[dict[str, Any]] = []
    for i, link in enumerate(figure.links):
        children = [k for k, parent in enumerate(figure.parents) if parent == i]
        node = {"name": link.name, "translation": rest[1][0, i].tolist(), "rotation": _xyzw(rest[0][0, i]).tolist()}
        nodes.append(node | ({"children": children} if children else {}))
    roots = [i for i, parent in enumerate(figure.parents) if parent < 0]
    world = _world(figure, rest[0][0], rest[1][0])
    inverse = np.linalg.inv(world).transpose(0, 2, 1).reshape(-1, 16)  # columns first
    mesh = _mesh(figure, world, content)
    skin = {"joints": list(range(figure.nlinks)), "skeleton": roots[0], "inverseBindMatrices": content.add(inverse)}
    nodes.append({"name": f"{figure.name}_mesh", "mesh": 0, "skin": 0})
    document = {
        "asset": {"version": "2.0", "generator": "hitogata"}, "scene": 0,
        "scenes": [{"nodes": [*roots, len(nodes) - 1]}], "nodes": nodes, "meshes": [mesh], "skins": [skin],
        "animations": [_animation(figure, trajectory, turns, places, content)],
    }  # fmt: skip
    content.write(document, Path(path))


class _Content:
    """The binary part, with what says where things are in it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: Any, kind: int = _FLOAT, bounds: bool = False) -> int:
        """Index of an accessor of numbers, shape (n, k)."""
        types = {_FLOAT: np.float32, _BYTE: np.uint8, _SHORT: np.uint16}
        array = np.ascontiguousarray(values, types[kind]).reshape(len(values), -1)
        self.data += b"\0" * (-len(self.data) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes})
        self.data += array.tobytes()
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1, "componentType": kind, "count": len(array),
            "type": _KINDS[array.shape[1]],
        }  # fmt: skip
        if bounds:
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def write(self, document: dict[str, Any], path: Path) -> None:
        """The container: a header, the document, the binary part."""
        self.data += b"\0" * (-len(self.data) % 4)
        document |= {"buffers": [{"byteLength": len(self.data)}]}
        document |= {"bufferViews": self.views, "accessors": self.accessors}
        text = json.dumps(document, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + len(self.data)
        path.write_bytes(
            struct.pack("<III", 0x46546C67, 2, whole)
            + struct.pack("<II", len(text), 0x4E4F534A) + text
            + struct.pack("<II", len(self.data), 0x004E4942) + bytes(self.data)
        )  # fmt: skip


def _local_poses(figure: Figure, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rotations wxyz (n, nlinks, 4) and places (n, nlinks, 3) of links in their parents, in glTF's axes."""
    turns, places = np.empty((len(q), figure.nlinks, 4)), np.empty((len(q), figure.nlinks, 3))
    for i, link in enumerate(figure.links):
        joint = link.joint
        quat, shift = joint_motion(joint, q[:, figure.q_starts[i] : figure.q_starts[i] + joint.nq])
        base, child = joint.parent_frame, joint.child_frame
        turn = base.rotation @ quat_to_matrix(np.broadcast_to(quat, (len(q), 4))) @ child.rotation.T
        at = np.array(base.position) + np.broadcast_to(shift, (len(q), 3)) @ base.rotation.T
        places[:, i] = (at - turn @ np.array(child.position)) @ _TURN.T
        turns[:, i] = unbroken_quats(np.asarray(matrix_to_quat(_TURN @ turn @ _TURN.T), np.float64))
    return turns, places


def _world(figure: Figure, turns: FloatArray, places: FloatArray) -> FloatArray:
    """Matrices of all links, shape (nlinks, 4, 4)."""
    world = np.zeros((figure.nlinks, 4, 4))
    for i, parent in enumerate(figure.parents):
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = quat_to_matrix(turns[i]), places[i]
        world[i] = own if parent < 0 else world[parent] @ own
    return world


def _mesh(figure: Figure, world: FloatArray, content: _Content) -> dict[str, Any]:
    """An octahedron from each link to each behind it; those without go towards their centre of mass."""
    points, normals, joints = [], [], []
    for i, link in enumerate(figure.links):
        start = world[i, :3, 3]
        ends = [world[k, :3, 3] for k, parent in enumerate(figure.parents) if parent == i]
        ends = ends or [world[i, :3, :3] @ _TURN @ (2 * np.array(link.mass.centre)) + start]
        for end in ends:
            triangles = _octahedron(start, end)
            edges = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            normal = edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-12)
            points.append(triangles.reshape(-1, 3))
            normals.append(np.repeat(normal, 3, axis=0))
            joints += [i] * (3 * len(triangles))
    which = np.zeros((len(joints), 4))
    which[:, 0] = joints
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1))
    attributes = {
        "POSITION": content.add(np.concatenate(points), bounds=True), "NORMAL": content.add(np.concatenate(normals)),
        "JOINTS_0": content.add(which, _SHORT), "WEIGHTS_0": content.add(weights),
    }  # fmt: skip
    return {"name": figure.name, "primitives": [{"attributes": attributes}]}


def _octahedron(start: FloatArray, end: FloatArray) -> FloatArray:
    """Triangles of a bone, shape (8, 3, 3) [m]."""
    way = end - start
    length = max(float(np.linalg.norm(way)), 0.01)
    along = way / length if np.linalg.norm(way) > 1e-6 else np.array([0.0, 1.0, 0.0])
    side = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    side /= np.linalg.norm(side)
    middle, wide = start + 0.2 * length * along, _THICK * length
    up = np.cross(along, side)
    ring = [middle + wide * d for d in (side, up, -side, -up)]
    tip = start + length * along
    pairs = [(ring[k], ring[(k + 1) % 4]) for k in range(4)]
    return np.array([(start, b, a) for a, b in pairs] + [(tip, a, b) for a, b in pairs])


def _animation(
    figure: Figure, trajectory: Trajectory, turns: FloatArray, places: FloatArray, content: _Content
) -> dict[str, Any]:
    time = content.add((np.asarray(trajectory.time) - trajectory.time[0])[:, None], bounds=True)
    samplers, channels = [], []
    for i, link in enumerate(figure.links):
        tracks = {"rotation": _xyzw(turns[:, i])} if link.joint.kind is not JointKind.FIXED else {}
        if link.joint.kind in (JointKind.FREE, JointKind.SLIDER) or np.ptp(places[:, i], axis=0).max() > 1e-9:
            tracks["translation"] = places[:, i]
        for name, values in tracks.items():
            samplers.append({"input": time, "interpolation": "LINEAR", "output": content.add(values)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": i, "path": name}})
    return {"name": trajectory.figure_name or figure.name, "samplers": samplers, "channels": channels}


def _xyzw(quats: FloatArray) -> FloatArray:
    result: FloatArray = np.roll(quats, -1, axis=-1)
    return result
