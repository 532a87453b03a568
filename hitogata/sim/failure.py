"""What went wrong in a step, in words: which link became non-finite, what pushed it, who else was stepping."""

from typing import TYPE_CHECKING

import numpy as np

from hitogata.dynamics.layout import JointInts
from hitogata.errors import HitogataError
from hitogata.figure.pose import FloatArray
from hitogata.lanes import record_offsets
from hitogata.sim.parts import state_parts
from hitogata.sim.world_model import stretch

if TYPE_CHECKING:
    from hitogata.sim.world_data import Arrays


def in_two_threads(what: str) -> HitogataError:
    """The error for a world that another thread is stepping."""
    return HitogataError(
        f"{what}: another thread is stepping this world; a world belongs to one thread at a time: take a lock, or give "
        "each thread a world of its own (copy.deepcopy)"
    )


def non_finite(arrays: "Arrays", time: float) -> str:
    """What to say of a world that became non-finite in the step after a time [s]."""
    own = arrays if arrays.awake is None else arrays.awake.own
    return f"the world became non-finite in the step after t = {time:.6g} s{own.failure}"


def describe_failure(arrays: "Arrays") -> str:
    """After a step that failed, before it is taken back: a link that is non-finite, the fastest and the most pushed.

    Where one link fails all that may touch it fail too; the figure is named that was fastest, or pushed hardest.
    """
    pushed = _pushes(arrays)
    wrong, fastest, hardest = (0.0, ""), (0.0, ""), (0.0, "")
    for member, span in zip(arrays.contents.members, arrays.forest.spans, strict=True):
        figure, parts = member.figure, state_parts(arrays.forest, span)
        before = arrays.before[parts.mean]
        score = float(np.abs(before).max(initial=0.0) + pushed[span.v].max(initial=0.0))
        for name in figure.link_names:
            q, v, what = figure.q_slice(name), figure.v_slice(name), f"link {name!r} of figure {figure.name!r}"
            for letter, values in (("q", arrays.state[span.q][q]), ("v", arrays.state[parts.mean][v])):
                if not np.isfinite(values).all() and (score > wrong[0] or not wrong[1]):
                    value = values[~np.isfinite(values)][0]
                    wrong = score, f": {letter} of {what} is {value:g}"
            fastest = max(fastest, (float(np.abs(before[v]).max(initial=0.0)), what))
            hardest = max(hardest, (float(pushed[span.v][v].max(initial=0.0)), what))
    text = f"{wrong[1]}; before it, {fastest[1]} was fastest, {fastest[0]:g} m/s or rad/s"
    if hardest[0] > 0.0:
        text += f", and {hardest[1]} was pushed or pulled hardest, {hardest[0]:g} N or N m"
    return text + "; look for great forces, or take shorter steps"


def _pushes(arrays: "Arrays") -> FloatArray:
    """Size of what the user pushes and pulls each velocity with, shape (nv,) [N m], [N]."""
    forest, controls = arrays.forest, arrays.controls_in(stretch(arrays.forest.spans))
    result: FloatArray = np.abs(controls.push)
    column = record_offsets(JointInts)
    joints = forest.fields.joint.rows
    for joint, pull in zip(joints, np.abs(controls.pull[:, :6]).max(axis=1), strict=True):
        first = joint[column["iv"]]
        result[first : first + joint[column["count"]]] += pull
    return result
