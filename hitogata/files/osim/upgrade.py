"""Older documents (1.x to 3.x and the first of 4.0) made into the nesting and names of 4.x, element by element.

What each version changed is public in OpenSim's release notes; lines are kept, so that errors point into the file.
"""

from collections.abc import Iterator

from hitogata.files.osim.elements import Element
from hitogata.files.osim.functions import FUNCTION_TYPES
from hitogata.files.osim.properties import NUMBERS, VECTOR, Reader, row_text

TYPES = {
    "NaturalCubicSpline": "SimmSpline",
    "natCubicSpline": "SimmSpline",
    "MusclePoint": "PathPoint",
    "MuscleViaPoint": "ConditionalPathPoint",
    "MovingMusclePoint": "MovingPathPoint",
    "MuscleWrap": "PathWrap",
    "MusclePointSet": "PathPointSet",
    "MuscleWrapSet": "PathWrapSet",
    "Thelen2003Muscle_Deprecated": "Thelen2003Muscle",
    "Schutte1993Muscle_Deprecated": "Schutte1993Muscle",
    "Delp1990Muscle_Deprecated": "Delp1990Muscle",
    "ActuatorSet": "ForceSet",
}
"""Types of older versions."""

PROPERTIES = {
    "pennation_angle": "pennation_angle_at_optimal",
    "Vmax": "max_contraction_velocity",
    "max_speed": "max_contraction_velocity",
}
"""Properties of older versions; where the new one stands beside it, that counts."""

_PATH_SOCKETS = {
    "body": "socket_parent_frame",
    "coordinate": "socket_coordinate",
    "x_coordinate": "socket_x_coordinate",
    "y_coordinate": "socket_y_coordinate",
    "z_coordinate": "socket_z_coordinate",
}
_CURVES = frozenset(
    (
        *("force_length_curve", "active_force_length_curve", "passive_force_length_curve", "force_velocity_curve"),
        *("tendon_force_length_curve", "prescribed_function", "coupled_coordinates_function"),
        *("x_location", "y_location", "z_location"),
    )
)
"""Properties that hold a function; 4.x writes some as <SimmSpline name="force_length_curve">."""
_JOINT_PLACES = ("location_in_parent", "orientation_in_parent", "location", "orientation", "parent_body")


def upgrade(reader: Reader, model: Element) -> None:
    """Change a <Model> element of any version into one of 4.x, in place."""
    for wrapper in ("DynamicsEngine", "SimbodyEngine"):
        while (inner := model.pop(wrapper)) is not None:
            model.children += inner.children
    for element in walk(model):
        _rename(element)
        _sockets(element)
    bodies = model.child("BodySet")
    joints = model.child("JointSet")
    for body in objects_of(bodies):
        _inertia(reader, body)
        nested = body.pop("Joint")
        if nested is not None and nested.children:
            joints = joints or model.add("JointSet")
            _nest(reader, nested.children[0], body, joints)
    for joint in objects_of(joints):
        _joint(reader, joint)
    for element in (*objects_of(model.child("ForceSet")), *objects_of(model.child("ConstraintSet"))):
        _weld(reader, element)
    for body in objects_of(bodies):
        _geometry(reader, body)
    _ground(model, bodies)


def objects_of(found: Element | None) -> list[Element]:
    """What a set holds: the children of its <objects>."""
    objects = found.child("objects") if found is not None else None
    return objects.children if objects is not None else []


def walk(element: Element) -> Iterator[Element]:
    """An element and all inside, in the order of the text."""
    stack = [element]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(found.children)


