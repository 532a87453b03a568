"""Figures without shapes are drawn as bodies: bones between joints, a thick trunk, a head."""

from dataclasses import replace

import numpy as np

from hitogata.figure import Capsule, Ellipsoid, Figure, Sphere
from hitogata.library import chain, virtual_human
from hitogata.pictures.bones import bones
from hitogata.pictures.replay_shapes import drawn_shapes


def bare(figure: Figure) -> Figure:
    """The same figure without shapes."""
    return Figure(figure.name, tuple(replace(link, shapes=()) for link in figure.links))


def test_a_skeleton_looks_like_a_person():
    figure = bare(virtual_human())
    shapes = list(drawn_shapes(figure))
    assert [type(a) for _, a in shapes] == [type(b) for _, b in bones(figure)]
    radius = {}
    for link, shape in shapes:
        if isinstance(shape, Capsule):
            name = figure.link_names[link]
            radius[name] = max(radius.get(name, 0.0), shape.radius)
    assert radius["abdomen"] > 1.5 * radius["thigh_left"] > 1.5 * radius["forearm_left"] * 0.8
    assert radius["thigh_left"] > radius["shin_left"] * 0.99
    head = [shape for link, shape in shapes if figure.link_names[link] == "head"]
    assert any(isinstance(shape, Ellipsoid | Sphere) for shape in head)
    for link, shape in shapes:  # bones end at the joints of what hangs on them
        if isinstance(shape, Capsule):
            ends = [shape.pose.apply((0.0, 0.0, s * shape.half_length)) for s in (-1, 1)]
            hanging = [other for other in figure.links if other.parent == figure.link_names[link]]
            joints = [np.array(other.joint.parent_frame.position) for other in hanging]
            joints += [np.array(frame.pose.position) for frame in figure.links[link].frames]
            assert min(np.linalg.norm(end - joint) for end in ends for joint in joints) < 1e-9


def test_odd_skeletons():
    """One link, all in one place, no trunk: something is drawn."""
    for figure in (bare(chain(1)), bare(chain(4))):
        shapes = list(drawn_shapes(figure))
        assert {link for link, _ in shapes} == set(range(figure.nlinks))
