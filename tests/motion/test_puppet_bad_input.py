"""Bad input: an error that names it, and nothing changes."""

import numpy as np
import pytest

from hitogata.errors import ArgumentError, FigureError, HitogataError
from hitogata.figure import FigureBuilder, MassProperties, joint
from hitogata.library import human28
from hitogata.motion import Handle, Hold, Priority, Puppet, PuppetSettings
from tests.motion import puppet_cases as cases

FIGURE, NAN = human28(), float("nan")


@pytest.fixture
def puppet():
    puppet = Puppet(FIGURE)
    puppet.hand = puppet.drag("grip_right", hold=Hold.POSE)
    puppet.foot = puppet.pin("sole_left")
    puppet.head = puppet.look_at("eyes", (1.0, 0.0, 1.5))
    puppet.chest = puppet.pin("chest", hold=Hold.ORIENTATION)
    puppet.step(1 / 60)
    return puppet


def gone(puppet):
    handle = puppet.pin("sole_right")
    puppet.release(handle)
    return handle


BAD = {
    "unknown link": (lambda p: p.pin("hand_rigth"), "hand_rigth"),
    "did you mean": (lambda p: p.pin("grip_rigth"), "grip_right"),
    "the world": (lambda p: p.pin("world"), "world"),
    "not a name": (lambda p: p.pin(3), "3"),
    "nan target": (lambda p: p.set_target(p.hand, position=(NAN, 0, 0)), "position.*finite"),
    "infinite target": (lambda p: p.drag("chest", position=(0, np.inf, 0)), "position.*finite"),
    "absurd target": (lambda p: p.set_target(p.hand, position=(1e308, 0, 0)), "position.*below"),
    "two numbers": (lambda p: p.set_target(p.hand, position=(0, 1)), r"position.*\(2,\)"),
    "text": (lambda p: p.set_target(p.hand, position="there"), "position.*there"),
    "rows for one": (lambda p: p.set_target(p.hand, position=np.zeros((2, 3))), "position"),
    "no unit quaternion": (lambda p: p.set_target(p.hand, orientation=(1, 1, 0, 0)), "orientation.*norm 1.41"),
    "no orientation held": (lambda p: p.set_target(p.foot, orientation=(1, 0, 0, 0)), "orientation.*'sole_left'"),
    "no position held": (lambda p: p.set_target(p.chest, position=(0, 0, 0)), "position.*pin of 'chest'"),
    "removed": (lambda p: p.set_target(gone(p), position=(0, 0, 0)), "pin of 'sole_right' was released"),
    "released twice": (lambda p: p.release(gone(p)), "released"),
    "another's": (lambda p: p.set_weight(Puppet(FIGURE).pin("chest"), 1.0), "another puppet"),
    "made up": (lambda p: p.release(Handle("pin", "chest")), "another puppet"),
    "no handle": (lambda p: p.residual("sole_left"), "expected a Handle"),
    "negative weight": (lambda p: p.set_weight(p.foot, -1.0), "weight.*0 or more"),
    "nan weight": (lambda p: p.pin("chest", weight=NAN), "weight"),
    "negative mobility": (lambda p: p.set_mobility(-0.1, ["waist"]), "mobility"),
    "unknown joint": (lambda p: p.set_mobility(0.1, ["wiast"]), "wiast.*waist"),
    "one name as a list": (lambda p: p.set_mobility(0.1, "waist"), "list of names"),
    "priority": (lambda p: p.pin("chest", priority=1), "Priority"),
    "priority later": (lambda p: p.set_priority(p.foot, "first"), "Priority"),
    "hold": (lambda p: p.pin("chest", hold="position"), "Hold"),
    "hold and target": (lambda p: p.pin("chest", orientation=(1, 0, 0, 0)), "Hold.POSE"),
    "hold and point": (lambda p: p.pin("chest", hold=Hold.ORIENTATION, point=(0, 0, 0)), "Hold.POSE"),
    "axes": (lambda p: p.pin("chest", axes=(0, 0, 0)), "axes"),
    "axes beyond": (lambda p: p.pin("chest", axes=(2, 0, 0)), "axes"),
    "speed": (lambda p: p.pin("chest", speed=0.0), "speed"),
    "axis": (lambda p: p.look_at("eyes", (1, 0, 0), axis=(0, 0, 0)), "axis"),
    "support": (lambda p: p.balance([[0.0]]), "over"),
    "no support": (lambda p: p.balance([]), "over"),
    "nan support": (lambda p: p.balance([[0.0, NAN]]), "over"),
    "inset": (lambda p: p.balance([p.foot], inset=2.0), "inset"),
    "balance on a gaze": (lambda p: p.balance([p.head]), "none of these"),
    "support of a pin": (lambda p: p.set_support(p.foot, [[0.0, 0.0]]), "has no support"),
    "dt": (lambda p: p.step(0.0), "dt"),
    "nan dt": (lambda p: p.step(NAN), "dt"),
    "iterations": (lambda p: p.step(0.01, iterations=0), "iterations"),
    "solve": (lambda p: p.solve(2.5), "iterations"),
    "time": (lambda p: p.set_posture(time=0.0), "time"),
    "posture": (lambda p: p.set_posture(np.zeros(3)), "q"),
    "posture, nan": (lambda p: p.set_posture(FIGURE.neutral() * NAN), "finite"),
    "limit": (lambda p: p.set_speed_limit(turn=-1.0), "turn"),
    "one limit of two": (lambda p: p.set_speed_limit(turn=1.0, slide=NAN), "slide"),
    "place": (lambda p: p.place(FIGURE.neutral() * 2.0), "norm"),
    "place rows": (lambda p: p.place(np.tile(FIGURE.neutral(), (3, 1))), "q"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_changes_nothing(puppet, name):
    act, words = BAD[name]
    if "gone" in act.__code__.co_names:
        expected = 4
    else:
        expected = len(puppet.handles)
    before = puppet._all.state.copy(), puppet._asked.aims.copy()
    with pytest.raises(HitogataError, match=words):
        act(puppet)
    assert len(puppet.handles) == expected
    assert (puppet._all.state == before[0]).all()
    if puppet._asked.aims.shape == before[1].shape:
        assert (puppet._asked.aims == before[1]).all()
    puppet.step(1 / 60)
    assert np.isfinite(puppet.q).all()


def test_a_link_fixed_to_the_world_cannot_be_pinned():
    builder = FigureBuilder("crane")
    mass = MassProperties.principal(1.0, (0, 0, 0), (1, 1, 1))
    builder.add("base", None, joint.fixed(), mass)
    builder.add("plate", "base", joint.fixed(), mass)
    builder.add("boom", "plate", joint.hinge(), mass)
    puppet = Puppet(builder.build())
    for name in ("base", "plate"):
        with pytest.raises(ArgumentError, match=f"{name}.*fixed to the world"):
            puppet.pin(name)
    puppet.pin("boom", hold=Hold.ORIENTATION)


@pytest.mark.parametrize("options", [{"damping": -1.0}, {"gain": 2.0}, {"ramp": NAN}, {"pivots": 0}, {"stride": "1"}])
def test_settings(options):
    with pytest.raises(ArgumentError, match=next(iter(options))):
        PuppetSettings(**options)


def test_making_one():
    with pytest.raises(ArgumentError, match="figure"):
        Puppet("human28")
    with pytest.raises(ArgumentError, match="settings"):
        Puppet(FIGURE, settings={"damping": 1})
    with pytest.raises(ArgumentError, match="threads"):
        Puppet(FIGURE, threads=0)
    with pytest.raises(ArgumentError, match="at least one"):
        Puppet(FIGURE, np.zeros((0, FIGURE.nq)))
    with pytest.raises(ArgumentError, match="norm"):
        Puppet(FIGURE, np.zeros(FIGURE.nq))
    with pytest.raises(FigureError, match="no frame"):
        Puppet(FIGURE).drag("tail")


def test_weights_of_many_must_fit():
    puppet = Puppet(cases.human(), np.tile(FIGURE.neutral(), (3, 1)))
    with pytest.raises(ArgumentError, match="weight"):
        puppet.pin("chest", weight=[1.0, 2.0])
    with pytest.raises(ArgumentError, match="position"):
        puppet.pin("chest", position=np.zeros((2, 3)))
    assert puppet.handles == ()


def test_only_one_balance():
    puppet = Puppet(FIGURE)
    feet = [puppet.pin(n) for n in ("sole_left", "sole_right")]
    handle = puppet.balance(feet)
    with pytest.raises(ArgumentError, match="set_support"):
        puppet.balance(feet)
    puppet.set_support(handle, [[0.0, 0.0]])
    puppet.set_priority(handle, Priority.FIRST)
    puppet.step(1 / 60)