def _rename(element: Element) -> None:
    for child in element.children:
        child.tag = TYPES.get(child.tag, child.tag)
        new = PROPERTIES.get(child.tag)
        if new and element.child(new) is None:
            child.tag = new
        if child.tag == "isDisabled":
            child.tag = "isEnforced" if element.tag.endswith("Constraint") else "appliesForce"
            child.text = {"true": "false", "false": "true"}.get(child.text.lower(), child.text)
    element.children = [_wrapped(child) for child in element.children]
    if element.child("PathPointSet") is not None and element.tag != "GeometryPath":  # 1.x: straight in the muscle
        path = Element("GeometryPath", line=element.line)
        path.children = [found for tag in ("PathPointSet", "PathWrapSet") if (found := element.pop(tag)) is not None]
        element.children.append(path)
    nested = element.child("path")
    if nested is not None and nested.children:  # from 4.5 on a muscle's path is a property that holds a path
        element.pop("path")
        element.children += nested.children


def _wrapped(child: Element) -> Element:
    """A function that is named after its property stands inside an element of that name."""
    if child.name in _CURVES and child.tag in FUNCTION_TYPES:
        return Element(child.name, children=[child], line=child.line)
    return child


def _sockets(element: Element) -> None:
    """Connections of all versions as <socket_...>."""
    connectors = element.pop("connectors")
    for connector in connectors.children if connectors is not None else []:
        target = connector.child("connectee_name")
        element.add(f"socket_{connector.name}", target.text if target is not None else "", line=connector.line)
    for child in element.children:
        if child.tag.startswith("socket_"):
            child.tag = child.tag.removesuffix("_connectee_name")
    if element.tag in ("PathPoint", "ConditionalPathPoint", "MovingPathPoint", "Marker"):
        renames = _PATH_SOCKETS
    elif element.tag.startswith("Contact") and element.tag in ("ContactSphere", "ContactHalfSpace", "ContactMesh"):
        renames = {"body_name": "socket_frame"}
    elif element.tag.endswith("Constraint"):
        renames = {"body_1": "socket_body_1", "body_2": "socket_body_2"}
    else:
        return
    for child in element.children:
        new = renames.get(child.tag)
        if new and element.child(new) is None:
            child.tag = new


def _inertia(reader: Reader, body: Element) -> None:
    """Six numbers in one element."""
    parts = [body.pop(f"inertia_{axes}") for axes in ("xx", "yy", "zz", "xy", "xz", "yz")]
    if body.child("inertia") is None and any(part is not None for part in parts):
        line = next(part.line for part in parts if part is not None)
        body.add("inertia", " ".join(part.text if part is not None else "0" for part in parts), line=line)


def _nest(reader: Reader, joint: Element, body: Element, joints: Element) -> None:
    """A joint inside a body moves to the set of joints."""
    objects = joints.child("objects") or joints.add("objects")
    objects.children.append(joint)
    if joint.child("socket_child_frame") is None:
        joint.add("socket_child_frame", f"/bodyset/{body.name}")


def _joint(reader: Reader, joint: Element) -> None:
    """Frames in place of locations; coordinates without a set around them; functions without <function>."""
    inner = joint.pop("CoordinateSet")
    if inner is not None and joint.child("coordinates") is None:
        joint.add("coordinates", line=inner.line).children = objects_of(inner)
    places = {tag: joint.pop(tag) for tag in _JOINT_PLACES}
    parent = places["parent_body"]
    if parent is not None and joint.child("socket_parent_frame") is None:
        joint.add("socket_parent_frame", f"/bodyset/{parent.text}", line=parent.line)
    for side, where, turn in (
        ("socket_parent_frame", "location_in_parent", "orientation_in_parent"),
        ("socket_child_frame", "location", "orientation"),
    ):
        socket = joint.child(side)
        if socket is not None and (places[where] is not None or places[turn] is not None):
            _offset(joint, socket, places[where], places[turn])
    reverse = joint.pop("reverse")
    if reverse is not None and reverse.text.lower() == "true":
        first, second = joint.child("socket_parent_frame"), joint.child("socket_child_frame")
        if first is not None and second is not None:
            first.tag, second.tag = second.tag, first.tag


