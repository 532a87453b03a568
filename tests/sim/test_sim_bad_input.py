"""Bad input to a world: a clear error that names the value, and nothing has changed."""

import dataclasses
import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError, HitogataError
from hitogata.figure import (
    Box,
    ConvexMesh,
    FigureBuilder,
    HeightField,
    MassProperties,
    Plane,
    Pose,
    Sphere,
    State,
    joint,
)
from hitogata.library import human28
from hitogata.sim import Member, Recording, Settings, Snapshot, Tie, World, WorldError

NAN, INF = math.nan, math.inf
TURN = np.linspace(0, 2 * np.pi, 200, endpoint=False)
DRUM = ConvexMesh([[np.cos(t), np.sin(t), z] for t in TURN for z in (-1, 1)], name="drum")  # ends with 200 corners
FIELD = HeightField(np.zeros((2, 2)), (1.0, 1.0))


def a_world() -> SimpleNamespace:
    """A human and a ball on the ground, a spring to the world and a rope between them; three steps in."""
    world = World()
    world.add_ground()
    human = world.add(human28())
    human.set_motor(2000.0, 30.0)
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((1, 0, 0.5)))
    spring = world.add_spring((human, "forearm_left"), (0, 0, 1.0), stiffness=100.0, damping=1.0)
    rope = world.add_rope((human, "head"), (ball, "body"), length=1.0)
    world.step(1 / 60, steps=3)
    return SimpleNamespace(world=world, human=human, ball=ball, spring=spring, rope=rope, recording=world.record())


def everything(world: World) -> list:
    """All that a world holds, to compare."""
    saved = world.save()
    arrays = [a.tobytes() if isinstance(a, np.ndarray) else a for a in (getattr(saved, f.name) for f in SNAPSHOT)]
    handles = [list(world.members), list(world.ties), list(world.arrays.contents.fixed), list(world._recordings)]
    return [*arrays, *handles, [np.array(tie.ends[1], object).tolist() for tie in world.ties], world._checked_h]


SNAPSHOT = dataclasses.fields(Snapshot)


@pytest.fixture(scope="module")
def here():
    """The world that bad input does not change: all cases share it."""
    return a_world()


@pytest.fixture(scope="module")
def elsewhere():
    """Another world, of other things, and one of things of the same sizes."""
    world = World()
    ball, other = (world.add_body(Sphere(0.1), mass=1.0) for _ in range(2))
    tie = world.add_spring((other, "body"), (0, 0, 0), stiffness=1.0, damping=1.0)
    alike = a_world()
    alike.world.remove(alike.ball)
    twin = alike.world.add_body(Sphere(0.2), mass=2.0)
    alike.world.add_rope((alike.human, "head"), (twin, "body"), length=1.0)
    return SimpleNamespace(ball=ball, other=other, tie=tie, saved=world.save(), alike=alike.world.save())


def figure_with(shape):
    builder = FigureBuilder("odd")
    builder.add("base", None, joint.fixed(), MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1)))
    builder.add("lid", "base", joint.hinge(), MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1)), shapes=[shape])
    return builder.build()


WRONG_NUMBERS = {"negative": -1.0, "nan": NAN, "infinite": INF, "text": "x", "nothing": None, "list": [1.0, 2.0],
                 "complex": 1j, "bool": True, "text of a number": "1.0"}  # fmt: skip
WRONG_WHOLES = {"negative": -1, "fraction": 1.5, "nan": NAN, "infinite": INF, "text": "x", "nothing": None,
                "list": [1], "bool": True}  # fmt: skip
WRONG_VECTORS = {"nothing": None, "text": "x", "texts": ("a", "b", "c"), "short": [1.0, 2.0], "scalar": 1.0,
                 "nan": (0.0, 0.0, NAN), "infinite": (0.0, INF, 0.0), "ragged": [[1.0], [2.0, 3.0], 4.0],
                 "matrix": np.zeros((3, 3)), "complex": (1j, 0, 0)}  # fmt: skip
