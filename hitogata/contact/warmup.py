"""What `hitogata warmup` compiles for this room."""

from collections.abc import Callable, Iterator


def warm() -> Iterator[tuple[str, Callable[[], object]]]:
    """Contact points and distances of two shapes."""
    from hitogata.contact import contact_points, distance
    from hitogata.figure import Box, Cylinder, Pose, Sphere

    pair = Box((1.0, 1.0, 1.0)), Pose(), Sphere(1.0), Pose((0.0, 0.0, 1.9))
    yield "contact: points of a pair", lambda: contact_points(*pair)
    yield "contact: distance of a pair", lambda: distance(*pair)
    can = Cylinder(1.0, 1.0), Pose(), Sphere(1.0), Pose((0.0, 0.0, 1.9))
    yield "contact: points of any pair", lambda: contact_points(*can)
