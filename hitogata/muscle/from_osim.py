"""Muscle sets of OpenSim models."""

from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Pose
from hitogata.figure.mechanism import Constant
from hitogata.files.osim import OsimModel, mechanism_from_osim
from hitogata.files.osim import forces as osim_forces
from hitogata.files.osim import muscles as osim_muscles
from hitogata.files.osim import paths as osim_paths
from hitogata.files.osim.document import xyz_rotation
from hitogata.muscle.curves import DeGroote2016, Millard2012, ModelCurves, Thelen2003
from hitogata.muscle.paths import AnyPoint, ConditionalPoint, MovingPoint, Path, PathPoint, Surface, SurfaceKind, Wrap
from hitogata.muscle.wires import Ligament, Muscle, MuscleSet, Wire


def muscles_from_osim(model: OsimModel) -> MuscleSet:
    """The muscles and ligaments of a model, on its mechanism, in OpenSim's axes.

    Disabled forces are left out, and so are actuators and springs along paths.  Muscles without a tendon (slack length
    0) are taken as rigid ones.  Millard's muscles get the curves that OpenSim gives them: without a least active force
    where the fibre is damped or the tendon rigid.

    Raises:
        FigureError: a muscle or path that does not fit; the error names it.
    """
    mechanism = mechanism_from_osim(model)
    surfaces: dict[str, Surface] = {}
    wires: list[Wire] = []
    for force in model.forces:
        if isinstance(force, _WIRES) and force.appliesForce:
            path = _path(model, force.name, force.path, surfaces)
            wires.append(_muscle(force, path) if isinstance(force, osim_muscles.Muscle) else _ligament(force, path))
    return MuscleSet(model.name, mechanism, tuple(wires), tuple(surfaces.values()))


_WIRES = (osim_muscles.Muscle, osim_forces.Ligament, osim_forces.Blankevoort1991Ligament)


def _muscle(force: osim_muscles.Muscle, path: Path) -> Muscle:
    keys = {"activation_time": "activation_time_constant", "deactivation_time": "deactivation_time_constant"}
    times = {ours: getattr(force, theirs) for ours, theirs in keys.items() if hasattr(force, theirs)}
    curves, damping = _curves(force)
    return Muscle(
        force.name,
        path,
        max_force=force.max_isometric_force,
        fibre_length=force.optimal_fiber_length,
        slack_length=force.tendon_slack_length,
        pennation=force.pennation_angle_at_optimal,
        max_speed=force.max_contraction_velocity,
        curves=curves,
        damping=damping,
        rigid_tendon=force.ignore_tendon_compliance or force.tendon_slack_length == 0.0,
        least_activation=max(getattr(force, "minimum_activation", 0.0), 0.0),
        **times,
    )


def _curves(force: osim_muscles.Muscle) -> tuple[ModelCurves, float]:
    """The curves and the damping of a muscle."""
    if isinstance(force, osim_muscles.Thelen2003Muscle):
        f = force
        return Thelen2003(
            f.KshapeActive, f.FmaxMuscleStrain, f.KshapePassive, f.FmaxTendonStrain, f.Af, f.Flen,
            f.fv_linear_extrap_threshold,
        ), 0.0  # fmt: skip
    if isinstance(force, osim_muscles.DeGrooteFregly2016Muscle):
        strain = 0.0 if force.ignore_passive_fiber_force else force.passive_fiber_strain_at_one_norm_force
        curves = DeGroote2016(force.active_force_width_scale, strain, force.tendon_strain_at_one_norm_force)
        return curves, force.fiber_damping
    if isinstance(force, osim_muscles.Millard2012EquilibriumMuscle):
        return _millard(force), force.fiber_damping
    raise FigureError(f"muscle {force.name!r}: a {type(force).__name__} is read, but its curves are not known")