MEMBERS = {"nothing": None, "text": "human", "figure": human28()}


def cases():
    """(name, what to do with a world and another one, what the message holds)."""
    for name, bad in WRONG_NUMBERS.items():
        for argument in ("friction", "restitution"):
            yield f"add {argument} {name}", lambda w, o, a=argument, x=bad: w.world.add(human28(), **{a: x}), argument
            yield f"add_body {argument} {name}", lambda w, o, a=argument, x=bad: ball(w, **{a: x}), argument
            yield f"ground {argument} {name}", lambda w, o, a=argument, x=bad: w.world.add_ground(**{a: x}), argument
        yield f"step {name}", lambda w, o, x=bad: w.world.step(x), "h:"
        yield f"motor K {name}", lambda w, o, x=bad: w.human.set_motor(x, 1.0), "stiffness"
        yield f"motor D {name}", lambda w, o, x=bad: w.human.set_motor(1.0, x), "damping"
        if bad != INF:
            yield f"wall K {name}", lambda w, o, x=bad: w.human.set_wall(x, 1.0), "stiffness"
        yield f"wall D {name}", lambda w, o, x=bad: w.human.set_wall(1.0, x), "damping"
        yield f"spring K {name}", lambda w, o, x=bad: tie(w, stiffness=x), "stiffness"
        yield f"spring D {name}", lambda w, o, x=bad: tie(w, damping=x), "damping"
        yield f"rope K {name}", lambda w, o, x=bad: rope(w, stiffness=x), "stiffness"
        yield f"rope D {name}", lambda w, o, x=bad: rope(w, damping=x), "damping"
        yield f"rope length {name}", lambda w, o, x=bad: rope(w, length=x), "length"
    yield "step 0", lambda w, o: w.world.step(0.0), "h: must be a positive number; got 0.0"
    yield "step of years", lambda w, o: w.world.step(1e9), "take several"
    yield "step of an array", lambda w, o: w.world.step(np.array([0.1, 0.2])), "h:"
    yield "wall K 0", lambda w, o: w.human.set_wall(0.0, 1.0), "stiffness"
    yield "rope length 0", lambda w, o: rope(w, length=0.0), "length"
    yield "spring of nothing", lambda w, o: tie(w, stiffness=0.0, damping=0.0), "needs one of them"
    for name, bad in WRONG_WHOLES.items():
        yield f"steps {name}", lambda w, o, x=bad: w.world.step(0.01, steps=x), "steps"
        yield f"every {name}", lambda w, o, x=bad: w.world.record(every=x), "every"
        yield f"group {name}", lambda w, o, x=bad: w.world.add(human28(), group=x), "group"
        yield f"mask {name}", lambda w, o, x=bad: w.world.add(human28(), mask=x), "mask"
    yield "every 0", lambda w, o: w.world.record(every=0), "every"
    yield "group of bits that are not there", lambda w, o: w.world.add(human28(), group=1 << 16), "group"
    for name, bad in WRONG_VECTORS.items():
        yield f"target {name}", lambda w, o, x=bad: w.human.set_target(x), "q: expected 43 finite numbers"
        yield f"push {name}", lambda w, o, x=bad: w.human.push(x), "tau: expected 34 finite numbers"
        yield f"force {name}", lambda w, o, x=bad: w.human.pull("head", x), "force"
        yield f"torque {name}", lambda w, o, x=bad: w.human.pull("head", (0, 0, 1), x), "torque"
        yield f"anchor {name}", lambda w, o, x=bad: w.spring.move_anchor(x), "point"
        yield f"end of a spring {name}", lambda w, o, x=bad: tie(w, b=x), "b: neither"
        yield f"end of a rope {name}", lambda w, o, x=bad: rope(w, b=x), "b: neither"
        yield f"first end {name}", lambda w, o, x=bad: tie(w, a=x), "a: the first end"
        if bad is not None:
            yield f"rate {name}", lambda w, o, x=bad: w.human.set_target(moved(w), x), "rate: expected 34"
            yield f"pull at {name}", lambda w, o, x=bad: w.human.pull("head", (0, 0, 1), at=x), "at: expected 3"
    yield "first end in the world", lambda w, o: tie(w, a=(0, 0, 0), b=(w.human, "head")), "a: the first end"
    yield "end without a frame", lambda w, o: tie(w, b=w.ball), "b: neither"
    yield "end as a list", lambda w, o: tie(w, b=[w.ball, "body"]), "b: neither"
    yield "end on no frame", lambda w, o: tie(w, b=(w.ball, "tail")), "tail"
    yield "first end on no frame", lambda w, o: tie(w, a=(w.human, "tail")), "tail"
    yield "end on a number", lambda w, o: tie(w, b=(w.ball, 3)), "3"
    yield "end in another world", lambda w, o: tie(w, b=(o.other, "body")), "another world"
    yield "first end in another world", lambda w, o: rope(w, a=(o.ball, "body")), "another world"
    yield "anchor of a rope between links", lambda w, o: w.rope.move_anchor((0, 0, 0)), "no anchor"
    for name, bad in MEMBERS.items():
        yield f"remove {name}", lambda w, o, x=bad: w.world.remove(x), "World.add"
        yield f"remove_tie {name}", lambda w, o, x=bad: w.world.remove_tie(x), "tie: expected a spring or rope"
        yield f"trajectory {name}", lambda w, o, x=bad: w.recording.trajectory(x), "nothing was recorded"
        if name != "figure":
            yield f"add {name}", lambda w, o, x=bad: w.world.add(x), "figure: expected a Figure"
    yield "add a member", lambda w, o: w.world.add(w.human), "figure: expected a Figure"
    yield "remove a tie as a figure", lambda w, o: w.world.remove(w.spring), "member: expected a figure"
    yield "remove a figure as a tie", lambda w, o: w.world.remove_tie(w.human), "tie: expected a spring or rope"
    yield "remove from another world", lambda w, o: w.world.remove(o.ball), "another world"
    yield "remove a tie of another world", lambda w, o: w.world.remove_tie(o.tie), "of this world"
    yield "trajectory from another world", lambda w, o: w.recording.trajectory(o.ball), "nothing was recorded"
    yield "trajectory of a list", lambda w, o: w.recording.trajectory([]), "nothing was recorded"
    for name, bad in {"text": "x", "list": [1.0], "array": np.zeros(43), "pair": (np.zeros(43), np.zeros(34))}.items():
        yield f"state {name}", lambda w, o, x=bad: setattr(w.human, "state", x), "state: expected a State"
        yield f"add with state {name}", lambda w, o, x=bad: w.world.add(human28(), x), "state: expected a State"
    yield "state nothing", lambda w, o: setattr(w.human, "state", None), "state: expected a State"
    for name, bad in BAD_STATES.items():
        yield f"state {name}", lambda w, o, x=bad: setattr(w.human, "state", State(*x)), "state"
        yield f"add with state {name}", lambda w, o, x=bad: w.world.add(human28(), State(*x)), "state"
    yield "target not a unit quaternion", lambda w, o: w.human.set_target(2.0 * human28().neutral()), "norm 2"
    for name in ("set_motor", "set_wall"):
        for what, bad, message in (
            ("unknown", ["elbow_left", "tail"], "tail"), ("unknown, alone", "tail", "tail"), ("number", 3, "joints"),
            ("numbers", [3], "3"), ("free", ["elbow_left", "pelvis"], "free base"),
        ):  # fmt: skip
            yield f"{name} {what}", lambda w, o, n=name, x=bad: getattr(w.human, n)(1.0, 1.0, x), message
    for what, bad in (("unknown", "tail"), ("number", 3), ("nothing", None), ("list", ["head"])):
        yield f"pull {what}", lambda w, o, x=bad: w.human.pull(x, (0, 0, 1)), "no frame"
    for what, bad in (("nothing", None), ("names", ["head"]), ("text", "head"), ("number", [1]), ("three", ["abc"])):
        yield f"ignored {what}", lambda w, o, x=bad: w.world.add(human28(), ignored=x), "ignored: expected pairs"
    yield "ignored unknown", lambda w, o: w.world.add(human28(), ignored=[("head", "tail")]), "tail"
    for what, bad in (("nothing", None), ("text", "x"), ("number", 1.0), ("mixed", [Sphere(0.1), "x"])):
        yield f"add_body {what}", lambda w, o, x=bad: w.world.add_body(x, mass=1.0), "shapes: expected a Shape"
    yield "add_body of no shape", lambda w, o: w.world.add_body([], mass=1.0), "no shapes"
    yield "add_body drum", lambda w, o: w.world.add_body(DRUM, mass=1.0), "has 200 corners, more than 128"
    yield "add_body plane", lambda w, o: w.world.add_body(Plane(), mass=1.0), "Plane"
    for what, bad in (("negative", -1.0), ("zero", 0.0), ("nan", NAN), ("text", "x")):
        yield f"add_body mass {what}", lambda w, o, x=bad: w.world.add_body(Sphere(0.1), mass=x), "mass"
        yield f"add_body density {what}", lambda w, o, x=bad: w.world.add_body(Sphere(0.1), density=x), "density"
    yield "add_body mass and density", lambda w, o: ball(w, density=1.0), "density or total_mass"
    for what, bad in (("text", "x"), ("position", (0, 0, 1)), ("number", 0.0)):
        yield f"add_body pose {what}", lambda w, o, x=bad: ball(w, pose=x), "pose: expected a Pose"
    yield "add_body without a name", lambda w, o: ball(w, name=""), "name"
    yield "figure with a plane that moves", lambda w, o: w.world.add(figure_with(Plane())), "plane that moves"
    yield "figure with a drum", lambda w, o: w.world.add(figure_with(DRUM)), "has 200 corners, more than 128"
    yield "figure with terrain", lambda w, o: w.world.add(figure_with(FIELD)), "height field that moves"
    for what, bad in (("text", "x"), ("figure", human28()), ("number", 0)):
        yield f"ground {what}", lambda w, o, x=bad: w.world.add_ground(x), "expected one of Plane, Sphere, Capsule, Box"
    yield "ground drum", lambda w, o: w.world.add_ground(DRUM), "has 200 corners, more than 128"
    for what, bad in (("nothing", None), ("text", "x"), ("state", State.rest(human28()))):
        yield f"restore {what}", lambda w, o, x=bad: w.world.restore(x), "World.save"
    yield "restore from another world", lambda w, o: w.world.restore(o.saved), "other figures"
    yield "restore from a world of the same sizes", lambda w, o: w.world.restore(o.alike), "other figures"
    yield "restore not finite", lambda w, o: w.world.restore(spoilt(w.world.save())), "finite"


