"""Muscle sets of MuJoCo models: spatial tendons with the muscles that pull along them."""

import os
from typing import Any

import numpy as np

from hitogata.errors import FigureError
from hitogata.figure import Figure, Pose
from hitogata.files import read_mjcf
from hitogata.files.compiled import body_names, import_mujoco
from hitogata.muscle.curves import MujocoMuscle
from hitogata.muscle.paths import AnyPoint, Path, PathPoint, Surface, SurfaceKind, Wrap
from hitogata.muscle.wires import Muscle, MuscleSet, Tendon, Wire


def muscles_from_mjcf(path: str | os.PathLike[str], figure: Figure | None = None) -> MuscleSet:
    """The muscles of an MJCF file, on its figure.

    Tendons on which no muscle pulls become passive ones, slack at their length in the file's pose.  Muscles pull along
    one tendon each; others (of joints, sites) are left out, as are fixed tendons.  Bodies are found by their names;
    those without one have the names that `read_mjcf` gives them.

    Args:
        path: of the file.
        figure: the file's figure, if it was read before; None: it is read.

    Raises:
        FigureError: pulleys, surfaces on bodies that the figure does not have.
    """
    mujoco = import_mujoco()
    figure = read_mjcf(path) if figure is None else figure
    try:
        spec = mujoco.MjSpec.from_file(os.fspath(path))
        spec.compiler.fusestatic = False  # bodies are numbered as in the figure
        model = spec.compile()
    except ValueError as error:
        raise FigureError(f"{os.fspath(path)}: {error}") from None
    reader = _Reader(mujoco, model, figure)
    wires = [wire for k in range(model.ntendon) if (wire := reader.wire(k)) is not None]
    return MuscleSet(figure.name, figure, tuple(wires), tuple(reader.surfaces.values()))


class _Reader:
    """What is known of a compiled model while its tendons are read."""

    def __init__(self, mujoco: Any, model: Any, figure: Figure) -> None:
        self.mujoco, self.model, self.links = mujoco, model, set(figure.link_names)
        self.names = body_names(model, {model.body(i).name for i in range(model.nbody)})
        self.surfaces: dict[tuple[int, int], Surface] = {}
        pulled = [k for k in range(model.nu) if model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_TENDON]
        muscle = mujoco.mjtGain.mjGAIN_MUSCLE
        self.actuators = {int(model.actuator_trnid[k, 0]): k for k in pulled if model.actuator_gaintype[k] == muscle}

    def wire(self, tendon: int) -> Wire | None:
        """A tendon with its muscle; None for a fixed one."""
        m, kinds = self.model, self.mujoco.mjtWrap
        first = m.tendon_adr[tendon]
        name = m.tendon(tendon).name or f"tendon {tendon}"
        points: list[AnyPoint] = []
        wraps: list[Wrap] = []
        for k in range(first, first + m.tendon_num[tendon]):
            kind, thing = m.wrap_type[k], int(m.wrap_objid[k])
            if kind == kinds.mjWRAP_JOINT:
                return None
            if kind == kinds.mjWRAP_PULLEY:
                raise FigureError(f"tendon {name!r}: pulleys are not supported")
            if kind == kinds.mjWRAP_SITE:
                body, pose = self._body(int(m.site_bodyid[thing]), name)
                points.append(PathPoint(body, tuple(pose.apply(m.site_pos[thing]).tolist())))
            else:
                surface = self._surface(thing, round(m.wrap_prm[k]), kind == kinds.mjWRAP_SPHERE, name)
                wraps.append(Wrap(surface.name, len(points) - 1, len(points)))
        path = Path(tuple(points), tuple(wraps))
        if tendon in self.actuators:
            return self._muscle(self.actuators[tendon], path)
        return Tendon(name, path, slack_length=float(m.tendon_length0[tendon]))

    def _muscle(self, k: int, path: Path) -> Muscle:
        m = self.model
        name = m.actuator(k).name or f"muscle {k}"
        low, high, force, scale, lmin, lmax, vmax, fpmax, fvmax = m.actuator_gainprm[k, :9].tolist()
        shortest, longest = m.actuator_lengthrange[k].tolist()
        if not high > low or not longest > shortest:
            raise FigureError(f"muscle {name!r}: length ranges {low:g} to {high:g} and {shortest:g} to {longest:g} m")
        optimal = (longest - shortest) / (high - low)
        if force < 0:
            force = scale / max(float(m.actuator_acc0[k]), 1e-15)
        rise, fall = m.actuator_dynprm[k, :2].tolist()
        return Muscle(
            name, path, max_force=force, fibre_length=optimal, slack_length=shortest - low * optimal, max_speed=vmax,
            curves=MujocoMuscle(lmin, lmax, fpmax, fvmax), rigid_tendon=True, activation_time=rise,
            deactivation_time=fall, least_activation=0.0,
        )  # fmt: skip

    def _body(self, body: int, owner: str) -> tuple[str | None, Pose]:
        """The link that carries a body, and the body's pose in it: some bodies without joints are part of others."""
        m, pose = self.model, Pose()
        while body != 0:
            name = self.names[body]
            if name in self.links:
                return name, pose
            if m.body_jntnum[body]:
                raise FigureError(f"tendon {owner!r}: the figure has no link {name!r}")
            pose = Pose(tuple(m.body_pos[body].tolist()), tuple(m.body_quat[body].tolist())) @ pose
            body = int(m.body_parentid[body])
        return None, pose

    def _surface(self, geom: int, side: int, sphere: bool, owner: str) -> Surface:
        key = (geom, side)
        if key not in self.surfaces:
            m = self.model
            body, pose = self._body(int(m.geom_bodyid[geom]), owner)
            own = pose @ Pose(tuple(m.geom_pos[geom].tolist()), _unit(m.geom_quat[geom]))
            site = None
            name = m.geom(geom).name or f"geom {geom}"
            if side >= 0:
                there, at = self._body(int(m.site_bodyid[side]), owner)
                if there != body:
                    raise FigureError(f"tendon {owner!r}: the side site of {name!r} is on another body")
                site = tuple(own.inverse().apply(at.apply(m.site_pos[side])).tolist())
                name = f"{name} past {m.site(side).name or side}"
            kind = SurfaceKind.SITED_SPHERE if sphere else SurfaceKind.SITED_CYLINDER
            self.surfaces[key] = Surface(name, kind, body, (float(m.geom_size[geom, 0]),), own, site=site)
        return self.surfaces[key]


def _unit(quat: Any) -> tuple[float, float, float, float]:
    w, x, y, z = (np.asarray(quat) / np.linalg.norm(quat)).tolist()
    return w, x, y, z
