"""Coefficients of the generalized-alpha family and their linear analysis.

One step of size h for M vdot = f takes (q0, v0, vdot0, a0) to (q1, v1, vdot1, a1), where the algorithmic
acceleration a approximates vdot at t + (alpha_m - alpha_f) h::

    q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1)                              (2a)
    v1 = v0 + h ((1 - gamma) a0 + gamma a1)                                       (2b)
    (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) vdot1 + alpha_f vdot0           (3)
    M vdot1 = f(t1, q1, v1)                                                       (4)

Equation numbers without a source are those of the Dymore manual [1]_; the form is that of Arnold and Brüls [2]_.

References
----------
.. [1] O. A. Bauchau, Dymore user's manual: The generalized-alpha time integration scheme.
.. [2] M. Arnold and O. Brüls, Convergence of the generalized-alpha scheme for constrained mechanical systems,
   Multibody System Dynamics 18 (2007) 185-202, doi:10.1007/s11044-007-9084-0.
"""

# pyright: reportUnnecessaryIsInstance=false, reportReturnType=false

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError, OrderWarning, warn

__all__ = ["Coefficients", "StepFactors"]

# how far a condition on coefficients of size 1 may be missed by rounding
_ROUNDING = 1e-13


class StepFactors(NamedTuple):
    """The numbers c1, ..., c9 that a step of size h multiplies vectors with; see `Coefficients.step_factors`."""

    c1: float
    c2: float
    c3: float
    c4: float
    c5: float
    c6: float
    c7: float
    c8: float
    c9: float