REST, STILL = human28().neutral(), np.zeros(34)
BAD_STATES = {
    "of a batch": (np.tile(REST, (2, 1)), np.tile(STILL, (2, 1))), "too short": (REST[:-1], STILL),
    "v too long": (REST, np.zeros(35)), "q nan": (np.where(np.arange(43) == 8, NAN, REST), STILL),
    "v infinite": (REST, np.where(np.arange(34) == 8, INF, STILL)), "not unit": (2.0 * REST, STILL),
}  # fmt: skip


def ball(w, **options):
    return w.world.add_body(Sphere(0.1), **{"mass": 1.0, **options})


def tie(w, **options):
    ends = options.pop("a", (w.human, "head")), options.pop("b", (0.0, 0.0, 0.0))
    return w.world.add_spring(*ends, **{"stiffness": 1.0, "damping": 1.0, **options})


def rope(w, **options):
    ends = options.pop("a", (w.human, "head")), options.pop("b", (0.0, 0.0, 0.0))
    return w.world.add_rope(*ends, **{"length": 1.0, **options})


def moved(w) -> np.ndarray:
    """A target other than the one there is."""
    q = w.human.q
    q[:3] += 1.0
    return q


def spoilt(saved: Snapshot) -> Snapshot:
    state = saved.state.copy()
    state[5] = NAN
    return dataclasses.replace(saved, state=state)


