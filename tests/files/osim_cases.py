# ruff: noqa: E501
"""OpenSim models written by hand for tests: every type of joint, and the same pendulum in three versions' nesting."""


def frame(name: str, parent: str, translation: str = "0 0 0", orientation: str = "0 0 0") -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{parent}</socket_parent>'
        f"<translation>{translation}</translation><orientation>{orientation}</orientation></PhysicalOffsetFrame>"
    )


def joint(kind: str, name: str, parent: str, child: str, coordinates: list[str], extra: str = "") -> str:
    inside = "".join(f'<Coordinate name="{c}"><range>-1 1</range></Coordinate>' for c in coordinates)
    return (
        f'<{kind} name="{name}"><socket_parent_frame>p_offset</socket_parent_frame>'
        f"<socket_child_frame>c_offset</socket_child_frame><coordinates>{inside}</coordinates><frames>"
        + frame("p_offset", parent, "0.1 -0.2 0.05", "0.3 -0.1 0.2")
        + frame("c_offset", child, "-0.05 0.1 0.02", "-0.2 0.4 0.1")
        + f"</frames>{extra}</{kind}>\n"
    )


def axis(name: str, direction: str, function: str, coordinates: str = "") -> str:
    inside = f"<coordinates>{coordinates}</coordinates><axis>{direction}</axis>{function}"
    return f'<TransformAxis name="{name}">{inside}</TransformAxis>'


CUSTOM = (
    "<SpatialTransform>"
    + axis("rotation1", "0 0 1", '<LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction>', "k1")
    + axis("rotation2", "0 2 0", "<SimmSpline><x>-1 -0.3 0.4 1.2 2</x><y>0 0.1 -0.1 0.2 0.3</y></SimmSpline>", "k1")
    + axis("rotation3", "1 1 0", "<PolynomialFunction><coefficients>0.1 -0.2 0.3 0</coefficients></PolynomialFunction>", "k2")
    + axis("translation1", "1 0 0", "<MultiplierFunction><function><SimmSpline><x>-1 0 1</x><y>0 0.1 0.3</y></SimmSpline>"
           "</function><scale>0.5</scale></MultiplierFunction>", "k1")
    + axis("translation2", "0 1 0", "<LinearFunction><coefficients>0.2 0.3 0.1</coefficients></LinearFunction>", "k1 k2")
    + axis("translation3", "0 0 1", "<Constant><value>0.25</value></Constant>")
    + "</SpatialTransform>"
)  # fmt: skip

JOINTS = (
    ("FreeJoint", [f"f{k}" for k in range(6)], ""),
    ("PinJoint", ["p"], ""),
    ("SliderJoint", ["s"], ""),
    ("UniversalJoint", ["u1", "u2"], ""),
    ("BallJoint", ["b1", "b2", "b3"], ""),
    ("GimbalJoint", ["g1", "g2", "g3"], ""),
    ("PlanarJoint", ["l1", "l2", "l3"], ""),
    ("WeldJoint", [], ""),
    ("EllipsoidJoint", ["e1", "e2", "e3"], "<radii_x_y_z>0.1 0.2 0.3</radii_x_y_z>"),
    (
        "ScapulothoracicJoint",
        ["c1", "c2", "c3", "c4"],
        "<thoracic_ellipsoid_radii_x_y_z>0.1 0.2 0.15</thoracic_ellipsoid_radii_x_y_z>"
        "<scapula_winging_axis_origin>0.02 -0.03</scapula_winging_axis_origin>"
        "<scapula_winging_axis_direction>0.4</scapula_winging_axis_direction>",
    ),
    ("CustomJoint", ["k1", "k2"], CUSTOM),
)

MUSCLE = """<Thelen2003Muscle name="biceps"><max_isometric_force>700</max_isometric_force>
<GeometryPath name="path"><PathPointSet><objects>
<PathPoint name="a"><socket_parent_frame>/bodyset/b1</socket_parent_frame><location>0 0.1 0</location></PathPoint>
<ConditionalPathPoint name="b"><socket_parent_frame>/bodyset/b2</socket_parent_frame><location>0 0 0.1</location>
<socket_coordinate>/jointset/j1/p</socket_coordinate><range>-1 0.5</range></ConditionalPathPoint>
<MovingPathPoint name="c"><socket_parent_frame>/bodyset/b3</socket_parent_frame>
<socket_x_coordinate>/jointset/j2/s</socket_x_coordinate><socket_y_coordinate>/jointset/j2/s</socket_y_coordinate>
<socket_z_coordinate>/jointset/j2/s</socket_z_coordinate>
<x_location><SimmSpline><x>0 1 2</x><y>0 1 0</y></SimmSpline></x_location></MovingPathPoint>
</objects></PathPointSet><PathWrapSet><objects><PathWrap name="w"><wrap_object>ball</wrap_object><method>midpoint</method>
<range>1 2</range></PathWrap></objects></PathWrapSet></GeometryPath></Thelen2003Muscle>"""


