"""The arrays of a world, as one argument of its kernels."""

from hitogata.lanes import Table, float_array, int_array


class StepTable(Table):
    """See `world_data.Arrays`, `layout` and `substeps`; those of loose bodies are empty in reduced coordinates."""

    ints = int_array()
    floats = float_array()
    tie_ints = int_array()
    shape_ints = int_array()
    shape_floats = float_array()
    pairs = int_array()
    law = float_array()
    control = float_array()
    state = float_array()
    before = float_array()  # room for a state; afterwards, that before the last step
    piece_before = float_array()  # and before its last piece, if there were several
    ties = float_array()
    old_ties = float_array()
    piece_ties = float_array()
    contacts = int_array()  # see `contact_lists`
    points = float_array()
    counts = int_array()
    work = float_array()
    work_ints = int_array()
    spare = float_array()  # scratch of `point_rows`
    states = float_array()  # scratch of contact by states
    states_ints = int_array()
    sums = float_array()
    earlier = int_array()
    earlier_points = float_array()
    log = int_array()
    log_numbers = float_array()
    told_scratch = float_array()
    loose_ints = int_array()  # bodies of a world in maximal coordinates
    loose_floats = float_array()
    outside = float_array()  # what acts on them
    link_work = float_array()
    link_ints = int_array()
