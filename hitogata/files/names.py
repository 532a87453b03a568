"""Names of human joints in common skeletons, and which part of the body each one moves.

A name is taken apart into a side and a word: "mixamorig:LeftUpLeg", "Bip01 L Thigh" and "thigh.L" are all a left thigh.
The same word means different parts in different schemes (a "LeftShoulder" is a clavicle for some, an upper arm for
others), so a scheme is chosen for the whole skeleton: the one that knows most of its names.
"""

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hitogata.figure import Figure
from hitogata.files.languages import in_english


class Part(enum.Enum):
    """Parts of a body; trunk and neck may have several links."""

    PELVIS = "pelvis"
    TRUNK = "trunk"
    NECK = "neck"
    HEAD = "head"
    CLAVICLE = "clavicle"
    UPPER_ARM = "upper arm"
    FOREARM = "forearm"
    HAND = "hand"
    THIGH = "thigh"
    SHIN = "shin"
    FOOT = "foot"
    TOES = "toes"


class Side(enum.Enum):
    """Side of the body."""

    LEFT = "left"
    RIGHT = "right"
    MIDDLE = ""


Role = tuple[Part, Side]

_SPINE = {"spine": Part.TRUNK, "spine#": Part.TRUNK, "chest": Part.TRUNK, "chest#": Part.TRUNK}
_MIDDLE = {"neck": Part.NECK, "neck#": Part.NECK, "head": Part.HEAD}

