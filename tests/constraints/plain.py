"""Kernels in plain Python: as they are written, on numbers, without compiling them."""

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from hitogata.lanes import packed, tail
from hitogata.lanes.compiler import Kernel


class Flat:
    """A flat view of numbers, as kernels see one of width 1."""

    width = step = 1

    def __init__(self, numbers: Any) -> None:
        self.numbers = np.asarray(numbers)

    def __getitem__(self, k: int) -> Any:
        if not 0 <= k < len(self.numbers):
            raise IndexError(f"{k} of {len(self.numbers)}")
        return self.numbers[k].item()

    def __setitem__(self, k: int, value: Any) -> None:
        if not 0 <= k < len(self.numbers):
            raise IndexError(f"{k} of {len(self.numbers)}")
        self.numbers[k] = value


INSTEAD = {id(tail): lambda view, start: Flat(view.numbers[start:]), id(packed): lambda view: view}


def plain(kernel: Kernel, _made: dict[int, Callable[..., Any]] | None = None) -> Callable[..., Any]:
    """A kernel as a Python function; so are those that it calls."""
    made = {} if _made is None else _made
    if id(kernel) in made:
        return made[id(kernel)]
    fn = kernel.py_func
    known = dict(fn.__globals__)
    result = types.FunctionType(fn.__code__, known, fn.__name__, fn.__defaults__, fn.__closure__)
    made[id(kernel)] = result
    for name in fn.__code__.co_names:
        value = known.get(name)
        if isinstance(value, Kernel):
            known[name] = plain(value, made)
        elif id(value) in INSTEAD:
            known[name] = INSTEAD[id(value)]
    return result
