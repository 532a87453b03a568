"""Rigid transforms."""

from hitogata.lanes import inline, struct
from hitogata.spatial.matrices import Mat3
from hitogata.spatial.rotations import rotation
from hitogata.spatial.vectors import Vec3


@struct
class Place:
    """X_AB = (R_AB, p_AB): where frame B sits in frame A.

    X_AB @ X_BC is X_AC; X_AB @ p (a Vec3) is the place in A of the point p of B.  A direction
    or a free vector turns only: X_AB.rot @ v.
    """

    rot: Mat3
    pos: Vec3

    @property
    def inverse(self):
        """X_BA."""
        back = self.rot.T
        return Place(back, -(back @ self.pos))

    def __matmul__(self, o):
        if isinstance(o, Vec3):
            return self.rot @ o + self.pos
        return Place(self.rot @ o.rot, self.rot @ o.pos + self.pos)


@inline
def place(quat, pos):
    """Transform of a unit quaternion and a position."""
    return Place(rotation(quat), pos)
