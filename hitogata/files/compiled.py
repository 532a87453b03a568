"""A MuJoCo spec as a Figure: compile it, take what a Figure holds, note the rest.

The frames of links are those of MuJoCo's bodies.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from hitogata.errors import FigureError, FileFormatError, HitogataError, MissingDependencyError
from hitogata.figure import Figure, Frame, MassProperties, Pose, Shape
from hitogata.files.contents import Contents, listed
from hitogata.files.geoms import shape_of
from hitogata.files.inertias import BETWEEN, repair_inertias
from hitogata.files.joints import joints_of
from hitogata.files.leftovers import note_bodies, note_contact
from hitogata.files.parts import Part, PointMass, absorb_massless, figure_from
from hitogata.files.source import Source

OLDEST = (3, 16)
"""Version of MuJoCo; 3.13 turns the inertias of URDF links wrongly."""

WORLD = 0
UNNAMED = "MuJoCo Model"


def import_mujoco() -> Any:
    """The mujoco package, or an error that names the pip install."""
    what = "MJCF and URDF files are read with the mujoco package"
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError(f"{what}: pip install hitogata[files]") from None
    if tuple(map(int, mujoco.__version__.split(".")[:2])) < OLDEST:
        needed = f"{OLDEST[0]}.{OLDEST[1]} or newer, not {mujoco.__version__}"
        raise MissingDependencyError(f"{what}, {needed}: pip install --upgrade hitogata[files]")
    return mujoco


@contextmanager
def mujoco_at_work(source: Source, contents: Contents) -> Iterator[None]:
    """MuJoCo's errors become ours, with file and line; its warnings are noted (it would write them to a log file)."""
    mujoco = import_mujoco()
    before = mujoco.get_mju_user_warning()

    def note(text: str) -> None:
        if "limit ignored" not in text:  # read_urdf says so itself
            contents.change(f"MuJoCo: {text.strip()}")

    mujoco.set_mju_user_warning(note)
    try:
        yield
    except (ValueError, RuntimeError) as error:
        raise mujoco_error(source, error) from None
    finally:
        mujoco.set_mju_user_warning(before)


def figure_of(
    spec: Any,
    source: Source,
    contents: Contents,
    *,
    root: str | None = None,
    merge_hinges: bool = False,
    visuals: bool = False,
    repair_inertia: bool = False,
    points: Mapping[str, PointMass] | None = None,
    passive_springs: bool = False,
) -> Figure:
    """The figure of a spec.

    Args:
        spec: mujoco.MjSpec.
        source: what it was read from.
        contents: where to note what is left out or changed.
        root: see `read_mjcf`.
        merge_hinges: see `read_mjcf`.
        visuals: see `read_mjcf`.
        repair_inertia: see `read_mjcf`.
        points: bodies that are point masses, by name; to MuJoCo they have no mass.
        passive_springs: the caller reads the stiffness of joints.

    Raises:
        FileFormatError: MuJoCo cannot compile it, or it has no body.
        FigureError: it is no figure; names file and body.
    """
    mujoco = import_mujoco()
    spec.compiler.fusestatic = False  # keep all names
    spec.compiler.alignfree = False  # keep body frames
    for joint in spec.joints:
        joint.align = mujoco.mjtAlignFree.mjALIGNFREE_FALSE
    if repair_inertia:
        repair_inertias(spec, contents)
    with mujoco_at_work(source, contents):
        model = spec.compile()
    reader = _Reader(model, source, contents, merge_hinges, visuals, points or {}, passive_springs)
    return reader.figure(spec.modelname, root)


