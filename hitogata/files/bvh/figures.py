"""A Figure with the skeleton of a BVH file."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hitogata.errors import FigureError, FileContentWarning
from hitogata.figure import Figure, FigureBuilder, Frame, Joint, JointKind, Pose, Shape, joint
from hitogata.figure.values import FloatArray, positive
from hitogata.files.bvh.bodies import DENSITY, LONGEST, Bone, bone_mass, bone_shapes
from hitogata.files.bvh.skeleton import Bvh, BvhJoint
from hitogata.files.bvh.units import leg_length
from hitogata.files.inertias import BETWEEN
from hitogata.files.names import Part, naming_of

STILL = 1e-6
"""A joint whose place in its parent moves by less than this has no sliders [m]."""


def figure_from_bvh(
    bvh: Bvh,
    *,
    name: str | None = None,
    mass: float | None = None,
    density: float = DENSITY,
    sliders: bool = False,
) -> Figure:
    """A figure with a link for each joint of a BVH file, its frame at the joint and parallel to the world's at rest.

    The root hangs on a free joint; three rotations make a ball joint, two a universal joint, one a hinge, none a fixed
    one.  End sites become frames named after their joint, with "_end".  Shapes are capsules along the bones, as thick
    as a human's where the names of joints are known; masses come from them.

    A figure's inner joints do not move apart.  If position channels make a joint of the file do so, its mean place is
    taken and the greatest distance from it told in a FileContentWarning; with `sliders` the joint gets a slider, and a
    link of 1e-6 of the mass, for each axis that moves.  Where nothing but that joint hangs on the root (hips that move
    below a fixed root), nothing is lost: the root moves instead (`trajectory_from_bvh`).

    Args:
        bvh: the file.
        name: of the figure; None: that of the file.
        mass: of the whole figure [kg]; None: from the density.
        density: of the shapes [kg/m³].
        sliders: follow inner joints that move apart.

    Returns:
        The figure; `trajectory_from_bvh` gives its motion.
    """
    naming = naming_of(bvh.names)
    leg = leg_length(bvh.joints, naming)
    leg = None if leg is None else leg * bvh.scale
    parts = [naming.roles[it][0] if it in naming.roles else None for it in bvh.names]
    shapes: list[tuple[Shape, ...]] = [bone_shapes(_bones(bvh, i, parts), part, leg) for i, part in enumerate(parts)]
    masses = [bone_mass(s, positive(density, "density")) for s in shapes]
    if mass is not None:
        whole = sum(m.mass for m in masses)
        masses = [m.scaled(m.mass * positive(mass, "mass") / whole) for m in masses]
    builder = FigureBuilder(name or bvh.name)
    notes = _long_bones(bvh, leg)
    taken = set(bvh.names)
    for i, it in enumerate(bvh.joints):
        parent = None if it.parent < 0 else bvh.joints[it.parent].name
        place = mean_place(bvh, i)
        moving = moving_axes(bvh, i)
        hung = joint_of(bvh, it, place)
        if moving and sliders:
            for axis in moving:
                between = slider_name(it.name, axis)
                light = bone_mass(bone_shapes([], None, leg), density).scaled(BETWEEN * masses[i].mass)
                slide = joint.slider(axis=np.eye(3)[axis], parent_frame=hung.parent_frame, name=between)
                builder.add(between, parent, slide, light)
                parent, hung = between, replace(hung, parent_frame=Pose())
        elif moving and i != carried_joint(bvh):
            apart = float(np.linalg.norm(bvh.metres(bvh.translations(i)) - place, axis=1).max())
            notes.append(f"joint {it.name!r} moves in its parent, up to {apart:.3g} m from its mean place: "
                         "held there (follow it with sliders=True)")  # fmt: skip
        frames = []
        for k, end in enumerate(it.ends):
            label = end_name(it.name, k)
            while label in taken:
                label += "_"
            taken.add(label)
            frames.append(Frame(label, Pose(tuple(bvh.metres(end)))))
        builder.add(it.name, parent, hung, masses[i], shapes=shapes[i], frames=frames)
    if notes:
        warnings.warn(f"{bvh.name}: {'; '.join(notes)}", FileContentWarning, stacklevel=2)
    return builder.build()


def joint_of(bvh: Bvh, it: BvhJoint, place: FloatArray) -> Joint:
    """The joint of a figure that turns like a joint of the file, at a place in its parent [m]."""
    axes = [bvh.up.ours(channel.axis) for channel in it.rotations]
    kind = joint_kind(it)
    where = Pose(tuple(place))
    if kind is JointKind.FREE:
        return joint.free(rest=(*where.position, 1.0, 0.0, 0.0, 0.0), name=it.name)
    if kind is JointKind.HINGE:
        return joint.hinge(axis=np.eye(3)[axes[0]], parent_frame=where, name=it.name)
    if kind is JointKind.UNIVERSAL:
        return joint.universal(axis=np.eye(3)[axes[0]], axis2=np.eye(3)[axes[1]], parent_frame=where, name=it.name)
    return Joint(kind, parent_frame=where, name=it.name)


def joint_kind(it: BvhJoint) -> JointKind:
    """What kind of joint of a figure a joint of the file becomes."""
    axes = [channel.axis for channel in it.rotations]
    if it.parent < 0:
        return JointKind.FREE
    if not axes:
        return JointKind.FIXED
    if len(axes) == 1:
        return JointKind.HINGE
    return JointKind.UNIVERSAL if len(axes) == 2 and axes[0] != axes[1] else JointKind.BALL


def mean_place(bvh: Bvh, i: int) -> FloatArray:
    """Place of a joint in its parent [m]: its offset, or the mean of what position channels say.

    That of the root, and of a joint for which it moves, is the offset.
    """
    if i == 0 or not bvh.nframes or i == carried_joint(bvh):
        return bvh.offset(i)
    places = bvh.metres(bvh.translations(i))
    middle: FloatArray = (places.min(axis=0) + places.max(axis=0)) / 2  # exact if it does not move
    return middle


def moving_axes(bvh: Bvh, i: int) -> list[int]:
    """Our axes along which an inner joint moves in its parent."""
    if i == 0 or not bvh.joints[i].positions or not bvh.nframes:
        return []
    width = np.ptp(bvh.metres(bvh.translations(i)), axis=0)
    return [axis for axis in range(3) if width[axis] > STILL]


def carried_joint(bvh: Bvh) -> int | None:
    """The last joint that moves in its parent before the skeleton branches: a motion of the root can stand for it."""
    found, i = None, 0
    while len(children := [k for k, parent in enumerate(bvh.parents) if parent == i]) == 1:
        i = children[0]
        if moving_axes(bvh, i):
            found = i
    return found


def slider_name(joint_name: str, axis: int) -> str:
    """Link between a joint that moves in its parent and the parent."""
    return f"{joint_name}:{'xyz'[axis]}"


def end_name(joint_name: str, k: int) -> str:
    """Frame of a joint's k-th end site."""
    return f"{joint_name}_end" + (str(k + 1) if k else "")


