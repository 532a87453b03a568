"""The peers against each other: if they agree through the converters, the converters are right."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from hitogata.figure import Figure, FigureBuilder, JointKind, MassProperties, joint
from hitogata.library import chain, human28, human40
from tests.peers import builders as b

RNG_SEEDS = range(8)


def figures() -> list[Figure]:
    rng = np.random.default_rng(1)
    roots = [JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE, JointKind.SLIDER, JointKind.UNIVERSAL]
    randoms = [b.random_figure(rng, int(rng.integers(6, 40)), root=root) for root in roots]
    return [
        human28(),
        human40(),
        chain(5, kind=JointKind.UNIVERSAL, free_base=True),
        *randoms,
        b.random_figure(rng, 60),
    ]


@pytest.fixture(scope="module", params=figures(), ids=lambda f: f"{f.name}-{f.links[0].joint.kind.value}")
def case(request):
    """Both peers of one figure at a random state, kinematics and mass matrix computed."""
    figure: Figure = request.param
    rng = np.random.default_rng(figure.nv)
    q, v = b.random_state(figure, rng)
    model, mapping = b.to_pinocchio(figure)
    data = model.createData()
    mj = mujoco.MjModel.from_xml_string(b.to_mjcf(figure))
    md = mujoco.MjData(mj)
    md.qpos[:], md.qvel[:] = b.q_to_mujoco(figure, q), b.v_to_mujoco(figure, q, v)
    mujoco.mj_forward(mj, md)
    q_pin, v_pin = b.q_to_pin(figure, q), b.v_to_pin(figure, q, v)
    pin.forwardKinematics(model, data, q_pin, v_pin)
    pin.updateFramePlacements(model, data)
    return figure, q, v, model, mapping, data, mj, md, rng


def close(a, b, tolerance=1e-10):
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


def test_sizes_and_names(case):
    figure, _, _, model, _, _, mj, _, _ = case
    assert (model.nq, model.nv) == (figure.nq, figure.nv) == (mj.nq, mj.nv)
    assert [mj.body(i).name for i in range(1, mj.nbody)] == list(figure.link_names)


def test_places_of_links(case):
    figure, _, _, _, mapping, data, _, md, _ = case
    for i, link in enumerate(figure.links):
        place = data.oMf[mapping.frames[i]]
        close(place.translation, md.body(link.name).xpos)
        close(place.rotation, md.body(link.name).xmat.reshape(3, 3))


def test_places_of_named_frames(case):
    figure, _, _, model, _, data, _, md, _ = case
    for frame in (f for link in figure.links for f in link.frames):
        close(data.oMf[model.getFrameId(f"frame:{frame.name}")].translation, md.site(frame.name).xpos)


def test_velocities_of_links(case):
    figure, _, _, model, mapping, data, mj, md, _ = case
    for i, link in enumerate(figure.links):
        motion = pin.getFrameVelocity(model, data, mapping.frames[i], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(mj, md, mujoco.mjtObj.mjOBJ_XBODY, mj.body(link.name).id, velocity, 0)
        close(velocity, [*motion.angular, *motion.linear])


def test_mass_matrix(case):
    figure, q, _, model, _, data, mj, md, _ = case
    ours = []
    pin.crba(model, data, b.q_to_pin(figure, q), pin.Convention.WORLD)
    upper = np.triu(data.M)
    T = b.pin_map(figure, q)
    ours.append(T.T @ (upper + np.triu(upper, 1).T) @ T)
    full = np.zeros((mj.nv, mj.nv))
    mujoco.mj_fullM(mj, md, full)
    T = b.mujoco_map(figure, q)
    ours.append(T.T @ full @ T)
    close(*ours)


def test_inverse_dynamics(case):
    """With armature in both; MuJoCo's damping is the only difference."""
    figure, q, v, model, _, data, mj, md, rng = case
    vdot = rng.normal(size=figure.nv)
    tau = pin.rnea(model, data, b.q_to_pin(figure, q), b.v_to_pin(figure, q, v), b.vdot_to_pin(figure, q, v, vdot))
    md.qacc[:] = b.vdot_to_mujoco(figure, q, v, vdot)
    mujoco.mj_inverse(mj, md)
    close(b.tau_from_mujoco(figure, q, md.qfrc_inverse) - b.damping_vector(figure) * v, b.tau_from_pin(figure, q, tau))


