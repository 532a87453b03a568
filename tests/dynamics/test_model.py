"""A figure compiled: copies and pickles."""

import copy
import pickle

import numpy as np

from hitogata.dynamics.model import model_of
from hitogata.library import virtual_human


def test_copies_and_pickles_keep_views_on_their_arrays():
    model = model_of(virtual_human())
    assert model.fields.body is not None
    assert copy.deepcopy(model) is model
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.floats, model.floats)
    before = other.fields.body.rows.copy()
    other.floats[:] += 1.0
    assert (other.fields.body.rows != before).all()
