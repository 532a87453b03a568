"""From shapes to contact points: broad phase, narrow phase, points that are known again in the next step."""

from hitogata.contact.finder import ContactFinder, Contacts
from hitogata.contact.moving_pairs import time_of_impact
from hitogata.contact.pair_query import PairPoints, contact_points, distance
from hitogata.contact.shapes import ShapeTable, Surface, compile_shapes, joined_bodies, surfaces_of

__all__ = [
    "ContactFinder",
    "Contacts",
    "PairPoints",
    "ShapeTable",
    "Surface",
    "compile_shapes",
    "contact_points",
    "distance",
    "joined_bodies",
    "surfaces_of",
    "time_of_impact",
]
