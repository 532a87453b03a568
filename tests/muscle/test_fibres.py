"""Force by length and speed beside published values and closed forms; tendons in equilibrium; ligaments."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError
from hitogata.figure.mechanism import JointStep, Linear, Mechanism, MechanismBody, MechanismJoint
from hitogata.muscle import (
    DeGroote2016,
    Ligament,
    Millard2012,
    Muscle,
    MuscleSet,
    Path,
    PathPoint,
    Tendon,
    Thelen2003,
    activation_rate,
    ligament_forces,
    rigid_tendon_forces,
    tendon_equilibrium,
)

MODELS = [Thelen2003(), Millard2012(), DeGroote2016()]


def on_slider(*wires):
    """Wires from the world to a body that slides."""
    step = (JointStep(False, (1, 0, 0), Linear(), ("x",)),)
    body = Mechanism.of("slider", [MechanismBody("end")], [MechanismJoint("slide", None, "end", ("x",), step)])
    return MuscleSet("slider", body, wires)


PATH = Path((PathPoint(None, (0, 0, 0)), PathPoint("end", (0, 0, 0))))


@pytest.mark.parametrize("curves", MODELS, ids=lambda c: type(c).__name__)
def test_curves_pass_through_their_defining_points(curves):
    one = np.array([1.0])
    assert curves.active(one)[0] == pytest.approx(1.0, abs=1e-2)
    assert curves.speed(np.array([0.0]))[0] == pytest.approx(1.0, abs=2e-3)
    assert curves.speed(np.array([-1.0]))[0] == pytest.approx(0.0, abs=2e-2)
    assert curves.passive(1.0 + np.array([getattr(curves, "passive_strain", 0.7)]))[0] == pytest.approx(1.0)
    strain = curves.tendon_strain
    assert curves.tendon(1.0 + np.array([strain]))[0] == pytest.approx(1.0, abs=1e-3)
    assert curves.tendon(one)[0] == pytest.approx(0.0, abs=1e-12)
    x = np.linspace(-1.3, 1.3, 400)
    assert (np.diff(curves.speed(x)) >= -1e-12).all()
    assert (np.diff(curves.tendon(np.linspace(1.0, 1.08, 300))) > 0).all()


def test_thelen_beside_its_equations():
    """Thelen (2003), eq. 1, 3, 4, 6 for a = 1, where the force-velocity relation is given as speed by force."""
    c = Thelen2003()
    length = np.array([0.7, 1.1, 1.4])
    np.testing.assert_allclose(c.active(length), np.exp(-((length - 1) ** 2) / 0.45))
    np.testing.assert_allclose(c.passive(length[1:]), (np.exp(5 * (length[1:] - 1) / 0.6) - 1) / (np.exp(5) - 1))
    force = np.array([0.2, 0.7, 1.1, 1.3])
    speed = np.where(force < 1, (force - 1) / (1 + force / 0.25), (force - 1) / ((2 + 2 / 0.25) * (1.4 - force) / 0.4))
    np.testing.assert_allclose(c.speed(speed), force, rtol=1e-12)
    np.testing.assert_allclose(c.speed(0.625 * speed, 0.5), force, rtol=1e-12)


def test_rigid_tendon():
    """A fibre at 30° at its optimum: force along the tendon is F cos 30°."""
    muscle = Muscle("m", PATH, 500.0, 0.1, 0.2, np.radians(30), curves=Thelen2003())
    found = rigid_tendon_forces(on_slider(muscle), [0.2 + 0.1 * np.cos(np.radians(30))])
    assert found.length[0] == pytest.approx(1.0)
    assert found.capacity[0] == pytest.approx(500 * np.cos(np.radians(30)))
    slack = rigid_tendon_forces(on_slider(muscle), [0.1])
    assert slack.capacity[0] == 0.0
    assert slack.passive[0] == 0.0


@pytest.mark.parametrize("curves", MODELS, ids=lambda c: type(c).__name__)
def test_elastic_tendon_in_equilibrium(curves):
    muscle = Muscle("m", PATH, 500.0, 0.1, 0.2, 0.2, curves=curves)
    lengths, activation = np.linspace(0.28, 0.34, 7)[:, None], np.linspace(0.05, 1.0, 7)[:, None]
    found = tendon_equilibrium(on_slider(muscle), lengths, activation)
    height = 0.1 * np.sin(0.2)
    along = np.sqrt((found.length * 0.1) ** 2 - height**2)
    np.testing.assert_allclose(along + found.tendon * 0.2, lengths, rtol=1e-12)
    pull = (activation * curves.active(found.length) + curves.passive(found.length)) * along / (found.length * 0.1)
    np.testing.assert_allclose(found.force, 500 * pull, rtol=1e-9)
    assert found.residual.max() < 1e-12
    with pytest.raises(ArgumentError, match="'r' has no tendon"):
        tendon_equilibrium(on_slider(Muscle("r", PATH, slack_length=0.0, rigid_tendon=True)), [0.3], 0.5)


def test_activation_rises_and_falls_with_its_time_constants():
    muscles = on_slider(Muscle("m", PATH, activation_time=0.01, deactivation_time=0.04, least_activation=0.0))
    assert activation_rate(muscles, [0.5], [1.0])[0] == pytest.approx(0.5 / (0.01 * 1.25))
    assert activation_rate(muscles, [0.5], [0.0])[0] == pytest.approx(-0.5 / (0.04 / 1.25))
    assert activation_rate(muscles, [0.3], [0.3])[0] == 0.0


def test_ligaments():
    band = Ligament("band", PATH, slack_length=0.1, stiffness=2000.0, toe=0.06)
    tendon = Tendon("tendon", PATH, slack_length=0.2)
    muscles = on_slider(band, tendon, Muscle("m", PATH))
    assert [wire.name for wire in muscles.wires] == ["m", "band", "tendon"]
    lengths = np.array([[0.3, 0.09, 0.19], [0.3, 0.103, 0.2], [0.3, 0.11, 0.2]])
    force = ligament_forces(muscles, lengths)[:, 0]
    np.testing.assert_allclose(force, [0.0, 2000 * 0.03**2 / 0.12, 2000 * (0.1 - 0.03)])
