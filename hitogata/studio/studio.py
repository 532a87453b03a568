"""The studio: one stage, one clock, and pages that show it."""

import contextlib
import io
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.errors import ArgumentError, MissingDependencyError
from hitogata.figure import Figure, Trajectory
from hitogata.sim import ContactMethod
from hitogata.studio import gate
from hitogata.studio.behaviour_take import BehaviourTake
from hitogata.studio.camera import Cameras
from hitogata.studio.capture_trial import CaptureTrial
from hitogata.studio.clock import Clock
from hitogata.studio.filtering import Filtering
from hitogata.studio.folder import Folder
from hitogata.studio.gauges import Gauges
from hitogata.studio.guard import Guard
from hitogata.studio.memory import give_back_large_blocks
from hitogata.studio.modes.behaviour import Behaving
from hitogata.studio.modes.capture import Capturing, LiveFeed
from hitogata.studio.modes.mode import Mode
from hitogata.studio.modes.motion import Playing
from hitogata.studio.modes.physics import Physics
from hitogata.studio.modes.pose import Posing
from hitogata.studio.options import StudioOptions
from hitogata.studio.output import Output
from hitogata.studio.panels.page import ModeName, Page
from hitogata.studio.ranges.coupled_desk import CoupledDesk
from hitogata.studio.ranges.desk import Desk
from hitogata.studio.recorder import Recorder
from hitogata.studio.scenery import Floor, bar_at
from hitogata.studio.shortcuts import register
from hitogata.studio.sources import Carried, Loaded, load_figure, load_motion
from hitogata.studio.stage import Stage
from hitogata.studio.startup import shaped, shaped_steps, stated_steps, tasks
from hitogata.studio.undo import UndoHistory
from hitogata.studio.view.show import Show
from hitogata.studio.wakeups import use_loop_events

UNREAD = "Not everything could be read"
"""Title of what readers of files warned of."""


