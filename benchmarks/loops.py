"""What do constraints that come and go cost, beside Pinocchio's `constraintDynamics` and MuJoCo's step?

Hanging: accelerations and grip forces of human40 held by no, one and two hands (welds: six rows each); the Nakamura
group measured 5.1, 6.3 and 7.2 ms.  MuJoCo holds the hands by weld equalities, and also moves on in time.  Standing:
one step of human28 with contact by hypothesis and validity: contact points, implicit springs of 2000 N m/rad in its
joints, forces, integration and all (Nakamura & Yamane: 30 ms), beside MuJoCo's step of the same scene, and Pinocchio's
accelerations and forces alone, with both feet welded.
"""

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import best, calls, table
from benchmarks.world_step import mujoco_times
from benchmarks.world_step import standing as standing_world
from hitogata.dynamics import frame_position
from hitogata.figure import Figure, State
from hitogata.files import write_mjcf
from hitogata.library import human28, human40
from hitogata.loops import Links, constrained_dynamics, here, weld
from hitogata.loops.contacts import ContactStage
from hitogata.loops.servo import servo
from hitogata.sim import ContactMethod
from tests.peers.builders import q_to_pin, to_pinocchio

H, STEPS = 1 / 240, 240


def pinocchio_time(figure: Figure, q: np.ndarray, links: list[str]) -> float:
    """Accelerations and forces with some links welded to the world."""
    model, mapping = to_pinocchio(figure)
    data, held = model.createData(), pin.StdVec_RigidConstraintModel()
    for name in links:
        frame = model.frames[mapping.frames[figure.link_index(name)]]
        held.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, frame.parentJoint, frame.placement))
    datas = pin.StdVec_RigidConstraintData()
    for one in held:
        datas.append(one.createData())
    pin.initConstraintDynamics(model, data, held, datas)
    still, settings = np.zeros(model.nv), pin.ProximalSettings(1e-12, 1e-12, 1)
    return calls(pin.constraintDynamics, model, data, q_to_pin(figure, q), still, still, held, datas, settings)


def mujoco_time(figure: Figure, links: list[str]) -> float:
    """A step with some links welded to the world."""
    text = write_mjcf(figure)
    welds = "".join(f'<weld body1="{name}"/>' for name in links)
    model = mujoco.MjModel.from_xml_string(text.replace("</mujoco>", f"<equality>{welds}</equality></mujoco>"))
    data = mujoco.MjData(model)
    return calls(mujoco.mj_step, model, data)


def hanging() -> None:
    figure = human40()
    q, v = figure.neutral(), np.zeros(figure.nv)
    for side in ("left", "right"):
        q[figure.q_slice(f"shoulder_{side}")] = (0, 0, 1, 0)
        q[figure.q_slice(f"elbow_{side}")] = -0.2
    rows = []
    for hands in ([], ["hand_left"], ["hand_left", "hand_right"]):
        links = Links(figure).add_all(*[here(figure, q, weld(name)) for name in hands])
        many = np.tile(q, (1000, 1))
        ours = calls(constrained_dynamics, links, q, v)
        loop = best(lambda k=links, q=many: constrained_dynamics(k, q, v), loops=1000, repeats=50)
        theirs, muj = pinocchio_time(figure, q, hands), mujoco_time(figure, hands)
        numbers = (ours, loop, theirs, muj)
        ratios = theirs / ours, muj / ours
        rows.append([f"{len(hands)} hands", *(f"{t * 1e6:.1f}" for t in numbers), *(f"{r:.1f}" for r in ratios)])
    head = ["human40, µs", "from Python", "in a batch", "Pinocchio", "MuJoCo step", "× Pinocchio", "× MuJoCo"]
    table("Hanging by the hands", head, rows)


def stage_times() -> dict[str, float]:
    """One step of `ContactStage`: contact points, forces by hypothesis and validity, springs, motion."""
    figure = human28()
    q = figure.neutral()
    q[2] -= frame_position(figure, q, "sole_left")[2]
    springs, stage = servo(figure, 2000.0, 30.0, H), ContactStage(figure, friction=0.8)
    settled = stage.step(State(q, np.zeros(figure.nv)), H, steps=STEPS, springs=springs, target=q)
    assert settled.passes <= 3
    assert {c.link for c in settled.contacts} == {"foot_left", "foot_right"}, "the figure fell"
    state = settled.state
    return {
        "many steps in one call": best(
            lambda: stage.step(state, H, steps=STEPS, springs=springs, target=q), loops=STEPS, repeats=100
        ),
        "one step per call": calls(lambda: stage.step(state, H, springs=springs, target=q), repeats=100),
        "one step per call, springs' torques in Python": calls(
            lambda: stage.step(state, H, springs.torques(state, q), figure=springs.body), repeats=100
        ),
    }


def world_times(method: ContactMethod) -> dict[str, float]:
    """One step of a `World`: all of that, and limits, ties and other members, had it any."""
    world = standing_world(human28(), contacts=method)
    return {
        "many steps in one call": best(lambda: world.step(H, steps=STEPS), loops=STEPS, repeats=100),
        "one step per call": calls(world.step, H, repeats=100),
    }


def standing() -> None:
    figure, theirs = human28(), mujoco_times()
    muj, pinocchio = min(theirs.values()), pinocchio_time(figure, figure.neutral(), ["foot_left", "foot_right"])
    times = {
        "MuJoCo mj_step, one per call, fastest settings": muj,
        "Pinocchio constraintDynamics, feet welded: no contact points, no motion": pinocchio,
        **{f"ContactStage, {k}": t for k, t in stage_times().items()},
        **{f"World by states, {k}": t for k, t in world_times(ContactMethod.STATES).items()},
        **{f"World by sweeps, {k}": t for k, t in world_times(ContactMethod.SWEEPS).items()},
    }
    rows = [[k, f"{t * 1e6:.1f}", f"{muj / t:.1f}", f"{pinocchio / t:.1f}"] for k, t in times.items()]
    table("A contact step of human28 on its feet", ["", "µs", "× MuJoCo", "× Pinocchio"], rows)


def main() -> None:
    hanging()
    standing()


if __name__ == "__main__":
    main()
