"""Muscles of OpenSim, with the parameters of each model."""

from dataclasses import dataclass
from typing import ClassVar

from hitogata.figure.mechanism import Function
from hitogata.files.osim.functions import OPTIONAL_FUNCTION
from hitogata.files.osim.paths import GeometryPath
from hitogata.files.osim.properties import (
    FLAG,
    NUMBER,
    OPTIONAL,
    TEXT,
    Codec,
    OsimObject,
    Reader,
    prop,
    read_object,
    write_object,
)


@dataclass(frozen=True)
class ActiveForceLengthCurve(OsimObject):
    """Millard's active force by fibre length."""

    TYPE: ClassVar[str] = "ActiveForceLengthCurve"
    min_norm_active_fiber_length: float = prop(NUMBER, 0.4441)
    transition_norm_fiber_length: float = prop(NUMBER, 0.73)
    max_norm_active_fiber_length: float = prop(NUMBER, 1.8123)
    shallow_ascending_slope: float = prop(NUMBER, 0.8616)
    minimum_value: float = prop(NUMBER, 0.1)


@dataclass(frozen=True)
class ForceVelocityCurve(OsimObject):
    """Millard's force by fibre velocity."""

    TYPE: ClassVar[str] = "ForceVelocityCurve"
    concentric_slope_at_vmax: float = prop(NUMBER, 0.0)
    concentric_slope_near_vmax: float = prop(NUMBER, 0.25)
    isometric_slope: float = prop(NUMBER, 5.0)
    eccentric_slope_at_vmax: float = prop(NUMBER, 0.0)
    eccentric_slope_near_vmax: float = prop(NUMBER, 0.15)
    max_eccentric_velocity_force_multiplier: float = prop(NUMBER, 1.4)
    concentric_curviness: float = prop(NUMBER, 0.6)
    eccentric_curviness: float = prop(NUMBER, 0.9)


@dataclass(frozen=True)
class FiberForceLengthCurve(OsimObject):
    """Millard's passive force by fibre length; None: found from the strain."""

    TYPE: ClassVar[str] = "FiberForceLengthCurve"
    strain_at_zero_force: float = prop(NUMBER, 0.0)
    strain_at_one_norm_force: float = prop(NUMBER, 0.7)
    stiffness_at_low_force: float | None = prop(OPTIONAL, None)
    stiffness_at_one_norm_force: float | None = prop(OPTIONAL, None)
    curviness: float | None = prop(OPTIONAL, None)


@dataclass(frozen=True)
class TendonForceLengthCurve(OsimObject):
    """Millard's tendon force by length; None: found from the strain."""

    TYPE: ClassVar[str] = "TendonForceLengthCurve"
    strain_at_one_norm_force: float = prop(NUMBER, 0.049)
    stiffness_at_one_norm_force: float | None = prop(OPTIONAL, None)
    norm_force_at_toe_end: float | None = prop(OPTIONAL, None)
    curviness: float | None = prop(OPTIONAL, None)


def _curve(cls: type) -> Codec:
    """An object that stands in its own element, inside the muscle's."""

    def read(reader: Reader, element: object) -> object:
        return read_object(reader, cls, element)  # type: ignore[arg-type]

    def write(value: object, element: object) -> None:
        made = write_object(value, element)  # type: ignore[arg-type]
        element.children, element.attributes = made.children, made.attributes  # type: ignore[attr-defined]

    return Codec(read, write)


@dataclass(frozen=True)
class Muscle(OsimObject):
    """What all muscles have.

    Attributes:
        path: where it runs.
        appliesForce: whether it acts.
        min_control, max_control: of its excitation.
        max_isometric_force: [N].
        optimal_fiber_length, tendon_slack_length: [m].
        pennation_angle_at_optimal: [rad].
        max_contraction_velocity: in optimal fibre lengths per second.
    """

    path: GeometryPath
    appliesForce: bool = prop(FLAG, True)
    min_control: float = prop(NUMBER, 0.01)
    max_control: float = prop(NUMBER, 1.0)
    optimal_force: float = prop(NUMBER, 1.0)
    max_isometric_force: float = prop(NUMBER, 1000.0)
    optimal_fiber_length: float = prop(NUMBER, 0.1)
    tendon_slack_length: float = prop(NUMBER, 0.2)
    pennation_angle_at_optimal: float = prop(NUMBER, 0.0)
    max_contraction_velocity: float = prop(NUMBER, 10.0)
    ignore_tendon_compliance: bool = prop(FLAG, False)
    ignore_activation_dynamics: bool = prop(FLAG, False)


@dataclass(frozen=True)
class Thelen2003Muscle(Muscle):
    """Thelen (2003)."""

    TYPE: ClassVar[str] = "Thelen2003Muscle"
    default_activation: float = prop(NUMBER, 0.05)
    default_fiber_length: float = prop(NUMBER, 0.1)
    FmaxTendonStrain: float = prop(NUMBER, 0.04)
    FmaxMuscleStrain: float = prop(NUMBER, 0.6)
    KshapeActive: float = prop(NUMBER, 0.45)
    KshapePassive: float = prop(NUMBER, 5.0)
    Af: float = prop(NUMBER, 0.25)
    Flen: float = prop(NUMBER, 1.4)
    fv_linear_extrap_threshold: float = prop(NUMBER, 0.95)
    maximum_pennation_angle: float = prop(NUMBER, 1.4706289056333368)
    activation_time_constant: float = prop(NUMBER, 0.015)
    deactivation_time_constant: float = prop(NUMBER, 0.05)
    minimum_activation: float = prop(NUMBER, 0.01)


