"""Types of arrays of whole numbers and truth values."""

import numpy as np

IntArray = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
