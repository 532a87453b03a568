"""Who and what may come in, and where files may go."""

import json
import socket
import stat
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FileFormatError
from hitogata.figure import Trajectory
from hitogata.files import bvh_from_trajectory, write_bvh
from hitogata.library import human28, pendulum, virtual_human
from hitogata.studio import StudioOptions
from hitogata.studio.folder import Folder, clean
from hitogata.studio.gate import welcome
from hitogata.studio.options import is_loopback
from hitogata.studio.sources import FIGURE_FILES, FIGURES, MOTION_FILES

from hitogata.studio.sources import from_bytes, load_figure, load_motion, load_range  # isort: skip

LIMIT = 1_000_000


@pytest.mark.parametrize(
    ("host", "origin", "loopback", "expected"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080", True, True),
        ("localhost:8080", "http://localhost:8080", True, True),
        ("[::1]:8080", "http://[::1]:8080", True, True),
        ("127.0.0.1:8080", None, True, True),  # no browser
        ("127.0.0.1:8080", "http://evil.example", True, False),  # another page
        ("127.0.0.1:8080", "http://127.0.0.1:9999", True, False),  # another program's page
        ("127.0.0.1:8080", "null", True, False),  # a file, or a page in a sandbox
        ("evil.example:8080", "http://evil.example:8080", True, False),  # a name that was made to point here
        ("", None, True, False),
        ("studio.lan:8080", "http://studio.lan:8080", False, True),
        ("studio.lan:8080", "http://evil.example", False, False),
    ],
)
def test_welcome(host, origin, loopback, expected):
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
    assert welcome(headers, loopback=loopback) is expected


def test_options():
    assert StudioOptions().host == "127.0.0.1"
    assert StudioOptions().loopback
    assert not StudioOptions(host="0.0.0.0").loopback
    assert is_loopback("localhost") and is_loopback("127.3.2.1") and is_loopback("::1")  # noqa: PT018
    assert not is_loopback("example.com")
    for bad in ({"port": 99999}, {"port": "80"}, {"host": ""}, {"upload_limit": 0}):
        with pytest.raises(ArgumentError, match=next(iter(bad))):
            StudioOptions(**bad)


def test_addresses_where_one_cannot_listen():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ArgumentError, match="editor_port: cannot listen on"):
            StudioOptions(editor_port=taken.getsockname()[1]).check_addresses()
        StudioOptions(port=taken.getsockname()[1]).check_addresses()  # the next free one is taken
    with pytest.raises(ArgumentError, match=r"host: cannot listen on '203\.0\.113\.1'"):
        StudioOptions(host="203.0.113.1").check_addresses()  # an address for documentation: nobody's


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ArgumentError, match=r"cannot write to .*file/out: "):
        Folder(tmp_path / "file" / "out").new("x", ".png")


NAMES = ["../../etc/passwd", "/etc/passwd", "a\\..\\b", "..", "", "x\0y", "a" * 500, "日本 語", "."]


@pytest.mark.parametrize("name", NAMES)
def test_names_do_not_leave_the_folder(tmp_path, name):
    folder = Folder(tmp_path / "out")
    path = folder.new(name, ".json")
    assert path.parent == (tmp_path / "out").resolve()
    assert path.exists()
    assert len(path.name) < 120
    assert clean(name) == clean(clean(name))


def test_paths_are_new_and_endings_plain(tmp_path):
    folder = Folder(tmp_path)
    assert len({folder.new("same", ".png") for _ in range(5)}) == 5
    for bad in ("png", "./../x", ".a/b", ".PNG "):
        with pytest.raises(ArgumentError, match="ending"):
            folder.new("x", bad)


def bvh_bytes(tmp_path):
    figure = human28()
    motion = Trajectory(np.arange(3) / 30, np.tile(figure.neutral(), (3, 1)), np.zeros((3, figure.nv)))
    write_bvh(bvh_from_trajectory(motion, figure), tmp_path / "m.bvh")
    return (tmp_path / "m.bvh").read_bytes()


def test_uploads_are_read_like_files(tmp_path):
    loaded = from_bytes("C:\\walks\\My Walk.BVH", bvh_bytes(tmp_path), FIGURE_FILES, LIMIT, load_figure)
    assert loaded.motion is not None
    assert len(loaded.motion) == 3
    assert loaded.figure.nlinks > 5


