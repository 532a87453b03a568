"""What a MuJoCo model has beside bodies, joints and shapes: found and noted by name."""

from typing import Any

import numpy as np

from hitogata.files.contents import Contents

_ELEMENTS = {
    "actuator": "actuators",
    "tendon": "tendons",
    "sensor": "sensors",
    "equality constraint": "equalities",
    "contact exclude": "excludes",
    "contact pair": "pairs",
    "keyframe": "keys",
    "camera": "cameras",
    "light": "lights",
    "height field": "hfields",
    "texture": "textures",
    "material": "materials",
    "skin": "skins",
    "flex": "flexes",
    "custom numeric": "numerics",
    "custom text": "texts",
    "custom tuple": "tuples",
    "plugin": "plugins",
    "frame element": "frames",
}
"""Kinds of elements, by where MjSpec keeps them."""

_CONTACT = ("friction", "condim", "solref", "solimp", "solmix", "priority", "margin", "gap")
"""Properties of geoms that say how they touch."""


def note_elements(
    spec: Any, contents: Contents, *, but: tuple[str, ...] = (), options: tuple[str, ...] = ()
) -> None:
    """Note all elements of a spec that no Figure holds, and simulation options that are not MuJoCo's default.

    Args:
        spec: mujoco.MjSpec.
        contents: where to note them.
        but: kinds of elements that the caller reads.
        options: that the caller reads.
    """
    import mujoco

    for kind, place in _ELEMENTS.items():
        if kind in but:
            continue
        for i, element in enumerate(getattr(spec, place, ())):
            if kind == "frame element" and not element.name:
                continue  # a frame without a name only places what is inside it
            contents.leave(kind, element.name or f"(no. {i}, without a name)")
    default = mujoco.MjSpec().option
    for name in dir(default):
        if name.startswith("_") or name in options:
            continue
        if not np.array_equal(getattr(spec.option, name), getattr(default, name)):
            contents.leave("simulation option", name)


def note_bodies(model: Any, bodies: list[int], names: dict[int, str], contents: Contents) -> None:
    """Note properties of bodies that links do not have."""
    for body in bodies:
        if model.body_gravcomp[body]:
            contents.leave("gravity compensation", names[body])
        if model.body_plugin[body] >= 0:
            contents.leave("plugin of body", names[body])
    for kind, count, used in (
        ("bodies", model.nuser_body, model.body_user),
        ("joints", model.nuser_jnt, model.jnt_user),
        ("geoms", model.nuser_geom, model.geom_user),
        ("sites", model.nuser_site, model.site_user),
    ):
        if count and np.any(used):
            contents.leave("user data", f"(of {kind})")


def note_contact(model: Any, geom: int, label: str, contents: Contents) -> None:
    """Note contact settings of a geom that are not MuJoCo's default."""
    import mujoco

    default = mujoco.MjSpec().worldbody.add_geom()
    for name in _CONTACT:
        if not np.allclose(getattr(model, f"geom_{name}")[geom], getattr(default, name)):
            contents.leave("contact settings of geom", label)
    if np.any(model.geom_fluid[geom]):
        contents.leave("fluid forces of geom", label)
