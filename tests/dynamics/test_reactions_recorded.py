"""Joint reactions of a mechanism beside OpenSim's own standard file."""

import numpy as np
import pytest

from hitogata.figure.mechanism import mechanism_inverse_dynamics, mechanism_mass_matrix
from hitogata.files import read_storage
from hitogata.files.osim import mechanism_from_osim, read_osim
from tests.reference import reference


@pytest.mark.filterwarnings("ignore::hitogata.errors.FileContentWarning")
def test_reactions_of_a_swinging_double_pendulum():
    """On each rod, in its own axes, swinging freely: to 1e-3 N and N m of the standard file, 302 frames."""
    mechanism = mechanism_from_osim(read_osim(reference("opensim_so_arm26/DoublePendulum3D.osim")))
    states = read_storage(reference("opensim_so_arm26/DoublePendulum3D_states.sto"))
    standard = read_storage(reference("opensim_so_arm26/std_DoublePendulum3D_JointReaction_ReactionLoads.sto"))
    q = np.stack([states.column(name) for name in mechanism.coordinates], 1)
    u = np.stack([states.column(f"{name}_u") for name in mechanism.coordinates], 1)
    still = mechanism_inverse_dynamics(mechanism, q, u, 0.0 * u)
    qdd = np.linalg.solve(mechanism_mass_matrix(mechanism, q), -still.tau[..., None])[..., 0]
    found = mechanism_inverse_dynamics(mechanism, q, u, qdd)
    assert np.abs(found.tau).max() < 1e-8
    assert np.allclose(states.time, standard.time, atol=1e-9)
    for k, (joint, rod) in enumerate((("pin1", "rod1"), ("pin2", "rod2"))):
        body = [b.name for b in mechanism.bodies].index(rod)
        own = np.einsum("nji,naj->nai", found.motion.rotation[:, body], found.reactions[:, body].reshape(-1, 2, 3))
        for half, letter in ((1, "f"), (0, "m")):
            columns = [f"{joint}_on_{rod}_in_{rod}_{letter}{axis}" for axis in "xyz"]
            theirs = np.stack([standard.column(name) for name in columns], 1)
            assert np.abs(own[:, half] - theirs).max() < 1e-3, (k, letter)