def test_forward_dynamics(case):
    figure, q, v, model, _, data, mj, md, rng = case
    tau = rng.normal(size=figure.nv) * 10
    total = tau - b.damping_vector(figure) * v
    qdd = pin.aba(model, data, b.q_to_pin(figure, q), b.v_to_pin(figure, q, v), b.tau_to_pin(figure, q, total))
    vdot = b.vdot_from_pin(figure, q, v, qdd)
    md.qfrc_applied[:] = b.tau_to_mujoco(figure, q, tau)
    mujoco.mj_forward(mj, md)
    close(b.vdot_from_mujoco(figure, q, v, md.qacc), vdot, 1e-9)


def test_converters_invert(case):
    figure, q, v, _, _, _, _, _, rng = case
    vdot, tau = rng.normal(size=(2, figure.nv))
    for peer in ("pin", "mujoco"):
        to = {name: getattr(b, f"{name}_to_{peer}") for name in ("q", "v", "vdot", "tau")}
        back = {name: getattr(b, f"{name}_from_{peer}") for name in ("q", "v", "vdot", "tau")}
        q_back = back["q"](figure, to["q"](figure, q))
        for start in figure.quat_starts:  # q and -q turn alike
            q_back[start : start + 4] *= np.sign(q_back[start : start + 4] @ q[start : start + 4])
        close(q_back, q)
        close(back["v"](figure, q, to["v"](figure, q, v)), v)
        close(back["vdot"](figure, q, v, to["vdot"](figure, q, v, vdot)), vdot)
        close(back["tau"](figure, q, to["tau"](figure, q, tau)), tau)
        close(to["v"](figure, q, v) @ to["tau"](figure, q, tau), v @ tau)  # the same power


def test_rate_of_the_maps(case):
    """Tdot v by central differences along MuJoCo's own integration of positions."""
    figure, q, v, _, _, _, mj, _, _ = case
    h = 1e-5
    qs = []
    for sign in (1, -1):
        qpos = b.q_to_mujoco(figure, q)
        # a free joint's position in MuJoCo moves along a line with B's velocity; M's own line differs at second order
        mujoco.mj_integratePos(mj, qpos, b.v_to_mujoco(figure, q, v), sign * h)
        qs.append(b.q_from_mujoco(figure, qpos))
    for peer in ("pin", "mujoco"):
        T = getattr(b, f"{peer}_map")
        rate = (T(figure, qs[0]) @ v - T(figure, qs[1]) @ v) / (2 * h)
        close(rate, getattr(b, f"{peer}_map_rate")(figure, q, v), 1e-6)


@pytest.mark.parametrize("seed", RNG_SEEDS)
def test_random_figures_have_the_size_asked_for(seed):
    rng = np.random.default_rng(seed)
    dofs = int(rng.integers(1, 61))
    figure = b.random_figure(rng, dofs)
    assert figure.nv == dofs
    assert figure.links[0].joint.kind in (JointKind.FREE, JointKind.FIXED, JointKind.BALL, JointKind.HINGE)


def test_random_figures_hold_every_kind():
    figure = b.random_figure(np.random.default_rng(0), 60, root=JointKind.FREE)
    beyond_peers = {JointKind.SCREW, JointKind.COMPOUND, JointKind.FUNCTION}  # tested beside closed forms
    assert {link.joint.kind for link in figure.links} == set(JointKind) - beyond_peers
    assert any(link.joint.damping for link in figure.links)
    assert any(link.joint.armature for link in figure.links)


def test_what_a_peer_cannot_say_is_refused():
    builder = FigureBuilder("floating")
    builder.add("body", None, joint.free(armature=0.1), MassProperties(1.0, inertia=(1, 1, 1, 0, 0, 0)))
    with pytest.raises(ValueError, match="body"):
        b.to_pinocchio(builder.build())
    with pytest.raises(ValueError, match="memory"):
        b.to_pinocchio(chain(101))
