"""The command line: what it writes and prints, and how it complains."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hitogata
from hitogata.cli import main
from hitogata.rom import BoundaryTwist, RangeOfMotion, SplineRegion
from hitogata.rom.coupled import Angle, CoupledRange, SwingTwist, box

SPLINE = SplineRegion.through(np.radians([0, 60, 120, 180, 240, 300]), np.radians([60, 40, 80, 110, 70, 50]))
RANGE = RangeOfMotion(SPLINE, BoundaryTwist(np.full(6, -0.5), np.full(6, 0.8), (-1.0, 0.3)))


@pytest.fixture(scope="module")
def poses():
    q = np.random.default_rng(0).normal(size=(60_000, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    ok = RANGE.contains(q)
    return q[ok][:800], q[~ok][:4000]


def fails(capsys, *arguments):
    """Exit code 2 and one line on stderr."""
    assert main(list(arguments)) == 2
    err = capsys.readouterr().err.strip()
    assert err.startswith("hitogata: error:")
    assert "\n" not in err
    return err


def test_version_is_fast_and_loads_nothing_heavy():
    code = (
        "import sys; from hitogata.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")
    assert out[0].startswith("hitogata ")
    assert out[1] == "False False"


def test_help(capsys):
    assert main([]) == 0
    assert "warmup" in capsys.readouterr().out
    for arguments in (["rom", "--help"], ["rom", "fit", "--help"], ["warmup", "--help"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
    assert "forbidden" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["rom", "export", "x.json", "--to", "havok"])
    assert stop.value.code == 2


def test_show_a_range_of_several_joints(tmp_path, capsys):
    arm = CoupledRange((SwingTwist("shoulder"), Angle("elbow")), box((-0.5, 0.5), None, (-1, 1), (0, 2)), name="arm")
    arm.save(tmp_path / "arm.json")
    assert main(["rom", "show", str(tmp_path / "arm.json"), "-o", str(tmp_path / "arm.png")]) == 0
    assert "arm, of shoulder, elbow" in capsys.readouterr().out
    assert (tmp_path / "arm.png").stat().st_size > 5000


def test_show(tmp_path, capsys):
    RANGE.save(tmp_path / "rom.json")
    np.save(tmp_path / "trail.npy", np.array([[1.0, 0, 0, 0], [0.8, 0.6, 0, 0]]))
    picture = tmp_path / "rom.png"
    assert (
        main(["rom", "show", str(tmp_path / "rom.json"), "-o", str(picture), "--trail", str(tmp_path / "trail.npy")])
        == 0
    )
    assert picture.stat().st_size > 30_000
    assert "4.090 sr" in capsys.readouterr().out
    assert main(["rom", "show", "human:hip_left", "-o", str(tmp_path / "hip.png"), "--colour", "plain"]) == 0


def test_fit_from_every_kind_of_file(tmp_path, capsys, poses):
    good, bad = poses
    np.save(tmp_path / "a.npy", good)
    np.savez(tmp_path / "b.npz", quats=good, forbidden=bad, bone=[0.0, 0.0, 1.0])
    rows = np.concatenate([np.column_stack([good, np.ones(len(good))]), np.column_stack([bad, np.zeros(len(bad))])])
    np.savetxt(tmp_path / "c.csv", rows, delimiter=",", header="w,x,y,z,allowed", comments="")
    for name in ("a.npy", "b.npz", "c.csv"):
        out = tmp_path / f"{name}.json"
        extra = (
            ["--picture", str(tmp_path / "fit.png"), "--report", str(tmp_path / "report.json")]
            if name == "a.npy"
            else []
        )
        assert main(["rom", "fit", str(tmp_path / name), "-o", str(out), "--bone", "z", *extra]) == 0
        fitted = RangeOfMotion.load(out)
        assert fitted.contains(good).mean() > 0.9
        assert abs(fitted.swing.area - SPLINE.area) < 0.6
        text = capsys.readouterr().out
        assert "coverage" in text
        assert ("forbidden poses forbidden" in text) == (name != "a.npy")
    assert json.loads((tmp_path / "report.json").read_text())["reached"] == len(good)
    assert (tmp_path / "fit.png").exists()


def test_fit_from_markers(tmp_path, capsys):
    from tests.rom.test_markers import arm

    parent, child, *_ = arm(frames=1200, hidden=0.1)
    np.savez(tmp_path / "markers.npz", parent=parent, child=child, rest=0)
    assert main(["rom", "fit", str(tmp_path / "markers.npz"), "-o", str(tmp_path / "rom.json"), "--margin", "3"]) == 0
    out = capsys.readouterr().out
    assert "known by markers" in out
    assert "bone 290" in out


def test_export(tmp_path, capsys):
    RANGE.save(tmp_path / "rom.json")
    for target in ("mujoco", "cone", "ellipse", "pyramid", "euler"):
        out = tmp_path / f"{target}.json"
        assert (
            main(["rom", "export", str(tmp_path / "rom.json"), "--to", target, "--engine", "jolt", "-o", str(out)]) == 0
        )
        data = json.loads(out.read_text())
        assert data.get("export", data)["wrongly_allowed"] >= 0.0
        assert "sr wrongly allowed" in capsys.readouterr().out


def test_human(tmp_path, capsys):
    assert main(["rom", "human"]) == 0
    assert "shoulder_left" in capsys.readouterr().out
    assert main(["rom", "human", "hip_right", "-o", str(tmp_path / "hip.json")]) == 0
    assert RangeOfMotion.load(tmp_path / "hip.json").contains(np.array([1.0, 0, 0, 0]))
    assert main(["rom", "human", "hip_right"]) == 0
    assert "1965" in capsys.readouterr().out


def test_warmup_tasks_are_there():
    from hitogata.cli.warmup import tasks_of

    names = [name for room in ("rom", "dynamics", "files") for name, _ in tasks_of(room)]
    assert any("violation" in n for n in names)
    assert any("forward dynamics" in n for n in names)
    assert main(["warmup", "--rooms", "files"]) == 0
    for module in Path(hitogata.__file__).parent.glob("*/warmup.py"):
        if module.parent.name != "cli":
            assert list(tasks_of(module.parent.name)), f"{module} is not asked for its tasks"


def test_warmup_of_chosen_tasks(capsys):
    from hitogata.cli.warmup import tasks_of

    assert [name for name, _ in tasks_of("sim", ["world's step"])] == ["sim: the world's step"]
    assert main(["warmup", "--rooms", "sim", "--only", "no such task"]) == 2
    assert "'no such task'" in capsys.readouterr().err


def test_complaints(tmp_path, capsys, poses):
    good, _ = poses
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"swing": {"kind": "Square"}}')
    assert "no such file" in fails(capsys, "rom", "show", str(tmp_path / "none.json"), "-o", "x.png").lower()
    assert "broken.json: not JSON" in fails(capsys, "rom", "show", str(tmp_path / "broken.json"), "-o", "x.png")
    assert "unknown kind of region 'Square'" in fails(
        capsys, "rom", "show", str(tmp_path / "other.json"), "-o", "x.png"
    )
    assert "no human range 'tail'" in fails(capsys, "rom", "export", "human:tail", "--to", "cone")
    cases = {
        "a.csv": ("w,x,y,z\n1,0,0,0\n1,0,0\n", "a.csv:3: w, x, y, z and perhaps a label expected, got 3"),
        "b.csv": ("1,0,0,0\n2,0,0,0\n", "b.csv:2:"),
        "c.csv": ("1,0,0,0\n1,0,x,0\n", "c.csv:2: numbers expected"),
        "d.csv": ("", "no poses"),
        "e.csv": ("1,0,0,0\n", "1 poses; at least 20"),
        "f.npz": ("hello", "f.npz: not a .npz file"),
        "g.mat": ("", "g.mat: .npy, .npz or .csv expected"),
    }
    for name, (text, message) in cases.items():
        (tmp_path / name).write_text(text)
        assert message in fails(capsys, "rom", "fit", str(tmp_path / name), "-o", str(tmp_path / "r.json"))
    np.savez(tmp_path / "h.npz", poses=good)
    assert "it holds poses" in fails(capsys, "rom", "fit", str(tmp_path / "h.npz"), "-o", "r.json")
    np.save(tmp_path / "i.npy", good[:, :3])
    assert "(n, 4) expected" in fails(capsys, "rom", "fit", str(tmp_path / "i.npy"), "-o", "r.json")
    np.savez(tmp_path / "j.npz", parent=np.zeros((30, 2, 3)), child=np.zeros((30, 4, 3)))
    assert "j.npz: parent: markers of shape" in fails(capsys, "rom", "fit", str(tmp_path / "j.npz"), "-o", "r.json")
    np.save(tmp_path / "k.npy", good)
    assert "--bone w" in fails(capsys, "rom", "fit", str(tmp_path / "k.npy"), "-o", "r.json", "--bone", "w")
    assert "margin" in fails(capsys, "rom", "fit", str(tmp_path / "k.npy"), "-o", "r.json", "--margin", "100")
