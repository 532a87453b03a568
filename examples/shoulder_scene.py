"""The scene of 22_shoulder_circle.py, in hitogata and in MuJoCo.

A virtual human with its pelvis fixed; stiff springs hold its joints, weak ones those of the left arm.  A spring ties
the left palm to a pointer that waits for a second, then goes once around the shoulder: forward, up, behind, down.
"""

import re
import time
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np

from hitogata.dynamics import frame_position
from hitogata.figure import Figure, JointKind, Trajectory
from hitogata.files import write_mjcf
from hitogata.library import virtual_human
from hitogata.rom import Target, export_range
from hitogata.sim import World

H, STEPS, SETTLE = 1 / 60, 240, 60  # step [s], steps of the turn, steps before it
TIE = {"stiffness": 1000.0, "damping": 50.0}  # [N/m], [N s/m]
BODY, ARM = (3000.0, 150.0), (20.0, 4.0)  # stiffness [N m/rad] and damping [N m s/rad]
LEFT_ARM = ("shoulder_left", "elbow_left", "wrist_left")

RANGED, LOOSE = virtual_human(fixed_base=True), virtual_human(fixed_base=True, ranges=False)
BALLS = [link.joint for link in RANGED.links if link.joint.kind is JointKind.BALL]
SHOULDER = frame_position(RANGED, RANGED.neutral(), "upper_arm_left")
TURN = 2 * np.pi * np.maximum(np.arange(1 - SETTLE, STEPS + 1), 0)[:, None] / STEPS
POINTER = SHOULDER + [0, 0.2, 0] + 0.55 * (np.sin(TURN) * [1, 0, 0] - np.cos(TURN) * [0, 0, 1])  # 20 cm outwards [m]


class Scene(NamedTuple):
    """What can be done with a scene: move the pointer, step, and look at q and v."""

    point: Callable[[np.ndarray], None]
    step: Callable[[], None]
    state: Callable[[], tuple[np.ndarray, np.ndarray]]


def in_hitogata(figure: Figure) -> Scene:
    world = World()
    human = world.add(figure)
    human.set_motor(*BODY)
    human.set_motor(*ARM, LEFT_ARM)
    tie = world.add_spring((human, "palm_left"), POINTER[0], **TIE)
    return Scene(tie.move_anchor, lambda: world.step(H), lambda: (human.q, human.v))


def mujoco_model() -> mujoco.MjModel:
    """The same in MuJoCo, with the fastest of its settings; every ball joint has the limit nearest to its range."""
    angles = {joint.name: export_range(joint.range, Target.MUJOCO).form.angle for joint in BALLS}

    def sprung(match: re.Match[str]) -> str:
        stiffness, damping = ARM if match[1] in LEFT_ARM else BODY
        limit = f' range="0 {angles[match[1]]}"' if match[1] in angles else ""
        return f'<joint name="{match[1]}"{match[2]}damping="{damping}" stiffness="{stiffness}"{limit}'

    text = re.sub(r'<joint name="(\w+)"([^>]*)damping="0.0"', sprung, write_mjcf(LOOSE))
    joined = "".join(f'<exclude body1="pelvis" body2="{link}"/>' for link in ("abdomen", "thigh_left", "thigh_right"))
    tie = f'<spatial stiffness="{TIE["stiffness"]}" damping="{TIE["damping"]}" springlength="0">'
    tie += '<site site="palm_left"/><site site="pointer"/></spatial>'
    pointer = '<body name="pointer" mocap="true"><site name="pointer"/></body>'
    text = text.replace("<compiler", f'<option timestep="{H}" integrator="Euler" jacobian="dense"/><compiler')
    text = text.replace("</worldbody>", f"{pointer}</worldbody><contact>{joined}</contact><tendon>{tie}</tendon>")
    return mujoco.MjModel.from_xml_string(text)


def in_mujoco(model: mujoco.MjModel) -> Scene:
    data = mujoco.MjData(model)
    model.qpos_spring[:] = data.qpos[:] = LOOSE.neutral()

    def point(at: np.ndarray) -> None:
        data.mocap_pos[0] = at

    return Scene(point, lambda: mujoco.mj_step(model, data), lambda: (data.qpos.copy(), data.qvel.copy()))


def go_round(make: Callable[[], Scene], repeats: int = 15) -> tuple[Trajectory, float]:
    """The turn, and the mean time of its steps, called from Python [s]: the best of some repeats of each step."""
    best = np.full(len(POINTER), np.inf)
    for _ in range(repeats):
        scene, rows = make(), []
        for k, at in enumerate(POINTER):
            scene.point(at)
            start = time.perf_counter()
            scene.step()
            best[k] = min(best[k], time.perf_counter() - start)
            rows.append(scene.state())
    q, v = (np.array(column[SETTLE:]) for column in zip(*rows, strict=True))
    pointer = {"pointer": POINTER[SETTLE:]}
    return Trajectory(H * np.arange(1, STEPS + 1), q, v, pointer, LOOSE.name), float(best[SETTLE:].mean())
