"""The skeleton of the built-in musculoskeletal body, and its tables: bones, knees, muscles, tendons, ligaments.

51 bone groups with 155 coordinates: those that muscles move, those that follow the knee's flexion, and those that bone
contact and ligaments hold.  `hitogata.muscle.musculoskeletal` hangs the muscles on it.  The tables (.csv beside this
file) hold one row for each bone, muscle, tendon and ligament of the right side and the midline, with its source;
`docs/muscle-body.md` says where they come from.
"""

from hitogata.library.musculoskeletal.coordinates import Coordinate, Held, coordinates
from hitogata.library.musculoskeletal.skeleton import BodySize, skeleton
from hitogata.library.musculoskeletal.tables import Place, Side, mirrored_name, places_of, rows_of

__all__ = [
    "BodySize",
    "Coordinate",
    "Held",
    "Place",
    "Side",
    "coordinates",
    "mirrored_name",
    "places_of",
    "rows_of",
    "skeleton",
]
