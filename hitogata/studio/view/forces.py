"""Arrows of contact forces, of their sum at the centre of pressure, and of forces in joints."""

from typing import Any

import numpy as np

from hitogata.studio.gauges import Touching
from hitogata.studio.modes.physics import Physics
from hitogata.studio.view import colours
from hitogata.studio.view.arrows import Arrows

WEIGHT = 0.9
"""Length of an arrow as large as the figure's weight [m]."""


class Forces:
    """Arrows on the first figure."""

    def __init__(self, scene: Any) -> None:
        self.contact = Arrows(scene, "/forces/contact", colours.CONTACT)
        self.sum = Arrows(scene, "/forces/sum", colours.PRESSURE)
        self.joint = Arrows(scene, "/forces/joint", colours.JOINT)

    def hide(self) -> None:
        """None."""
        for arrows in (self.contact, self.sum, self.joint):
            arrows.hide()

    def show(self, mode: Physics, touching: Touching | None, *, contacts: bool, joints: bool) -> None:
        """Those of the last step."""
        member = mode.members[0]
        scale = WEIGHT / (9.81 * member.figure.mass)
        if contacts and touching is not None and len(touching.forces):
            self.contact.show(touching.places, touching.forces * scale)
            centre, total = touching.pressure_centre(), touching.forces.sum(0)
            if centre is None:
                self.sum.hide()
            else:
                self.sum.show(centre[None], total[None] * scale)
        else:
            self.contact.hide()
            self.sum.hide()
        if joints:
            figure, matrices = member.figure, mode.stage.poses().matrices[0]
            moved = list(range(1, figure.nlinks))
            frames = np.array([figure.links[k].joint.child_frame.position for k in moved])
            places = np.einsum("kij,kj->ki", matrices[moved][:, :, :3], frames) + matrices[moved][:, :, 3]
            self.joint.show(places, member.joint_forces()[moved, 3:] * scale)
        else:
            self.joint.hide()