def _offset(owner: Element, socket: Element, where: Element | None, turn: Element | None) -> None:
    """A frame of a component at a place in the body that its socket names; the socket then names the frame."""
    frames = owner.child("frames") or owner.add("frames")
    taken = {frame.name for frame in frames.children}
    name = socket.text.rsplit("/", 1)[-1] + "_offset"
    while name in taken:
        name += "_"
    line = where.line if where is not None else socket.line
    frame = frames.add("PhysicalOffsetFrame", name=name, line=line)
    frame.add("socket_parent", socket.text, line=socket.line)
    frame.add("translation", where.text if where is not None else "0 0 0", line=line)
    frame.add("orientation", turn.text if turn is not None else "0 0 0", line=turn.line if turn is not None else line)
    socket.text = name


def _weld(reader: Reader, element: Element) -> None:
    """Welds and bushings with places in their bodies get frames."""
    if element.tag not in ("WeldConstraint", "BushingForce", "ExpressionBasedBushingForce"):
        return
    for k in ("1", "2"):
        body = element.pop(f"socket_body_{k}", f"body_{k}")
        where, turn = element.pop(f"location_body_{k}"), element.pop(f"orientation_body_{k}")
        if body is not None and element.child(f"socket_frame{k}") is None:
            socket = element.add(f"socket_frame{k}", body.text, line=body.line)
            if where is not None or turn is not None:
                _offset(element, socket, where, turn)


def _geometry(reader: Reader, body: Element) -> None:
    """What <VisibleObject> draws becomes <attached_geometry>; a transform needs a frame of its own."""
    visible = body.pop("VisibleObject")
    if visible is None or body.child("attached_geometry") is not None:
        return
    scale = _row(reader, visible, "scale_factors", (1.0, 1.0, 1.0))
    shown = list(objects_of(visible.child("GeometrySet")))
    files = visible.child("geometry_files")
    for word in files.text.split() if files is not None else []:
        made = Element("DisplayGeometry", line=files.line if files is not None else 0)
        made.add("geometry_file", word)
        shown.append(made)
    attached = body.add("attached_geometry")
    for k, piece in enumerate(shown):
        file = piece.child("geometry_file")
        if file is None or not file.text:
            continue
        transform = _row(reader, piece, "transform", (0.0,) * 6)
        holder = attached
        if any(transform):
            components = body.child("components") or body.add("components")
            frame = components.add("PhysicalOffsetFrame", name=f"{body.name}_geom_frame_{k + 1}", line=piece.line)
            frame.add("socket_parent", "..")
            frame.add("translation", row_text(transform[3:]))
            frame.add("orientation", row_text(transform[:3]))
            holder = frame.add("attached_geometry")
        mesh = holder.add("Mesh", name=f"{body.name}_geom_{k + 1}", line=piece.line)
        mesh.add("mesh_file", file.text, line=file.line)
        own = _row(reader, piece, "scale_factors", (1.0, 1.0, 1.0))
        mesh.add("scale_factors", row_text(a * b for a, b in zip(scale, own, strict=True)))
        look = mesh.add("Appearance")
        look.children = [found for tag in ("color", "opacity") if (found := piece.child(tag)) is not None]
        preference = piece.child("display_preference")
        if preference is not None and preference.text == "0":
            look.add("visible", "false")


def _row(reader: Reader, element: Element, tag: str, default: tuple[float, ...]) -> tuple[float, ...]:
    found = element.child(tag)
    if found is None or not found.text:
        return default
    codec = VECTOR if len(default) == 3 else NUMBERS
    values: tuple[float, ...] = codec.read(reader, found)
    if len(values) != len(default):
        raise reader.error(found, f"{len(default)} numbers are expected, got {found.text[:60]!r}")
    return values


def _ground(model: Element, bodies: Element | None) -> None:
    """A body called ground is the ground."""
    found = next((body for body in objects_of(bodies) if body.name == "ground"), None)
    if found is None or bodies is None:
        return
    objects = bodies.child("objects")
    assert objects is not None
    objects.children = [body for body in objects.children if body is not found]
    if model.child("Ground") is None:
        found.tag = "Ground"
        for tag in ("mass", "mass_center", "inertia"):
            found.pop(tag)
        model.children.append(found)
