"""The integrators of `GeneralizedAlpha`, `SOI2` and `MoreauJean`, and how a method finds its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genalpha.errors import InputError
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean, StoredMethod
from genalpha.scheme import Coefficients
from genalpha.step.integrator import Integrator
from genalpha.step.state import ACCELERATION, POSITION, VELOCITY, Scheme
from genalpha.system.contract import LENGTH, Contract

SET_ITERATIONS = 4
"""Iterations of a step beyond ``max_iter`` for each contact but two: many have to change their sets more than once."""

LIGHTEST = 1e-3
"""Of the heaviest body: forces on bodies that are lighter than this balance less well."""

FORMULATIONS = {
    "P": (POSITION, 0, 0),
    "V": (VELOCITY, 0, 0),
    "PV": (VELOCITY, 1, 0),
    "PVA": (ACCELERATION, 1, 1),
    "PVV": (VELOCITY, 1, 1),
    "baumgarte": (ACCELERATION, 0, 0),
}
"""Level of the multipliers, are positions corrected by U, are velocities corrected by W."""

WITH_CONTACTS = ("PVA", "PVV")
WITH_CONTROL = ("P", "V", "PV", "PVA")


def integrator_of(method: Method, has_contacts: bool = False) -> Integrator:
    """The integrator of a method: it is one itself, or one of this module.

    Parameters
    ----------
    method : Method
    has_contacts : bool
        Are there gaps? The family has a scheme without and one with active sets.
    """
    if isinstance(method, Integrator):
        return method
    if isinstance(method, StoredMethod):
        raise InputError(f"{method.name} is a method of somebody's own, of which a file has no more than the name")
    if type(method) not in INTEGRATORS:
        raise InputError(f"method must be a GeneralizedAlpha, a SOI2 or a MoreauJean, not a {type(method).__name__}")
    return INTEGRATORS[type(method)](method, has_contacts)


@dataclass(frozen=True)
class Alpha(Integrator):
    """`GeneralizedAlpha` without active sets: `genalpha.step.schemes.alpha`."""

    method: GeneralizedAlpha
    is_of_family = True
    polishes = True

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.alpha import advance, complete

        return advance, complete

    def numbers(self, contract: Contract) -> Scheme:
        method = self.method
        level, correct_position, correct_velocity = FORMULATIONS[method.formulation]
        force, position, velocity = method.residuals or (0.0, 0.0, 0.0)
        newton = of_newton(contract, method)
        if level == POSITION:
            newton["tol"] *= lightness(contract)
        return Scheme(
            **newton,
            **of_coefficients(method.coefficients_used),
            rate_velocity=float(method.baumgarte[0]),
            rate_position=float(method.baumgarte[1]),
            level=level,
            correct_position=correct_position if contract.ng + contract.nc else 0,
            correct_velocity=correct_velocity if contract.m else 0,
            scaling=int(method.scaling),
            augmented=int(method.augmented),
            lunk_simeon=int(method.start == "lunk-simeon"),
            baumgarte=int(method.formulation == "baumgarte"),
            r=0.0 if method.r == "auto" else float(method.r),
            strategy=2 if method.formulation == "PVV" else int(method.strategy),
            closing=int(method.criterion == "closing"),
            coupled=int(method.newton == "coupled"),
            hand_over=int(method.newton == "auto" and contract.candidates is None),
            by_residual=int(method.residuals is not None),
            tol_force=force,
            tol_position=position,
            tol_velocity=velocity,
            watch=int(method.watch == "all"),
        )

    def start(self, contract, setup, h, first_step):
        from genalpha.step.start import start_alpha, start_contacts

        start_contacts(contract, setup)
        start_alpha(contract, setup, self.method, h)

    def refuses(self, system) -> str | None:
        method = self.method
        if not system.multipliers_in_f and method.strategy != 3 and method.formulation not in WITH_CONTACTS:
            return f'strategy = {method.strategy} belongs to formulation "PVA", not "{method.formulation}"'
        return super().refuses(system)

    def refuses_control(self) -> str | None:
        if self.method.formulation in WITH_CONTROL and self.method.residuals is None:
            return None
        given = "residuals=..." if self.method.residuals is not None else f'formulation "{self.method.formulation}"'
        return f"there is no error control for {given}; give a step size h=..."


@dataclass(frozen=True)
class Impact(Alpha):
    """`GeneralizedAlpha` with active sets: `genalpha.step.schemes.impact`."""

    takes_contacts = True
    has_relative_impulses = True
    polishes = False

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.impact import advance, complete

        return advance, complete

    def refuses_pairs(self) -> str | None:
        if self.method.formulation != "PVA":
            return super().refuses_pairs()
        if self.method.newton == "coupled" or self.method.residuals is not None:
            return (
                "near pairs of a large group are solved level by level; leave newton and residuals as they are by "
                "default"
            )
        return None


@dataclass(frozen=True)
class Soi2(Integrator):
    """`SOI2`: `genalpha.step.schemes.soi2`. Multipliers at the velocity level, (ã, μ̃) for the positions."""

    method: SOI2
    takes_multipliers_in_force = True

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.soi2 import advance, complete

        return advance, complete

    def numbers(self, contract: Contract) -> Scheme:
        return Scheme(
            **of_newton(contract, self.method),
            **of_coefficients(self.method.coefficients_used),
            level=VELOCITY,
            correct_velocity=int(contract.ng > 0),  # one matrix for (ã, μ̃), with all rows
            adjust=int(self.method.adjust),
        )

    def start(self, contract, setup, h, first_step):
        from genalpha.step.start import start_soi2

        start_soi2(contract, setup, self.method, first_step, h)

    def refuses_control(self) -> str | None:
        return None


@dataclass(frozen=True)
class Moreau(Integrator):
    """`MoreauJean`: `genalpha.step.schemes.moreau`. All constraints at the velocity level."""

    method: MoreauJean
    takes_contacts = True

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.moreau import advance, complete

        return advance, complete

    def numbers(self, contract: Contract) -> Scheme:
        return Scheme(
            **of_newton(contract, self.method),
            level=VELOCITY,
            theta=float(self.method.theta),
            row_mass=row_mass(Coefficients.chung_hulbert(0.9)),  # any number of this size
        )

    def start(self, contract, setup, h, first_step):
        from genalpha.step.start import start_contacts

        start_contacts(contract, setup)

    @property
    def title(self) -> str:
        return type(self.method).__name__


def _of_family(method: GeneralizedAlpha, has_contacts: bool) -> Integrator:
    has_sets = method.formulation == "PVV" or method.strategy == 1
    return Impact(method) if has_sets or (has_contacts and method.formulation in WITH_CONTACTS) else Alpha(method)


INTEGRATORS = {
    GeneralizedAlpha: _of_family,
    SOI2: lambda method, has_contacts: Soi2(method),
    MoreauJean: lambda method, has_contacts: Moreau(method),
}


def of_newton(contract: Contract, method: Any) -> dict[str, Any]:
    """The numbers of Newton's iteration, from the options that all methods share."""
    return {
        "tol": float(method.tol),
        "max_iter": int(method.max_iter) + SET_ITERATIONS * min(max(contract.nc - 2, 0), 20),
        "reuse": int(method.jacobian == "reuse" or (method.jacobian == "auto" and contract.numerical_tangent)),
    }


