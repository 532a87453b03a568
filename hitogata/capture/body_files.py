"""A fitted body as a file: the OpenSim model that it was fitted from, in its new sizes; or a figure as such a model."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from hitogata.capture.body_fit import BodyFit
from hitogata.errors import FileContentWarning
from hitogata.figure import Figure, Frame, Pose
from hitogata.figure.mechanism import Linear, Scaled
from hitogata.figure.values import FloatArray, Vector
from hitogata.files.osim import OsimModel, osim_from_figure, write_osim
from hitogata.files.osim.document import Body, Joint, Marker, OffsetFrame
from hitogata.files.osim.export import xyz_angles


def fitted_figure(fit: BodyFit) -> Figure:
    """The fitted figure with its markers as frames, instead of the frames of the same names that it had."""
    named = set(fit.markers.labels)
    frames: dict[int, list[Frame]] = {}
    for label, link, place in zip(fit.markers.labels, fit.markers.links, fit.markers.places, strict=True):
        frames.setdefault(int(link), []).append(Frame(label, Pose(_three(place))))
    links = [
        replace(link, frames=(*(f for f in link.frames if f.name not in named), *frames.get(k, ())))
        for k, link in enumerate(fit.figure.links)
    ]
    return Figure(fit.figure.name, tuple(links), fit.figure.coupled)


def fitted_model(fit: BodyFit, model: OsimModel) -> OsimModel:
    """The model that a body was fitted from, in its sizes, with its markers at their fitted places.

    Bodies, joints, frames and markers.  Muscles and all other forces, wrapping and contact surfaces are left out, and
    said to be in one FileContentWarning: their strengths and lengths are no matter of markers.
    """
    factors = dict(zip(fit.figure.link_names, fit.scales, strict=True))
    links = {link.name: link for link in fit.figure.links}
    bodies: list[Body] = []
    for body in model.bodies:
        mass = links[body.name].mass
        heavy = body.mass > 0
        bodies.append(replace(
            body, mass=mass.mass if heavy else 0.0, mass_center=mass.centre if heavy else body.mass_center,
            inertia=mass.inertia if heavy else body.inertia,
        ))  # fmt: skip
    markers = [_marker(marker, fit, model, factors) for marker in model.markers]
    left = [("forces", model.forces), ("wrap objects", model.wrap_objects), ("contact shapes", model.contact_geometry)]
    told = ", ".join(f"{len(what)} {name}" for name, what in left if what)
    if told:
        warnings.warn(f"model {model.name!r}: not scaled, so left out: {told}", FileContentWarning, stacklevel=2)
    joints = tuple(_joint(joint, model, factors) for joint in model.joints)
    frames = [_frame(frame, model, factors) for frame in model.frames if _kept(frame)]
    for told_joint in fit.functional:
        joints = tuple(_refitted(joint, model, fit.figure, told_joint.link, frames) for joint in joints)
    return replace(
        model, bodies=tuple(bodies), joints=joints, frames=tuple(frames), markers=tuple(markers),
        forces=(), wrap_objects=(), contact_geometry=(), groups=(), geometry=(), others=(),
    )  # fmt: skip


def _refitted(joint: Joint, model: OsimModel, figure: Figure, link: str, frames: list[OffsetFrame]) -> Joint:
    """The joint of a link between frames of its own, where the motion told it to be."""
    if model.place(joint.child_frame)[0] != link:
        return joint
    own = figure.link(link)
    paths = []
    for what, body, pose in (("parent", own.parent, own.joint.parent_frame), ("child", link, own.joint.child_frame)):
        name = f"{joint.name}_functional_{what}"
        paths.append(f"/jointset/{joint.name}/{name}")
        turn = xyz_angles(np.asarray(pose.rotation))
        frames.append(OffsetFrame(name, paths[-1], f"/bodyset/{body}", _three(np.asarray(pose.position)), turn))
    return replace(joint, parent_frame=paths[0], child_frame=paths[1])


def write_fitted(fit: BodyFit, path: str | Path, model: OsimModel | None = None) -> None:
    """Write the fitted body as an OpenSim model, markers and all.

    Args:
        fit: the body.
        path: of the file.
        model: that the figure came from; None: the figure is written (without shapes and ranges of ball joints).
    """
    if model is not None:
        write_osim(fitted_model(fit, model), path)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)
        write_osim(osim_from_figure(fitted_figure(fit)), path)


def _kept(frame: OffsetFrame) -> bool:
    """Frames within forces go with them."""
    return not frame.path.startswith(("/forceset/", "/contactgeometryset/"))


def _frame(frame: OffsetFrame, model: OsimModel, factors: dict[str, FloatArray]) -> OffsetFrame:
    body, pose = model.place(frame.socket_parent)
    if body is None:
        return frame
    R = np.asarray(pose.rotation)
    return replace(frame, translation=_three(R.T @ (factors[body] * (R @ frame.translation))))


def _joint(joint: Joint, model: OsimModel, factors: dict[str, FloatArray]) -> Joint:
    """Shifts by functions grow with the parent, by its factor along their axis, as OpenSim has it."""
    body, _ = model.place(joint.parent_frame)
    if body is None or not joint.transform:
        return joint
    axes = []
    for k, axis in enumerate(joint.transform):
        factor = float(np.asarray(axis.axis) ** 2 @ factors[body])
        grown = k >= 3 and axis.function != Linear()
        axes.append(replace(axis, function=Scaled(axis.function, factor)) if grown else axis)
    return replace(joint, transform=tuple(axes))


def _marker(marker: Marker, fit: BodyFit, model: OsimModel, factors: dict[str, FloatArray]) -> Marker:
    body, pose = model.place(marker.socket_parent_frame)
    if marker.name in fit.markers.labels:
        k = fit.markers.labels.index(marker.name)
        name = fit.figure.link_names[fit.markers.links[k]]
        return replace(marker, socket_parent_frame=f"/bodyset/{name}", location=_three(fit.markers.places[k]))
    if body is None:
        return marker
    R = np.asarray(pose.rotation)
    return replace(marker, location=_three(R.T @ (factors[body] * (R @ marker.location))))


def _three(values: FloatArray) -> Vector:
    x, y, z = np.asarray(values).tolist()
    return x, y, z