@dataclass(frozen=True)
class Coefficients:
    """The four numbers that make a scheme of the generalized-alpha family, theory (4) and (5).

    Usually made by one of the class methods: `chung_hulbert` (one knob, the dissipation), `hht`, `wbz`, `newmark`,
    `trapezoidal`, `stoermer`.

    Parameters
    ----------
    alpha_m, alpha_f : float
        Weights of the old step in (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) vdot1 + alpha_f vdot0;
        alpha_m must not be 1.
    beta, gamma : float
        Newmark's weights of a1 in the position and in the velocity.

    Raises
    ------
    InputError
        If a coefficient is not a finite number, or alpha_m = 1.

    Warns
    -----
    OrderWarning
        If gamma differs from 1/2 - alpha_m + alpha_f: the scheme is then only first-order accurate.

    Notes
    -----
    The analysis (`amplification_matrix`, `spectral_radius`, `period_elongation`, `algorithmic_damping`) is that of the
    oscillator vdot + 2 zeta omega v + omega^2 q = 0 of period T = 2 pi / omega, in units of h/T.

    References
    ----------
    .. [1] J. Chung and G. M. Hulbert, A time integration algorithm for structural dynamics with improved numerical
       dissipation: the generalized-alpha method, J. Appl. Mech. 60 (1993) 371-375, doi:10.1115/1.2900803.

    Examples
    --------
    >>> c = Coefficients.chung_hulbert(0.5)
    >>> c.alpha_m, round(c.alpha_f, 6), round(c.beta, 6), round(c.gamma, 6)
    (0.0, 0.333333, 0.444444, 0.833333)
    >>> c.is_second_order, c.is_unconditionally_stable
    (True, True)
    >>> c.spectral_radius([0.01, 1.0, 1e6]).round(3)
    array([1.   , 0.749, 0.5  ])
    """

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _finite(field.name, getattr(self, field.name)))
        if self.alpha_m == 1:
            raise InputError(
                "alpha_m = 1 leaves the new algorithmic acceleration undetermined (its weight is 1 - alpha_m); "
                "take alpha_m <= 1/2"
            )
        if not self.is_second_order:
            _warn_order(self)

    @classmethod
    def chung_hulbert(cls, rho_inf: float) -> Coefficients:
        """Least dissipation at low frequencies for a given dissipation at high ones: (5), (6).

        ::

            alpha_m = (2 rho_inf - 1) / (rho_inf + 1)     gamma = 1/2 - alpha_m + alpha_f
            alpha_f = rho_inf / (rho_inf + 1)             beta = (1 - alpha_m + alpha_f)^2 / 4

        Parameters
        ----------
        rho_inf : float
            Spectral radius for h/T to infinity, in [0, 1]: 1 keeps high frequencies, 0 removes them in one step.
        """
        rho_inf = _in_range("rho_inf", rho_inf, 0, 1, "[0, 1] (0: highest, 1: no dissipation)")
        return _from_alphas(cls, (2 * rho_inf - 1) / (rho_inf + 1), rho_inf / (rho_inf + 1))

    @classmethod
    def hht(cls, alpha: float) -> Coefficients:
        """The method of Hilber, Hughes and Taylor.

        alpha_m = 0, alpha_f = -alpha, beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha; rho_inf = (1 + alpha)/(1 - alpha).

        Parameters
        ----------
        alpha : float
            In [-1/3, 0]; 0 gives the trapezoidal rule, -1/3 equals ``chung_hulbert(0.5)``.

        References
        ----------
        .. [1] H. M. Hilber, T. J. R. Hughes and R. L. Taylor, Improved numerical dissipation for time integration
           algorithms in structural dynamics, Earthquake Eng. Struct. Dyn. 5 (1977) 283-292,
           doi:10.1002/eqe.4290050306.
        """
        alpha = _in_range("alpha", alpha, -1 / 3, 0, "[-1/3, 0] (-1/3: highest, 0: no dissipation)")
        return _from_alphas(cls, 0.0, -alpha)

    @classmethod
    def wbz(cls, alpha: float) -> Coefficients:
        """The method of Wood, Bossak and Zienkiewicz.

        alpha_m = alpha, alpha_f = 0, beta = (1 - alpha)^2 / 4, gamma = 1/2 - alpha; rho_inf = (1 + alpha)/(1 - alpha).

        Parameters
        ----------
        alpha : float
            In [-1, 0]; 0 gives the trapezoidal rule, -1 equals ``chung_hulbert(0)``.

        References
        ----------
        .. [1] W. L. Wood, M. Bossak and O. C. Zienkiewicz, An alpha modification of Newmark's method,
           Int. J. Numer. Methods Eng. 15 (1980) 1562-1566, doi:10.1002/nme.1620151011.
        """
        alpha = _in_range("alpha", alpha, -1, 0, "[-1, 0] (-1: highest, 0: no dissipation)")
        return _from_alphas(cls, alpha, 0.0)

    @classmethod
    def newmark(cls, beta: float, gamma: float) -> Coefficients:
        """Newmark's family, alpha_m = alpha_f = 0; second order only for gamma = 1/2.

        Parameters
        ----------
        beta, gamma : float
            Weights of the new acceleration in the position and in the velocity.
        """
        return cls(alpha_m=0.0, alpha_f=0.0, beta=beta, gamma=gamma)

    @classmethod
    def trapezoidal(cls) -> Coefficients:
        """The trapezoidal rule, ``newmark(1/4, 1/2)``: the q and v of ``chung_hulbert(1)`` started with a = vdot."""
        return cls.newmark(beta=0.25, gamma=0.5)

    @classmethod
    def stoermer(cls) -> Coefficients:
        """Störmer's rule, ``newmark(0, 1/2)``: explicit in q, stable up to h/T = 1/pi."""
        return cls.newmark(beta=0.0, gamma=0.5)

    @property
    def shift(self) -> float:
        """alpha_m - alpha_f: a approximates vdot at t + shift h (called alpha by Jay and Negrut)."""
        return self.alpha_m - self.alpha_f

    @property
    def is_second_order(self) -> bool:
        """Whether gamma = 1/2 - alpha_m + alpha_f, to rounding."""
        return abs(self.gamma - (0.5 - self.shift)) <= _ROUNDING

    @property
    def is_unconditionally_stable(self) -> bool:
        """Whether the spectral radius of the undamped oscillator is at most 1 for every h/T, to rounding.

        ::

            alpha_m <= 1 / 2, alpha_f <= 1 / 2, gamma >= 1 / 2, gamma >= 1 / 2 - alpha_m + alpha_f, beta >= gamma / 2

        For second-order schemes these are Chung and Hulbert's conditions alpha_m <= alpha_f <= 1/2 and
        beta >= 1/4 + (alpha_f - alpha_m)/2. They are the Routh-Hurwitz conditions of `_inverse_cayley_eigenvalues`.
        """
        margins = (
            0.5 - self.alpha_m,
            0.5 - self.alpha_f,
            self.gamma - 0.5,
            self.gamma - (0.5 - self.shift),
            self.beta - 0.5 * self.gamma,
        )
        return min(margins) >= -_ROUNDING

    @property
    def rho_inf(self) -> float:
        """Spectral radius in the limit h/T to infinity; inf if it grows without bound (beta = 0 or alpha_f = 1).

        The eigenvalues tend to -alpha_f/(1 - alpha_f) and to the roots of
        beta x^2 + (1/2 + gamma - 2 beta) x + (1/2 - gamma + beta).
        """
        if self.beta == 0 or self.alpha_f == 1:
            return math.inf
        discriminant = (0.5 + self.gamma) ** 2 - 4 * self.beta
        # a double root by design (chung_hulbert, hht, wbz): its square root would turn 1e-16 into 1e-8
        if abs(discriminant) <= _ROUNDING * abs(self.beta):
            discriminant = 0.0
        if discriminant < 0:
            newmark = math.sqrt((0.5 - self.gamma + self.beta) / self.beta)
        else:
            newmark = (abs(0.5 + self.gamma - 2 * self.beta) + math.sqrt(discriminant)) / abs(2 * self.beta)
        return max(self.r_alpha_f, newmark)

    @property
    def r_gamma(self) -> float:
        """abs((gamma - 1)/gamma), inf for gamma = 0.

        By this factor per step an error of the start value of a decays along the constrained directions.
        Theorem 6.1 of [1]_ (second order with nonholonomic constraints) asks for a second-order scheme,
        r_gamma, r_alpha_m, r_alpha_f all below 1, and r_gamma different from r_alpha_f. For ``chung_hulbert``
        the rates are abs(1 - 3 rho_inf)/(3 - rho_inf), abs(1 - 2 rho_inf)/(2 - rho_inf) and rho_inf: all are below 1
        for rho_inf < 1, and r_gamma = r_alpha_f at rho_inf = 3 - 2 sqrt(2) = 0.1716 and at 1.

        References
        ----------
        .. [1] L. O. Jay, Convergence of the generalized-alpha method for constrained systems in mechanics with
           nonholonomic constraints.
        """
        return _ratio(self.gamma - 1, self.gamma)

    @property
    def r_alpha_m(self) -> float:
        """abs(alpha_m/(alpha_m - 1)): the same rate for a along the free directions; see `r_gamma`."""
        return _ratio(self.alpha_m, self.alpha_m - 1)

    @property
    def r_alpha_f(self) -> float:
        """abs(alpha_f/(alpha_f - 1)), inf for alpha_f = 1: the same rate for the multipliers; see `r_gamma`."""
        return _ratio(self.alpha_f, self.alpha_f - 1)

    def step_factors(self, h: float) -> StepFactors:
        """The factors (9), (11), (13) of a step of size h.

        With (3) solved for a1, a step reads::

            q1 = q0 + h v0 + c1 vdot0 + c2 a0 + c8 vdot1
            v1 =        v0 + c3 vdot0 + c4 a0 + c7 vdot1
            a1 =             c5 vdot0 + c6 a0 + c9 vdot1

        Parameters
        ----------
        h : float
            Step size, positive.

        Returns
        -------
        StepFactors
            Named tuple (c1, ..., c9).
        """
        h = _finite("h", h)
        if h <= 0:
            raise InputError(f"h = {h:g}: a step size must be positive")
        c5 = self.alpha_f / (1 - self.alpha_m)
        c6 = -self.alpha_m / (1 - self.alpha_m)
        c9 = (1 - self.alpha_f) / (1 - self.alpha_m)
        return StepFactors(
            c1=self.beta * c5 * h * h,
            c2=(0.5 - self.beta / (1 - self.alpha_m)) * h * h,
            c3=self.gamma * c5 * h,
            c4=(1 - self.gamma / (1 - self.alpha_m)) * h,
            c5=c5,
            c6=c6,
            c7=self.gamma * c9 * h,
            c8=self.beta * c9 * h * h,
            c9=c9,
        )

    def amplification_matrix(self, h_over_T: ArrayLike, damping_ratio: ArrayLike = 0.0) -> NDArray[np.float64]:
        """The matrix A of one step x1 = A x0 for the oscillator, with x = (q, h v, h^2 a).

        The acceleration itself is no part of the state: (4) gives it at both ends of the step,
        h^2 vdot = -Omega^2 q - 2 zeta Omega (h v) with Omega = 2 pi h/T, and A has used this. A run that starts with
        another vdot0 differs from it in the first step.

        Parameters
        ----------
        h_over_T : array_like, shape (...)
            Step size over the undamped period, positive.
        damping_ratio : array_like, shape (...), optional
            zeta of the oscillator, not negative; broadcasts with `h_over_T`.

        Returns
        -------
        ndarray, shape (..., 3, 3)
        """
        Omega, zeta = _oscillator(h_over_T, damping_ratio)
        one, zero = np.ones_like(Omega), np.zeros_like(Omega)
        # h^2 vdot = -k q - d (h v); (3) is divided by 1 + Omega^2 to keep its entries of order 1
        k, d, m = Omega**2 / (1 + Omega**2), 2 * zeta * Omega / (1 + Omega**2), 1 / (1 + Omega**2)
        alpha_m, alpha_f, beta, gamma = self.alpha_m, self.alpha_f, self.beta, self.gamma
        # fmt: off
        new = _stack([[one,               zero,              -beta * one       ],
                      [zero,              one,               -gamma * one      ],
                      [(1 - alpha_f) * k, (1 - alpha_f) * d, (1 - alpha_m) * m ]])
        old = _stack([[one,               one,               (0.5 - beta) * one],
                      [zero,              one,               (1 - gamma) * one ],
                      [-alpha_f * k,      -alpha_f * d,      -alpha_m * m      ]])
        # fmt: on
        return np.linalg.solve(new, old)

    def spectral_radius(self, h_over_T: ArrayLike, damping_ratio: ArrayLike = 0.0) -> Any:
        """Largest modulus of the eigenvalues of `amplification_matrix`.

        Parameters
        ----------
        h_over_T : array_like, shape (...)
            Step size over the undamped period, positive.
        damping_ratio : array_like, shape (...), optional
            zeta of the oscillator, not negative; broadcasts with `h_over_T`.

        Returns
        -------
        float or ndarray, shape (...)
        """
        u = self._inverse_cayley_eigenvalues(*_oscillator(h_over_T, damping_ratio))
        with np.errstate(divide="ignore"):  # u = 1: an infinite eigenvalue
            return np.max(np.abs(u + 1) / np.abs(u - 1), axis=-1)

    def period_elongation(self, h_over_T: ArrayLike) -> Any:
        """Relative error of the period of the undamped oscillator, Tbar/T - 1.

        The complex pair of eigenvalues is written exp(omegabar h (-zetabar +- i)), so that
        omegabar = arg(eigenvalue)/h and Tbar = 2 pi/omegabar. The error is of order (h/T)^2.

        Parameters
        ----------
        h_over_T : array_like, shape (...)
            Step size over the period, positive.

        Returns
        -------
        float or ndarray, shape (...)
            NaN where all eigenvalues are real, that is, where nothing oscillates.
        """
        Omega, zeta = _oscillator(h_over_T, 0.0)
        angle, _ = self._principal_pair(Omega, zeta)
        return Omega / angle - 1

    def algorithmic_damping(self, h_over_T: ArrayLike) -> Any:
        """Damping ratio zetabar that the scheme gives to the undamped oscillator.

        zetabar = -ln abs(eigenvalue)/arg(eigenvalue), the complex pair of eigenvalues being written
        exp(omegabar h (-zetabar +- i)) as in `period_elongation`. (Relative to the frequency abs(ln(eigenvalue))/h it
        would be zetabar/sqrt(1 + zetabar^2).) For second-order schemes it is of order (h/T)^3.

        Parameters
        ----------
        h_over_T : array_like, shape (...)
            Step size over the period, positive.

        Returns
        -------
        float or ndarray, shape (...)
            NaN where all eigenvalues are real, that is, where nothing oscillates.
        """
        angle, log_modulus = self._principal_pair(*_oscillator(h_over_T, 0.0))
        return -log_modulus / angle + 0.0  # + 0.0: no negative zero

    def _principal_pair(self, Omega: NDArray[np.float64], zeta: NDArray[np.float64]) -> tuple[Any, Any]:
        """Angle in (0, pi) and log of the modulus of the complex pair of eigenvalues; a NaN angle if there is none."""
        u: NDArray[np.complex128] = self._inverse_cayley_eigenvalues(Omega, zeta)
        u = np.take_along_axis(u, np.argmax(u.imag, axis=-1)[..., None], axis=-1)[..., 0]
        square = u.real**2 + u.imag**2
        # (u + 1)/(u - 1) in polar form, without cancellation where its modulus is near 1 or its angle near 0
        angle = np.where(u.imag > 0, np.arctan2(2 * u.imag, square - 1), np.nan)[()]
        with np.errstate(divide="ignore", invalid="ignore"):
            return angle, np.arctanh(2 * u.real / (square + 1))

    def _inverse_cayley_eigenvalues(
        self, Omega: NDArray[np.float64], zeta: NDArray[np.float64]
    ) -> NDArray[np.complex128]:
        """The three u with eigenvalue = (u + 1)/(u - 1), shape (..., 3).

        With s = 1/u the characteristic polynomial of the amplification matrix is, up to a factor::

            (4/Omega^2) s^2 (1 + (1 - 2 alpha_m) s)
            + (1 + (1 - 2 alpha_f) s) (1 + g s + (4 beta - 2 gamma) s^2 + (4 zeta/Omega) s (1 + g s)),   g = 2 gamma - 1

        Used instead of the matrix because its eigenvalues coincide in the limits h/T to 0 (two at 1) and to infinity
        (three at -rho_inf for chung_hulbert), where rounding is magnified: at h/T = 1e-4 the eigenvalues of the matrix
        give the algorithmic damping a wrong sign. Here the unit circle is the imaginary axis, and what is wanted near
        it is a small real part; rho_inf = 1 gives 1 exactly.
        """
        m, f, g = 1 - 2 * self.alpha_m, 1 - 2 * self.alpha_f, 2 * self.gamma - 1
        b = 4 * self.beta - 2 * self.gamma
        w, d = 4 / Omega**2, 4 * zeta / Omega
        one, zero = np.ones_like(Omega), np.zeros_like(Omega)
        # fmt: off
        companion = _stack([[-(f + g + d), -(w + b + d * g + f * (g + d)), -(w * m + f * (b + d * g))],
                            [one,          zero,                           zero                      ],
                            [zero,         one,                            zero                      ]])
        # fmt: on
        return np.linalg.eigvals(companion).astype(complex)


