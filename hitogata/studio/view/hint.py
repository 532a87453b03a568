"""A word at a hand, for those who see the page for the first time."""

from typing import Any

import numpy as np

from hitogata.figure import Figure
from hitogata.figure.pose import FloatArray

TEXT = "← drag me"


class Hint:
    """Stands at a hand until somebody takes hold of something."""

    def __init__(self, scene: Any) -> None:
        self._label = scene.add_label("/hint", TEXT, visible=False, anchor="center-left", font_screen_scale=1.2)
        self.learnt = False

    def show(self, figure: Figure, matrices: FloatArray, *, wanted: bool, held: bool) -> None:
        """A frame; poses of links, shape (nlinks, 3, 4).

        Args:
            figure: that is shown.
            matrices: poses of its links, shape (nlinks, 3, 4).
            wanted: whether dragging is what one would do now.
            held: whether somebody drags: the hint is not needed any more.
        """
        self.learnt = self.learnt or held
        visible = wanted and not self.learnt
        if visible:
            link = handy(figure)
            centre = matrices[link, :, :3] @ np.array(figure.links[link].mass.centre) + matrices[link, :, 3]
            self._label.position = centre + [0.0, 0.07, 0.0]
        if self._label.visible != visible:
            self._label.visible = visible


def handy(figure: Figure) -> int:
    """The link that one would take hold of first: a left hand, a hand, or the last link."""
    names = figure.link_names
    ranked = [k for want in (("hand", "left"), ("hand",)) for k, name in enumerate(names)
              if all(word in name.lower() for word in want)]  # fmt: skip
    return ranked[0] if ranked else len(names) - 1