BAD = {
    "notes.txt": (b"hello", "expected, got .txt"),
    "figure": (b"hello", "got no ending"),
    "../../x.bvh": (b"no BVH at all", "x.bvh"),
    "empty.bvh": (b"", "empty.bvh"),
    "bytes.bvh": (bytes(range(256)) * 20, "bytes.bvh"),
    "broken.xml": (b"<mujoco><worldbody>", "broken.xml:1: not well-formed"),
    "entity.xml": (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><mujoco>&b;</mujoco>', "entity.xml"),
    "reads.xml": (b'<mujoco>\n<include file="/etc/passwd"/></mujoco>', "reads.xml:2: <include> refers to '/etc/pa"),
    "mesh.urdf": (b'<robot name="r"><link name="a"><visual><geometry><mesh filename="/etc/passwd"/></geometry></visual>'
                  b"</link></robot>", "refers to '/etc/passwd'"),
    "large.bvh": (b"x" * (LIMIT + 1), "at most 1 MB"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_uploads(name):
    content, message = BAD[name]
    with pytest.raises(FileFormatError, match=message.replace("(", r"\(")) as caught:
        from_bytes(name, content, FIGURE_FILES, LIMIT, load_figure)
    assert "hitogata-" not in str(caught.value)  # no path of this machine


def test_bad_motions_and_ranges():
    figure = human28()
    for name, content in (("a.npz", b"PK\3\4 no"), ("b.npz", _pickled()), ("c.bvh", b"HIERARCHY")):
        with pytest.raises(FileFormatError, match=name):
            from_bytes(name, content, MOTION_FILES, LIMIT, lambda path: load_motion(path, figure))
    for content in (b"{", b"[]", b'{"swing": {"kind": "SplineRegion"}}', b"\xff\xfe"):
        with pytest.raises(FileFormatError, match=r"r\.json"):
            from_bytes("r.json", content, (".json",), LIMIT, load_range)


def test_warnings_of_motions_reach_the_page(tmp_path):
    """A skeleton of which a unit cannot be guessed clearly, or whose positions have another one, is warned of."""
    text = bvh_bytes(tmp_path).decode()
    head, frames = text.split("Frame Time:")
    rate, *rows = frames.strip().splitlines()
    far = [" ".join([*(str(float(x) * 1000) for x in row.split()[:3]), *row.split()[3:]]) for row in rows]
    content = "\n".join([f"{head}Frame Time: {rate}", *far]).encode()
    figure = virtual_human()
    loaded = from_bytes("far.bvh", content, MOTION_FILES, LIMIT, lambda path: load_motion(path, figure))
    assert loaded.motion is not None
    assert any("different units" in text for text in loaded.warnings)


def _pickled():
    """A .npz file with an object inside, which would run code if it were loaded carelessly."""
    import io

    out = io.BytesIO()
    np.savez(out, header=np.array([{"a": 1}], dtype=object))
    assert zipfile.is_zipfile(out)
    return out.getvalue()


def test_every_built_in_figure():
    for name in FIGURES:
        assert load_figure(name).figure.name == name
    with pytest.raises(ArgumentError, match="no figure 'nobody'"):
        load_figure("nobody")


# ------------------------------------------------------- a studio that listens

viser = pytest.importorskip("viser", reason="needs viser: pip install 'hitogata[studio]'")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from hitogata.studio import Studio

    with Studio(pendulum(), options=StudioOptions(port=0, folder=tmp_path_factory.mktemp("out"))) as studio:
        end = time.monotonic() + 600
        while not studio.ready:  # it may compile
            assert time.monotonic() < end
            time.sleep(0.05)
        yield studio


def connect(studio, **options):
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{studio.server.get_port()}"
    return connect(address, subprotocols=[f"viser-v{viser.__version__}"], open_timeout=20, **options)


def test_pages_of_others_are_turned_away(studio):
    from websockets.exceptions import ConnectionClosed

    own = f"http://127.0.0.1:{studio.server.get_port()}"
    with connect(studio, origin=own) as socket:
        assert len(socket.recv(timeout=20)) > 100
    with connect(studio, origin="http://evil.example") as socket, pytest.raises(ConnectionClosed) as caught:
        socket.recv(timeout=20)
    assert caught.value.rcvd.code == 1008


def test_no_tunnel_to_the_internet(studio):
    assert studio.server.request_share_url() is None


def request(studio, path, *, token=None, body=None, **headers):
    address = f"http://127.0.0.1:{studio.page.editor.port}/{token or studio.page.editor.token}/{path}"
    asked = urllib.request.Request(address, data=body, headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_editor_wants_its_token(studio):
    status, page = request(studio, "")
    assert status == 200
    assert b"polar" in page.lower() or b"Range of motion" in page
    assert request(studio, "", token="wrong")[0] == 404
    assert request(studio, "", Origin="http://evil.example")[0] == 404
    assert request(studio, "", Host="evil.example")[0] == 404
    assert request(studio, "../web/polar.html")[0] == 404
    assert request(studio, "edit", body=b"x" * 20_000)[0] == 404
    assert request(studio, "edit", body=b"{}", Origin="http://evil.example")[0] == 404


NONSENSE = [
    *(b"no json", b"[1]", b"null", b'{"action": "point", "index": "x"}', b'{"action": "no"}'),
    *(b'{"action": "point", "azimuth": 1e999}', b'{"action": "twist", "index": -1}'),
]


@pytest.mark.parametrize("body", NONSENSE)
def test_editor_refuses_nonsense(studio, body):
    status, answer = request(studio, "edit", body=body)
    assert status == 200
    assert json.loads(answer)["error"]
    assert studio.clock.ask(lambda: 42) == 42  # it lives on


def test_a_crash_is_told_and_the_studio_lives_on(studio, capsys):
    before = studio.guard.crashes
    studio.post("Breaking it", lambda: 1 / 0)
    frames = studio.clock.ask(lambda: studio.clock.frames)
    assert studio.guard.crashes == before + 1
    assert studio.guard.messages[-1] == "Breaking it failed: ZeroDivisionError: division by zero"
    assert "ZeroDivisionError" in capsys.readouterr().err
    while studio.clock.ask(lambda: studio.clock.frames) < frames + 3:
        pass


def test_errors_come_back_to_who_asks(studio):
    with pytest.raises(ZeroDivisionError):
        studio.clock.ask(lambda: 1 / 0)


def test_written_files_are_plain(studio):
    path = studio.folder.new("x", ".txt")
    assert path.is_relative_to(Path(studio.options.folder).resolve())
    assert stat.S_ISREG(path.stat().st_mode)
