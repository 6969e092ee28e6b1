"""The options that users pass: frozen, keyword-only, light (no numba)."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Protocol, cast, get_args

from genalpha.errors import InputError
from genalpha.inputs import finite, number, whole
from genalpha.scheme import Coefficients

Formulation = Literal["P", "V", "PV", "PVA", "PVV", "baumgarte"]
Start = Literal["a0", "lunk-simeon", "shifted"]


class Method(Protocol):
    """What `solve` takes as a method: frozen options that can tell what they are.

    The scheme behind them is a `genalpha.step.integrator.Integrator`; `integrator_of` there knows those of the
    methods of this module; a method of your own is an integrator itself.
    """

    @property
    def name(self) -> str:
        """A word, for the command line and the names of files."""
        ...

    @property
    def shift(self) -> float:
        """The time, in steps after t, that ``sol.a`` belongs to."""
        ...

    def describe(self) -> str:
        """Scheme and main options, in a few words."""
        ...


@dataclass(frozen=True, kw_only=True)
class GeneralizedAlpha:
    """The generalized-α family for mechanical systems with constraints: theory (4), (8) and (9).

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, in [0, 1]: 1 damps nothing, 0 removes high frequencies in one step.
        Formulation "P" is unstable with 1, at every step size.
    formulation : {"PVA", "PV", "V", "P", "baumgarte"}
        The levels at which holonomic constraints hold: position, velocity, acceleration. "PVA" is (65) of Brüls et al.
        [1], "PV" is (74) there, "P" is the index-3 form of the Dymore manual [2]. Nonholonomic constraints hold at the
        velocity level, and with "PVA" at the acceleration level too. "PVV" is the older nonsmooth method that Brüls et
        al. compare with: bilateral constraints at the velocity level of the smooth motion. Contacts (gap) need "PVA" or
        "PVV". "baumgarte" is (71) of Brüls et al., for comparison: no level holds, only a sum of them.
    start : {"a0", "lunk-simeon", "shifted"}
        First value of the algorithmic acceleration a: v̇0; the implicit value of Jay and Negrut [3], (10); or v̇ at
        t0 + (α_m − α_f) h.
        With "a0" the error of a is O(h) in the first steps and decays; q and v are second order with all three.
    tol : float
        Newton's iteration stops when the predicted error of the velocities is below ``tol`` times the largest velocity;
        angular velocities count by an arm of the model.
    max_iter : int
        Iterations after which a step has failed.
    scaling : bool
        Scale constraints and multipliers as (22)-(23) of the Dymore manual, so that the condition number does not
        depend on h.
    augmented : bool
        Add the penalty (16) of the Dymore manual to the constraint forces; formulation "P" only. The solution stays the
        same.
    baumgarte : (float, float)
        The rates α, β (1/s) of g̈ + 2 α ġ + β² g = 0 and k̇ + α k = 0; formulation "baumgarte" only.
    strategy : {3, 2, 1}
        What the smooth motion of formulation "PVA" knows of (Brüls et al., sec. 3.2): bilateral constraints and closed
        contacts, bilateral constraints only, or nothing.
    criterion : {"closing", "printed"}
        When strategy 3 takes a contact into the smooth motion: (57) and not while it opens; or (57) as it is printed,
        which creates energy when e > 0. "printed" also keeps Newton's law of impact and what a force leaves behind to
        the letter of the paper; "closing" takes one normal, so that no impact creates energy.
    newton : {"auto", "decoupled", "coupled"}
        Systems with contacts: Algorithm 1 of Brüls et al., which hands over to the coupled semismooth Newton iteration
        where it stalls; Algorithm 1 alone; or the coupled iteration from the start.
    r : "auto" or float
        The factor of the activation rules (55)-(57), a mass. "auto": the effective mass of each contact, ten times more
        while active sets cycle.
    residuals : (float, float, float), optional
        Systems with contacts: stop when the residuals of forces, positions and velocities are below these numbers, as
        Brüls et al. do, instead of ``tol``, with no iteration at all if the predicted values pass.
    jacobian : {"auto", "step", "reuse"}
        Evaluate stiffness and damping in every step, or only when convergence slows down. "auto" reuses them where they
        are made by numerical differentiation; those of a `UserForce` if it acts on more than 6 coordinates.
    watch : {"all", "enforced"}
        The levels whose largest |g|, |ġ|, |g̈| go into the statistics: all, or only those that the formulation enforces.
        Formulation P takes 10 to 15 % longer to watch all; what is not watched is nan.
    coefficients : Coefficients, optional
        Instead of ``rho_inf``.

    References
    ----------
    .. [1] O. Brüls, V. Acary, A. Cardona, On the constraints formulation in the nonsmooth generalized-α method,
       Advanced Topics in Nonsmooth Dynamics, Springer, 2018.
    .. [2] Dymore User's Manual, The generalized-α time integration scheme.
    .. [3] L. O. Jay, D. Negrut, A second order extension of the generalized-α method for constrained systems in
       mechanics, 2007.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.GeneralizedAlpha(rho_inf=0.8).coefficients_used.gamma  # doctest: +ELLIPSIS
    0.611...
    """

    rho_inf: float = 0.9
    formulation: Formulation = "PVA"
    start: Start = "a0"
    tol: float = 1e-10
    max_iter: int = 20
    scaling: bool = True
    augmented: bool = False
    baumgarte: tuple[float, float] = (20.0, 20.0)
    strategy: Literal[1, 2, 3] = 3
    criterion: Literal["closing", "printed"] = "closing"
    newton: Literal["auto", "decoupled", "coupled"] = "auto"
    r: float | Literal["auto"] = "auto"
    residuals: tuple[float, float, float] | None = None
    jacobian: Literal["auto", "step", "reuse"] = "auto"
    watch: Literal["all", "enforced"] = "all"
    coefficients: Coefficients | None = None

    def __post_init__(self) -> None:
        _one_of("watch", self.watch, ("all", "enforced"))
        _one_of("formulation", self.formulation, get_args(Formulation))
        _one_of("start", self.start, get_args(Start))
        _check_newton(self)
        _one_of("strategy", self.strategy, (1, 2, 3))
        _one_of("criterion", self.criterion, ("closing", "printed"))
        _one_of("newton", self.newton, ("auto", "decoupled", "coupled"))
        if self.r != "auto" and not (isinstance(self.r, int | float) and 0.0 < self.r < float("inf")):
            raise InputError(f"r = {self.r!r} must be 'auto' or a positive number: the effective mass of a contact")
        if not (self.residuals is None or _positive(self.residuals, 3)):
            raise InputError(f"residuals = {self.residuals!r} must be three positive numbers: force, position, speed")
        rates = finite(self.baumgarte)
        if rates is None or rates.shape != (2,) or not (rates >= 0.0).all():
            raise InputError(f"baumgarte = {self.baumgarte!r} must be two rates (α, β) in 1/s, neither negative")
        if self.augmented and self.formulation != "P":
            raise InputError(f'augmented=True belongs to formulation "P", not "{self.formulation}"')
        _check_coefficients(self.coefficients_used)
        if self.coefficients_used.beta == 0.0 and self.formulation == "P":  # also refuses a bad rho_inf now
            raise InputError('formulation "P" needs beta > 0: an explicit position cannot obey the constraints')

    @property
    def coefficients_used(self) -> Coefficients:
        """The four numbers of the scheme."""
        return self.coefficients or Coefficients.chung_hulbert(self.rho_inf)

    @property
    def name(self) -> str:
        """The formulation."""
        return self.formulation

    @property
    def shift(self) -> float:
        """a belongs to t + (α_m − α_f) h."""
        return self.coefficients_used.shift

    def describe(self) -> str:
        """Formulation and dissipation, strategy and criterion if they are not the default ones."""
        special = "" if self.strategy == 3 else f", strategy {self.strategy}"
        special += "" if self.criterion == "closing" else f", {self.criterion} criterion"
        return f"generalized-α {self.formulation}{special}, ρ∞ = {self.rho_inf:g}"


@dataclass(frozen=True, kw_only=True)
class SOI2:
    """The generalized-α-SOI2 scheme of Jay and Negrut, theory (14).

    It is (14) of Jay and Negrut [1]; with k alone it is (2.3) of Jay [2].

    Holonomic constraints hold at the position and the velocity level, nonholonomic ones at the velocity level. The mass
    matrix may depend on t and q and be nonsymmetric, and the force may contain the multipliers nonlinearly
    (``System(..., multipliers_in_f=True)``). Second order in q, v, a, lam and psi, with variable steps too.

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, in [0, 1]. With 1 and steps that vary, a, lam and psi are first order:
        nothing damps what each change of step excites.
    start : {"lunk-simeon", "a0"}
        First value of the algorithmic acceleration a: the implicit value (10) of Jay and Negrut,
        M a = (1 − α) f0 + α f1, or v̇0. The error of a after one step is O(h²) or O(h).
    tol : float
        Newton's iteration stops when the predicted error of the velocities is below ``tol`` times the largest velocity;
        angular velocities count by an arm of the model.
    max_iter : int
        Iterations after which a step has failed.
    jacobian : {"auto", "step", "reuse"}
        As in `GeneralizedAlpha`.
    adjust : bool
        Move a and M a to the new step size by (15) and (16) of Jay and Negrut. False shows what they are for: a, lam
        and psi become first order (Fig. 2 there).
    coefficients : Coefficients, optional
        Instead of ``rho_inf``.

    Notes
    -----
    The papers write −Gᵀλ − Kᵀψ for the constraint forces, this package +Gᵀ lam + Kᵀ psi. The vector M a is carried from
    step to step; where the step changes, the matrix of the step before would be wrong (first order in lam and psi).

    References
    ----------
    .. [1] L. O. Jay, D. Negrut, A second order extension of the generalized-α method for constrained systems in
       mechanics, 2007.
    .. [2] L. O. Jay, Convergence of the generalized-α method for constrained systems in mechanics with nonholonomic
       constraints, 2011.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.SOI2(rho_inf=0.2).coefficients_used.shift  # doctest: +ELLIPSIS
    -0.66...
    """

    rho_inf: float = 0.9
    start: Literal["lunk-simeon", "a0"] = "lunk-simeon"
    tol: float = 1e-10
    max_iter: int = 20
    jacobian: Literal["auto", "step", "reuse"] = "auto"
    adjust: bool = True
    coefficients: Coefficients | None = None

    def __post_init__(self) -> None:
        _one_of("start", self.start, ("lunk-simeon", "a0"))
        _check_newton(self)
        _check_coefficients(self.coefficients_used)
        if self.coefficients_used.beta == 0.0:
            raise InputError("SOI2 needs beta > 0: an explicit position cannot obey the constraints")

    @property
    def coefficients_used(self) -> Coefficients:
        """The four numbers of the scheme."""
        return self.coefficients or Coefficients.chung_hulbert(self.rho_inf)

    @property
    def name(self) -> str:
        """Of the scheme."""
        return "soi2"

    @property
    def shift(self) -> float:
        """a belongs to t + (α_m − α_f) h."""
        return self.coefficients_used.shift

    def describe(self) -> str:
        """Scheme and dissipation."""
        return f"SOI2, ρ∞ = {self.rho_inf:g}"


@dataclass(frozen=True, kw_only=True)
class MoreauJean:
    """The Moreau-Jean θ-scheme: the baseline of nonsmooth dynamics, for comparison.

    All constraints, bilateral and unilateral, hold at the velocity level only: positions drift, and contacts penetrate
    by O(h). First order; second order for θ = ½ where there is no constraint. Coulomb's law holds for all the impulse
    of a step, and ``lam_t`` is that over h, as ``lam_n`` is; what sticks has no slip at the end of each step.

    Parameters
    ----------
    theta : float
        In (0, 1]: ½ conserves energy in linear systems, 1 damps most.
    tol, max_iter, jacobian
        As in `GeneralizedAlpha`.

    References
    ----------
    .. [1] M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257.
    .. [2] V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer, 2008, chapter 10.

    Examples
    --------
    A ball that falls on the floor penetrates it by O(h), which `GeneralizedAlpha` does not do:

    >>> import numpy as np
    >>> import genalpha as ga
    >>> ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: q, e=0.5)
    >>> methods = ga.MoreauJean(), ga.GeneralizedAlpha()
    >>> [ga.solve(ball, (0.0, 1.0), [1.0], [0.0], method, h=1e-2).stats.penetration > 1e-3 for method in methods]
    [True, False]
    """

    theta: float = 0.5
    tol: float = 1e-10
    max_iter: int = 50
    jacobian: Literal["auto", "step", "reuse"] = "auto"

    def __post_init__(self) -> None:
        _check_newton(self)
        if not 0.0 < number("theta", self.theta, "a number in (0, 1]") <= 1.0:
            raise InputError(f"theta = {self.theta!r} must lie in (0, 1]; 0.5 conserves energy, 1 damps most")

    @property
    def name(self) -> str:
        """Of the scheme."""
        return "moreau"

    @property
    def shift(self) -> float:
        """a is a mean over the step before t."""
        return -0.5

    def describe(self) -> str:
        """Scheme and θ."""
        return f"Moreau-Jean, θ = {self.theta:g}"


@dataclass(frozen=True)
class StoredMethod:
    """A method of somebody's own, as a file knows it: it can be looked at, but not run.

    Attributes
    ----------
    name : str
        Of its class.
    options : mapping
    """

    name: str
    options: Mapping[str, Any]
    shift = 0.0

    @classmethod
    def of(cls, method: object) -> StoredMethod:
        """A dataclass as JSON has it; what is no number, text or list is known by its words only."""
        if isinstance(method, cls):
            return method
        return cls(type(method).__name__, {name: _as_json(value) for name, value in options_of(method).items()})

    def describe(self) -> str:
        """Name and options."""
        return in_words(self.name, self.options)


def options_of(method: object) -> dict[str, Any]:
    """The options of a method by name: the fields of a dataclass."""
    return {field.name: getattr(method, field.name) for field in fields(method)} if is_dataclass(method) else {}


def _as_json(value: Any) -> Any:
    """A value, or its words."""
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in cast(Sequence[Any], value)]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def in_words(name: str, options: Mapping[str, Any]) -> str:
    """A name and its options, in words.

    Examples
    --------
    >>> in_words("Euler", {"theta": 0.5})
    'Euler, theta = 0.5'
    """
    return ", ".join([name, *(f"{key} = {value!r:.40}" for key, value in options.items())])


def default_method(multipliers_in_f: bool) -> GeneralizedAlpha | SOI2:
    """What `solve` takes if no method is given."""
    return SOI2() if multipliers_in_f else GeneralizedAlpha()


def _check_newton(method: GeneralizedAlpha | SOI2 | MoreauJean) -> None:
    """The options that all methods share."""
    _one_of("jacobian", method.jacobian, ("auto", "step", "reuse"))
    if not 0.0 < number("tol", method.tol, "a number between 0 and 1") < 1.0:
        raise InputError(f"tol = {method.tol!r} must lie between 0 and 1; 1e-10 is the default")
    whole("max_iter", method.max_iter, 2)
    given = getattr(method, "coefficients", None)
    if given is not None and not isinstance(given, Coefficients):
        raise InputError(f"coefficients = {given!r:.60} must be Coefficients, such as Coefficients.chung_hulbert(0.8)")


def _check_coefficients(c: Coefficients) -> None:
    """Coefficients that can be looked at are not always those of a scheme that goes forward."""
    if c.alpha_f == 1.0:
        raise InputError("alpha_f = 1 leaves the new acceleration out of the scheme; take alpha_f <= 1/2")
    for name in ("beta", "gamma"):
        if getattr(c, name) < 0.0:
            raise InputError(
                f"{name} = {getattr(c, name):.6g} is negative: the new acceleration would push backwards; take "
                f"beta >= 0 (0 is explicit) and gamma = 1/2 - alpha_m + alpha_f"
            )


def _positive(values: Any, n: int) -> bool:
    """Are these n positive numbers?"""
    try:
        return len(values) == n and all(x > 0.0 for x in values)
    except TypeError:
        return False


def _one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        raise InputError(f"{name} = {value!r} is not one of {', '.join(map(repr, allowed))}")


NAMES = (*get_args(Formulation), "soi2", "moreau")
"""What methods are called on the command line and in figures."""
