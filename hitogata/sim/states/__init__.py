"""Contact by hypothesis and validity as a world's way to solve its steps (Nakamura & Yamane 2000, §4).

Beside the sweeps of `sim.step`: the same rows, laws and records, solved directly, island by island.
"""