class _Reader:
    """A compiled model and how to read it."""

    def __init__(
        self,
        model: Any,
        source: Source,
        contents: Contents,
        merge_hinges: bool,
        visuals: bool,
        points: Mapping[str, PointMass],
        passive_springs: bool,
    ) -> None:
        self.model, self.source, self.contents = model, source, contents
        self.merge_hinges, self.visuals, self.points = merge_hinges, visuals, points
        self.passive_springs = passive_springs
        self.parents = [int(p) for p in model.body_parentid]
        self.taken = {model.body(i).name for i in range(model.nbody)}
        self.names = body_names(model, self.taken)
        self.paired = {int(g) for pair in (model.pair_geom1, model.pair_geom2) for g in pair}

    def figure(self, name: str, root: str | None) -> Figure:
        """The figure below one of the bodies that hang on the world."""
        top = self._root(root)
        bodies = [top]
        for i in range(top + 1, self.model.nbody):  # MuJoCo's order is depth-first
            if self.parents[i] in bodies:
                bodies.append(i)
        self._note_world(top)
        note_bodies(self.model, bodies, self.names, self.contents)
        parts = [part for i in bodies for part in self._parts(i, top)]
        if name in ("", UNNAMED):
            name = self.source.path.stem if self.source.path else self.names[top]
        return figure_from(name, absorb_massless(parts, self.contents, self._where), self.contents)

    def _where(self, name: str) -> str:
        """'file:line' of a body by name."""
        return self.source.where(self.source.find(name, "body", "link"))

    def _root(self, root: str | None) -> int:
        model, names = self.model, self.names
        tops = [i for i in range(1, model.nbody) if self.parents[i] == WORLD and model.body_mocapid[i] < 0]
        if not tops:
            raise FileFormatError(f"{self.source.name}: no body in it")
        there = listed([names[i] for i in tops])
        if root is not None:
            found = [i for i in tops if names[i] == root]
            if not found:
                raise FigureError(f"{self.source.name}: root {root!r} does not hang on the world; there are: {there}")
            return found[0]
        if len(tops) > 1:
            raise FigureError(
                f"{self.source.name}: {len(tops)} bodies hang on the world, {there}, and a figure has one root: "
                f"say which with root={names[tops[0]]!r}"
            )
        return tops[0]

    def _note_world(self, top: int) -> None:
        """Note what is fixed to the world, and all bodies that do not belong to the figure."""
        model, contents = self.model, self.contents
        for geom in np.flatnonzero(model.geom_bodyid == WORLD):
            contents.leave("geom of the world", self._geom_label(int(geom)))
        for site in np.flatnonzero(model.site_bodyid == WORLD):
            contents.leave("site of the world", model.site(site).name or f"(no. {site})")
        for i in range(1, model.nbody):
            if self.parents[i] == WORLD and i != top:
                kind = "mocap body" if model.body_mocapid[i] >= 0 else "body, with all it carries,"
                contents.leave(kind, self.names[i])

    def _parts(self, body: int, top: int) -> list[Part]:
        """The body; before it, if it has several joints, a link for each joint but the last."""
        name = self.names[body]
        parent = None if body == top else self.names[self.parents[body]]
        try:
            options = {"merge_hinges": self.merge_hinges, "passive_springs": self.passive_springs}
            *before, joint = joints_of(self.model, body, self.contents, **options)
            mass = self._mass(body)
            parts: list[Part] = []
            for other in before:
                between = _new_name(f"{name}:{other.name or len(parts)}", self.taken)
                self.contents.change(
                    f"body {name!r} has {len(before) + 1} joints, so link {between!r} with {BETWEEN:g} of its mass "
                    f"hangs on {other.name!r}"
                )
                parts.append(Part(between, parent, other, _share_of(mass)))
                parent = between
            if mass is not None:
                mass = mass.scaled(mass.mass * (1 - BETWEEN * len(before)))
            point = self.points.get(name)
            return [*parts, Part(name, parent, joint, mass, self._shapes(body), self._frames(body), point)]
        except FigureError as error:
            raise FigureError(f"{self._where(name)}: link {name!r}: {error}") from None

    def _mass(self, body: int) -> MassProperties | None:
        model = self.model
        mass, moments = float(model.body_mass[body]), model.body_inertia[body]
        if mass == 0 and not moments.any():
            return None
        return MassProperties.principal(mass, model.body_ipos[body], moments, tuple(model.body_iquat[body]))

    def _shapes(self, body: int) -> list[Shape]:
        model, contents = self.model, self.contents
        shapes = []
        for geom in np.flatnonzero(model.geom_bodyid == body).tolist():
            label = self._geom_label(geom)
            if not (model.geom_contype[geom] or model.geom_conaffinity[geom] or geom in self.paired or self.visuals):
                contents.leave("geom that touches nothing (read with visuals=True to keep it)", label)
                continue
            note_contact(model, geom, label, contents)
            shape = shape_of(model, geom, label, contents)
            if shape is not None:
                shapes.append(shape)
        return shapes

    def _geom_label(self, geom: int) -> str:
        name: str = self.model.geom(geom).name
        return name or f"(no. {geom}, of {self.names[int(self.model.geom_bodyid[geom])]!r})"

    def _frames(self, body: int) -> list[Frame]:
        model = self.model
        frames = []
        for site in np.flatnonzero(model.site_bodyid == body).tolist():
            name = model.site(site).name
            if name:
                frames.append(Frame(name, Pose(tuple(model.site_pos[site]), tuple(model.site_quat[site]))))
            else:
                self.contents.leave("site", f"(without a name, of {self.names[body]!r})")
        return frames


def _share_of(mass: MassProperties | None) -> MassProperties | None:
    """A small part of a body: a ball about the same centre with the mean of its moments."""
    if mass is None:
        return None
    moment = BETWEEN * sum(mass.inertia[:3]) / 3
    return MassProperties(BETWEEN * mass.mass, mass.centre, (moment, moment, moment, 0.0, 0.0, 0.0))


def body_names(model: Any, taken: set[str]) -> dict[int, str]:
    """Names of a compiled model's bodies, new ones for those without; `taken` names are avoided and added to."""
    return {i: model.body(i).name or _new_name(f"body{i}", taken) for i in range(model.nbody)}


def _new_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# ------------------------------------------------------- errors

_LINE = re.compile(r"[Ll]ine(?: number)?[ =](\d+)")
_ELEMENT = re.compile(r"Element name '([^']*)'")
_INERTIA = re.compile("inertia", re.IGNORECASE)


def mujoco_error(source: Source, error: Exception) -> HitogataError:
    """An error of MuJoCo with file and line; a FigureError that names the link if it is about mass or inertia."""
    text = str(error).strip()
    line, element = _LINE.search(text), _ELEMENT.search(text)
    message = text.splitlines()[0].removeprefix("XML Error: ").removeprefix("Error: ").rstrip(": ")
    tags = ("body", "link", "joint", "geom", "mesh")
    node = source.find(element[1], *tags) if element and element[1] else None
    number = int(line[1]) if line and int(line[1]) else node.line if node else None
    where = source.name if number is None else f"{source.name}:{number}"
    if element and _INERTIA.search(message) and (node is None or node.tag in ("body", "link")):
        if "mjMINVAL" in message:
            message = (
                "it moves, so mass and inertia must be positive; files hold no moving point masses "
                "(read with repair_inertia=True to give a mass without inertia a small one)"
            )
        else:
            message = "its inertia is not physical (read with repair_inertia=True to take the nearest that is)"
        return FigureError(f"{where}: link {element[1]!r}: {message}")
    about = f" ({element[1]!r})" if element and element[1] and repr(element[1]) not in message else ""
    return FileFormatError(f"{where}: {message}{about}")