class Studio:
    """A page in the browser in which a figure lives.

    All pages share one stage: whoever drags, the others see it.  Cameras are each page's own.  Everything that touches
    figures runs in the clock's thread; callbacks of the page only post commands to it.

    Args:
        figure: a figure, the name of a built-in one, or a file.
        motion: a trajectory of it, or a file.
        options: where to listen and to write.

    Example:
        >>> from hitogata.studio import Studio
        >>> with Studio("virtual_human") as studio:                # doctest: +SKIP
        ...     print(studio.address)
        ...     studio.wait()
    """

    def __init__(
        self, figure: Figure | str | Path = "virtual_human", *, motion: Trajectory | str | Path | None = None,
        options: StudioOptions | None = None,
    ) -> None:  # fmt: skip
        self.options = options or StudioOptions()
        loaded = Loaded(figure) if isinstance(figure, Figure) else load_figure(figure)
        self.stage = Stage(loaded.figure)
        if isinstance(motion, Trajectory):
            loaded = loaded._replace(motion=motion)
        elif motion is not None:
            moved = load_motion(motion, loaded.figure)
            loaded = moved._replace(warnings=loaded.warnings + moved.warnings)
            if moved.motion is None and moved.carried is not None:
                raise ArgumentError(moved.carried.how)
        if loaded.motion is not None:
            loaded.motion.check(loaded.figure)
        self.motion = loaded.motion
        self.trial: CaptureTrial | None = None
        self.feed: LiveFeed | None = None
        self.take: BehaviourTake | None = None
        self._carried = [loaded.carried] if loaded.carried is not None else []
        self._refused: Carried | None = None
        self.folder, self.guard = Folder(self.options.folder), Guard(self._tell)
        self.clock = Clock(self._frame, self.guard)
        self.ready = self.halted = self._shaped = False
        self._stated: set[bool] = set()
        self.mode: Mode | None = None
        self.server = _open(self.options)
        gate.watch(self.server, loopback=self.options.loopback)
        gate.limit_uploads(self.server, self.options.upload_limit, self._too_large)
        self.camera, self.desk = Cameras(self.server), Desk(self)
        self.coupled, self.filtering = CoupledDesk(self), Filtering(self)
        self.gauges, self.recorder, self.output = Gauges(self), Recorder(self), Output(self)
        self.model_time = 0.0
        self.chosen: tuple[int, int] | None = None
        self.show, self.undo = Show(self), UndoHistory(self)
        self.page = Page(self)
        self.page.refresh()
        register(self)
        self._look()
        self._unread = loaded.warnings
        self.server.on_client_connect(self._greet)

    # ------------------------------------------------------- life

    @property
    def address(self) -> str:
        """Of the page."""
        host = self.options.host
        return f"http://{'localhost' if host == '0.0.0.0' else host}:{self.server.get_port()}"

    def start(self) -> "Studio":
        """Let it live."""
        give_back_large_blocks()
        self.clock.post("Starting", self._warm)
        self.clock.start()
        return self

    def stop(self) -> None:
        """End; pages show that they are not connected any more."""
        self.clock.stop()
        if self.take is not None and self.take.watch is not None:
            self.take.watch.close()
        self.page.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def wait(self) -> None:
        """Until the program is interrupted."""
        self.server.sleep_forever()

    def __enter__(self) -> "Studio":
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def post(self, what: str, task: Any) -> None:
        """Do something before the next frame; `what` names it if it fails."""
        self.clock.post(what, task)

    def _warm(self) -> None:
        """Compile, with progress on the page; then the stage opens."""
        steps = list(tasks(self.stage.figure))
        for k, (what, task) in enumerate(steps):
            self.page.progress(k / len(steps), what)
            task()
        self.page.progress(1.0, "")
        self.ready = True
        self.set_mode(ModeName.MOTION if self.motion is not None else ModeName.POSE)

    def _warm_shapes(self) -> None:
        """Compile what a world with meshes or hills needs, when there is one for the first time."""
        if not self._shaped and shaped(self.stage.figure, self.stage.floor):
            self.page.progress(0.5, "meshes and hills")
            shaped_steps()
            self.page.progress(1.0, "")
            self._shaped = True

    def _warm_states(self, contacts: ContactMethod) -> None:
        """Compile contact by states, when it is wanted for the first time."""
        kind = shaped(self.stage.figure, self.stage.floor)
        if contacts is ContactMethod.STATES and kind not in self._stated:
            self.page.progress(0.5, "contact by states")
            stated_steps(kind)
            self.page.progress(1.0, "")
            self._stated.add(kind)

    # ------------------------------------------------------- what users do (in the clock's thread)

    def set_mode(self, name: ModeName) -> None:
        """Pose, physics or motion."""
        made: Mode
        if name is ModeName.POSE:
            made = Posing(self.stage, **self.page.pose.settings())
        elif name is ModeName.PHYSICS:
            settings = self.page.physics.settings()
            self._warm_shapes()
            self._warm_states(settings["contacts"])
            made = Physics(self.stage, **settings)
        elif name is ModeName.CAPTURE:
            if self.trial is None and self.feed is None:
                self.page.show_controls(name)
                return
            made = Capturing(self.stage, trial=None if self.feed is not None else self.trial, feed=self.feed)
        elif name is ModeName.BEHAVIOUR:
            if self.take is None:
                self.page.show_controls(name)
                return
            made = Behaving(self.stage, shown=self.take)
        else:
            if self.motion is None:  # all goes on as it is, beside controls that open one
                self.page.show_controls(name)
                return
            made = Playing(self.stage, motion=self.motion, **self.page.motion.settings())
        self._leave()
        self.mode, self.halted = made, False
        self.page.show_mode(name)
        self.page.refresh()

    def choose_mode(self, name: ModeName) -> None:
        """Somebody wants another mode; it can be undone."""
        self.undo.note("The mode")
        self.set_mode(name)

    def drop_mode(self) -> None:
        """Leave the mode without keeping what it changed; another one must be set."""
        self._put_away_mode()
        self.mode = None

    def ranges_shown(self) -> None:
        """Pictures of ranges and the editor take note of ranges that are others now."""
        self.show.show_range()
        self.desk.touch()

    def take_pose(self, q: Any) -> None:
        """The first figure in another pose, in pose mode."""
        self.undo.note("A pose from a file")
        if not isinstance(self.mode, Posing):
            self.set_mode(ModeName.POSE)
        assert isinstance(self.mode, Posing)
        self.mode.take_pose(q)

    def frame_figure(self, client: Any) -> None:
        """Let a page look at all figures."""
        self.camera.frame(client, *self._extent())

    def _leave(self) -> None:
        if isinstance(self.mode, Playing):
            self.motion = self.mode.changed()
        elif isinstance(self.mode, Capturing) and self.mode.trial is not None:
            self.trial = self.mode.trial
        self._put_away_mode()

    def _put_away_mode(self) -> None:
        if isinstance(self.mode, Capturing) and self.mode.feed is not None:
            self.feed = None  # what came live ends with its mode
        if self.mode is not None:
            self.mode.let_all_go()
            self.mode.close()

    @property
    def mode_name(self) -> ModeName:
        """Which mode it is."""
        kinds = {Posing: ModeName.POSE, Physics: ModeName.PHYSICS, Playing: ModeName.MOTION,
                 Capturing: ModeName.CAPTURE, Behaving: ModeName.BEHAVIOUR}  # fmt: skip
        return kinds[type(self.mode)] if self.mode is not None else ModeName.POSE

    def load(self, loaded: Loaded) -> None:
        """Another figure; and its motion, if the file had one."""
        self.undo.note("The figure")
        Posing(Stage(loaded.figure))  # may refuse: nothing has changed yet
        self._put_away_mode()
        self.stage.load(loaded.figure)
        self.recorder.clear()
        self.gauges.clear()
        self.motion, self.desk.joint, self._refused = loaded.motion, "", None
        self.mode = None
        self.show.load()
        self._look()
        self._look_again()
        self._warn(loaded.warnings)
        self.set_mode(ModeName.MOTION if loaded.motion is not None else ModeName.POSE)

    def load_motion(self, motion: Trajectory, warnings: tuple[str, ...] = ()) -> None:
        """Another motion; it plays at once, and the page shows what its reader warned of."""
        motion.check(self.stage.figure)
        self.undo.note("The motion")
        self._warn(warnings)
        self.motion, self.mode = motion, self.mode if not isinstance(self.mode, Playing) else None
        self.set_mode(ModeName.MOTION)

    def show_carried(self, carried: Carried, warnings: tuple[str, ...] = ()) -> None:
        """A motion that was carried over; if its pairs of links were refused, the page shows the table to fill in."""
        if carried.figure.link_names != self.stage.figure.link_names:
            raise ArgumentError("the figure is another one by now: open the file once more")
        self._refused = None
        if carried.motion is None:
            self._refused = carried
            self._warn(warnings)
            self.guard.say("The motion was not taken", carried.how.splitlines()[0])
            self.page.motion.refresh()
            return
        self._carried = [*self._carried[-7:], carried]
        self.load_motion(carried.motion, warnings)

    # ------------------------------------------------------- motion capture

    def trial_now(self) -> CaptureTrial | None:
        """The trial as it is now, labels that were mended included."""
        return self.mode.trial if isinstance(self.mode, Capturing) and self.mode.trial is not None else self.trial

    def show_trial(self, trial: CaptureTrial, warnings: tuple[str, ...] = ()) -> None:
        """A trial of markers; the body that is fitted into them becomes the figure of the stage."""
        self.undo.note("The trial")
        self._warn(warnings)
        index = self.mode.index if isinstance(self.mode, Capturing) else 0
        self._put_away_mode()
        self.mode, self.trial, self.feed = None, trial, None
        if trial.figure is not None and trial.figure is not self.stage.original:
            self.stage.load(trial.figure)
            self.recorder.clear()
            self.gauges.clear()
            self.motion, self.desk.joint = None, ""
        elif self.stage.count > 1:
            self.stage.set_count(1)
        self.set_mode(ModeName.CAPTURE)
        assert isinstance(self.mode, Capturing)
        self.mode.change(trial, index)
        self.show.load()
        self.page.refresh()
        self._look()
        self._look_again()

    def watch_capture(self, feed: LiveFeed, source: Any) -> None:
        """Show what comes live: `source` yields `capture.LiveFrame`s, in a thread of its own; see `stop_capture`."""
        def begin() -> None:
            self.undo.note("Live capture")
            self._put_away_mode()
            self.mode, self.feed = None, feed
            if feed.figure is not None and feed.figure is not self.stage.original:
                self.stage.load(feed.figure)
                self.motion, self.desk.joint = None, ""
            self.set_mode(ModeName.CAPTURE)
            self.show.load()

        self.post("Live capture", begin)
        threading.Thread(target=feed.take, args=(source,), daemon=True).start()

    def stop_capture(self) -> None:
        """What came live becomes a trial."""
        feed = self.feed
        if feed is None:
            raise ArgumentError("nothing comes live")
        feed.ended = feed.ended or "stopped"
        self.show_trial(feed.trial())

    # ------------------------------------------------------- behaviour

    def show_behaviour(self, take: BehaviourTake) -> None:
        """Streams of a recording, or live; the body that is followed becomes the figure of the stage."""
        self.undo.note("The streams")
        self._put_away_mode()
        last, self.mode, self.take = self.take, None, take
        if last is not None and last.watch is not None and last.watch is not take.watch:
            threading.Thread(target=last.watch.close, daemon=True).start()
        if take.body is not None and take.body.ik.figure is not self.stage.original:
            self.stage.load(take.body.ik.figure)
            self.recorder.clear()
            self.gauges.clear()
            self.motion, self.desk.joint = None, ""
        elif self.stage.count > 1:
            self.stage.set_count(1)
        self.set_mode(ModeName.BEHAVIOUR)
        self.show.load()
        self.page.refresh()
        self._look()
        self._look_again()

    def watch_devices(self) -> None:
        """Show all streams of LSL on this computer; the body and targets of before stay."""
        from hitogata.behaviour import lsl_finder
        from hitogata.behaviour.watch import LiveWatch

        last = self.take
        body, targets = (last.body, last.targets) if last is not None else (None, ())
        self.show_behaviour(BehaviourTake(watch=LiveWatch(find=lsl_finder(), body=body), targets=targets))

    def carried_now(self) -> Carried | None:
        """How the motion of now was carried over, or what was refused last; None: it was not."""
        own = (carried for carried in self._carried if carried.motion is self.motion)
        return self._refused or next(own, None)

    def set_count(self, count: int) -> None:
        """So many copies."""
        if self.mode is not None:
            self.mode.let_all_go()
        self.stage.set_count(int(count))
        self._changed()
        self._look_again()

    def set_floor(self, floor: Floor) -> None:
        """Another ground; figures stand on it anew."""
        self.stage.floor = floor
        if isinstance(self.mode, Physics):
            self._warm_shapes()
            self._warm_states(self.mode.contacts)
        if isinstance(self.mode, Posing | Physics):
            self.mode.rest()
        self._changed()

    def set_bar(self, height: float | None) -> None:
        """A bar at a height [m], or none; hands that held another one let go."""
        self.stage.bar = None if height is None else bar_at(height)
        if isinstance(self.mode, Physics):
            self.mode.refigure()
        self.show.load()

    def set_contacts(self, contacts: ContactMethod) -> None:
        """How contact forces are found in physics mode."""
        if isinstance(self.mode, Physics) and self.mode.contacts is not contacts:
            self._warm_states(contacts)
            self.mode.change(contacts=contacts)

    def set_shadows(self, on: bool) -> None:
        """Draw shadows or not."""
        self.show.set_shadows(on)

    def ranges_changed(self) -> None:
        """A range was edited: modes and pictures take note."""
        if self.mode is not None:
            self.mode.refigure()
        self.show.show_range()
        self.desk.touch()
        self.page.ranges.refresh()
        self.page.coupled.refresh()

    def present_motion(self) -> Trajectory:
        """The motion of now."""
        if isinstance(self.mode, Playing):
            return self.mode.changed()
        if self.motion is None:
            raise ArgumentError("there is no motion: open one in motion mode, or record one")
        return self.motion

    def hand_over(self, client: Any, path: Path) -> None:
        """Offer a file to who asked for it."""
        client.send_file_download(path.name, path.read_bytes(), save_immediately=True)
        client.add_notification("Saved", path.name, auto_close_seconds=6.0, color="green")
        self.page.output.written(path)

    def play_recording(self) -> None:
        """What was recorded is the motion now."""
        self.recorder.stop()
        self.load_motion(self.recorder.trajectories()[0])

    def _changed(self) -> None:
        if self.mode is not None:
            self.mode.refigure()
        self.show.load()
        self.page.refresh()

    # ------------------------------------------------------- frames

    def _frame(self, seconds: float) -> None:
        if not self.ready or self.mode is None:
            return
        begun = time.perf_counter()
        try:
            if not self.halted:
                self.mode.advance(seconds)
        except Exception:
            self.halted = True  # otherwise it would fail sixty times a second; choosing a mode begins again
            raise
        self.model_time = time.perf_counter() - begun
        for title, text in self.mode.news:
            self.guard.say(title, text)
        self.mode.news.clear()
        self.gauges.note(contacts=self.page.plots.contacts.value or self.recorder.on)
        with self.server.atomic():
            self.show.draw()
        self.page.tick(self.clock.frames)
        self.recorder.note()

    def _look(self) -> None:
        """Pages that open look at the figure."""
        self.camera.home(*self._extent())

    def _look_again(self) -> None:
        """Pages that are open frame what is on the stage now: a crowd stands before them, not around them."""
        for client in self.server.get_clients().values():
            self.frame_figure(client)

    def _extent(self) -> tuple[Any, float]:
        """Middle of all figures, and how large they are together [m]."""
        places = self.stage.poses().position.reshape(-1, 3)
        low, high = places.min(0), places.max(0)
        return (low + high) / 2, float(np.linalg.norm(high - low))

    # ------------------------------------------------------- messages

    def _tell(self, title: str, text: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=12.0, color="orange")

    def _warn(self, warnings: tuple[str, ...]) -> None:
        """Show on every page what readers warned of."""
        self._unread = ()
        for text in warnings:
            self.guard.say(UNREAD, text)

    def _greet(self, client: Any) -> None:
        """Show a page that opens what could not be read of the files the studio began with."""
        for text in self._unread:
            client.add_notification(UNREAD, text, auto_close_seconds=12.0, color="orange")

    def _too_large(self, name: str, size: int) -> None:
        limit = self.options.upload_limit / 1e6
        self.guard.say("The file was not taken", f"{name[-80:]}: {size / 1e6:.1f} MB; at most {limit:g} MB")


def _open(options: StudioOptions) -> Any:
    """viser's server, quiet."""
    try:
        import viser
    except ImportError:
        raise MissingDependencyError("the studio needs viser: pip install 'hitogata[studio]'") from None
    options.check_addresses()
    use_loop_events()
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=options.host, port=options.port, label="hitogata", verbose=False)
