"""`hitogata capture` on files: images to cameras, images to points, wrong labels to right ones."""

import socket
import threading

import numpy as np
import pytest

from hitogata.capture import film_points, write_cameras
from hitogata.capture.marker_set import spread_markers
from hitogata.cli import main
from hitogata.files import MarkerData, read_c3d, read_trc, write_c3d
from hitogata.library import virtual_human
from tests.capture.rigs import FRAME, WAND, cameras, guesses, sightings, waved
from tests.capture.test_labelling import walk

TRUE = cameras(4)
HUMAN = virtual_human()
MARKERS = spread_markers(HUMAN, 20, radius=0.0095)


def test_from_images_to_points(tmp_path, capsys, monkeypatch) -> None:
    """The wand's sightings are those of its true pixels (films are tested elsewhere); the points come from a film."""
    pytest.importorskip("cv2")
    from hitogata import capture

    write_cameras(guesses(TRUE), tmp_path / "guess.toml")
    points = np.array([[[0.1, 0.2, 1.0], [-0.3, 0.1, 1.3], [0.2, -0.4, 0.6]]] * 5)
    film = np.array(list(film_points(TRUE, points, radius=0.0095)))
    for k, camera in enumerate(TRUE):
        np.save(tmp_path / f"{camera.name}.npy", film[:, k])
    answers = iter((sightings(TRUE, waved(100)), sightings(TRUE, FRAME.points[None])))
    monkeypatch.setattr(capture, "observe", lambda *_: next(answers))
    folder, found = str(tmp_path), str(tmp_path / "cameras.json")
    guess = str(tmp_path / "guess.toml")
    assert main(["capture", "calibrate", folder, "--frame", folder, "--cameras", guess, "-o", found]) == 0
    assert "4 cameras: reprojection 0.0" in capsys.readouterr().out
    assert WAND.marks == (0.0, 0.18, 0.5)  # the default of --marks
    out = str(tmp_path / "points.trc")
    assert main(["capture", "track", folder, "--cameras", found, "--rate", "100", "-o", out]) == 0
    places = read_trc(out).positions
    assert places.shape == (5, 3, 3)
    gaps = np.linalg.norm(places[:, :, None] - points[:, None], axis=3).min(axis=2)
    assert gaps.max() < 0.004


def test_wrong_labels_are_mended(tmp_path, capsys) -> None:
    human = virtual_human()
    markers = spread_markers(human, 41)
    places = markers.positions(human, walk(human, 120))
    wrong = places.copy()
    wrong[40:60, [3, 9]] = wrong[40:60, [9, 3]]
    time = np.arange(120) / 120
    write_c3d(MarkerData(markers.labels, time, 120.0, places), tmp_path / "good.c3d")
    write_c3d(MarkerData(markers.labels, time, 120.0, wrong), tmp_path / "bad.c3d")
    bad, good, out = (str(tmp_path / f"{name}.c3d") for name in ("bad", "good", "out"))
    assert main(["capture", "label", bad, "--model", good, "-o", out, "--report"]) == 0
    text = capsys.readouterr().out
    assert "40 labels changed" in text
    assert "seen 100.0 %" in text
    again = read_c3d(out).markers
    assert np.abs(again.positions[:, :41] - places).max() < 1e-5


@pytest.mark.parametrize(("arguments", "word"), [
    (["track", "nowhere", "--cameras", "no.toml", "--rate", "1", "-o", "a.c3d"], "no.toml: no such file"),
    (["label", "a.txt", "-o", "b.c3d"], "a.txt: points are read and written as .c3d or .trc"),
    (["calibrate", "x", "--cameras", "c.toml", "-o", "d.toml", "--marks", "1,2"], "--marks: expected 3 numbers"),
])  # fmt: skip
def test_bad_input_is_one_line(arguments: list[str], word: str, capsys) -> None:
    assert main(["capture", *arguments]) == 2
    assert word in capsys.readouterr().err


def test_images_that_are_not_there_are_named(tmp_path, capsys) -> None:
    write_cameras(TRUE, tmp_path / "c.toml")
    np.save(tmp_path / "c0.npy", np.zeros((2, 3, 4), dtype=np.uint8))
    track = ["capture", "track", str(tmp_path), "--cameras", str(tmp_path / "c.toml"), "--rate", "1", "-o", "a.c3d"]
    assert main(track) == 2
    assert "image 0 of camera 'c0' is 4 x 3 px" in capsys.readouterr().err
    (tmp_path / "c0.npy").unlink()
    assert main(track) == 2
    assert "nothing of camera 'c0'" in capsys.readouterr().err


def test_live_from_a_folder_and_from_sockets(tmp_path, capsys) -> None:
    """The same film twice: read here, and played by cameras on the network."""
    points = MARKERS.positions(HUMAN, HUMAN.neutral())[None].repeat(12, axis=0)
    film = np.array(list(film_points(TRUE, points, radius=0.0095)))
    (tmp_path / "film").mkdir()
    for k, camera in enumerate(TRUE):
        np.save(tmp_path / "film" / f"{camera.name}.npy", film[:, k])
    lab, out = str(tmp_path / "cameras.toml"), str(tmp_path / "live.c3d")
    write_cameras(TRUE, lab)
    write_c3d(MarkerData(MARKERS.labels, np.arange(12) / 50, 50.0, points), tmp_path / "model.c3d")
    common = ["--cameras", lab, "--rate", "50", "--model", str(tmp_path / "model.c3d"), "-o", out]
    assert main(["capture", "live", str(tmp_path / "film"), *common]) == 0
    assert "12 frames" in capsys.readouterr().out
    found = read_c3d(out).markers
    here = np.linalg.norm(found.positions[:, : points.shape[1]] - points, axis=2) < 0.005
    assert here.mean() > 0.9
    port = free_ports(4)
    serve = ["capture", "serve", str(tmp_path / "film"), "--cameras", lab, "--rate", "50", "--port", str(port)]
    cameras_ = threading.Thread(target=main, args=(serve,), daemon=True)
    cameras_.start()
    assert main(["capture", "live", f"127.0.0.1:{port}", *common, "--lag", "20000"]) == 0
    assert "12 frames" in capsys.readouterr().out
    assert np.allclose(read_c3d(out).markers.positions, found.positions, atol=1e-6, equal_nan=True)
    cameras_.join(60)
    with pytest.raises(SystemExit):
        main(["capture", "live"])
    assert main(["capture", "live", "nowhere", *common]) != 0
    assert "expected HOST:PORT, lsl, or a folder of images" in capsys.readouterr().err


def free_ports(count: int) -> int:
    """The first of so many ports in a row that are free."""
    for port in range(20000, 60000, 97):
        try:
            held = [socket.create_server(("127.0.0.1", port + k)) for k in range(count)]
        except OSError:
            continue
        for one in held:
            one.close()
        return port
    raise AssertionError("no free ports")
