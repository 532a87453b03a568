"""The same pendulum in DART and Drake, if they are installed (`pip install hitogata[peers-extra]`)."""

import importlib.util
from functools import cache
from typing import Any

import numpy as np

from benchmarks.swinging import GRAVITY, LENGTH, MASS, MOMENT, START, Swing, Way


def by_dart(k: float, d: float, h: float, steps: int) -> Swing:
    """DART: spring and damper of the joint, which it takes implicitly."""
    import dartpy

    world = dartpy.simulation.World("swinging")
    world.setGravity([0.0, 0.0, -GRAVITY])
    world.setTimeStep(h)
    skeleton = dartpy.dynamics.Skeleton("pendulum")
    hinge, body = skeleton.createRevoluteJointAndBodyNodePair()
    hinge.setAxis([0.0, 1.0, 0.0])
    inertia = dartpy.dynamics.Inertia(MASS, [0.0, 0.0, -LENGTH], MOMENT * np.eye(3))
    body.setInertia(inertia)
    hinge.setSpringStiffness(0, k)
    hinge.setDampingCoefficient(0, d)
    hinge.setRestPosition(0, 0.0)
    hinge.setPosition(0, START)
    world.addSkeleton(skeleton)
    states = [(START, 0.0)]
    for _ in range(steps):
        world.step()
        states.append((hinge.getPosition(0), hinge.getVelocity(0)))
    return Swing.of(*np.array(states).T)


@cache
def _drake_pendulum(h: float, k: float, d: float, solver: str) -> tuple[Any, Any]:
    from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
    from pydrake.multibody.tree import PdControllerGains, RevoluteJoint, RevoluteSpring, SpatialInertia, UnitInertia

    plant = MultibodyPlant(h)
    plant.set_discrete_contact_approximation(getattr(DiscreteContactApproximation, f"k{solver}"))
    moment = MOMENT / MASS
    about_tip = UnitInertia(moment, moment, moment)
    inertia = SpatialInertia.MakeFromCentralInertia(MASS, [0.0, 0.0, -LENGTH], about_tip * MASS)
    body = plant.AddRigidBody("bob", inertia)
    if solver == "Tamsi":
        hinge = plant.AddJoint(RevoluteJoint("hinge", plant.world_frame(), body.body_frame(), [0, 1, 0], damping=d))
        plant.AddForceElement(RevoluteSpring(hinge, 0.0, k))
    else:
        hinge = plant.AddJoint(RevoluteJoint("hinge", plant.world_frame(), body.body_frame(), [0, 1, 0]))
        plant.AddJointActuator("motor", hinge).set_controller_gains(PdControllerGains(p=k, d=d))
    plant.Finalize()
    return plant, hinge


def by_drake(solver: str) -> Way:
    """Drake, a discrete plant with one of its solvers.

    With SAP ("Sap", "Lagged", "Similar") the spring is a PD controller of the joint, which Drake takes implicitly.
    TAMSI has none, so there it is a force element for K and the joint's damping for D.
    """

    def swing(k: float, d: float, h: float, steps: int) -> Swing:
        from pydrake.systems.analysis import Simulator

        plant, hinge = _drake_pendulum(h, k, d, solver)
        context = plant.CreateDefaultContext()
        if solver != "Tamsi":
            plant.get_desired_state_input_port(plant.GetModelInstanceByName("DefaultModelInstance")).FixValue(
                context, np.zeros(2)
            )
            plant.get_actuation_input_port().FixValue(context, np.zeros(1))
        hinge.set_angle(context, START)
        simulator = Simulator(plant, context)
        states = [(START, 0.0)]
        try:
            for i in range(steps):
                simulator.AdvanceTo((i + 1) * h)
                states.append(tuple(plant.GetPositionsAndVelocities(context)))
        except RuntimeError:  # it refuses to go on
            states.append((np.nan, np.nan))
        return Swing.of(*np.array(states).T)

    return swing


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
