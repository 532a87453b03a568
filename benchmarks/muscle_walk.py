"""A captured walk with force plates on the built-in body: reserves, activations beside published EMG.

Reads reference data (HITOGATA_DATA): a walk of OpenSim's gait model with measured ground forces.
"""

import sys
import warnings

import numpy as np

from hitogata.dynamics import forward_kinematics, inverse_dynamics, recorded_dynamics
from hitogata.figure.mechanism import mechanism_motion
from hitogata.files import read_storage
from hitogata.files.osim import read_external_loads, read_osim
from hitogata.library.musculoskeletal import skeleton
from hitogata.muscle import muscle_forces, musculoskeletal
from hitogata.muscle.motion import smoothed_motion
from hitogata.muscle.outline import Outline
from hitogata.spatial import matrix_to_quat, quat_exp, quat_log
from tests.reference import FOLDER

TURN = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
"""From OpenSim's axes (y up, z right) to ours."""


def main() -> None:
    """Print reserves by joint and the phases of activations."""
    warnings.simplefilter("ignore")
    body, motion, moments, _ = walk((0.55, 1.95))
    found = muscle_forces(body, motion.q, motion.v, moments)
    print(f"{len(motion.time)} frames, {int(found.good.sum())} solved, KKT {np.nanmax(found.optimality):.1e}")
    least = np.abs(found.reserves).max(axis=0)
    peak = np.abs(found.moments).max(axis=0)
    for name, reserve, moment in zip(found.coordinates, least, peak, strict=True):
        if any(word in name for word in ("femur", "knee", "ankle", "subtalar", "toes")):
            part = reserve / moment
            print(f"  {name:<20} peak moment {moment:7.1f} N m, greatest reserve {reserve:7.3f}, {part:.1%}")
    print("phases of EMG:")
    emg(found, motion.time, sys.argv[1] if len(sys.argv) > 1 else None)


PHASES = {  # part of the stride in which surface EMG of walking is on (Perry & Burnfield 2010, chapters 3-6)
    "tibialis_anterior": [(0.56, 1.0), (0.0, 0.13)],
    "soleus": [(0.07, 0.52)],
    "gastrocnemius_medial": [(0.09, 0.50)],
    "vastus_lateralis": [(0.83, 1.0), (0.0, 0.18)],
    "rectus_femoris": [(0.56, 0.64)],
    "semimembranosus": [(0.80, 1.0), (0.0, 0.10)],
    "gluteus_medius_middle": [(0.96, 1.0), (0.0, 0.29)],
}
STRIDE = (0.617, 1.85)
"""Of the right foot, heel strike to heel strike [s]."""


def emg(found, time, picture=None):
    """Correlation of activations with the phases in which EMG is on; a plot of them."""
    part = (time - STRIDE[0]) / (STRIDE[1] - STRIDE[0])
    inside = (part >= 0) & (part <= 1)
    names = [muscle.name for muscle in found.muscles.muscles]
    axes = None
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        sheet, axes = plt.subplots(len(PHASES), 1, figsize=(6, 9), sharex=True)
    for k, (name, phases) in enumerate(PHASES.items()):
        on = np.any([(part >= low) & (part <= high) for low, high in phases], axis=0)[inside]
        a = found.activation[inside, names.index(f"{name}_r")]
        r, mean = np.corrcoef(a, on)[0, 1], (a[on].mean(), a[~on].mean())
        print(f"  {name:<24} correlation {r:5.2f}; mean {mean[0]:.3f} on, {mean[1]:.3f} off")
        if axes is not None:
            axes[k].fill_between(100 * part[inside], 0, on * max(a.max(), 0.01), color="#f0d9a0", step="mid")
            axes[k].plot(100 * part[inside], a, color="#8c050f")
            axes[k].set_ylabel(name.replace("_", "\n"), fontsize=7)
    if picture is not None:
        axes[-1].set_xlabel("stride [%]; shaded: EMG on")
        sheet.tight_layout()
        sheet.savefig(picture)