CASES = list(cases())


@pytest.mark.parametrize(("call", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_refused_and_nothing_changed(here, elsewhere, call, message):
    before = everything(here.world)
    with pytest.raises(HitogataError) as caught:
        call(here, elsewhere)
    assert message in str(caught.value)
    assert everything(here.world) == before


def test_no_public_function_is_forgotten():
    """Whatever takes arguments is asked above, or in a test of its own."""
    own = {"step", "add", "add_body", "add_ground", "add_spring", "add_rope", "remove", "remove_tie", "record",
           "restore", "set_target", "set_motor", "set_wall", "push", "pull", "move_anchor", "trajectory",
           "measure", "set_range", "range_of", "set_effort_limit", "contact_events",
           "set_root", "set_joint", "set_joints", "set"}  # fmt: skip
    for kind in (World, Member, Tie, Recording):
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and len(inspect.signature(function).parameters) > 1:
                assert name in own, f"{kind.__name__}.{name}"


# ------------------------------------------------------- worlds and settings


@pytest.mark.parametrize("gravity", [*WRONG_VECTORS.values(), -9.81], ids=[*WRONG_VECTORS, "a number"])
def test_gravity(gravity):
    with pytest.raises(ArgumentError, match="gravity: expected 3 finite numbers"):
        World(gravity=gravity)


@pytest.mark.parametrize("settings", ["x", 1, {"sweeps": 3}])
def test_world_with_odd_settings(settings):
    with pytest.raises(ArgumentError, match="settings: expected Settings"):
        World(settings=settings)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Settings)])
