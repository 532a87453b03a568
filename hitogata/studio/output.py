"""Files that the page asks for: all in the studio's folder, under names of our own."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hitogata.errors import ArgumentError, HitogataError
from hitogata.figure import Figure, Trajectory
from hitogata.pictures import Actor, Camera, write_film, write_replay
from hitogata.studio.clock import RATE
from hitogata.studio.modes.motion import Playing
from hitogata.studio.poses import write_pose
from hitogata.studio.scenery import Floor, floor_shapes

if TYPE_CHECKING:
    from pathlib import Path

    from hitogata.studio.studio import Studio

_SIZES = {".mp4": (960, 720), ".gif": (480, 360)}


class Output:
    """Writes pictures and motions.  Called in threads of their own; what they need of the stage they ask the clock."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio

    def screenshot(self, client: Any) -> "Path":
        """What a page shows, without its controls."""
        from matplotlib.image import imsave

        size = int(client.camera.image_height), int(client.camera.image_width)
        picture = client.get_render(*size, transport_format="png", timeout=60)
        path = self._studio.folder.new(self._name(), ".png")
        imsave(path, picture[..., :3])
        return self._hand_over(client, path)

    def replay(self, client: Any) -> "Path":
        """A page that plays the recording, or the motion, by itself."""
        cast, floor = self._studio.clock.ask(lambda: (self.actors(), self._studio.stage.floor))
        path = self._studio.folder.new(self._name(), ".html")
        scenery = [] if floor is Floor.FLAT else list(floor_shapes(floor))
        write_replay(path, cast, title=self._studio.stage.figure.name, ground=floor is Floor.FLAT, scenery=scenery,
                     camera=_camera_of(client))  # fmt: skip
        return self._hand_over(client, path)

    def film(self, client: Any, ending: str) -> "Path":
        """The recording, or the motion, as .mp4 or .gif, seen from where the page looks."""
        cast = self._studio.clock.ask(self.actors)
        path = self._studio.folder.new(self._name(), ending)
        note = client.add_notification("Filming", "0 %", loading=True, with_close_button=False)
        shown = -1

        def progress(share: float) -> None:
            nonlocal shown
            if int(20 * share) != shown:
                shown = int(20 * share)
                note.body = f"{100 * share:.0f} %"

        try:
            write_film(path, cast, camera=_camera_of(client), size=_SIZES[ending], progress=progress)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:
            note.remove()
        return self._hand_over(client, path)

    def trajectory(self, client: Any) -> "Path":
        """The recording, or the motion, of the first figure, as .npz."""
        _, motion = self._studio.clock.ask(self.motion)
        path = self._studio.folder.new(self._name(), ".npz")
        motion.save(path)
        return self._hand_over(client, path)

    def bvh(self, client: Any) -> "Path":
        """The recording, or the motion, of the first figure, as .bvh."""
        from hitogata.files import bvh_from_trajectory, write_bvh

        figure, motion = self._studio.clock.ask(self.motion)
        path = self._studio.folder.new(self._name(), ".bvh")
        try:
            steps = np.diff(motion.time)
            even = float(np.ptp(steps)) < 1e-3 * float(steps.mean())
            write_bvh(bvh_from_trajectory(motion, figure, frame_time=None if even else 1 / RATE), path)
        except HitogataError:
            path.unlink(missing_ok=True)
            raise
        return self._hand_over(client, path)

    def pose(self, client: Any) -> "Path":
        """The pose of the first figure, as .json."""
        figure, q = self._studio.clock.ask(lambda: (self._studio.stage.figure, self._studio.stage.q[0].copy()))
        path = self._studio.folder.new(f"{self._name()}-pose", ".json")
        write_pose(path, figure, q)
        return self._hand_over(client, path)

    # ------------------------------------------------------- what is written (in the clock's thread)

    def motion(self) -> tuple[Figure, Trajectory]:
        """In motion mode the motion, otherwise the recording."""
        studio = self._studio
        if isinstance(studio.mode, Playing):
            return studio.stage.figure, studio.mode.changed()
        if studio.recorder.figure is None and studio.motion is not None:
            return studio.stage.figure, studio.motion
        motions = studio.recorder.trajectories()
        assert studio.recorder.figure is not None
        return studio.recorder.figure, motions[0]

    def actors(self) -> list[Actor]:
        """In motion mode one who plays the motion, otherwise all of the recording."""
        if isinstance(self._studio.mode, Playing):
            return [Actor(*self.motion())]
        try:
            return self._studio.recorder.actors()
        except ArgumentError:
            if self._studio.motion is None:
                raise
            return [Actor(*self.motion())]

    def _name(self) -> str:
        return self._studio.stage.figure.name

    def _hand_over(self, client: Any, path: "Path") -> "Path":
        self._studio.hand_over(client, path)
        return path


def _camera_of(client: Any) -> Camera:
    """A camera that looks along the same direction as a page."""
    way = np.array(client.camera.position) - np.array(client.camera.look_at)
    elevation = float(np.arctan2(way[2], np.hypot(way[0], way[1])))
    return Camera(azimuth=float(np.arctan2(way[1], way[0])), elevation=float(np.clip(elevation, -1.4, 1.4)))
