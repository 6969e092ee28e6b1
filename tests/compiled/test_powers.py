"""Complex steps through powers in compiled code: x**n has the derivative n x**(n − 1), for negative x too."""

import numpy as np
import pytest
from numba import njit

import genalpha as ga
from genalpha.compiled.powers import register

register()

STEP = 1e-30


@njit
def to(z, n):
    return z**n


@njit
def cubes(z):
    z **= 3
    return z


@njit
def inverse_cubes(z):
    return np.power(z, -3)


X = np.array([-2.5, -0.6, 0.3, 4.0])


@pytest.mark.parametrize("n", [-4, -1, 0, 1, 2, 3, 7, 100, 0.5, 3.0])
def test_the_derivative_of_a_power(n):
    for x in X if n == int(n) else X[2:]:
        assert to(complex(x, STEP), n).imag / STEP == pytest.approx(n * x ** (n - 1.0), rel=1e-13)
        assert to(complex(x, 0.7), n) == pytest.approx(complex(x, 0.7) ** n, rel=1e-13)


def test_powers_of_arrays():
    assert cubes(X + STEP * 1j).imag / STEP == pytest.approx(3.0 * X**2, rel=1e-14)
    assert inverse_cubes(X + STEP * 1j).imag / STEP == pytest.approx(-3.0 / X**4, rel=1e-14)


def test_zero():
    assert to(0j, 3) == 0.0
    assert to(complex(0.0, STEP), 1).imag == STEP
    assert to(0j, 0) == 1.0


def test_a_bead_on_a_cubic_curve():
    """Compiled and interpreted functions without derivatives move alike where a coordinate is negative."""

    def f(t, q, v):
        return np.array([0.0, -9.81]) + 0.0 * q

    def g(t, q):
        return np.array([np.sum(q**3) - 1.0])

    found = []
    for mark in (ga.evaluator, lambda function: function):
        system = ga.System(M=np.eye(2), f=mark(f), g=mark(g))
        found.append(ga.solve(system, (0.0, 0.05), [-1.0, 2.0 ** (1 / 3)], [0.0, 0.0], h=1e-3))
    assert found[0].stats.max_g < 1e-14
    assert found[0].q == pytest.approx(found[1].q, rel=1e-13)
    assert found[0].lam == pytest.approx(found[1].lam, rel=1e-10)