@pytest.mark.parametrize("value", [-1.0, NAN, "x", None, [1.0], INF, 0.0, 2.5])
def test_settings(name, value):
    endless = {"longest_fast_step", "contact_mass", "contact_depth", "push_out_speed", "range_stiffness", "sleep_after"}
    nought = {field.name for field in dataclasses.fields(Settings)} - endless
    choices = {"keep_energy", "slow_taut", "islands", "contacts"}
    nought -= {"theta", "sweeps", "fast_turn", "contact_stiffness", "static_share", "contact_events"} | choices
    whole = {"theta", "sweeps", "joint_correction", "contact_events"} | choices
    if (value == INF and name in endless) or (value == 0 and name in nought) or (value == 2.5 and name not in whole):
        assert getattr(Settings(**{name: value}), name) == value
        return
    with pytest.raises(ArgumentError, match=name):
        Settings(**{name: value})


def test_planes_on_links_that_never_move_are_fine():
    builder = FigureBuilder("table")
    mass = MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1))
    builder.add("leg", None, joint.fixed(), mass)
    builder.add("top", "leg", joint.fixed(parent_frame=Pose((0, 0, 1))), mass, shapes=[Plane()])
    world = World()
    world.add(builder.build())
    ball = world.add_body(Sphere(0.1), mass=1.0, pose=Pose((0, 0, 1.2)))
    world.step(1 / 60, steps=120)
    assert ball.q[2] == pytest.approx(1.1, abs=1e-3)


# ------------------------------------------------------- handles after removal


