"""BVH texts for tests, and forward kinematics written down a second time, frame by frame with scipy."""

import numpy as np
from scipy.spatial.transform import Rotation

PLAIN = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 0.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Knee
	{
		OFFSET 1.0 -40.0 2.0
		CHANNELS 1 Xrotation
		JOINT Ankle
		{
			OFFSET 0.0 -38.5 0.0
			CHANNELS 2 Zrotation Xrotation
			End Site
			{
				OFFSET 0.0 -5.0 14.0
			}
		}
	}
	JOINT Chest
	{
		OFFSET 0.0 25.0 -1.0
		CHANNELS 3 Yrotation Zrotation Xrotation
		JOINT Plate
		{
			OFFSET 0.0 3.0 8.0
			JOINT Head
			{
				OFFSET 0.0 30.0 0.0
				CHANNELS 3 Zrotation Yrotation Zrotation
				End Site
				{
					OFFSET 0.0 18.0 0.0
				}
			}
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.025
0 90 0 0 0 0 10 0 0 0 0 0 0 0 0
1 91.5 -2 10 20 30 -40 5 6 7 8 9 11 12 13
2.25 92 -4e0 170 -85 +30 .5 -5. 1e2 -7e-005 8 9 11 12 13
"""
CHANNELS = 15

NAMES = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")


def random_text(rng: np.random.Generator, *, joints: int = 12, frames: int = 5) -> str:
    """A skeleton of any shape, with any channels; a BVH text."""
    parents = [-1, *(int(rng.integers(max(0, i - 3), i)) for i in range(1, joints))]
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents[1:], 1):
        children[parent].append(i)
    count = 0
    lines = ["HIERARCHY"]

    def vector() -> str:
        return " ".join(f"{x:.5g}" for x in rng.normal(size=3) * 20)

    def write(i: int, tabs: str) -> None:
        nonlocal count
        chosen = [NAMES[k] for k in rng.permutation(6)[: rng.integers(0, 7)]]
        count += len(chosen)
        lines.extend([f"{tabs}{'JOINT' if i else 'ROOT'} joint{i}", tabs + "{", f"{tabs} OFFSET {vector()}"])
        lines.append(f"{tabs} CHANNELS {len(chosen)} {' '.join(chosen)}")
        for child in children[i]:
            write(child, tabs + " ")
        if not children[i] or rng.random() < 0.2:
            lines.extend([f"{tabs} End Site", tabs + " {", f"{tabs}  OFFSET {vector()}", tabs + " }"])
        lines.append(tabs + "}")

    write(0, "")
    values = rng.uniform(-200, 200, size=(frames, count))
    rows = [" ".join(f"{x:.6f}" for x in row) for row in values]
    return "\n".join([*lines, "MOTION", f"Frames: {frames}", "Frame Time: 0.0333333", *rows]) + "\n"


def slow_poses(bvh, frame: int, *, add: bool = False):
    """Rotations and positions of the joints and positions of the end sites, in the file's unit and axes."""
    rotations, positions, ends = [], [], []
    column = 0
    for joint in bvh.joints:
        place, turn = np.array(joint.offset), Rotation.identity()
        for channel in joint.channels:
            value = bvh.values[frame, column]
            column += 1
            letter, what = channel.value[0], channel.value[1:]
            if what == "rotation":
                turn = turn * Rotation.from_euler(letter, value, degrees=True)
            else:
                place["XYZ".index(letter)] = value + (joint.offset["XYZ".index(letter)] if add else 0.0)
        if joint.parent >= 0:
            place = positions[joint.parent] + rotations[joint.parent].apply(place)
            turn = rotations[joint.parent] * turn
        rotations.append(turn)
        positions.append(place)
        ends += [place + turn.apply(end) for end in joint.ends]
    return np.array([r.as_matrix() for r in rotations]), np.array(positions), np.reshape(ends, (-1, 3))
