"""Joints of OpenSim's types."""

from typing import Any

from hitogata.figure.mechanism import Constant, Function
from hitogata.files.osim.document import Coordinate, Joint, TransformAxis
from hitogata.files.osim.elements import Element
from hitogata.files.osim.functions import function_inside, read_function
from hitogata.files.osim.properties import DISPLAY, NUMBERS, Reader, read_object

AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")

COUNTS = {
    "WeldJoint": 0,
    "PinJoint": 1,
    "SliderJoint": 1,
    "UniversalJoint": 2,
    "BallJoint": 3,
    "GimbalJoint": 3,
    "PlanarJoint": 3,
    "EllipsoidJoint": 3,
    "ScapulothoracicJoint": 4,
    "FreeJoint": 6,
}
"""How many coordinates each type has; a CustomJoint has any number from 1 to 6."""

PARAMETERS = {
    "EllipsoidJoint": {"radii_x_y_z": 3},
    "ScapulothoracicJoint": {
        "thoracic_ellipsoid_radii_x_y_z": 3,
        "scapula_winging_axis_origin": 2,
        "scapula_winging_axis_direction": 1,
    },
}
"""Numbers that a type needs besides its coordinates."""

_IN_JOINT = {"socket_parent_frame", "socket_child_frame", "coordinates", "frames", "components", "SpatialTransform"}


def read_joint(reader: Reader, element: Element) -> Joint:
    """A joint from its element, checked for what its type needs."""
    if element.tag not in COUNTS and element.tag != "CustomJoint":
        known = ", ".join([*COUNTS, "CustomJoint"])
        raise reader.error(element, f"a joint of an unknown type; known are {known}")
    parent, child = element.child("socket_parent_frame"), element.child("socket_child_frame")
    if parent is None or child is None:
        raise reader.error(element, f"<socket_{'parent' if parent is None else 'child'}_frame> is missing")
    holder = element.child("coordinates")
    coordinates = [read_coordinate(reader, each) for each in (holder.children if holder is not None else [])]
    names = [each.name for each in coordinates]
    for name in names:
        if names.count(name) > 1:
            raise reader.error(element, f"two coordinates are called {name!r}")
    expected = COUNTS.get(element.tag)
    if expected is not None and len(coordinates) != expected:
        coordinates = _completed(reader, element, coordinates, expected)
    transform = _transform(reader, element, tuple(names)) if element.tag == "CustomJoint" else ()
    wanted = PARAMETERS.get(element.tag, {})
    for stray in element.children:
        if stray.tag not in {*_IN_JOINT, *wanted, *DISPLAY} and (stray.text or stray.children):
            reader.contents.leave("property", f"{element.tag}.{stray.tag}")
    return Joint(
        element.name,
        element.tag,
        parent.text,
        child.text,
        tuple(coordinates),
        transform,
        tuple((tag, _parameter(reader, element, tag, count)) for tag, count in wanted.items()),
    )


def read_coordinate(reader: Reader, element: Element) -> Coordinate:
    """A coordinate; one without a range takes OpenSim's own."""
    if element.tag != "Coordinate" or not element.name:
        raise reader.error(element, "a <Coordinate> with a name is expected")
    made = read_object(reader, Coordinate, element, skip=("motion_type", "initial_value"))
    if made.range[0] > made.range[1]:
        raise reader.error(element, f"range: {made.range[0]:g} is above {made.range[1]:g}")
    return made


def _completed(reader: Reader, element: Element, given: list[Coordinate], count: int) -> list[Coordinate]:
    """Coordinates that the file leaves out have OpenSim's own names; more than the type has are an error."""
    if len(given) > count:
        raise reader.error(element, f"a {element.tag} has {count} coordinates, got {len(given)}")
    made = [Coordinate(f"{element.name}_coord_{k}") for k in range(len(given), count)]
    return [*given, *made]


def _parameter(reader: Reader, element: Element, tag: str, count: int) -> tuple[float, ...]:
    found = element.child(tag)
    if found is None:
        raise reader.error(element, f"<{tag}> is missing")
    values: tuple[float, ...] = NUMBERS.read(reader, found)
    if len(values) != count:
        raise reader.error(found, f"{count} numbers are expected, got {found.text[:60]!r}")
    if tag.endswith("radii_x_y_z") and min(values) <= 0:
        raise reader.error(found, f"radii must be positive, got {found.text[:60]!r}")
    return values


def _transform(reader: Reader, joint: Element, names: tuple[str, ...]) -> tuple[TransformAxis, ...]:
    """The six axes of a CustomJoint, in order."""
    spatial = joint.child("SpatialTransform")
    given: list[Element] = [] if spatial is None else [each for each in spatial.children if each.tag == "TransformAxis"]
    if len(given) > 6:
        raise reader.error(given[6], "a SpatialTransform has six axes")
    by_name = {each.name: each for each in given}
    if not set(by_name) <= set(AXES) or len(by_name) != len(given):  # the first versions went by their order
        by_name = dict(zip(AXES, given, strict=False))
    axes = [_axis(reader, by_name[name], name) if name in by_name else _still(name) for name in AXES]
    used = {coordinate for axis in axes for coordinate in axis.coordinates}
    for name in sorted(used - set(names)):
        raise reader.error(
            spatial or joint, f"no coordinate {name!r} in this joint; it has {', '.join(names) or 'none'}"
        )
    if not names:
        raise reader.error(joint, "a CustomJoint needs a coordinate")
    return tuple(axes)


def _still(name: str) -> TransformAxis:
    """OpenSim's own axis where the file has none: it does not move."""
    k = AXES.index(name) % 3
    x, y, z = (float(k == axis) for axis in range(3))
    return TransformAxis(name, (), (x, y, z), Constant())


def _axis(reader: Reader, element: Element, name: str) -> TransformAxis:
    found = function_inside(element)
    function: Function = Constant() if found is None else read_function(reader, found)
    skip = ["function"] + ([found.tag] if found is not None else [])
    values: dict[str, Any] = {"name": name, "function": function}
    axis = read_object(reader, TransformAxis, element, skip=skip, **values)
    if not any(axis.axis):
        raise reader.error(element, f"axis: a direction needs a length, got {axis.axis}")
    takes = function.arguments
    if takes is not None and takes != len(axis.coordinates):
        kind = found.tag if found is not None else "function"
        raise reader.error(element, f"a {kind} of {takes} coordinates is given {len(axis.coordinates)}")
    return axis