def test_a_removed_figure_cannot_be_used():
    w = a_world()
    w.world.remove(w.human)
    assert w.world.ties == []
    before = everything(w.world)
    uses = {
        "q": lambda: w.human.q, "v": lambda: w.human.v, "state": lambda: w.human.state,
        "set state": lambda: setattr(w.human, "state", State.rest(human28())),
        "set_target": lambda: w.human.set_target(REST), "set_motor": lambda: w.human.set_motor(1.0, 1.0),
        "set_wall": lambda: w.human.set_wall(1.0), "push": lambda: w.human.push(STILL),
        "pull": lambda: w.human.pull("head", (0, 0, 1)), "joint_forces": lambda: w.human.joint_forces(),
        "motor_forces": lambda: w.human.motor_forces(), "limit_forces": lambda: w.human.limit_forces(),
        "contact_forces": lambda: w.human.contact_forces(), "remove": lambda: w.world.remove(w.human),
        "spring": lambda: tie(w), "rope": lambda: rope(w, a=(w.ball, "body"), b=(w.human, "head")),
        "force of its spring": lambda: w.spring.force, "force of its rope": lambda: w.rope.force,
        "anchor of its spring": lambda: w.spring.move_anchor((0, 0, 0)),
        "remove its spring": lambda: w.world.remove_tie(w.spring),
    }  # fmt: skip
    for name, use in uses.items():
        with pytest.raises(ArgumentError, match="removed from the world"):
            use()
        assert everything(w.world) == before, name
    assert len(w.recording.trajectory(w.human).time) > 0  # what happened stays known
    w.world.step(1 / 60)


def test_a_removed_spring_cannot_be_used():
    w = a_world()
    w.world.remove_tie(w.spring)
    for use in (lambda: w.spring.force, lambda: w.spring.move_anchor((0, 0, 0)), lambda: w.world.remove_tie(w.spring)):
        with pytest.raises(ArgumentError, match="removed from the world"):
            use()
    assert w.world.ties == [w.rope]
    w.world.step(1 / 60)


def test_a_snapshot_is_of_use_only_while_nothing_came_or_went():
    w = a_world()
    saved = w.world.save()
    extra = w.world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pose=Pose((3, 0, 1)))
    with pytest.raises(ArgumentError, match="other figures"):
        w.world.restore(saved)
    w.world.remove(extra)
    w.world.restore(saved)
    w.world.add_ground(Box((1, 1, 1), pose=Pose((9, 0, 0))))
    with pytest.raises(ArgumentError, match="other figures"):
        w.world.restore(saved)


# ------------------------------------------------------- worlds that become non-finite


@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.parametrize("h", [1 / 60, 0.1])
@pytest.mark.parametrize("what", ["push", "pull", "velocity", "spring"])
def test_a_world_that_becomes_non_finite_stands_where_it_was(what, h, steps):
    w = a_world()
    before = everything(w.world)
    spoil = {
        "push": lambda: w.human.push(np.full(34, 1e308)), "pull": lambda: w.ball.pull("body", (0, 0, 1e308)),
        "velocity": lambda: setattr(w.ball, "state", State(w.ball.q, np.full(6, 1e200))),
        "spring": lambda: tie(w, stiffness=1e308, b=(1e308, 0, 0)),
    }  # fmt: skip
    spoil[what]()
    good = everything(w.world)
    assert good != before
    with pytest.raises(WorldError, match=r"non-finite in the step after t = 0\.05 s") as caught:
        w.world.step(h, steps=steps)
    # what is counted about the last step, and where it began, is of no use any more; the rest is as it was
    names = [field.name for field in SNAPSHOT] + ["members", "ties", "fixed", "recordings", "ends", "h"]
    changed = {name for name, a, b in zip(names, everything(w.world), good, strict=True) if a != b}
    assert changed <= {"counts", "unread", "start", "h"}
    assert np.isfinite(w.human.q).all()
    assert np.isfinite(w.ball.v).all()
    assert caught.value.snapshot.time == w.world.time
    w.world.restore(caught.value.snapshot)
    w.human.push(STILL)
    w.human.set_motor(2000.0, 30.0)
    w.ball.pull("body")
    w.ball.state = State(np.array([1, 0, 0.5, 1, 0, 0, 0]), np.zeros(6))
    for one in list(w.world.ties):
        w.world.remove_tie(one)
    w.world.step(h, steps=10)
    assert np.isfinite(w.human.q).all()


def test_errors_of_figures_name_them():
    with pytest.raises(FigureError, match="figure 'odd', link 'lid'"):
        World().add(figure_with(DRUM))
    with pytest.raises(ArgumentError, match="figure 'odd', link 'lid'"):
        World().add(figure_with(Plane()))
