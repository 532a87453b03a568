"""Motions: figures led by pins and drags; motions carried over from one figure to another, and edited."""

from hitogata.motion.blending import blend, cross_fade
from hitogata.motion.calibration import calibration_length, without_calibration
from hitogata.motion.cutting import cut, join
from hitogata.motion.foot_contacts import Contact, Foot, RestLimits, find_contacts, resting_points
from hitogata.motion.foot_plants import Tread, Trodden
from hitogata.motion.foot_skate import foot_slides
from hitogata.motion.foot_skate_cleanup import Cleaned, clean_feet
from hitogata.motion.keyframes import Keyframe, keyframe_layer, with_keyframes
from hitogata.motion.layering import Layer, add_layer, layer_between, layer_over
from hitogata.motion.link_map import SkeletonMap, map_skeletons
from hitogata.motion.looping import Drift, Loop, LoopPoints, find_loop, make_loop, repeat
from hitogata.motion.map_files import read_map
from hitogata.motion.mirroring import mirror
from hitogata.motion.phase_match import Transition, best_transition, match_phase
from hitogata.motion.player import Played, Player, drag_along
from hitogata.motion.puppet import Handle, Hold, Priority, Puppet, PuppetSettings, Residuals, Solution, Status
from hitogata.motion.reach import ease_limbs
from hitogata.motion.retarget import Retargeted, retarget, retarget_bvh
from hitogata.motion.root_placement import GroundMove, headings, move_root, put_on_floor, start_at, turn_root
from hitogata.motion.sampling import resample, sample
from hitogata.motion.sole_level import Levelled, level_feet
from hitogata.motion.stances import Stance, find_stances
from hitogata.motion.symmetry import Symmetry, find_symmetry
from hitogata.motion.warping import change_speed, warp

__all__ = [
    "Cleaned",
    "Contact",
    "Drift",
    "Foot",
    "GroundMove",
    "Handle",
    "Hold",
    "Keyframe",
    "Layer",
    "Levelled",
    "Loop",
    "LoopPoints",
    "Played",
    "Player",
    "Priority",
    "Puppet",
    "PuppetSettings",
    "Residuals",
    "RestLimits",
    "Retargeted",
    "SkeletonMap",
    "Solution",
    "Stance",
    "Status",
    "Symmetry",
    "Transition",
    "Tread",
    "Trodden",
    "add_layer",
    "best_transition",
    "blend",
    "calibration_length",
    "change_speed",
    "clean_feet",
    "cross_fade",
    "cut",
    "drag_along",
    "ease_limbs",
    "find_contacts",
    "find_loop",
    "find_stances",
    "find_symmetry",
    "foot_slides",
    "headings",
    "join",
    "keyframe_layer",
    "layer_between",
    "layer_over",
    "level_feet",
    "make_loop",
    "map_skeletons",
    "match_phase",
    "mirror",
    "move_root",
    "put_on_floor",
    "read_map",
    "repeat",
    "resample",
    "resting_points",
    "retarget",
    "retarget_bvh",
    "sample",
    "start_at",
    "turn_root",
    "warp",
    "with_keyframes",
    "without_calibration",
]
