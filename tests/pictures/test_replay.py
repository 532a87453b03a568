"""What a replay holds, read back from the file; and what it refuses."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hitogata.dynamics import forward_kinematics, integrate
from hitogata.errors import ArgumentError, FigureError
from hitogata.figure import (
    Box,
    Capsule,
    ConvexMesh,
    FigureBuilder,
    Frame,
    Plane,
    Pose,
    Sphere,
    Trajectory,
    joint,
)
from hitogata.library import human28
from hitogata.pictures import Actor, Arrows, Caption, JointRange, Line, Marker, Trail, write_replay
from hitogata.pictures.quantized_arrays import pack
from hitogata.pictures.replay import kept_rows
from hitogata.rom import ConeRegion, RangeOfMotion
from tests.pictures.reading import numbers, scene_of


def wandering(figure, n=40, rate=60.0, seed=0, speed=1.0):
    change = np.random.default_rng(seed).normal(size=figure.nv) * speed
    time = np.arange(n) / rate
    q = integrate(figure, np.tile(figure.neutral(), (n, 1)), np.outer(time, change))
    return Trajectory(time, q, np.tile(change, (n, 1)), figure_name=figure.name)


def arm():
    """One hinge about y; the hand is 1 m along x from it."""
    builder = FigureBuilder("arm")
    limb = Capsule.between((0, 0, 0), (1, 0, 0), 0.05)
    builder.add("limb", None, joint.hinge(axis=(0, 1, 0)), shapes=[limb], frames=[Frame("hand", Pose((1, 0, 0)))])
    return builder.build()


def turning(n=31):
    """The arm's motion, and where its hand is by plain trigonometry."""
    time = np.arange(n) / 60
    angle = 2 * time
    hand = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], 1)
    return Trajectory(time, angle[:, None], np.full((n, 1), 2.0)), hand


def written(tmp_path, actors, **options):
    write_replay(tmp_path / "replay.html", actors, **options)
    return scene_of(tmp_path / "replay.html")


# ---------------------------------------------------------------- what is in the file


def test_poses_are_those_of_forward_kinematics(tmp_path):
    human = human28()
    motion = wandering(human)
    record = written(tmp_path, Actor(human, motion, offset=(0.5, -2.0, 0.0)))["actors"][0]
    poses = forward_kinematics(human, motion.q)
    np.testing.assert_allclose(numbers(record["time"]), motion.time, atol=1e-6)
    np.testing.assert_allclose(numbers(record["position"]), poses.position + [0.5, -2.0, 0.0], atol=5e-5)
    turns = Rotation.from_quat(numbers(record["quat"]).reshape(-1, 4), scalar_first=True)
    between = turns.inv() * Rotation.from_matrix(poses.rotation.reshape(-1, 3, 3))
    assert between.magnitude().max() < 1e-4


def test_far_travel_keeps_its_precision(tmp_path):
    human = human28()
    motion = wandering(human)
    q = motion.q.copy()
    q[:, 0] += np.linspace(0, 1000, len(q))
    record = written(tmp_path, Actor(human, Trajectory(motion.time, q, motion.v)))["actors"][0]
    assert record["position"]["type"] == "f4"
    np.testing.assert_allclose(numbers(record["position"]), forward_kinematics(human, q).position, atol=1e-4)


@pytest.mark.parametrize("kind", ["i2", "f4"])
def test_packed_numbers_are_within_half_a_step(kind):
    values = np.random.default_rng(3).normal(size=(50, 4, 3)) * [1, 10, 0.1] + [5, 0, -1]
    packed = pack(values, resolution=1e-3 if kind == "i2" else 1e-9)
    assert packed["type"] == kind
    np.testing.assert_allclose(numbers(packed), values, atol=0.501 * packed["scale"] if kind == "i2" else 4e-6)


@pytest.mark.parametrize("values", [np.zeros((0, 3)), np.full((4, 3), 7.25), np.array([3.0])])
def test_packing_of_nothing_and_of_equal_numbers(values):
    assert np.array_equal(numbers(pack(values, resolution=1e-4)), values)