def walk(window: tuple[float, float] = (0.5, 1.6)):
    """The built-in body of the subject's size, its motion, moments of its joints, forces on its feet."""
    model = read_osim(FOLDER / "opensim_id/subject01.osim")
    loads = read_external_loads(FOLDER / "opensim_id/subject01_walk1_grf.xml")
    table = read_storage(FOLDER / "opensim_id/subject01_walk1_ik.mot")
    plates = read_storage(loads.datafile)
    recorded = recorded_dynamics(model, table, loads=(loads, plates), cutoff=6.0, window=window)
    mechanism = recorded.mechanism
    moved = mechanism_motion(mechanism, recorded.q)
    names = [each.name for each in mechanism.bodies]
    R = {name: TURN @ moved.rotation[:, k] @ TURN.T for k, name in enumerate(names)}
    at = {name: moved.joint_origin[:, k] @ TURN.T for k, name in enumerate(names)}
    body = musculoskeletal(**sizes(at, sum(each.mass for each in mechanism.bodies)))
    outline = Outline(body.body)
    q = np.repeat(np.array(outline.figure.neutral())[None], len(recorded.time), axis=0)
    q[:, 3:7] = matrix_to_quat(R["pelvis"])

    def put(link, turn):
        q[:, outline.figure.q_slice(link)] = turn

    torso = quat_log(matrix_to_quat(np.swapaxes(R["pelvis"], 1, 2) @ R["torso"]))
    put("abdomen", quat_exp(0.6 * torso))
    put("chest", quat_exp(0.4 * torso))
    column = {name: recorded.q[:, k] for k, name in enumerate(mechanism.coordinates)}
    for side, end in (("right", "_r"), ("left", "_l")):
        put(f"thigh_{side}", matrix_to_quat(np.swapaxes(R["pelvis"], 1, 2) @ R[f"femur{end}"]))
        put(f"shin_{side}", -column[f"knee_angle{end}"][:, None])
        put(f"ankle_{side}", column[f"ankle_angle{end}"][:, None])
        put(f"foot_{side}", column[f"subtalar_angle{end}"][:, None])
    turn_legs(body.body, outline, q, R, at)
    full = outline.expand(q)
    hips = forward_kinematics(body.body, full).position
    own = [body.body.link_index(f"femur{end}") for end in ("_r", "_l")]
    full[:, :3] += 0.5 * (at["femur_r"] + at["femur_l"]) - hips[:, own].mean(axis=1)
    motion = smoothed_motion(body.body, recorded.time, full, None)
    wrenches, forces = loads_on(body, motion, loads, plates)
    moments = inverse_dynamics(body.body, motion.q, motion.v, motion.vdot, wrenches=wrenches)
    return body, motion, moments, forces


def turn_legs(figure, outline, q, R, at):
    """Turn thighs so that heels lie, and feet point, where the recording has them: their moments hang on it."""
    places = forward_kinematics(figure, outline.expand(q)).position
    for side, end in (("right", "_r"), ("left", "_l")):
        hip, heel, toes = (places[:, figure.link_index(f"{bone}{end}")] for bone in ("femur", "foot", "toes"))
        ours = frame(heel - hip, toes - heel)
        theirs = frame(at[f"calcn{end}"] - at[f"femur{end}"], at[f"toes{end}"] - at[f"calcn{end}"])
        turn = theirs @ np.swapaxes(ours, 1, 2)
        thigh = np.swapaxes(R["pelvis"], 1, 2) @ turn @ R[f"femur{end}"]
        q[:, outline.figure.q_slice(f"thigh_{side}")] = matrix_to_quat(thigh)


def frame(down, forth):
    """Axes along a leg and across the plane of leg and foot, shape (n, 3, 3)."""
    z = down / np.linalg.norm(down, axis=1, keepdims=True)
    y = np.cross(z, forth)
    y /= np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([np.cross(y, z), y, z], axis=2)


def sizes(at, mass):
    """Stature and lengths of bones as the model's."""
    plain = forward_kinematics(skeleton(), skeleton().neutral())
    place = dict(zip(skeleton().link_names, plain.position, strict=True))
    lengths = {}
    for bone, end, theirs in (("femur", "tibia", ("femur_r", "tibia_r")), ("tibia", "talus", ("tibia_r", "talus_r"))):
        far = np.linalg.norm(at[theirs[0]] - at[theirs[1]], axis=1).mean()
        lengths[bone] = far / np.linalg.norm(place[f"{bone}_r"] - place[f"{end}_r"])
    wide = np.linalg.norm(at["femur_r"] - at["femur_l"], axis=1).mean()
    lengths["pelvis"] = wide / np.linalg.norm(place["femur_r"] - place["femur_l"])
    lengths["foot"] = lengths["toes"] = lengths["talus"] = np.linalg.norm(
        at["toes_r"] - at["calcn_r"], axis=1
    ).mean() / np.linalg.norm(place["toes_r"] - place["foot_r"])
    return {"mass": float(mass), "lengths": {k: float(v) for k, v in lengths.items()}}


def loads_on(body, motion, loads, plates):
    """Wrenches on the feet about their origins, and the forces (n, 2, 3), right first."""
    poses = forward_kinematics(body.body, motion.q)
    wrenches = np.zeros((len(motion.time), body.body.nlinks, 6))
    forces = np.zeros((len(motion.time), 2, 3))
    for load in loads.forces:
        def read(identifier):
            names = sorted(name for name in plates.columns if name.startswith(identifier))[:3]
            return np.stack([np.interp(motion.time, plates.time, plates.column(n)) for n in names], 1) @ TURN.T

        force, point, torque = (
            read(each) for each in (load.force_identifier, load.point_identifier, load.torque_identifier)
        )
        side = 0 if load.applied_to_body.endswith("_r") else 1
        foot = body.body.link_index(("foot_r", "foot_l")[side])
        wrenches[:, foot, :3] += torque + np.cross(point - poses.position[:, foot], force)
        wrenches[:, foot, 3:] += force
        forces[:, side] += force
    return wrenches, forces


if __name__ == "__main__":
    main()
