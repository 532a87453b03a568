"""What do constraints that come and go cost, beside Pinocchio's `constraintDynamics` and MuJoCo's step?

Hanging: accelerations and grip forces of human40 held by no, one and two hands (welds: six rows each); the Nakamura
group measured 5.1, 6.3 and 7.2 ms.  MuJoCo holds the hands by weld equalities, and also moves on in time.  Standing:
one step of human28 with contact by hypothesis and validity, contact points, integration and all (Nakamura & Yamane:
30 ms), beside MuJoCo's step of the same scene and Pinocchio's accelerations alone, with both feet welded.
"""

import mujoco
import numpy as np
import pinocchio as pin

from benchmarks.timing import best, calls, table
from benchmarks.world_step import mujoco_times
from hitogata.dynamics import frame_position
from hitogata.figure import Figure, State
from hitogata.files import write_mjcf
from hitogata.library import human28, human40
from hitogata.loops import Links, constrained_dynamics, here, weld
from hitogata.loops.contacts import ContactStage
from hitogata.loops.tracking import servo
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


def standing() -> None:
    figure = human28()
    q = figure.neutral()
    q[2] -= frame_position(figure, q, "sole_left")[2]
    springs, stage = servo(figure, 2000.0, 30.0, H), ContactStage(figure, friction=0.8)
    state = State(q, np.zeros(figure.nv))
    tau = springs.torques(state, q)
    many = best(lambda: stage.step(state, H, tau, steps=STEPS, figure=springs.body), loops=STEPS, repeats=100)
    one = calls(lambda: stage.step(state, H, tau, figure=springs.body), repeats=100)
    assert stage.step(state, H, tau, steps=STEPS, figure=springs.body).passes <= 3
    theirs = mujoco_times()
    muj, pinocchio = min(theirs.values()), pinocchio_time(figure, q, ["foot_left", "foot_right"])
    rows = [[k, f"{t * 1e6:.1f}", f"{muj / t:.1f}", f"{pinocchio / t:.1f}"] for k, t in (
        ("MuJoCo, called from Python, fastest settings", muj),
        ("Pinocchio, accelerations alone", pinocchio),
        ("hitogata, called from Python", one),
        ("hitogata, many steps in one call", many),
    )]  # fmt: skip
    table("A contact step of human28 on its feet", ["", "µs", "× MuJoCo", "× Pinocchio"], rows)


def main() -> None:
    hanging()
    standing()


if __name__ == "__main__":
    main()