_SCHEMES: dict[str, dict[str, Part]] = {
    "Rigify": {
        "spine": Part.PELVIS, "spine001": Part.TRUNK, "spine002": Part.TRUNK, "spine003": Part.TRUNK,
        "spine004": Part.NECK, "spine005": Part.NECK, "spine006": Part.HEAD, "shoulder": Part.CLAVICLE,
        "upperarm": Part.UPPER_ARM, "forearm": Part.FOREARM, "hand": Part.HAND, "thigh": Part.THIGH, "shin": Part.SHIN,
        "foot": Part.FOOT, "toe": Part.TOES,
    },
    "MotionBuilder (CMU, Mixamo, LaFAN1)": {
        "hips": Part.PELVIS, **_SPINE, "lowerback": Part.TRUNK, **_MIDDLE, "shoulder": Part.CLAVICLE,
        "arm": Part.UPPER_ARM, "forearm": Part.FOREARM, "hand": Part.HAND, "upleg": Part.THIGH, "leg": Part.SHIN,
        "foot": Part.FOOT, "toebase": Part.TOES, "toe": Part.TOES,
    },
    "Rokoko": {
        "hips": Part.PELVIS, "hip": Part.PELVIS, **_SPINE, **_MIDDLE, "shoulder": Part.CLAVICLE, "arm": Part.UPPER_ARM,
        "forearm": Part.FOREARM, "hand": Part.HAND, "thigh": Part.THIGH, "shin": Part.SHIN, "foot": Part.FOOT,
        "toe": Part.TOES,
    },
    "Biovision (Xsens, Truebones)": {
        "hips": Part.PELVIS, **_SPINE, "abdomen": Part.TRUNK, "tospine": Part.TRUNK, **_MIDDLE,
        "collar": Part.CLAVICLE, "shoulder": Part.UPPER_ARM, "elbow": Part.FOREARM, "wrist": Part.HAND,
        "hip": Part.THIGH, "knee": Part.SHIN, "ankle": Part.FOOT, "toe": Part.TOES,
    },
    "SMPL": {
        "pelvis": Part.PELVIS, **_SPINE, **_MIDDLE, "collar": Part.CLAVICLE, "shoulder": Part.UPPER_ARM,
        "elbow": Part.FOREARM, "wrist": Part.HAND, "hip": Part.THIGH, "knee": Part.SHIN, "ankle": Part.FOOT,
        "foot": Part.TOES,
    },
    "Biped, Unreal": {
        "pelvis": Part.PELVIS, **_SPINE, **_MIDDLE, "clavicle": Part.CLAVICLE, "upperarm": Part.UPPER_ARM,
        "forearm": Part.FOREARM, "lowerarm": Part.FOREARM, "hand": Part.HAND, "thigh": Part.THIGH, "calf": Part.SHIN,
        "foot": Part.FOOT, "toe#": Part.TOES, "ball": Part.TOES,
    },
    "Poser, Daz": {
        "hip": Part.PELVIS, "abdomen": Part.TRUNK, "abdomen#": Part.TRUNK, "waist": Part.TRUNK, "chest": Part.TRUNK,
        **_MIDDLE, "collar": Part.CLAVICLE, "shldr": Part.UPPER_ARM, "shoulder": Part.UPPER_ARM,
        "forearm": Part.FOREARM, "hand": Part.HAND, "thigh": Part.THIGH, "shin": Part.SHIN, "foot": Part.FOOT,
        "toe": Part.TOES,
    },
    "Unity, VRM": {
        "hips": Part.PELVIS, **_SPINE, "upperchest": Part.TRUNK, **_MIDDLE, "shoulder": Part.CLAVICLE,
        "upperarm": Part.UPPER_ARM, "lowerarm": Part.FOREARM, "hand": Part.HAND, "upperleg": Part.THIGH,
        "lowerleg": Part.SHIN, "foot": Part.FOOT, "toes": Part.TOES, "toebase": Part.TOES,
    },
    "hitogata, Rigify, MuJoCo": {
        "pelvis": Part.PELVIS, "hips": Part.PELVIS, **_SPINE, "abdomen": Part.TRUNK, "torso": Part.TRUNK,
        **_MIDDLE, "shoulder": Part.CLAVICLE, "clavicle": Part.CLAVICLE, "upperarm": Part.UPPER_ARM,
        "forearm": Part.FOREARM, "lowerarm": Part.FOREARM, "hand": Part.HAND, "thigh": Part.THIGH, "shin": Part.SHIN,
        "foot": Part.FOOT, "toe": Part.TOES, "toes": Part.TOES,
    },
    "Acclaim (CMU's own, dm_control)": {
        "root": Part.PELVIS, "lowerback": Part.TRUNK, "upperback": Part.TRUNK, "thorax": Part.TRUNK,
        "lowerneck": Part.NECK, "upperneck": Part.NECK, "head": Part.HEAD, "clavicle": Part.CLAVICLE,
        "humerus": Part.UPPER_ARM, "radius": Part.FOREARM, "hand": Part.HAND, "femur": Part.THIGH, "tibia": Part.SHIN,
        "foot": Part.FOOT, "toes": Part.TOES,
    },
    "robots (G1, H1)": {
        "pelvis": Part.PELVIS, "base": Part.PELVIS, "torso": Part.TRUNK, "head": Part.HEAD,
        "headyaw": Part.HEAD, "headpitch": Part.HEAD, "neckyaw": Part.NECK, "neckpitch": Part.NECK,
        "hippitch": Part.THIGH, "hiproll": Part.THIGH, "hipyaw": Part.THIGH, "hip": Part.THIGH, "thigh": Part.THIGH,
        "knee": Part.SHIN, "kneepitch": Part.SHIN, "anklepitch": Part.FOOT, "ankleroll": Part.FOOT, "ankle": Part.FOOT,
        "shoulderpitch": Part.UPPER_ARM, "shoulderroll": Part.UPPER_ARM, "shoulderyaw": Part.UPPER_ARM,
        "elbow": Part.FOREARM, "elbowpitch": Part.FOREARM,
        "elbowroll": Part.FOREARM, "elbowyaw": Part.FOREARM, "wristroll": Part.HAND, "wristpitch": Part.HAND,
        "wristyaw": Part.HAND, "hand": Part.HAND,
    },
    "robots (Talos, TIAGo, REEM-C)": {
        "base": Part.PELVIS, "torso#": Part.TRUNK, "head#": Part.HEAD, "leg3": Part.THIGH, "leg4": Part.SHIN,
        "leg6": Part.FOOT, "arm3": Part.UPPER_ARM, "arm4": Part.FOREARM, "arm7": Part.HAND,
    },
    "robots (OpenHRP)": {
        "body": Part.PELVIS, "base": Part.PELVIS, "waistlink#": Part.TRUNK, "chestlink#": Part.TRUNK,
        "torso": Part.TRUNK, "headlink#": Part.HEAD, "leglink3": Part.THIGH, "leglink4": Part.SHIN,
        "leglink6": Part.FOOT, "ankle": Part.FOOT, "armlink3": Part.UPPER_ARM, "armlink4": Part.FOREARM,
        "armlink7": Part.HAND, "wrist": Part.HAND,
    },
    "words of anatomy": {
        "pelvis": Part.PELVIS, "hips": Part.PELVIS, "waist": Part.PELVIS, **_SPINE, "torso": Part.TRUNK, **_MIDDLE,
        "clavicle": Part.CLAVICLE, "collar": Part.CLAVICLE, "upperarm": Part.UPPER_ARM, "shoulder": Part.UPPER_ARM,
        "forearm": Part.FOREARM, "lowerarm": Part.FOREARM, "elbow": Part.FOREARM, "hand": Part.HAND, "wrist": Part.HAND,
        "thigh": Part.THIGH, "hip": Part.THIGH, "upperleg": Part.THIGH, "shin": Part.SHIN, "knee": Part.SHIN,
        "calf": Part.SHIN, "lowerleg": Part.SHIN, "ankle": Part.FOOT, "foot": Part.FOOT, "toe": Part.TOES,
        "toes": Part.TOES,
    },
}  # fmt: skip
"""Words without side, prefix and separators; # stands for a number."""

_LAST = ("robots (G1, H1)", "robots (Talos, TIAGo, REEM-C)", "robots (OpenHRP)")
"""Schemes in which several links in a row have one part, one for each axis: the last of them is the part."""

_PAIRED = set(Part) - {Part.PELVIS, Part.TRUNK, Part.NECK, Part.HEAD}

