"""The contract of a scheme: what driver, run, loop and files ask of it; and those of the package.

Light: no numba until a loop is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from genalpha.errors import InputError
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean, StoredMethod, in_words, options_of
from genalpha.scheme import Coefficients
from genalpha.step.initial import start_alpha, start_contacts, start_friction, start_slip, start_soi2
from genalpha.step.state import ACCELERATION, POSITION, VELOCITY, Scheme
from genalpha.system.contract import LENGTH, Contract, MechanicalSystem


class Integrator:
    """The scheme behind a method.

    The methods of the package are options alone, and have integrators below. A scheme of your own is one class, a
    frozen dataclass that extends this one: its fields are its options, and `solve` takes an instance of it as the
    method. docs/own_scheme.md writes one. This is what it provides:

    1. `steps` gives the two functions that the loop calls, marked by `genalpha.compiled.jit.step`. Only
       `steps` is required.

       ``advance(system, linear, data, sizes, scheme, arrays, t1, h) -> status``
           One step: reads the old rows of ``arrays`` (Q0, V0, ..., see `genalpha.step.state`), writes the new ones: Q1,
           V1, VDOT1, A_1, and MU1 if there are constraints. It leaves the old rows alone: a step that fails is made
           again. ``system`` has the evaluators of `genalpha.system.contract`; ``linear`` is passed on to
           `genalpha.step.newton`, which factorises and solves. The status is OK, or says what failed: SINGULAR,
           NOT_CONVERGED, NOT_FINITE.
       ``complete(sizes, scheme, arrays, t1, h)``
           The step counts: the new rows become the old ones, as `genalpha.step.kernels.accept` does it.

    2. `numbers` gives the numbers that they read, a `Scheme`; a field that you do not give has its default, and
       ``own_a``, ``own_b``, ``own_c`` are free for options of yours.
    3. `start` completes the state at t0, where a scheme carries more than q, v, v̇, a = v̇ and the multipliers.
    4. What it can do, as class attributes, and what it cannot do, as sentences: `refuses`, `refuses_control`,
       `refuses_pairs`.
    5. `describe` says in words what it is; `name` and `shift` are for command line and figures.

    Attributes
    ----------
    takes_constraints : bool
        Does it hold g = 0 and k = 0?
    takes_contacts : bool
        Does it hold gap ≥ 0? Then it is compiled with the linear algebra of contacts, it writes gaps, sets and forces,
        and `accept_contacts` logs what opens and closes.
    takes_friction : bool
        Does it hold Coulomb's law between slip and its forces?
    takes_multipliers_in_force : bool
        Does it use ``force`` and ``force_mu`` where a system has them instead of f?
    has_relative_impulses : bool
        Are there Λ of all rows, in L[LAM0]? They become the column Lam of a solution.
    is_of_family : bool
        Are v̇, U and W its unknowns, as in (65) of 002? Then the message of a step that fails has their residuals.
    polishes : bool
        With error control: do its constraints hold to round-off, whatever the tolerance of Newton's iteration?
    shift : float
        The time, in steps after t, that a belongs to.
    """

    takes_constraints: ClassVar[bool] = True
    takes_contacts: ClassVar[bool] = False
    takes_friction: ClassVar[bool] = False
    takes_multipliers_in_force: ClassVar[bool] = False
    has_relative_impulses: ClassVar[bool] = False
    is_of_family: ClassVar[bool] = False
    polishes: ClassVar[bool] = False
    shift = 0.0

    @classmethod
    def steps(cls) -> tuple[Any, Any]:
        """(advance, complete); they do not depend on options, so that one loop is compiled for all of them."""
        raise NotImplementedError(f"{cls.__name__} must have a classmethod steps() that gives (advance, complete)")

    def numbers(self, contract: Contract) -> Scheme:
        """The numbers and switches of the scheme for a system."""
        return Scheme()

    def start(self, contract: Contract, setup, h: float, first_step):
        """Complete the state at t0, which has q, v, v̇, a = v̇ and the multipliers.

        Parameters
        ----------
        contract : Contract
        setup : Setup
            Its arrays are the state.
        h : float
            Size of the first step.
        first_step : callable (h)
            Makes a first step, of which no row is kept, and gives its status.
        """

    def refuses(self, system: MechanicalSystem) -> str | None:
        """Why a system cannot be integrated, None if it can; asked before anything is compiled."""
        if system.multipliers_in_f and not self.takes_multipliers_in_force:
            return "a force that contains the multipliers (multipliers_in_f=True) needs the method SOI2"
        if system.has_contacts and not self.takes_contacts:
            return 'contacts (gap) need GeneralizedAlpha with formulation "PVA" or "PVV", or MoreauJean'
        if system.has_friction and not self.takes_friction:
            return (
                'friction (slip, dry) needs GeneralizedAlpha with formulation "PVA" or "PVV", or MoreauJean; this '
                "method does not take it"
            )
        return None

    def refuses_rows(self, contract: Contract) -> str | None:
        """The same for what only the contract of a system knows: its rows of constraints."""
        if contract.ng + contract.nk and not self.takes_constraints:
            return f"{self.title} takes no constraints, and there are ng = {contract.ng} and nk = {contract.nk} of them"
        return None

    def refuses_control(self) -> str | None:
        """Why there is no error control, None if there is."""
        return f"there is no error control for {self.title}; give a step size h=..."

    def refuses_pairs(self) -> str | None:
        """Why contacts of a large group, whose pairs come and go, cannot be integrated; None if they can."""
        return (
            'near pairs of a large group need GeneralizedAlpha with formulation "PVA"; take it, or contacts one by one'
        )

    @property
    def title(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @property
    def name(self) -> str:
        """What the command line and files call it."""
        return type(self).__name__

    def describe(self) -> str:
        """Name and options, in words."""
        return in_words(self.name, options_of(self))


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

FRICTION_OF_PAIRS = "friction between near pairs of a large group is not integrated yet; take contacts one by one"

WITH_CONTACTS = ("PVA", "PVV")
WITH_CONTROL = ("P", "V", "PV", "PVA")


def integrator_of(method: Method, has_contacts: bool = False, has_friction: bool = False) -> Integrator:
    """The integrator of a method: it is one itself, or one of this module.

    Parameters
    ----------
    method : Method
    has_contacts, has_friction : bool
        Are there gaps, or rows of friction? The family has schemes without and with active sets, and with friction.
    """
    if isinstance(method, Integrator):
        return method
    if isinstance(method, StoredMethod):
        raise InputError(f"{method.name} is a method of somebody's own, of which a file has no more than the name")
    if type(method) not in INTEGRATORS:
        raise InputError(f"method must be a GeneralizedAlpha, a SOI2 or a MoreauJean, not a {type(method).__name__}")
    return INTEGRATORS[type(method)](method, has_contacts, has_friction)


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
        start_contacts(contract, setup)
        start_alpha(contract, setup, self.method, h)
        if self.takes_friction:
            start_friction(contract, setup, self.method, h)

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
class Friction(Impact):
    """`GeneralizedAlpha` with friction: `genalpha.step.schemes.friction`."""

    takes_friction = True

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.friction import advance, complete

        return advance, complete

    def numbers(self, contract: Contract) -> Scheme:
        # what is dry has velocities to correct where there are no constraints, and moves positions by (h/2) T̂ᵀ Λ̂t
        return super().numbers(contract)._replace(correct_position=1, correct_velocity=1, coupled=0, hand_over=0)

    def refuses(self, system) -> str | None:
        method = self.method
        if system.has_friction and method.strategy == 1 and method.formulation == "PVA":
            return "friction needs strategy 2 or 3: with strategy 1 the smooth motion does not know the constraints"
        if system.has_friction and method.newton == "coupled":
            return 'friction is solved level by level; leave newton as it is by default, not "coupled"'
        if system.has_friction and (method.residuals is not None or method.criterion == "printed"):
            given = "residuals=..." if method.residuals is not None else 'criterion="printed"'
            return f"{given} belongs to contacts without friction; leave it as it is by default"
        return super().refuses(system)

    def refuses_pairs(self) -> str | None:
        return FRICTION_OF_PAIRS


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
        start_contacts(contract, setup)

    @property
    def title(self) -> str:
        return type(self.method).__name__


@dataclass(frozen=True)
class MoreauFriction(Moreau):
    """`MoreauJean` with friction: `genalpha.step.schemes.moreau_friction`."""

    takes_friction = True

    @classmethod
    def steps(cls):
        from genalpha.step.schemes.moreau_friction import advance, complete

        return advance, complete

    def start(self, contract, setup, h, first_step):
        super().start(contract, setup, h, first_step)
        start_slip(contract, setup)

    def refuses_pairs(self) -> str | None:
        return FRICTION_OF_PAIRS


def _of_family(method: GeneralizedAlpha, has_contacts: bool, has_friction: bool) -> Integrator:
    if has_friction and method.formulation in WITH_CONTACTS:
        return Friction(method)
    has_sets = method.formulation == "PVV" or method.strategy == 1
    return Impact(method) if has_sets or (has_contacts and method.formulation in WITH_CONTACTS) else Alpha(method)


INTEGRATORS = {
    GeneralizedAlpha: _of_family,
    SOI2: lambda method, has_contacts, has_friction: Soi2(method),
    MoreauJean: lambda method, has_contacts, has_friction: MoreauFriction(method) if has_friction else Moreau(method),
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
