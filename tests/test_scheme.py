"""Coefficients of the family: identities, limits, order, stability, and the analysis of the oscillator."""

import dataclasses
import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from genalpha.errors import InputError, OrderWarning
from genalpha.scheme import Coefficients, StepFactors

RHO = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
repeatable = settings(derandomize=True, deadline=None, max_examples=100)
dissipation = st.floats(0, 1)
weight = st.floats(-1, 1)


def first_order(*args):
    """Coefficients without their warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrderWarning)
        return Coefficients(*args)


def numbers(c):
    return dataclasses.astuple(c)


def step_by_hand(c, omega, zeta, h, q0, v0, a0):
    """One step of the oscillator: the equations (2)-(4) as printed, for the unknowns q1, v1, vdot1, a1."""
    vdot0 = -2 * zeta * omega * v0 - omega**2 * q0
    # fmt: off
    lhs = np.array([[1.0,      0.0,              0.0,              -h**2 * c.beta],
                    [0.0,      1.0,              0.0,              -h * c.gamma  ],
                    [0.0,      0.0,              -(1 - c.alpha_f), 1 - c.alpha_m ],
                    [omega**2, 2 * zeta * omega, 1.0,              0.0           ]])
    # fmt: on
    rhs = [
        q0 + h * v0 + h**2 * (0.5 - c.beta) * a0,
        v0 + h * (1 - c.gamma) * a0,
        c.alpha_f * vdot0 - c.alpha_m * a0,
        0.0,
    ]
    q1, v1, _, a1 = np.linalg.solve(lhs, rhs)
    return q1, v1, a1


def error_at_one(c, n):
    """Errors of q and v of the damped oscillator at t = 1 after n steps."""
    omega, zeta, q, v = 2.0, 0.1, 1.0, 0.5
    omega_d = omega * math.sqrt(1 - zeta**2)
    root = -zeta * omega + 1j * omega_d
    amplitude = q - 1j * (v + zeta * omega * q) / omega_d
    a = -2 * zeta * omega * v - omega**2 * q
    for _ in range(n):
        q, v, a = step_by_hand(c, omega, zeta, 1 / n, q, v, a)
    exact = amplitude * np.exp(root)
    return np.array([q - exact.real, v - (root * exact).real])


# ---------------------------------------------------------------- coefficients


@repeatable
@given(dissipation)
def test_chung_hulbert_identities(rho_inf):
    c = Coefficients.chung_hulbert(rho_inf)
    assert c.alpha_m == pytest.approx((2 * rho_inf - 1) / (1 + rho_inf), abs=1e-15)
    assert c.alpha_f == pytest.approx(rho_inf / (1 + rho_inf), abs=1e-15)
    assert c.gamma == pytest.approx(0.5 - c.alpha_m + c.alpha_f, abs=1e-15)
    assert c.beta == pytest.approx((c.gamma + 0.5) ** 2 / 4, abs=1e-15)
    assert c.shift == pytest.approx((rho_inf - 1) / (rho_inf + 1), abs=1e-15)
    assert c.alpha_m == pytest.approx(3 * c.alpha_f - 1, abs=1e-15)
    assert c.is_second_order
    assert c.is_unconditionally_stable
    assert c.rho_inf == pytest.approx(rho_inf, abs=1e-13)


@repeatable
@given(st.floats(-1 / 3, 0))
def test_hht_identities(alpha):
    c = Coefficients.hht(alpha)
    assert numbers(c) == pytest.approx((0, -alpha, (1 - alpha) ** 2 / 4, 0.5 - alpha), abs=1e-15)
    assert c.shift == pytest.approx(alpha, abs=1e-15)
    assert c.is_second_order
    assert c.is_unconditionally_stable
    assert c.rho_inf == pytest.approx((1 + alpha) / (1 - alpha), abs=1e-13)


@repeatable
@given(st.floats(-1, 0))
def test_wbz_identities(alpha):
    c = Coefficients.wbz(alpha)
    assert numbers(c) == pytest.approx((alpha, 0, (1 - alpha) ** 2 / 4, 0.5 - alpha), abs=1e-15)
    assert c.is_second_order
    assert c.is_unconditionally_stable
    assert c.rho_inf == pytest.approx((1 + alpha) / (1 - alpha), abs=1e-13)


def test_families_meet():
    ch, trapezoidal = Coefficients.chung_hulbert, Coefficients.trapezoidal()
    assert numbers(ch(0.5)) == pytest.approx(numbers(Coefficients.hht(-1 / 3)), abs=1e-15)
    assert numbers(ch(0)) == numbers(Coefficients.wbz(-1))
    assert numbers(ch(1)) == (0.5, 0.5, 0.25, 0.5)
    assert Coefficients.hht(0) == Coefficients.wbz(0) == Coefficients.newmark(0.25, 0.5) == trapezoidal
    assert Coefficients.stoermer() == Coefficients(0, 0, 0, 0.5)


def test_rho_inf_one_is_the_trapezoidal_rule():
    """Started with a = vdot, both give the same q and v, step by step (the coefficients differ)."""
    for c in (Coefficients.chung_hulbert(1), Coefficients.trapezoidal()):
        q, v, a = 1.0, 0.3, -2 * 0.05 * 2.0 * 0.3 - 4.0
        for _ in range(50):
            q, v, a = step_by_hand(c, 2.0, 0.05, 0.1, q, v, a)
        # the rule for x' = A x by itself
        A = np.array([[0, 1], [-4.0, -2 * 0.05 * 2.0]])
        step = np.linalg.solve(np.eye(2) - 0.05 * A, np.eye(2) + 0.05 * A)
        assert [q, v] == pytest.approx(np.linalg.matrix_power(step, 50) @ [1.0, 0.3], abs=1e-13)


@repeatable
@given(dissipation)
def test_rates_of_theorem_6_1(rho_inf):
    c = Coefficients.chung_hulbert(rho_inf)
    assert c.r_gamma == pytest.approx(abs(1 - 3 * rho_inf) / (3 - rho_inf), abs=1e-14)
    assert c.r_alpha_m == pytest.approx(abs(1 - 2 * rho_inf) / (2 - rho_inf), abs=1e-14)
    assert c.r_alpha_f == pytest.approx(rho_inf, abs=1e-14)
    assert max(c.r_gamma, c.r_alpha_m, c.r_alpha_f) <= 1 + 1e-14


def test_rates_definition_and_exceptions():
    c = first_order(-0.3, 0.2, 0.4, 0.8)
    assert (c.r_gamma, c.r_alpha_m, c.r_alpha_f) == pytest.approx((0.2 / 0.8, 0.3 / 1.3, 0.2 / 0.8))
    excluded = Coefficients.chung_hulbert(3 - 2 * math.sqrt(2))
    assert excluded.r_gamma == pytest.approx(excluded.r_alpha_f, abs=1e-14)
    explicit = first_order(0, 1, 0, 0)
    assert explicit.r_gamma == explicit.r_alpha_f == explicit.rho_inf == math.inf


@repeatable
@given(weight, weight, weight, weight, st.floats(1e-3, 10), weight, weight, weight, weight)
def test_step_factors_solve_the_step(alpha_m, alpha_f, beta, gamma, h, v0, vdot0, a0, vdot1):
    assume(alpha_m < 0.9)
    c = first_order(alpha_m, alpha_f, beta, gamma)
    s = c.step_factors(h)
    a1 = s.c5 * vdot0 + s.c6 * a0 + s.c9 * vdot1
    dq = h * v0 + s.c1 * vdot0 + s.c2 * a0 + s.c8 * vdot1
    v1 = v0 + s.c3 * vdot0 + s.c4 * a0 + s.c7 * vdot1
    size = 1e-13 * (1 + h) ** 2 / (1 - alpha_m)
    assert dq == pytest.approx(h * v0 + h * h * ((0.5 - beta) * a0 + beta * a1), abs=size)
    assert v1 == pytest.approx(v0 + h * ((1 - gamma) * a0 + gamma * a1), abs=size)
    assert (1 - alpha_m) * a1 + alpha_m * a0 == pytest.approx((1 - alpha_f) * vdot1 + alpha_f * vdot0, abs=size)


def test_step_factors_are_named():
    s = Coefficients.trapezoidal().step_factors(2)
    assert s == StepFactors(c1=0, c2=1, c3=0, c4=1, c5=0, c6=0, c7=1, c8=1, c9=1)


def test_value_semantics():
    c = Coefficients.chung_hulbert(np.float32(0.5))
    assert all(type(value) is float for value in numbers(c))
    assert len({c, Coefficients.chung_hulbert(0.5)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        c.beta = 1.0


# ---------------------------------------------------------------- order and stability


@pytest.mark.parametrize(
    "c",
    [Coefficients.chung_hulbert(rho) for rho in RHO]
    + [Coefficients.hht(-0.1), Coefficients.wbz(-0.4), Coefficients.stoermer(), Coefficients.newmark(1 / 6, 0.5)],
    ids=repr,
)
def test_second_order_in_q_and_v(c):
    slope = np.log2(np.abs(error_at_one(c, 400) / error_at_one(c, 800)))
    assert slope == pytest.approx([2, 2], abs=0.1)


@pytest.mark.parametrize("c", [first_order(0, 0, 0.3025, 0.6), first_order(0.1, 0.3, 0.4, 0.6)], ids=repr)
def test_first_order_otherwise(c):
    slope = np.log2(np.abs(error_at_one(c, 400) / error_at_one(c, 800)))
    assert slope == pytest.approx([1, 1], abs=0.1)


@repeatable
@given(weight, weight, weight, weight)
def test_stability_conditions_are_exact(alpha_m, alpha_f, beta, gamma):
    assume(alpha_m < 0.95)
    c = first_order(alpha_m, alpha_f, beta, gamma)
    margin = min(0.5 - alpha_m, 0.5 - alpha_f, gamma - 0.5, gamma - 0.5 + c.shift, beta - gamma / 2)
    worst = c.spectral_radius(np.logspace(-3, 6, 400)).max()
    if c.is_unconditionally_stable:
        assert worst <= 1 + 1e-6
    elif margin < -0.02:
        assert worst > 1 + 1e-9


@repeatable
@given(st.floats(-1, 0.5), st.floats(0, 1), st.floats(0, 1))
def test_stability_conditions_are_those_of_chung_and_hulbert(alpha_m, fraction, beta):
    alpha_f = alpha_m + fraction * (0.5 - alpha_m)
    c = Coefficients(alpha_m, alpha_f, beta, 0.5 - alpha_m + alpha_f)
    margin = beta - (0.25 + (alpha_f - alpha_m) / 2)
    assume(abs(margin) > 1e-12)
    assert c.is_unconditionally_stable == (margin > 0)
    if margin > 0:
        assert c.spectral_radius(np.logspace(-3, 6, 200)).max() <= 1 + 1e-6


def test_unstable_by_one_condition_each():
    assert not Coefficients(0.3, 0.2, 0.3, 0.4).is_unconditionally_stable
    assert not Coefficients(0.6, 0.6, 0.3, 0.5).is_unconditionally_stable
    assert not Coefficients.stoermer().is_unconditionally_stable
    assert not first_order(0, 0, 0.3, 0.4).is_unconditionally_stable


# ---------------------------------------------------------------- the oscillator


@pytest.mark.parametrize("zeta", [0.0, 0.3, 1.5])
@pytest.mark.parametrize("rho_inf", RHO)
def test_amplification_matrix_is_the_step(rho_inf, zeta):
    c, omega, h = Coefficients.chung_hulbert(rho_inf), 3.0, 0.2
    A = c.amplification_matrix(h * omega / (2 * math.pi), zeta)
    q, v, a = 0.7, -1.1, 2.3
    x = np.array([q, h * v, h * h * a])
    for _ in range(5):
        q, v, a = step_by_hand(c, omega, zeta, h, q, v, a)
        x = A @ x
        assert x == pytest.approx(np.array([q, h * v, h * h * a]), abs=1e-13)


@repeatable
@given(weight, weight, st.floats(0, 1), st.floats(0, 1), st.floats(-2, 2), st.floats(0, 2))
def test_spectral_radius_is_that_of_the_matrix(alpha_m, alpha_f, beta, gamma, exponent, zeta):
    assume(alpha_m < 0.9)
    c = first_order(alpha_m, alpha_f, beta, gamma)
    h_over_T = 10.0**exponent
    eigenvalues = np.linalg.eigvals(c.amplification_matrix(h_over_T, zeta))
    # multiple eigenvalues of the matrix are known to a third of its digits only
    assert c.spectral_radius(h_over_T, zeta) == pytest.approx(np.abs(eigenvalues).max(), rel=1e-4, abs=1e-4)


def test_reference_numbers():
    radius = [Coefficients.chung_hulbert(rho).spectral_radius(0.1) for rho in RHO]
    expected = [0.9697081665, 0.9869730299, 0.9955697113, 0.9989833905, 0.9999044214, 1.0]
    assert radius == pytest.approx(expected, abs=1e-10)
    assert Coefficients.chung_hulbert(0).period_elongation(0.1) == pytest.approx(0.1232057196, abs=1e-10)
    assert Coefficients.chung_hulbert(1).period_elongation(0.1) == pytest.approx(0.0320749106, abs=1e-10)


@pytest.mark.parametrize("rho_inf", RHO)
def test_spectral_radius_decreases_to_rho_inf(rho_inf):
    c = Coefficients.chung_hulbert(rho_inf)
    radius = c.spectral_radius(np.logspace(-3, 3, 300))
    assert np.all(np.diff(radius) <= 1e-12)
    assert np.all((radius <= 1) & (radius >= rho_inf))
    # the distance shrinks as (h/T)^(-2/3): three eigenvalues meet at -rho_inf
    far = np.array([1e4, 1e5, 1e6])
    assert np.all(np.abs(c.spectral_radius(far) - rho_inf) <= 0.35 * far ** (-2 / 3))


@repeatable
@given(weight, st.floats(-1, 0.45), st.floats(0.05, 1), st.floats(0, 1))
def test_rho_inf_is_the_limit(alpha_m, alpha_f, beta, gamma):
    assume(alpha_m < 0.9)
    c = first_order(alpha_m, alpha_f, beta, gamma)
    assert c.rho_inf == pytest.approx(c.spectral_radius(1e6), abs=1e-2)


def test_no_dissipation_at_rho_inf_one():
    c = Coefficients.chung_hulbert(1)
    x = np.logspace(-5, 6, 100)
    assert np.all(c.spectral_radius(x) == 1)
    assert np.all(c.algorithmic_damping(x) == 0)
    # q1 + q0 and q1 - q0 give tan(angle/2) = Omega/2
    assert c.period_elongation(x) == pytest.approx(np.pi * x / np.arctan(np.pi * x) - 1, rel=1e-9, abs=1e-14)


def test_stoermer_is_stable_up_to_its_limit():
    c = Coefficients.stoermer()
    x = np.linspace(0.01, 0.99, 50) / np.pi
    assert c.spectral_radius(x) == pytest.approx(1, abs=1e-12)
    assert c.period_elongation(x) == pytest.approx(np.pi * x / np.arcsin(np.pi * x) - 1, abs=1e-12)
    assert c.spectral_radius(1.01 / np.pi) > 1.1
    assert np.isnan(c.period_elongation(1.01 / np.pi))
    assert np.isnan(c.algorithmic_damping(1.01 / np.pi))


@pytest.mark.parametrize("rho_inf", RHO)
def test_orders_of_the_oscillators_errors(rho_inf):
    c = Coefficients.chung_hulbert(rho_inf)
    x = 0.004 / 2.0 ** np.arange(4)
    phase = c.period_elongation(x)
    assert np.log2(phase[:-1] / phase[1:]) == pytest.approx(2, abs=0.01)
    if rho_inf < 1:
        damping = c.algorithmic_damping(x)
        assert np.log2(damping[:-1] / damping[1:]) == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("rho_inf", RHO)
def test_elongation_and_damping_describe_a_run(rho_inf):
    """q_n = exp(omegabar h n (-zetabar +- i)), once the third eigenvalue has died out: q2 = 2 Re(l) q1 - |l|^2 q0."""
    c, x = Coefficients.chung_hulbert(rho_inf), 0.1
    angle = 2 * np.pi * x / (1 + c.period_elongation(x))
    modulus = np.exp(-angle * c.algorithmic_damping(x))
    q, v, a = 1.0, 0.0, -1.0
    history = []
    for _ in range(60):
        history.append(q)
        q, v, a = step_by_hand(c, 1.0, 0.0, 2 * np.pi * x, q, v, a)
    q0, q1, q2 = history[-3:]
    assert q2 == pytest.approx(2 * modulus * np.cos(angle) * q1 - modulus**2 * q0, abs=1e-12)


def test_ordering_in_rho_inf():
    schemes = [Coefficients.chung_hulbert(rho) for rho in RHO]
    x = np.array([0.05, 0.1, 0.2])
    assert np.all(np.diff([c.period_elongation(x) for c in schemes], axis=0) < 0)
    assert np.all(np.diff([c.algorithmic_damping(x) for c in schemes], axis=0) < 0)


def test_shapes():
    c = Coefficients.chung_hulbert(0.8)
    x, zeta = np.full((2, 1), 0.1), np.array([0.0, 0.1, 0.2])
    assert c.amplification_matrix(0.1).shape == (3, 3)
    assert c.amplification_matrix(x, zeta).shape == (2, 3, 3, 3)
    assert c.spectral_radius(x, zeta).shape == (2, 3)
    assert c.period_elongation(x).shape == c.algorithmic_damping(x).shape == (2, 1)
    for value in (c.spectral_radius(0.1), c.period_elongation(0.1), c.algorithmic_damping(0.1)):
        assert isinstance(value, float)
    assert c.spectral_radius([]).shape == (0,)


# ---------------------------------------------------------------- refusals and warnings


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Coefficients.chung_hulbert(-0.1), r"rho_inf = -0\.1 is outside the allowed range \[0, 1\]"),
        (lambda: Coefficients.chung_hulbert(1.1), r"rho_inf = 1\.1 is outside the allowed range \[0, 1\]"),
        (lambda: Coefficients.chung_hulbert(math.nan), "rho_inf = nan is not a finite real number"),
        (lambda: Coefficients.chung_hulbert("0.8"), "rho_inf = '0.8' is not a finite real number"),
        (lambda: Coefficients.hht(0.1), r"alpha = 0\.1 is outside the allowed range \[-1/3, 0\]"),
        (lambda: Coefficients.hht(-0.4), r"alpha = -0\.4 is outside the allowed range \[-1/3, 0\]"),
        (lambda: Coefficients.wbz(-1.5), r"alpha = -1\.5 is outside the allowed range \[-1, 0\]"),
        (lambda: Coefficients.newmark(math.inf, 0.5), "beta = inf is not a finite real number"),
        (lambda: Coefficients.newmark(0.25, None), "gamma = None is not a finite real number"),
        (lambda: Coefficients(0, 1j, 0.25, 0.5), "alpha_f = 1j is not a finite real number"),
        (lambda: Coefficients(1, 0.5, 0.25, 0.5), "alpha_m = 1 leaves .* undetermined .* take alpha_m <= 1/2"),
        (lambda: Coefficients.trapezoidal().step_factors(0), "h = 0: a step size must be positive"),
        (lambda: Coefficients.trapezoidal().step_factors(math.nan), "h = nan is not a finite real number"),
        (lambda: Coefficients.trapezoidal().spectral_radius([0.1, 0]), "h_over_T = 0: must be positive and finite"),
        (lambda: Coefficients.trapezoidal().period_elongation(math.inf), "h_over_T = inf: must be positive and finite"),
        (lambda: Coefficients.trapezoidal().algorithmic_damping("x"), "must be real arrays that broadcast"),
        (lambda: Coefficients.trapezoidal().amplification_matrix(1, -1), "damping_ratio = -1: must be not negative"),
        (lambda: Coefficients.trapezoidal().spectral_radius([1, 2], [0, 0, 0]), "must be real arrays that broadcast"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("make", [lambda: Coefficients(0, 0, 0.3, 0.6), lambda: Coefficients.newmark(0.3, 0.6)])
def test_order_warning(make):
    message = r"gamma = 0\.6 differs by 0\.1 from 1/2 - alpha_m \+ alpha_f = 0\.5: .* first-order .* take gamma = 0\.5"
    with pytest.warns(OrderWarning, match=message) as record:
        assert not make().is_second_order
    assert [warning.filename for warning in record] == [__file__]


def test_second_order_does_not_warn(recwarn):
    for rho_inf in np.linspace(0, 1, 101):
        c = Coefficients.chung_hulbert(rho_inf)
        Coefficients(*numbers(c))
    assert not recwarn.list
