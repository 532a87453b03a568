"""Large arrays go back to the system when they are freed."""

import contextlib
import ctypes

_MMAP_THRESHOLD, _LARGE = -3, 256 * 1024
"""Parameter of mallopt(3), and the size from which a block is large [bytes]."""


def give_back_large_blocks() -> None:
    """Let the C library map each large block by itself, and unmap it when it is freed.

    glibc does so at first, but after one block of up to 32 MB was freed it keeps others of that size, and holes between
    them: worlds of 50 humans, made anew at each move of a slider, took 65 MB that were in use nowhere.  Where there is
    no such switch (other systems), nothing happens.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