def _bones(bvh: Bvh, i: int, parts: Sequence[Part | None]) -> list[Bone]:
    """A joint's bones: to its children and its end sites."""
    children = [Bone(mean_place(bvh, k), parts[k]) for k, parent in enumerate(bvh.parents) if parent == i]
    return children + [Bone(bvh.metres(end), None) for end in bvh.joints[i].ends]


def _long_bones(bvh: Bvh, leg: float | None) -> list[str]:
    """Bones that are longer than a leg."""
    if leg is None:
        return []
    found = []
    for i, it in enumerate(bvh.joints):
        ends = [(f"end site of {it.name!r}", math.dist(bvh.metres(end), (0, 0, 0))) for end in it.ends]
        own = [(f"joint {it.name!r}", float(np.linalg.norm(mean_place(bvh, i))))] if i else []
        found += [f"{what} is {length:.2f} m from its parent" for what, length in own + ends if length > LONGEST * leg]
    return [f"{', '.join(found)}: longer than a leg, so it gets no shape and no mass"] if found else []


def check_figure(bvh: Bvh, figure: Figure) -> None:
    """Raise FigureError unless the figure has this file's joints, as `figure_from_bvh` makes them."""
    for i, it in enumerate(bvh.joints):
        link = figure.link(it.name)
        want = joint_kind(it)
        if link.joint.kind is not want:
            raise FigureError(
                f"joint {it.name!r} of figure {figure.name!r} is a {link.joint.kind.value} joint, that of the file "
                f"{want.value}: the figure must come from figure_from_bvh; for others there is hitogata.motion.retarget"
            )
        slid = any(slider_name(it.name, axis) in figure.link_names for axis in range(3))
        apart = math.dist(link.joint.parent_frame.position, mean_place(bvh, i)) if i and not slid else 0.0
        if apart > max(STILL, 1e-4 * math.dist(mean_place(bvh, i), (0, 0, 0))) and not moving_axes(bvh, i):
            raise FigureError(
                f"joint {it.name!r} of figure {figure.name!r} is {apart:.3g} m from where the file has it: "
                "the figure must come from figure_from_bvh; for others there is hitogata.motion.retarget"
            )
