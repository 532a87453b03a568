"""Readings of a link and its joint, in words, for whoever clicked it."""

import numpy as np

from hitogata.dynamics import forward_kinematics, link_velocities
from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray


def reading(figure: Figure, q: FloatArray, v: FloatArray, link: int) -> str:
    """Where a link is, how fast, and where its joint stands in its range, as Markdown."""
    held = figure.links[link]
    place = forward_kinematics(figure, q).position[link]
    velocity = link_velocities(figure, q, v)[link]
    lines = [
        f"**{held.name}** ({held.mass.mass:.2f} kg)",
        f"at {_numbers(place, 3)} m, {np.linalg.norm(velocity[3:]):.2f} m/s, turns at "
        f"{np.degrees(np.linalg.norm(velocity[:3])):.0f}°/s",
    ]
    joint, part = held.joint, q[figure.q_slice(figure.joint_names[link])]
    name = figure.joint_names[link]
    if joint.is_ball:
        angle = 2 * np.degrees(np.arctan2(np.linalg.norm(part[1:]), abs(part[0])))
        text = f"joint {name}: {angle:.1f}° from its neutral pose"
        if joint.range is not None:
            out = joint.range.violation(part)
            text += f", {-np.degrees(max(float(out.swing_depth), float(out.twist_depth))):.1f}° inside its range"
        lines.append(text)
    elif len(joint.screws) == 1 and joint.screws[0].turn:
        text = f"joint {name}: {np.degrees(part[0]):.1f}°"
        if joint.range is not None:
            text += f" of {np.degrees(joint.range[0]):.0f}° to {np.degrees(joint.range[1]):.0f}°"
        lines.append(text)
    elif len(joint.screws) == 1:
        lines.append(f"joint {name}: {part[0]:.3f} m")
    return "  \n".join(lines)


def _numbers(values: FloatArray, digits: int) -> str:
    return "(" + ", ".join(f"{x:.{digits}f}" for x in values) + ")"
