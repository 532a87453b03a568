"""Environments for learning, in Gymnasium's form; needs `gymnasium` (pip install hitogata[learn]).

    import gymnasium, hitogata.learn
    envs = gymnasium.make_vec("hitogata/StandAndReach-v0", num_envs=256)
"""

from functools import partial

from hitogata.learn.humanoid import Humanoid
from hitogata.learn.imitation import WalkClip
from hitogata.learn.muscle_reach import MuscleReach
from hitogata.learn.reach import StandAndReach
from hitogata.learn.single import Single
from hitogata.learn.stand import Stand
from hitogata.learn.task import Task

TASKS: dict[str, type[Task]] = {
    "hitogata/StandAndReach-v0": StandAndReach,
    "hitogata/Stand-v0": Stand,
    "hitogata/WalkClip-v0": WalkClip,
    "hitogata/Humanoid-v0": Humanoid,
    "hitogata/MuscleReach-v0": MuscleReach,
}
"""Tasks by the names under which Gymnasium knows them."""


def register() -> None:
    """Make the tasks known to Gymnasium by their names."""
    import gymnasium

    for name, task in TASKS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=partial(Single, task), vector_entry_point=task)


register()

__all__ = ["TASKS", "Humanoid", "MuscleReach", "Single", "Stand", "StandAndReach", "Task", "WalkClip", "register"]
