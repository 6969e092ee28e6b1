"""One small system with everything, for several test files: so that they share its compiled code.

Nonconstant and nonsymmetric mass matrix, nonlinear force, one moving holonomic constraint, one nonholonomic
constraint that is nonlinear in the velocity, parameters p = (stiffness, trouble). From t = 0.05 on, the force does what
``trouble`` says: 1 raises an exception, 2 returns NaN, 3 returns another shape.
"""

import numpy as np

import genalpha as ga

Q0 = np.array([0.6, 0.8, 0.3])
V0 = np.array([0.8, -0.6 + 3.0 / 16.0, 0.1 - 0.6 * 0.8 * (-0.6 + 3.0 / 16.0)])


@ga.evaluator
def square(x):
    return x * x


@ga.evaluator
def M(t, q, p):
    out = np.zeros((3, 3), dtype=q.dtype)
    out[0, 0], out[0, 1] = 2.0 + np.sin(q[0]), 0.1 * q[1]
    out[1, 0], out[1, 1] = 0.2, 3.0
    out[2, 2] = 1.0 + square(q[2])
    return out


@ga.evaluator
def f(t, q, v, p):
    if t.real > 0.05:
        if p[1] == 1.0:
            raise ZeroDivisionError("out of fuel")
        if p[1] == 2.0:
            return np.nan * q
        if p[1] == 3.0:
            return np.zeros(4, dtype=q.dtype)
    out = np.zeros(3, dtype=q.dtype)
    out[0] = -p[0] * q[0] ** 3 - v[0]
    out[1] = np.sin(t) * q[1]
    out[2] = v[0] * v[2] - 9.81
    return out


@ga.evaluator
def g(t, q, p):
    return square(q[0]) + square(q[1]) - 1.0 - 0.1 * np.sin(3.0 * t)


@ga.evaluator
def k(t, q, v, p):
    return (v[2] + q[0] * v[0] * v[1] - 0.1 * np.cos(t),)


def rover(trouble=0.0, **given):
    """The system; marked functions, so that it runs compiled unless ``compile=False``."""
    given = {"M": M, "f": f, "g": g, "k": k} | given
    return ga.System(**given, names={"q": ["x", "y", "z"], "g": ["ring"], "k": ["blade"]}, params=[5.0, trouble])


# what belongs to it, by hand


def G(t, q):
    return np.array([[2 * q[0], 2 * q[1], 0.0]])


def g_t(t, q):
    return np.array([-0.3 * np.cos(3 * t)])


def g_bias(t, q, v):
    return np.array([2 * v[0] ** 2 + 2 * v[1] ** 2 + 0.9 * np.sin(3 * t)])


def K(t, q, v):
    return np.array([[q[0] * v[1], q[0] * v[0], 1.0]])


def k_bias(t, q, v):
    return np.array([v[0] ** 2 * v[1] + 0.1 * np.sin(t)])
