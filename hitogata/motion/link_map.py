"""Which link of one figure does what a link of another does: by names, by geometry, or as the user says."""

from collections.abc import Mapping
from dataclasses import dataclass

from hitogata.errors import ArgumentError
from hitogata.figure import Figure, JointKind
from hitogata.files.names import Naming, Part, Side, figure_naming, possible_roles
from hitogata.motion.likeness import match_by_geometry


@dataclass(frozen=True)
class SkeletonMap:
    """Links of a target figure, and the links of a source figure they follow.

    Attributes:
        pairs: source link by target link, in the target's order.
        parts: part of the body and side of each target link in `pairs`, where known.
        unmatched: links of the target that follow none: they keep their neutral pose relative to their parents.
        unused: links of the source that none follows.
        how: what the pairs come from.
    """

    pairs: Mapping[str, str]
    parts: Mapping[str, tuple[Part, Side]]
    unmatched: tuple[str, ...]
    unused: tuple[str, ...]
    how: str

    def links(self, part: Part, side: Side | None = None) -> list[str]:
        """Matched target links of a part, of one side or all."""
        return [name for name, (p, s) in self.parts.items() if p is part and side in (None, s)]

    def __str__(self) -> str:
        lines = [f"{len(self.pairs)} pairs, by {self.how}"]
        lines += [f"  {target:<20} {source}" for target, source in self.pairs.items()]
        for what, names in (("keeps its pose", self.unmatched), ("not used", self.unused)):
            if names:
                lines.append(f"  {what}: {', '.join(names)}")
        return "\n".join(lines)


def map_skeletons(source: Figure, target: Figure, table: Mapping[str, str | None] | None = None) -> SkeletonMap:
    """Find the pairs of links of two figures.

    Names of both are looked up in the tables of `hitogata.files.names`.  Several links of the trunk (or neck) are
    paired in order, the last with the last.  If one figure's names are unknown, both trees are compared: their
    branches, the places of joints in the neutral pose, and lengths; both must look the same way there.

    Args:
        source: the figure whose motion is to be carried over.
        target: the figure that is to follow.
        table: source link by target link, goes before all else; None instead of a link: follows none.

    Raises:
        FigureError: the table names a link that is not there.
        ArgumentError: no pair was found, or one that cannot be (a shoulder that would follow a neck); two links of the
            table follow one.
    """
    table = dict(table or {})
    for name, other in table.items():
        target.link_index(name)
        if other is not None:
            source.link_index(other)
    check_once(table)
    ours, theirs = figure_naming(target), figure_naming(source)
    if ours.roles and theirs.roles:
        pairs = _by_names(ours, theirs)
        how = f"names ({theirs.scheme} to {ours.scheme})"
    else:
        pairs, how = match_by_geometry(source, target), "geometry"
    root, hips = target.link_names[0], theirs.first(Part.PELVIS)
    alone = target.links[0].joint.kind is JointKind.FREE and root not in pairs
    if alone and hips is not None and hips not in pairs.values():
        pairs = {root: hips, **pairs}  # whatever it is called: a root that follows none would keep its heading
    if table:
        how += f" and {len(table)} of the user's table"
    _refuse_unlikely(source, target, {name: other for name, other in pairs.items() if name not in table}, how)
    found = {name: other for name in target.link_names if (other := table.get(name, pairs.get(name))) is not None}
    if not found:
        raise ArgumentError(
            f"figures {source.name!r} and {target.name!r}: no links could be paired; give a table of source links by "
            f"target link.  Source: {', '.join(source.link_names)}.  Target: {', '.join(target.link_names)}"
        )
    roles = {name: ours.roles.get(name) or theirs.roles.get(other) for name, other in found.items()}
    return SkeletonMap(
        found,
        {name: role for name, role in roles.items() if role is not None},
        tuple(name for name in target.link_names if name not in found),
        tuple(name for name in source.link_names if name not in set(found.values())),
        how,
    )


def check_once(table: Mapping[str, str | None]) -> None:
    """Raise ArgumentError if two links of a table follow one."""
    named: dict[str, str] = {}
    for name, other in table.items():
        if other is not None and named.setdefault(other, name) != name:
            raise ArgumentError(f"table of links: {named[other]!r} and {name!r} both follow {other!r}; one link each")


def _refuse_unlikely(source: Figure, target: Figure, pairs: Mapping[str, str], how: str) -> None:
    """Raise ArgumentError if a pair's names mean different parts or sides of the body, or ranks are upside down."""
    wrong = {name: other for name, other in pairs.items() if not _may_be_alike(name, other)}
    for name in pairs:
        above = _above(target, name, pairs)
        limb = not {role[0] for role in possible_roles(name)} & {Part.PELVIS, Part.TRUNK}
        if above is not None and limb and pairs[name] in _ancestors(source, pairs[above]):
            wrong[name] = pairs[name]
    if wrong:
        listed = "\n".join(
            f"  {name:<24} {other}{'   <- not alike' if name in wrong else ''}" for name, other in pairs.items()
        )
        raise ArgumentError(
            f"figures {source.name!r} and {target.name!r}: the pairs found by {how} cannot be right.  Give a table of "
            f"source links by target link (on the command line --map FILE).  Target and source:\n{listed}"
        )


def _may_be_alike(name: str, other: str) -> bool:
    """Whether two names may mean the same part and side; names that are not known may mean any."""
    mine, theirs = possible_roles(name), possible_roles(other)
    trunk = {Part.PELVIS, Part.TRUNK}
    near = any({a[0], b[0]} <= trunk or {a[0], b[0]} == {Part.NECK, Part.HEAD} for a in mine for b in theirs)
    return not mine or not theirs or near or bool(mine & theirs)


def _above(figure: Figure, name: str, pairs: Mapping[str, str]) -> str | None:
    """The nearest link before one that has a partner."""
    return next((it for it in _ancestors(figure, name) if it in pairs), None)


def _ancestors(figure: Figure, name: str) -> list[str]:
    """Links before one, the nearest first."""
    found, i = [], figure.parents[figure.link_index(name)]
    while i >= 0:
        found.append(figure.link_names[i])
        i = figure.parents[i]
    return found


def _by_names(ours: Naming, theirs: Naming) -> dict[str, str]:
    """Pairs with the same part and side."""
    pairs: dict[str, str] = {}
    for part in Part:
        for side in Side:
            mine, other = ours.named(part, side), theirs.named(part, side)
            if mine and other:
                chosen = [other[max(0, round((k + 1) * len(other) / len(mine)) - 1)] for k in range(len(mine))]
                if len(mine) > len(other):  # one link of the source turns the last of several; those before stay
                    mine, chosen = mine[-len(other) :], other
                pairs.update(zip(mine, chosen, strict=True))
    return pairs
