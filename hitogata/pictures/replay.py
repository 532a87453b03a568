"""A motion as one HTML file that opens from disk, with no other file, program or connection."""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.dynamics import LinkPoses, forward_kinematics
from hitogata.errors import ArgumentError
from hitogata.figure import Shape
from hitogata.figure.pose import FloatArray
from hitogata.pictures.actor import Actor
from hitogata.pictures.camera import Camera
from hitogata.pictures.overlays import check_text, positive
from hitogata.pictures.packing import pack
from hitogata.pictures.replay_overlays import RESOLUTION, Record, Rows, overlay_record
from hitogata.pictures.replay_shapes import Meshes, drawn_shapes, figure_records, reach, shape_record

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
    actors: Actor | Sequence[Actor],
    *,
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
        actors: one or several figures with their motions, on one clock.
        title: of the page.
        text: a sentence below the title.
        captions: words shown at some times.
        scenery: shapes fixed to the world, such as obstacles; a `Plane` is drawn as ground.
        ground: whether the plane z = 0 is drawn.
        camera: where to look from; None: from the front left.
        follow: whether the camera goes along with the figures; None: if they travel.
        rate: most states kept for a second of motion [1/s].
    """
    scene = replay_scene(
        actors, title=title, text=text, captions=captions, scenery=scenery, ground=ground, camera=camera,
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
    """What the camera must hold: all places of all figures, or each figure where it is."""

    def __init__(self) -> None:
        self.low, self.high, self.size = np.full(3, np.inf), np.full(3, -np.inf), 0.0

    def add(self, low: FloatArray, high: FloatArray) -> None:
        """Corners of the boxes that hold a figure at each time, shape (n, 3)."""
        self.low, self.high = np.minimum(self.low, low.min(0)), np.maximum(self.high, high.max(0))
        self.size = max(self.size, float(np.linalg.norm(high - low, axis=1).max()) / 2)

    def record(self, follow: bool | None) -> Record:
        radius = float(np.linalg.norm(self.high - self.low)) / 2
        travels = radius > 2.5 * self.size if follow is None else bool(follow)
        return {"centre": ((self.low + self.high) / 2).tolist(), "radius": radius, "size": self.size, "follow": travels}


def _actor(actor: Actor, colour: str, rate: float, meshes: Meshes, frame: _Frame) -> Record:
    figure, motion = actor.figure, actor.trajectory
    rows = kept_rows(motion.time, rate)
    poses = LinkPoses(np.array(forward_kinematics(figure, motion.q[rows].astype(np.float64)).matrices))
    position = poses.position + np.array(actor.offset)
    solid: list[list[Shape]] = [[] for _ in figure.links]
    for link, shape in drawn_shapes(figure):
        solid[link].append(shape)
    about = np.array([reach(shapes) for shapes in solid])[:, None]
    frame.add((position - about).min(1), (position + about).max(1))
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
    parts = resources.files("hitogata.pictures") / "viewer"

    def part(name: str) -> str:
        return (parts / name).read_text(encoding="utf-8")

    fields: dict[str, Any] = {
        "title": html.escape(scene["title"] or scene["actors"][0]["figure"]),
        "style": part("style.css"),
        "script": "\n".join(part(f"{name}.js") for name in SCRIPTS),
        # "<" would let text such as "</script>" end the element that holds it
        "scene": json.dumps(scene, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], part("page.html"))