@dataclass(frozen=True)
class Millard2012EquilibriumMuscle(Muscle):
    """Millard, Uchida, Seth & Delp (2013), in equilibrium with its tendon."""

    TYPE: ClassVar[str] = "Millard2012EquilibriumMuscle"
    fiber_damping: float = prop(NUMBER, 0.1)
    default_activation: float = prop(NUMBER, 0.05)
    default_fiber_length: float = prop(NUMBER, 0.1)
    activation_time_constant: float = prop(NUMBER, 0.01)
    deactivation_time_constant: float = prop(NUMBER, 0.04)
    minimum_activation: float = prop(NUMBER, 0.01)
    maximum_pennation_angle: float = prop(NUMBER, 1.4706289056333368)
    active_force_length: ActiveForceLengthCurve | None = prop(
        _curve(ActiveForceLengthCurve), None, tag="ActiveForceLengthCurve"
    )
    force_velocity: ForceVelocityCurve | None = prop(_curve(ForceVelocityCurve), None, tag="ForceVelocityCurve")
    fiber_force_length: FiberForceLengthCurve | None = prop(
        _curve(FiberForceLengthCurve), None, tag="FiberForceLengthCurve"
    )
    tendon_force_length: TendonForceLengthCurve | None = prop(
        _curve(TendonForceLengthCurve), None, tag="TendonForceLengthCurve"
    )


@dataclass(frozen=True)
class Millard2012AccelerationMuscle(Millard2012EquilibriumMuscle):
    """Millard, Uchida, Seth & Delp (2013), with a mass between fibre and tendon [kg]."""

    TYPE: ClassVar[str] = "Millard2012AccelerationMuscle"
    mass: float = prop(NUMBER, 0.01)
    default_fiber_velocity: float = prop(NUMBER, 0.0)
    tendon_force_length_inverse_curve: Function | None = prop(OPTIONAL_FUNCTION, None)


@dataclass(frozen=True)
class DeGrooteFregly2016Muscle(Muscle):
    """De Groote, Kinney, Rao & Fregly (2016)."""

    TYPE: ClassVar[str] = "DeGrooteFregly2016Muscle"
    min_control: float = prop(NUMBER, 0.0)
    activation_time_constant: float = prop(NUMBER, 0.015)
    deactivation_time_constant: float = prop(NUMBER, 0.06)
    default_activation: float = prop(NUMBER, 0.5)
    default_normalized_tendon_force: float = prop(NUMBER, 0.5)
    active_force_width_scale: float = prop(NUMBER, 1.0)
    fiber_damping: float = prop(NUMBER, 0.0)
    passive_fiber_strain_at_one_norm_force: float = prop(NUMBER, 0.6)
    tendon_strain_at_one_norm_force: float = prop(NUMBER, 0.049)
    ignore_passive_fiber_force: bool = prop(FLAG, False)
    tendon_compliance_dynamics_mode: str = prop(TEXT, "explicit")
    activation_dynamics_smoothing: float = prop(NUMBER, 0.1)


@dataclass(frozen=True)
class RigidTendonMuscle(Muscle):
    """A muscle whose tendon does not give; None: OpenSim's own curves."""

    TYPE: ClassVar[str] = "RigidTendonMuscle"
    min_control: float = prop(NUMBER, 0.0)
    active_force_length_curve: Function | None = prop(OPTIONAL_FUNCTION, None)
    passive_force_length_curve: Function | None = prop(OPTIONAL_FUNCTION, None)
    force_velocity_curve: Function | None = prop(OPTIONAL_FUNCTION, None)


@dataclass(frozen=True)
class Schutte1993Muscle(RigidTendonMuscle):
    """Schutte (1993), of SIMM and the first versions of OpenSim."""

    TYPE: ClassVar[str] = "Schutte1993Muscle"
    time_scale: float = prop(NUMBER, 0.1)
    activation1: float = prop(NUMBER, 7.667)
    activation2: float = prop(NUMBER, 1.459854)
    damping: float = prop(NUMBER, 0.1)
    tendon_force_length_curve: Function | None = prop(OPTIONAL_FUNCTION, None)


@dataclass(frozen=True)
class Delp1990Muscle(Schutte1993Muscle):
    """Delp (1990), of SIMM and the first versions of OpenSim."""

    TYPE: ClassVar[str] = "Delp1990Muscle"
    mass: float = prop(NUMBER, 0.00287)


MUSCLES: tuple[type[Muscle], ...] = (
    Thelen2003Muscle,
    Millard2012EquilibriumMuscle,
    Millard2012AccelerationMuscle,
    DeGrooteFregly2016Muscle,
    RigidTendonMuscle,
    Schutte1993Muscle,
    Delp1990Muscle,
)