_SIDES = (
    re.compile(r"^(left|right)(?=[A-Z_ .:-])", re.IGNORECASE),
    re.compile(r"(?<=[a-z0-9_ .:-])(left|right)$", re.IGNORECASE),
    re.compile(r"(?:^|(?<=[_ .:-]))(l|r|c|left|right|middle|center|centre)(?=$|[_ .:-])", re.IGNORECASE),  # c: centre
    re.compile(r"^(l|r)(?=[A-Z])"),
    re.compile(r"^(L|R)(?=[A-Z][a-z])"),
)


@dataclass(frozen=True)
class Naming:
    """What the names of a skeleton say.

    Attributes:
        scheme: name of the naming scheme; empty if none fits.
        roles: part and side of each name that is known.
    """

    scheme: str
    roles: Mapping[str, Role]

    def named(self, part: Part, side: Side = Side.MIDDLE) -> list[str]:
        """Names with a role, in order."""
        return [name for name, role in self.roles.items() if role == (part, side)]

    def first(self, part: Part, side: Side = Side.MIDDLE) -> str | None:
        """The first name with a role."""
        return next(iter(self.named(part, side)), None)


def naming_of(names: Sequence[str]) -> Naming:
    """The scheme that knows most of the names, with both thighs or both upper arms at least; otherwise none."""
    short = dict(zip(names, _without_prefix(names), strict=True))
    best = Naming("", {})
    for scheme, words in _SCHEMES.items():
        roles: dict[str, Role] = {}
        seen: set[Role] = set()
        for name in names:
            role = _role(short[name], words)
            if role is None:
                continue
            if role in seen and role[0] not in (Part.TRUNK, Part.NECK):
                if scheme not in _LAST:
                    continue  # a second "head" is something worn on the first one
                roles = {other: it for other, it in roles.items() if it != role}
            seen.add(role)
            roles[name] = role
        limbs = [{(part, Side.LEFT), (part, Side.RIGHT)} <= seen for part in (Part.THIGH, Part.UPPER_ARM)]
        if any(limbs) and len(roles) > len(best.roles):
            best = Naming(scheme, roles)
    return best


def figure_naming(figure: Figure) -> Naming:
    """What the names of a figure's links say; if nothing, those of its joints."""
    known: Naming | None = figure.compiled.get("naming")
    if known is None:
        known = naming_of(figure.link_names)
        if not known.roles:
            links = dict(zip(figure.joint_names, figure.link_names, strict=True))
            found = naming_of(figure.joint_names)
            known = Naming(found.scheme, {links[name]: role for name, role in found.roles.items()})
        figure.compiled["naming"] = known
    return known


def left_right_pairs(names: Sequence[str]) -> dict[str, str]:
    """Right name by left name, for names that differ in their side alone; fingers, eyes and others are found too."""
    found: dict[Side, dict[str, str]] = {side: {} for side in Side}
    for name, short in zip(names, _without_prefix(names), strict=True):
        side, word = side_and_word(short)
        found[side].setdefault(word, name)
    return {left: found[Side.RIGHT][word] for word, left in found[Side.LEFT].items() if word in found[Side.RIGHT]}


def side_and_word(name: str) -> tuple[Side, str]:
    """A name's side, and the rest of it in small letters without separators."""
    side = Side.MIDDLE
    for pattern in _SIDES:
        match = pattern.search(name)
        if match:
            side = {"l": Side.LEFT, "r": Side.RIGHT, "c": Side.MIDDLE, "m": Side.MIDDLE}[match[1][0].lower()]
            name = name[: match.start()] + name[match.end() :]
            break
    return side, re.sub(r"[_ .:\-]", "", name).lower()


def possible_roles(name: str) -> set[Role]:
    """Every part and side that a single name may mean, in any scheme."""
    roles = {_role(name, words) for words in _SCHEMES.values()}
    return {role for role in roles if role is not None}


def _role(name: str, words: Mapping[str, Part]) -> Role | None:
    side, word = side_and_word(in_english(name))
    word = re.sub(r"(link|joint|body)$", "", word) or word
    found = words.get(word) or words.get(re.sub(r"\d+$", "#", word))
    if found is None and side is Side.MIDDLE and word[:1] in ("l", "r"):  # lfemur, rShldr
        side, found = (Side.LEFT if word[0] == "l" else Side.RIGHT), words.get(word[1:])
    if found is None or (side is Side.MIDDLE) != (found not in _PAIRED):
        return None
    return found, side


def _without_prefix(names: Sequence[str]) -> list[str]:
    """Names without what most of them begin with, up to separators: "mixamorig:", "Character1_", "Bip01 ", "J_Bip_"."""
    heads = [match[0] if (match := re.match(r"[A-Za-z0-9]+[_ :-]+", name)) else "" for name in names]
    common = max(set(heads), key=heads.count, default="")
    word = re.sub(r"[_ :-]", "", common).lower()
    if not common or word in ("l", "r", "left", "right") or 2 * heads.count(common) <= len(names):
        return list(names)
    return _without_prefix([name.removeprefix(common) for name in names])