def _millard(force: osim_muscles.Millard2012EquilibriumMuscle) -> Millard2012:
    active = force.active_force_length or osim_muscles.ActiveForceLengthCurve("")
    speed = force.force_velocity or osim_muscles.ForceVelocityCurve("")
    passive = force.fiber_force_length or osim_muscles.FiberForceLengthCurve("")
    tendon = force.tendon_force_length or osim_muscles.TendonForceLengthCurve("")
    given = (passive.stiffness_at_low_force, passive.stiffness_at_one_norm_force)
    free = force.ignore_tendon_compliance or force.fiber_damping > 0.001
    return Millard2012(
        active_lengths=(
            active.min_norm_active_fiber_length, active.transition_norm_fiber_length,
            active.max_norm_active_fiber_length,
        ),
        active_slope=active.shallow_ascending_slope,
        active_least=0.0 if free else active.minimum_value,
        speed_slopes=(
            speed.concentric_slope_at_vmax, speed.concentric_slope_near_vmax, speed.isometric_slope,
            speed.eccentric_slope_near_vmax, speed.eccentric_slope_at_vmax,
        ),
        stretch_force=speed.max_eccentric_velocity_force_multiplier,
        speed_curviness=(speed.concentric_curviness, speed.eccentric_curviness),
        passive_strains=(passive.strain_at_zero_force, passive.strain_at_one_norm_force),
        passive_slopes=(given[0], given[1]) if given[0] is not None and given[1] is not None else None,
        passive_curviness=0.75 if passive.curviness is None else passive.curviness,
        tendon_strain=tendon.strain_at_one_norm_force,
        tendon_slope=tendon.stiffness_at_one_norm_force,
        tendon_toe=tendon.norm_force_at_toe_end or 2.0 / 3.0,
        tendon_curviness=0.5 if tendon.curviness is None else tendon.curviness,
    )  # fmt: skip


def _ligament(force: Any, path: Path) -> Ligament:
    if isinstance(force, osim_forces.Blankevoort1991Ligament):
        return Ligament(
            force.name,
            path,
            force.slack_length,
            force.linear_stiffness,
            force.transition_strain,
            force.damping_coefficient,
        )
    if force.force_length_curve is None:
        raise FigureError(f"ligament {force.name!r}: it has no force-length curve")
    return Ligament(force.name, path, force.resting_length, curve=force.force_length_curve, scale=force.pcsa_force)


def _path(model: OsimModel, owner: str, path: osim_paths.GeometryPath, surfaces: dict[str, Surface]) -> Path:
    points = tuple(_point(model, owner, point) for point in path.points)
    wraps = []
    for wrap in path.wraps:
        found = next((each for each in model.wrap_objects if each.name == wrap.wrap_object), None)
        if found is None:
            raise FigureError(f"{owner!r}: the model has no wrap object {wrap.wrap_object!r}")
        if not found.active:
            continue
        surfaces.setdefault(found.name, _surface(model, found))
        first, last = (None if x < 1 else int(x) - 1 for x in wrap.range)
        wraps.append(Wrap(found.name, first, last))
    return Path(points, tuple(wraps))


def _point(model: OsimModel, owner: str, point: osim_paths.AnyPathPoint) -> AnyPoint:
    body, pose = model.place(point.socket_parent_frame)
    if isinstance(point, osim_paths.MovingPathPoint):
        if not _plain(pose):
            raise FigureError(
                f"{owner!r}: moving point {point.name!r} on a frame that is not a body's is not supported"
            )
        functions = (point.x_location, point.y_location, point.z_location)
        names = (point.socket_x_coordinate, point.socket_y_coordinate, point.socket_z_coordinate)
        used = [("" if isinstance(f, Constant) else name) for f, name in zip(functions, names, strict=True)]
        return MovingPoint(body, functions, (used[0], used[1], used[2]))
    place = tuple(pose.apply(point.location).tolist())
    if isinstance(point, osim_paths.ConditionalPathPoint):
        return ConditionalPoint(body, place, point.socket_coordinate, point.range)
    return PathPoint(body, place)


def _plain(pose: Pose) -> bool:
    return bool(np.allclose(pose.rotation, np.eye(3)) and np.allclose(pose.position, 0.0))


def _surface(model: OsimModel, wrap: osim_paths.WrapObject) -> Surface:
    body, frame = model.place(wrap.frame)
    pose = frame @ Pose.from_matrix(xyz_rotation(wrap.xyz_body_rotation), wrap.translation)
    side = "" if wrap.quadrant in ("all", "") else wrap.quadrant
    kinds: dict[type, Any] = {
        osim_paths.WrapSphere: (SurfaceKind.SPHERE, lambda w: (w.radius,)),
        osim_paths.WrapCylinder: (SurfaceKind.CYLINDER, lambda w: (w.radius, w.length)),
        osim_paths.WrapEllipsoid: (SurfaceKind.ELLIPSOID, lambda w: w.dimensions),
        osim_paths.WrapTorus: (SurfaceKind.TORUS, lambda w: (w.inner_radius, w.outer_radius)),
    }
    kind, sizes = kinds[type(wrap)]
    return Surface(wrap.name, kind, body, sizes(wrap), pose, side)