def _from_alphas(cls: type[Coefficients], alpha_m: float, alpha_f: float) -> Coefficients:
    """Second order and least dissipation at low frequencies for given alpha_m, alpha_f: (6)."""
    return cls(alpha_m, alpha_f, beta=0.25 * (1 - alpha_m + alpha_f) ** 2, gamma=0.5 - alpha_m + alpha_f)


def _finite(name: str, value: Any) -> float:
    """The value as a float; InputError if it is not a finite real number."""
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        raise InputError(f"{name} = {value!r} is not a finite real number")
    return float(value)


def _in_range(name: str, value: Any, low: float, high: float, allowed: str) -> float:
    """The value as a float; InputError if it is not in [low, high], a range described by `allowed`."""
    value = _finite(name, value)
    if not low <= value <= high:
        raise InputError(f"{name} = {value!r} is outside the allowed range {allowed}")
    return value


def _ratio(numerator: float, denominator: float) -> float:
    """abs(numerator/denominator), inf if the denominator is 0."""
    return abs(numerator / denominator) if denominator != 0 else math.inf


def _warn_order(c: Coefficients) -> None:
    """Warn that the scheme is only first-order accurate."""
    gamma = 0.5 - c.shift
    warn(
        f"gamma = {c.gamma:.6g} differs by {c.gamma - gamma:.3g} from 1/2 - alpha_m + alpha_f = {gamma:.6g}: the "
        f"scheme is only first-order accurate; take gamma = {gamma:.6g}, or Coefficients.chung_hulbert(rho_inf) for "
        "dissipation at second order",
        OrderWarning,
    )


def _oscillator(h_over_T: ArrayLike, damping_ratio: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Omega = 2 pi h/T and zeta, validated and broadcast against each other."""
    try:
        h_over_T, zeta = np.broadcast_arrays(np.asarray(h_over_T, dtype=float), np.asarray(damping_ratio, dtype=float))
    except (TypeError, ValueError) as error:
        raise InputError(f"h_over_T and damping_ratio must be real arrays that broadcast: {error}") from error
    for name, values, allowed in (("h_over_T", h_over_T, h_over_T > 0), ("damping_ratio", zeta, zeta >= 0)):
        bad = values[~(allowed & np.isfinite(values))]
        if bad.size:
            rule = "positive" if name == "h_over_T" else "not negative"
            raise InputError(f"{name} = {bad[0]:g}: must be {rule} and finite")
    return 2 * np.pi * h_over_T, zeta


def _stack(rows: list[list[NDArray[np.float64]]]) -> NDArray[np.float64]:
    """A matrix from its entries, each of shape (...): shape (..., rows, columns)."""
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