def every_joint() -> str:
    """A chain of all types of joints, with a coupler, a muscle, a marker, wraps, contact and what is not known."""
    bodies = "".join(
        f'<Body name="b{k}"><mass>{1 + 0.3 * k}</mass><mass_center>0.0{k % 10} 0.1 -0.02</mass_center>'
        f"<inertia>0.05 0.06 0.07 0.001 0.002 -0.003</inertia>"
        + ('<WrapObjectSet><objects><WrapSphere name="ball"><radius>0.03</radius></WrapSphere></objects></WrapObjectSet>'
           '<attached_geometry><Mesh name="m"><mesh_file>bone.vtp</mesh_file></Mesh></attached_geometry>' if k == 1 else "")
        + "</Body>\n"
        for k in range(len(JOINTS))
    )  # fmt: skip
    joints = "".join(
        joint(kind, f"j{k}", "/ground" if k == 0 else f"/bodyset/b{k - 1}", f"/bodyset/b{k}", names, extra)
        for k, (kind, names, extra) in enumerate(JOINTS)
    )
    return f"""<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000"><Model name="chain">
<defaults><Thelen2003Muscle name="default"><tendon_slack_length>0.31</tendon_slack_length></Thelen2003Muscle></defaults>
<gravity>0 -9.80665 0</gravity>
<BodySet><objects>
{bodies}</objects></BodySet>
<JointSet><objects>
{joints}</objects></JointSet>
<ConstraintSet><objects><CoordinateCouplerConstraint name="follow"><coupled_coordinates_function>
<LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction></coupled_coordinates_function>
<independent_coordinate_names>p</independent_coordinate_names><dependent_coordinate_name>s</dependent_coordinate_name>
</CoordinateCouplerConstraint></objects></ConstraintSet>
<ForceSet><objects>{MUSCLE}
<HoverForce name="magic"><power>3</power></HoverForce>
<CoordinateActuator name="motor"><coordinate>p</coordinate><optimal_force>10</optimal_force></CoordinateActuator>
</objects></ForceSet>
<MarkerSet><objects><Marker name="tip"><socket_parent_frame>/jointset/j3/c_offset</socket_parent_frame>
<location>0.1 0.2 0.3</location></Marker></objects></MarkerSet>
<ContactGeometrySet><objects><ContactSphere name="heel"><socket_frame>/bodyset/b2</socket_frame><radius>0.03</radius>
</ContactSphere></objects></ContactGeometrySet>
</Model></OpenSimDocument>
"""


def old_pendulum(version: int = 20000) -> str:
    """A pendulum on a custom joint, with the joint inside the body, as before 4.0."""
    still = "".join(
        f'<TransformAxis name="{name}"><function><Constant><value>0</value></Constant></function>'
        f"<coordinates></coordinates><axis>{direction}</axis></TransformAxis>"
        for name, direction in (
            ("rotation2", "0 1 0"), ("rotation3", "1 0 0"), ("translation1", "1 0 0"), ("translation2", "0 1 0"),
            ("translation3", "0 0 1"),
        )
    )  # fmt: skip
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="{version}"><Model name="old pendulum"><BodySet><objects>
<Body name="ground"><mass>0</mass><mass_center>0 0 0</mass_center><Joint/></Body>
<Body name="rod"><mass>2</mass><mass_center>0 -0.5 0</mass_center>
<inertia_xx>0.1</inertia_xx><inertia_yy>0.02</inertia_yy><inertia_zz>0.1</inertia_zz>
<inertia_xy>0</inertia_xy><inertia_xz>0</inertia_xz><inertia_yz>0</inertia_yz>
<Joint><CustomJoint name="pivot"><parent_body> ground </parent_body>
<location_in_parent>0 1 0</location_in_parent><orientation_in_parent>0 0 0</orientation_in_parent>
<location>0 0 0</location><orientation>0 0 0</orientation>
<CoordinateSet><objects><Coordinate name="angle"><range>-3 3</range></Coordinate></objects></CoordinateSet>
<reverse>false</reverse><SpatialTransform><TransformAxis name="rotation1">
<function><LinearFunction><coefficients>1 0</coefficients></LinearFunction></function>
<coordinates>angle</coordinates><axis>0 0 1</axis></TransformAxis>{still}</SpatialTransform></CustomJoint></Joint>
<VisibleObject><GeometrySet><objects><DisplayGeometry><geometry_file>rod.vtp</geometry_file>
<transform>0 0 0.5 0.1 0 0</transform></DisplayGeometry></objects></GeometrySet></VisibleObject></Body>
</objects></BodySet></Model></OpenSimDocument>
"""
