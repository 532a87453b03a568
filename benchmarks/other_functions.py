"""How fast are the other functions of dynamics/, beside Pinocchio's, called from Python?"""

import numpy as np
import pinocchio as pin

from benchmarks.timing import best, calls, table
from hitogata import dynamics
from hitogata.library import human28
from tests.peers.builders import q_to_pin, to_pinocchio, v_to_pin

BATCH = 4096


def main() -> None:
    figure, rng = human28(), np.random.default_rng(0)
    q, v, a = figure.random(rng), rng.normal(size=figure.nv), rng.normal(size=figure.nv)
    many = [np.array([figure.random(rng) for _ in range(BATCH)]), *rng.normal(size=(2, BATCH, figure.nv))]
    model, _ = to_pinocchio(figure)
    data, pq, pv = model.createData(), q_to_pin(figure, q), v_to_pin(figure, q, v)
    hand = model.getJointId("elbow_left") if model.existJointName("elbow_left") else model.njoints - 1

    def poses_as_array(model: pin.Model, data: pin.Data, q: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(model, data, q)
        return np.array([place.homogeneous for place in data.oMi])

    cases = [
        ("poses of all links, kept inside", dynamics.forward_kinematics, 1, (), pin.forwardKinematics, (pq,)),
        ("poses of all links, as one array", dynamics.forward_kinematics, 1, (), poses_as_array, (pq,)),
        ("Jacobian of a hand", dynamics.jacobian, 1, ("forearm_left",), pin.computeJointJacobian, (pq, hand)),
        ("mass matrix", dynamics.mass_matrix, 1, (), pin.crba, (pq,)),
        ("bias forces", dynamics.bias, 2, (), pin.nonLinearEffects, (pq, pv)),
        ("inverse dynamics", dynamics.inverse_dynamics, 3, (), pin.rnea, (pq, pv, a)),
    ]
    rows = []
    for name, ours, count, extra, theirs, peer_args in cases:
        peer = calls(theirs, model, data, *peer_args)
        one = calls(ours, figure, *(q, v, a)[:count], *extra)
        batch = best(lambda f=ours, n=count, e=extra: f(figure, *many[:n], *e), loops=BATCH)
        rows.append([name, *(f"{t * 1e6:.2f}" for t in (peer, one, batch)), f"{peer / one:.1f}", f"{peer / batch:.1f}"])
    head = ["human28, µs", "Pinocchio", "hitogata", f"batch of {BATCH}", "× one", "× batch"]
    table("Other functions, from Python, one thread, f64", head, rows)


if __name__ == "__main__":
    main()
