"""Cameras on the network: frames arrive to the bit, broken connections and strangers are told; frames are joined."""

import functools
import socket
import threading

import numpy as np
import pytest

from hitogata.capture import CameraFrame, CameraLinkError, CameraProcesses, CameraServer, frames_from, serve_camera
from hitogata.capture.blobs import Blobs, find_blobs
from hitogata.capture.camera_link import body_size, pack_end, pack_frame, unpack_frame
from hitogata.capture.frame_join import FrameJoin
from tests.capture.test_live import spots

PATIENCE = 30.0


def table(seed: int) -> Blobs:
    return Blobs(np.random.default_rng(seed).uniform(1, 99, (4, 6)), seed % 2 == 1)


def test_frames_to_the_bit() -> None:
    image = np.random.default_rng(0).integers(0, 256, (24, 31), dtype=np.uint8)
    back = unpack_frame(pack_frame(CameraFrame(7, image)))
    assert back is not None
    assert back.number == 7
    assert np.array_equal(back.seen, image)
    for seed in (0, 1):
        back = unpack_frame(pack_frame(CameraFrame(2**40, table(seed))))
        assert back is not None
        assert back.number == 2**40
        assert np.array_equal(back.seen.table, table(seed).table)
        assert back.seen.overflow == table(seed).overflow
    assert unpack_frame(pack_end()) is None
    with pytest.raises(CameraLinkError, match="cable"):
        unpack_frame(pack_end("cable"))


def test_damaged_frames_are_refused() -> None:
    """Whatever comes over the wire is a frame or refused by name, and never makes room for more than an image."""
    rng, whole = np.random.default_rng(1), pack_frame(CameraFrame(3, table(0)))
    refused = 0
    for _ in range(2000):
        bad = bytearray(whole)
        for place in rng.integers(0, len(bad), rng.integers(1, 6)):
            bad[place] = rng.integers(256)
        cut = bytes(bad[: rng.integers(len(bad) + 1)] if rng.random() < 0.3 else bad)
        try:
            frame = unpack_frame(cut)
            assert frame is None or np.isfinite(np.asarray(getattr(frame.seen, "table", 0.0))).all()
            assert len(cut) < 24 or body_size(cut[:24]) <= 2**28
        except CameraLinkError:
            refused += 1
    assert refused > 200


def test_over_sockets() -> None:
    with CameraServer() as server:
        images = list(spots(6, 1))
        sender = threading.Thread(target=serve_camera, args=(images, server, 200.0))
        sender.start()
        found = []
        for frame in frames_from(server.host, server.port, patience=PATIENCE):
            found.append(frame)
            if len(found) == 6:
                break
        sender.join()
    assert [frame.number for frame in found] == list(range(6))
    for frame, image in zip(found, images, strict=True):
        assert np.array_equal(frame.seen.table, find_blobs([image])[0].table)


def test_a_broken_connection_is_made_anew() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def camera() -> None:
        for numbers in ((0, 1), (5, 6)):
            connection, _ = listener.accept()
            for number in numbers:
                connection.sendall(pack_frame(CameraFrame(number, table(number))))
            if numbers[0]:
                connection.sendall(pack_end())
            connection.close()

    sender = threading.Thread(target=camera)
    sender.start()
    host, port = listener.getsockname()
    assert [frame.number for frame in frames_from(host, port, patience=PATIENCE)] == [0, 1, 5, 6]
    sender.join()
    listener.close()


def test_strangers_and_nobody_are_told() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    host, port = listener.getsockname()

    def stranger() -> None:
        connection, _ = listener.accept()
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 4)
        connection.close()

    sender = threading.Thread(target=stranger)
    sender.start()
    with pytest.raises(CameraLinkError, match=f"{host}:{port}: what it sends is no frame of a camera"):
        list(frames_from(host, port, patience=PATIENCE))
    sender.join()
    listener.close()
    with pytest.raises(CameraLinkError, match=f"{host}:{port} cannot be reached"):
        list(frames_from(host, port, patience=0.2))


def joined(sent: list[tuple[int, int]], count: int = 3) -> tuple[list[list[int]], FrameJoin]:
    """What comes of (camera, number) as they come: numbers of each frame, -1 for nothing."""
    join, found = FrameJoin(count), []
    waiting: list[list[int]] = [[] for _ in range(count)]
    for camera, number in sent:
        waiting[camera].append(number)
        while any(waiting[k] for k in join.missing()):
            for k in join.missing():
                if waiting[k]:
                    n = waiting[k].pop(0)
                    join.add(k, CameraFrame(n, Blobs(np.full((1, 6), float(n)))))
            while not join.missing():
                found += [[int(b.table[0, 0]) if len(b) else -1 for b in frame] for frame in join.frames()]
    return found, join


def test_lost_frames_are_put_together_without_their_camera() -> None:
    found, join = joined([(0, 0), (1, 0), (2, 0), (0, 1), (1, 2), (2, 1), (0, 2), (2, 2), (0, 5), (1, 5), (2, 5)])
    assert found == [[0, 0, 0], [1, -1, 1], [2, 2, 2], [-1, -1, -1], [-1, -1, -1], [5, 5, 5]]
    assert join.incomplete == 3


def test_cameras_that_begin_at_different_times() -> None:
    found, _ = joined([(0, 3), (0, 4), (0, 5), (1, 5), (1, 6), (2, 4), (2, 5), (0, 6), (2, 6)])
    assert found == [[5, 5, 5], [6, 6, 6]]


def test_numbers_that_were_set_anew_do_not_make_ages_of_nothing() -> None:
    found, _ = joined([(k, n) for n in (0, 10**9) for k in range(3)])
    assert found == [[0, 0, 0], [10**9] * 3]


def slow_then_gone():
    yield from (CameraFrame(k, image) for k, image in enumerate(spots(3, 2)) if k != 1)
    raise OSError("cable pulled")


def test_the_rest_goes_on_without_a_lost_camera() -> None:
    sources = [functools.partial(spots, 6, 0), slow_then_gone, functools.partial(spots, 6, 1)]
    with CameraProcesses(sources, patience=120, names=("left", "middle", "right")) as live:
        frames = list(live)
    assert len(frames) == 6
    assert [len(frame[1]) > 0 for frame in frames] == [True, False, True, False, False, False]
    assert all(len(frame[k]) for frame in frames for k in (0, 2))
    assert live.problems == ["middle: OSError: cable pulled"]
    assert live.incomplete == 1
