"""Numerical differentiation against analytic derivatives, and functions that do not bear complex numbers."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genalpha as ga
from genalpha.system import differentiate as d

T, Q, V = 0.7, np.array([0.4, -0.9, 1.3]), np.array([1.1, 0.3, -0.8])
DQ, DV, P = np.array([0.2, -1.0, 0.5]), np.array([0.6, 0.1, -0.3]), np.zeros(1)
repeatable = settings(derandomize=True, deadline=None, max_examples=50)


def call(t, q, v, p, out):
    """A smooth function in normal form."""
    out[0] = np.exp(q[0] * np.sin(t)) * v[1]
    out[1] = q[1] ** 3 * q[2] / (1.0 + q[0] ** 2) + v[0] * v[2]


def along_states(q, v, dq, dv):
    """Its derivative along (dq, dv) by hand."""
    s, e = np.sin(T), np.exp(q[0] * np.sin(T))
    den = 1.0 + q[0] ** 2
    quotient = (3 * q[1] ** 2 * dq[1] * q[2] + q[1] ** 3 * dq[2]) / den
    quotient -= q[1] ** 3 * q[2] * 2 * q[0] * dq[0] / den**2
    return np.array([e * (s * dq[0] * v[1] + dv[1]), quotient + dv[0] * v[2] + v[0] * dv[2]])


# smooth functions of a path x(s) with their second derivatives along it: f(t, q), and (d/ds)² at t + s, q + s v
SMOOTH = {
    "circle": (lambda t, q: q @ q, lambda t, q, v: 2 * v @ v),
    "product": (lambda t, q: q[0] * q[1] * q[2], lambda t, q, v: 2 * (q[0] * v[1] * v[2] + q[1] * v[0] * v[2]
                                                                      + q[2] * v[0] * v[1])),
    "sine": (lambda t, q: np.sin(q[0] + 2 * t), lambda t, q, v: -np.sin(q[0] + 2 * t) * (v[0] + 2) ** 2),
    "exponential": (lambda t, q: np.exp(q[1]), lambda t, q, v: np.exp(q[1]) * v[1] ** 2),
    "root": (lambda t, q: np.sqrt(q @ q), lambda t, q, v: (v @ v - (q @ v) ** 2 / (q @ q)) / np.sqrt(q @ q)),
    "drive": (lambda t, q: q[0] - np.cos(3 * t), lambda t, q, v: 9 * np.cos(3 * t)),
}  # fmt: skip


def normal(function):
    """f(t, q) -> call(t, q, v, p, out)."""

    def call(t, q, v, p, out):
        out[0] = function(t, q)

    return call


def second(function, complex_safe=True, t=T, q=Q, v=V, **options):
    out = np.zeros(1)
    d.second_derivative(normal(function), complex_safe, d.same, **options)(t, q, v, P, out)
    return out[0]


# ---------------------------------------------------------------- first derivatives


@pytest.mark.parametrize(("complex_safe", "tolerance"), [(True, 1e-14), (False, 1e-9)])
def test_along_states(complex_safe, tolerance):
    out = np.zeros(2)
    d.first_derivative(call, complex_safe, d.same)(T, Q, V, DQ, DV, P, out)
    np.testing.assert_allclose(out, along_states(Q, V, DQ, DV), rtol=tolerance)


@pytest.mark.parametrize(("complex_safe", "tolerance"), [(True, 1e-14), (False, 1e-9)])
def test_along_time(complex_safe, tolerance):
    out = np.zeros(2)
    d.time_derivative(call, complex_safe, d.same)(T, Q, V, DQ, P, out)
    expected = along_states(Q, V, DQ, np.zeros(3))
    expected[0] += np.exp(Q[0] * np.sin(T)) * Q[0] * np.cos(T) * V[1]
    np.testing.assert_allclose(out, expected, rtol=tolerance)


@pytest.mark.parametrize("in_velocity", [False, True])
def test_gradient_has_the_columns(in_velocity):
    out = np.zeros(6)
    d.gradient(call, True, d.same, in_velocity, 0, 3)(T, Q, V, P, out)
    zero = np.zeros(3)
    columns = [along_states(Q, V, *((zero, e) if in_velocity else (e, zero))) for e in np.eye(3)]
    np.testing.assert_allclose(out.reshape(2, 3), np.transpose(columns), rtol=1e-14, atol=1e-15)


def test_forward_difference_is_good_enough_for_newton():
    out = np.zeros(2)
    d.forward_derivative(call, d.same)(T, Q, V, DQ, DV, P, out)
    np.testing.assert_allclose(out, along_states(Q, V, DQ, DV), rtol=1e-5)


numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 6))


@repeatable
@given(st.lists(numbers, min_size=12, max_size=12))
def test_complex_step_is_linear_in_the_direction(x):
    q, v, dq, dv = np.reshape(x, (4, 3))
    along, out = d.first_derivative(call, True, d.same), np.zeros((3, 2))
    zero = np.zeros(3)
    along(T, q, v, dq, dv, P, out[0])
    along(T, q, v, dq, zero, P, out[1])
    along(T, q, v, zero, dv, P, out[2])
    np.testing.assert_allclose(out[0], out[1] + out[2], rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- second derivatives


@pytest.mark.parametrize("name", SMOOTH)
def test_complex_step_at_45_degrees(name):
    function, exact = SMOOTH[name]
    assert second(function) == pytest.approx(exact(T, Q, V), rel=1e-11)


@pytest.mark.parametrize("name", SMOOTH)
def test_second_differences(name):
    function, exact = SMOOTH[name]
    assert second(function, complex_safe=False) == pytest.approx(exact(T, Q, V), rel=1e-6)


@pytest.mark.parametrize("speed", [1e-3, 1.0, 1e3, 1e6])
def test_fast_motion_is_differentiated_over_a_short_way(speed):
    exact = SMOOTH["root"][1](T, Q, speed * V)
    assert second(lambda t, q: np.sqrt(q @ q), v=speed * V) == pytest.approx(exact, rel=1e-11)


def test_linear_functions_have_no_second_derivative():
    assert abs(second(lambda t, q: 3.0 * q[0] - q[1] + 5.0 * t)) < 1e-12


@pytest.mark.parametrize(("omega", "tolerance"), [(1.0, 1e-11), (300.0, 1e-10), (3e4, 1e-8)])
def test_the_step_suits_fast_drives(omega, tolerance):
    """A drive at 50 Hz varies over 1/314 s, and the usual step would be too long."""

    def drive(t, q):
        return q[0] - np.sin(omega * t)

    step = d.choose_step(normal(drive), [(T, Q, V, P)], 1)
    assert (step == d.STEP_45) == (omega == 1.0)
    assert second(drive, step=step) == pytest.approx(omega**2 * np.sin(omega * T), rel=tolerance)
    system = ga.System(M=np.eye(3), f=lambda t, q, v: -q, g=drive)
    bias = system.contract(T, Q, V).evaluate("g_bias", T, Q, V)
    assert bias == pytest.approx(omega**2 * np.sin(omega * T), rel=tolerance)


# ---------------------------------------------------------------- functions that do not bear complex numbers


def no_branch(t, q, v):
    return -q


UNSAFE = {
    "f with abs": dict(f=lambda t, q, v: -np.abs(v) * v),
    "f with math": dict(f=lambda t, q, v: [-math.sin(q[0]), 0.0]),
    "M": dict(f=no_branch, M=lambda t, q: np.diag([2.0 + math.cos(q[0]), 1.0])),
    "g": dict(f=no_branch, g=lambda t, q: math.hypot(q[0], q[1]) - 1.0),
    "g in t": dict(f=no_branch, g=lambda t, q: q[0] - math.sin(t)),
    "k": dict(f=no_branch, k=lambda t, q, v: math.cos(q[0]) * v[0] + v[1]),
}


def real_array(t, q, v):
    out = np.zeros(2)
    out[:] = -q
    return out


@pytest.mark.parametrize("name", UNSAFE)
def test_a_warning_names_the_function(name):
    system = ga.System(**({"M": np.eye(2)} | UNSAFE[name]))
    message = rf"^{name[0]} cannot be differentiated by complex step{' in t' if 'in t' in name else ''} \(max, abs"
    with pytest.warns(ga.DerivativeWarning, match=message) as caught:
        contract = system.contract(0.0, [0.6, 0.8], [0.1, 0.2])
    assert all(warning.filename == __file__ for warning in caught)
    assert contract.notes == tuple(dict.fromkeys(str(warning.message) for warning in caught))


def test_a_real_array_that_is_filled_is_found():
    with pytest.warns(ga.DerivativeWarning, match=r"np.zeros\(..., dtype=q.dtype\)"):
        ga.System(M=np.eye(2), f=real_array).contract(0.0, [0.6, 0.8], [0.1, 0.2])


@pytest.mark.parametrize(
    "functions",
    [
        dict(f=lambda t, q, v: [-math.sin(t), math.exp(-t)]),  # forces are not differentiated in t
        dict(f=lambda t, q, v: -np.maximum(q, 0.0) - max(q[0], 0.5)),  # NumPy compares the real parts
        dict(f=lambda t, q, v: -q if q[0] > 0.0 else q),
        dict(f=lambda t, q, v: -q if q[0].real > 0.0 else q),
        dict(f=lambda t, q, v: -q * abs(v[0]), f_q=lambda t, q, v: -np.eye(2), f_v=0),  # nothing to compute
        dict(f=no_branch, g=lambda t, q: q[0] - math.sin(t), g_t=lambda t, q: -math.cos(t), g_bias=lambda t, q, v: 0.0),
    ],
)
def test_no_warning_without_need(functions):
    ga.System(M=np.eye(2), **functions).contract(0.0, [0.6, 0.8], [0.1, 0.2])


def test_differences_where_complex_numbers_fail():
    g = dict(g=lambda t, q: math.hypot(q[0], q[1]) - 1.0 - 0.1 * math.sin(t))
    exact = dict(g=lambda t, q: np.sqrt(q @ q) - 1.0 - 0.1 * np.sin(t))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ga.DerivativeWarning)
        a, b = (ga.System(M=np.eye(2), f=no_branch, **c).contract(0.3, [0.6, 0.8], [0.1, 0.2]) for c in (g, exact))
    q, v = np.array([0.5, 0.9]), np.array([0.3, -0.4])
    np.testing.assert_allclose(a.matrix("G", 0.3, q), b.matrix("G", 0.3, q), rtol=1e-9)
    np.testing.assert_allclose(a.evaluate("g_t", 0.3, q), b.evaluate("g_t", 0.3, q), rtol=1e-9)
    np.testing.assert_allclose(a.evaluate("g_bias", 0.3, q, v), b.evaluate("g_bias", 0.3, q, v), rtol=1e-6)


def test_a_function_that_fails_only_later_falls_back():
    """A branch that is taken midway does not bear complex numbers, and differences take over."""

    def f(t, q, v):
        return -10.0 * np.arctan2(q, 1.0) if t > 0.1 else -q

    with pytest.warns(ga.DerivativeWarning, match="f cannot be differentiated by complex step"):
        sol = ga.solve(ga.System(M=1.0, f=f), (0.0, 0.2), [0.0], [1.0], ga.GeneralizedAlpha(jacobian="step"), h=0.01)
    assert sol.success
