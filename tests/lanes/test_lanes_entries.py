"""What entries take, and sharing out over threads."""

import os
import pickle
import threading

import numpy as np
import pytest

from hitogata.errors import HitogataError
from hitogata.lanes import (
    X1,
    X4,
    ArgumentTypeError,
    Floats,
    Ints,
    Number,
    entry,
    kernel,
    lanes,
    share,
)


@entry(q=Floats(1), n=Ints(1), scale=Number(), out=Floats(1, write=True))
def measure(q, n, scale, out, width):
    target = lanes(out, width)
    target[0] = lanes(q, width)[n[0]] * scale


def arguments(dtype=np.float64):
    return {"q": np.arange(8, dtype=dtype), "n": np.array([1]), "scale": 0.5, "out": np.zeros(8, dtype), "width": X4}


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_good_arguments_share_the_code(dtype):
    args = arguments(dtype)
    for q in (args["q"], read_only(args["q"])):
        for scale in (0.5, np.float32(0.5), np.float64(0.5)):
            args["out"][:] = 0.0
            measure(*(args | {"q": q, "scale": scale}).values())
            np.testing.assert_array_equal(args["out"], [2, 2.5, 3, 3.5, 0, 0, 0, 0])
    measure(*(args | {"scale": 2}).values())
    assert args["out"][0] == 8.0
    codes = {id(cres) for sig, cres in measure.overloads.items() if sig[0].dtype.name == np.dtype(dtype).name}
    assert len(codes) == 1


@pytest.mark.parametrize(("change", "message"), [
    ({"q": [1.0, 2.0]}, r"measure: argument 'q' must be a C-contiguous 1-D float64 or float32 array, not a list"),
    ({"q": np.arange(8)}, r"'q' must be .*, not a contiguous 1-D int64 array"),
    ({"q": np.arange(16.0)[::2]}, r"'q' must be .*, not a strided 1-D float64 array"),
    ({"q": np.ones((2, 4))}, r"'q' must be .*, not a contiguous 2-D float64 array"),
    ({"q": np.ones((2, 4), order="F")}, r"'q' must be .*, not a Fortran-ordered 2-D float64 array"),
    ({"q": np.zeros(8, np.complex128)}, r"'q' must be .*, not a contiguous 1-D complex128 array"),
    ({"q": None}, r"'q' must be .*, not None"),
    ({"q": object()}, r"'q' must be .*, not a Python object"),
    ({"q": "text"}, r"'q' must be .*, not a string"),
    ({"q": (1.0, 2.0)}, r"'q' must be .*, not a tuple"),
    ({"q": np.zeros(8, np.float32)}, r"'out' is float64, but other arguments of the call are float32"),
    ({"n": np.array([1], np.int32)}, r"'n' must be a C-contiguous 1-D int64 array, not a contiguous 1-D int32 array"),
    ({"scale": "2"}, r"'scale' must be a number, not a string"),
    ({"scale": np.ones(1)}, r"'scale' must be a number, not a contiguous 1-D float64 array"),
    ({"out": read_only(np.zeros(8))}, r"'out' is written to, but it is a read-only array"),
])
def test_bad_arguments_are_named(change, message, capfd):
    with pytest.raises(ArgumentTypeError, match=message) as caught:
        measure(*(arguments() | change).values())
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, HitogataError)
    assert "compiling" not in capfd.readouterr().err


def test_kinds_of_unknown_arguments():
    with pytest.raises(TypeError, match="has no argument y"):
        @entry(y=Floats(1))
        def alone(x):
            pass


def test_entries_call_entries_and_travel():
    @kernel
    def call(args):
        measure(args[0], args[1], args[2], args[3], args[4])

    @entry
    def outer(q, n, scale, out, width):
        call((q, n, scale, out, width))

    args = arguments()
    outer(*args.values())
    assert args["out"][0] == 2.0
    again = pickle.loads(pickle.dumps(measure))
    with pytest.raises(ArgumentTypeError):
        again([1.0], *list(args.values())[1:])


@entry
def fresh(x, width):
    lanes(x, width)[0] = 3.0


def test_threads_that_compile_at_once():
    arrays = np.zeros((8, 16))
    workers = [threading.Thread(target=fresh, args=(x, (X1, X4)[i % 2])) for i, x in enumerate(arrays)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    np.testing.assert_array_equal(arrays[:, 0], 3.0)
    assert len(fresh.signatures) == 2


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 50, None])
@pytest.mark.parametrize("count", [0, 1, 2, 10, 1000])
def test_share_covers_all_once(count, threads):
    seen, parts = np.zeros(count, int), []

    def run(first, end):
        parts.append((first, end))
        seen[first:end] += 1

    share(count, threads, run)
    assert (seen == 1).all()
    sizes = [end - first for first, end in parts]
    assert max(sizes) - min(sizes) <= 1
    if threads:
        assert len(parts) == max(1, min(threads, count))


def test_share_uses_threads():
    names, gate = set(), threading.Barrier(3, timeout=20)

    def run(first, end):
        gate.wait()                     # passes only when three run at the same time
        names.add(threading.current_thread().name)

    share(3, 3, run)
    assert threading.current_thread().name in names
    assert len(names) == 3


def test_share_inside_share():
    total = np.zeros((6, 6), int)

    def outer(first, end):
        for i in range(first, end):
            share(6, 6, lambda a, b, row=total[i]: row.__setitem__(slice(a, b), 1))

    share(6, 6, outer)
    assert total.all()


def test_share_passes_the_first_error_on_after_all_are_done():
    done = []

    def run(first, end):
        done.append(first)
        if first > 0:
            raise ValueError(f"part {first}")

    with pytest.raises(ValueError, match="part 1"):
        share(4, 4, run)
    assert sorted(done) == [0, 1, 2, 3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_share_after_fork():
    share(4, 4, lambda a, b: None)
    child = os.fork()
    if child == 0:
        total = []
        share(4, 4, lambda a, b: total.append(a))
        os._exit(0 if len(total) == 4 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
