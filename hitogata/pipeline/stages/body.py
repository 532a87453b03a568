"""Whose motion it is: a model or the built-in body, in the subject's sizes."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.capture import FitSettings, check_trial, fit_body, markers_on, scaled_figure
from hitogata.capture.body_files import fitted_model
from hitogata.errors import ArgumentError, FileContentWarning, FileFormatError
from hitogata.figure import Figure
from hitogata.files.osim import OsimModel, coordinate_names, figure_from_osim, mechanism_from_osim, read_osim
from hitogata.muscle import MuscleSet, muscles_from_osim, musculoskeletal_gait
from hitogata.muscle.scaled import scaled_muscles
from hitogata.pipeline.beside import subject_of
from hitogata.pipeline.labels import known_markers
from hitogata.pipeline.settings import Settings
from hitogata.pipeline.stage import TrialFiles
from hitogata.pipeline.values import Body, Recording

BUILT_IN = ("gait",)


def body_of_trial(settings: Settings, files: TrialFiles, *, label: Recording) -> Body:
    """The body, fitted to the trial's markers if it has some and that is wanted."""
    said = settings.body
    if label.motion is not None:
        return _skeleton(settings, files, label)
    given = files.named(said.file or said.model)
    if given in BUILT_IN:
        if label.markers is None:
            raise ArgumentError(f"{files.place}: coordinates are those of a model: give it (--model x.osim)")
        body = _built_in(label, subject_mass(settings, files, label))
    else:
        if Path(given).suffix.lower() != ".osim":
            raise ArgumentError(f"body.model: {given!r}: an .osim file is expected, or {', '.join(BUILT_IN)}")
        body = _of_model(given, label)
    if label.markers is None or body.markers is None:
        return body
    problems = check_trial(body.figure, body.markers, label.markers)
    body = replace(body, problems=problems)
    if said.file or not said.fit:
        return body
    return _fitted(body, settings, label, subject_mass(settings, files, label))


def subject_mass(settings: Settings, files: TrialFiles, label: Recording) -> float | None:
    """Mass as the settings, subject.toml or the trial's file say [kg]."""
    return settings.subject.mass or subject_of(files.place)[0] or label.mass


def _skeleton(settings: Settings, files: TrialFiles, label: Recording) -> Body:
    """A BVH file's own figure."""
    figure = label.figure
    assert figure is not None
    if settings.body.file or settings.body.model not in BUILT_IN:
        raise ArgumentError(f"{files.place}: it brings its own skeleton, and cannot be given a model")
    mass = subject_mass(settings, files, label)
    if mass:
        figure = scaled_figure(figure, np.ones((figure.nlinks, 3)), mass=mass)
    return Body(figure, None, None, None)


def _of_model(path: str, label: Recording) -> Body:
    if not Path(path).is_file():
        raise FileFormatError(f"{path}: no such file")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", FileContentWarning)
        model = read_osim(path)
        muscles = muscles_from_osim(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FileContentWarning)  # muscles go their own way, and pictures are not needed
        figure = figure_from_osim(model, coordinates=True)
    said = [" ".join(str(each.message).split()) for each in told if each.category is FileContentWarning]
    notes = tuple(line for line in said if "geometry not found" not in line)
    markers = None
    if label.markers is not None:
        try:
            markers = markers_on(figure, label.markers.labels)
        except ArgumentError:
            own = ", ".join(marker.name for marker in model.markers[:12]) or "none"
            seen = ", ".join(label.markers.labels[:12])
            raise ArgumentError(f"{path}: none of the model's markers ({own}) is in the trial ({seen})") from None
    return Body(figure, markers, model, muscles if muscles.muscles else None, notes=notes)


def _built_in(label: Recording, mass: float | None) -> Body:
    assert label.markers is not None
    muscles = musculoskeletal_gait(mass=mass)
    figure = muscles.body
    assert isinstance(figure, Figure)
    note = "the built-in body has legs and a pelvis, which carries the trunk: its moments above the hips are not known"
    return Body(figure, known_markers(figure, label.markers.labels), None, muscles, notes=(note,))


def held(body: Body) -> Any:
    """Coordinates that the model locks; toes and such that no marker sees keep their rest."""
    if body.model is None:
        mask = np.zeros(body.figure.nv, bool)
        if body.markers is not None:
            seen = {body.figure.link_names[k] for k in body.markers.links}
            for k, link in enumerate(body.figure.links):
                if link.name.startswith("toes") and link.name not in seen:
                    mask[body.figure.v_starts[k] : body.figure.v_starts[k] + link.joint.nv] = True
        return mask
    names = coordinate_names(body.model, body.figure)
    return np.array([body.model.coordinate(name).locked for name in names], bool)


def _fitted(body: Body, settings: Settings, label: Recording, mass: float | None) -> Body:
    said = settings.body
    assert body.markers is not None
    assert label.markers is not None
    fit = fit_body(
        body.figure, body.markers, label.markers, held=held(body), mass=mass,
        settings=FitSettings(
            frames=said.frames, axes=body.model is not None and not said.whole_links, outlier=said.outlier),
    )  # fmt: skip
    fit = replace(fit, seconds=0.0)  # the same trial gives the same result, to the bit
    factors = dict(zip(fit.figure.link_names, fit.scales, strict=True))
    model, muscles, notes = body.model, body.muscles, list(body.notes)
    if not fit.converged:
        notes.append("the fit of the body's sizes did not settle")
    if fit.assumed:
        notes.append(f"sizes that no marker tells, taken from others: {', '.join(fit.assumed)}")
    if model is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FileContentWarning)
            model = fitted_model(fit, model)
    if muscles is not None:
        muscles = _grown(muscles, model, fit.figure, factors)
    return Body(fit.figure, fit.markers, model, muscles, fit, body.problems, tuple(notes))


def _grown(muscles: MuscleSet, model: OsimModel | None, figure: Figure, factors: dict[str, Any]) -> MuscleSet:
    return scaled_muscles(muscles, figure if model is None else mechanism_from_osim(model), factors)
