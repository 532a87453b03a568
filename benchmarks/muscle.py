"""Muscles beside OpenSim and MuJoCo: lengths, static optimisation, speed.  Reads reference data (HITOGATA_DATA)."""

import re
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from hitogata.dynamics import recorded_dynamics
from hitogata.figure.mechanism import followed
from hitogata.files import read_storage
from hitogata.files.osim import read_external_loads, read_osim
from hitogata.muscle import ForceOptions, muscle_forces, muscles_from_mjcf, muscles_from_osim, wire_geometry
from tests.reference import FOLDER

MODELS = (
    "models/gait2392_thelen2003muscle.osim",
    "skeleton_fit/unscaled_generic.osim",
    "models/ThoracoscapularShoulderModel.osim",
    "models/Model_Pose2Sim_muscles_flex.osim",
    "opensim_so_arm26/arm26.osim",
)
POSES = 200


def main() -> None:
    warnings.simplefilter("ignore")
    import opensim

    opensim.Logger.setLevelString("critical")
    for name in MODELS:
        lengths(opensim, name)
    myofullbody()
    optimisation()
    speed(opensim)


def opened(opensim, path):
    """OpenSim's model, which refuses some numbers of its own files."""
    text = re.sub(r"<(minimum_activation|min_control)>[^<]*", r"<\1>0.01", path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.osim").write_text(text)
        theirs = opensim.Model(str(Path(folder) / "model.osim"))
    coordinates = theirs.getCoordinateSet()
    for k in range(coordinates.getSize()):
        for flag in ("clamped", "locked", "prescribed"):
            getattr(coordinates.get(k), f"set_{flag}")(False)
    return theirs, theirs.initSystem()


def lengths(opensim, name):
    """Differences by what wires bend around: greatest, 99th percentile, and how often ours are the shorter."""
    model = read_osim(FOLDER / name)
    muscles = muscles_from_osim(model)
    theirs, state = opened(opensim, FOLDER / name)
    low, high = np.clip(np.array([model.coordinate(c).range for c in muscles.body.coordinates]).T, -3, 3)
    q = followed(muscles.body, np.random.default_rng(0).uniform(low, high, (POSES, len(low))))[0]
    ours = wire_geometry(muscles, q).lengths
    own = [theirs.getMuscles().get(wire.name) for wire in muscles.muscles]
    expected = np.empty((POSES, len(own)))
    for k, row in enumerate(q):
        for c, value in zip(muscles.body.coordinates, row, strict=True):
            theirs.getCoordinateSet().get(c).setValue(state, float(value), False)
        theirs.realizePosition(state)
        expected[k] = [muscle.getLength(state) for muscle in own]
    kinds: dict[str, list[int]] = {}
    of = {surface.name: surface.kind.value for surface in muscles.surfaces}
    for j, wire in enumerate(muscles.muscles):
        kinds.setdefault(" + ".join(sorted(of[w.surface] for w in wire.path.wraps)) or "no surface", []).append(j)
    print(f"{muscles.name}: {len(own)} muscles, {POSES} poses")
    for kind, which in sorted(kinds.items()):
        d = ours[:, which] - expected[:, which]
        far = np.abs(d) > 1e-9
        shorter = f"{(d[far] < 0).mean():.0%} of {far.mean():.1%} that differ are shorter" if far.any() else "all equal"
        shorter += f", the others longer by {np.maximum(d, 0).max():.1e} m at most" if (d > 1e-9).any() else ""
        print(
            f"  {kind:<22} {len(which):4} greatest {np.abs(d).max():.1e} m, "
            f"99 % {np.quantile(np.abs(d), 0.99):.1e}; {shorter}"
        )


def myofullbody(poses=60):
    """Lengths and Jacobians beside MuJoCo's on MyoFullBody (musclemimic-models), in random poses."""
    import mujoco
    import musclemimic_models

    path = Path(musclemimic_models.__file__).parent / "model/body/myofullbody.xml"
    muscles, model = muscles_from_mjcf(path), mujoco.MjModel.from_xml_path(str(path))
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    wires = [model.tendon(k).name for k in range(model.ntendon)]
    for k in range(model.nu):
        wires[model.actuator_trnid[k, 0]] = model.actuator(k).name
    rows = [muscles.index(name) for name in wires]
    hinged = np.isin(model.jnt_type, (2, 3)) & (model.jnt_limited > 0)
    at, expected = model.jnt_qposadr[hinged], np.zeros((model.ntendon, model.nv))
    free = slice(6, None)  # the root's six velocities are in other axes
    off, off_arms, far = 0.0, 0.0, 0
    for _ in range(poses):
        data.qpos[:] = model.qpos0
        data.qpos[at] = rng.uniform(*model.jnt_range[hinged].T)
        mujoco.mj_forward(model, data)
        found = wire_geometry(muscles, data.qpos.copy())
        mujoco.mju_sparse2dense(
            expected, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind.ravel()
        )
        apart = np.abs(found.lengths[rows] - data.ten_length)
        off, far = max(off, apart.max()), far + int((apart > 1e-6).sum())
        off_arms = max(off_arms, np.abs(found.jacobian[rows][:, free] - expected[:, free]).max())
    print(
        f"MyoFullBody beside MuJoCo {mujoco.__version__}: {len(rows)} strings, {poses} poses: lengths differ by "
        f"{off:.1e} m at most ({far} by more than 1e-6), Jacobians by {off_arms:.1e}"
    )


def gait():
    model = read_osim(FOLDER / "opensim_id/subject01.osim")
    loads = read_external_loads(FOLDER / "opensim_id/subject01_walk1_grf.xml")
    table = read_storage(FOLDER / "opensim_id/subject01_walk1_ik.mot")
    motion = recorded_dynamics(model, table, loads=(loads, read_storage(loads.datafile)), cutoff=6.0, window=(0.5, 1.6))
    return muscles_from_osim(model), motion


def optimisation():
    """Costs beside another solver (daqp), frame by frame; reserves; KKT."""
    import daqp

    muscles, motion = gait()
    found = muscle_forces(muscles, motion.q, motion.qd, motion.free_forces)
    body = muscles.body
    rows = [body.free_coordinates.index(name) for name in found.coordinates]
    from hitogata.figure.mechanism import coupling_matrix

    J = np.einsum("nwc,ncf->nwf", found.geometry.jacobian, coupling_matrix(body, motion.q))[:, :, rows]
    worst = met = 0.0
    for k in range(len(motion.time)):
        A = -(J[k] * found.capacity[k][:, None]).T
        b = found.moments[k] + J[k].T @ found.passive[k]
        m, n = A.shape
        H, rows_all = 2 * np.eye(n + m), np.c_[A, np.eye(m)]
        upper, lower = np.r_[np.ones(n), np.full(m, 1e9), b], np.r_[np.zeros(n), np.full(m, -1e9), b]
        sense = np.r_[np.zeros(n + m), np.full(m, 5)].astype(np.int32)
        x, *_ = daqp.solve(H, np.zeros(n + m), rows_all, upper, lower, sense)
        ours = found.activation[k] @ found.activation[k] + found.reserves[k] @ found.reserves[k]
        worst = max(worst, ours / (x @ x))
        met = max(met, np.abs(A @ found.activation[k] + found.reserves[k] - b).max())
    print(
        f"gait, {len(motion.time)} frames: cost at most {worst:.9f} of daqp's; "
        f"moments met to {met:.1e} N m with reserves"
    )
    print(f"  KKT {found.optimality.max():.1e}; solved {found.good.mean():.0%}; greatest reserves [N m]:")
    most = np.abs(found.reserves).max(axis=0)
    print("  " + ", ".join(f"{name} {r:.3f}" for name, r in zip(found.coordinates, most, strict=True) if r > 0.05))
    model = read_osim(FOLDER / "models/Model_Pose2Sim_muscles_flex.osim")
    muscles = muscles_from_osim(model)
    rng = np.random.default_rng(1)
    low, high = np.clip(np.array([model.coordinate(c).range for c in muscles.body.coordinates]).T, -0.5, 0.5)
    q = followed(muscles.body, rng.uniform(low, high, (100, len(low))))[0]
    tau = rng.normal(size=(100, len(muscles.body.free_coordinates))) * 20.0
    start = time.perf_counter()
    found = muscle_forces(muscles, q, 0 * q, tau)
    print(f"Pose2Sim's 318 muscles, 100 random poses and moments: solved {found.good.sum()}, "
        f"KKT {found.optimality.max():.1e}, "
          f"{(time.perf_counter() - start) * 10:.1f} ms a frame")  # fmt: skip


def speed(opensim, model_file="opensim_id/subject01.osim"):
    """Our static optimisation of a gait model and OpenSim's, 21 frames, least squares, with reserves."""
    path = FOLDER / model_file
    model = read_osim(path)
    muscles = muscles_from_osim(model)
    table = read_storage(FOLDER / "opensim_id/subject01_walk1_ik.mot")
    motion = recorded_dynamics(model, table, cutoff=6.0, window=(0.5, 0.834))
    options = ForceOptions(with_passive=False)
    muscle_forces(muscles, motion.q, motion.qd, motion.free_forces, options=options)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        muscle_forces(muscles, motion.q, motion.qd, motion.free_forces, options=options)
        best = min(best, time.perf_counter() - start)
    theirs, _ = opened(opensim, path)
    for name in motion.mechanism.coordinates:
        motor = opensim.CoordinateActuator(name)
        motor.setName(f"{name}_reserve")
        motor.setOptimalForce(1.0)
        theirs.addForce(motor)
    theirs.initSystem()
    with tempfile.TemporaryDirectory() as folder:
        theirs.printToXML(f"{folder}/model.osim")
        tool = opensim.AnalyzeTool()
        tool.setModelFilename(f"{folder}/model.osim")
        tool.setCoordinatesFileName(str(FOLDER / "opensim_id/subject01_walk1_ik.mot"))
        tool.setSolveForEquilibrium(False)
        tool.setLowpassCutoffFrequency(6.0)
        tool.setInitialTime(float(motion.time[0]))
        tool.setFinalTime(float(motion.time[-1]))
        tool.setResultsDir(folder)
        analysis = opensim.StaticOptimization()
        analysis.setStartTime(float(motion.time[0]))
        analysis.setEndTime(float(motion.time[-1]))
        tool.updAnalysisSet().cloneAndAppend(analysis)
        tool.printToXML(f"{folder}/setup.xml")
        tool = opensim.AnalyzeTool(f"{folder}/setup.xml", True)
        start = time.perf_counter()
        tool.run()
        took = time.perf_counter() - start
    n = len(motion.time)
    print(
        f"static optimisation, {len(muscles.muscles)} muscles, {n} frames: {best * 1e3:.1f} ms, "
        f"OpenSim {took:.2f} s: {took / best:.0f} times"
    )


if __name__ == "__main__":
    main()
