"""coal's signed distance of two shapes."""

import numpy as np

from hitogata.figure import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Plane, Shape, Sphere


def coal_shape(shape: Shape):
    import coal

    if isinstance(shape, Plane):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, 2 * shape.half_length)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, 2 * shape.half_length)
    if isinstance(shape, Ellipsoid):
        return coal.Ellipsoid(*shape.half_axes)
    if isinstance(shape, ConvexMesh):
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for p in shape.vertices:
            points.append(p)
        for i, j, k in shape.faces.tolist():
            triangles.append(coal.Triangle(i, j, k))
        return coal.Convex(points, triangles)
    assert isinstance(shape, Box)
    return coal.Box(*(2 * np.array(shape.half_sizes)))


def coal_distances(a: Shape, b: Shape, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Signed distances (n,), normals from B to A (n, 3), midway points (n, 3)."""
    import coal

    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    one, two = coal_shape(a), coal_shape(b)
    distances, normals, middles = [], [], []
    for row in poses:
        result = coal.DistanceResult()
        place_a = coal.Transform3s(row[:9].reshape(3, 3), row[9:12])
        place_b = coal.Transform3s(row[12:21].reshape(3, 3), row[21:24])
        distances.append(coal.distance(one, place_a, two, place_b, request, result))
        normals.append(-result.normal)
        middles.append((result.getNearestPoint1() + result.getNearestPoint2()) / 2)
    return np.array(distances), np.array(normals), np.array(middles)
