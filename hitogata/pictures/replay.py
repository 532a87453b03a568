"""A motion as one HTML file that opens from disk, with no other file, program or connection."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hitogata.dynamics import forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Shape
from hitogata.figure.pose import FloatArray
from hitogata.pictures.actor import Actor
from hitogata.pictures.camera import Camera
from hitogata.pictures.overlays import check_text, positive
from hitogata.pictures.pages import filled, part
from hitogata.pictures.quantized_arrays import pack
from hitogata.pictures.replay_overlays import RESOLUTION, Record, Rows, overlay_record
from hitogata.pictures.replay_shapes import Meshes, figure_records, shape_record, world_boxes

COLOURS = ("#c8956c", "#7396c4", "#83ac6d", "#a98bc2", "#c9a94b", "#6fb0ae")
"""Of actors that are given none, in turn."""

SCENERY = "#9aa1ad"
SCRIPTS = ("maths", "shapes", "scene", "shaders", "renderer", "drawing", "view", "controls", "main")
"""Parts of the viewer, in the order they stand in the page."""


@dataclass(frozen=True)
class Caption:
    """Words below the picture from `start` to `stop` [s]."""

    start: float
    stop: float
    text: str

    def __post_init__(self) -> None:
        check_text(self.text, "caption: text")
        if not -np.inf < self.start < self.stop < np.inf:
            raise ArgumentError(f"caption {self.text!r}: start must be before stop, got {self.start} and {self.stop}")


def write_replay(
    path: str | Path,
    *actors: Actor | Sequence[Actor],
    title: str = "",
    text: str = "",
    captions: Sequence[Caption] = (),
    scenery: Sequence[Shape] = (),
    ground: bool = True,
    camera: Camera | None = None,
    follow: bool | None = None,
    rate: float = 60.0,
) -> None:
    """Write figures in motion as an HTML page, with play, scrub, speed and a camera.

    The page holds states of the trajectories, none invented; between them the viewer blends poses.

    Args:
        path: the file, by custom .html.
        actors: figures with their motions, on one clock, one after the other or in lists.
        title: of the page.
        text: a sentence below the title.
        captions: words shown at some times.
        scenery: shapes fixed to the world, such as obstacles; a `Plane` is drawn as ground.
        ground: whether the plane z = 0 is drawn.
        camera: where to look from; None: from the front left.
        follow: whether the camera goes along with the figures; None: if they travel.
        rate: most states kept for a second of motion [1/s].
    """
    cast = [actor for given in actors for actor in (given if isinstance(given, Sequence) else [given])]
    scene = replay_scene(
        cast, title=title, text=text, captions=captions, scenery=scenery, ground=ground, camera=camera,
        follow=follow, rate=rate,
    )  # fmt: skip
    Path(path).write_text(_page(scene), encoding="utf-8", newline="\n")


def replay_scene(
    actors: Actor | Sequence[Actor],
    *,
    title: str,
    text: str,
    captions: Sequence[Caption],
    scenery: Sequence[Shape],
    ground: bool,
    camera: Camera | None,
    follow: bool | None,
    rate: float,
) -> Record:
    """What the page shows, as plain numbers and text for JSON; see `write_replay`."""
    cast = [actors] if isinstance(actors, Actor) else list(actors)
    if not cast:
        raise ArgumentError("actors: a replay needs at least one")
    for items, kind in ((cast, Actor), (captions, Caption), (scenery, Shape)):
        for item in items:
            if not isinstance(item, kind):
                raise ArgumentError(f"replay: a {kind.__name__} expected, got {item!r}")
    check_text(title, "title")
    check_text(text, "text")
    positive(rate, "rate")
    meshes, frame = Meshes(), _Frame()
    records = [_actor(actor, COLOURS[k % len(COLOURS)], rate, meshes, frame) for k, actor in enumerate(cast)]
    look = camera or Camera(azimuth=np.radians(35.0), elevation=np.radians(12.0))
    return {
        "title": title,
        "text": text,
        "captions": [[c.start, c.stop, c.text] for c in captions],
        "ground": bool(ground),
        "camera": {"azimuth": look.azimuth, "elevation": look.elevation} | frame.record(follow),
        "scenery": [{"colour": SCENERY, **shape_record(shape, meshes)} for shape in scenery],
        "meshes": meshes.records,
        "actors": records,
    }


class _Frame:
    """What the camera must hold: all places of all figures, or where they are at any one time."""

    def __init__(self) -> None:
        self.boxes: list[tuple[FloatArray, FloatArray, FloatArray]] = []
        self.middles: list[FloatArray] = []

    def add(self, time: FloatArray, low: FloatArray, high: FloatArray, root: FloatArray) -> None:
        """Corners of the boxes that hold a figure at each time, and its root, shape (n, 3)."""
        self.boxes.append((time, low, high))
        self.middles.append(((low + high) / 2 - root).mean(0))

    def record(self, follow: bool | None) -> Record:
        times = np.unique(np.concatenate([time for time, _, _ in self.boxes]))
        rows = [np.clip(np.searchsorted(time, times, side="right") - 1, 0, None) for time, _, _ in self.boxes]
        low = np.min([box[1][k] for box, k in zip(self.boxes, rows, strict=True)], axis=0)
        high = np.max([box[2][k] for box, k in zip(self.boxes, rows, strict=True)], axis=0)
        size = float(np.linalg.norm(high - low, axis=1).max()) / 2
        low, high = low.min(0), high.max(0)
        radius = float(np.linalg.norm(high - low)) / 2
        travels = radius > 2 * size if follow is None else bool(follow)
        middle = np.mean(self.middles, axis=0)  # from the roots, which a camera that follows goes along with
        return {"centre": ((low + high) / 2).tolist(), "middle": middle.tolist(), "radius": radius, "size": size,
                "follow": travels}  # fmt: skip


def _actor(actor: Actor, colour: str, rate: float, meshes: Meshes, frame: _Frame) -> Record:
    figure, motion = actor.figure, actor.trajectory
    rows = kept_rows(motion.time, rate)
    poses = forward_kinematics(figure, motion.q[rows].astype(np.float64))
    position = poses.position + np.array(actor.offset)
    low, high = world_boxes(figure, poses)
    offset = np.array(actor.offset)
    frame.add(motion.time[rows], low + offset, high + offset, position[:, 0])
    return {
        "label": actor.label,
        "figure": figure.name,
        "opacity": float(actor.opacity),
        "colour": actor.colour or colour,
        "time": pack(motion.time[rows].astype(np.float64), resolution=1e-6),
        "position": pack(position, resolution=RESOLUTION),
        "quat": pack(poses.quat, resolution=1e-4),
        "shapes": figure_records(figure, actor.colour or colour, actor.link_colours, meshes),
        "overlays": [overlay_record(overlay, actor, rows, poses) for overlay in actor.overlays],
    }


def kept_rows(time: FloatArray, rate: float) -> Rows:
    """Rows at least 1/rate apart (but for rounding), with the first and the last."""
    kept, least = [0], (1 - 1e-6) / rate
    for k in range(1, len(time)):
        if time[k] - time[kept[-1]] >= least:
            kept.append(k)
    if kept[-1] != len(time) - 1:
        kept.append(len(time) - 1)
    return np.array(kept, np.int64)


def _page(scene: Record) -> str:
    """The viewer with a scene in it."""
    data = json.dumps(scene, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return filled(
        "replay.html",
        title=html.escape(scene["title"] or scene["actors"][0]["figure"]),
        style=part("replay.css"),
        script="\n".join(part(f"{name}.js") for name in SCRIPTS),
        scene=data.replace("<", "\\u003c"),  # or text such as "</script>" would end the element that holds it
    )
