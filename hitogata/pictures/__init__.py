"""Pictures of figures: stills and films with matplotlib, replays and reports as HTML."""

from hitogata.pictures.actor import Actor
from hitogata.pictures.camera import Camera
from hitogata.pictures.figures import draw_figure, draw_terrain
from hitogata.pictures.film import draw_picture, write_film, write_still
from hitogata.pictures.overlays import Arrows, JointRange, Line, Marker, Overlay, Spindles, Trail
from hitogata.pictures.replay import Caption, write_replay
from hitogata.pictures.report import Plot, Replay, Section, Table, write_report
from hitogata.pictures.schedules import draw_schedule, write_schedule

__all__ = [
    "Actor",
    "Arrows",
    "Camera",
    "Caption",
    "JointRange",
    "Line",
    "Marker",
    "Overlay",
    "Plot",
    "Replay",
    "Section",
    "Spindles",
    "Table",
    "Trail",
    "draw_figure",
    "draw_picture",
    "draw_schedule",
    "draw_terrain",
    "write_film",
    "write_replay",
    "write_report",
    "write_schedule",
    "write_still",
]
