"""Environments for learning, in Gymnasium's form; needs `gymnasium` (pip install hitogata[learn]).

    import gymnasium, hitogata.learn
    envs = gymnasium.make_vec("hitogata/StandAndReach-v0", num_envs=256)
"""

from hitogata.learn.reaching import StandAndReach, register

register()

__all__ = ["StandAndReach"]