def test_ten_seconds_of_a_human_are_small(tmp_path):
    human = human28()
    write_replay(tmp_path / "replay.html", Actor(human, wandering(human, n=601, speed=0.1)))
    assert (tmp_path / "replay.html").stat().st_size < 250_000


def test_same_bytes_every_time(tmp_path):
    human = human28()
    for name in "ab":
        overlays = [Marker("eyes", "eyes"), JointRange("neck", "neck", RangeOfMotion(ConeRegion((0, 0, 1), 0.5)))]
        write_replay(tmp_path / name, Actor(human, wandering(human), overlays=overlays), title="Motion ü")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_words_cannot_break_out_of_the_page(tmp_path):
    evil = "</script><script>alert('x')</script>{{scene}}"
    human = human28()
    actor = Actor(human, wandering(human), label=evil, overlays=[Marker(evil, "eyes")])
    scene = written(tmp_path, actor, title=evil, text=evil, captions=[Caption(0, 1, evil)])
    assert (scene["title"], scene["text"], scene["captions"][0][2], scene["actors"][0]["label"]) == (evil,) * 4
    page = (tmp_path / "replay.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "<script>alert" not in page


def test_every_shape_is_there_once_with_its_size(tmp_path):
    corners = np.random.default_rng(0).normal(size=(12, 3))
    mesh = ConvexMesh(corners)
    builder = FigureBuilder("all")
    shapes = [Sphere(0.1), Capsule(0.1, 0.2), Box((0.1, 0.2, 0.3)), mesh, mesh]
    builder.add("all", None, joint.free(), shapes=shapes)
    figure = builder.build()
    motion = Trajectory([0.0], [figure.neutral()], [np.zeros(6)])
    scene = written(tmp_path, Actor(figure, motion, colour="#112233"), scenery=[Plane(), mesh])
    ball, capsule, box, first, second = scene["actors"][0]["shapes"]
    assert (ball["size"], ball["radius"]) == ([0, 0, 0], 0.1)
    assert (capsule["size"], capsule["radius"]) == ([0, 0, 0.2], 0.1)
    np.testing.assert_allclose(np.array(box["size"]) + box["radius"], (0.1, 0.2, 0.3))
    assert first["mesh"] == second["mesh"] == scene["scenery"][1]["mesh"] == 0
    assert len(scene["meshes"]) == 1
    np.testing.assert_allclose(numbers(scene["meshes"][0]["vertices"]), mesh.vertices, atol=5e-5)
    assert np.array_equal(numbers(scene["meshes"][0]["faces"]), mesh.faces)
    assert scene["scenery"][0]["plane"]
    assert {shape["colour"] for shape in scene["actors"][0]["shapes"]} == {"#112233"}


def test_a_figure_without_shapes_is_drawn_from_bones(tmp_path):
    builder = FigureBuilder("bare")
    mass = Sphere(0.1).mass_properties()
    builder.add("upper", None, joint.ball(), mass)
    tip = [Frame("tip", Pose((0, 0, -0.2)))]
    builder.add("lower", "upper", joint.hinge(parent_frame=Pose((0, 0, -0.3))), mass, frames=tip)
    figure = builder.build()
    shapes = written(tmp_path, Actor(figure, wandering(figure)))["actors"][0]["shapes"]
    sticks = [(s["link"], 2 * s["size"][2]) for s in shapes if s["size"][2] > 0]
    assert sticks == [(0, pytest.approx(0.3)), (1, pytest.approx(0.2))]


def test_camera_holds_the_figure(tmp_path):
    ball = FigureBuilder("ball")
    ball.add("ball", None, joint.free(), shapes=[Sphere(0.5)])
    figure = ball.build()
    q = np.tile(figure.neutral(), (11, 1))
    q[:, 0] = np.linspace(0, 10, 11)
    motion = Trajectory(np.arange(11.0), q, np.zeros((11, 6)))
    camera = written(tmp_path, Actor(figure, motion))["camera"]
    np.testing.assert_allclose(camera["centre"], [5, 0, 0], atol=1e-9)
    assert camera["radius"] == pytest.approx(np.sqrt(5.5**2 + 2 * 0.5**2))
    assert camera["size"] == pytest.approx(np.sqrt(3) * 0.5)
    assert camera["follow"]
    assert not written(tmp_path, Actor(figure, motion), follow=False)["camera"]["follow"]


def test_rows_are_thinned_and_none_invented(tmp_path):
    motion, hand = turning(301)
    fast = Trajectory(motion.time / 10, motion.q, motion.v)  # 600 states a second
    actor = Actor(arm(), fast, overlays=[Marker("pointer", hand)])
    record = written(tmp_path, actor, rate=60)["actors"][0]
    rows = np.arange(0, 301, 10)
    np.testing.assert_allclose(numbers(record["time"]), fast.time[rows], atol=1e-6)
    np.testing.assert_allclose(numbers(record["overlays"][0]["at"]), hand[rows], atol=5e-5)


def test_first_and_last_rows_are_kept():
    time = np.sort(np.random.default_rng(1).uniform(0, 3, 500))
    rows = kept_rows(time, 30.0)
    assert (rows[0], rows[-1]) == (0, 499)
    assert (np.diff(time[rows])[:-1] > 0.0333).all()


# ---------------------------------------------------------------- overlays


def test_frames_are_followed(tmp_path):
    motion, hand = turning()
    overlays = [Trail("trail", "hand"), Marker("pointer", "hand", tied_to="hand"), Line("line", hand)]
    actor = Actor(arm(), motion, offset=(0, 3, 0), overlays=overlays)
    trail, marker, line = written(tmp_path, actor)["actors"][0]["overlays"]
    for points in (trail["at"], marker["at"], line["points"]):
        np.testing.assert_allclose(numbers(points), hand + [0, 3, 0], atol=5e-5)
    assert marker["tie"] == {"link": 0, "point": [1, 0, 0]}


def test_arrows_of_no_length_are_left_out(tmp_path):
    motion, hand = turning(3)
    forces = [[((0, 0, 0), (0, 0, 10)), (hand[0], (5, 0, 0))], [], [(hand[2], (0, 0, 0)), (hand[2], (0, -2, 0))]]
    actor = Actor(arm(), motion, offset=(0, 0, 1), overlays=[Arrows.ragged("forces", forces, scale=0.1)])
    arrows = written(tmp_path, actor)["actors"][0]["overlays"][0]
    assert numbers(arrows["starts"]).tolist() == [0, 2, 2, 3]
    np.testing.assert_allclose(numbers(arrows["at"]), [[0, 0, 1], hand[0] + [0, 0, 1], hand[2] + [0, 0, 1]], atol=5e-5)
    np.testing.assert_allclose(numbers(arrows["vectors"]), [[0, 0, 1], [0.5, 0, 0], [0, -0.2, 0]], atol=5e-5)


def test_no_arrows_at_all(tmp_path):
    motion, _ = turning(3)
    actor = Actor(arm(), motion, overlays=[Arrows.ragged("forces", [[], [], []])])
    arrows = written(tmp_path, actor)["actors"][0]["overlays"][0]
    assert numbers(arrows["starts"]).tolist() == [0, 0, 0, 0]


def test_range_stands_on_the_parent_and_knows_when_it_is_left(tmp_path):
    builder = FigureBuilder("two")
    builder.add("base", None, joint.free(), shapes=[Box((0.2, 0.2, 0.2))])
    cone = RangeOfMotion(ConeRegion((0, 0, 1), 0.5))
    frame = Pose((0.1, 0.0, 0.3), (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0))  # the bone at rest, z, points along -y
    ball = joint.ball(name="neck", range=cone, parent_frame=frame)
    builder.add("head", "base", ball, shapes=[Sphere(0.1)])
    figure = builder.build()
    angle = np.array([0.0, 0.49, 0.505, 0.52, 1.5])
    q = np.tile(figure.neutral(), (5, 1))
    q[:, 7], q[:, 8] = np.cos(angle / 2), np.sin(angle / 2)
    actor = Actor(figure, Trajectory(np.arange(5.0), q, np.zeros((5, 9))), overlays=[JointRange("range", "neck")])
    record = written(tmp_path, actor)["actors"][0]
    shown = record["overlays"][0]
    assert numbers(shown["outside"]).tolist() == [0, 0, 0, 1, 1]
    assert (shown["parent"], shown["link"]) == (0, 1)
    np.testing.assert_allclose(shown["centre"], frame.position)
    np.testing.assert_allclose(shown["quat"], frame.quat)
    # the bone's direction in the world, turned by `angle` about x from -y
    turns = Rotation.from_quat(numbers(record["quat"])[:, 1], scalar_first=True)
    expected = np.stack([0 * angle, -np.cos(angle), -np.sin(angle)], 1)
    np.testing.assert_allclose(turns.apply(shown["bone"]), expected, atol=1e-4)
    np.testing.assert_allclose(numbers(shown["boundary"])[:, 2], np.cos(0.5), atol=1e-4)


# ---------------------------------------------------------------- bad input


def test_figure_and_trajectory_must_fit():
    with pytest.raises(ArgumentError, match="q has 43 columns, figure 'arm' needs 1"):
        Actor(arm(), wandering(human28()))


def test_empty_motion_is_refused():
    with pytest.raises(ArgumentError, match="actor 'arm': the trajectory is empty"):
        Actor(arm(), Trajectory(np.zeros(0), np.zeros((0, 1)), np.zeros((0, 1))))


def test_bad_input_writes_nothing(tmp_path):
    path = tmp_path / "replay.html"
    for actors, options in (([], {}), (["arm"], {}), (Actor(arm(), turning()[0]), {"rate": 0.0})):
        with pytest.raises(ArgumentError):
            write_replay(path, actors, **options)
    assert not path.exists()


def nan_at(hand):
    hand = hand.copy()
    hand[3, 1] = np.nan
    return hand


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda hand: Marker("p", nan_at(hand)), r"marker 'p': at\[3, 1\] is nan"),
        (lambda hand: Marker("p", hand[:5]), "actor 'arm', Marker 'p': has 5 times, the trajectory 31"),
        (lambda hand: Marker("p", hand[:, :2]), r"expected shape \(n, 3\), got \(31, 2\)"),
        (lambda hand: Marker("p", hand, radius=-1.0), "radius: must be a positive number"),
        (lambda hand: Marker("", hand), "name must be a string that is not empty"),
        (lambda hand: Marker("p", hand, colour="red"), "colour must look like \"#c8956c\", got 'red'"),
        (lambda hand: Trail("t", hand, seconds=0.0), "seconds: must be a positive number"),
        (lambda hand: Line("l", hand[:1]), "a line needs two points or more"),
        (lambda hand: Arrows("a", hand[:, None], hand[:, None, :2]), r"expected shape \(nt, n, 3\)"),
        (lambda hand: Arrows("a", hand[:, None], hand[:4, None]), "at has shape"),
        (lambda hand: Arrows.ragged("a", [[(hand[0], [np.inf, 0, 0])]] * 31), "every number must be finite"),
        (lambda hand: JointRange("r", "limb"), "is a hinge joint"),
        (lambda hand: JointRange("r", "limb", range=(0, 1)), "a RangeOfMotion expected"),
        (lambda hand: "marker", "an overlay expected, got 'marker'"),
    ],
)
def test_bad_overlays_are_refused(make, message):
    motion, hand = turning()
    with pytest.raises(ArgumentError, match=message):
        Actor(arm(), motion, overlays=[make(hand)])


def test_unknown_names_are_refused():
    motion, hand = turning()
    with pytest.raises(FigureError, match="no frame 'hnad'; did you mean 'hand'"):
        Actor(arm(), motion, overlays=[Marker("p", hand, tied_to="hnad")])
    with pytest.raises(FigureError, match="no link 'leg'"):
        Actor(arm(), motion, link_colours={"leg": "#ffffff"})
    with pytest.raises(ArgumentError, match="joint 'neck' of figure 'human28' has no range of motion"):
        Actor(human28(), wandering(human28()), overlays=[JointRange("r", "neck")])


@pytest.mark.parametrize("options", [{"offset": (0, np.nan, 0)}, {"opacity": 0.0}, {"colour": "#12"}, {"label": 3}])
def test_bad_options_of_an_actor_are_refused(options):
    with pytest.raises(ArgumentError):
        Actor(arm(), turning()[0], **options)


def test_captions_have_an_order():
    with pytest.raises(ArgumentError, match="start must be before stop"):
        Caption(2.0, 1.0, "late")