def lightness(contract: Contract) -> float:
    """The mass of the lightest body of a model with constraints over that of the heaviest one, or `LIGHTEST`.

    What the acceleration of a heavy body is wrong by is, times its mass, a force on the light bodies that it is joined
    to. Formulation P ends with Newton's iteration, so that this force is left over; the others solve once more for it.
    """
    if contract.kinds is None or contract.constant_M is None or not contract.ng:
        return 1.0
    pattern = contract.patterns["M"]
    on = (pattern.rows == pattern.cols) & (contract.kinds[1][pattern.cols] == LENGTH)
    masses = np.bincount(pattern.cols[on], weights=contract.constant_M[on])
    masses = masses[masses > 0.0]
    return max(float(masses.min() / masses.max()), LIGHTEST) if masses.size else 1.0


def of_coefficients(c: Coefficients) -> dict[str, Any]:
    """The numbers of the generalized-α family."""
    given = {name: float(getattr(c, name)) for name in ("alpha_m", "alpha_f", "beta", "gamma")}
    return {**given, "row_mass": row_mass(c), "explicit": int(c.beta == 0.0)}


def row_mass(c: Coefficients) -> float:
    """The weight of the masses in c8 s, 004 (22)-(23)."""
    return c.beta * (1.0 - c.alpha_f) / (1.0 - c.alpha_m)
