"""Measured forces: `agree_with_forces` beside OpenSim's RRA on the same trial: residuals and processor time.

    python -m benchmarks.measured_forces --model subject01.osim --motion walk_ik.mot --loads walk_grf.xml
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from hitogata.files import read_storage
from hitogata.files.osim import read_external_loads, read_osim
from hitogata.filter.measured import agree_with_forces


def ours(model: Path, motion: Path, loads: Path, window: tuple[float, float]) -> None:
    """Print our numbers."""
    plates = read_external_loads(loads)
    given = read_osim(model), read_storage(motion), (plates, read_storage(plates.datafile))
    agree_with_forces(*given, window=window)  # compiled once
    start = time.process_time()
    found = agree_with_forces(*given, window=window)
    spent = time.process_time() - start
    print(f"hitogata: {spent:.2f} s")
    for name, value in found.numbers().items():
        print(f"  {name:<28} {value:.5f}")


def rra(model: Path, motion: Path, loads: Path, window: tuple[float, float]) -> None:
    """Print OpenSim's: all joints tracked alike (weight 10), residual actuators at the pelvis."""
    import opensim as osim

    osim.Logger.setLevelString("Off")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        body = osim.Model(str(model))
        body.initSystem()
        root = body.getJointSet().get(0).getChildFrame().findBaseFrame().getName()
        forces, tasks = osim.ForceSet(), osim.CMC_TaskSet()
        first = [c.getName() for c in _coordinates(body.getJointSet().get(0))]
        centre = body.getBodySet().get(root).getMassCenter()
        for name, axis in ((name, axis) for name in "FM" for axis in range(3)):
            turning, name = name == "M", name + "XYZ"[axis]
            direction = osim.Vec3(*(float(k == axis) for k in range(3)))
            if turning:
                actuator = osim.TorqueActuator(body.getBodySet().get(root), body.getGround(), direction)
            else:
                actuator = osim.PointActuator(root)
                actuator.set_point(centre)
                actuator.set_direction(direction)
                actuator.set_point_is_global(False)
                actuator.set_force_is_global(True)
            actuator.setName(name)
            actuator.setOptimalForce(1.0 if turning else 4.0)
            actuator.setMinControl(-np.inf)
            actuator.setMaxControl(np.inf)
            forces.cloneAndAppend(actuator)
        coordinates = body.getCoordinateSet()
        for k in range(coordinates.getSize()):
            name = coordinates.get(k).getName()
            if name not in first and not coordinates.get(k).get_locked():
                actuator = osim.CoordinateActuator(name)
                actuator.setName(f"{name}_actuator")
                actuator.setOptimalForce(300.0)
                actuator.setMinControl(-np.inf)
                actuator.setMaxControl(np.inf)
                forces.cloneAndAppend(actuator)
            task = osim.CMC_Joint()
            task.setName(name)
            task.setCoordinateName(name)
            task.setKP(100.0, 1.0, 1.0)
            task.setKV(20.0, 1.0, 1.0)
            task.setActive(True, False, False)
            task.setWeight(10.0, 1.0, 1.0)
            tasks.cloneAndAppend(task)
        forces.printToXML(str(out / "actuators.xml"))
        tasks.printToXML(str(out / "tasks.xml"))
        tool = osim.RRATool()
        tool.setName("rra")
        tool.setModelFilename(str(model))
        tool.setReplaceForceSet(True)
        names = osim.ArrayStr()
        names.append(str(out / "actuators.xml"))
        tool.setForceSetFiles(names)
        tool.setDesiredKinematicsFileName(str(motion))
        tool.setTaskSetFileName(str(out / "tasks.xml"))
        tool.setExternalLoadsFileName(str(loads))
        tool.setLowpassCutoffFrequency(6.0)
        tool.setInitialTime(window[0])
        tool.setFinalTime(window[1])
        tool.setResultsDir(str(out))
        tool.setAdjustCOMToReduceResiduals(True)
        tool.setAdjustedCOMBody("torso")
        tool.setOutputModelFileName(str(out / "adjusted.osim"))
        tool.printToXML(str(out / "setup.xml"))
        start = time.process_time()
        osim.RRATool(str(out / "setup.xml")).run()
        spent = time.process_time() - start
        table = read_storage(out / "rra_Actuation_force.sto")
        force = np.linalg.norm(np.stack([table.column(name) for name in ("FX", "FY", "FZ")], axis=1), axis=1)
        moment = np.linalg.norm(np.stack([table.column(name) for name in ("MX", "MY", "MZ")], axis=1), axis=1)
        print(f"opensim RRA: {spent:.2f} s, {table.time[0]:.2f} to {table.time[-1]:.2f} s")
        print(f"  force, most {force.max():.1f} N, rms {np.sqrt((force**2).mean()):.1f} N")
        print(f"  moment, most {moment.max():.1f} N m, rms {np.sqrt((moment**2).mean()):.1f} N m")
        moved = read_storage(out / "rra_Kinematics_q.sto")
        wanted = read_storage(motion)
        for name in ("pelvis_tx", "pelvis_ty", "knee_angle_r", "hip_flexion_r", "lumbar_extension"):
            if name in moved.columns and name in wanted.columns:
                off = moved.column(name) - np.interp(moved.time, wanted.time, wanted.column(name))
                print(f"  {name}: {np.sqrt((off**2).mean()):.4f} rms off")


def _coordinates(joint):  # type: ignore[no-untyped-def]
    return [joint.get_coordinates(k) for k in range(joint.numCoordinates())]


def main() -> None:
    """Both, one after the other."""
    parser = argparse.ArgumentParser()
    for name in ("model", "motion", "loads"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--window", type=float, nargs=2, default=(0.6, 2.0))
    given = parser.parse_args()
    trial = given.model, given.motion, given.loads, tuple(given.window)
    ours(*trial)
    rra(*trial)


if __name__ == "__main__":
    main()
