"""Motion capture: from camera images to labelled markers.

Images (`film` makes them where there is no laboratory) → blobs → points → tracks → labels.  `docs/capture.md` is the
guide.
"""

from hitogata.capture.asymmetry import Asymmetry, asymmetry, suggest_move
from hitogata.capture.blobs import BlobFinder, Blobs, BlobSettings, find_blobs
from hitogata.capture.board import Board, find_corners, observe_board
from hitogata.capture.body_fit import BodyFit, FitSettings, fit_body, joint_centres
from hitogata.capture.body_mass import segment_masses, with_masses
from hitogata.capture.body_scale import scaled_figure
from hitogata.capture.calibration import Calibration, CalibrationError, calibrate
from hitogata.capture.camera import Camera, project, project_with_derivatives, rays, undistort
from hitogata.capture.camera_files import read_cameras, write_cameras
from hitogata.capture.camera_link import CameraFrame, CameraLinkError, CameraServer, frames_from, serve_camera
from hitogata.capture.film import FilmSettings, film_figure, film_points
from hitogata.capture.film_board import film_board
from hitogata.capture.functional import FunctionalJoint
from hitogata.capture.gap_fill import fill_gaps
from hitogata.capture.ik import IkSettings, JointAngles, MarkerIk, Wishes, markers_on, solve_ik
from hitogata.capture.ik_covariance import joint_covariance
from hitogata.capture.joint_range import MeasuredRange, measure_range
from hitogata.capture.label_edit import Scope, exchange_labels, remove_label
from hitogata.capture.label_repair import Repaired, label_by_pose, repair_labels
from hitogata.capture.label_search import search_labels
from hitogata.capture.labelling import Labelled, Labeller, label
from hitogata.capture.lens_calibration import LensCalibration, LensReport, calibrate_lenses
from hitogata.capture.live import CameraLostError, CameraProcesses
from hitogata.capture.live_chain import LiveChain, LiveFrame, marker_data
from hitogata.capture.live_drags import LiveDrags, Tracked
from hitogata.capture.marker_model import MarkerModel, learn_markers, model_of
from hitogata.capture.marker_set import MarkerSet, spread_markers
from hitogata.capture.matching import Matcher, MatchSettings, Points
from hitogata.capture.osim_ik import OsimAngles, osim_ik
from hitogata.capture.smoothing import SmoothSettings, smooth_angles
from hitogata.capture.tracking import Reconstruction, Tracker, TrackSettings, reconstruct
from hitogata.capture.trial_check import check_trial
from hitogata.capture.wand import LFrame, Wand, observe

__all__ = [
    "Asymmetry",
    "BlobFinder",
    "BlobSettings",
    "Blobs",
    "Board",
    "BodyFit",
    "Calibration",
    "CalibrationError",
    "Camera",
    "CameraFrame",
    "CameraLinkError",
    "CameraLostError",
    "CameraProcesses",
    "CameraServer",
    "FilmSettings",
    "FitSettings",
    "FunctionalJoint",
    "IkSettings",
    "JointAngles",
    "LFrame",
    "Labelled",
    "Labeller",
    "LensCalibration",
    "LensReport",
    "LiveChain",
    "LiveDrags",
    "LiveFrame",
    "MarkerIk",
    "MarkerModel",
    "MarkerSet",
    "MatchSettings",
    "Matcher",
    "MeasuredRange",
    "OsimAngles",
    "Points",
    "Reconstruction",
    "Repaired",
    "Scope",
    "SmoothSettings",
    "TrackSettings",
    "Tracked",
    "Tracker",
    "Wand",
    "Wishes",
    "asymmetry",
    "calibrate",
    "calibrate_lenses",
    "check_trial",
    "exchange_labels",
    "fill_gaps",
    "film_board",
    "film_figure",
    "film_points",
    "find_blobs",
    "find_corners",
    "fit_body",
    "frames_from",
    "joint_centres",
    "joint_covariance",
    "label",
    "label_by_pose",
    "learn_markers",
    "marker_data",
    "markers_on",
    "measure_range",
    "model_of",
    "observe",
    "observe_board",
    "osim_ik",
    "project",
    "project_with_derivatives",
    "rays",
    "read_cameras",
    "reconstruct",
    "remove_label",
    "repair_labels",
    "scaled_figure",
    "search_labels",
    "segment_masses",
    "serve_camera",
    "smooth_angles",
    "solve_ik",
    "spread_markers",
    "suggest_move",
    "undistort",
    "with_masses",
    "write_cameras",
]
