"""Bad files: an error that names the file and the line, link or joint."""

import builtins
import sys

import pytest

from hitogata.errors import FigureError, FileFormatError, HitogataError, MissingDependencyError
from hitogata.files import read_mjcf, read_urdf

HEAD = "<mujoco>\n<worldbody>\n"  # what follows begins in line 3
TAIL = "\n</worldbody>\n</mujoco>\n"


def fails(read, tmp_path, text, error=FileFormatError, name="figure.xml", **options) -> str:
    """The message of the error, after 'file'; the message begins with the file's path."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(error) as caught:
        read(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


@pytest.mark.parametrize("read", [read_mjcf, read_urdf])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<mujoco>\n<worldbody>\n<body>\n</worldbody>\n</mujoco>", 4),
        ("<robot>\n<link name='a'>\n<x</link></robot>", 3),
        ("<mujoco>\n<a b=c/>\n</mujoco>", 2),
        ("<mujoco>\n", 2),
        ("", 1),
        ("not xml", 1),
        ("\n\n<mujoco></mujoco><mujoco/>", 3),
    ],
)
def test_malformed_xml_gives_file_and_line(read, tmp_path, text, line):
    message = fails(read, tmp_path, text)
    assert message.startswith(f":{line}: not well-formed XML")


@pytest.mark.parametrize("read", [read_mjcf, read_urdf])
def test_malformed_text_gives_the_line(read):
    with pytest.raises(FileFormatError, match=r"text:3: not well-formed"):
        read("<a>\n<b>\n</a>")


def test_malformed_included_file(tmp_path):
    (tmp_path / "part.xml").write_text("<mujoco>\n<body>\n</mujoco>")
    path = tmp_path / "all.xml"
    path.write_text(HEAD + "<include file='part.xml'/>" + TAIL)
    with pytest.raises(FileFormatError, match=r"part.xml:3: not well-formed"):
        read_mjcf(path)


@pytest.mark.parametrize("read", [read_mjcf, read_urdf])
def test_missing_file(read, tmp_path):
    with pytest.raises(FileFormatError, match=r"nowhere\.xml: no such file"):
        read(tmp_path / "nowhere.xml")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(FileFormatError, match="expected a path or XML text, got int"):
        read(3)


def test_the_wrong_reader(tmp_path):
    assert "read it with read_urdf" in fails(read_mjcf, tmp_path, "<robot name='r'/>")
    assert "read it with read_mjcf" in fails(read_urdf, tmp_path, "<mujoco/>")
    assert "<sdf>" in fails(read_urdf, tmp_path, "<sdf/>")
    assert "'sdf'" in fails(read_mjcf, tmp_path, "<sdf/>")


@pytest.mark.parametrize("module", ["mujoco"])
@pytest.mark.parametrize("read", [read_mjcf, read_urdf])
def test_without_mujoco(read, module, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **options):
        if name.partition(".")[0] == module:
            raise ImportError(name)
        return real(name, *rest, **options)

    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r"pip install hitogata\[files\]"):
        read("<mujoco/>")


def test_with_an_old_mujoco(monkeypatch):
    monkeypatch.setattr("mujoco.__version__", "3.13.0")
    with pytest.raises(MissingDependencyError, match=r"3\.16 or newer, not 3\.13\.0: pip install --upgrade"):
        read_mjcf("<mujoco/>")


# ------------------------------------------------------- MJCF


@pytest.mark.parametrize(
    ("text", "error", "parts"),
    [
        ("<body nme='a'/>", FileFormatError, [":3:", "'nme'"]),
        ("\n<body name='a'><foo/></body>", FileFormatError, [":4:", "unrecognized element"]),
        ("<body name='a' pos='1 x 3'/>", FileFormatError, [":3:", "'pos'"]),
        ("<body name='a' pos='nan 0 0'/>", FileFormatError, [":3:", "pos='nan 0 0'"]),
        ("<body name='a'/>\n<body name='a'/>", FileFormatError, [":4:", "repeated name 'a'"]),
        ("<body name='a' quat='0 0 0 0'/>", FileFormatError, [":3:", "quaternion"]),
        ("<body><joint name='j' axis='0 0 0'/><geom size='1'/></body>", FileFormatError, [":3:", "'j'", "axis"]),
        ("\n<body><joint/><geom type='mesh' mesh='m'/></body>", FileFormatError, [":4:", "mesh 'm' not found"]),
        ("", FileFormatError, ["no body in it"]),
        ("<geom size='1'/>", FileFormatError, ["no body in it"]),
        ("\n<body name='bob'><joint/></body>", FigureError, [":4:", "link 'bob'", "must be positive"]),
        (
            "<body name='bob'><joint/><inertial mass='-1' pos='0 0 0' diaginertia='1 1 1'/></body>",
            FigureError,
            [":3:", "link 'bob'", "must be positive"],
        ),
        (
            "<body name='bob'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/></body>",
            FigureError,
            [":3:", "link 'bob'", "not physical"],
        ),
        (
            "<body name='bob'><inertial mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'/></body>",
            FigureError,
            [":3:", "link 'bob'", "not physical"],
        ),
        (
            "<body name='bob'><joint name='j' limited='true' range='2 1'/><geom size='1'/></body>",
            FileFormatError,
            [":3:", "'j'", "range"],
        ),
        (
            "<body name='a'><geom size='1'/></body><body name='b'><geom size='1'/></body>",
            FigureError,
            ["2 bodies hang on the world, 'a', 'b'", "root='a'"],
        ),
        (
            "<body name='base'><body name='l'><joint/><geom size='1'/></body>"
            "<body name='r'><joint/><geom size='1'/></body></body>",
            FigureError,
            [":3:", "'base' has no mass", "'l', 'r'"],
        ),
        ("<body name='empty'/>", FigureError, [":3:", "'empty' has no mass"]),
    ],
)
def test_bad_mjcf(tmp_path, text, error, parts):
    message = fails(read_mjcf, tmp_path, HEAD + text + TAIL, error)
    for part in parts:
        assert part in message


def test_unknown_root(tmp_path):
    text = HEAD + "<body name='a'><geom size='1'/></body>" + TAIL
    message = fails(read_mjcf, tmp_path, text, FigureError, root="b")
    assert "'b'" in message
    assert "'a'" in message


def test_missing_mesh(tmp_path):
    text = "<mujoco><asset><mesh name='m' file='gone.stl'/></asset>" + HEAD[9:]
    text += "<body><geom type='mesh' mesh='m'/></body>" + TAIL
    assert "gone.stl" in fails(read_mjcf, tmp_path, text)


# ------------------------------------------------------- URDF


def link(name, mass=1, izz=1):
    return (
        f"<link name='{name}'><inertial><mass value='{mass}'/>"
        f"<inertia ixx='1' iyy='1' izz='{izz}' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    )


def joint(name, parent, child, kind="continuous"):
    return f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/></joint>"


AB = [link("a"), link("b"), joint("j", "a", "b")]


@pytest.mark.parametrize(
    ("lines", "error", "parts"),
    [
        ([], FileFormatError, [":1:", "no link"]),
        (["<link/>"], FileFormatError, [":2:", "without a name"]),
        ([link("a"), link("a")], FigureError, [":3:", "duplicate link 'a'"]),
        ([*AB, link("c"), joint("j", "b", "c")], FigureError, [":6:", "duplicate joint 'j'"]),
        ([link("a"), joint("j", "a", "b")], FigureError, [":3:", "'j'", "unknown child link 'b'"]),
        ([link("a"), joint("j", "x", "a")], FigureError, [":3:", "'j'", "unknown parent link 'x'"]),
        ([link("a"), link("b"), joint("j", "a", "b", "hinge")], FileFormatError, [":4:", "'j'", "'hinge'"]),
        ([link("a"), link("b"), joint("j", "a", "b", "planar")], FigureError, [":4:", "'j'", "planar"]),
        ([link("a"), link("b"), joint("j", "a", "b", "floating")], FigureError, [":4:", "'j'", "free_base"]),
        ([link("a"), link("b")], FigureError, ["one root, got 2: 'a', 'b'"]),
        ([*AB, joint("k", "b", "a")], FigureError, [":4:", "cycle", "'b', 'a'"]),
        ([*AB, link("c"), joint("k", "c", "b")], FigureError, [":6:", "'b' hangs on two joints, 'j' and 'k'"]),
        ([link("a"), "<link name='b'/>", joint("j", "a", "b")], FigureError, [":3:", "'b'", "must be positive"]),
        ([link("a"), link("b", mass=-1), joint("j", "a", "b")], FigureError, [":3:", "'b'", "must be positive"]),
        ([link("a"), link("b", izz=3), joint("j", "a", "b")], FigureError, [":3:", "'b'", "not physical"]),
        ([link("a", izz="nan")], FileFormatError, [":2:", "izz='nan'"]),
        (["<xacro:include/>", link("a")], FileFormatError, [":2:", "xacro"]),
        (["<link name='world'/>", *AB, joint("k", "world", "a"), link("c"), joint("l", "world", "c")], FigureError,
         ["2 links hang on the world: 'a', 'c'"]),
    ],
)  # fmt: skip
def test_bad_urdf(tmp_path, lines, error, parts):
    text = "<robot name='r'>\n" + "\n".join(lines) + "\n</robot>"
    message = fails(read_urdf, tmp_path, text, error, name="figure.urdf")
    for part in parts:
        assert part in message


def test_lines_survive_the_edits_before_mujoco(tmp_path):
    """Meshes and visuals are taken out before MuJoCo reads the text; its errors still name the file's lines."""
    text = """<robot name='r'>
      <link name='a'>
        <visual>
          <geometry><mesh filename='gone.dae'/></geometry>
        </visual>
        <collision>
          <geometry>
            <mesh filename='gone.stl'/></geometry>
        </collision>
        <inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='x'
           ixy='0' ixz='0' iyz='0'/></inertial>
      </link></robot>"""
    assert fails(read_urdf, tmp_path, text, HitogataError).startswith(":10:")


def test_free_base_needs_a_base_that_does_not_move(tmp_path):
    text = "<robot name='r'><link name='world'/>" + link("a") + joint("j", "world", "a") + "</robot>"
    assert "'a' already moves" in fails(read_urdf, tmp_path, text, FigureError, free_base=True)
