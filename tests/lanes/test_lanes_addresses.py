"""Many arrays as one argument."""

import numpy as np
import pytest

from hitogata.lanes import address_table, entry, floats_in, ints_in


@entry
def add_all(table, k):
    """Add one whole number to all floats; how many there are."""
    floats, whole = floats_in(table, 0), ints_in(table, 1)
    for i in range(floats.size):
        floats[i] = floats[i] + whole[k]
    return floats.size


def test_arrays_are_read_and_written_in_place():
    floats, whole = np.arange(5.0), np.array([3, -4, 5])
    assert add_all(address_table([floats, whole]), 1) == 5
    assert np.array_equal(floats, np.arange(5.0) - 4)


@pytest.mark.parametrize("wrong", [np.zeros((2, 2)), np.zeros(4)[::2], np.zeros(3, np.int32)])
def test_only_flat_arrays_of_known_kinds(wrong):
    with pytest.raises(TypeError, match="array 1: expected a flat array"):
        address_table([np.zeros(2), wrong])
